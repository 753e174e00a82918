"""The table of checks: what a call needs besides a path that exists, and what is said without it.

Before the tool runs, only the kind and the size of an entry count. Each program matches texts in
its own way, so an edit is judged after it failed. It is never changed, nor led to another file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence

from truepath.calls import contents
from truepath.calls.contents import Edit
from truepath.config.files import read
from truepath.guard import messages, remedies
from truepath.guard.follow import FollowUp
from truepath.guard.policy import Finding, Policy
from truepath.records import dataclass
from truepath.types import Action, Any, Decision

LARGEST = 4_000_000
"""Bytes of a file that is read, at most: twice the largest source files."""

_TELLS, _MADE = 12, 20
"""Characters without blanks of a text that is not like a place by chance, and of a new text that is
not there by chance."""

_ALIKE, _AHEAD = 70.0, 10.0
"""The ratio (rapidfuzz, 0 to 100) from which lines are meant, and their lead over other lines."""

_WORK = 1e10
"""Lines of a file times the square of a text's length: a third of a second of comparing."""

_HEADING = (
    r"#{1,4} \S|(?:(?:export|default|public|private|pub|static|abstract|async) )*"
    r"(?:def|class|func|function|fn|struct|enum|trait|impl|interface|type|module|namespace) \w"
)
"""The beginning of a line that heads a part of a text or a program."""

Places = Sequence[tuple[int, int]]
"""Lines of a file: the first and the last of each place, from 1."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known about the file of a call that failed, or would."""

    text: str
    size: int
    edit: Edit | None = None
    """The first edit that the file does not fit; None for a read."""


@dataclass(frozen=True, slots=True)
class Check:
    """A row of the table; what is said is in `remedies.SAID`."""

    name: str
    sentence: str
    finds: Callable[[Known], Places | None]
    """Returns the lines to show after a failure; None if the check does not apply."""
    before: str = ""
    """What is done before the tool runs."""


def _is_too_large(known: Known) -> Places | None:
    heads = enumerate(known.text.split("\n"), 1)
    return None if known.edit else [(at, at) for at, line in heads if re.match(_HEADING, line)]


def _is_doubled(known: Known) -> Places | None:
    edit, lines = known.edit, known.text.split("\n")
    if edit is None or edit.every or known.text.count(edit.old) < 2:
        return None
    found = []
    for at, _ in _places(known.text, edit.old):
        before = (line for line in range(at - 1, 0, -1) if lines[line - 1].strip())
        found.append((next(before, at), at))
    return found


def _is_made(known: Known) -> Places | None:
    new = known.edit.new if known.edit and known.edit.old not in known.text else ""
    return _places(known.text, new)[:1] or None if len("".join(new.split())) >= _MADE else None


def _has_other_blanks(known: Known) -> Places | None:
    wanted, has = "".join(known.edit.old.split() if known.edit else ()), "".join(known.text.split())
    if len(wanted) < _TELLS or has.count(wanted) != 1:
        return None
    begins, seen, lines = has.index(wanted), 0, []
    for number, line in enumerate(known.text.split("\n"), 1):
        length = len("".join(line.split()))
        if seen < begins + len(wanted) and seen + length > begins:
            lines.append(number)
        seen += length
    return [(lines[0], lines[-1])]


def _has_like_lines(known: Known) -> Places | None:
    from rapidfuzz import fuzz, process

    old, lines = known.edit.old.strip("\n") if known.edit else "", known.text.split("\n")
    count = old.count("\n") + 1
    if len("".join(old.split())) < _TELLS or len(lines) * len(old) ** 2 > _WORK:
        return None
    parts = {at: "\n".join(lines[at - 1 : at - 1 + count]) for at in range(1, len(lines) + 1)}
    cutoff = _ALIKE - _AHEAD
    found = process.extract(old, parts, scorer=fuzz.ratio, score_cutoff=cutoff, limit=None)
    _, best, at = found[0] if found else ("", 0.0, 0)
    apart = (ratio for _, ratio, other in found if abs(other - at) >= count)
    sure = best >= max(_ALIKE, max(apart, default=0.0) + _AHEAD)
    around = max(1, at - 1), min(len(lines), at + count)
    return [around] if sure else None


CHECKS = (
    Check("folder", "a folder is read or edited as a file", lambda _: None, "refused with entries"),
    Check(
        *("too-large", "all of a file is read that is larger than its program reads at once"),
        *(_is_too_large, "read in part, with a note; else refused, with an outline"),
    ),
    Check("several-places", "the text to be replaced is there several times", _is_doubled),
    Check("made-already", "the new text is there, and the one to be replaced is not", _is_made),
    Check("other-blanks", "the text to be replaced is there with other blanks", _has_other_blanks),
    Check("other-words", "one place is clearly most like the text to be replaced", _has_like_lines),
)
"""The table: the first row that applies counts."""


