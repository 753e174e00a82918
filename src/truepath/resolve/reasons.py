"""The table of reasons, which alone decides whether a candidate is used, shown or
named.

A reason is why a path is a candidate; its row tells what may be done, if the candidate
is also likely enough (`likelihood`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from truepath.paths import fold
from truepath.records import dataclass
from truepath.resolve.likelihood import (
    Match,
    in_other_number,
    is_generic,
    parting,
    table,
)
from truepath.resolve.places import ABOVE, LITERAL, ONCE
from truepath.types import READS, Kind, Operation, Permit

CORRECTED_FROM = 0.9
"""The likelihood (0 to 1) from which a candidate is used in place of the written
path."""

ASSUMED_FROM = 0.55
"""The likelihood from which a candidate is shown to a call that looks, or used under
`recover`."""

AHEAD = 2.0
"""How many times as likely as the next candidate it must be for that."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known about a question besides its candidates."""

    operation: Operation
    """The strictest operation: the column of the table."""
    kind: Kind
    is_folder: Callable[[str], bool]
    outside: bool
    """Whether the written path points outside: then a candidate inside is only looked
    at."""
    settled: bool
    """Whether the names are complete and the history was read in time."""
    whole: bool = True
    """Whether the names are complete."""
    gone: str = ""
    """`perhaps` renamed: then nothing else is changed; `deleted`: nor shown, if it is
    elsewhere."""
    doubts: Callable[[Match], set[str]] = lambda _: set()
    """The other paths that may be meant, by the disk or git, than that of a match."""
    holders: Sequence[str] | None = None
    """The files that contain the text to be replaced; None if unknown."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A row of the table. A cell is "corrected", "recover" (only that policy),
    "assumed" or "".
    """

    name: str
    has: Callable[[Match, Known], bool]
    cells: Mapping[str, str]
    """Column -> cell; without the empty ones."""
    sentence: str

    def cell(self, operation: Operation) -> str:
        """Return what the row permits for an operation; nothing for one that creates a
        path.
        """
        return self.cells.get("look" if operation in READS else operation, "")


def _is_the_path(match: Match, known: Known) -> bool:
    other_case = "path-in-other-case" in match.features and not known.doubts(match)
    found = other_case or "the-path" in match.features
    # `cd src` in `src`: the agent believes that it is in another folder.
    entered = known.kind == "folder" and match.place.why == ONCE
    return found and (match.place.same or entered) and not match.place.past


def _was_renamed(match: Match, _: Known) -> bool:
    return (
        "the-path" in match.features
        and match.place.past == "renamed"
        and match.place.same
    )


def _holds_text(match: Match, _: Known) -> bool:
    return match.place.past == "contents"


def _is_below(match: Match, known: Known) -> bool:
    whole = {"same-name", "below-other-folders"} <= match.features.keys()
    whole = whole and match.place.why in LITERAL
    return whole and not known.is_folder(match.place.path.partition("/")[0])


def _is_in_other_number(match: Match, known: Known) -> bool:
    few, many = sorted(
        (fold(path.rpartition("/")[2]) for path in _parting(match)), key=len
    )
    return (
        _has_other_folder(match, known)
        and few in NUMBERED
        and in_other_number(few, many)
    )


def _has_other_folder(match: Match, known: Known) -> bool:
    one = {
        "same-name",
        "folder-misspelt",
    } <= match.features.keys() and match.place.why in LITERAL
    return one and not known.is_folder(_parting(match)[0])


def _is_only_one(match: Match, _: Known) -> bool:
    only = {"same-name", "only-one-of-name"} <= match.features.keys()
    return only and not is_generic(match.path.rpartition("/")[2]) and match.place.same


def _parting(match: Match) -> tuple[str, str]:
    """Return the first folders in which the written path and the candidate differ."""
    wanted, got = match.place.path, match.path
    return parting(wanted, got), parting(got, wanted)


NUMBERED = frozenset(
    "test doc spec example script util helper component model service type lib config "
    "asset tool page route view template plugin hook package fixture migration schema "
    "style image icon resource controller handler command provider store layout "
    "widget form module feature app api "
    "client server job worker task event error constant interface domain entity repository".split()
)
"""Folder names whose singular and plural mean the same. Not all words: `adam` and
`adams`, or `new` and `news`, are different."""

COLUMNS = ("look", "copy", "execute", "edit", "move", "delete")
_USED = dict.fromkeys(COLUMNS[:-1], "corrected")

REASONS = (
    Reason(
        "spelling",
        _is_the_path,
        {**_USED, "delete": "recover"},
        (
            "the path itself: decorations undone, its beginning repaired, other case "
            "or Unicode form"
        ),
    ),
    Reason(
        "renamed",
        _was_renamed,
        _USED,
        "git records its rename to this path, with the same file name, and nothing "
        "else in that commit could have been renamed instead",
    ),
    Reason(
        "contents",
        _holds_text,
        {"look": "corrected", "edit": "corrected"},
        "the only file that contains the text to be replaced, with the written name, "
        "in a folder above or below the written one",
    ),
    Reason(
        "leading-folders",
        _is_below,
        _USED,
        "leading folders left out: the only path that ends with the whole written path",
    ),
    Reason(
        "folder-number",
        _is_in_other_number,
        _USED,
        "one folder in singular instead of plural or the reverse (test, tests; "
        "common names only), where the written one does not exist",
    ),
    Reason(
        "folder-misspelt",
        _has_other_folder,
        {**dict.fromkeys(_USED, "recover"), "look": "assumed"},
        "one folder misspelt by a letter or two, where the written one does not exist",
    ),
    Reason(
        "only-name",
        _is_only_one,
        {"look": "assumed", "copy": "recover", "move": "recover"},
        "the only file with a specific name, elsewhere",
    ),
    Reason(
        "near",
        lambda _, __: True,
        {"look": "assumed"},
        "another form of the name in the same folder, a rename that changed the "
        "name, a folder that moved, a similar name",
    ),
)
"""The table: the first row that applies counts. Paths that are never candidates
(ignored, denied, secret, outside, or behind a link to outside) are those that
`Tree.may_name` excludes."""

