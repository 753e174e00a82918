"""Quirks of Claude Code and Codex that no single sample shows."""

from __future__ import annotations

import json

import shapes
from host_samples import ALL
from rows import read

from truepath.calls.error_texts import is_missing
from truepath.hosts import find, table
from truepath.hosts.codex import _END
from truepath.types import Decision


def test_a_batch_stays_under_the_limit_of_claude_code():
    event = ALL["claude-code"].events["batch"]
    many = {**event, "tool_calls": event["tool_calls"] * 40}
    texts = [
        Decision("advise", {}, text=f"{number} " + "x" * 1800) for number in range(40)
    ]
    host = find("claude-code")
    told = host.encode(host.decode(many, {}), texts)["hookSpecificOutput"][
        "additionalContext"
    ]
    assert len(told) < 10_000
    assert told.startswith("0 x")


def test_no_error_over_a_path_is_passed_over_in_codex():
    event = ALL["codex"].events["after"]
    for error in (*(row["text"] for row in read("corpus/failures")), *shapes.told()):
        end = "\n".join([line for line in error.splitlines() if line.strip()][-_END:])
        told = find("codex").decode({**event, "tool_response": error}, {})
        assert told or not is_missing(end), error
        failed = {**event, "tool_response": error}
        if is_missing(end):
            data = json.dumps(failed, ensure_ascii=False).encode()
            assert table.required(find("codex"), failed, data) is None, error