def before(follow: FollowUp, policy: Policy, finding: Finding) -> Decision | None:
    """Return the answer to a read of a file that its program does not read whole; None if it may
    run as it is.
    """
    call, caller, path = follow.mentions.call, policy.caller, finding.resolution.written
    most, part, argument = (caller.limits or {})[call.tool]
    first = contents.start_of(call)
    known = _known(follow, finding, over=most) if first and finding.rule != "guide" else None
    if known is None:
        return None
    lines = _fitting(known.text, first, part)
    arguments = contents.in_part(call, argument, first, lines)
    keeps = finding.rule == "refuse" or call.approved or not (caller.rewrites and policy.notes)
    action: Action = "refuse" if keeps or not lines else "rewrite"
    if action == "rewrite" and caller.others:
        action = caller.others(call, arguments)
    if finding.rule == "observe" or action == "allow":
        return follow.unmet(finding, "too-large", Decision("allow", call.arguments))
    if action == "rewrite":
        said = remedies.part(path, known, first, lines)
        return follow.unmet(finding, "too-large", _decision(finding, said, action, arguments))
    outline = _is_too_large(known) if _shows(follow, finding) else ()
    said = remedies.said("too-large", path, known, outline or ())
    action = "refuse" if caller.refuses and finding.mention.alone else "advise"
    return follow.unmet(finding, "too-large", _decision(finding, said, action, call.arguments))


def after(follow: FollowUp, findings: Sequence[Finding], about: str) -> Decision | None:
    """Return what a failed call should have known about its file; None for nothing.

    `about` is what its error is about: `size` or `text`.
    """
    call, operation = follow.mentions.call, "read" if about == "size" else "edit"
    for finding in findings:
        fits = finding.resolution.operation == operation and _shows(follow, finding)
        known = _known(follow, finding, edited=about == "text") if fits else None
        for check in CHECKS:
            places = check.finds(known) if known else None
            if known and places is not None:
                said = remedies.said(check.name, finding.resolution.written, known, places)
                decision = _decision(finding, said, "advise", call.arguments)
                quiet = Decision("allow", call.arguments) if finding.rule == "observe" else None
                return follow.unmet(finding, check.name, quiet or decision)
    return None


def _decision(
    finding: Finding, said: str, action: Action, arguments: Mapping[str, Any]
) -> Decision:
    data = messages.payload(said.partition(":")[0], [finding.resolution])
    return Decision(action, arguments, said, data, resolutions=(finding.resolution,))


def _shows(follow: FollowUp, finding: Finding) -> bool:
    path = finding.resolution.path
    return path is not None and follow.workspace.tree.may_name(path)


def _known(
    follow: FollowUp, finding: Finding, *, edited: bool = False, over: int = 0
) -> Known | None:
    """Return what is known about an existing file of more than `over` bytes; None if it is no text
    or over `LARGEST`, or if it fits every edit. Claude Code 2.1.331 reads large notebooks.
    """
    path, space = finding.resolution.path, follow.workspace
    exists = finding.resolution.status == "exists" and space.on_disk
    if path is None or not exists or path.endswith(".ipynb") or space.tree.protects(path):
        return None
    try:
        place = os.path.join(space.root, path)
        data = read(place, LARGEST) if os.path.getsize(place) > over else b""
        text = data.decode("utf-8").replace("\r\n", "\n")
    except (OSError, ValueError):
        return None
    edit = _unfit(text, contents.edits(follow.mentions.call, finding.mention)) if edited else None
    plain = data and "\0" not in text and not text.startswith("%PDF-")
    return Known(text, len(data), edit) if plain and (edit or not edited) else None


def _unfit(text: str, edits: Sequence[Edit]) -> Edit | None:
    """Return the first edit that a file does not fit; None if that is not known, because a later
    one may replace what an earlier one makes.
    """
    made = ""
    for edit in edits:
        old, new = (each.replace("\r\n", "\n") for each in (edit.old, edit.new))
        if (count := text.count(old)) != 1 and not (count and edit.every):
            return None if old in made else Edit(old, new, edit.every)
        made += f"{new}\n"
    return None


def _places(text: str, part: str) -> Places:
    """Return the first places of a text in a file, as many as an answer has at most."""
    shift, lines = len(part) - len(part.lstrip("\n")), part.strip("\n").count("\n")
    found: list[tuple[int, int]] = []
    at = text.find(part)
    while at >= 0 and len(found) < remedies.PLACES:
        first = text.count("\n", 0, at + shift) + 1
        found.append((first, first + lines))
        at = text.find(part, at + len(part))
    return found


def _fitting(text: str, first: int, most: int) -> int:
    """Return how many lines from the first one have at most so many bytes."""
    fit = 0
    for line in text.split("\n")[first - 1 :]:
        most -= len(line.encode()) + 1
        fit += most >= 0
    return fit
