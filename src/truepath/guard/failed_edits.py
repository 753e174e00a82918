"""The notes of the session that an edit has failed, and on which contents of its
file.
"""

from __future__ import annotations

from truepath.calls.tools import arguments_of
from truepath.types import ToolCall


def failed_note(call: ToolCall) -> str:
    """Return the note that an edit has failed."""
    return f"failed-edit:{_digest(_written(call))}"


def notes_on(call: ToolCall, text: str) -> tuple[str, str]:
    """Return the notes that a call failed on a text, and that it was refused on it."""
    both = _digest(f"{_written(call)}\0{text}")
    return f"failed-edit-on:{both}", f"refused-edit-on:{both}"


def _written(call: ToolCall) -> str:
    return repr((call.known_as or call.tool, call.cwd, arguments_of(call)))


def _digest(text: str) -> str:
    # Not from hashlib, which loads OpenSSL (2 ms).
    from _blake2 import blake2b

    data = text.encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=16).hexdigest()
