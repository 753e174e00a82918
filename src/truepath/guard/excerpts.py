"""The lines of a file that an answer shows: with their numbers, or as they are to be
sent.

Pure: a text goes in, the lines of an answer come out. A line is shown as it is only if
it has no sign that is escaped in an answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from truepath.guard.texts import said
from truepath.quoting import escaped_line

LINES = 60
"""Lines of a file in an answer, at most."""

LONGEST = 4_000
"""Characters of these lines."""

SENT = 40
"""Lines of a text that is to be sent, at most."""

_OUTLINE = 20
"""Lines of an outline in an answer, at most."""

_AROUND = (2, 4, 8)
"""Lines around each of several places: more only where fewer are the same at another
one."""

Place = tuple[int, int]
"""The first and the last line of a place, from 1."""

Places = Sequence[Place]


def numbered(text: str, places: Places) -> list[str]:
    """Return the lines of some places, with their numbers, as many as fit."""
    # Of a long outline, every second or third line is shown, so that its end is too.
    step = 1 + max(0, len(places) - 1) // _OUTLINE
    numbers: list[int] = []
    for first, last in places[::step]:
        numbers.extend(range(first, last + 1))
    lines = text.split("\n")
    fitting = []
    room = LONGEST
    for number in numbers[:LINES]:
        line = f"{number}\t{escaped_line(lines[number - 1])}"
        room -= len(line) + 1
        if room < 0:
            break
        fitting.append(line)
    return fitting


def to_send(text: str, part: str, place: Place) -> list[str]:
    """Return the only place of a part of a text, ready to be sent; with the numbers of
    its lines if it cannot be shown as it is.
    """
    if text.count(part) != 1 or not _is_plain(part, SENT):
        return [said("its lines"), *numbered(text, [place])]
    return [said("to send", lines=_lines_of(place)), *part.split("\n")]


def apart(text: str, places: Places) -> list[str]:
    """Return each of several places with the lines around it that no other one has,
    ready to be sent, as many as fit; with their numbers if they cannot be shown so.
    """
    lines = text.split("\n")
    around = _windows(lines, places, _AROUND[0])
    for count in _AROUND:
        windows = _windows(lines, places, count)
        parts = ["\n".join(lines[first - 1 : last]) for first, last in windows]
        if all(text.count(part) == 1 for part in parts):
            return _ready(windows, parts) or groups(text, around)
    return groups(text, around)


def _windows(lines: Sequence[str], places: Places, around: int) -> list[Place]:
    """Return places with some lines around each, but for blank ones at the ends; two
    in the same lines are one.
    """
    windows = []
    for first, last in places:
        begin, end = max(1, first - around), min(len(lines), last + around)
        while begin < first and not lines[begin - 1].strip():
            begin += 1
        while end > last and not lines[end - 1].strip():
            end -= 1
        windows.append((begin, end))
    return [*dict.fromkeys(windows)]


def _ready(windows: Places, parts: Sequence[str]) -> list[str]:
    """Return parts of a file, each under the numbers of its lines; none if they are not
    all to be shown as they are.
    """
    shown: list[str] = []
    for window, part in zip(windows, parts, strict=True):
        if not _is_plain(part, SENT):
            return []
        shown += [f"{_lines_of(window)}:", *part.split("\n")]
    fits = len(shown) <= LINES and len("\n".join(shown)) <= LONGEST
    return shown if fits else []


def groups(text: str, places: Places) -> list[str]:
    """Return the lines of several places with their numbers, parted by a line."""
    shown: list[str] = []
    for place in places:
        group = numbered(text, [place])
        if shown and len(shown) + len(group) < LINES:
            shown += ["--", *group]
        shown = shown or group
    # A line more or less does not matter, characters do.
    while len("\n".join(shown)) > LONGEST:
        shown.pop()
    return shown


def _lines_of(place: Place) -> str:
    first, last = place
    return f"Line {first}" if first == last else f"Lines {first} to {last}"


def _is_plain(part: str, most: int) -> bool:
    """Return whether a part of a file can be shown as it is."""
    lines = part.split("\n")
    if len(lines) > most or len(part) > LONGEST or not part.strip():
        return False
    return all(escaped_line(line) == line for line in lines)