GENERATED = frozenset(
    "node_modules .venv venv site-packages dist build target out generated .next "
    ".cache "
    "__pycache__ coverage vendor vendored third_party thirdparty".split()
)
"""Folders of generated or installed files, which are meant only if they are written."""

PUT_AWAY = frozenset(
    "backup backups bak old prev previous orig original copy copies saved archive "
    "archives archived legacy deprecated obsolete outdated attic trash stash disabled "
    "unused removed "
    "deleted retired graveyard junk".split()
)
"""Words in the names of folders of files that are no longer worked on."""

SET_ASIDE = PUT_AWAY | frozenset(
    "tmp temp scratch wip draft drafts snapshot snapshots history demo demos "
    "sandbox playground "
    "example examples sample samples template templates fixture fixtures mock mocks".split()
)
"""Words in the names of folders of copies, which are never used because of their names
alone."""

_OPTIONAL = (
    r"\.[^.]+rc(\..+)?|\.env.*|\.\w+ignore|.+\.config\.\w+|tsconfig\..*|.+\.(ini|cfg)"
)
"""Optional files of a folder, for which another folder's are no answer."""


def reason_of(match: Match, known: Known) -> Reason:
    """Return the first row of the table that applies to a candidate."""
    return next(reason for reason in REASONS if reason.has(match, known))


def permits(ranked: Sequence[tuple[Match, float]], known: Known) -> Permit:
    """Return what may be done with the first of the ranked candidates."""
    if not ranked:
        return "named"
    (best, chance), second = ranked[0], ranked[1][1] if len(ranked) > 1 else 0.0
    reason, looks = reason_of(best, known), known.operation in READS
    cell = _permitted(best, reason, known)
    unlike = known.kind != "any" and (known.kind == "folder") != best.folder
    if not cell or unlike or is_only_named(best):
        return "named"
    single = sum(reason_of(match, known) is reason for match, _ in ranked) == 1
    by_git = best.place.past in ("renamed", "supposed")
    if by_git and any(_is_the_path(match, known) for match, _ in ranked):
        return "named"  # git and the disk lead to different files
    itself = reason.name in ("spelling", "renamed")
    holds = itself or known.holders is None or best.path in known.holders
    if cell == "corrected" and single and holds and chance >= CORRECTED_FROM:
        return "corrected"
    if chance < ASSUMED_FROM or chance < AHEAD * second:
        return "named"
    return (
        "assumed" if looks else "recover" if cell == "recover" and single else "named"
    )


def _permitted(match: Match, reason: Reason, known: Known) -> str:
    """Return the cell of the table, restricted where other evidence is stronger or
    incomplete.
    """
    cell, looks = reason.cell(known.operation), known.operation in READS
    itself, deleted = reason.name == "spelling", known.gone == "deleted"
    added = not match.place.plain and known.operation in ("move", "delete")
    if (
        added
        or (deleted and "same-name" in match.features)
        or not (known.whole or itself)
    ):
        return ""
    alike = reason.name not in ("spelling", "renamed", "contents")
    unsure = known.outside or deleted or not (known.settled or itself)
    doubts = known.doubts(match) if known.holders != [match.path] else ()
    if unsure or doubts or (alike and is_in(SET_ASIDE, match)):
        return "assumed" if looks and cell else ""
    away = known.operation != "copy" and is_in(PUT_AWAY, match)
    return cell if looks or not (known.gone or away) else ""


def is_in(words: frozenset[str], match: Match) -> bool:
    """Return whether a match is in a folder with one of the words, and the written path
    is not.
    """
    paths = (match.path, match.place.was or match.place.path)
    got, wanted = (
        {*re.split(r"[\W_\d]", fold(path.rpartition("/")[0]))} for path in paths
    )
    return not words.isdisjoint(got - wanted)


def is_only_named(match: Match) -> bool:
    """Return whether a file is only named: a generated one, another folder's optional
    one, or one with a different number.
    """
    folders, written = (
        fold(path).split("/")[:-1] for path in (match.path, match.place.path)
    )
    name, wanted = (
        fold(path.rpartition("/")[2]) for path in (match.path, match.place.path)
    )
    optional = re.fullmatch(_OPTIONAL, name)
    made = not GENERATED.isdisjoint({*folders} ^ {*written})
    numbered = name != wanted and re.sub(r"\d+", "0", name) == re.sub(
        r"\d+", "0", wanted
    )
    own = folders == written and match.place.why != ABOVE
    return made or numbered or (optional is not None and not own)


def why(match: Match) -> str:
    """Return why a path is a candidate, in words."""
    supposed = [match.place.why] if match.place.why else []
    if supposed and "the-path" in match.features:
        return supposed[0]
    known = [
        said for name, (_, said) in table()["for"].items() if name in match.features
    ]
    if "path-in-other-case" in match.features and not match.path.isascii():
        from unicodedata import normalize

        if normalize("NFC", match.place.path) == normalize("NFC", match.path):
            known = ["looks the same, in another Unicode form"]
    return ", ".join([*supposed, *known][:3])
