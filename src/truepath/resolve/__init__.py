"""A written path and a project in, a resolution out.

Entrance: `workspace.Workspace.resolve`. It knows no tool, no session, no policy and no host.
"""
