"""The ruler of a read of a file that its program does not read whole; `in_part` has
what it rules.
"""

from __future__ import annotations

import os

from truepath import TYPE_CHECKING, Late
from truepath.guard.reading import Finding, Reading, Ruling
from truepath.session.keys import FAILED_BY_SIZE, mark_of
from truepath.types import ReadLimit

if TYPE_CHECKING:
    from truepath.guard import in_part
else:
    in_part = Late("truepath.guard.in_part")


def too_large(reading: Reading) -> Ruling | None:
    """Rule about a read of a file that is too large; None if it may run as it is."""
    limit = reading.limit
    # A tool with a limit has one path.
    finding = next(iter(reading.findings), None)
    if limit is None or finding is None or finding.rule == "guide":
        return None
    if not fails_by_size(reading, finding, limit):
        return None

    return in_part.in_part(reading, finding, limit)


def fails_by_size(reading: Reading, finding: Finding, limit: ReadLimit) -> bool:
    """Return whether a file is over a limit, or has failed for its size in this session
    as it is.
    """
    if size_of(reading, finding) > limit.whole:
        return True
    return reading.known.noted(failed_note(reading, finding))


def size_of(reading: Reading, finding: Finding) -> int:
    """Return the bytes of a file; 0 if it cannot be looked at."""
    try:
        return os.path.getsize(reading.place_of(finding))
    except OSError:
        return 0


def failed_note(reading: Reading, finding: Finding) -> str:
    """Return the note of the session that a file failed for its size."""
    return f"{FAILED_BY_SIZE}{mark_of(reading.place_of(finding))}"
