"""Which tool calls failed and why, with the classes and rules of `failures.txt`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from truepath.audit.misses import Named, has_failed, tool_call
from truepath.audit.pursuit import until_it_worked
from truepath.audit.record import Row
from truepath.audit.transcript import Transcript
from truepath.calls.tools import commands, runs_commands
from truepath.types import ToolCall

_ENDS = 2_000
"""Characters at the beginning and at the end of a text that are looked at: an error is there."""


WHAT = {
    "mistake": "mistake of the call",
    "work": "work",
    "policy": "refused",
    "around": "machine or network",
    "lost": "cancelled",
}
"""What a class is -> that in words."""


class Class(NamedTuple):
    """One class of failures."""

    what: str
    """A key of `WHAT`."""
    acts: bool
    """Whether truepath acts on it."""


class Rule(NamedTuple):
    """One way to recognise a class."""

    name: str
    tool: str
    where: str
    pattern: re.Pattern[str]


def classify(call: ToolCall, text: str, *, missed: bool = False) -> str:
    """Return the class of a failed call by its answer.

    `missed` says that the answer calls a path of the call missing (`misses.named`).
    """
    kind = "shell" if runs_commands(call) else "file"
    asked = "\n".join(each.text for each in commands(call))
    texts = {"said": _ends(text), "asked": _ends(asked), "missed": "missed" if missed else ""}
    fits = (rule for rule in table()[1] if rule.tool in (kind, "any"))
    return next(rule.name for rule in fits if rule.pattern.search(texts[rule.where]))


def failures(
    transcript: Transcript, paths: Sequence[Sequence[Named]], findings: Sequence[Row]
) -> list[Row]:
    """Return a row for each failed call; `findings` are the rows of the missed paths.

    Calls that were cancelled with another one count as lost to it, also in the row of its first
    missed path.
    """
    calls = transcript.calls
    asked = [tool_call(call, transcript.cwd) for call in calls]
    missed = [any(path.missed for path in each) for each in paths]
    failed = [
        miss or has_failed(call, commands=runs_commands(ask))
        for call, ask, miss in zip(calls, asked, missed, strict=True)
    ]
    misses = {row["at"]: row for row in reversed(findings) if row["kind"] == "miss"}
    rows: list[Row] = []
    for at in (at for at, it in enumerate(failed) if it):
        name = classify(asked[at], calls[at].answer or "", missed=missed[at])
        lost = 1
        if at in misses:
            lost = max(row["calls_lost"] for row in findings if row["at"] == at)
        elif classes()[name].what != "lost":
            lost = until_it_worked(calls, paths, failed, at)
        tool = calls[at].tool
        rows.append(
            {"kind": "failure", "at": at, "tool": tool, "failure": name, "calls_lost": lost}
        )
    cancelled = [row for row in rows if classes()[row["failure"]].what == "lost"]
    causes = {calls[row["at"]].turn: row for row in reversed(rows) if row not in cancelled}
    counted = {row["at"]: row["at"] + row["calls_lost"] for row in rows}
    for row in cancelled:
        at = row["at"]
        if cause := causes.get(calls[at].turn):
            row["calls_lost"] = 0
            # One that lies between the failure and what ended it is counted there.
            more = not cause["at"] < at < counted[cause["at"]]
            for each in filter(None, (cause, misses.get(cause["at"]))):
                each["calls_lost"] += more
    return rows


def classes() -> Mapping[str, Class]:
    """Return the classes by name, in the order of the table."""
    return table()[0]


@cache
def table() -> tuple[Mapping[str, Class], Sequence[Rule]]:
    """Return the classes and the rules."""
    found: dict[str, Class] = {}
    rules: list[Rule] = []
    name = ""
    text = files(__package__).joinpath("failures.txt").read_text("utf-8")
    for line in text.split("\n"):
        if line.startswith("["):
            name, what, *acts = (part.strip() for part in line.strip("[]").split("|"))
            found.setdefault(name, Class(what, bool(acts)))
        elif line and line[0] != "#":
            tool, where, pattern = line.split(None, 2)
            rules.append(Rule(name, tool, where, re.compile(pattern, re.MULTILINE)))
    return found, rules


def _ends(text: str) -> str:
    """Return a text without colours; of a long one, the beginning and the end."""
    cut = text if len(text) <= 2 * _ENDS else f"{text[:_ENDS]}\n{text[-_ENDS:]}"
    return re.sub(r"\x1b?\[[0-9;]*m", "", cut)
