"""Where a written path may point: from the agent's folder, the root, or another
machine's root.

Pure functions on text; the disk is not consulted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from truepath.paths import fold, is_absolute, join, normalise, relative_to
from truepath.records import dataclass, replace
from truepath.resolve.spellings import Frame, spellings

MOST = 24
"""Places of one written path, at most; each is compared with every candidate."""

MOST_FOLDERS = 100
"""Folders of a path that is read in other ways, because that takes time."""

CONTAINER_ROOTS = (
    *(
        "/workspace",
        "/workspaces",
        "/app",
        "/repo",
        "/testbed",
        "/code",
        "/src",
        "/project",
    ),
    "/mnt/data",
)
"""Where containers and hosted sandboxes put a project, according to public
transcripts."""

_SYSTEM = frozenset(
    "bin,boot,dev,etc,lib,lib32,lib64,nix,opt,private,proc,run,sbin,snap,srv,sys,tmp,usr,var,"
    "applications,library,system,program files,program files (x86),programdata,windows".split(
        ","
    )
)
"""Top-level folders of Linux (FHS 3.0, with Nix and Snap), macOS and Windows."""

_PACKAGES = frozenset({"node_modules", "site-packages", "dist-packages"})

_VOLUME = "/System/Volumes/Data"
"""Where macOS 10.15 and later keep what is shown at the root."""

_ON_DRIVE = r"/(?:mnt/|cygdrive/)?[a-z]/"
_DRIVE = rf"(?i){_ON_DRIVE}|[a-z]:[\\/]"
"""A path on a drive, as written in WSL, msys, Cygwin and Windows."""

UNDECORATED = "the same path, written plainly"
FROM_ROOT = "from the project root"
ABOVE = "in a folder above"
LITERAL = ("", UNDECORATED)
"""Of the places where a path points, as written or without decorations."""
SLASHED = "with its leading slash"
ONCE = "with the repeated folder once"
SAME = "the same path in this project"


@dataclass(frozen=True, slots=True)
class Place:
    """One place inside the project that a written path may point to."""

    path: str
    """Relative to the root."""
    why: str = ""
    """How the path was changed to get here; empty for where it literally points."""
    same: bool = True
    """Whether it is the same path, rather than a different one with a similar text."""
    theirs: str = ""
    """For another machine's path: a folder that, if it exists here, is something
    else."""
    past: str = ""
    """Other evidence: `renamed`, `supposed` (a rename that is not certain),
    `contents`."""
    was: str = ""
    """The path before a rename."""
    plain: bool = True
    """Whether only quotes, blanks and escapes were removed, if anything."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything that a written path may mean."""

    target: str
    """Where it points as written: relative to the root if inside it, else absolute."""
    places: tuple[Place, ...]
    """The most literal first."""
    outside: bool
    """Whether it points outside the root, as written or without its decorations."""


def read(written: str, frame: Frame) -> Reading:
    """Return what a written path may mean in the project at `frame.root`."""
    texts, plain = spellings(written, frame), spellings(written, frame, only_plain=True)
    inside = [_inside(text, frame) for text in texts]
    found: dict[str, Place] = {}
    for text, path in zip(texts, inside):  # noqa: B905  of one length
        if path is not None:
            why = UNDECORATED if text != written else ""
            found.setdefault(path, Place(path, why, plain=text in plain))
    for text in texts:
        for place in _other_places(text, frame):
            found.setdefault(place.path, replace(place, plain=text in plain))
    target = join(frame.cwd, written, frame.flavour) if inside[0] is None else inside[0]
    return Reading(target, tuple(found.values())[:MOST], outside=None in inside)


def _inside(text: str, frame: Frame) -> str | None:
    if frame.inside and ".." in text and frame.flavour != "windows":
        return frame.inside(text if text.startswith("/") else f"{frame.cwd}/{text}")
    if (
        frame.flavour == "posix"
        and re.match(_ON_DRIVE, frame.root)
        and re.match(_DRIVE, text)
    ):
        there = relative_to(text, frame.root, "windows")
        if there is not None:
            return there
    return relative_to(join(frame.cwd, text, frame.flavour), frame.root, frame.flavour)


