"""Cursor's JSON, as its page on hooks has it, in and out."""

from __future__ import annotations

import json

import hooks
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.calls.tools import commands, path_arguments
from truepath.hosts.cursor import host as cursor
from truepath.hosts.event_schema import required_paths
from truepath.hosts.protocol import Exchange, Request
from truepath.types import Decision, Outcome, ToolCall

COMMON = {
    "conversation_id": "c1",
    "generation_id": "g1",
    "model": "m",
    "cursor_version": "2.4.0",
    "workspace_roots": ["/repo"],
    "user_email": None,
    "transcript_path": None,
}
MISSING = "File not found: /repo/specs/status.md"


def before(tool="Read", arguments=None, **more):
    event = {**COMMON, "hook_event_name": "preToolUse", "tool_name": tool, "tool_use_id": "t1"}
    arguments = arguments or {"file_path": "/repo/specs/status.md"}
    return {**event, "tool_input": arguments, "cwd": "/repo", **more}


def failure(error=MISSING, **more):
    event = {**before(), "hook_event_name": "postToolUseFailure", "error_message": error}
    return {**event, "failure_type": "error", "duration": 3, "is_interrupt": False, **more}


def answer(event, decision):
    return cursor.encode(cursor.decode(event, {}), [decision])


def test_a_call_about_to_run_is_decoded_and_generation_id_is_no_turn():
    call = ToolCall(
        tool="Read",
        arguments={"file_path": "/repo/specs/status.md"},
        session="c1",
        cwd="/repo",
        host="cursor",
        call_id="t1",
    )
    assert cursor.decode(before(), {}) == Request(
        phase="before",
        event="preToolUse",
        exchanges=(Exchange(call),),
        project="/repo",
        cwd="/repo",
        notes=False,
    )


def test_without_a_folder_the_agent_stands_in_the_first_of_the_workspace():
    request = cursor.decode(before(cwd=""), {})
    assert (request.cwd, request.exchanges[0].call.cwd) == ("/repo", "/repo")
    assert cursor.decode(before(cwd="", workspace_roots=[7]), {}).cwd is None


def test_a_failure_carries_its_error():
    [exchange] = cursor.decode(failure(), {}).exchanges
    assert exchange.outcome == Outcome(error=MISSING)


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (failure(is_interrupt=True), "the user stopped it"),
        ({**before(), "hook_event_name": "postToolUse"}, "it went well"),
        ({**COMMON, "hook_event_name": "preToolUse"}, "no call in it"),
        ({**before(), "hook_event_name": "PreToolUse"}, "a hook of Claude Code"),
        ({}, "nothing"),
    ],
)
def test_an_event_that_is_not_ours_is_left_alone(event, why):
    assert cursor.decode(event, {}) is None, why


@pytest.mark.parametrize(
    ("tool", "arguments", "written"),
    [
        ("Write", {"file_path": "a.py", "content": ""}, ["a.py"]),
        ("Delete", {"file_path": "a.py"}, ["a.py"]),
        ("Grep", {"pattern": "x", "file_path": "src"}, ["src"]),
        ("List", {"file_path": "src", "ignore": []}, ["src"]),
        ("ReadLints", {"file_path": "a.py"}, ["a.py"]),
        ("Shell", {"command": "cat a", "cwd": "src"}, ["src"]),
    ],
)
def test_the_paths_of_its_tools_are_found(tool, arguments, written):
    call = cursor.decode(before(tool, arguments), {}).exchanges[0].call
    assert [each.written for each in path_arguments(call)] == written
    assert bool(commands(call)) == (tool == "Shell")


def test_a_rewrite_gives_the_whole_input_and_no_permission():
    event = before(arguments={"file_path": "a.py", "offset": 5})
    assert answer(event, Decision("rewrite", {"file_path": "b.py"}, text="used b.py")) == {
        "updated_input": {"file_path": "b.py", "offset": 5},
        "additional_context": "used b.py",
    }


def test_a_refusal_is_a_denial_with_the_candidates_in_the_context():
    assert answer(before(), Decision("refuse", {}, text="PATH_NOT_FOUND\n- b.py")) == {
        "permission": "deny",
        "user_message": "PATH_NOT_FOUND",
        "additional_context": "PATH_NOT_FOUND\n- b.py",
    }


