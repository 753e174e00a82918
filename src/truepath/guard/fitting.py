"""The ruler of an edit whose text is in its file with other line ends alone.

`line_ends` decides. Whether a tool compares bytes is known of some by name; of others
it is learned in a session, from a failure that has no other cause. A program with hooks
finds a text in either itself: only tools of this process, and those behind the relay,
are asked about here.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from truepath import TYPE_CHECKING, Late
from truepath.calls import contents
from truepath.guard.effects import LINE_ENDS
from truepath.guard.files import text_at
from truepath.guard.reading import ELSEWHERE, Finding, Reading, Ruling
from truepath.guard.texts import EDIT_CORRECTED
from truepath.pathlike import as_text, like
from truepath.types import ToolCall

if TYPE_CHECKING:
    from truepath.calls.contents import Edit
    from truepath.guard import line_ends
    from truepath.guard.line_ends import Fitted
    from truepath.project import contents as file_contents
else:
    line_ends = Late("truepath.guard.line_ends")
    file_contents = Late("truepath.project.contents")

ROW = "other-line-ends"
"""The row of `checks` that says so after a failure."""


def other_line_ends(reading: Reading) -> Ruling | None:
    """Rule about a call that fits its files with other line ends alone; None if it may
    run as it is.
    """
    if not reading.checks or not may_change(reading):
        return None

    edited = [
        finding
        for finding in reading.findings
        if finding.resolution.operation == "edit"
        and contents.edits(reading.call, finding.mention)
    ]
    known = all(_is_opened(reading, finding) for finding in edited)
    changes = _changes(reading, edited) if known else ()
    if not changes:
        return None
    texts = [(change.edit, change.old, change.new) for change in changes]
    given = reading.mentions.given
    changed = contents.with_texts(reading.call.arguments, texts)
    return Ruling(
        "rewrite",
        edited,
        like(given, as_text(given), changed),
        row=ROW,
        event="check.corrected",
        says="line ends",
        code=EDIT_CORRECTED,
        parts={"ends": " and ".join(sorted({change.ends for change in changes}))},
    )


def _changes(reading: Reading, findings: Sequence[Finding]) -> Sequence[Fitted]:
    """Return the edits of a call that fit their files with other line ends alone."""
    files: dict[str, list[Edit]] = {}
    for finding in findings:
        edits = contents.edits(reading.call, finding.mention)
        files.setdefault(finding.resolution.path or "", []).extend(edits)
    in_bytes = compares_bytes(reading)
    changes: list[Fitted] = []
    for path, edits in files.items():
        # Nearly all edits end here, before their file is read.
        if line_ends.may_differ(edits, in_bytes=in_bytes):
            text = text_at(reading, path, file_contents.LARGEST_SEARCHED)
            changes += line_ends.fitted(text, edits, in_bytes=in_bytes)
    return changes


def may_change(reading: Reading) -> bool:
    """Return whether a call may run with other line ends: its tool is in this process,
    or behind the relay, and no person has approved the call as it is.
    """
    caller = reading.caller
    # A hook's process exists for one call.
    in_process = caller.began is None and caller.rewrites
    return in_process and LINE_ENDS.allows(reading.rules) and not reading.call.approved


def compares_bytes(reading: Reading, *noted: str) -> bool:
    """Return whether a tool is known to compare bytes, if the session has some notes
    besides.
    """
    call = reading.call
    if (call.host, call.tool) in line_ends.COMPARE_BYTES:
        return True
    note = learned_note(call)
    is_learned = note in noted or reading.known.noted(note)
    return is_learned and not reading.known.noted(_unlearned_note(call))


def learned_note(call: ToolCall) -> str:
    """Return the note that a tool compares bytes: it did not find a text that differs
    from its file in line ends alone.
    """
    return f"compares-bytes:{call.known_as or call.tool}"


def _unlearned_note(call: ToolCall) -> str:
    return f"reads-lines:{call.known_as or call.tool}"


def unlearned(reading: Reading, finding: Finding) -> Ruling | None:
    """Rule, without a word, about a tool that failed though its file has the text as it
    was sent: it does not compare bytes, whatever was learned.
    """
    if not reading.known.noted(learned_note(reading.call)):
        return None
    return Ruling("allow", [finding], row=ROW, notes=(_unlearned_note(reading.call),))


def _is_opened(reading: Reading, finding: Finding) -> bool:
    """Return whether the file that was found is surely the one that the tool opens."""
    written = finding.mention.written
    if finding.resolution.path is None or not reading.space.on_disk:
        return False
    if reading.call.cwd != ELSEWHERE or os.path.isabs(written):
        return True
    # A tool that does not join it to the root opens it in this process's folder.
    return not os.path.lexists(written)
