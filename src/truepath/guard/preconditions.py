"""The table of checks: what a call needs besides a path that exists, and what is said
without it.

Before the tool runs, only the kind and the size of an entry count. Each program matches
texts in its own way, so an edit is judged after it failed. It is never changed, nor led
to another file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence

from truepath.calls import contents
from truepath.calls.contents import Edit
from truepath.config.files import read
from truepath.guard import messages
from truepath.guard.bookkeeping import Bookkeeping
from truepath.guard.policy import Finding, Policy
from truepath.quoting import shown
from truepath.records import dataclass
from truepath.types import Action, Any, Decision

LARGEST = 4_000_000
"""Bytes of a file that is read, at most: twice the largest source files."""

_TELLS, _MADE = 12, 20
"""Characters without blanks of a text that is not like a place by chance, and of a new
text that is not there by chance."""

_ALIKE, _AHEAD = 70.0, 10.0
"""The ratio (rapidfuzz, 0 to 100) from which lines are meant, and their lead over other
lines."""

_WORK = 1e10
"""Lines of a file times the square of a text's length: a third of a second of
comparing."""

LINES, LONGEST = 60, 4_000
"""Lines and characters of a file in an answer, at most."""

_PLACES, _OUTLINE = 8, 20
"""Places of a text, and lines of an outline, in an answer, at most."""

_HEADING = (
    r"#{1,4} \S|(?:(?:export|default|public|private|pub|static|abstract|async) )*"
    r"(?:def|class|func|function|fn|struct|enum|trait|impl|interface|type|module|namespace) \w"
)
"""The beginning of a line that heads a part of a text or a program."""

Places = Sequence[tuple[int, int]]
"""Lines of a file: the first and the last of each place, from 1."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known about the file of a call that failed, or would."""

    text: str
    size: int
    edit: Edit | None = None
    """The first edit that the file does not fit; None for a read."""


@dataclass(frozen=True, slots=True)
class Check:
    """A row of the table."""

    name: str
    sentence: str
    finds: Callable[[Known], Places | None]
    """Returns the lines to show after a failure; None if the check does not apply."""
    before: str = ""
    """What is done before the tool runs."""
    said: str = ""
    """The first line of its answer."""


def _is_too_large(known: Known) -> Places | None:
    heads = enumerate(known.text.split("\n"), 1)
    return (
        None
        if known.edit
        else [(at, at) for at, line in heads if re.match(_HEADING, line)]
    )


def _is_doubled(known: Known) -> Places | None:
    edit, lines = known.edit, known.text.split("\n")
    if edit is None or edit.every or known.text.count(edit.old) < 2:
        return None
    found = []
    for at, _ in _places(known.text, edit.old):
        before = (line for line in range(at - 1, 0, -1) if lines[line - 1].strip())
        found.append((next(before, at), at))
    return found


def _is_made(known: Known) -> Places | None:
    new = known.edit.new if known.edit and known.edit.old not in known.text else ""
    return (
        _places(known.text, new)[:1] or None
        if len("".join(new.split())) >= _MADE
        else None
    )


def _has_other_blanks(known: Known) -> Places | None:
    edit, has = known.edit or Edit("", ""), "".join(known.text.split())
    wanted, new = ("".join(text.split()) for text in (edit.old, edit.new))
    if (
        len(wanted) < _TELLS
        or has.count(wanted) != 1
        or (wanted in new and edit.new in known.text)
    ):
        return None
    begins, seen, lines = has.index(wanted), 0, []
    for number, line in enumerate(known.text.split("\n"), 1):
        length = len("".join(line.split()))
        if seen < begins + len(wanted) and seen + length > begins:
            lines.append(number)
        seen += length
    return [(lines[0], lines[-1])]


