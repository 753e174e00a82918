"""The reasons for which a path may be used, shown or named: one table, and nothing else decides.

A reason says why a candidate is one. Its row says what may be done; how likely the
candidate is (`likelihood`) must suffice as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from truepath.paths import fold
from truepath.records import dataclass
from truepath.resolve.likelihood import Match, in_other_number, is_generic, parting, table
from truepath.resolve.places import ONCE, UNDECORATED
from truepath.types import READS, Kind, Operation, Permit

CORRECTED_FROM = 0.9
"""The likelihood (0 to 1) from which a path is used in place of the written one."""

ASSUMED_FROM = 0.55
"""The likelihood from which a path is shown to a call that looks, or used under `recover`."""

AHEAD = 2.0
"""How many times as likely as the next it must be for that."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a question beside its candidates."""

    operation: Operation
    """The strictest thing that is done: the column of the table."""
    kind: Kind
    is_folder: Callable[[str], bool]
    outside: bool
    """Whether the written path points outside: what lies inside is looked at, and no more."""
    settled: bool
    """Whether the names are complete, and history was read in time."""
    gone: bool = False
    """Whether history says that it was deleted or became another: nothing else is changed then."""
    holders: Sequence[str] | None = None
    """The files that hold the text to be replaced; None where that is not known."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A row of the table. A cell is "corrected", "recover" (under that policy), "assumed" or ""."""

    name: str
    sentence: str
    has: Callable[[Match, Known], bool]
    look: str
    copy: str = ""
    execute: str = ""
    edit: str = ""
    move: str = ""
    delete: str = ""

    def cell(self, operation: Operation) -> str:
        """Return what the row permits for an operation; a new path is never led to another."""
        if operation in ("write", "mkdir"):
            return ""
        permitted: str = getattr(self, "look" if operation in READS else operation)
        return permitted


def _is_the_path(match: Match, known: Known) -> bool:
    found = not match.features.keys().isdisjoint(("the-path", "path-in-other-case"))
    # `cd src` in `src`: who goes on from there thinks that it is elsewhere.
    entered = known.kind == "folder" and match.place.why == ONCE
    return found and (match.place.same or entered) and not match.place.past


def _was_renamed(match: Match, _: Known) -> bool:
    return "the-path" in match.features and match.place.past == "renamed" and match.place.same


def _holds_text(match: Match, _: Known) -> bool:
    return match.place.past == "contents"


def _is_below(match: Match, known: Known) -> bool:
    whole = {"same-name", "below-other-folders"} <= match.features.keys()
    return whole and _is_literal(match) and not known.is_folder(match.place.path.partition("/")[0])


def _is_in_other_number(match: Match, known: Known) -> bool:
    few, many = sorted((fold(path.rpartition("/")[2]) for path in _parting(match)), key=len)
    return _has_other_folder(match, known) and few in NUMBERED and in_other_number(few, many)


def _has_other_folder(match: Match, known: Known) -> bool:
    one = {"same-name", "folder-misspelt"} <= match.features.keys()
    return one and _is_literal(match) and not known.is_folder(_parting(match)[0])


def _is_only_one(match: Match, _: Known) -> bool:
    only = {"same-name", "only-one-of-name"} <= match.features.keys()
    return only and not is_generic(match.path.rpartition("/")[2]) and match.place.same


def _is_literal(match: Match) -> bool:
    """Return whether nothing but decorations was supposed of the written path."""
    return match.place.why in ("", UNDECORATED)


def _parting(match: Match) -> tuple[str, str]:
    """Return the folders in which the written path and the candidate part."""
    wanted, got = match.place.path, match.path
    return parting(wanted, got), parting(got, wanted)


def _row(name: str, has: Callable[[Match, Known], bool], cells: str, sentence: str) -> Reason:
    return Reason(name, sentence, has, *(cell.strip("-") for cell in cells.split()))


NUMBERED = frozenset(
    "test doc spec example script util helper component model service type lib config asset tool "
    "page route view template plugin hook package fixture migration schema style image icon "
    "resource controller handler command provider store layout widget form module feature app api "
    "client server job worker task event error constant interface domain entity repository".split()
)
"""Folders that are named in the singular or in the plural and are the same thing. Not all words:
`adam` and `adams`, `new` and `news` are two."""

_USED = "corrected " * 5  # look, copy, execute, edit, move; the last cell is delete

