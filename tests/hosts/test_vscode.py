"""VS Code's JSON (Copilot Chat, Local), as its hooks reference has it, in and out."""

from __future__ import annotations

import json

import hooks
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.calls.tools import path_arguments
from truepath.hosts.event_schema import required_paths
from truepath.hosts.protocol import Exchange, Request
from truepath.hosts.vscode import host as vscode
from truepath.types import Decision, ToolCall

COMMON = {
    "timestamp": "2026-07-29T10:30:00.000Z",
    "cwd": "/repo",
    "session_id": "5f0b",
    "transcript_path": "/home/u/transcript.json",
}


def before(tool="read_file", arguments=None, **more):
    event = {**COMMON, "hook_event_name": "PreToolUse", "tool_name": tool, "tool_use_id": "tool-1"}
    return {**event, "tool_input": arguments or {"filePath": "/repo/specs/status.md"}, **more}


def answer(event, decision):
    return vscode.encode(vscode.decode(event, {}), [decision])


def test_a_call_about_to_run_is_decoded():
    call = ToolCall(
        tool="read_file",
        arguments={"filePath": "/repo/specs/status.md"},
        session="5f0b",
        cwd="/repo",
        host="vscode",
        call_id="tool-1",
    )
    assert vscode.decode(before(), {}) == Request(
        phase="before",
        event="PreToolUse",
        exchanges=(Exchange(call),),
        cwd="/repo",
        notes=False,
    )


@pytest.mark.parametrize(
    ("event", "environ", "why"),
    [
        (before(), {"COPILOT_CLI": "1"}, "Copilot CLI runs the hooks of the same folder"),
        (before(permission_mode="default"), {}, "Claude Code sent it"),
        ({**before(), "hook_event_name": "PostToolUse"}, {}, "nothing reaches the model then"),
        ({**COMMON, "hook_event_name": "PreToolUse"}, {}, "no call in it"),
        ({}, {}, "nothing"),
    ],
)
def test_an_event_that_is_not_ours_is_left_alone(event, environ, why):
    assert vscode.decode(event, environ) is None, why


@pytest.mark.parametrize(
    ("tool", "arguments", "written"),
    [
        ("read_file", {"filePath": "a.py", "offset": 1, "limit": 5}, ["a.py"]),
        ("replace_string_in_file", {"filePath": "a.py", "oldString": "x"}, ["a.py"]),
        (
            "multi_replace_string_in_file",
            {"replacements": [{"filePath": "a.py", "oldString": "x"}, {"filePath": "b.py"}]},
            ["a.py", "b.py"],
        ),
        ("create_file", {"filePath": "a.py", "content": ""}, ["a.py"]),
        ("list_dir", {"path": "src"}, ["src"]),
    ],
)
def test_the_paths_of_its_tools_are_found(tool, arguments, written):
    call = vscode.decode(before(tool, arguments), {}).exchanges[0].call
    assert [each.written for each in path_arguments(call)] == written


def test_a_rewrite_gives_the_whole_input_and_no_decision():
    event = before(arguments={"filePath": "a.py", "limit": 5})
    assert answer(event, Decision("rewrite", {"filePath": "b.py"}, text="used b.py")) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "updatedInput": {"filePath": "b.py", "limit": 5},
            "additionalContext": "used b.py",
        }
    }


def test_a_refusal_is_a_denial_with_the_text_as_reason():
    assert answer(before(), Decision("refuse", {}, text="PATH_NOT_FOUND ...")) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "PATH_NOT_FOUND ...",
        }
    }


@pytest.mark.parametrize("action", ["allow", "refuse", "advise"])
def test_a_decision_without_words_says_nothing(action):
    assert answer(before(), Decision(action, {})) is None


def test_a_prompt_is_decoded_and_never_answered():
    event = {**COMMON, "hook_event_name": "UserPromptSubmit", "prompt": "read a.py"}
    assert vscode.decode(event, {}).exchanges[0].call.prompt == "read a.py"
    assert answer(event, Decision("advise", {}, text="x")) is None


@pytest.mark.parametrize(
    ("event", "stake"),
    [
        (before(), [("/repo/specs/status.md", "file")]),
        (before("list_dir", {"path": "src"}), [("/repo/src", "folder")]),
        (before("apply_patch", {"input": "*** Begin Patch"}), None),
        ({**before(), "hook_event_name": "PostToolUse"}, ()),
    ],
)
def test_what_is_at_stake_in_an_event(event, stake):
    assert required_paths(vscode.EVENT_SCHEMA, event, json.dumps(event).encode()) == stake


def test_the_settings_guard_against_a_status_that_denies():
    [piece] = vscode.setup("truepath hook vscode", timeout=7).pieces
    settings = json.loads(piece.content)
    assert set(settings["hooks"]) == {"PreToolUse", "UserPromptSubmit"}
    for [hook] in settings["hooks"].values():
        assert (hook["command"], hook["timeout"]) == ("truepath hook vscode || true", 7)


def test_through_the_hook_a_moved_file_is_corrected_and_one_that_is_there_met_with_silence(
    tmp_path,
):
    project = hooks.make_project(tmp_path / "repo")
    moved = before(arguments={"filePath": f"{project}/specs/status.md"}, cwd=str(project))
    assert hooks.answer(moved, "vscode")["updatedInput"] == {
        "filePath": f"{project}/docs/status.md"
    }
    there = before(arguments={"filePath": f"{project}/docs/status.md"}, cwd=str(project))
    assert hooks.answer({**there, "session_id": "other"}, "vscode") is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)
EVENTS = st.dictionaries(
    st.sampled_from([*before(), "prompt"]),
    st.sampled_from([*vscode.EVENTS, "read_file", "/repo"]) | JSON,
)
DECISIONS = st.builds(
    Decision,
    action=st.sampled_from(["allow", "rewrite", "refuse", "advise"]),
    arguments=st.dictionaries(st.just("filePath"), st.text(max_size=9)),
    text=st.text(max_size=30),
)


@given(event=EVENTS, one=DECISIONS)
def test_no_event_breaks_it_and_no_answer_grants_anything(event, one):
    request = vscode.decode(event, {})
    output = vscode.encode(request, [one]) if request else None
    if output is None:
        return
    inner = output["hookSpecificOutput"]
    assert set(output) == {"hookSpecificOutput"}
    assert inner.get("permissionDecision", "deny") == "deny"
    if "updatedInput" in inner:
        assert set(inner["updatedInput"]) >= set(request.exchanges[0].call.arguments)
    json.dumps(output)