def _has_like_lines(known: Known) -> Places | None:
    from rapidfuzz import fuzz, process

    old, lines = (
        known.edit.old.strip("\n") if known.edit else "",
        known.text.split("\n"),
    )
    count = old.count("\n") + 1
    if len("".join(old.split())) < _TELLS or len(lines) * len(old) ** 2 > _WORK:
        return None
    parts = {
        at: "\n".join(lines[at - 1 : at - 1 + count]) for at in range(1, len(lines) + 1)
    }
    cutoff = _ALIKE - _AHEAD
    found = process.extract(
        old, parts, scorer=fuzz.ratio, score_cutoff=cutoff, limit=None
    )
    _, best, at = found[0] if found else ("", 0.0, 0)
    apart = (ratio for _, ratio, other in found if abs(other - at) >= count)
    sure = best >= max(_ALIKE, max(apart, default=0.0) + _AHEAD)
    around = max(1, at - 1), min(len(lines), at + count)
    return [around] if sure else None


_ABSENT = f"{messages.TEXT_NOT_FOUND}: the text to be replaced is not in {{path}}; "

CHECKS = (
    Check(
        "folder",
        "a folder is read or edited as a file",
        lambda _: None,
        "refused with entries",
    ),
    Check(
        "too-large",
        "all of a file is read that is larger than its program reads at once",
        _is_too_large,
        "read in part, with a note; else refused, with an outline",
        f"{messages.TOO_LARGE}: {{path}} has {{size}}. Read a part of it, or search in it.",
    ),
    Check(
        "several-places",
        "the text to be replaced is there several times",
        _is_doubled,
        said=f"{messages.SEVERAL_PLACES}: the text to be replaced is in {{count}} places of "
        "{path}. Send it with what precedes the one that is meant, or replace all:",
    ),
    Check(
        "other-blanks",
        "the text to be replaced is there with other blanks",
        _has_other_blanks,
        said=_ABSENT + "only blanks differ from these lines:",
    ),
    Check(
        "made-already",
        "the new text is there, and the one to be replaced is not",
        _is_made,
        said=f"{messages.ALREADY_MADE}: the text to be replaced is not in {{path}}, and the new "
        "text is, in these lines:",
    ),
    Check(
        "other-words",
        "one place is clearly most like the text to be replaced",
        _has_like_lines,
        said=_ABSENT + "most similar are these lines:",
    ),
)
"""The table: the first row that applies counts."""


def before(books: Bookkeeping, policy: Policy, finding: Finding) -> Decision | None:
    """Return the answer to a read of a file that its program does not read whole; None
    if it may run as it is.
    """
    call, caller, path = books.mentions.call, policy.caller, finding.resolution.written
    most, part, argument = (caller.limits or {})[call.tool]
    first = contents.start_of(call)
    known = (
        _known(books, finding, over=most) if first and finding.rule != "guide" else None
    )
    if known is None:
        return None
    lines = _fitting(known.text, first, part)
    arguments = contents.in_part(call, argument, first, lines)
    keeps = (
        finding.rule == "refuse"
        or call.approved
        or not (caller.rewrites and policy.notes)
    )
    action: Action = "refuse" if keeps or not lines else "rewrite"
    if action == "rewrite" and caller.others:
        action = caller.others(call, arguments)
    if finding.rule == "observe" or action == "allow":
        return books.unmet(finding, "too-large", Decision("allow", call.arguments))
    if action == "rewrite":
        said = (
            f"{messages.READ_IN_PART}: {shown(path)} has {_size(known)}, more than is "
            f"read at once: lines {first} to {first + lines - 1} are shown. To go on, "
            "read from line "
            f"{first + lines}, or search in it."
        )
        return books.unmet(
            finding, "too-large", _decision(finding, said, action, arguments)
        )
    outline = _is_too_large(known) if _shows(books, finding) else ()
    too_large = next(check for check in CHECKS if check.name == "too-large")
    said = _answer(too_large, path, known, outline or ())
    action = "refuse" if policy.refuses(finding.mention) else "advise"
    return books.unmet(
        finding, "too-large", _decision(finding, said, action, call.arguments)
    )


