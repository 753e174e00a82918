"""Qwen Code's JSON, as captured from 0.24.4, in and out."""

from __future__ import annotations

import json
import uuid

import hooks
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.calls.error_texts import is_missing
from truepath.hosts.protocol import Exchange, Request
from truepath.hosts.qwen_code import host as qwen_code
from truepath.types import Decision, Outcome, ToolCall

COMMON = {
    "session_id": "d3bc8ddf-f4a4-4642-b226-56f7d8450ae0",
    "transcript_path": "/home/u/.qwen/projects/-repo/chats/d3bc8ddf.jsonl",
    "cwd": "/repo",
    "timestamp": "2026-11-22T02:06:25.062Z",
    "permission_mode": "yolo",
    "prompt_id": "d3bc8ddf-f4a4-4642-b226-56f7d8450ae0########0",
}
MISSING = "File not found: /repo/specs/status.md"
RELATIVE = (
    "File path must be absolute, but was relative: specs/status.md. "
    "You must provide an absolute path."
)


def before(tool="read_file", **arguments):
    return {
        **COMMON,
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": arguments or {"file_path": "/repo/specs/status.md", "limit": 2},
        "tool_use_id": "toolu_1795313185052_s6xue46iw",
        "tool_call_id": "call_001_0",
    }


def failure(error=MISSING, **more):
    event = {**before(), "hook_event_name": "PostToolUseFailure"}
    return {**event, "error": error, "is_interrupt": False, "duration_ms": 19, **more}


def entry(status="error", kind="invalid_tool_params", error=RELATIVE, **more):
    response = {"response_parts": [], "error": error, "error_type": kind}
    return {
        "tool_name": "read_file",
        "tool_input": {"file_path": "specs/status.md"},
        "tool_use_id": "call_002_0",
        "tool_call_id": "call_002_0",
        "status": status,
        "tool_response": {} if status == "success" else response,
        **more,
    }


def batch(*entries):
    return {**COMMON, "hook_event_name": "PostToolBatch", "tool_calls": list(entries)}


def prompt(typed="", **more):
    return {**COMMON, "hook_event_name": "UserPromptSubmit", "prompt": typed, **more}


def answer(event, *decisions):
    request = qwen_code.decode(event, {})
    assert request is not None
    return qwen_code.encode(request, decisions)


def test_a_call_about_to_run_is_decoded():
    call = ToolCall(
        tool="read_file",
        arguments={"file_path": "/repo/specs/status.md", "limit": 2},
        session="d3bc8ddf-f4a4-4642-b226-56f7d8450ae0",
        cwd="/repo",
        host="qwen",
        call_id="call_001_0",
    )
    assert qwen_code.decode(before(), {"QWEN_PROJECT_DIR": "/repo"}) == Request(
        phase="before",
        event="PreToolUse",
        exchanges=(Exchange(call),),
        project="/repo",
        cwd="/repo",
        record=COMMON["transcript_path"],
        rewrites=False,
        late=True,
    )


def test_a_sub_agent_is_named_and_shares_the_session():
    event = {**before(), "agent_id": "a1", "agent_type": "worker"}
    assert qwen_code.decode(event, {}).exchanges[0].call.agent == "a1"


def test_a_failure_is_decoded_with_its_error():
    [exchange] = qwen_code.decode(failure(), {}).exchanges
    assert exchange.outcome == Outcome(error=MISSING)


def test_of_a_batch_the_refused_and_those_that_went_well_are_decoded():
    searched = "Path does not exist: /repo/nope"
    event = batch(
        entry(kind="file_not_found", error=MISSING),
        entry(error=searched, tool_name="glob"),
        entry(kind="execution_denied", error="PATH_NOT_FOUND ..."),
        entry("success", tool_name="run_shell_command"),
    )
    found = qwen_code.decode(event, {}).exchanges
    assert [(each.call.tool, each.outcome) for each in found] == [
        ("glob", Outcome(error=searched)),
        ("run_shell_command", Outcome()),
    ]


def test_a_relative_path_that_was_refused_may_be_missing():
    [exchange] = qwen_code.decode(batch(entry()), {}).exchanges
    assert is_missing(exchange.outcome.error)


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (prompt(), "the program submits the results of tools"),
        (failure(is_interrupt=True), "the user broke it off"),
        (batch(entry(kind="file_not_found", error=MISSING)), "it had its own event"),
        (batch(), "an empty batch"),
        ({**before(), "tool_name": ""}, "no tool"),
        ({**COMMON, "hook_event_name": "Stop"}, "no tool call"),
        ({**COMMON, "hook_event_name": "PostToolUse", "tool_name": "read_file"}, "not asked for"),
        ({}, "nothing"),
    ],
)
def test_an_event_that_is_not_ours_is_left_alone(event, why):
    assert qwen_code.decode(event, {}) is None, why


