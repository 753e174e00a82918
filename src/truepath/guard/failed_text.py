"""The ruler of a call that failed on what is in its file: its size, or the text to be
replaced. `checks` is the table, with the texts.

The session notes of an edit that failed the file as it was, for clients that only look
at it, and the call with the contents of the file.

Each program matches texts in its own way, so an edit is judged after it failed. It is
never led to another file; `fitting` has the one way in which it is changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from truepath.calls import contents
from truepath.calls.contents import Edit
from truepath.calls.tools import arguments_of
from truepath.fields import digest
from truepath.guard.checks import CHECKS, CheckedFile, occurs, part_like
from truepath.guard.files import count_lines, may_show, text_of, whole, with_lf
from truepath.guard.fitting import (
    compares_bytes,
    learned_note,
    may_change,
    unlearned,
)
from truepath.guard.reading import Finding, Reading, Ruling
from truepath.guard.too_large import failed_note as too_large_note
from truepath.records import replace
from truepath.session.keys import FAILED_EDIT, mark_of
from truepath.types import Any, ToolCall

_ABOUT = {"read": "size", "edit": "text"}
"""Operation -> what its error is about if its file is to be looked at."""


def failed_text(reading: Reading) -> Ruling | None:
    """Rule about a call that should have known more about its file; None if all of it
    fits.
    """
    about = reading.failure.about if reading.failure else ()
    is_edit = "text" in about and contents.replaces_text(reading.mentions)
    if not is_edit and "size" not in about:
        return None
    for finding in reading.findings:
        if _ABOUT.get(finding.resolution.operation) not in about:
            continue
        text = text_of(reading, finding)
        if text is None or not may_show(reading, finding):
            continue
        ruling = _judged(reading, finding, text)
        if ruling:
            return ruling
    return None


def _judged(reading: Reading, finding: Finding, text: str) -> Ruling | None:
    """Return the ruling about a file with some text."""
    file = _file(reading, finding, text)
    if file is None:
        return unlearned(reading, finding)
    ruling = ruled(reading, finding, file)
    if ruling is None or file.edit is None:
        return ruling
    # The same call is known by what it failed on.
    return replace(
        ruling,
        notes=(*ruling.notes, *failed_notes(reading, finding, text)),
        parts={**ruling.parts, "third": was_refused(reading, text)},
    )


def unfit_edits(reading: Reading) -> Iterator[tuple[Finding, str, CheckedFile]]:
    """Yield the files that do not fit the call's edits, each with its text and what is
    checked.
    """
    for finding in reading.findings:
        if finding.resolution.operation != "edit":
            continue
        text = text_of(reading, finding)
        if text is None or not may_show(reading, finding):
            continue
        file = _file(reading, finding, text)
        if file is not None:
            yield finding, text, file


def _file(reading: Reading, finding: Finding, text: str) -> CheckedFile | None:
    """Return the file that is checked, with the first edit that it does not fit; None
    if it fits all now, because somebody has changed it since, or that is not known.
    """
    if finding.resolution.operation == "read":
        return whole(text)
    call = reading.call
    edits = contents.edits(call, finding.mention)
    error = reading.failure.error if reading.failure else ""
    every = contents.every_name(call, error)
    plain = [Edit(with_lf(edit.old), with_lf(edit.new), edit.every) for edit in edits]
    lines = with_lf(text)
    size = len(text.encode())
    # Most programs fit an edit whatever its line ends are, so those are judged last.
    unfit = _first_unfit(lines, plain)
    if unfit is not None:
        return CheckedFile(lines, size, plain[unfit], every=every)
    # Some programs take line ends as they are.
    unfit = _first_unfit(text, edits)
    if unfit is None:
        return None
    sent, there = _line_ends(edits[unfit].old), _line_ends(text)
    if sent == there:  # both have some of each kind
        return None
    ends = f"its lines end in {sent}, those of the file in {there}"
    return CheckedFile(lines, size, plain[unfit], ends=ends)


def ruled(reading: Reading, finding: Finding, file: CheckedFile) -> Ruling | None:
    """Return the ruling of the first check that applies; None if none does."""
    for check in CHECKS:
        places = check.finds(file)
        if places is None:
            continue
        notes: tuple[str, ...] = ()
        parts: dict[str, Any] = {}
        # Hosts limit tokens too: a file below the limit of bytes may fail again.
        if check.name == "too-large":
            notes = (too_large_note(reading, finding),)
        if check.name == "other-line-ends" and may_change(reading):
            notes = (learned_note(reading.call),)
            parts["again"] = compares_bytes(reading, *notes)
        if check.looked_for and file.edit:
            wanted = check.looked_for(file.edit.old)
            parts["part"] = part_like(file.text, wanted, places[0])
        return Ruling(
            "allow" if finding.rule == "observe" else "advise",
            [finding],
            row=check.name,
            says=check.says,
            code=check.code,
            parts={
                "size": (file.size, count_lines(file.text)),
                "count": file.count,
                "ends": file.ends,
                "every": file.every,
                **parts,
            },
            text=file.text,
            places=places,
            notes=notes,
        )
    return None


def _first_unfit(text: str, edits: Sequence[Edit]) -> int | None:
    """Return the number of the first edit that a file does not fit; None if it fits
    all, or that is not known, because a later one may replace what an earlier one
    makes.
    """
    made = ""
    for number, edit in enumerate(edits):
        count = occurs(text, edit.old)
        fits = count == 1 or (count > 1 and edit.every)
        if not fits:
            return None if edit.old in made else number
        made += f"{edit.new}\n"
    return None


def _line_ends(text: str) -> str:
    """Return the line ends of a text, in words."""
    windows = text.count("\r\n")
    if not windows:
        return "LF"
    return "CRLF" if text.count("\n") == windows else "LF and CRLF"


def failed_notes(reading: Reading, finding: Finding, text: str) -> tuple[str, str]:
    """Return the notes that an edit failed on a file with some text."""
    mark = mark_of(reading.place_of(finding))
    return f"{FAILED_EDIT}{mark}", f"{_failed(reading.call)}{digest(text)}"


def refused_note(reading: Reading, text: str) -> str:
    """Return the note that an edit was refused on a text."""
    return f"refused:{_failed(reading.call)}{digest(text)}"


def has_failed(reading: Reading, text: str | None = None) -> bool:
    """Return whether an edit has failed, on a text or on any."""
    beginning = _failed(reading.call)
    if text is not None:
        return reading.known.noted(f"{beginning}{digest(text)}")
    return any(note.startswith(beginning) for note in reading.known.kept().notes)


def was_refused(reading: Reading, text: str) -> bool:
    """Return whether an edit was refused because it had failed on a text."""
    return reading.known.noted(refused_note(reading, text))


def _failed(call: ToolCall) -> str:
    written = (call.known_as or call.tool, call.cwd, arguments_of(call))
    return f"failed-call:{digest(written)}:"
