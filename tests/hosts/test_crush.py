"""Crush's JSON, as the manual of its hooks has it, in and out."""

from __future__ import annotations

import json

import hooks
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.calls.tools import commands, path_arguments
from truepath.hosts.crush import host as crush
from truepath.hosts.event_schema import required_paths
from truepath.hosts.protocol import Exchange, Request
from truepath.types import Decision, ToolCall

COMMON = {"event": "PreToolUse", "session_id": "313909e", "cwd": "/repo"}
ENVIRON = {"CRUSH": "1", "CRUSH_PROJECT_DIR": "/repo"}


def before(tool="view", arguments=None, **more):
    arguments = arguments or {"file_path": "/repo/specs/status.md"}
    return {**COMMON, "tool_name": tool, "tool_input": arguments, **more}


def answer(event, decision):
    return crush.encode(crush.decode(event, ENVIRON), [decision])


def test_a_call_about_to_run_is_decoded():
    call = ToolCall(
        tool="view",
        arguments={"file_path": "/repo/specs/status.md"},
        session="313909e",
        cwd="/repo",
        host="crush",
    )
    assert crush.decode(before(), ENVIRON) == Request(
        phase="before",
        event="PreToolUse",
        exchanges=(Exchange(call),),
        project="/repo",
        cwd="/repo",
        notes=False,
    )


@pytest.mark.parametrize(
    ("event", "why"),
    [
        ({**before("compact", {"token_count": 1}), "event": "PreCompact"}, "no tool call"),
        ({**COMMON, "tool_input": {}}, "no tool"),
        ({"hook_event_name": "PreToolUse", "tool_name": "Read"}, "Claude Code sent it"),
        ({}, "nothing"),
    ],
)
def test_an_event_that_is_not_ours_is_left_alone(event, why):
    assert crush.decode(event, ENVIRON) is None, why


@pytest.mark.parametrize(
    ("tool", "arguments", "written"),
    [
        ("edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, ["a.py"]),
        ("multiedit", {"file_path": "a.py", "edits": []}, ["a.py"]),
        ("write", {"file_path": "a.py", "content": ""}, ["a.py"]),
        ("ls", {"path": "src"}, ["src"]),
        ("glob", {"pattern": "*.py", "path": "src"}, ["src"]),
        ("grep", {"pattern": "x", "path": "src"}, ["src"]),
        ("bash", {"command": "cat a"}, []),
    ],
)
def test_the_paths_of_its_tools_are_found(tool, arguments, written):
    call = crush.decode(before(tool, arguments), ENVIRON).exchanges[0].call
    assert [each.written for each in path_arguments(call)] == written
    assert bool(commands(call)) == (tool == "bash")


def test_a_rewrite_gives_the_whole_input_and_no_decision():
    event = before(arguments={"file_path": "a.py", "limit": 5})
    assert answer(event, Decision("rewrite", {"file_path": "b.py"}, text="used b.py")) == {
        "updated_input": {"file_path": "b.py", "limit": 5},
        "context": "used b.py",
    }


def test_a_refusal_is_a_denial_with_the_text_as_reason():
    told = answer(before(), Decision("refuse", {}, text="PATH_NOT_FOUND ..."))
    assert told == {"decision": "deny", "reason": "PATH_NOT_FOUND ..."}


def test_advice_is_context_that_comes_with_the_result():
    assert answer(before(), Decision("advise", {}, text="look")) == {"context": "look"}


@pytest.mark.parametrize("action", ["allow", "refuse", "advise"])
def test_a_decision_without_words_says_nothing(action):
    assert answer(before(), Decision(action, {})) is None


@pytest.mark.parametrize(
    ("event", "stake"),
    [
        (before(), [("/repo/specs/status.md", "file")]),
        (before("grep", {"pattern": "x"}), ()),
        (before("mcp_files_read", {"path": "a"}), None),
        ({**before(), "event": "PreCompact"}, ()),
    ],
)
def test_what_is_at_stake_in_an_event(event, stake):
    assert required_paths(crush.EVENT_SCHEMA, event, json.dumps(event).encode()) == stake


def test_the_settings_guard_against_a_status_that_blocks_or_halts():
    [piece] = crush.setup("truepath hook crush", timeout=7).pieces
    [hook] = piece.content["hooks"]["PreToolUse"]
    assert (hook["command"], hook["timeout"]) == ("truepath hook crush || true", 7)
    assert hook["matcher"] == "^(view|edit|multiedit|write|glob|grep|ls|bash)$"


def test_through_the_hook_a_moved_file_is_corrected_and_one_that_is_there_met_with_silence(
    tmp_path,
):
    project = hooks.make_project(tmp_path / "repo")
    moved = before(arguments={"file_path": "specs/status.md"}, cwd=str(project))
    status, out, err = hooks.run(moved, "crush")
    assert (status, err) == (0, b"")
    assert json.loads(out)["updated_input"] == {"file_path": "docs/status.md"}
    there = before(arguments={"file_path": "docs/status.md"}, cwd=str(project))
    assert hooks.run({**there, "session_id": "other"}, "crush") == (0, b"", b"")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)
EVENTS = st.dictionaries(
    st.sampled_from([*before()]), st.sampled_from(["PreToolUse", "view", "/repo"]) | JSON
)
DECISIONS = st.builds(
    Decision,
    action=st.sampled_from(["allow", "rewrite", "refuse", "advise"]),
    arguments=st.dictionaries(st.just("file_path"), st.text(max_size=9)),
    text=st.text(max_size=30),
)


@given(event=EVENTS, one=DECISIONS)
def test_no_event_breaks_it_and_no_answer_grants_anything(event, one):
    request = crush.decode(event, ENVIRON)
    output = crush.encode(request, [one]) if request else None
    if output is None:
        return
    assert set(output) <= {"decision", "reason", "context", "updated_input"}
    assert output.get("decision", "deny") == "deny"
    if "updated_input" in output:
        assert set(output["updated_input"]) >= set(request.exchanges[0].call.arguments)
    json.dumps(output)
