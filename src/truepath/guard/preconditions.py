"""What is done about a call that fails, or would, though its path exists; `checks` is
the table.

Before the tool runs, only the kind and the size of an entry count. Each program matches
texts in its own way, so an edit is judged after it failed. It is never changed, nor led
to another file.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence

from truepath.calls import contents
from truepath.calls.contents import Edit
from truepath.config.files import read
from truepath.guard import messages
from truepath.guard.bookkeeping import Bookkeeping, surroundings_of
from truepath.guard.checks import CHECKS, Check, CheckedFile, Places, named, outline
from truepath.guard.policy import Finding, Policy
from truepath.guard.texts import READ_IN_PART, said
from truepath.paths import is_absolute, join
from truepath.quoting import escaped_line, shown
from truepath.types import Action, Any, Decision, ReadLimit, ToolCall

LARGEST_READ = 4_000_000
"""Bytes of a file that is read, at most: twice the largest source files."""

LINES = 60
"""Lines of a file in an answer, at most."""

LONGEST = 4_000
"""Characters of these lines."""

_OUTLINE = 20
"""Lines of an outline in an answer, at most."""


def before(books: Bookkeeping, policy: Policy, finding: Finding) -> Decision | None:
    """Return and record the answer to a read of a file that its program does not read
    whole; None if it may run as it is.
    """
    decision = in_part(books, policy, finding)
    return decision and books.record_check(finding, "too-large", decision)


def in_part(books: Bookkeeping, policy: Policy, finding: Finding) -> Decision | None:
    """Return the answer to a read of a file that its program does not read whole; None
    if it may run as it is.
    """
    call = books.mentions.call
    limit = (policy.caller.limits or {})[call.tool]
    first = contents.start_of(call)
    # A call that names its last line or its pages has asked for a part already.
    if not first or finding.rule == "guide":
        return None
    if not books.is_too_large(finding, limit.whole):
        return None
    text = _text_of(books, finding)
    if text is None:
        return None
    file = CheckedFile(_lf(text), len(text.encode()))
    lines = _count_fitting(text, first, limit)
    arguments = contents.arguments_in_part(call, limit.argument, first, lines)
    action: Action = "refuse"
    if lines and _may_change(call, policy, finding):
        ask_others = policy.caller.others
        action = "rewrite"
        if ask_others is not None:
            action = ask_others(call, arguments)
    # A rule of the host denies the call: it is left to the host.
    if finding.rule == "observe" or action == "allow":
        return Decision("allow", call.arguments)
    if action == "rewrite":
        return _read_in_part(file, finding, limit, first, lines, arguments)
    return _too_large(books, policy, finding, file, first, lines)


def _may_change(call: ToolCall, policy: Policy, finding: Finding) -> bool:
    """Return whether a read may run for a part of its file, with a note."""
    refused = finding.rule == "refuse" or call.approved
    return not refused and policy.caller.rewrites and policy.notes


def _read_in_part(
    file: CheckedFile,
    finding: Finding,
    limit: ReadLimit,
    first: int,
    lines: int,
    arguments: Mapping[str, Any],
) -> Decision:
    onward = said("to its end")
    if first + lines <= _count_lines(file):
        argument = contents.next_part(limit.argument, first, lines)
        onward = said("onward", argument=argument)
    says = said(
        "read in part",
        path=shown(finding.resolution.written),
        size=_size(file),
        first=f"{first}",
        last=f"{first + lines - 1}",
        onward=onward,
    )
    return _decision(finding, READ_IN_PART, says, "rewrite", arguments)


def _too_large(
    books: Bookkeeping,
    policy: Policy,
    finding: Finding,
    file: CheckedFile,
    first: int,
    lines: int,
) -> Decision:
    """Return the refusal of a read: with an outline, or why no part can be read."""
    check = named("too-large")
    action: Action = "refuse" if policy.refuses(finding.mention) else "advise"
    arguments = books.mentions.call.arguments
    path = shown(finding.resolution.written)
    parts = {"code": check.code, "path": path, "size": _size(file)}
    if first > _count_lines(file):
        says = said("behind its end", first=f"{first}", **parts)
    elif not lines:  # no part can be read, so no outline helps
        limit = (policy.caller.limits or {})[books.mentions.call.tool]
        way = f"Set `{limit.override}`, s" if limit.override else "S"
        says = said("long line", first=f"{first}", override=way, **parts)
    else:
        heads = None
        if _may_show(books, policy, finding):
            heads = outline(file)
        says = _answer(check, finding.resolution.written, file, heads or ())
    return _decision(finding, check.code, says, action, arguments)


def after(
    books: Bookkeeping,
    policy: Policy,
    findings: Sequence[Finding],
    about: Collection[str],
    error: str,
) -> Decision | None:
    """Return what a failed call should have known about its file; None for nothing.

    `about` is what its error may be about: the `size` of a file that was read, or the
    `text` that was to be replaced.
    """
    call = books.mentions.call
    operations = {"read": "size", "edit": "text"}
    for finding in findings:
        operation = finding.resolution.operation
        if operations.get(operation) not in about:
            continue
        text = _text_of(books, finding)
        if text is None or not _may_show(books, policy, finding):
            continue
        file: CheckedFile | None = CheckedFile(_lf(text), len(text.encode()))
        if operation == "edit":
            edits = contents.edits(call, finding.mention)
            file = _unfit_file(text, edits, contents.every_name(call, error))
        if file is None:  # it fits its edits now: somebody has changed it since
            continue
        decision = _first_answer(books, finding, file)
        if decision is not None:
            return decision
    return None


def not_absolute(
    books: Bookkeeping, findings: Sequence[Finding], *, here: bool = False
) -> Decision | None:
    """Return the absolute paths for a failed call whose tool takes no relative ones, or
    with `here` looked for them in this process's folder; None if none of its paths
    exists.
    """
    space = books.workspace
    call = books.mentions.call
    check = named("not-absolute")
    relative: list[Finding] = []
    answers: list[str] = []
    for finding in findings:
        written = finding.mention.written
        if is_absolute(written, space.tree.flavour):
            continue
        # In a command, it is the program's own word about its options.
        is_right = finding.mention.text is None
        if here:
            is_right = not os.path.lexists(written)
        path = _meant(books, finding)
        if not is_right or path is None:
            continue
        around = surroundings_of(space, finding, call)
        whole = join(space.root, path, space.tree.flavour)
        answers.append(messages.not_absolute(finding.resolution, whole, around))
        relative.append(finding)
    if not relative:
        return None
    data = messages.payload(check.code, [finding.resolution for finding in relative])
    resolutions = tuple(finding.resolution for finding in relative)
    text = messages.joined(answers)
    decision = Decision("advise", call.arguments, text, data, resolutions=resolutions)
    if all(finding.rule == "observe" for finding in relative):
        decision = Decision("allow", call.arguments)
    return books.record_check(relative[0], check.name, decision)


def _meant(books: Bookkeeping, finding: Finding) -> str | None:
    """Return the path that a finding surely is about, or that it makes in a folder that
    exists; None if there is none.
    """
    resolution = finding.resolution
    if resolution.status in ("exists", "resolved"):
        return resolution.path
    if not finding.makes or finding.looks_wrong or resolution.outside:
        return None
    folder = resolution.target.rpartition("/")[0]
    if books.workspace.tree.kind(folder) != "folder":
        return None
    return resolution.target


def _first_answer(
    books: Bookkeeping, finding: Finding, file: CheckedFile
) -> Decision | None:
    """Return the answer of the first check that applies; None if none does."""
    arguments = books.mentions.call.arguments
    for check in CHECKS:
        places = check.finds(file)
        if places is None:
            continue
        says = _answer(check, finding.resolution.written, file, places)
        decision = _decision(finding, check.code, says, "advise", arguments)
        if finding.rule == "observe":
            decision = Decision("allow", arguments)
        # Hosts limit tokens too: a file below the limit of bytes may fail again.
        if check.name == "too-large":
            books.note_too_large(finding)
        return books.record_check(finding, check.name, decision)
    return None


def _answer(check: Check, path: str, file: CheckedFile, places: Places) -> str:
    """Return the answer for a check, with the places that it is about."""
    count = file.text.count(file.edit.old) if file.edit else 0
    every = said("every", argument=file.every) if file.every else ""
    first = said(
        check.says,
        code=check.code,
        path=shown(path),
        size=_size(file),
        count=f"{count}",
        ends=file.ends,
        every=every,
    )
    return "\n".join([first, *_numbered(file.text, places)])


def _numbered(text: str, places: Places) -> list[str]:
    """Return the lines of some places, with their numbers, as many as fit."""
    # Of a long outline, every second or third line is shown, so that its end is too.
    step = 1 + max(0, len(places) - 1) // _OUTLINE
    numbers: list[int] = []
    for first, last in places[::step]:
        numbers.extend(range(first, last + 1))
    lines = text.split("\n")
    fitting = []
    room = LONGEST
    for number in numbers[:LINES]:
        line = f"{number}\t{escaped_line(lines[number - 1])}"
        room -= len(line) + 1
        if room < 0:
            break
        fitting.append(line)
    return fitting


def _count_lines(file: CheckedFile) -> int:
    """Return the number of lines of a file."""
    return file.text.removesuffix("\n").count("\n") + 1


def _size(file: CheckedFile) -> str:
    count = _count_lines(file)
    noun = "line" if count == 1 else "lines"
    return f"{file.size / 1024:,.1f} KB in {count:,} {noun}"


def _decision(
    finding: Finding, code: str, says: str, action: Action, arguments: Mapping[str, Any]
) -> Decision:
    data = messages.payload(code, [finding.resolution])
    return Decision(action, arguments, says, data, resolutions=(finding.resolution,))


def _may_show(books: Bookkeeping, policy: Policy, finding: Finding) -> bool:
    """Return whether lines of a file may be shown."""
    path = finding.resolution.path
    space = books.workspace
    if path is None or not space.tree.may_name(path):
        return False
    from truepath.project.secrets import Deny

    if Deny(policy.caller.withheld)(path):
        return False
    try:
        links = os.stat(os.path.join(space.root, path)).st_nlink
    except OSError:
        return False
    return links == 1  # another name may be that of a secret, wherever it is


def _text_of(books: Bookkeeping, finding: Finding) -> str | None:
    """Return the text of an existing file, as it is; None if it is no text or over
    `LARGEST_READ`.
    """
    path = finding.resolution.path
    space = books.workspace
    exists = finding.resolution.status == "exists" and space.on_disk
    if path is None or not exists or space.tree.protects(path):
        return None
    if path.endswith(".ipynb"):  # Claude Code 2.1.331 reads large notebooks
        return None
    place = os.path.join(space.root, path)
    try:
        text = read(place, LARGEST_READ).decode("utf-8")
    except (OSError, ValueError):
        return None
    # Programs show a PDF in another way, and refuse what is no text.
    if not text or "\0" in text or text.startswith("%PDF-"):
        return None
    return text


def _unfit_file(text: str, edits: Sequence[Edit], every: str) -> CheckedFile | None:
    """Return a file with the first edit that it does not fit; None if it fits all, or
    that is not known.
    """
    plain = [Edit(_lf(edit.old), _lf(edit.new), edit.every) for edit in edits]
    lines = _lf(text)
    size = len(text.encode())
    # Most programs fit an edit whatever its line ends are, so those are judged last.
    unfit = _first_unfit(lines, plain)
    if unfit is not None:
        return CheckedFile(lines, size, plain[unfit], every=every)
    # Some programs take line ends as they are.
    unfit = _first_unfit(text, edits)
    if unfit is None:
        return None
    ends = _differing_ends(text, edits[unfit].old)
    if not ends:
        return None
    return CheckedFile(lines, size, plain[unfit], ends=ends)


def _first_unfit(text: str, edits: Sequence[Edit]) -> int | None:
    """Return the number of the first edit that a file does not fit; None if it fits
    all, or that is not known, because a later one may replace what an earlier one
    makes.
    """
    made = ""
    for number, edit in enumerate(edits):
        count = text.count(edit.old)
        fits = count == 1 or (count > 1 and edit.every)
        if not fits:
            return None if edit.old in made else number
        made += f"{edit.new}\n"
    return None


def _differing_ends(text: str, old: str) -> str:
    """Return how the line ends of a file and of a text that is in it differ; "" if
    both have some of each kind.
    """
    sent = _line_ends(old)
    there = _line_ends(text)
    if sent == there:
        return ""
    return f"its lines end in {sent}, those of the file in {there}"


def _line_ends(text: str) -> str:
    """Return the line ends of a text, in words."""
    windows = text.count("\r\n")
    if not windows:
        return "LF"
    return "CRLF" if text.count("\n") == windows else "LF and CRLF"


def _lf(text: str) -> str:
    return text.replace("\r\n", "\n")


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
