"""Whether the new folder of a path about to be made is a typo of an existing one.

A write makes missing folders without a word, so a slip there is the one mistake that no error
reveals. Nothing is ever redirected to another file; the answer only names the folder next to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from truepath.likeness import edits
from truepath.paths import fold
from truepath.records import dataclass
from truepath.resolve.typos import is_misspelt, typo
from truepath.resolve.words import is_word, words_of

if TYPE_CHECKING:
    from truepath.project.layered_names import ProjectNames

Folders = Callable[[str], Sequence[str]]
"""Given a root-relative folder, the names of the folders directly in it."""

PROGRAMS = frozenset(
    ".agents .aider .amp .augment .circleci .claude .clinerules .codex .config .continue .copilot "
    ".crush .cursor .devcontainer .devin .factory .gemini .git .gitea .github .gitlab .goose "
    ".husky .idea .junie .kilocode .kiro .opencode .qwen .roo .trae .vscode .windsurf .zed".split()
)
"""Folders that programs look for under this very name, several of which hold the same folders."""


@dataclass(frozen=True, slots=True)
class Slip:
    """A new folder that looks like an existing one."""

    made: str
    """The folder that would be made, root-relative."""
    meant: str
    """The folder that is there, root-relative."""
    path: str
    """The whole path with the one replaced by the other."""
    evidence: str

    def is_other_word(self, names: ProjectNames) -> bool:
        """Return whether what was written is another word of the project's names, and no slip."""
        if self.evidence != "one-letter":
            return False
        made, meant = (path.rpartition("/")[2] for path in (self.made, self.meant))
        return typo(made, meant, words_of(names)) != "misspelt"


def find_slip(path: str, folders: Folders, *, last_is_folder: bool) -> Slip | None:
    """Return the slip in `path`, if the first folder it would make looks like a sibling.

    Args:
        path: Root-relative, not there.
        folders: Lists the folders in a folder.
        last_is_folder: Whether the last segment is a folder too (mkdir), not a file.
    """
    parts = path.split("/")
    made = parts if last_is_folder else parts[:-1]
    parent: list[str] = []
    for at, name in enumerate(made):
        siblings = folders("/".join(parent))
        if name in siblings:
            parent.append(name)
            continue
        match = _sibling(name, siblings, made[at + 1 :], "/".join(parent), folders)
        if match is None:
            return None
        sibling, evidence = match
        return Slip(
            made="/".join([*parent, name]),
            meant="/".join([*parent, sibling]),
            path="/".join([*parent, sibling, *parts[at + 1 :]]),
            evidence=evidence,
        )
    return None


def _sibling(
    name: str, siblings: Sequence[str], below: Sequence[str], parent: str, folders: Folders
) -> tuple[str, str] | None:
    """Return the one sibling that `name` is a slip of, and why."""
    if name in PROGRAMS:
        return None
    for evidence, alike in (
        ("case", _same_but_case),
        ("separators", _same_but_separators),
        ("one-letter", _slip_of),
        ("cut-off", _cut_off),
    ):
        matches = [each for each in siblings if alike(name, each)]
        if len(matches) == 1:
            return None if _rivals(name, matches[0], siblings) else (matches[0], evidence)
        if matches:
            return None
    if not below or not name.startswith("."):
        return None
    prefix = f"{parent}/" if parent else ""
    hidden = [each for each in siblings if each.startswith(".")]
    matches = [each for each in hidden if below[0] in folders(prefix + each)]
    return (matches[0], "same-below") if len(matches) == 1 else None


def _rivals(name: str, match: str, siblings: Sequence[str]) -> bool:
    """Return whether another sibling is as near by its letters: here any difference counts."""
    wrong = fold(name)
    count = edits(wrong, fold(match), 2)
    if count > 2 or len(name) <= 2:
        return False
    others = (fold(each) for each in siblings if each != match)
    return any(edits(wrong, other, count) <= count for other in others)


def _same_but_case(name: str, sibling: str) -> bool:
    return fold(name) == fold(sibling)


def _same_but_separators(name: str, sibling: str) -> bool:
    """`body_models` for `body-models`; a sign at an end (`_build`, `@types`) makes another name."""
    return _ends(name) == _ends(sibling) and _letters(name) == _letters(sibling)


def _slip_of(name: str, sibling: str) -> bool:
    return is_misspelt(name, sibling, is_word)


def _cut_off(name: str, sibling: str) -> bool:
    """`w` for `work`: a beginning too short to be a name of its own."""
    return len(name) <= 2 < len(sibling) and sibling.isalpha() and _begins(sibling, name)


def _begins(sibling: str, name: str) -> bool:
    return name.isalpha() and fold(sibling).startswith(fold(name))


_SIGNS = re.compile(r"^[\W_]*|[\W_]*$")


def _letters(name: str) -> str:
    return "".join(char for char in fold(name) if char.isalnum())


def _ends(name: str) -> list[str]:
    """Return the signs that `name` begins and ends with."""
    return _SIGNS.findall(name)
