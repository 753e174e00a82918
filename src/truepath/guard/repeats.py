"""The ruler of an edit that has failed in this session, and is sent again while its
file is the same: it is refused once, with the answer of the first.

What is known is in a note of the session: the call with the contents of its file. A
tool that failed on both fails again.
"""

from __future__ import annotations

from truepath.guard.failed_text import (
    failed_notes,
    has_failed,
    refused_note,
    ruled,
    unfit_edits,
    was_refused,
)
from truepath.guard.reading import PASSIVE, Finding, Reading, Ruling
from truepath.guard.texts import TEXT_NOT_FOUND
from truepath.records import replace
from truepath.types import Action, Any

ROW = "unexplained-edit"
"""The row of what is recorded of an edit that nothing in its file explains."""


def repeated_edit(reading: Reading) -> Ruling | None:
    """Rule about an edit that would fail as it has; None if it may run."""
    if not reading.checks or not reading.caller.refuses:
        return None
    if not has_failed(reading):
        return None
    for finding, text, file in unfit_edits(reading):
        # Most tools find a text whatever its line ends are: it failed on another thing.
        if file.ends:
            continue
        if finding.rule in PASSIVE or not reading.refuses(finding.mention):
            continue
        # The third time it runs: it is refused once, whatever is known.
        if not has_failed(reading, text) or was_refused(reading, text):
            continue
        ruling = ruled(reading, finding, file)
        ruling = ruling or _unexplained(finding, "refuse")
        return replace(
            ruling,
            action="refuse",
            notes=(refused_note(reading, text),),
            parts={**ruling.parts, "same": True},
        )
    return None


def unexplained_edit(reading: Reading) -> Ruling | None:
    """Rule about an edit that failed on its file, of which nothing tells what was
    meant: without a word, until it fails for the third time.
    """
    if not reading.failure or "text" not in reading.failure.about:
        return None
    for finding, text, _ in unfit_edits(reading):
        if was_refused(reading, text):
            return _unexplained(finding, "advise", third=True)
        notes = failed_notes(reading, finding, text)
        return Ruling("allow", [finding], row=ROW, notes=notes)
    return None


def _unexplained(finding: Finding, action: Action, **parts: Any) -> Ruling:
    """Return the ruling that a text is not in its file."""
    return Ruling(
        action,
        [finding],
        row=ROW,
        says="not there",
        code=TEXT_NOT_FOUND,
        parts=parts,
    )
