"""What exists: names, git, the history of missing paths, work trees, secrets, contents,
sandboxes.

Entrance: `tree.Tree`, a tree of names; `disk.Disk` and `remote.tree.RemoteTree` add a
disk and a sandbox. Names and git's log are kept as git prints them and searched as
bytes, and an answer is checked on the disk. The room must not know tools, hosts or what
a path is likely to mean.
"""
