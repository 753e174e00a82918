"""What the session notes of an edit that failed: the file as it was, for clients that
only look at it; and the call with the contents of the file.
"""

from __future__ import annotations

from truepath.calls.tools import arguments_of
from truepath.fields import digest
from truepath.guard.reading import Finding, Reading
from truepath.session.keys import FAILED_EDIT, mark_of
from truepath.types import ToolCall


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
