"""Claude Code's JSON, as captured from 2.1.197 and 2.1.330, in and out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.calls.tools import path_arguments
from truepath.hosts import HOSTS, find
from truepath.hosts.claude_code import host as claude_code
from truepath.hosts.protocol import Exchange, Request
from truepath.types import Decision, Outcome, ToolCall

COMMON = {
    "session_id": "873ed466",
    "transcript_path": "/home/u/.claude/projects/-repo/873ed466.jsonl",
    "cwd": "/repo",
    "prompt_id": "c61896d4",
    "permission_mode": "default",
    "effort": {"level": "high"},
}
MISSING = "File does not exist. Note: your current working directory is /repo."
REFUSED = f"<tool_use_error>{MISSING}</tool_use_error>"
ENVIRON = {"CLAUDE_PROJECT_DIR": "/repo", "CLAUDECODE": "1"}


def before(tool="Read", **arguments):
    arguments = arguments or {"file_path": "/repo/specs/status.md", "limit": 5}
    return {
        **COMMON,
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": arguments,
        "tool_use_id": "toolu_000_0",
    }


def failure(error=MISSING, **more):
    event = {**before(), "hook_event_name": "PostToolUseFailure", "error": error}
    return {**event, "is_interrupt": False, "duration_ms": 3, **more}


def entry(response=REFUSED, tool="Edit", path="/repo/src/config.py"):
    arguments = {"replace_all": False, "file_path": path, "old_string": "a", "new_string": "b"}
    return {
        "tool_name": tool,
        "tool_input": arguments,
        "tool_use_id": "toolu_002_0",
        "tool_response": response,
    }


def batch(*entries):
    return {**COMMON, "hook_event_name": "PostToolBatch", "tool_calls": list(entries)}


def decode(event, **environ):
    return claude_code.decode(event, {**ENVIRON, **environ})


def answer(event, *decisions):
    request = decode(event)
    assert request is not None
    return claude_code.encode(request, decisions)


def decision(action, text="", **arguments):
    return Decision(action=action, arguments=arguments, text=text)


def test_a_call_about_to_run_is_decoded_whole():
    assert decode(before()) == Request(
        phase="before",
        event="PreToolUse",
        exchanges=(
            Exchange(
                ToolCall(
                    tool="Read",
                    arguments={"file_path": "/repo/specs/status.md", "limit": 5},
                    session="873ed466",
                    cwd="/repo",
                    host="claude-code",
                    call_id="toolu_000_0",
                )
            ),
        ),
        project="/repo",
        cwd="/repo",
        record="/home/u/.claude/projects/-repo/873ed466.jsonl",
    )


def test_a_shell_command_is_passed_on_as_it_stands():
    request = decode(before("Bash", command="cat specs/status.md", description="x"))
    call = request.exchanges[0].call
    assert (call.tool, call.arguments["command"]) == ("Bash", "cat specs/status.md")


def test_a_sub_agent_is_named_and_shares_the_session():
    request = decode({**before(), "agent_id": "a2c58293118925d8f", "agent_type": "general-purpose"})
    call = request.exchanges[0].call
    assert (call.session, call.agent) == ("873ed466", "a2c58293118925d8f")


def test_a_failure_carries_the_error_that_the_model_reads():
    [exchange] = decode(failure()).exchanges
    assert exchange.outcome == Outcome(error=MISSING)
    assert not exchange.hinted


def test_an_edit_refused_before_the_hooks_is_found_in_the_batch():
    [exchange] = decode(batch(entry())).exchanges
    assert exchange.call.arguments["old_string"] == "a"
    assert exchange.call.call_id == "toolu_002_0"
    assert exchange.outcome == Outcome(error=MISSING)


def test_a_notebook_that_may_be_missing_is_said_to_be_so():
    text = "File has not been read yet. Read it first before writing to it."
    notebook = entry(f"<tool_use_error>{text}</tool_use_error>", tool="NotebookEdit")
    [exchange] = decode(batch(notebook)).exchanges
    assert exchange.outcome == Outcome(error=f"File does not exist. {text}")


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (failure(is_interrupt=True), "the user stopped the tool: nothing is wrong with the path"),
        (batch(), "no call"),
        (batch(entry(MISSING, "Read")), "a failed Read had an event of its own"),
        (
            batch(entry("PATH_NOT_FOUND: '/repo/src/config.py'\nSame name: ...", "Read")),
            "our denial as 2.1.197 gives it back",
        ),
        (
            batch(entry("PreToolUse:Read hook error: PATH_NOT_FOUND: '/repo/config.py'", "Read")),
            "our denial as 2.1.330 gives it back",
        ),
        (batch(entry("1\tSTATUS all green", "Read")), "it went well"),
        (batch(entry([{"type": "text", "text": "sub done"}], "Agent")), "a sub-agent's answer"),
        (
            batch(
                entry(
                    "<tool_use_error>File is in a directory that is denied by your permission"
                    " settings.</tool_use_error>"
                )
            ),
            "a permission rule is not ours to help around",
        ),
        (
            batch(
                entry(
                    "<tool_use_error>File is covered by a Read deny rule in your permission"
                    " settings and cannot be edited.</tool_use_error>"
                )
            ),
            "the same at 2.1.330",
        ),
        (
            batch(entry("<tool_use_error>String to replace not found in file.</tool_use_error>")),
            "the path is right",
        ),
        ({**COMMON, "hook_event_name": "PostToolUse", "tool_name": "Read"}, "it went well"),
        ({**COMMON, "hook_event_name": "Stop"}, "no tool call"),
        ({"tool_name": "Read"}, "no event"),
        ({}, "nothing"),
        ({**before(), "cursor_version": "2.4"}, "Cursor runs these settings too"),
        ({**before(), "tool_name": 7}, "a tool without a name"),
    ],
)
def test_an_event_that_is_not_ours_is_left_alone(event, why):
    assert decode(event) is None, why


@pytest.mark.parametrize(
    "name", ["COPILOT_CLI", "QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_VERSION"]
)
def test_another_program_that_runs_these_settings_gets_silence(name):
    assert decode(before(), **{name: "/repo"}) is None


def test_an_event_as_vs_code_sends_it_gets_silence():
    event = {**before(), "timestamp": "2026-03-29T10:00:00.000Z"}
    assert decode({**event, "permission_mode": "default"})
    event.pop("permission_mode", None)
    assert decode(event) is None


def test_a_prompt_is_decoded_as_a_call_without_a_tool():
    event = {**COMMON, "hook_event_name": "UserPromptSubmit", "prompt": "read a.py"}
    request = decode(event)
    [exchange] = request.exchanges
    assert (request.phase, exchange.call.prompt) == ("prompt", "read a.py")
    assert (exchange.call.tool, exchange.call.session) == ("", "873ed466")


def record(*entries):
    """Return lines as 2.1.330 writes them, fields left out that nobody reads."""
    return "".join(json.dumps(entry, separators=(",", ":")) + "\n" for entry in entries).encode()


def said(content, **more):
    message = {"role": "user", "content": content}
    return {"type": "user", "isSidechain": False, "message": message, **more}


def made(turn, call_id):
    block = {"type": "tool_use", "id": call_id, "name": "Read", "input": {"file_path": "/a"}}
    message = {"id": turn, "role": "assistant", "content": [block]}
    return {"type": "assistant", "message": message}


def result(call_id, content="File does not exist."):
    block = {"tool_use_id": call_id, "type": "tool_result", "content": content}
    return said([block], toolUseResult=f"Error: {content}")


RECORD = (
    said("look at a.py"),
    made("msg_1", "toolu_1"),
    result("toolu_1"),
    said([{"type": "text", "text": "read b.py"}, {"type": "image"}, {"type": "text", "text": "!"}]),
    {"type": "attachment", "attachment": {"type": "x"}},
    made("msg_2", "toolu_2"),
    made("msg_2", "toolu_3"),
    {"type": "last-prompt", "lastPrompt": "read b.py"},
    result("toolu_2"),
)


@pytest.mark.parametrize(
    ("call_id", "turn"),
    [("toolu_1", ""), ("toolu_2", "msg_2"), ("toolu_3", "msg_2"), ("toolu_9", ""), ("", "")],
)
def test_the_record_tells_the_turn_of_a_call_and_what_the_user_typed_last(call_id, turn):
    call = claude_code.recall(ToolCall("Read", call_id=call_id), record(*RECORD))
    assert (call.turn, call.prompt) == (turn, "read b.py\n!")


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (said("x", isMeta=True), "the program speaks for the user"),
        (said("x", isSidechain=True), "one agent speaks to another"),
        (said("x", isCompactSummary=True), "the program sums up what was said"),
        (result("toolu_2", "x"), "a tool speaks"),
        ({"type": "assistant", "message": {"content": '"type":"user"'}}, "the model speaks"),
        ({"type": "user"}, "nobody speaks"),
        ({"type": "user", "message": {"content": [7, {"type": "text"}]}}, "nothing is said"),
    ],
)
def test_what_nobody_typed_is_passed_over(entry, why):
    lines = record(said("read b.py"), entry)
    assert claude_code.recall(ToolCall("Read"), lines).prompt == "read b.py", why


@given(st.binary(max_size=200) | st.integers(0, 2000).map(lambda cut: record(*RECORD)[cut:]))
def test_any_end_of_any_file_is_read_without_harm(data):
    call = claude_code.recall(ToolCall("Read", call_id="toolu_2", prompt="p"), data)
    assert call.turn in ("", "msg_2")
    assert call.prompt in ("p", "read b.py\n!", "look at a.py")


def test_a_session_start_is_decoded_without_calls():
    start = decode({**COMMON, "hook_event_name": "SessionStart", "source": "startup"})
    assert (start.phase, start.exchanges) == ("start", ())


def test_a_rewrite_gives_the_whole_input_back_and_says_so():
    real = decision("rewrite", "PATH_CORRECTED ...", file_path="/repo/docs/status.md")
    assert answer(before(), real) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "updatedInput": {"file_path": "/repo/docs/status.md", "limit": 5},
            "additionalContext": "PATH_CORRECTED ...",
        }
    }


def test_a_refusal_is_a_denial_with_the_text_as_reason():
    assert answer(before(), decision("refuse", "PATH_NOT_FOUND ...")) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "PATH_NOT_FOUND ...",
        }
    }


@pytest.mark.parametrize("action", ["allow", "refuse", "advise"])
def test_a_decision_without_words_says_nothing(action):
    assert answer(before(), decision(action)) is None


def test_advice_before_a_call_is_context_alone():
    output = answer(before(), decision("advise", "look here"))["hookSpecificOutput"]
    assert output == {"hookEventName": "PreToolUse", "additionalContext": "look here"}


@pytest.mark.parametrize("event", [failure(), batch(entry())])
@pytest.mark.parametrize("action", ["allow", "refuse", "advise", "rewrite"])
def test_after_a_failure_there_is_only_context(event, action):
    output = answer(event, decision(action, "try src/app/config.py"))["hookSpecificOutput"]
    assert output == {
        "hookEventName": event["hook_event_name"],
        "additionalContext": "try src/app/config.py",
    }


def test_the_answers_to_a_batch_are_told_together():
    event = batch(entry(), entry("1\tfine", "Read"), entry(path="/repo/b.py"))
    output = answer(event, decision("advise", "one"), decision("advise", "two"))
    assert output["hookSpecificOutput"]["additionalContext"] == "one\n\ntwo"


def test_a_batch_stays_under_the_limit_of_the_host():
    event = batch(*(entry(path=f"/repo/{number}.py") for number in range(40)))
    texts = [decision("advise", f"{number} " + "x" * 1800) for number in range(40)]
    context = answer(event, *texts)["hookSpecificOutput"]["additionalContext"]
    assert len(context) < 10_000
    assert context.startswith("0 x")


@pytest.mark.parametrize(
    "hint",
    [
        f"{MISSING} Did you mean status.md?",
        f"{MISSING} Did you mean /repo/src/app/config.py?",
    ],
)
def test_a_hint_of_the_host_is_not_repeated(hint):
    assert answer(failure(hint), decision("advise", "status.md is there")) is None
    refused = batch(entry(f"<tool_use_error>{hint}</tool_use_error>"))
    assert answer(refused, decision("advise", "config.py is there")) is None


def test_what_was_said_before_the_call_ran_is_not_said_again():
    again = Decision(action="advise", arguments={}, text="try b.py", shift=True, repeated=True)
    assert answer(failure(), again) is None


def test_a_strategy_shift_is_told_beside_a_hint_of_the_host():
    shift = Decision(action="advise", arguments={}, text="stop and look", shift=True)
    event = failure(f"{MISSING} Did you mean status.md?")
    assert answer(event, shift)["hookSpecificOutput"]["additionalContext"] == "stop and look"


@pytest.mark.parametrize("tool", sorted(claude_code.EVENT_SCHEMA["paths"]))
def test_the_short_table_of_tools_agrees_with_the_tool_map(tool):
    argument, kind = claude_code.EVENT_SCHEMA["paths"][tool]
    [found] = path_arguments(ToolCall(tool, {argument: "/repo/a"}))
    assert (found.argument, found.kind) == (argument, "file" if kind == "new" else kind)


def test_the_settings_guard_against_a_status_that_blocks():
    [piece] = claude_code.setup("truepath hook claude-code", timeout=7).pieces
    settings = piece.content
    for groups in settings["hooks"].values():
        for group in groups:
            [hook] = group["hooks"]
            assert hook["command"] == "truepath hook claude-code || true"
            assert hook["timeout"] == 7
    assert set(settings["hooks"]) == {
        "PreToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "UserPromptSubmit",
    }


PARTS = ("decode", "encode", "setup")


def test_every_host_in_the_table_has_the_shape_of_a_host():
    for name in HOSTS:
        host = find(name)
        assert name == host.NAME
        assert all(callable(getattr(host, part)) for part in PARTS)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    [
        "hook_event_name",
        "tool_name",
        "tool_input",
        "tool_calls",
        "tool_response",
        "error",
        "cwd",
        "agent_id",
        "is_interrupt",
    ]
)
NAMES = st.sampled_from([*claude_code.EVENTS, "Read", "Bash", "/repo", REFUSED])
EVENTS = st.dictionaries(
    FIELDS, NAMES | JSON | st.lists(st.dictionaries(FIELDS, NAMES | JSON), max_size=3)
)
DECISIONS = st.builds(
    Decision,
    action=st.sampled_from(["allow", "rewrite", "refuse", "advise"]),
    arguments=st.dictionaries(st.sampled_from(["file_path", "path"]), st.text(max_size=9)),
    text=st.text(max_size=30),
    shift=st.booleans(),
)


@given(event=EVENTS, one=DECISIONS)
def test_no_event_breaks_it_and_no_answer_gives_a_permission(event, one):
    request = decode(event)
    if request is None or (request.phase == "before" and not request.exchanges):
        return
    output = claude_code.encode(request, [one] * len(request.exchanges))
    if output is None:
        return
    inner = output["hookSpecificOutput"]
    assert inner["hookEventName"] == event["hook_event_name"]
    assert inner.get("permissionDecision", "deny") == "deny"
    assert "decision" not in output
    assert "continue" not in output
    assert request.phase == "before" or set(inner) == {"hookEventName", "additionalContext"}
    if "updatedInput" in inner:
        assert set(inner["updatedInput"]) >= set(request.exchanges[0].call.arguments)
    json.dumps(output)
