"""Where a written path may point: from the agent's folder, the root, or another
machine's root.

Pure functions on text; the disk is not consulted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from truepath import TYPE_CHECKING
from truepath.paths import fold, is_absolute, join, normalise, relative_to
from truepath.records import dataclass, replace
from truepath.resolve.spellings import Frame, is_other_spelling, spellings

MOST_PLACES = 24
"""Places of one written path, at most; each is compared with every candidate."""

MOST_FOLDERS = 100
"""Folders of a path that is read in other ways, because that takes time."""

CONTAINER_ROOTS = (
    "/workspace",
    "/workspaces",
    "/app",
    "/repo",
    "/testbed",
    "/code",
    "/src",
    "/project",
    "/mnt/data",
)
"""Where containers and hosted sandboxes put a project, according to public
transcripts."""

_SYSTEM = frozenset(
    [
        *"bin boot dev etc lib lib32 lib64 nix opt private proc run sbin snap".split(),
        *"srv sys tmp usr var applications library system programdata windows".split(),
        *("program files", "program files (x86)"),
    ]
)
"""Top-level folders of Linux (FHS 3.0, with Nix and Snap), macOS and Windows."""

_COPIES = frozenset("workspace workspaces worktree worktrees checkouts".split())
"""Folders in which agent programs keep copies of projects, below a folder of their own.
`projects` is none of them: it has what a program notes about projects."""

_PACKAGES = frozenset({"node_modules", "site-packages", "dist-packages"})
"""Folders of installed packages: a path in one on another machine is a library's."""

_VOLUME = "/System/Volumes/Data"
"""Where macOS 10.15 and later keep what is shown at the root."""

_ON_DRIVE = r"/(?:mnt/|cygdrive/)?[a-z]/"
_DRIVE = rf"(?i){_ON_DRIVE}|[a-z]:[\\/]"
"""A path on a drive, as written in WSL, msys, Cygwin and Windows."""

if TYPE_CHECKING:
    from typing import Literal

    PlaceKind = Literal[
        "written",
        "undecorated",
        "slashed",
        "from-root",
        "above",
        "once",
        "without-project",
        "same-path",
        "mapped",
        "root-misspelt",
        "own-copy",
        "program-copy",
        "contents",
        "history",
        "in-between",
        "beside",
    ]
else:
    PlaceKind = str

WORDS: Mapping[PlaceKind, str] = {
    "written": "",
    "undecorated": "written plainly",
    "slashed": "with its leading slash",
    "from-root": "from the project root",
    "above": "in a folder above",
    "once": "the repeated folder once",
    "without-project": "the project's name left out",
    "same-path": "the same path in this project",
    "mapped": "",
    "root-misspelt": "the project's path misspelt",
    "own-copy": "this project's own copy",
    "program-copy": "the project, not a program's copy",
    "contents": "it has the text",
    "history": "",
    "in-between": "made again where it was in between",
    "beside": "",
}
"""How the written path was changed to get to a place, in words: nothing where it
literally points, and where the place has words of its own."""

LITERAL = ("written", "undecorated")
"""The places where a path points, as written or without decorations."""


@dataclass(frozen=True, slots=True)
class Place:
    """One place inside the project that a written path may point to."""

    path: str
    """Relative to the root."""
    kind: PlaceKind = "written"
    """How the written path was changed to get here."""
    own_words: str = ""
    """The same in words, where they name a commit or a folder; else as in `WORDS`."""
    is_same_path: bool = True
    """Whether it is the same path, rather than a different one with a similar text."""
    leaves_folder: bool = False
    """Whether it is outside a folder that exists as it was written."""
    foreign_folder: str = ""
    """For another machine's path: a folder that, if it exists here, is something
    else."""
    evidence: str = ""
    """What speaks for it besides the text: `mapped`, `renamed`, `supposed` (a rename
    that is not certain), `contents`."""
    before_rename: str = ""
    """The path before a rename."""
    only_unquoted: bool = True
    """Whether only quotes, blanks and escapes were removed, if anything."""
    is_replaced: bool = False
    """Whether another file is there now than the one that was renamed to it."""

    @property
    def words(self) -> str:
        """How the written path was changed to get here; empty where it points."""
        return self.own_words or WORDS[self.kind]

    @property
    def is_literal(self) -> bool:
        """Whether the path points here as written or without decorations."""
        return self.kind in LITERAL


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
    texts = spellings(written, frame)
    unquoted = spellings(written, frame, only_plain=True)
    places: dict[str, Place] = {}
    outside = False
    # Where it points literally comes before every other place of any spelling.
    for text in texts:
        path = _inside(text, frame)
        if path is None:
            outside = True
            continue
        kind: PlaceKind = "written" if text == written else "undecorated"
        places.setdefault(path, Place(path, kind, only_unquoted=text in unquoted))
    for text in texts:
        for place in _other_places(text, frame):
            marked = replace(place, only_unquoted=text in unquoted)
            places.setdefault(place.path, marked)
    target = _inside(written, frame)
    if target is None:
        target = join(frame.cwd, written, frame.flavour)
    return Reading(target, tuple(places.values())[:MOST_PLACES], outside)


