"""GitHub Copilot CLI's JSON, as captured from 1.0.102, in and out."""

from __future__ import annotations

import json

import hooks
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.hosts.copilot_cli import host as copilot_cli
from truepath.hosts.event_schema import required_paths
from truepath.hosts.protocol import Exchange, Request
from truepath.types import Decision, Outcome, ToolCall

SESSION = "51e26d4b-a866-440e-8e14-2e4565a0207f"
AGENT = "31506673-b4ad-4430-888d-9bda0cdc4288"
TIME = "2026-11-22T02:03:29.103Z"
ENVIRON = {"COPILOT_CLI": "1", "COPILOT_PROJECT_DIR": "/repo", "HOME": "/home/u"}
RECORD = f"/home/u/.copilot/session-state/{SESSION}/events.jsonl"
PATCH = "*** Begin Patch\n*** Update File: src/config.py\n@@\n-a\n+b\n*** End Patch\n"
COMMON = {"session_id": SESSION, "timestamp": TIME, "cwd": "/repo"}
FAILED = "cat: x.md: No such file or directory\n<shellId: 0 completed with exit code 1>"


def before(tool="Read", arguments=None, **more):
    arguments = {"path": "/repo/specs/status.md"} if arguments is None else arguments
    event = {**COMMON, "hook_event_name": "PreToolUse", "tool_name": tool}
    return {**event, "tool_input": arguments, **more}


def failure(error="Path does not exist", **more):
    return {**before(), "hook_event_name": "PostToolUseFailure", "error": error, **more}


def shell(said=FAILED, **more):
    event = before("Bash", {"command": "cat x.md", "description": "look"})
    result = {"result_type": "success", "text_result_for_llm": said}
    return {**event, "hook_event_name": "PostToolUse", "tool_result": result, **more}


def decode(event, **environ):
    return copilot_cli.decode(event, {**ENVIRON, **environ})


def answer(event, decision):
    request = decode(event)
    assert request is not None
    return copilot_cli.encode(request, [decision])


def test_a_call_about_to_run_is_decoded_and_its_time_is_the_turn():
    call = ToolCall(
        tool="Read",
        arguments={"path": "/repo/specs/status.md"},
        session=SESSION,
        cwd="/repo",
        host="copilot",
        turn=TIME,
    )
    assert decode(before()) == Request(
        phase="before",
        event="PreToolUse",
        exchanges=(Exchange(call),),
        project="/repo",
        cwd="/repo",
        record=RECORD,
    )


def test_a_patch_comes_as_an_edit_whose_input_is_a_text():
    call = decode(before("Edit", PATCH)).exchanges[0].call
    assert (call.tool, call.arguments) == ("apply_patch", {"input": PATCH})


def test_a_sub_agent_is_named_and_recorded_with_its_parent():
    event = before(session_id=AGENT, agent_id=AGENT, parent_agent_id=SESSION, agent_type="explore")
    request = decode(event)
    assert request.exchanges[0].call.agent == AGENT
    assert request.record == RECORD


@pytest.mark.parametrize(
    ("environ", "record"),
    [
        ({"COPILOT_HOME": "/srv/c"}, f"/srv/c/session-state/{SESSION}/events.jsonl"),
        ({"HOME": ""}, None),
    ],
)
def test_the_record_lies_where_the_program_keeps_its_own(environ, record):
    assert decode(before(), **environ).record == record


def test_a_session_that_is_no_name_has_no_record():
    assert decode(before(session_id="../../etc")).record is None


def test_a_failure_carries_its_error_and_no_turn():
    [exchange] = decode(failure()).exchanges
    assert exchange.outcome == Outcome(error="Path does not exist")
    assert exchange.call.turn == ""


