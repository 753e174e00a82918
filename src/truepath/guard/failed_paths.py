"""The ruler of a call that failed on paths that do not exist; its texts are those of
`wrong_paths`.
"""

from __future__ import annotations

from truepath.guard.reading import Reading, Ruling


def failed_paths(reading: Reading) -> Ruling | None:
    """Rule about a call that failed on its paths; None if they exist."""
    failure = reading.failure
    # An error about sizes or texts says nothing of the other paths of the call.
    if failure is None or not (failure.is_missing or "folder" in failure.about):
        return None
    misses = [
        finding
        for finding in reading.paths
        if finding.is_miss and finding.rule not in (None, "observe")
    ]
    return Ruling("advise", misses) if misses else None
