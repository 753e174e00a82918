"""The table of checks: what a call needs besides a path that exists, and what is said
without it.

A check compares a call with the contents of its file, and returns the lines to show.
What is done about that is in `preconditions`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from truepath import TYPE_CHECKING, Late
from truepath.calls.contents import Edit
from truepath.guard.excerpts import Place, Places
from truepath.guard.texts import (
    ALREADY_MADE,
    NOT_ABSOLUTE,
    SEVERAL_PLACES,
    TEXT_NOT_FOUND,
    TOO_LARGE,
)
from truepath.records import dataclass

if TYPE_CHECKING:
    from rapidfuzz import fuzz, process  # few edits are compared
else:
    fuzz = Late("rapidfuzz.fuzz")
    process = Late("rapidfuzz.process")

_TELLING = 12
"""Characters without blanks of a text that is not like a place by chance."""

_MADE = 20
"""Characters without blanks of a new text that may be a part of its lines."""

_LONG = 60
"""Characters without blanks of a new text that is not there by chance."""

_COMMON = 50
"""Places of a new text that is common."""

_AKIN = 60.0
"""The ratio from which a new text is like the old one; an edit that was made already
had 61 at least in nine of ten recorded sessions."""

_ALIKE = 70.0
"""The ratio (rapidfuzz, 0 to 100) from which lines are meant."""

_LEAD = 10.0
"""The lead of their ratio over that of other lines."""

_WORK = 1e10
"""Lines of a file times the square of a text's length: a third of a second of
comparing."""

_MOST_PLACES = 5
"""Places of a text in an answer, at most."""

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u2032", "\x27"),
        **dict.fromkeys("\u201c\u201d\u201e\u2033", "\x22"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    }
)
"""Signs that look like another one: quotes, dashes and the minus."""

_HEADING = (
    r"#{1,4} \S|(?:(?:export|default|public|private|pub|static|abstract|async) )*"
    r"(?:def|class|func|function|fn|struct|enum|trait|impl|interface|type|module"
    r"|namespace) \w"
)
"""The beginning of a line that heads a part of a text or a program."""

_NUMBER = r"\s*\d+(?:\t|\u2192|[:|] ?| \| ?)"
"""A line number as readers write it before a line: `12<tab>`, `12: `, `12| `."""


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """The file of a call that failed, or would."""

    text: str
    size: int
    edit: Edit | None = None
    """The first edit that the file does not fit; None for a read."""
    ends: str = ""
    """How its line ends differ from those of the edit, if nothing else does."""
    every: str = ""
    """The argument with which the program replaces every occurrence, if known."""

    @property
    def count(self) -> int:
        """How often the text of the edit is there, where it overlaps itself too."""
        return occurs(self.text, self.edit.old) if self.edit else 0


@dataclass(frozen=True, slots=True)
class Check:
    """A row of the table."""

    name: str
    sentence: str
    finds: Callable[[CheckedFile], Places | None]
    """Returns the lines to show after a failure; None if the check does not apply."""
    before: str = ""
    """What is done before the tool runs."""
    code: str = ""
    says: str = ""
    """The name of its text (`texts.TEXTS`): the first line of its answer."""
    looked_for: Callable[[str], str] | None = None
    """Returns what the text of the edit is looked for as; None if the part of the lines
    that it means is not to be shown."""


def outline(file: CheckedFile) -> Places | None:
    """Return the lines that head the parts of a file; None for an edit."""
    if file.edit:
        return None
    lines = enumerate(file.text.split("\n"), 1)
    return [(number, number) for number, line in lines if re.match(_HEADING, line)]


def _doubled(file: CheckedFile) -> Places | None:
    edit = file.edit
    if edit is None or edit.every or edit.old == edit.new:
        return None
    places = _occurrences(file.text, edit.old)
    return places[:_MOST_PLACES] if len(places) > 1 else None


def _made(file: CheckedFile) -> Places | None:
    """Return the only place of the new text, if that is where the old one was: nothing
    else is like the old one, and the new one is, or has its first and last lines, or
    is long.
    """
    edit = file.edit
    # A part that the edit keeps is there without it.
    if edit is None or edit.old in file.text or edit.new.strip() in edit.old:
        return None
    place = _only_place(file.text, edit.new)
    if place is None or _costs(file.text, max(edit.old, edit.new, key=len)):
        return None

    old = edit.old.strip("\n")
    likeness = fuzz.ratio(old, edit.new.strip("\n"))
    had = old.split("\n")
    has = edit.new.strip("\n").split("\n")
    keeps_ends = len(has) > 1 and (had[0], had[-1]) == (has[0], has[-1])
    # Several lines that are not in a file by chance.
    is_long = "\n" in edit.new.strip() and len(_squeezed(edit.new)) >= _LONG
    if likeness < _AKIN and not (keeps_ends or is_long):
        return None
    first, last = place
    count = old.count("\n") + 1
    # Lines elsewhere that are as like the old text may be what is meant.
    elsewhere = (
        ratio_of_lines
        for number, ratio_of_lines in _most_like(file.text, old)
        if number > last or number + count <= first
    )
    if next(elsewhere, 0.0) + _LEAD > max(likeness, _ALIKE):
        return None
    return [place]


def _only_place(text: str, new: str) -> tuple[int, int] | None:
    """Return the only place of a new text, in whole lines, or in a part of them if it
    is long enough; None if there are several.
    """
    part = new.strip("\n")
    if not part.strip() or text.count(part) > _COMMON:
        return None
    places = _occurrences(text, part)
    lines = text.split("\n")
    whole = [
        (first, last)
        for first, last in places
        if "\n".join(lines[first - 1 : last]).strip() == part.strip()
    ]
    # A short text such as `0` is a part of a line by chance.
    if not whole and len(_squeezed(part)) >= _MADE:
        whole = places
    return whole[0] if len(whole) == 1 else None


def _with_line_numbers(file: CheckedFile) -> Places | None:
    if file.edit is None:
        return None
    lines = file.edit.old.split("\n")
    if not all(re.match(_NUMBER, line) for line in lines if line.strip()):
        return None
    # Whatever the numbers are: an agent may have copied those of another place.
    return _place_without_blanks(file.text, _bare(file.edit.old))


def _bare(old: str) -> str:
    """Return a text without the line numbers before its lines."""
    return "\n".join(re.sub(_NUMBER, "", line, count=1) for line in old.split("\n"))


def _with_other_blanks(file: CheckedFile) -> Places | None:
    edit = file.edit
    if edit is None:
        return None
    # Only blanks were to change, and they have.
    if _squeezed(edit.old) in _squeezed(edit.new) and edit.new in file.text:
        return None
    return _place_without_blanks(file.text, edit.old)


def _with_other_signs(file: CheckedFile) -> Places | None:
    edit = file.edit
    if edit is None:
        return None
    # Only blanks differ, and were to change.
    if _squeezed(edit.old) in _squeezed(file.text):
        return None
    # A sign becomes one other, so that lines stay where they are.
    text, old = file.text.translate(_SIGNS), edit.old.translate(_SIGNS)
    return _place_without_blanks(text, old)


def _place_without_blanks(text: str, part: str) -> Places | None:
    """Return the only place of a text in a file, if blanks do not count; None if there
    are several, or if it is too short to tell.
    """
    wanted = _squeezed(part)
    squeezed = _squeezed(text)
    if len(wanted) < _TELLING or squeezed.count(wanted) != 1:
        return None
    begins = squeezed.index(wanted)
    ends = begins + len(wanted)
    # The lines are those that have characters between these two.
    passed = 0
    numbers = []
    for number, line in enumerate(text.split("\n"), 1):
        length = len(_squeezed(line))
        if passed < ends and passed + length > begins:
            numbers.append(number)
        passed += length
    return [(numbers[0], numbers[-1])]


def part_like(text: str, old: str, place: Place) -> str:
    """Return the part of some lines that is a text but for blanks and signs that look
    alike: from its beginning, with the indentation if the text has one; "" if they do
    not have it.
    """
    first, last = place
    lines = "\n".join(text.split("\n")[first - 1 : last])
    places = [at for at, sign in enumerate(lines) if not sign.isspace()]
    wanted = _squeezed(old.translate(_SIGNS))
    start = _squeezed(lines.translate(_SIGNS)).find(wanted)
    if start < 0 or not wanted:
        return ""
    begins = places[start]
    line_begins = lines.rfind("\n", 0, begins) + 1
    if old[0].isspace() and not lines[line_begins:begins].strip():
        begins = line_begins
    return lines[begins : places[start + len(wanted) - 1] + 1]


def _with_other_words(file: CheckedFile) -> Places | None:
    if file.edit is None:
        return None
    old = file.edit.old.strip("\n")
    if len(_squeezed(old)) < _TELLING:
        return None
    ranked = _most_like(file.text, old)
    first, best = next(ranked, (0, 0.0))
    count = old.count("\n") + 1
    if best < _ALIKE:
        return None
    alike = [first]
    for number, ratio in ranked:
        if ratio + _LEAD <= best:
            break
        # Lines that overlap others are alike for the same reason.
        if all(abs(number - other) >= count for other in alike):
            alike.append(number)
    if len(alike) > _MOST_PLACES:
        return None
    if len(alike) > 1:  # what is around each tells them apart
        return [(number, number + count - 1) for number in sorted(alike)]
    # The lines around are shown too: what differs may be a line more or less.
    most = file.text.count("\n") + 1
    return [(max(1, number - 1), min(most, number + count)) for number in alike]


def _most_like(text: str, old: str) -> Iterator[tuple[int, float]]:
    """Yield the first line and the ratio of the places that are like a text, best
    first; none if that would take too long.
    """
    if _costs(text, old):
        return
    lines = text.split("\n")
    count = old.count("\n") + 1
    # As many lines as the text has, from each line on.
    parts = {}
    for start in range(len(lines)):
        parts[start + 1] = "\n".join(lines[start : start + count])
    # The ones below count for nothing: they are no rivals of a place that is alike.
    cutoff = _ALIKE - _LEAD
    ranked = process.extract(
        old, parts, scorer=fuzz.ratio, score_cutoff=cutoff, limit=None
    )
    for _, ratio, number in ranked:
        yield number, ratio


def _costs(text: str, old: str) -> bool:
    """Return whether comparing a text with all lines of a file takes too long."""
    lines = text.count("\n") + 1
    return lines * len(old) ** 2 > _WORK


def occurs(text: str, part: str) -> int:
    """Return how often a text is in a file, also where it overlaps itself."""
    return len(_occurrences(text, part))


def _occurrences(text: str, part: str) -> list[Place]:
    """Return the lines of each place of a text in a file, also where it overlaps
    itself.
    """
    places: list[Place] = []
    line = 1
    last_start = 0
    # Blank lines around the text belong to no place.
    blank_before = len(part) - len(part.lstrip("\n"))
    more_lines = part.strip("\n").count("\n")
    start = text.find(part)
    while start >= 0:
        line += text.count("\n", last_start, start + blank_before)
        last_start = start + blank_before
        places.append((line, line + more_lines))
        start = text.find(part, start + 1)
    return places


def _squeezed(text: str) -> str:
    """Return a text without blanks and line breaks."""
    return "".join(text.split())


CHECKS = (
    Check(
        "folder",
        "a folder is read or edited as a file",
        lambda _: None,  # the resolution says so: its status is `directory`
        "refused with entries",
    ),
    Check(
        "not-absolute",
        "a relative path is given to a tool that takes absolute ones only",
        lambda _: None,
        code=NOT_ABSOLUTE,
        says="not absolute",
    ),
    Check(
        "too-large",
        "all of a file is read that is larger than its program reads at once",
        outline,
        "read in part, with a note; else refused, with an outline",
        TOO_LARGE,
        "too large",
    ),
    Check(
        "several-places",
        "the text to be replaced is there several times",
        _doubled,
        code=SEVERAL_PLACES,
        says="several places",
    ),
    Check(
        "other-line-ends",
        "the text to be replaced is there with other line ends",
        lambda file: (
            _occurrences(file.text, file.edit.old)[:_MOST_PLACES]
            if file.edit and file.ends
            else None
        ),
        code=TEXT_NOT_FOUND,
        says="other line ends",
    ),
    Check(
        "line-numbers",
        "the text to be replaced was sent with the line numbers of a reader",
        _with_line_numbers,
        code=TEXT_NOT_FOUND,
        says="line numbers",
        looked_for=_bare,
    ),
    Check(
        "other-blanks",
        "the text to be replaced is there with other blanks",
        _with_other_blanks,
        code=TEXT_NOT_FOUND,
        says="other blanks",
        looked_for=str,
    ),
    Check(
        "other-signs",
        "the text to be replaced is there with signs that look alike: quotes, dashes",
        _with_other_signs,
        code=TEXT_NOT_FOUND,
        says="other signs",
        looked_for=str,
    ),
    Check(
        "made-already",
        "the new text is where the one to be replaced was",
        _made,
        code=ALREADY_MADE,
        says="made already",
    ),
    Check(
        "other-words",
        "one place is clearly most like the text to be replaced, or up to five are",
        _with_other_words,
        code=TEXT_NOT_FOUND,
        says="other words",
    ),
)
"""The table: the first row that applies counts."""


def named(name: str) -> Check:
    """Return a row of the table."""
    return next(check for check in CHECKS if check.name == name)
