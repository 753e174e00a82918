"""Cline CLI's JSON, as captured from 3.0.65, in and out."""

from __future__ import annotations

import json
import shutil
import subprocess

import hooks
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.calls.tools import commands, path_arguments
from truepath.hosts.cline import host as cline
from truepath.hosts.event_schema import required_paths
from truepath.hosts.protocol import Exchange, Request
from truepath.types import Decision, Outcome, ToolCall

SESSION = "1795312855528_d8oei"
AGENT = "agent_1795312857050_3jwd2b"
COMMON = {
    "clineVersion": "",
    "timestamp": "2026-11-22T02:01:00.022Z",
    "taskId": "conv_1795312857213_ciq5mn8",
    "sessionContext": {"rootSessionId": SESSION},
    "workspaceRoots": ["/repo"],
    "workspaceInfo": {"rootPath": "/repo", "hint": "repo", "latestGitBranchName": "main"},
    "userId": "unknown",
    "agent_id": AGENT,
    "parent_agent_id": None,
}
ENVIRON = {"HOME": "/home/u", "PWD": "/repo"}
RECORD = f"/home/u/.cline/data/sessions/{SESSION}/{SESSION}.messages.json"
FILES = {"files": [{"path": "docs/status.md"}, {"path": "specs/status.md", "start_line": 2}]}
MISSING = "Error reading file: ENOENT: no such file or directory, statx '/repo/specs/status.md'"
UNREAD = {"query": "specs/status.md", "result": "", "error": MISSING, "success": False}
READ = {"query": "docs/status.md", "result": "1 | STATUS", "success": True}


def before(tool="read_files", arguments=None, **more):
    call = {"id": "call_000_0", "name": tool, "input": FILES if arguments is None else arguments}
    return {**COMMON, "hookName": "tool_call", "iteration": 2, "tool_call": call, **more}


def after(output=(READ, UNREAD), tool="read_files", **more):
    output = [*output] if isinstance(output, tuple) else output
    result = {"id": "call_000_0", "name": tool, "input": FILES, "output": output, **more}
    return {**COMMON, "hookName": "tool_result", "iteration": 2, "tool_result": result}


def decode(event, **environ):
    return cline.decode(event, {**ENVIRON, **environ})


def answer(event, decision):
    request = decode(event)
    assert request is not None
    return cline.encode(request, [decision])


def test_a_call_about_to_run_is_decoded_and_the_iteration_is_its_turn():
    call = ToolCall(
        tool="read_files",
        arguments=FILES,
        session=SESSION,
        agent=AGENT,
        cwd="/repo",
        host="cline",
        call_id="call_000_0",
        turn="2",
    )
    assert decode(before()) == Request(
        phase="before",
        event="tool_call",
        exchanges=(Exchange(call),),
        project="/repo",
        cwd="/repo",
        record=RECORD,
        refuses=False,
    )
    assert [each.written for each in path_arguments(call)] == ["docs/status.md", "specs/status.md"]


@pytest.mark.parametrize(
    ("here", "cwd"),
    [
        ("/repo/docs", "/repo/docs"),
        ("/repo", "/repo"),
        ("/repository", "/repo"),
        ("/elsewhere", "/repo"),
        ("", "/repo"),
    ],
)
def test_the_agent_stands_where_its_hook_runs_if_that_is_in_the_project(here, cwd):
    request = decode(before(), PWD=here)
    assert (request.cwd, request.exchanges[0].call.cwd, request.project) == (cwd, cwd, "/repo")


@pytest.mark.parametrize(
    ("environ", "record"),
    [
        ({"CLINE_DIR": "/srv/c"}, f"/srv/c/data/sessions/{SESSION}/{SESSION}.messages.json"),
        ({"CLINE_DATA_DIR": "/srv/d"}, f"/srv/d/sessions/{SESSION}/{SESSION}.messages.json"),
        ({"CLINE_SESSION_DATA_DIR": "/srv/s"}, f"/srv/s/{SESSION}/{SESSION}.messages.json"),
        ({"HOME": ""}, None),
    ],
)
def test_the_record_lies_where_the_program_keeps_its_own(environ, record):
    assert decode(before(), **environ).record == record


def test_a_session_that_is_no_name_has_no_record():
    assert decode(before(sessionContext={"rootSessionId": "../x"})).record is None


