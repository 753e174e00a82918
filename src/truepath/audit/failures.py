"""Which tool calls failed and why, with the classes and rules of `failures.txt`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from truepath.audit.aftermath import until_it_worked
from truepath.audit.misses import has_failed
from truepath.audit.record import Row
from truepath.audit.transcript import Call, Named
from truepath.calls.contents import edits
from truepath.calls.tools import commands, runs_commands
from truepath.types import ToolCall

_ENDS = 800
"""Characters at the beginning and at the end of a text that are looked at: an error is
there."""

_BLANKS = re.compile(r"\s+")


def classify(
    call: ToolCall, text: str, *, missed: bool = False, cause: str = ""
) -> str:
    """Return the class of a failed call by its answer.

    `missed` says that the answer calls a path of the call missing (`misses.named`),
    `cause` why an edit did not find its text (`causes`).
    """
    kinds = ("shell" if runs_commands(call) else "file", "any")
    texts = _texts(call, text)
    texts["missed"] = "." if missed else ""
    texts["cause"] = f"{cause}\n{texts['said']}"
    # The last rule fits any call.
    return _first([rule for rule in _table()[1] if rule.tool in kinds], texts)


def hidden(call: ToolCall, text: str) -> str:
    """Return the class of a command that failed, though it ended well: its exit code is
    that of `| head`. Empty for any other call.
    """
    if not text or not runs_commands(call):
        return ""
    rules = [rule for rule in _table()[1] if rule.where == "both"]
    may_hide = [rule for rule in rules if classes()[rule.name]["hidden"]]
    return _first(may_hide, _texts(call, text))


def _first(rules: Iterable[_Rule], texts: Mapping[str, str]) -> str:
    """Return the class of the first rule that fits; "" if none does."""
    for rule in rules:
        if rule.pattern.search(texts[rule.where]):
            return rule.name
    return ""


def _texts(call: ToolCall, text: str) -> dict[str, str]:
    """Return what rules look at, by the name that they have for it."""
    said = _ends(text)
    command = _ends("\n".join(line.text for line in commands(call)))
    return {
        "said": said,
        "lower": said.lower(),
        "command": command,
        "both": f"{command}\n\0\n{said}",
    }


def classes() -> Mapping[str, Row]:
    """Return the classes by name: `what` each is, whether truepath `acts` on it, and
    whether it may be `hidden`.
    """
    return _table()[0]


def failures(calls: Sequence[Call], findings: Sequence[Row]) -> list[Row]:
    """Return a row for each failed call, then one for each that hides a failure;
    `findings` are the rows of the missed paths.

    Calls that were cancelled with another one count as lost to it, also in the row of
    its first missed path.
    """
    missed = [row for row in findings if row["kind"] == "miss"]
    misses = {row["at"]: row for row in reversed(missed)}
    # Of several missed paths of a call, the costliest counts.
    by_cost = sorted(missed, key=lambda row: row["calls_lost"])
    most_lost = {row["at"]: row["calls_lost"] for row in by_cost}
    failed = [at in misses or has_failed(call) for at, call in enumerate(calls)]
    unfound = causes(calls)
    rows: dict[int, Row] = {}
    hiding = list[Row]()
    for at, call in enumerate(calls):
        answer = call.answer or ""
        where: Row = {"at": at, "tool": call.tool}
        if not failed[at]:
            name = hidden(call.asked, answer)
            if name:
                hiding.append({"kind": "hidden", "failure": name, **where})
            continue
        cause = unfound.get(at, "")
        name = classify(call.asked, answer, missed=at in misses, cause=cause)
        lost = most_lost.get(at) or until_it_worked(calls, failed, at)
        rows[at] = {"kind": "failure", "failure": name, "calls_lost": lost, **where}
    _count_cancelled(calls, rows, misses)
    return [*rows.values(), *hiding]


def _count_cancelled(
    calls: Sequence[Call], rows: Mapping[int, Row], misses: Mapping[int, Row]
) -> None:
    """Count the calls that a turn's first failure cancelled as lost to it."""
    turns: dict[int, list[int]] = {}
    for at in rows:
        turns.setdefault(calls[at].turn, []).append(at)
    for turn in turns.values():
        kinds = {at: classes()[rows[at]["failure"]]["what"] for at in turn}
        cancelled = [at for at in turn if kinds[at] == "cancelled"]
        causes = [at for at in turn if kinds[at] != "cancelled"]
        if causes:
            _count_as_lost(cancelled, causes[0], rows, misses)


