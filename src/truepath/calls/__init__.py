"""Which paths a tool call names, and the call with other paths in their place.

Entrance: `paths.find`. It reads arguments, commands, patches and error texts; it asks no disk and
knows no project, no policy and no host.
"""