def test_what_the_user_typed_is_a_prompt():
    event = prompt("read a.py\n--- Content ---\nb.py", submitted_prompt="read a.py")
    request = qwen_code.decode(event, {})
    assert request.phase == "prompt"
    assert request.exchanges[0].call.prompt == "read a.py"


def test_a_refusal_is_a_denial_with_the_text_as_reason():
    assert answer(before(), Decision("refuse", {}, text="PATH_NOT_FOUND ...")) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "PATH_NOT_FOUND ...",
        }
    }


@pytest.mark.parametrize("action", ["allow", "rewrite", "advise"])
def test_before_a_call_nothing_else_is_heard_so_nothing_is_said(action):
    assert answer(before(), Decision(action, {"file_path": "x"}, text="words")) is None


def test_after_a_call_all_is_context():
    told = [Decision("advise", {}, text=text) for text in ("look here", "", "and there")]
    for event, decisions in ((failure(), told[:1]), (batch(entry(), entry(), entry()), told)):
        output = answer(event, *decisions)["hookSpecificOutput"]
        words = "\n\n".join(each.text for each in decisions if each.text)
        assert output == {"hookEventName": event["hook_event_name"], "additionalContext": words}


def test_what_was_said_already_is_not_said_again():
    assert answer(failure(), Decision("advise", {}, text="try b.py", repeated=True)) is None


def record(*entries):
    return "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in entries).encode()


def typed(*texts):
    message = {"role": "user", "parts": [{"text": text} for text in texts]}
    return {"uuid": "u", "type": "user", "provenance": "real_user", "message": message}


def made(uuid, *ids):
    parts = [{"functionCall": {"id": each, "name": "read_file", "args": {}}} for each in ids]
    return {"uuid": uuid, "type": "assistant", "message": {"role": "model", "parts": parts}}


def result(call_id):
    part = {"functionResponse": {"id": call_id, "response": {"error": "no"}}}
    return {"uuid": "r", "type": "tool_result", "message": {"role": "user", "parts": [part]}}


RECORD = (
    {"uuid": "s", "type": "system", "systemPayload": {"userText": "look at a.py"}},
    typed("look at a.py"),
    made("m1", "call_1"),
    result("call_1"),
    typed("do as @b.md says", "\n--- Content from referenced files ---", "read c.py"),
    made("m2", "call_2", "call_3"),
    result("call_2"),
    made("m3", "call_4"),
)


@pytest.mark.parametrize(
    ("call_id", "turn"),
    [("call_1", ""), ("call_2", "m2"), ("call_3", "m2"), ("call_4", "m3"), ("other", ""), ("", "")],
)
def test_the_record_tells_the_turn_of_a_call_and_what_the_user_typed_last(call_id, turn):
    call = qwen_code.recall(ToolCall("read_file", call_id=call_id), record(*RECORD))
    assert (call.turn, call.prompt) == (turn, "do as @b.md says")


@given(st.binary(max_size=200) | st.integers(0, 2000).map(lambda cut: record(*RECORD)[cut:]))
def test_any_end_of_any_file_is_read_without_harm(data):
    call = qwen_code.recall(ToolCall("read_file", call_id="call_3", prompt="p"), data)
    assert call.turn in ("", "m2")
    assert call.prompt in ("p", "look at a.py", "do as @b.md says")


@pytest.mark.parametrize(
    ("rule", "hidden"),
    [
        ("Read(secret/**)", ("/secret/**",)),
        ("ReadFile(./config/*.pem)", ("/config/*.pem",)),
        ("read_file(/docs/**)", ("/docs/**",)),
        ("Read(//repo/docs/**)", ("/docs/**",)),
        ("Read(~/.ssh/**)", ()),
        ("Read", ()),
        ("Edit(src/**)", ()),
        ("Bash(cat *)", ()),
        (7, ()),
    ],
)
def test_which_files_a_rule_hides(rule, hidden):
    settings = json.dumps({"permissions": {"deny": [rule], "ask": ["Read(x)"]}})
    files = {"/h/.qwen/settings.json": settings}
    assert qwen_code.rules(files, {"HOME": "/h"}, "/repo").hidden == hidden


@pytest.mark.parametrize("content", ["", "{", "[]", '{"permissions": {"deny": 7}}'])
def test_settings_that_cannot_be_read_hold_no_rule(content):
    assert qwen_code.rules({"settings.json": content}, {}, "/repo").hidden == ()