def test_of_a_call_that_failed_in_part_the_failures_are_its_error():
    [exchange] = decode(after()).exchanges
    assert exchange.outcome == Outcome(error=f"{MISSING}\n")
    assert exchange.call.call_id == "call_000_0"


def test_a_command_that_failed_tells_what_it_printed():
    said = "[Command exited with code 1]\n\n[stderr]\ncat: x.md: No such file or directory\n"
    failed = {"query": "cat x.md", "result": said, "error": "Command exited with code 1"}
    [exchange] = decode(after((failed,), "run_commands")).exchanges
    assert "cat: x.md: No such file" in exchange.outcome.error


def test_an_editor_that_failed_has_a_table_for_output():
    failed = {"query": "edit:x", "result": "", "error": "Editor operation failed: ENOENT"}
    [exchange] = decode(after(failed, "editor")).exchanges
    assert "ENOENT" in exchange.outcome.error


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (after((READ,)), "it went well"),
        (after("fine"), "it went well"),
        (after({"query": "edit:x", "result": "File created", "success": True}), "it went well"),
        ({**COMMON, "hookName": "agent_start", "taskStart": {}}, "nothing was called yet"),
        ({**COMMON, "hookName": "PreToolUse", "preToolUse": {"toolName": "x"}}, "VS Code sent it"),
        ({**COMMON, "hookName": "tool_call"}, "no call in it"),
        ({}, "nothing"),
    ],
)
def test_an_event_that_is_not_ours_is_left_alone(event, why):
    assert decode(event) is None, why


def test_a_prompt_is_decoded_as_a_call_without_a_tool():
    event = {**COMMON, "hookName": "prompt_submit", "userPromptSubmit": {"prompt": "read a.py"}}
    [exchange] = decode(event).exchanges
    assert (exchange.call.tool, exchange.call.prompt) == ("", "read a.py")


def test_a_rewrite_takes_the_place_of_the_whole_input():
    files = [{"path": "docs/status.md"}, {"path": "docs/status.md", "start_line": 2}]
    assert answer(before(), Decision("rewrite", {"files": files}, text="used b")) == {
        "overrideInput": {"files": files},
        "contextModification": "used b",
    }


def test_a_rewrite_keeps_what_it_does_not_change():
    event = before("editor", {"path": "a.py", "old_text": "x", "new_text": "y"})
    told = answer(event, Decision("rewrite", {"path": "b.py"}))
    assert told == {"overrideInput": {"path": "b.py", "old_text": "x", "new_text": "y"}}


@pytest.mark.parametrize("action", ["refuse", "advise"])
@pytest.mark.parametrize("event", [before(), after()])
def test_all_else_is_told_and_nothing_is_cancelled(event, action):
    told = answer(event, Decision(action, {}, text="PATH_NOT_FOUND ..."))
    assert told == {"contextModification": "PATH_NOT_FOUND ..."}


def test_what_was_said_before_the_call_ran_is_not_said_again():
    assert answer(after(), Decision("advise", {}, text="try b.py", repeated=True)) is None


@pytest.mark.parametrize("action", ["allow", "refuse", "advise"])
def test_a_decision_without_words_says_nothing(action):
    assert answer(before(), Decision(action, {})) is None


def record(*texts):
    messages = [{"role": "user", "content": [{"type": "text", "text": text}]} for text in texts]
    return json.dumps({"version": 1, "messages": messages}, indent=2).encode()


TYPED = [
    '<user_input mode="act">look at "a.py"</user_input>',
    '<user_input mode="plan">read b.py\nthen <c></user_input>',
    '<hook_context source="PreToolUse">\nread d.py\n</hook_context>',
    '{"text": "<user_input>read e.py</user_input>"}',
]


def test_the_record_tells_what_the_user_typed_last():
    assert cline.recall(ToolCall("x"), record(*TYPED)).prompt == "read b.py\nthen <c>"
    assert cline.recall(ToolCall("x"), record(TYPED[0])).prompt == 'look at "a.py"'


@given(st.binary(max_size=200) | st.integers(0, 900).map(lambda cut: record(*TYPED)[cut:]))
def test_any_end_of_any_file_is_read_without_harm(data):
    call = cline.recall(ToolCall("x", prompt="p"), data)
    assert call.prompt in ("p", 'look at "a.py"', "read b.py\nthen <c>")


