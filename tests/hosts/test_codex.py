"""Codex's JSON, as captured from 0.169.0, in and out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.calls.error_texts import is_missing
from truepath.hosts.codex import _END
from truepath.hosts.codex import host as codex
from truepath.hosts.protocol import Exchange, Request
from truepath.types import Decision, Outcome, ToolCall

COMMON = {
    "session_id": "01a1ffde-932a-7ce3-ba12-f3aeccb86b79",
    "turn_id": "01a1ffde-9393-7562-b62e-60549986caad",
    "transcript_path": "/home/u/.codex/sessions/2026/11/21/rollout-01a1ffde.jsonl",
    "cwd": "/repo",
    "model": "gpt-5.5",
    "permission_mode": "bypassPermissions",
}
PATCH = "*** Begin Patch\n*** Update File: src/config.py\n@@\n-a\n+b\n*** End Patch\n"
MISSING = "cat: specs/status.md: No such file or directory\n"


def before(command="cat specs/status.md", tool="Bash", **more):
    return {
        **COMMON,
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": {"command": command},
        "tool_use_id": "call_001_0",
        **more,
    }


def after(response=MISSING, **more):
    return {**before(**more), "hook_event_name": "PostToolUse", "tool_response": response}


def answer(event, decision):
    request = codex.decode(event, {})
    assert request is not None
    return codex.encode(request, [decision])


def test_a_command_about_to_run_is_decoded_and_turn_id_is_no_turn():
    call = ToolCall(
        tool="Bash",
        arguments={"command": "cat specs/status.md"},
        session="01a1ffde-932a-7ce3-ba12-f3aeccb86b79",
        cwd="/repo",
        host="codex",
        call_id="call_001_0",
    )
    assert codex.decode(before(), {}) == Request(
        phase="before",
        event="PreToolUse",
        exchanges=(Exchange(call),),
        cwd="/repo",
        record="/home/u/.codex/sessions/2026/11/21/rollout-01a1ffde.jsonl",
    )


def test_a_patch_is_passed_on_as_it_stands():
    [exchange] = codex.decode(before(PATCH, "apply_patch"), {}).exchanges
    assert (exchange.call.tool, exchange.call.arguments) == ("apply_patch", {"command": PATCH})


def test_a_command_in_another_folder_runs_there():
    assert codex.decode(before(cwd="/repo/docs"), {}).exchanges[0].call.cwd == "/repo/docs"


def test_a_sub_agent_is_named_and_shares_the_session():
    event = before(agent_id="a1", agent_type="worker")
    assert codex.decode(event, {}).exchanges[0].call.agent == "a1"


def test_an_output_that_ends_in_a_missing_path_is_a_failure():
    [exchange] = codex.decode(after(), {}).exchanges
    assert exchange.outcome == Outcome(error=MISSING.strip())


def test_only_the_end_of_an_output_is_its_error():
    noise = "".join(f"line {number}\n\n" for number in range(999))
    [exchange] = codex.decode(after(noise + MISSING + "make: *** Error 1\n"), {}).exchanges
    assert exchange.outcome.error.splitlines()[-2:] == [MISSING.strip(), "make: *** Error 1"]
    assert len(exchange.outcome.error.splitlines()) == 5


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (after("STATUS all green\n"), "it went well"),
        (after(""), "it said nothing"),
        (after(MISSING + "ok\n" * 9), "it went on, and ended well"),
        (after(command="rg 'No such file'"), "it shows lines of files"),
        (after(command="git log -1"), "it shows a message"),
        (after(tool="apply_patch"), "a patch that fails has no such event"),
        (before(tool="view_image"), "an image is not checked by the sandbox"),
        (before(tool="mcp__files__read"), "nobody knows what `allow` would lift"),
        ({**COMMON, "hook_event_name": "Stop"}, "no tool call"),
        ({**COMMON, "hook_event_name": "SessionStart"}, "nothing was called yet"),
        ({}, "nothing"),
    ],
)
def test_an_event_that_is_not_ours_is_left_alone(event, why):
    assert codex.decode(event, {}) is None, why


def test_no_error_over_a_path_is_passed_over():
    lines = (Path(__file__).parents[1] / "corpus/failures.jsonl").read_text("utf-8").splitlines()
    for error in (json.loads(line)["text"] for line in lines):
        end = "\n".join([line for line in error.splitlines() if line.strip()][-_END:])
        assert not is_missing(end) or codex.decode(after(error), {}), error


def test_a_prompt_is_decoded_as_a_call_without_a_tool():
    event = {**COMMON, "hook_event_name": "UserPromptSubmit", "prompt": "read a.py"}
    [exchange] = codex.decode(event, {}).exchanges
    assert (exchange.call.tool, exchange.call.prompt) == ("", "read a.py")


def test_a_rewrite_carries_the_decision_that_it_needs_and_the_whole_input():
    event = before()
    event["tool_input"]["timeout"] = 5
    real = Decision("rewrite", {"command": "cat docs/status.md"}, text="PATH_CORRECTED ...")
    assert answer(event, real) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "updatedInput": {"command": "cat docs/status.md", "timeout": 5},
            "additionalContext": "PATH_CORRECTED ...",
        }
    }


def test_a_refusal_is_a_denial_with_the_text_as_reason_less_the_full_stop_that_codex_adds():
    assert answer(before(), Decision("refuse", {}, text="PATH_NOT_FOUND: ... Next: search.")) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "PATH_NOT_FOUND: ... Next: search",
        }
    }


@pytest.mark.parametrize("event", [before(), after()])
def test_advice_is_context_alone(event):
    output = answer(event, Decision("advise", {}, text="look here"))["hookSpecificOutput"]
    assert output == {
        "hookEventName": event["hook_event_name"],
        "additionalContext": "look here",
    }


def test_what_was_said_before_the_call_ran_is_not_said_again():
    assert answer(after(), Decision("advise", {}, text="try b.py", repeated=True)) is None


@pytest.mark.parametrize("action", ["allow", "refuse", "advise"])
def test_a_decision_without_words_says_nothing(action):
    assert answer(before(), Decision(action, {})) is None


def record(*payloads):
    lines = (json.dumps({"type": "response_item", "payload": each}) + "\n" for each in payloads)
    return "".join(lines).replace(": ", ":").replace(", ", ",").encode()


def said(text, role="user"):
    content = [{"type": "input_text", "text": text}]
    return {"type": "message", "role": role, "content": content}


def made(call_id, kind="function_call"):
    return {"type": kind, "name": "exec_command", "arguments": "{}", "call_id": call_id}


RECORD = (
    said("<environment_context>\n<cwd>/repo</cwd>"),
    said("look at a.py"),
    made("call_1"),
    {"response_id": "resp_1", "usage": {}},
    made("call_1", "function_call_output"),
    said("read b.py"),
    made("call_2"),
    made("call_3", "custom_tool_call"),
    {"response_id": "resp_2", "usage": {}},
    made("call_2", "function_call_output"),
    made("call_3", "custom_tool_call_output"),
    said("POST-CONTEXT", "developer"),
    made("call_4"),
    {"response_id": "resp_3", "usage": {}},
)


@pytest.mark.parametrize(
    ("call_id", "turn"),
    [
        ("call_1", ""),
        ("call_2", "resp_2"),
        ("call_3", "resp_2"),
        ("call_4", "resp_3"),
        ("exec-71", ""),
        ("", ""),
    ],
)
def test_the_record_tells_the_turn_of_a_call_and_what_the_user_typed_last(call_id, turn):
    call = codex.recall(ToolCall("Bash", call_id=call_id), record(*RECORD))
    assert (call.turn, call.prompt) == (turn, "read b.py")


def test_what_the_program_says_in_the_users_name_is_passed_over():
    assert codex.recall(ToolCall("Bash"), record(*RECORD[:1])).prompt == ""


@given(st.binary(max_size=200) | st.integers(0, 2000).map(lambda cut: record(*RECORD)[cut:]))
def test_any_end_of_any_file_is_read_without_harm(data):
    call = codex.recall(ToolCall("Bash", call_id="call_3", prompt="p"), data)
    assert call.turn in ("", "resp_2")
    assert call.prompt in ("p", "read b.py", "look at a.py")


def test_the_settings_guard_against_a_status_that_blocks():
    [piece] = codex.setup("truepath hook codex", timeout=7).pieces
    settings = piece.content
    assert set(settings["hooks"]) == {"PreToolUse", "PostToolUse", "UserPromptSubmit"}
    for groups in settings["hooks"].values():
        for group in groups:
            [hook] = group["hooks"]
            assert (hook["command"], hook["timeout"]) == ("truepath hook codex || true", 7)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)
NAMES = st.sampled_from([*codex.EVENTS, *codex.TOOLS, "/repo", MISSING])
EVENTS = st.dictionaries(
    st.sampled_from([*after(), "agent_id", "prompt"]),
    NAMES | JSON | st.dictionaries(st.just("command"), NAMES | JSON),
)
DECISIONS = st.builds(
    Decision,
    action=st.sampled_from(["allow", "rewrite", "refuse", "advise"]),
    arguments=st.dictionaries(st.just("command"), st.text(max_size=9)),
    text=st.text(max_size=30),
    shift=st.booleans(),
    repeated=st.booleans(),
)


@given(event=EVENTS, one=DECISIONS)
def test_no_event_breaks_it_and_only_a_rewrite_carries_a_permission(event, one):
    request = codex.decode(event, {})
    output = codex.encode(request, [one]) if request else None
    if output is None:
        return
    inner = output["hookSpecificOutput"]
    assert set(output) == {"hookSpecificOutput"}
    assert inner["hookEventName"] == event["hook_event_name"]
    assert ("updatedInput" in inner) == (inner.get("permissionDecision") == "allow")
    assert request.phase == "before" or set(inner) == {"hookEventName", "additionalContext"}
    if "updatedInput" in inner:
        assert set(inner["updatedInput"]) >= set(request.exchanges[0].call.arguments)
    json.dumps(output)
