"""Which tool calls failed and why, with the classes and rules of `failures.txt`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from truepath.audit.aftermath import until_it_worked
from truepath.audit.misses import Named, has_failed, tool_call
from truepath.audit.record import Row
from truepath.audit.transcript import Transcript
from truepath.calls.tools import commands, runs_commands
from truepath.types import ToolCall

_ENDS = 800
"""Characters at the beginning and at the end of a text that are looked at: an error is
there."""


def classify(call: ToolCall, text: str, *, missed: bool = False) -> str:
    """Return the class of a failed call by its answer.

    `missed` says that the answer calls a path of the call missing (`misses.named`).
    """
    kind = "shell" if runs_commands(call) else "file"
    said, line = _ends(text), _ends("\n".join(each.text for each in commands(call)))
    texts = {
        "said": said,
        "lower": said.lower(),
        "command": line,
        "missed": "." * missed,
    }
    for name, tool, where, pattern in _table()[1]:
        if tool in (kind, "any") and pattern.search(texts[where]):
            return name
    raise AssertionError("the last rule fits any call")


def classes() -> Mapping[str, Row]:
    """Return the classes by name: `what` each is, and whether truepath `acts` on it."""
    return _table()[0]


def failures(
    transcript: Transcript, paths: Sequence[Sequence[Named]], findings: Sequence[Row]
) -> list[Row]:
    """Return a row for each failed call; `findings` are the rows of the missed paths.

    Calls that were cancelled with another one count as lost to it, also in the row of
    its first missed path.
    """
    calls = transcript.calls
    misses = {row["at"]: row for row in reversed(findings) if row["kind"] == "miss"}
    failed = [at in misses or has_failed(call) for at, call in enumerate(calls)]
    rows: dict[int, Row] = {}
    turns: dict[int, list[int]] = {}
    for at in (at for at, it in enumerate(failed) if it):
        call, said = tool_call(calls[at], transcript.cwd), calls[at].answer or ""
        name = classify(call, said, missed=at in misses)
        rows[at] = {
            "kind": "failure",
            "at": at,
            "tool": calls[at].tool,
            "failure": name,
        }
        lost = [
            row["calls_lost"] for row in findings if row["at"] == at and at in misses
        ]
        rows[at]["calls_lost"] = max(
            lost or [until_it_worked(calls, paths, failed, at)]
        )
        turns.setdefault(calls[at].turn, []).append(at)
    for turn in turns.values():
        cancelled = [
            at for at in turn if classes()[rows[at]["failure"]]["what"] == "cancelled"
        ]
        for cause in [at for at in turn if at not in cancelled][:1]:
            # One that lies between the failure and what ended it is counted there.
            counted = range(cause, cause + rows[cause]["calls_lost"])
            for row in filter(None, (rows[cause], misses.get(cause))):
                row["calls_lost"] += sum(at not in counted for at in cancelled)
            for at in cancelled:
                rows[at]["calls_lost"] = 0
    return [*rows.values()]


@cache
def _table() -> tuple[dict[str, Row], list[tuple[str, str, str, re.Pattern[str]]]]:
    """Return the classes; and the rules: a class, the tool, what is looked at, and a
    pattern.
    """
    found, rules, name = dict[str, Row](), [], ""
    text = files(__package__).joinpath("failures.txt").read_text("utf-8")
    for line in filter(None, text.split("\n")):
        if line[0] == "[":
            name, what, *acts = line.strip("[]").split(" | ")
            found.setdefault(name, {"what": what, "acts": bool(acts)})
        elif line[0] != "#":
            tool, where, pattern = line.split(None, 2)
            rules.append((name, tool, where, re.compile(pattern, re.MULTILINE)))
    return found, rules


def _ends(text: str) -> str:
    """Return a text without colours; of a long one, the beginning and the end."""
    cut = text if len(text) <= 2 * _ENDS else f"{text[:_ENDS]}\n{text[-_ENDS:]}"
    return re.sub(r"\x1b?\[[0-9;]*m", "", cut)
