"""The corpus of agents' commands: nothing is found that is no path, and nearly all that are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rows import check_each

from truepath.calls.shell.command_line import operands

LINES = Path(__file__).parents[1] / "corpus" / "shell.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in LINES.read_text().splitlines()]
RECALL = 0.99


def found(command: str) -> list[list[str]]:
    return [[operand.written, operand.operation] for operand in operands(command)]


def test_nothing_is_found_that_is_no_path() -> None:
    def check(case: dict[str, Any]) -> None:
        wrong = [each for each in found(case["command"]) if each not in case["expected"]]
        assert not wrong, case["reason"]

    check_each(CASES, check, lambda case: repr(case["command"]))


def test_nearly_every_path_is_found() -> None:
    expected = sum(len(case["expected"]) for case in CASES)
    missed = [
        (case["command"], each)
        for case in CASES
        for each in case["expected"]
        if each not in found(case["command"])
    ]
    assert 1 - len(missed) / expected >= RECALL, missed


def test_the_corpus_is_large_and_says_why() -> None:
    assert len(CASES) >= 500
    assert len({case["command"] for case in CASES}) == len(CASES)
    assert all(case["reason"] and case["listing"] for case in CASES)
    assert sum(not case["expected"] for case in CASES) > 150
