"""The notes of the session that an edit has failed, and on which contents of its
file.
"""

from __future__ import annotations

from collections.abc import Sequence

from truepath.calls.tools import arguments_of
from truepath.fields import digest
from truepath.session.keys import FAILED_EDIT
from truepath.types import ToolCall


def failed_note(call: ToolCall) -> str:
    """Return the note that an edit has failed."""
    return f"{FAILED_EDIT}{digest(_written(call))}"


def notes_on(call: ToolCall, text: str) -> tuple[str, str]:
    """Return the notes that a call failed on a text, and that it was refused on it."""
    both = digest([*_written(call), text])
    return f"failed-edit-on:{both}", f"refused-edit-on:{both}"


def _written(call: ToolCall) -> Sequence[object]:
    return (call.known_as or call.tool, call.cwd, arguments_of(call))
