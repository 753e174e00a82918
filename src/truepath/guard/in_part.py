"""What is ruled about a read of a file that its program does not read whole: the call
reads a part of it, or is refused.

Its texts: `read in part`, `too large`, `behind its end`, `long line`.
"""

from __future__ import annotations

from collections.abc import Mapping

from truepath.calls import contents
from truepath.guard import files
from truepath.guard.checks import outline
from truepath.guard.reading import Finding, Reading, Ruling
from truepath.guard.texts import READ_IN_PART, TOO_LARGE
from truepath.records import replace
from truepath.types import Action, Any, ReadLimit


def in_part(reading: Reading, finding: Finding, limit: ReadLimit) -> Ruling | None:
    """Rule about a read of a file that is too large; None if it asks for a part, or the
    file is no text.
    """
    first = contents.start_of(reading.call)
    # A call that names its last line or its pages has asked for a part already.
    text = files.text_of(reading, finding) if first else None
    if text is None:
        return None
    lines = _count_fitting(text, first, limit)
    arguments = contents.arguments_in_part(reading.call, limit.argument, first, lines)
    action = _action(reading, finding, lines, arguments)
    ruling = Ruling(action, [finding], row="too-large")
    # A rule of the host denies the call: it is left to the host.
    if action == "allow":
        return ruling
    file = files.whole(text)
    count = files.count_lines(file.text)
    parts = {"size": (file.size, count), "first": first}
    if action == "rewrite":
        onward = ""
        if first + lines <= count:
            onward = contents.next_part(limit.argument, first, lines)
        return replace(
            ruling,
            arguments=arguments,
            code=READ_IN_PART,
            says="read in part",
            parts={**parts, "last": first + lines - 1, "onward": onward},
        )
    ruling = replace(ruling, code=TOO_LARGE, parts=parts)
    if first > count:
        return replace(ruling, says="behind its end")
    if not lines:  # no part can be read, so no outline helps
        parts["override"] = limit.override
        return replace(ruling, says="long line")
    ruling = replace(ruling, says="too large")
    if not files.may_show(reading, finding):
        return ruling
    return replace(ruling, text=file.text, places=outline(file) or ())


def _action(
    reading: Reading, finding: Finding, lines: int, arguments: Mapping[str, Any]
) -> Action:
    """Return what becomes of a read that would fail, and of which some lines fit."""
    caller = reading.caller
    action: Action = "refuse"
    is_refused = finding.rule == "refuse" or reading.call.approved
    if lines and caller.rewrites and reading.notes and not is_refused:
        action = "rewrite"
        if caller.others is not None:
            action = caller.others(reading.call, arguments)
    if finding.rule == "observe":
        return "allow"
    if action == "refuse" and not reading.refuses(finding.mention):
        return "advise"
    return action


def _count_fitting(text: str, first: int, limit: ReadLimit) -> int:
    """Return how many lines from the first one a tool surely shows at once."""
    measure = contents.tokens_of if limit.in_tokens else len
    room = limit.part
    fitting = 0
    for line in text.removesuffix("\n").split("\n")[first - 1 :]:
        room -= measure(f"{line}\n".encode())
        if room < 0:
            break
        fitting += 1
    return fitting
