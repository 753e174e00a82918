"""Qwen Code through the hook: nothing is corrected, and advice is heard after a call
alone.
"""

from __future__ import annotations

import uuid

import hooks
import pytest
from host_samples import ALL

SAMPLES = ALL["qwen"].events


@pytest.fixture
def repo(tmp_path, monkeypatch):
    monkeypatch.setenv("TRUEPATH_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return hooks.make_project(tmp_path / "repo")


@pytest.fixture
def ask(repo):
    own = {"session_id": str(uuid.uuid4()), "cwd": str(repo)}

    def ask(event):
        return hooks.answer({**event, **own}, "qwen")

    return ask


def before(tool="read_file", **arguments):
    return {**SAMPLES["before"], "tool_name": tool, "tool_input": arguments}


def batch(status="error", **more):
    [refused] = SAMPLES["batch"]["tool_calls"]
    response = refused["tool_response"] if status == "error" else {}
    entry = {**refused, "status": status, "tool_response": response, **more}
    return {**SAMPLES["batch"], "tool_calls": [entry]}


def test_a_sure_answer_is_a_refusal_that_names_it(ask, repo):
    told = ask(before(file_path=str(repo / "specs/status.md")))
    assert told["permissionDecision"] == "deny"
    assert told["permissionDecisionReason"].endswith(f" `{repo}/docs/status.md`")
    assert "using" not in told["permissionDecisionReason"]


def test_a_relative_path_that_was_refused_is_told_as_an_absolute_one(ask):
    told = ask(batch())["additionalContext"]
    assert told.startswith("PATH_IS_NOT_ABSOLUTE: `specs/status.md` is relative (ren")
    assert told.endswith("/docs/status.md`")
    there = {"file_path": "docs/status.md"}
    told = ask(batch(tool_input=there, tool_call_id="call_003_0"))["additionalContext"]
    assert told.startswith("PATH_IS_NOT_ABSOLUTE: `docs/status.md` is relative.\n")
    assert ask(batch("success", tool_input=there, tool_call_id="call_004_0")) is None


SHELL = {"command": "cat docs/forecast_2031.md; echo done", "is_background": False}


def test_advice_that_was_not_heard_before_a_call_is_given_after_it(ask):
    assert ask(before("run_shell_command", **SHELL)) is None
    ended = {"tool_name": "run_shell_command", "tool_input": SHELL}
    assert ask(batch("success", **ended, tool_call_id="call_009_0")) is None
    told = ask(batch("success", **ended, tool_call_id="call_001_0"))
    assert told["additionalContext"].count("PATH_NOT_FOUND") == 1


def test_advice_is_given_once_where_the_call_failed(ask):
    assert ask(before("run_shell_command", **SHELL)) is None
    error = "cat: docs/forecast_2031.md: No such file or directory"
    told = {"error": error, "tool_name": "run_shell_command", "tool_input": SHELL}
    answer = ask({**SAMPLES["failure"], **told})
    assert answer["additionalContext"].count("PATH_NOT_FOUND") == 1