def test_a_shell_command_that_ends_with_another_status_than_0_has_failed():
    [exchange] = decode(shell()).exchanges
    assert exchange.outcome.error.startswith("cat: x.md: No such file or directory\n")


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (shell("done\n<shellId: 0 completed with exit code 0>"), "it went well"),
        (shell("still running"), "it has not ended"),
        (shell(""), "it said nothing"),
        (shell(tool_name="Read"), "no shell command"),
        (shell(tool_result="x"), "nothing is known of it"),
        (before("Agent", {"prompt": "p"}), "no tool for files"),
        (before("github-create_file", {"path": "a.py"}), "another machine's"),
        ({**COMMON, "hook_event_name": "SessionStart", "source": "new"}, "nothing was called yet"),
        ({"sessionId": SESSION, "toolName": "view", "toolArgs": {}}, "the other spelling"),
        ({}, "nothing"),
    ],
)
def test_an_event_that_is_not_ours_is_left_alone(event, why):
    assert decode(event) is None, why


def test_an_event_of_vs_code_which_runs_the_same_hooks_is_left_alone():
    event = before("Read", tool_use_id="call_1", transcript_path="/t.jsonl")
    assert copilot_cli.decode(event, {"HOME": "/home/u"}) is None
    assert decode(event) is not None


def test_a_prompt_is_decoded_as_a_call_without_a_tool():
    event = {**COMMON, "hook_event_name": "UserPromptSubmit", "prompt": "read a.py"}
    [exchange] = decode(event).exchanges
    assert (exchange.call.tool, exchange.call.prompt) == ("", "read a.py")


def test_a_rewrite_gives_all_arguments_back_and_no_decision():
    event = before(arguments={"path": "/repo/specs/a.md", "view_range": [1, 5]})
    assert answer(event, Decision("rewrite", {"path": "/repo/docs/a.md"}, text="used b")) == {
        "modifiedArgs": {"path": "/repo/docs/a.md", "view_range": [1, 5]},
        "additionalContext": "used b",
    }


def test_a_rewritten_patch_is_given_back_as_the_text_it_was():
    new = PATCH.replace("src/", "lib/")
    told = answer(before("Edit", PATCH), Decision("rewrite", {"input": new}, text="used b"))
    assert told == {"modifiedArgs": new, "additionalContext": "used b"}


def test_a_refusal_is_a_denial_with_the_text_as_reason():
    assert answer(before(), Decision("refuse", {}, text="PATH_NOT_FOUND ...")) == {
        "permissionDecision": "deny",
        "permissionDecisionReason": "PATH_NOT_FOUND ...",
    }


@pytest.mark.parametrize("event", [before(), failure(), shell()])
def test_advice_is_context_at_the_top(event):
    assert answer(event, Decision("advise", {}, text="look")) == {"additionalContext": "look"}


@pytest.mark.parametrize("event", [failure(), shell()])
def test_what_was_said_before_the_call_ran_is_not_said_again(event):
    assert answer(event, Decision("advise", {}, text="try b.py", repeated=True)) is None


@pytest.mark.parametrize("action", ["allow", "refuse", "advise"])
def test_a_decision_without_words_says_nothing(action):
    assert answer(before(), Decision(action, {})) is None


def record(*entries):
    return "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in entries).encode()


def said(text, **more):
    return {"type": "user.message", "data": {"content": text, "turnId": "0"}, "id": "8d", **more}


LINES = (
    said("look at a.py"),
    {"type": "assistant.message", "data": {"content": "ok"}},
    said("read b.py"),
    {"type": "tool.execution_start", "data": {"arguments": {"path": '"type":"user.message"'}}},
    {"type": "user.message", "data": {"content": "do it", "source": f"agent-{SESSION}"}},
    said("part of a task", agentId=AGENT),
)


def test_the_record_tells_what_the_user_typed_last():
    call = copilot_cli.recall(ToolCall("Read", turn=TIME), record(*LINES))
    assert (call.prompt, call.turn) == ("read b.py", TIME)


@given(st.binary(max_size=200) | st.integers(0, 900).map(lambda cut: record(*LINES)[cut:]))
def test_any_end_of_any_file_is_read_without_harm(data):
    call = copilot_cli.recall(ToolCall("Read", prompt="p"), data)
    assert call.prompt in ("p", "read b.py", "look at a.py")