REASONS = (
    _row(
        *("spelling", _is_the_path, _USED + "recover"),
        "the path itself: decorations undone, its beginning repaired, other case or Unicode form",
    ),
    _row(
        *("renamed", _was_renamed, _USED),
        "git records that it became this, under the same file name, and nothing else in that "
        "commit could have been its partner",
    ),
    _row(
        *("contents", _holds_text, "corrected - - corrected"),
        "the only file that holds the text to be replaced, of the written name, in a folder around "
        "or below the written one",
    ),
    _row(
        *("leading-folders", _is_below, _USED),
        "leading folders left out: the only path that ends in all that was written",
    ),
    _row(
        *("folder-number", _is_in_other_number, _USED),
        "one folder in the other number (test, tests; names of that kind alone), where the written "
        "one does not exist",
    ),
    _row(
        *("folder-misspelt", _has_other_folder, "assumed recover recover recover recover"),
        "one folder misspelt by a letter or two, where the written one does not exist",
    ),
    _row(
        *("only-name", _is_only_one, "assumed recover - - recover"),
        "the only file of a telling name, elsewhere",
    ),
    _row(
        *("near", lambda _, __: True, "assumed"),
        "another form in the same folder, a rename that changed the name, a folder that moved, a "
        "name that is near",
    ),
)
"""The table: the first row that fits counts. What is never a candidate at all, `Tree.may_name`
says: ignored, denied, secret, outside, or reached through a link that leads out."""

GENERATED = frozenset(
    "node_modules .venv venv site-packages dist build target out generated .next .cache "
    "__pycache__ coverage vendor".split()
)
"""Folders whose files are made or installed: nobody means one of them who does not write it."""

_OPTIONAL = r"\.[^.]+rc(\..+)?|\.env.*|\.\w+ignore|.+\.config\.\w+|tsconfig\..*|.+\.(ini|cfg)"
"""Files that a folder may have or not; another folder's are no answer."""


def reason_of(match: Match, known: Known) -> Reason:
    """Return the first row of the table that a candidate has."""
    return next(reason for reason in REASONS if reason.has(match, known))


def permits(ranked: Sequence[tuple[Match, float]], known: Known) -> Permit:
    """Return what may be done with the first of the ranked candidates."""
    if not ranked:
        return "named"
    (best, chance), second = ranked[0], ranked[1][1] if len(ranked) > 1 else 0.0
    reason, looks = reason_of(best, known), known.operation in READS
    cell = _permitted(reason, known)
    unlike = known.kind != "any" and (known.kind == "folder") != best.folder
    if not cell or unlike or is_only_named(best):
        return "named"
    single = sum(reason_of(match, known) is reason for match, _ in ranked) == 1
    itself = reason.name in ("spelling", "renamed")
    holds = itself or known.holders is None or best.path in known.holders
    if cell == "corrected" and single and holds and chance >= CORRECTED_FROM:
        return "corrected"
    if chance < ASSUMED_FROM or chance < AHEAD * second:
        return "named"
    return "assumed" if looks else "recover" if cell == "recover" and single else "named"


def _permitted(reason: Reason, known: Known) -> str:
    """Return the cell of the table, less what is not known or lies outside."""
    cell, looks = reason.cell(known.operation), known.operation in READS
    if known.outside:
        return "assumed" if looks and cell else ""
    changes = not known.gone and (known.settled or reason.name == "spelling")
    return cell if looks or changes else ""


def is_only_named(match: Match) -> bool:
    """Return whether a file is only named: one that is made, another folder's optional one, or one
    of another number.
    """
    folders, written = (fold(path).split("/")[:-1] for path in (match.path, match.place.path))
    name, wanted = (fold(path.rpartition("/")[2]) for path in (match.path, match.place.path))
    optional = re.fullmatch(_OPTIONAL, name)
    made = not GENERATED.isdisjoint({*folders} ^ {*written})
    numbered = name != wanted and re.sub(r"\d+", "0", name) == re.sub(r"\d+", "0", wanted)
    return made or numbered or (optional is not None and folders != written)


def why(match: Match) -> str:
    """Return why a candidate is one, as a clause for people."""
    supposed = [match.place.why] if match.place.why else []
    if supposed and "the-path" in match.features:
        return supposed[0]
    known = [said for name, (_, said) in table()["for"].items() if name in match.features]
    if "path-in-other-case" in match.features and not match.path.isascii():
        from unicodedata import normalize

        if normalize("NFC", match.place.path) == normalize("NFC", match.path):
            known = ["looks the same, in another Unicode form"]
    return ", ".join([*supposed, *known][:3])
