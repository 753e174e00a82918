"""What is known about a question besides its candidates, and which paths on the disk
speak against one.

The rows of `reasons` and `vetoes` ask it; it decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from truepath.paths import fold, key, relative_to
from truepath.project.tree import Tree
from truepath.records import dataclass
from truepath.resolve.likelihood import Match
from truepath.resolve.places import Place, Reading
from truepath.resolve.spellings import Frame
from truepath.types import Kind, Operation

UNREAD = "its history is not known"
"""The note of a path of which git has not told in time, or does not work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known about a question besides its candidates."""

    tree: Tree
    reading: Reading
    frame: Frame
    operation: Operation
    """What is done to the path: the column of both tables."""
    kind: Kind = "any"
    is_absolute: bool = False
    """Whether the path was written with all of its folders."""
    names_complete: bool = True
    history_known: bool = True
    """Whether the history is known, or there is none."""
    fate: str = ""
    """What git tells of the written path: `deleted`, `perhaps` renamed, or nothing."""
    texts: Sequence[str] = ()
    """The texts to be replaced; none if the call names none."""
    holders: Sequence[str] | None = None
    """The files that contain the text to be replaced; None if unknown."""

    namesakes_with_text: Sequence[str] = ()
    """The files of the written name that contain the text to be replaced."""

    @property
    def here(self) -> str | None:
        """The agent's folder, relative to the root; None if it is outside."""
        return relative_to(self.frame.cwd, self.frame.root, self.frame.flavour)

    @property
    def literal_paths(self) -> list[str]:
        """Where the path points, as written and without decorations."""
        return [place.path for place in self.reading.places if place.is_literal]

    def is_held(self, match: Match) -> bool:
        """Return whether a file is known to be the only one with the text to be
        replaced, so that no other path can be meant.
        """
        return self.holders == [match.path]


def is_folder(tree: Tree, path: str) -> bool:
    """Return whether a folder of that name, or one that looks the same, exists."""
    # The disk first: it has empty folders, and of `src` every name may be below.
    if tree.kind(path) == "folder":
        return True
    wanted = fold(path)
    return any(fold(folder) == wanted for folder in tree.names().folders_named(path))


def leaves_folder(tree: Tree, places: Sequence[Place], path: str, frame: Frame) -> bool:
    """Return whether a path is outside a folder that exists as it was written, in any
    literal place. The folders down to the agent's were not written.
    """
    here = relative_to(frame.cwd, frame.root, frame.flavour)
    for place in places:
        if not place.is_literal:
            continue
        start = 0
        if here and place.path.startswith(f"{here}/"):
            start = len(here) + 1
        for folder in folders_above(place.path):
            if len(folder) <= start or _is_around(tree, folder, path):
                continue
            if is_folder(tree, folder):
                return True
            break  # in what is missing, nothing exists
    return False


def folders_above(path: str) -> Iterator[str]:
    """Yield the folders that a path is in, outermost first."""
    for end, char in enumerate(path):
        if char == "/":
            yield path[:end]


def _is_around(tree: Tree, folder: str, path: str) -> bool:
    """Return whether a path is in a folder, or in one that looks the same, unless both
    exist: `x/` is no other case of `X/` beside it.
    """
    if key(f"{path}/", tree.flavour).startswith(key(f"{folder}/", tree.flavour)):
        return True
    looks_so = fold(f"{path}/").startswith(fold(f"{folder}/"))
    return looks_so and tree.kind(folder) != "folder"


def is_outside_written_folder(match: Match, facts: Facts) -> bool:
    """Return whether a candidate is outside a folder that exists as it was written."""
    if "the-path" in match.features:
        return match.place.leaves_folder
    return leaves_folder(facts.tree, facts.reading.places, match.path, facts.frame)


def rivals(match: Match, facts: Facts) -> set[str]:
    """Return the other paths that end in all that was written, for a candidate that
    takes something off it (the side of a diff, the project's name, a repeated folder,
    an `@`) or is written in another case.
    """
    names = facts.tree.names()
    flavour = facts.tree.flavour
    found: set[str] = set()
    for end in _ends(match, facts):
        # The names are found in any case; on a disk that knows cases, that is another
        # file.
        suffix = key(f"/{end}", flavour)
        for path in (*names.ends_with(end), *names.folders_named(end)):
            if key(f"/{path}", flavour).endswith(suffix):
                found.add(path)
    return found - {match.path, origin(match)}


def _ends(match: Match, facts: Facts) -> set[str]:
    """Return what a rival of a candidate ends in."""
    place = match.place
    if place.is_literal and place.only_unquoted:
        return {place.path} if "path-in-other-case" in match.features else set()
    here = facts.here
    from_agent = place.kind == "from-root" and match.path.startswith(f"{here}/")
    # From the root, a path into the agent's folder begins with all of that folder.
    agents = "" if match.path == here or from_agent else f"{here}/"
    paths = facts.literal_paths
    # Of those from which something is taken off.
    longer = [path for path in paths if len(path) > len(origin(match))]
    ends = {path.removeprefix(agents) for path in longer}
    ends |= {end.lstrip("@/") for end in ends if "/" in end}  # `@ui/a.ts` is an alias
    if "path-in-other-case" in match.features and place.is_literal:
        ends.add(place.path)
    return ends


def origin(match: Match) -> str:
    """Return the path that was written, or is left of it."""
    return match.place.before_rename or match.place.path
