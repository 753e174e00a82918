"""What a host's record of the session tells of a call, while the host still writes that record."""

from __future__ import annotations

import os
import time

from truepath.calls.paths import find
from truepath.config.files import opener

TYPE_CHECKING = False  # `typing` itself would cost a hook as much as half an interpreter
if TYPE_CHECKING:
    from truepath.hosts.host import Host
    from truepath.types import ToolCall

LARGEST = 1_000_000
"""Bytes at the end of a record that are read for what the user typed last."""

LAG = 0.15
"""Seconds that a record may be behind its hooks: Claude Code 2.1.330 wrote a call down up to 0.08
seconds after it had started the call's hook, on a busy machine of two cores."""

_PAUSE = 0.01


def recalled(host: Host, call: ToolCall, path: str | None) -> ToolCall:
    """Return `call` with what the record at `path` tells of it.

    Where the call misses a path, its turn matters, and the record is waited for; a sub-agent's
    calls are written down elsewhere.
    """
    if not path:
        return call
    ends = time.monotonic() + LAG
    record = end_of(path)
    awaited = bool(record and call.call_id and not (call.turn or call.agent)) and _misses(call)
    name = call.call_id.encode("utf-8", "replace")
    while awaited and name not in record and time.monotonic() < ends:
        time.sleep(_PAUSE)
        record = end_of(path)
    return host.recall(call, record) if record else call


def end_of(path: str) -> bytes:
    """Return the end of a regular file; nothing where it cannot be read."""
    try:
        with open(path, "rb", opener=opener) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - LARGEST))
            return file.read(LARGEST)
    except (OSError, ValueError):
        return b""


def _misses(call: ToolCall) -> bool:
    """Whether a path of the call may not be there, by a look that can only err towards that."""
    mentions = find(call)
    folder = mentions.cwd or call.cwd or ""
    try:
        return not all(
            os.path.lexists(os.path.join(folder, mention.written)) for mention in mentions.each
        )
    except ValueError:  # a NUL byte in a path
        return True
