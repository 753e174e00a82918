"""What an agent reads if a row of `preconditions` applies: the remedy, with lines of the file."""

from __future__ import annotations

from truepath.guard.messages import (
    ALREADY_MADE,
    READ_IN_PART,
    SEVERAL_PLACES,
    SHIFT,
    TEXT_NOT_FOUND,
    TOO_LARGE,
)
from truepath.quoting import shown

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from truepath.guard.preconditions import Known, Places

LINES, LONGEST = 60, 4_000
"""Lines and characters of a file in an answer, at most."""

PLACES, _OUTLINE = 8, 20
"""Places of a text, and lines of an outline, in an answer, at most."""

_ABSENT = f"{TEXT_NOT_FOUND}: the text to be replaced is not in {{path}}; "

SAID = {
    "too-large": f"{TOO_LARGE}: {{path}} has {{size}}. Read a part of it, or search in it.",
    "several-places": f"{SEVERAL_PLACES}: the text to be replaced is in {{count}} places of "
    "{path}. Send it with what precedes the one that is meant, or replace all:",
    "made-already": f"{ALREADY_MADE}: the text to be replaced is not in {{path}}, and the new text "
    "is, in these lines:",
    "other-blanks": _ABSENT + "only blanks differ from these lines:",
    "other-words": _ABSENT + "most similar are these lines:",
}
"""Check -> the first line of its answer."""


def said(check: str, path: str, known: Known, places: Places) -> str:
    """Return the answer for a check, with the places that it is about."""
    step = -(-len(places) // _OUTLINE) or 1
    count = known.text.count(known.edit.old) if known.edit else 0
    told = [SAID[check].format(path=shown(path), size=_size(known), count=count)]
    listed, room, chosen = known.text.split("\n"), LONGEST, places[::step]
    for at in [at for begin, end in chosen for at in range(begin, end + 1)][:LINES]:
        line = f"{at}\t{listed[at - 1]}"
        room -= len(line) + 1
        told += [line] if room >= 0 else []
    return "\n".join(told)


def part(path: str, known: Known, first: int, lines: int) -> str:
    """Return the note on a read that shows only some lines of a large file."""
    return (
        f"{READ_IN_PART}: {shown(path)} has {_size(known)}, more than is read at once: lines "
        f"{first} to {first + lines - 1} are shown. To go on, read from line {first + lines}, or "
        "search in it."
    )


def again(count: int) -> str:
    """Return the strategy shift for a check that failed several times in a row."""
    return (
        f"{SHIFT}: {count + 1} calls in a row failed for the same reason. Look at the file first."
    )


def _size(known: Known) -> str:
    count = known.text.count("\n") + (not known.text.endswith("\n"))
    return f"{known.size / 1024:,.1f} KB in {count:,} {'line' if count == 1 else 'lines'}"
