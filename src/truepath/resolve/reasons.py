"""The table of reasons: why a path is a candidate, and what that permits.

The table of `vetoes` says what holds a candidate back; together they alone decide
whether one is used, shown or named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from truepath import TYPE_CHECKING, Late
from truepath.paths import fold, key
from truepath.records import dataclass
from truepath.resolve.facts import Facts, is_folder
from truepath.resolve.likelihood import (
    Match,
    folder_left,
    is_generic,
    is_index,
)
from truepath.resolve.places import WORDS
from truepath.resolve.spellings import in_other_number
from truepath.types import MAKES, READS, Operation

if TYPE_CHECKING:
    import unicodedata
else:
    unicodedata = Late("unicodedata")

COLUMNS = ("look", "copy", "execute", "edit", "move", "delete", "make")
"""What may be done to a path: look is read, list and search; make is write and
mkdir."""


def column_of(operation: Operation) -> str:
    """Return the column of both tables for an operation."""
    if operation in READS:
        return "look"
    return "make" if operation in MAKES else operation


@dataclass(frozen=True, slots=True)
class Reason:
    """A row of the table. A cell is "corrected", "recover" (only that policy),
    "assumed" or "" (named).
    """

    name: str
    has: Callable[[Match, Facts], bool]
    cells: Mapping[str, str]
    """Column -> cell; without the empty ones."""
    sentence: str
    words: str = ""
    """Why a path is a candidate, where its place does not say it: what an agent reads
    beside it."""

    def cell(self, operation: Operation) -> str:
        """Return what the row permits for an operation; empty if the path is only
        named.
        """
        return self.cells.get(column_of(operation), "")


def _is_the_path(match: Match, facts: Facts) -> bool:
    place = match.place
    # What git or the text says is a reason of its own.
    if place.evidence or {"the-path", "path-in-other-case"}.isdisjoint(match.features):
        return False
    # `cd src` in `src`: the agent believes that it is in another folder.
    is_entered = facts.kind == "folder" and place.kind == "once"
    return place.is_same_path or is_entered


def _is_known_by(evidence: str) -> Callable[[Match, Facts], bool]:
    """Return the finder of candidates that something besides the text surely says."""

    def has(match: Match, _: Facts) -> bool:
        place = match.place
        is_sure = place.evidence == evidence and place.is_same_path
        return is_sure and "the-path" in match.features

    return has


def _is_below(match: Match, facts: Facts) -> bool:
    is_whole = {"same-name", "below-other-folders"} <= match.features.keys()
    place = match.place
    # A decoration that is taken off, and folders that are added, are two guesses.
    if not is_whole or not place.is_literal or not place.only_unquoted:
        return False
    end = key(f"/{place.path}", facts.tree.flavour)
    if not key(match.path, facts.tree.flavour).endswith(end):
        return False  # `A/x.json` is no `a/x.json` where cases differ
    # Where the first written folder exists, nothing was left out before it.
    return not is_folder(facts.tree, place.path.partition("/")[0])


def _is_in_misspelt_folder(
    match: Match, facts: Facts, *, by_number: bool = False
) -> bool:
    written = match.place.path
    is_misspelt = {"same-name", "folder-misspelt"} <= match.features.keys()
    if not is_misspelt or not match.place.is_literal:
        return False
    left = folder_left(written, match.path)
    if is_folder(facts.tree, left):
        return False
    pair = (left, folder_left(match.path, written))
    names = [fold(folder.rpartition("/")[2]) for folder in pair]
    few, many = sorted(names, key=len)
    return not by_number or (few in NUMBERED and in_other_number(few, many))


def _has_folders_inserted(match: Match, _: Facts) -> bool:
    if "same-name" not in match.features or not match.place.is_literal:
        return False
    written_top, *written = match.place.path.split("/")
    top, *folders = match.path.split("/")
    # A bare name was not written with any folder.
    if written_top != top or not len(folders) > len(written) > 0:
        return False
    rest = iter(folders)
    return all(folder in rest for folder in written)  # `in` takes what it passes


def _is_only_one(match: Match, facts: Facts, *, with_text: bool = False) -> bool:
    is_telling = not is_generic(match.path.rpartition("/")[2])
    if with_text:
        # Of a name that many folders have, a text tells nothing that others have too.
        is_one = list(facts.namesakes_with_text) == [match.path]
        return is_one and (is_telling or facts.is_held(match))
    is_one = {"same-name", "only-one-of-name"} <= match.features.keys()
    is_there = match.place.is_same_path and not match.place.leaves_folder
    return is_one and is_telling and is_there


NUMBERED = frozenset(
    "test doc spec example script util helper component model service type lib config "
    "asset tool page route view template plugin hook package fixture migration schema "
    "style image icon resource controller handler command provider store layout widget "
    "form module feature app api client server job worker task event error constant "
    "interface domain entity repository".split()
)
"""Folder names whose singular and plural mean the same. Not all words: `adam` and
`adams`, or `new` and `news`, are different."""

_USED = dict.fromkeys(("look", "copy", "execute", "edit", "move"), "corrected")
_RECOVERED = dict.fromkeys(("copy", "execute", "edit", "move"), "recover")
_MADE = {"make": "recover"}

REASONS = (
    Reason(
        "mapped",
        _is_known_by("mapped"),
        {"look": "corrected", "edit": "corrected"},
        "a file of the project (Compose, a dev container) or a setting maps its folder "
        "of a container to this one",
    ),
    Reason(
        "spelling",
        _is_the_path,
        {**_USED, **_MADE, "delete": "recover"},
        "the path itself: decorations undone, its beginning repaired, other case or "
        "Unicode form",
    ),
    Reason(
        "renamed",
        _is_known_by("renamed"),
        {**_USED, **_MADE},
        "git records its rename to this path, unchanged, and nothing else could have "
        "been renamed instead: with another file name, no other file has either name "
        "or the content",
    ),
    Reason(
        "contents",
        _is_known_by("contents"),
        {"look": "corrected", "edit": "corrected"},
        "the only file that contains the text to be replaced, with the written name, "
        "in a folder above or below the written one",
    ),
    Reason(
        "leading-folders",
        _is_below,
        _USED,
        "leading folders left out: the only path that ends with the whole written path",
        words="folders left out",
    ),
    Reason(
        "folder-number",
        partial(_is_in_misspelt_folder, by_number=True),
        {**_USED, **_MADE},
        "one folder in singular instead of plural or the reverse (test, tests; common "
        "names only), where the written one does not exist",
        words="folder spelled differently",
    ),
    Reason(
        "folder-misspelt",
        _is_in_misspelt_folder,
        {**_RECOVERED, "look": "assumed"},
        "one folder misspelt by a letter or two, where the written one does not exist",
        words="folder spelled differently",
    ),
    Reason(
        "text-in-namesake",
        partial(_is_only_one, with_text=True),
        {"look": "assumed", "edit": "recover"},
        "the only file of the written name that contains the text to be replaced",
        words="the only one with the text",
    ),
    Reason(
        "folders-inserted",
        _has_folders_inserted,
        {**_RECOVERED, "look": "assumed"},
        "further down: every written folder in its order, others between them, and the "
        "same name",
        words="further down",
    ),
    Reason(
        "only-name",
        _is_only_one,
        {"look": "assumed", "copy": "recover", "move": "recover"},
        "the only file with a specific name, elsewhere",
        words="the only one of its name",
    ),
    Reason(
        "near",
        lambda _, __: True,
        {"look": "assumed"},
        "another form of the name in the same folder, a rename that changed the name, "
        "a folder that moved, a similar name",
    ),
)
"""The table: the first row that applies counts. Paths that are never candidates
(ignored, denied, secret, outside, or behind a link to outside) are those that
`Tree.may_name` excludes."""

ROWS: Mapping[str, Reason] = {reason.name: reason for reason in REASONS}


def reason_of(match: Match, facts: Facts) -> Reason:
    """Return the first row of the table that applies to a candidate."""
    return next(reason for reason in REASONS if reason.has(match, facts))


_RELATIONS = {
    "same-name": "same name",
    "related-extension": "other extension",
    "name-in-other-form": "a similar name",
    "letters-wrong": "a similar name",
    "part-of-name": "a similar name",
}
"""Feature of a name -> words."""


def words_of(match: Match, reason: Reason) -> str:
    """Return why a path is a candidate, in words that an answer has whole."""
    place = match.place
    if "the-path" in match.features:
        return place.words or WORDS["undecorated"]
    if place.evidence:
        return place.words
    if "path-in-other-case" in match.features:
        return _other_form(place.path, match.path)
    if "package" in match.features:
        inner = is_index(match.path.rpartition("/")[2])
        return "the module is a folder" if inner else "the module is a file"
    if reason.words:
        return reason.words
    relations = [words for name, words in _RELATIONS.items() if name in match.features]
    return relations[0] if relations else place.words


def _other_form(written: str, path: str) -> str:
    """Return how two paths that look the same differ, in words."""
    if written.lower() == path.lower():
        return "different case"

    forms = {unicodedata.normalize("NFC", text) for text in (written, path)}
    return "other blanks or signs" if len(forms) > 1 else "another Unicode form"