def _other_places(text: str, frame: Frame) -> Iterator[Place]:
    """Yield the other places that a text may mean."""
    plain, inside = normalise(text, frame.flavour), _inside(text, frame)
    cwd = relative_to(frame.cwd, frame.root, frame.flavour)
    if plain.count("/") > MOST_FOLDERS:
        return
    if plain.startswith("../" * max(1, frame.cwd.count("/"))):  # up to the disk's root
        text = plain = join(frame.cwd, text, frame.flavour)
    if is_absolute(text, frame.flavour):
        if inside is None:
            yield from _foreign(plain, frame)
            return
        # Below the agent's folder, it may be a path from the root that was made
        # absolute there.
        plain = relative_to(plain, frame.cwd, frame.flavour) or inside
    if cwd is None:
        return  # the agent's folder is outside
    down = [part for part in plain.split("/") if part != ".."]
    if (
        cwd and inside is not None and len(down) > 1
    ):  # a bare name in the root is another file
        yield Place("/".join(down), FROM_ROOT, same=not plain.startswith(".."))
    for path in dict.fromkeys((plain, inside)):
        if path and not path.startswith(".."):
            yield from _around(path, frame)
    if "/" not in text.rstrip("/") and plain not in ("", ".."):  # `./x` is here
        yield from (
            Place(f"{folder}{plain}", ABOVE, same=False) for folder in _above(cwd)
        )


def _above(folder: str) -> Iterator[str]:
    """Yield the folders above one, outermost first, each with its slash, the root
    without.
    """
    parts = folder.split("/") if folder else []
    return ("".join(f"{part}/" for part in parts[:at]) for at in range(len(parts)))


def _around(path: str, frame: Frame) -> Iterator[Place]:
    """Yield the places of a path with a repeated or missing beginning."""
    if frame.flavour == "posix" and re.match(_DRIVE, path):
        yield from (replace(place, same=False) for place in _foreign(path[2:], frame))
    parts = path.split("/")
    slashed = relative_to(f"/{path}", frame.root, "posix")
    if slashed:
        yield Place(slashed, SLASHED)
    if len(parts) > 1 and fold(parts[0]) == fold(frame.root.rpartition("/")[2]):
        yield Place("/".join(parts[1:]), "the project's own name left out")
    for length in range(1, len(parts) // 2 + 1):
        for at in range(len(parts) - 2 * length + 1):
            if parts[at : at + length] == parts[at + length : at + 2 * length]:
                once = "/".join(parts[:at] + parts[at + length :])
                last = at + 2 * length == len(parts)  # `src/src` is in `src`
                yield Place(once, ONCE, same=not last)


def _foreign(path: str, frame: Frame) -> Iterator[Place]:
    """Yield the places of an absolute path outside, if it is from another copy of this
    project.

    They begin after a folder with the root's name, or after a usual root in containers;
    else at least three names must remain, because many projects have the same last two.
    """
    path = path.removeprefix(_VOLUME)
    parts, name = path.split("/"), fold(frame.root.rpartition("/")[2])
    if len(parts) < 2 or fold(parts[1]) in _SYSTEM or not _PACKAGES.isdisjoint(parts):
        return
    deep = fold(parts[1]) in ("home", "users", "mnt", "media", "volumes")
    if deep and fold("".join(parts[3:4])).startswith((".", "appdata", "library")):
        return  # files of programs
    top = "/".join(parts[: 3 if deep else 2])  # a home, a volume, or a top-level folder
    for at in range(1, len(parts) + 1):
        head, end = "/".join(parts[:at]), "/".join(parts[at:])
        if fold(parts[at - 1]) == name:
            yield Place(end, SAME, theirs=head)
            return
        if head in CONTAINER_ROOTS:
            yield Place(end, SAME, theirs=head)
        elif not head and not deep:
            yield Place(end, FROM_ROOT, theirs=top)
        elif len(parts) - at >= 3 and not f"{frame.root}/".startswith(f"{top}/"):
            yield Place(end, SAME, same=False, theirs=top)