def _inside(text: str, frame: Frame) -> str | None:
    """Return a path relative to the root; None if it is outside."""
    if frame.flavour == "windows" and text.startswith("/"):  # a drive, as WSL has it
        drive = re.match(_ON_DRIVE, text.lower())
        text = f"{drive[0][-2]}:/{text[drive.end() :]}" if drive else text
    # Behind a link, `..` is the folder above where it leads to.
    if frame.inside and ".." in text and frame.flavour != "windows":
        if not text.startswith("/"):
            text = f"{frame.cwd}/{text}"
        return frame.inside(text)
    # In WSL, `C:\work\a.py` is `/mnt/c/work/a.py`.
    on_drive = frame.flavour == "posix" and re.match(_ON_DRIVE, frame.root)
    if on_drive and re.match(_DRIVE, text):
        path_on_drive = relative_to(text, frame.root, "windows")
        if path_on_drive is not None:
            return path_on_drive
    absolute = join(frame.cwd, text, frame.flavour)
    inside = relative_to(absolute, frame.root, frame.flavour)
    if inside is None and frame.inside:  # it, or the root, may be named through a link
        return frame.inside(absolute)
    return inside


def _other_places(text: str, frame: Frame) -> Iterator[Place]:
    """Yield the other places that a text may mean."""
    plain = normalise(text, frame.flavour)
    inside = _inside(text, frame)
    if plain.count("/") > MOST_FOLDERS:
        return
    to_the_top = "../" * max(1, frame.cwd.count("/"))
    if plain.startswith(to_the_top):  # it is absolute, written the long way
        text = join(frame.cwd, text, frame.flavour)
        plain = text
    if is_absolute(text, frame.flavour):
        if inside is None:
            yield from _foreign(plain, frame)
            return
        # Below the agent's folder, it may be a path from the root that was made
        # absolute there.
        plain = relative_to(plain, frame.cwd, frame.flavour) or inside
    here = relative_to(frame.cwd, frame.root, frame.flavour)
    if here is not None:  # else the agent's folder is outside
        yield from _below(plain, inside, here, frame)
        is_bare = "/" not in text.rstrip("/") and plain not in ("", "..")
        folders = here.split("/") if here and is_bare else []  # `./x` is here
        for length in range(len(folders)):  # those above, outermost first
            path = "/".join((*folders[:length], plain))
            yield Place(path, "above", is_same_path=False)


def _below(plain: str, inside: str | None, here: str, frame: Frame) -> Iterator[Place]:
    """Yield the places of a path in the agent's folder, which is `here`."""
    names = [part for part in plain.split("/") if part != ".."]
    # From the root, where a bare name is another file.
    if here and inside is not None and len(names) > 1:
        climbs = plain.startswith("..")
        yield Place("/".join(names), "from-root", is_same_path=not climbs)
    # From the agent's folder, and from the root.
    for path in dict.fromkeys((plain, inside)):
        if path and not path.startswith(".."):
            yield from _other_beginnings(path, frame)


