"""The suite itself: `wrap` and the documented adapter pass it, and each careless one fails."""

from __future__ import annotations

import asyncio
import functools
import pathlib
import re
from contextlib import nullcontext

import pytest

from truepath import ToolCall, testing
from truepath.testing import AdapterSuite

PAGE = pathlib.Path(__file__).parents[2] / "docs/adapters.md"


def later(tool):
    @functools.wraps(tool)
    async def run(*args, **kwargs):
        return tool(*args, **kwargs)

    return run


class TestWrappedFunctions(AdapterSuite):
    async def play(self, guard, tools, turns):
        named = {tool.__name__: later(tool) for tool in tools}
        if guard is not None:
            named = {
                name: guard.wrap(tool, paths=["path"] if "path" in tool.__annotations__ else [])
                for name, tool in named.items()
            }
        told = []
        for turn in turns:
            calls = (named[call.tool](**call.arguments) for call in turn)
            answers = await asyncio.gather(*calls, return_exceptions=True)
            for each in answers:
                if isinstance(each, Exception) and not isinstance(each, OSError):
                    raise each
            told += map(str, answers)
        return told


def documented() -> dict[str, object]:
    names: dict[str, object] = {"__name__": "docs"}
    for block in re.findall(
        r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    ):
        exec(block, names)
    return names


class TestTheDocumentedAdapter(documented()["TestTools"]):
    pass


class Careless:
    """An adapter with one mistake, chosen by name."""

    def __init__(self, mistake):
        self.mistake = mistake

    def play(self, guard, tools, turns):
        named = {tool.__name__: tool for tool in tools}
        return [
            self.call(guard, named[call.tool], call, "" if self.mistake == "turns" else str(at))
            for at, turn in enumerate(turns)
            for call in turn
        ]

    def call(self, guard, tool, call, turn):
        if guard is None:
            return tool(**call.arguments)
        approved = self.mistake == "never corrects"
        asked = ToolCall(call.tool, call.arguments, turn=turn, approved=approved)
        if self.mistake == "fails shut":
            decision = guard.before(asked)
        else:
            decision = guard.check(asked).decision
        if decision.action == "refuse" and self.mistake != "runs all":
            return decision.text
        arguments = call.arguments if self.mistake == "keeps paths" else decision.arguments
        try:
            result = tool(**arguments)
        except RuntimeError as error:
            if self.mistake != "eats errors":
                raise
            return str(error)
        if self.mistake == "changes results":
            return f"checked\n{result}"
        return result if self.mistake == "tells nothing" else f"{decision.text}\n{result}".strip()


@pytest.mark.parametrize(
    "row",
    [
        ("keeps paths", "a_wrong_path_is_corrected_and_the_model_reads_of_it"),
        ("never corrects", "a_wrong_path_is_corrected_and_the_model_reads_of_it"),
        ("tells nothing", "a_wrong_path_is_corrected_and_the_model_reads_of_it"),
        ("runs all", "a_miss_is_answered", "of several candidates none is taken"),
        ("runs all", "nothing_is_deleted_for_a_wrong_path"),
        ("turns", "a_miss_is_answered", "parallel calls are one turn"),
        ("changes results", "nothing_changes", "a path that exists"),
        ("changes results", "nothing_changes", "a tool without paths"),
        ("eats errors", "nothing_changes", "what a tool raises"),
        ("fails shut", "a_fault_of_truepath_changes_nothing", "a path that exists"),
        ("holds up", "a_search_does_not_hold_up_the_event_loop"),
    ],
)
def test_a_careless_adapter_fails(row, tmp_path, monkeypatch):
    mistake, test, *case = row
    suite = AdapterSuite()
    suite.play = Careless(mistake).play
    if mistake == "holds up":
        monkeypatch.setattr(testing, "PATIENCE_S", 0.05)
        suite.play = later(suite.play)
    begin(suite, tmp_path, monkeypatch)
    with pytest.raises((AssertionError, OSError)):
        getattr(suite, f"test_{test}")(*case)


def begin(suite, tmp_path, monkeypatch):
    AdapterSuite._project.__wrapped__(suite, tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("mistake", "passes"), [("never corrects", True), ("", False), ("runs all", False)]
)
def test_an_adapter_that_cannot_correct_refuses(mistake, passes, tmp_path, monkeypatch):
    suite = AdapterSuite()
    suite.cannot_correct, suite.play = "what was approved runs", Careless(mistake).play
    begin(suite, tmp_path, monkeypatch)
    with nullcontext() if passes else pytest.raises((AssertionError, OSError)):
        suite.test_a_wrong_path_is_corrected_and_the_model_reads_of_it()
