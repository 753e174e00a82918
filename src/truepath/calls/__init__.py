"""Find the paths that a tool call names, and replace them.

Entrance: `paths.find`. It reads arguments, commands, patches and error texts. It must
not touch the disk or know projects, policies or hosts.
"""