def test_the_settings_guard_against_a_status_that_denies():
    [piece] = copilot_cli.setup("truepath hook copilot", timeout=7).pieces
    settings = json.loads(piece.content)
    assert settings["version"] == 1
    assert set(settings["hooks"]) == set(copilot_cli.EVENTS)
    for entries in settings["hooks"].values():
        [hook] = entries
        assert (hook["bash"], hook["timeoutSec"]) == ("truepath hook copilot || true", 7)


@pytest.mark.parametrize(
    ("event", "stake"),
    [
        (before(), [("/repo/specs/status.md", "any")]),
        (before(arguments={"path": "docs"}), [("/repo/docs", "any")]),
        (before("Write", {"path": "/repo/a.md", "file_text": ""}), [("/repo/a.md", "new")]),
        (before("Edit", {"path": "/repo/a.md", "old_str": "a"}), [("/repo/a.md", "file")]),
        (before("Edit", PATCH), None),
        (before("Grep", {"pattern": "x", "path": "specs"}), None),
        (before("Glob", {"pattern": "x", "paths": ["specs"]}), None),
        (shell(), None),
        (shell("no such file\n<shellId: 0 completed with exit code 0>"), ()),
        (shell("<shellId: 0 completed with exit code 127>"), None),
    ],
)
def test_what_is_at_stake_in_an_event(event, stake):
    assert required_paths(copilot_cli.EVENT_SCHEMA, event, json.dumps(event).encode()) == stake


@pytest.fixture
def project(tmp_path):
    return hooks.make_project(tmp_path / "repo")


def told(event):
    status, out, err = hooks.run(event, "copilot")
    assert (status, err) == (0, b"")
    return json.loads(out) if out else None


def test_through_the_hook_a_moved_file_is_corrected(project):
    event = before(arguments={"path": "specs/status.md"}, cwd=str(project))
    output = told(event)
    assert output["modifiedArgs"] == {"path": "docs/status.md"}
    assert set(output) == {"modifiedArgs", "additionalContext"}


def test_through_the_hook_a_patch_is_corrected(project):
    patch = PATCH.replace("src/config.py", "specs/status.md")
    assert told(before("Edit", patch, cwd=str(project)))["modifiedArgs"] == patch.replace(
        "specs/", "docs/"
    )


def test_through_the_hook_a_file_that_is_there_is_met_with_silence(project):
    assert told(before(arguments={"path": "docs/status.md"}, cwd=str(project))) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)
NAMES = st.sampled_from([*copilot_cli.EVENTS, *copilot_cli.TOOLS, "/repo", FAILED, PATCH])
EVENTS = st.dictionaries(
    st.sampled_from([*failure(), *shell(), "agent_id", "parent_agent_id", "prompt"]),
    NAMES | JSON | st.dictionaries(st.sampled_from(["path", "text_result_for_llm"]), NAMES | JSON),
)
DECISIONS = st.builds(
    Decision,
    action=st.sampled_from(["allow", "rewrite", "refuse", "advise"]),
    arguments=st.dictionaries(st.just("path"), st.text(max_size=9)),
    text=st.text(max_size=30),
    shift=st.booleans(),
    repeated=st.booleans(),
)


@given(event=EVENTS, one=DECISIONS)
def test_no_event_breaks_it_and_no_answer_grants_anything(event, one):
    request = decode(event)
    output = copilot_cli.encode(request, [one]) if request else None
    if output is None:
        return
    fields = {"modifiedArgs", "additionalContext", "permissionDecisionReason"}
    assert {*output} - {"permissionDecision"} <= fields
    assert output.get("permissionDecision", "deny") == "deny"
    assert request.phase == "before" or set(output) == {"additionalContext"}
    if "modifiedArgs" in output and isinstance(event["tool_input"], dict):
        assert set(output["modifiedArgs"]) >= set(event["tool_input"])
    json.dumps(output)
