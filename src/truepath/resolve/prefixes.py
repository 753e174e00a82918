"""The folders of a machine below which somebody may have a checkout of this project.

Pure: it judges a path by its folders and asks no disk.
"""

from __future__ import annotations

from truepath.paths import fold
from truepath.resolve.homes import home_of

CONTAINER_ROOTS = (
    "/workspace",
    "/workspaces",
    "/app",
    "/repo",
    "/testbed",
    "/code",
    "/src",
    "/project",
    "/usr/src/app",
    "/home/user",
    "/root",
    "/mnt/data",
)
"""Where containers and hosted sandboxes put a project, as seen in public transcripts."""

MOUNTS = ("/mnt/", "/media/", "/Volumes/")
"""Below these, the first folder is a disk or a share, not a part of a project."""

_SYSTEM = frozenset(
    "bin,boot,dev,etc,lib,lib32,lib64,libx32,lost+found,nix,opt,private,proc,run,sbin,snap,srv,sys,"
    "tmp,usr,var,applications,library,system,"
    "program files,program files (x86),programdata,temp,windows".split(",")
)
"""First folders of the file systems of Linux (FHS 3.0, with Nix and Snap), macOS and Windows."""

_PACKAGES = frozenset({"node_modules", "site-packages", "dist-packages"})
"""Folders of npm and of Python that hold other projects' packages."""

_OF_A_HOME = frozenset({"appdata", "library"})
"""Folders of a home in which programs keep their own files, on Windows and macOS; elsewhere such
a folder begins with a dot."""


def place(path: str) -> str:
    """Return the folder of a machine in which an absolute path may lie in somebody's checkout.

    A home, a mounted disk, or the first folder of the path; "" where nobody keeps a project: among
    the files of the system, of programs or of installed packages.

    Args:
        path: Absolute and normalised, with `/`.
    """
    parts = path.split("/")
    if len(parts) < 2 or not _PACKAGES.isdisjoint(parts):
        return ""
    if _is_below(path, "/usr/src/app"):
        return "/usr/src/app"
    home = home_of(path)
    if home:
        below = parts[home.count("/") + 1 :][:1]
        of_programs = below and (below[0].startswith(".") or fold(below[0]) in _OF_A_HOME)
        return "" if of_programs else home
    if path.startswith("//"):
        return "/".join(parts[:4])
    if fold(parts[1]) in _SYSTEM:
        return ""
    return "/".join(parts[: 3 if path.startswith(MOUNTS) else 2])


def is_known(folder: str) -> bool:
    """Return whether a folder that `place` returned is a home, or a container's place for one
    project: below others, the project's name alone says little.
    """
    return folder in CONTAINER_ROOTS or bool(home_of(folder))


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")