@pytest.mark.parametrize(
    ("event", "stake"),
    [
        (before(), [("/repo/docs/status.md", "file"), ("/repo/specs/status.md", "file")]),
        (before(arguments={"path": "a.py"}), None),
        (before(arguments={"files": "a.py"}), None),
        (before("editor", {"path": "/repo/a.py", "new_text": "x"}), [("/repo/a.py", "file")]),
        (before("search_codebase", {"queries": ["x"]}), ()),
        (after(), None),
        (after(({"query": 'say "error": no', "result": '"error":', "success": True},)), ()),
        (after((READ,), error="[object Object]"), None),
        ({**COMMON, "hookName": "prompt_submit"}, ()),
    ],
)
def test_what_is_at_stake_in_an_event(event, stake):
    data = json.dumps(event, separators=(",", ":")).encode()
    assert required_paths(cline.EVENT_SCHEMA, event, data) == stake


def test_several_commands_of_one_call_are_all_seen():
    call = decode(before("run_commands", {"commands": ["cat a", "ls b"]})).exchanges[0].call
    assert [each.text for each in commands(call)] == ["cat a", "ls b"]


@pytest.fixture
def project(tmp_path):
    return hooks.make_project(tmp_path / "repo")


def told(event, project, monkeypatch):
    monkeypatch.setenv("PWD", str(project))
    event["workspaceInfo"] = {"rootPath": str(project)}
    status, out, err = hooks.run(event, "cline")
    assert (status, err) == (0, b"")
    return json.loads(out) if out else None


def test_through_the_hook_one_of_several_files_is_corrected(project, monkeypatch):
    files = [{"path": "pkg/one/util.py"}, FILES["files"][1]]
    output = told(before(arguments={"files": files}), project, monkeypatch)
    paths = [each["path"] for each in output["overrideInput"]["files"]]
    assert paths == ["pkg/one/util.py", "docs/status.md"]
    assert output["overrideInput"]["files"][1]["start_line"] == 2
    assert set(output) == {"overrideInput", "contextModification"}


def test_through_the_hook_files_that_are_there_are_met_with_silence(project, monkeypatch):
    assert told(before(arguments={"files": FILES["files"][:1]}), project, monkeypatch) is None


PIECES = cline.setup("cat; echo more; sleep 60; true", timeout=1).pieces


@pytest.mark.skipif(
    shutil.which("timeout") is None, reason="no `timeout` here: apt-get (or brew) install coreutils"
)
@pytest.mark.parametrize("piece", PIECES, ids=[each.user for each in PIECES])
def test_a_hook_hands_on_what_it_is_given_and_ends_well_in_time(piece, tmp_path):
    file = tmp_path / "hook"
    file.write_text(piece.content)
    done = subprocess.run(["sh", str(file)], input=b"{}", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"{}more\n")
    assert piece.executable
    assert piece.project == f".cline/{piece.user}"


@pytest.mark.parametrize("client", ["/nowhere/truepath hook cline", "exit 2", "kill -9 $$"])
def test_a_hook_ends_well_whatever_its_client_does(client, tmp_path):
    file = tmp_path / "hook"
    file.write_text(cline.setup(client).pieces[0].content)
    done = subprocess.run(["sh", str(file)], input=b"{}", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)
PARTS = st.dictionaries(
    st.sampled_from(["id", "name", "input", "output", "error", "result", "rootPath", "path"]),
    st.sampled_from(["editor", "/repo", MISSING]) | JSON,
)
EVENTS = st.dictionaries(
    st.sampled_from([*COMMON, "tool_call", "tool_result", "hookName", "iteration"]),
    st.sampled_from([*cline.EVENTS, SESSION]) | JSON | PARTS,
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
def test_no_event_breaks_it_and_no_answer_ends_the_run(event, one):
    request = decode(event)
    output = cline.encode(request, [one]) if request else None
    if output is None:
        return
    assert set(output) <= {"overrideInput", "contextModification"}
    assert request.phase == "before" or set(output) == {"contextModification"}
    if "overrideInput" in output:
        assert set(output["overrideInput"]) >= set(request.exchanges[0].call.arguments)
    json.dumps(output)
