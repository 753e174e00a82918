"""Folders beside one another that are instances of one kind: what is missing in one is
not meant in another.

Their names differ by a number, a date, a letter, an environment or a person, or they
share the names of files: `runs/first/` and `runs/second/` have a `metrics.json`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from truepath.paths import fold
from truepath.project.tree import Tree
from truepath.resolve.facts import Facts, origin
from truepath.resolve.likelihood import Match, split_extension
from truepath.resolve.spellings import common

_OF_ANY_FOLDER = frozenset(
    "__init__ mod index doc package-info readme changelog license contributing "
    "code_of_conduct security makefile cmakelists build meson conftest .gitignore "
    ".gitattributes .gitkeep .keep .ds_store".split()
)
"""Stems of files that folders of every kind have."""

_ENVIRONMENTS = (
    "production prod prd live",
    "staging stage stg",
    "development develop devel dev",
    "testing test",
    *"preprod qa uat sandbox local canary preview demo".split(),
    *"eu us uk ap apac emea east west north south central".split(),
    *"january-jan february-feb march-mar april-apr may june-jun july-jul".split(),
    *"august-aug september-sep october-oct november-nov december-dec".split(),
)
"""Words that tell environments, regions or months apart; those of a line are one."""

_ONE_OF: Mapping[str, str] = {
    word: words for words in _ENVIRONMENTS for word in words.replace("-", " ").split()
}

_PEOPLE = frozenset(
    "users people persons customers clients tenants students members employees authors "
    "patients agents accounts teams organizations organisations contacts partners "
    "suppliers owners home".split()
)
"""Last words in the names of folders that have one folder for each person."""

_WORD = r"\d+|[^\W\d_]+"
_LONE_LETTER = r"(?<![^\W_])[^\W\d_](?![^\W_])"
_VERSION = r"v\d+[a-z]*\d*"


_Pair = tuple[str, str, Sequence[str]]
"""A folder that was written, the one beside it that a candidate is in, and the folders
of the candidate below that."""


def is_in_other_instance(match: Match, facts: Facts) -> bool:
    """Return whether a candidate is in another folder of the kind of a written one."""
    for written in facts.literal_paths:
        # All of it was written, with a repeated or a wrong beginning.
        if f"/{written}".endswith(f"/{match.path}"):
            return False
    for pair in _pairs(match, facts):
        # The folders down to the agent's were not written.
        is_agents = f"{facts.here}/".startswith(f"{pair[0]}/") and not facts.is_absolute
        if not is_agents and _are_instances(facts.tree, *pair):
            return True
    return False


def is_in_unnamed_instance(match: Match, facts: Facts) -> bool:
    """Return whether a candidate is in one of several folders of a kind, none of which
    was written: `infra/prod/db/drop.sql`, for `db/drop.sql`.
    """
    written = fold(origin(match)).split("/")
    folders = match.path.split("/")[:-1]
    for end, name in enumerate(folders):
        if fold(name) in written:
            continue
        # A letter says nothing by itself: `src/t/`.
        if len(name) > 1 and _pattern(fold(name)) == "#":
            return True
        for child in facts.tree.children("/".join(folders[:end])):
            if child[-1] == "/" and differ_by_kind(name, child[:-1]):
                return True
    return False


def _pairs(match: Match, facts: Facts) -> Iterator[_Pair]:
    """Yield the first folders in which a candidate differs from what was written,
    counted from the beginning and from the end: `customers/weber/`, for a candidate in
    `customers/jones/` and a path in `customers/weber/`, `weber/` or `custmers/weber/`.
    """
    depth = None if match.folder else -1
    folders = match.path.split("/")[:depth]
    for path in dict.fromkeys((*facts.literal_paths, origin(match))):
        names = path.split("/")[:depth]
        shortest = min(len(names), len(folders))
        first = _common(names, folders)
        last = _common(names[::-1], folders[::-1]) + 1
        if first < shortest:
            yield _pair(folders, first, names[first])
        if last <= shortest:
            yield _pair(folders, len(folders) - last, names[-last])


def _pair(folders: Sequence[str], at: int, name: str) -> _Pair:
    """Return the pair of one of a candidate's folders and the name that was written in
    its place.
    """
    written = "/".join((*folders[:at], name))
    return written, "/".join(folders[: at + 1]), folders[at + 1 :]


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    return common([*map(fold, left)], [*map(fold, right)])


def _are_instances(tree: Tree, written: str, other: str, below: Sequence[str]) -> bool:
    """Return whether two folders beside one another are of one kind."""
    above, _, name = written.rpartition("/")
    if differ_by_kind(name, other.rpartition("/")[2]):
        return True
    # A folder for each person, and nothing else: code has files in its `users/`.
    words = re.findall(_WORD, fold(above.rpartition("/")[2]))
    if words and words[-1] in _PEOPLE and _has_no_own_file(_files(tree, above)):
        return True
    # Or those of one name further down share a file that not every folder has.
    for name in ("", *below):
        written = f"{written}/{name}".rstrip("/")
        other = f"{other}/{name}".rstrip("/")
        if tree.kind(written) != "folder":
            return False
        if not _has_no_own_file(_files(tree, written) & _files(tree, other)):
            return True
    return False


def differ_by_kind(name: str, other: str) -> bool:
    """Return whether two names differ by a number, a date, a letter or an environment
    alone: not `prod` and `production`.
    """
    name = fold(name)
    other = fold(other)
    # Most names tell nothing apart, and no expression is compiled for them.
    if not (_may_tell_apart(name) and _may_tell_apart(other)):
        return False
    return _pattern(name) == _pattern(other) and _words(name) != _words(other)


def _may_tell_apart(name: str) -> bool:
    """Return whether a name has a digit, a letter by itself, or a word for an
    environment.
    """
    parts = "".join(char if char.isalnum() else " " for char in name).split()
    return any(
        len(part) == 1 or part in _ONE_OF or not part.isalpha() for part in parts
    )


def _pattern(name: str) -> str:
    """Return a name with `#` for each part that tells instances apart."""
    if re.fullmatch(_VERSION, name):
        return "#"
    name = re.sub(_LONE_LETTER, "#", name)
    return re.sub(
        _WORD,
        lambda word: "#" if word[0].isdigit() or word[0] in _ONE_OF else word[0],
        name,
    )


def _words(name: str) -> list[str]:
    """Return the words of a name, each environment as all of its words."""
    found = re.findall(_WORD, name)
    return [_ONE_OF.get(word, word.lstrip("0")) for word in found]


def _files(tree: Tree, folder: str) -> set[str]:
    """Return the names of the files in a folder; of a series, what they have in common:
    `#-#-#.json` of `2026-07-10.json`, which is not made yet where the days before it
    are.
    """
    names: set[str] = set()
    for name in tree.children(folder):
        stem, ending = split_extension(name)
        has_letters = re.search(r"[^\W\d]", stem) is not None
        if not name.endswith("/"):
            names.add(name if has_letters else re.sub(r"\d+", "#", stem) + ending)
    return names


def _has_no_own_file(names: set[str]) -> bool:
    """Return whether every folder may have files of some names."""
    return all(split_extension(fold(name))[0] in _OF_ANY_FOLDER for name in names)