def after(
    books: Bookkeeping, findings: Sequence[Finding], about: str
) -> Decision | None:
    """Return what a failed call should have known about its file; None for nothing.

    `about` is what its error is about: `size` or `text`.
    """
    call, operation = books.mentions.call, "read" if about == "size" else "edit"
    for finding in findings:
        fits = finding.resolution.operation == operation and _shows(books, finding)
        known = _known(books, finding, edited=about == "text") if fits else None
        for check in CHECKS:
            places = check.finds(known) if known else None
            if known and places is not None:
                said = _answer(check, finding.resolution.written, known, places)
                decision = _decision(finding, said, "advise", call.arguments)
                quiet = (
                    Decision("allow", call.arguments)
                    if finding.rule == "observe"
                    else None
                )
                return books.unmet(finding, check.name, quiet or decision)
    return None


def _answer(check: Check, path: str, known: Known, places: Places) -> str:
    """Return the answer for a check, with the places that it is about."""
    step = -(-len(places) // _OUTLINE) or 1
    count = known.text.count(known.edit.old) if known.edit else 0
    told = [check.said.format(path=shown(path), size=_size(known), count=count)]
    listed, room, chosen = known.text.split("\n"), LONGEST, places[::step]
    for at in [at for begin, end in chosen for at in range(begin, end + 1)][:LINES]:
        line = f"{at}\t{listed[at - 1]}"
        room -= len(line) + 1
        told += [line] if room >= 0 else []
    return "\n".join(told)


def _size(known: Known) -> str:
    count = known.text.count("\n") + (not known.text.endswith("\n"))
    return (
        f"{known.size / 1024:,.1f} KB in {count:,} {'line' if count == 1 else 'lines'}"
    )


def _decision(
    finding: Finding, said: str, action: Action, arguments: Mapping[str, Any]
) -> Decision:
    data = messages.payload(said.partition(":")[0], [finding.resolution])
    return Decision(action, arguments, said, data, resolutions=(finding.resolution,))


def _shows(books: Bookkeeping, finding: Finding) -> bool:
    path = finding.resolution.path
    return path is not None and books.workspace.tree.may_name(path)


def _known(
    books: Bookkeeping, finding: Finding, *, edited: bool = False, over: int = 0
) -> Known | None:
    """Return what is known about an existing file of more than `over` bytes; None if it
    is no text or over `LARGEST`, or if it fits every edit. Claude Code 2.1.331 reads
    large notebooks.
    """
    path, space = finding.resolution.path, books.workspace
    exists = finding.resolution.status == "exists" and space.on_disk
    if (
        path is None
        or not exists
        or path.endswith(".ipynb")
        or space.tree.protects(path)
    ):
        return None
    try:
        place = os.path.join(space.root, path)
        data = read(place, LARGEST) if os.path.getsize(place) > over else b""
        text = data.decode("utf-8").replace("\r\n", "\n")
    except (OSError, ValueError):
        return None
    edit = (
        _unfit(text, contents.edits(books.mentions.call, finding.mention))
        if edited
        else None
    )
    plain = data and "\0" not in text and not text.startswith("%PDF-")
    return Known(text, len(data), edit) if plain and (edit or not edited) else None


def _unfit(text: str, edits: Sequence[Edit]) -> Edit | None:
    """Return the first edit that a file does not fit; None if that is not known,
    because a later one may replace what an earlier one makes.
    """
    made = ""
    for edit in edits:
        old, new = (each.replace("\r\n", "\n") for each in (edit.old, edit.new))
        if (count := text.count(old)) != 1 and not (count and edit.every):
            return None if old in made else Edit(old, new, edit.every)
        made += f"{new}\n"
    return None


def _places(text: str, part: str) -> Places:
    """Return the first places of a text in a file, as many as an answer has at most."""
    shift, lines = len(part) - len(part.lstrip("\n")), part.strip("\n").count("\n")
    found: list[tuple[int, int]] = []
    at = text.find(part)
    while at >= 0 and len(found) < _PLACES:
        first = text.count("\n", 0, at + shift) + 1
        found.append((first, first + lines))
        at = text.find(part, at + len(part))
    return found


def _fitting(text: str, first: int, most: int) -> int:
    """Return how many lines from the first one have at most so many bytes."""
    fit = 0
    for line in text.removesuffix("\n").split("\n")[first - 1 :]:
        most -= len(line.encode()) + 1
        fit += most >= 0
    return fit