def _count_as_lost(
    cancelled: Sequence[int],
    cause: int,
    rows: Mapping[int, Row],
    misses: Mapping[int, Row],
) -> None:
    """Count cancelled calls as lost to the failure that was their cause."""
    # One that lies between the failure and what ended it is counted there.
    counted = range(cause, cause + rows[cause]["calls_lost"])
    more = sum(at not in counted for at in cancelled)
    rows[cause]["calls_lost"] += more
    if cause in misses:
        misses[cause]["calls_lost"] += more
    for at in cancelled:
        rows[at]["calls_lost"] = 0


def causes(calls: Sequence[Call]) -> dict[int, str]:
    """Return, for each failed edit of which it is known, how the text that it asked for
    differs from the file: in `line ends`, in `blanks`, or it is `absent`.
    """
    texts: dict[str, str] = {}
    found = {}
    for at, call in enumerate(calls):
        for path in call.paths:
            if call.failed and path.target in texts:
                cause = _cause(call, path, texts[path.target])
                if cause:
                    found[at] = cause
        if call.failed is False and len(call.paths) == 1:
            _learn(call, call.paths[0], texts)
    return found


def _learn(call: Call, path: Named, texts: dict[str, str]) -> None:
    """Keep what a call shows of the text of its file."""
    operation = path.mention.argument.operation
    written = call.arguments.get("content") if operation == "write" else None
    shown = written if call.content is None else call.content
    if isinstance(shown, str):
        texts[path.target] = shown
    elif operation != "read":
        # What is in it now is not known.
        texts.pop(path.target, None)


def _cause(call: Call, path: Named, known: str) -> str:
    for edit in edits(call.asked, path.mention):
        if not edit.old.strip():
            continue
        if edit.old in known:
            # What follows in the same call is asked of the text with this change.
            known = known.replace(edit.old, edit.new, -1 if edit.every else 1)
            continue
        if edit.old.replace("\r\n", "\n") in known.replace("\r\n", "\n"):
            return "line ends"
        is_there = _BLANKS.sub("", edit.old) in _BLANKS.sub("", known)
        return "blanks" if is_there else "absent"
    return ""


class _Rule(NamedTuple):
    """How a class is recognised."""

    name: str
    tool: str
    """`shell`, `file` for any other tool, or `any`."""
    where: str
    pattern: re.Pattern[str]


@cache
def _table() -> tuple[dict[str, Row], list[_Rule]]:
    """Return what `failures.txt` says: the classes, and the rules."""
    known: dict[str, Row] = {}
    rules = []
    name = ""
    text = files(__package__).joinpath("failures.txt").read_text("utf-8")
    for line in filter(None, text.split("\n")):
        if line[0] == "[":
            name, what, *marks = line.strip("[]").split(" | ")
            row = {"what": what, "acts": "acts" in marks, "hidden": "hidden" in marks}
            # A class may have rules in several places, for the order is what decides.
            known.setdefault(name, row)
        elif line[0] != "#":
            tool, where, pattern = line.split(None, 2)
            compiled = re.compile(pattern, re.MULTILINE)
            rules.append(_Rule(name, tool, where, compiled))
    return known, rules


def _ends(text: str) -> str:
    """Return a text without colours; of a long one, the beginning and the end."""
    cut = text if len(text) <= 2 * _ENDS else f"{text[:_ENDS]}\n{text[-_ENDS:]}"
    return re.sub(r"\x1b?\[[0-9;]*m", "", cut)