@pytest.mark.parametrize("event", [before(), failure()])
def test_advice_is_context_alone(event):
    assert answer(event, Decision("advise", {}, text="look")) == {"additional_context": "look"}


@pytest.mark.parametrize(
    ("event", "decision"),
    [
        (failure(), Decision("advise", {}, text="try b.py", repeated=True)),
        (failure("File not found. Did you mean b.py?"), Decision("advise", {}, text="try b.py")),
        (before(), Decision("allow", {})),
        (before(), Decision("refuse", {})),
        (
            {**COMMON, "hook_event_name": "beforeSubmitPrompt", "prompt": "p"},
            Decision("advise", {}),
        ),
    ],
)
def test_nothing_is_said_twice_or_without_words(event, decision):
    assert answer(event, decision) is None


def test_no_context_reaches_the_length_at_which_all_of_it_is_dropped():
    told = answer(before(), Decision("advise", {}, text="x" * 50_000))
    assert len(told["additional_context"]) < 10_000


@pytest.mark.parametrize(
    ("event", "stake"),
    [
        (before(), [("/repo/specs/status.md", "file")]),
        (before("Grep", {"pattern": "x"}), ()),
        (before(cwd=""), None),
        ({**before(), "hook_event_name": "postToolUse"}, ()),
    ],
)
def test_what_is_at_stake_in_an_event(event, stake):
    assert required_paths(cursor.EVENT_SCHEMA, event, json.dumps(event).encode()) == stake


@pytest.mark.parametrize(
    ("client", "command"),
    [
        ("truepath hook cursor", 'sh -c "truepath hook cursor || true"'),
        ("'/a b/truepath' hook cursor", "sh -c \"'/a b/truepath' hook cursor || true\""),
        ('"/a$b/truepath" hook cursor', "sh -c '\"/a$b/truepath\" hook cursor || true'"),
    ],
)
def test_the_settings_guard_against_a_status_that_blocks_with_a_shell_of_their_own(client, command):
    [piece] = cursor.setup(client, timeout=7).pieces
    assert piece.content["version"] == 1
    assert set(piece.content["hooks"]) == set(cursor.EVENTS)
    for [hook] in piece.content["hooks"].values():
        assert (hook["command"], hook["timeout"]) == (command, 7)


def test_through_the_hook_a_moved_file_is_corrected_and_one_that_is_there_met_with_silence(
    tmp_path,
):
    project = hooks.make_project(tmp_path / "repo")
    moved = before(arguments={"file_path": f"{project}/specs/status.md"}, cwd=str(project))
    status, out, err = hooks.run(moved, "cursor")
    assert (status, err) == (0, b"")
    assert json.loads(out)["updated_input"] == {"file_path": f"{project}/docs/status.md"}
    there = before(arguments={"file_path": f"{project}/docs/status.md"}, cwd=str(project))
    assert hooks.run({**there, "conversation_id": "other"}, "cursor") == (0, b"", b"")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)
EVENTS = st.dictionaries(
    st.sampled_from([*failure(), "prompt"]),
    st.sampled_from([*cursor.EVENTS, "Read", "/repo", MISSING]) | JSON,
)
DECISIONS = st.builds(
    Decision,
    action=st.sampled_from(["allow", "rewrite", "refuse", "advise"]),
    arguments=st.dictionaries(st.just("file_path"), st.text(max_size=9)),
    text=st.text(max_size=30),
    shift=st.booleans(),
    repeated=st.booleans(),
)


@given(event=EVENTS, one=DECISIONS)
def test_no_event_breaks_it_and_no_answer_grants_anything(event, one):
    request = cursor.decode(event, {})
    output = cursor.encode(request, [one]) if request else None
    if output is None:
        return
    fields = {"permission", "user_message", "additional_context", "updated_input"}
    assert set(output) <= fields
    assert output.get("permission", "deny") == "deny"
    assert request.phase == "before" or set(output) == {"additional_context"}
    if "updated_input" in output:
        assert set(output["updated_input"]) >= set(request.exchanges[0].call.arguments)
    json.dumps(output)
