"""Find the file that a written path means, if any. Entrance: `workspace.Workspace`."""
