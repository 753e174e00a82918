"""From a written path to the file that is meant, or to none; `workspace.Workspace` is the door."""