def test_what_qwen_ignores_is_not_named():
    files = {"/repo/.qwenignore": "# no\n\n docs/ \n!docs/a.md\n"}
    assert qwen_code.rules(files, {}, "/repo").hidden == ("/**/docs/", "/docs/")
    below = {"/repo/pkg/.qwenignore": "docs/\n/a.md\n"}
    assert qwen_code.rules(below, {}, "/repo").hidden == ("/pkg/**/docs/", "/pkg/a.md")


def test_rules_are_read_where_qwen_keeps_them():
    home = qwen_code.rule_files({"HOME": "/h"}, "/repo")
    assert {"/h/.qwen/settings.json", "/repo/.qwen/settings.json"} <= set(home)
    assert "/q/settings.json" in qwen_code.rule_files({"HOME": "/h", "QWEN_HOME": "/q"}, "/repo")


@pytest.mark.parametrize(("seconds", "told"), [(7, 7), (5000, 999)])
def test_the_settings_ask_for_seconds_and_guard_against_a_status_that_blocks(seconds, told):
    [piece] = qwen_code.setup("truepath hook qwen", timeout=seconds).pieces
    wanted = {"PreToolUse", "PostToolUseFailure", "PostToolBatch", "UserPromptSubmit"}
    assert set(piece.content["hooks"]) == wanted
    for groups in piece.content["hooks"].values():
        for group in groups:
            [each] = group["hooks"]
            assert (each["command"], each["timeout"]) == ("truepath hook qwen || true", told)


@pytest.fixture
def repo(tmp_path, monkeypatch):
    monkeypatch.setenv("TRUEPATH_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return hooks.make_project(tmp_path / "repo")


@pytest.fixture
def ask(repo, tmp_path):
    own = {
        "session_id": str(uuid.uuid4()),
        "cwd": str(repo),
        "transcript_path": str(tmp_path / "record.jsonl"),
    }

    def ask(event):
        return hooks.answer({**event, **own}, "qwen")

    return ask


def test_a_sure_answer_is_a_refusal_that_names_it(ask, repo):
    told = ask(before(file_path=str(repo / "specs/status.md")))
    assert told["permissionDecision"] == "deny"
    assert f"Use `{repo}/docs/status.md`" in told["permissionDecisionReason"]
    assert "using" not in told["permissionDecisionReason"]


def test_what_is_there_is_met_with_silence(ask, repo):
    assert ask(before(file_path=str(repo / "docs/status.md"))) is None
    assert ask(batch(entry("success", tool_input={"file_path": "docs/status.md"}))) is None


def test_a_relative_path_is_told_of_only_where_it_is_missing(ask):
    assert "`docs/status.md`" in ask(batch(entry()))["additionalContext"]
    there = entry(tool_input={"file_path": "docs/status.md"}, tool_call_id="call_003_0")
    assert ask(batch(there)) is None


def test_advice_that_was_not_heard_before_a_call_is_given_after_it(ask):
    command = {"command": "cat docs/forecast_2031.md; echo done", "is_background": False}
    assert ask(before("run_shell_command", **command)) is None
    ended = entry("success", tool_name="run_shell_command", tool_input=command)
    other = {**ended, "tool_call_id": "call_009_0"}
    assert ask(batch(other)) is None
    told = ask(batch({**ended, "tool_call_id": "call_001_0"}))
    assert told["additionalContext"].count("PATH_NOT_FOUND") == 1


def test_advice_is_given_once_where_the_call_failed(ask):
    command = {"command": "cat docs/forecast_2031.md | cat", "is_background": False}
    assert ask(before("run_shell_command", **command)) is None
    error = "cat: docs/forecast_2031.md: No such file or directory"
    told = ask({**failure(error), "tool_name": "run_shell_command", "tool_input": command})
    assert told["additionalContext"].count("PATH_NOT_FOUND") == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)
NAMES = st.sampled_from([*qwen_code.EVENTS, *qwen_code.EVENT_SCHEMA["paths"], "/repo", RELATIVE])
ENTRIES = st.lists(
    st.dictionaries(st.sampled_from([*entry()]), NAMES | JSON) | st.just(entry()), max_size=3
)
EVENTS = st.dictionaries(
    st.sampled_from([*failure(), "agent_id", "submitted_prompt", "tool_calls"]),
    NAMES | JSON | ENTRIES | st.dictionaries(st.just("file_path"), NAMES | JSON),
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
def test_no_event_breaks_it_and_no_answer_gives_a_permission(event, one):
    request = qwen_code.decode(event, {})
    output = qwen_code.encode(request, [one] * len(request.exchanges)) if request else None
    if output is None:
        return
    json.dumps(output)
    inner = output["hookSpecificOutput"]
    assert set(output) == {"hookSpecificOutput"}
    assert inner["hookEventName"] == event["hook_event_name"]
    assert inner.get("permissionDecision", "deny") == "deny"
    assert "updatedInput" not in inner
