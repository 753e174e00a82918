"""What is known about a question besides its candidates, and which paths on the disk
speak against one.

The rows of `reasons` and `vetoes` ask it; it decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from truepath.paths import fold, key, relative_to
from truepath.project.tree import Tree
from truepath.records import dataclass
from truepath.resolve.likelihood import Match, folder_left
from truepath.resolve.places import Place, Reading
from truepath.resolve.spellings import Frame
from truepath.types import Kind, Operation


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

    def is_folder(self, path: str) -> bool:
        """Return whether a folder of that name, or one that looks the same, exists."""
        return is_folder(self.tree, path)

    def is_agents(self, folder: str) -> bool:
        """Return whether the agent works in a folder, so that it was not written."""
        return not self.is_absolute and f"{self.here}/".startswith(f"{folder}/")

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
        for folder in _folders(place.path, start):
            is_around = _is_around(tree, folder, path)
            # In what is missing, nothing exists.
            if not is_around and not is_folder(tree, folder):
                break
            if not is_around:
                return True
    return False


def _folders(path: str, start: int) -> Iterator[str]:
    """Yield the folders that a path is in, those that end behind `start`."""
    for end, char in enumerate(path):
        if char == "/" and end > start:
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


def fuller_paths(match: Match, facts: Facts) -> set[str]:
    """Return the paths that end in all that was written, for a candidate that takes
    something off it (the side of a diff, the project's name, a repeated folder, an `@`)
    or is written in another case.
    """
    fuller: set[str] = set()
    if "path-in-other-case" in match.features and match.place.is_literal:
        fuller.update(_ending_in(match.place.path, facts.tree))
    for _, whole in _taken_from(match, facts):
        ends = {whole}
        if "/" in whole:
            ends.add(whole.lstrip("@/"))  # `@ui/a.ts` is an alias
        for end in ends:
            fuller.update(_ending_in(end, facts.tree))
    return fuller - {match.path, origin(match)}


def _ending_in(end: str, tree: Tree) -> Iterator[str]:
    """Yield the files and folders whose paths end in a text."""
    names = tree.names()
    # The names are found in any case; on a disk that knows cases, that is another file.
    suffix = key(f"/{end}", tree.flavour)
    for path in (*names.ends_with(end), *names.folders_named(end)):
        if key(f"/{path}", tree.flavour).endswith(suffix):
            yield path


def rivals(match: Match, facts: Facts) -> set[str]:
    """Return the other paths that may be meant, by what was written."""
    return fuller_paths(match, facts)


def origin(match: Match) -> str:
    """Return the path that was written, or is left of it."""
    return match.place.before_rename or match.place.path


def _taken_from(match: Match, facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield each literal path that a candidate takes something off, parted into the
    agent's folder and what was written below it.
    """
    place = match.place
    here = facts.here
    if place.is_literal and place.only_unquoted:
        return
    from_agent = place.kind == "from-root" and match.path.startswith(f"{here}/")
    # From the root, a path into the agent's folder begins with all of that folder.
    is_whole = match.path == here or from_agent
    for written in facts.literal_paths:
        if len(written) <= len(origin(match)):
            continue  # nothing is taken off
        whole = written if is_whole else written.removeprefix(f"{here}/")
        yield written.removesuffix(whole), whole


def folder_left_by(match: Match) -> str:
    """Return the first written folder that a candidate is not in."""
    return folder_left(match.place.path, match.path)