def _other_beginnings(path: str, frame: Frame) -> Iterator[Place]:
    """Yield the places of a path with a repeated or missing beginning."""
    # Only such a path can be on a drive: for others, nothing is compiled.
    is_whole = path.startswith("/") or path[1:2] == ":"
    if is_whole and frame.flavour == "posix" and re.match(_DRIVE, path):
        for place in _foreign(path[2:], frame):
            yield replace(place, is_same_path=False)
    # `home/ada/acme/docs`: the slash before it is lost.
    slashed = relative_to(f"/{path}", frame.root, "posix")
    if slashed is not None:
        yield Place(slashed, "slashed")
    first, _, rest = path.partition("/")
    if fold(first) == fold(frame.root.rpartition("/")[2]):
        # The project's name alone may be that of a folder to come.
        yield Place(rest, "without-project", is_same_path=bool(rest))
    # One of its repeated folders may be left out.
    parts = path.split("/")
    for length in range(1, len(parts) // 2 + 1):
        for start in range(len(parts) - 2 * length + 1):
            middle = start + length
            end = middle + length
            if parts[start:middle] != parts[middle:end]:
                continue
            # `src/src` is a file or folder in `src`.
            is_last = end == len(parts)
            path = "/".join([*parts[:start], *parts[middle:]])
            yield Place(path, "once", is_same_path=not is_last)


def _misspelt_root(parts: Sequence[str], frame: Frame) -> Iterator[Place]:
    """Yield the place of an absolute path below the root, one folder of which is
    spelled another way: `/home/ann/Projects/amce/src/a.rs`.
    """
    root = frame.root.split("/")
    if len(parts) <= len(root):
        return
    head = parts[: len(root)]
    pairs = zip(head, root, strict=True)
    wrong = [(name, right) for name, right in pairs if name != right]
    # Two wrong folders are another path.
    if len(wrong) == 1 and is_other_spelling(*wrong[0]):
        rest = "/".join(parts[len(root) :])
        yield Place(rest, "root-misspelt", foreign_folder="/".join(head))


def _program_copy(parts: Sequence[str], name: str) -> Iterator[Place]:
    """Yield the place of a path in the copy of a project that a program keeps in its
    own folder: `/home/ann/.claw/workspace/notes/plan.md` for a root `workspace`,
    `/home/ann/.coder/worktrees/a1b2/shop/src/a.ts` for a root `shop`.
    """
    in_copies = False
    for index, part in enumerate(parts[4:-1], 4):
        in_copies = in_copies or fold(part) in _COPIES
        if in_copies and fold(part) == name:
            folder = "/".join(parts[: index + 1])
            rest = "/".join(parts[index + 1 :])
            yield Place(rest, "program-copy", is_same_path=False, foreign_folder=folder)
            return


def _foreign(path: str, frame: Frame) -> Iterator[Place]:
    """Yield the places of an absolute path outside, if it is from another copy of this
    project.

    They begin after a folder with the root's name, or after a usual root in containers;
    else at least three names must remain, because many projects have the same last two.
    """
    path = path.removeprefix(_VOLUME)
    parts = path.split("/")
    yield from _misspelt_root(parts, frame)
    if len(parts) < 2 or fold(parts[1]) in _SYSTEM or not _PACKAGES.isdisjoint(parts):
        return
    name = fold(frame.root.rpartition("/")[2])
    has_owners = fold(parts[1]) in ("home", "users", "mnt", "media", "volumes")
    if has_owners and fold("".join(parts[3:4])).startswith(_OF_PROGRAMS):
        yield from _program_copy(parts, name)
        return
    # A home, a volume, or a top-level folder.
    top = "/".join(parts[: 3 if has_owners else 2])
    is_around_root = f"{frame.root}/".startswith(f"{top}/")
    for length in range(1, len(parts) + 1):
        head = "/".join(parts[:length])
        rest = "/".join(parts[length:])
        if fold(parts[length - 1]) == name:
            yield Place(rest, "same-path", foreign_folder=head)
            return
        if head in CONTAINER_ROOTS:
            yield Place(rest, "same-path", foreign_folder=head)
        elif not head and not has_owners:
            # `/src/a.py`, counted from the project.
            yield Place(rest, "from-root", foreign_folder=top)
        elif len(parts) - length >= 3 and not is_around_root:
            # Not beside the root: there it would be another project of this machine.
            yield Place(rest, "same-path", is_same_path=False, foreign_folder=top)


_OF_PROGRAMS = (".", "appdata", "library")
"""Folders in a home that programs keep files in."""
