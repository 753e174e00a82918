"""What exists: names, git, the fate of a gone path, work trees, secrets, contents, sandboxes.

Entrance: `tree.Tree`, made of names alone; `disk.Disk` and `remote.tree.RemoteTree` are trees that
know more. The room turns on two blobs: the names, as git prints them, and the departures out
of git's log. Both are asked by searching in bytes, nothing is built of them, and what is answered
is looked at on the disk. It must not know tools, hosts or what a path is likely to mean.
"""
