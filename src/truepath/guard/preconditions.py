"""What is done about a call that fails, or would, though its path exists; `checks` is
the table.

Before the tool runs, only the kind and the size of an entry count. Each program matches
texts in its own way, so an edit is judged after it failed. It is never changed, nor led
to another file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from truepath.calls import contents
from truepath.calls.contents import Edit
from truepath.config.files import read
from truepath.guard import messages
from truepath.guard.bookkeeping import Bookkeeping
from truepath.guard.checks import CHECKS, Check, CheckedFile, Places, named, outline
from truepath.guard.policy import Finding, Policy
from truepath.quoting import shown
from truepath.types import Action, Any, Decision, ToolCall

LARGEST = 4_000_000
"""Bytes of a file that is read, at most: twice the largest source files."""

LINES = 60
"""Lines of a file in an answer, at most."""

LONGEST = 4_000
"""Characters of these lines."""

_OUTLINE = 20
"""Lines of an outline in an answer, at most."""


def before(books: Bookkeeping, policy: Policy, finding: Finding) -> Decision | None:
    """Return the answer to a read of a file that its program does not read whole; None
    if it may run as it is.
    """
    call = books.mentions.call
    most, part, argument = (policy.caller.limits or {})[call.tool]
    first = contents.start_of(call)
    if not first or finding.rule == "guide":
        return None
    file = _opened(books, finding, over=most)
    if file is None:
        return None
    lines = _fitting(file.text, first, part)
    arguments = contents.in_part(call, argument, first, lines)
    action: Action = "refuse"
    if lines and _may_change(call, policy, finding):
        others = policy.caller.others
        action = others(call, arguments) if others else "rewrite"
    if finding.rule == "observe" or action == "allow":
        decision = Decision("allow", call.arguments)
    elif action == "rewrite":
        decision = _read_in_part(file, finding, first, lines, arguments)
    else:
        decision = _too_large(books, policy, finding, file)
    return books.unmet(finding, "too-large", decision)


def _may_change(call: ToolCall, policy: Policy, finding: Finding) -> bool:
    """Return whether a read may run for a part of its file, with a note."""
    refused = finding.rule == "refuse" or call.approved
    return not refused and policy.caller.rewrites and policy.notes


def _read_in_part(
    file: CheckedFile,
    finding: Finding,
    first: int,
    lines: int,
    arguments: Mapping[str, Any],
) -> Decision:
    path = shown(finding.resolution.written)
    says = (
        f"{messages.READ_IN_PART}: {path} has {_size(file)}, more than is read "
        f"at once: lines {first} to {first + lines - 1} are shown. To go on, read "
        f"from line {first + lines}, or search in it."
    )
    return _decision(finding, says, "rewrite", arguments)


def _too_large(
    books: Bookkeeping, policy: Policy, finding: Finding, file: CheckedFile
) -> Decision:
    heads = outline(file) if _may_show(books, finding) else None
    says = _answer(named("too-large"), finding.resolution.written, file, heads or ())
    action: Action = "refuse" if policy.refuses(finding.mention) else "advise"
    return _decision(finding, says, action, books.mentions.call.arguments)


def after(
    books: Bookkeeping, findings: Sequence[Finding], about: str
) -> Decision | None:
    """Return what a failed call should have known about its file; None for nothing.

    `about` is what its error is about: `size` or `text`.
    """
    operation = "read" if about == "size" else "edit"
    for finding in findings:
        if finding.resolution.operation != operation or not _may_show(books, finding):
            continue
        file = _opened(books, finding, edited=about == "text")
        if file and (decision := _told(books, finding, file)):
            return decision
    return None


def _told(books: Bookkeeping, finding: Finding, file: CheckedFile) -> Decision | None:
    """Return the answer of the first check that applies; None if none does."""
    arguments = books.mentions.call.arguments
    for check in CHECKS:
        places = check.finds(file)
        if places is None:
            continue
        says = _answer(check, finding.resolution.written, file, places)
        decision = _decision(finding, says, "advise", arguments)
        if finding.rule == "observe":
            decision = Decision("allow", arguments)
        return books.unmet(finding, check.name, decision)
    return None


def _answer(check: Check, path: str, file: CheckedFile, places: Places) -> str:
    """Return the answer for a check, with the places that it is about."""
    count = file.text.count(file.edit.old) if file.edit else 0
    first = check.says.format(path=shown(path), size=_size(file), count=count)
    return "\n".join([first, *_numbered(file.text, places)])


def _numbered(text: str, places: Places) -> list[str]:
    """Return the lines of some places, with their numbers, as many as fit."""
    # Of a long outline, every second or third line is shown.
    step = -(-len(places) // _OUTLINE) or 1
    lines = text.split("\n")
    numbers = [
        number for first, last in places[::step] for number in range(first, last + 1)
    ]
    fitting = []
    room = LONGEST
    for number in numbers[:LINES]:
        line = f"{number}\t{lines[number - 1]}"
        room -= len(line) + 1
        if room >= 0:
            fitting.append(line)
    return fitting


def _size(file: CheckedFile) -> str:
    count = file.text.count("\n") + (not file.text.endswith("\n"))
    noun = "line" if count == 1 else "lines"
    return f"{file.size / 1024:,.1f} KB in {count:,} {noun}"


def _decision(
    finding: Finding, says: str, action: Action, arguments: Mapping[str, Any]
) -> Decision:
    data = messages.payload(says.partition(":")[0], [finding.resolution])
    return Decision(action, arguments, says, data, resolutions=(finding.resolution,))


def _may_show(books: Bookkeeping, finding: Finding) -> bool:
    path = finding.resolution.path
    return path is not None and books.workspace.tree.may_name(path)


def _opened(
    books: Bookkeeping, finding: Finding, *, edited: bool = False, over: int = 0
) -> CheckedFile | None:
    """Return an existing file of more than `over` bytes; None if it is no text or over
    `LARGEST`, or if it fits every edit.
    """
    path = finding.resolution.path
    space = books.workspace
    exists = finding.resolution.status == "exists" and space.on_disk
    if path is None or not exists or space.tree.protects(path):
        return None
    if path.endswith(".ipynb"):  # Claude Code 2.1.331 reads large notebooks
        return None
    text, size = _text_of(os.path.join(space.root, path), over)
    if not text:
        return None
    if not edited:
        return CheckedFile(text, size)
    edit = _unfit(text, contents.edits(books.mentions.call, finding.mention))
    return CheckedFile(text, size, edit) if edit else None


def _text_of(place: str, over: int) -> tuple[str, int]:
    """Return the text of a file of more than `over` bytes, and its size; "" if it is no
    text or over `LARGEST`.
    """
    try:
        data = read(place, LARGEST) if os.path.getsize(place) > over else b""
        text = data.decode("utf-8").replace("\r\n", "\n")
    except (OSError, ValueError):
        return "", 0
    plain = "\0" not in text and not text.startswith("%PDF-")
    return (text, len(data)) if plain else ("", 0)


def _unfit(text: str, edits: Sequence[Edit]) -> Edit | None:
    """Return the first edit that a file does not fit; None if that is not known,
    because a later one may replace what an earlier one makes.
    """
    made = ""
    for edit in edits:
        old = edit.old.replace("\r\n", "\n")
        new = edit.new.replace("\r\n", "\n")
        count = text.count(old)
        if count != 1 and not (count and edit.every):
            return None if old in made else Edit(old, new, edit.every)
        made += f"{new}\n"
    return None


def _fitting(text: str, first: int, most: int) -> int:
    """Return how many lines from the first one have at most so many bytes."""
    fitting = 0
    for line in text.removesuffix("\n").split("\n")[first - 1 :]:
        most -= len(line.encode()) + 1
        if most < 0:
            break
        fitting += 1
    return fitting
