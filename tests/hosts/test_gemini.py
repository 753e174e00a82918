"""Gemini CLI's JSON, as captured from 0.61.0, in and out."""

from __future__ import annotations

import json
import subprocess
import uuid
from pathlib import Path

import hooks
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truepath
from truepath.hosts.gemini_cli import host as gemini_cli
from truepath.hosts.protocol import Exchange, Request
from truepath.project.secrets import Deny
from truepath.types import Decision, Outcome, ToolCall

COMMON = {
    "session_id": "eff362a2-0b1c-4175-ab67-2b51ce7e9ff0",
    "transcript_path": "/home/u/.gemini/tmp/repo/chats/session-2026-11-21T20-42-eff362a2.jsonl",
    "cwd": "/repo",
    "timestamp": "2026-11-21T20:42:37.461Z",
}
MISSING = "File not found: /repo/specs/status.md"
SHELL = "<untrusted_context>\nOutput: {}\nProcess Group PGID: 28624\n</untrusted_context>"
FAILED = SHELL.format("cat: specs/status.md: No such file or directory\nExit Code: 1")


def before(tool="read_file", **arguments):
    arguments = arguments or {"file_path": "specs/status.md", "start_line": 2}
    return {
        **COMMON,
        "hook_event_name": "BeforeTool",
        "tool_name": tool,
        "tool_input": arguments,
    }


def after(response=None, **more):
    response = response or {
        "llmContent": "Could not read file because no file was found at the specified path.",
        "returnDisplay": "File not found.",
        "error": {"message": MISSING, "type": "file_not_found"},
    }
    return {**before(**more), "hook_event_name": "AfterTool", "tool_response": response}


def shell(output=FAILED, command="cat specs/status.md"):
    response = {"llmContent": output, "returnDisplay": ""}
    return after(response, tool="run_shell_command", command=command)


def answer(event, decision):
    request = gemini_cli.decode(event, {})
    assert request is not None
    return gemini_cli.encode(request, [decision])


def test_a_call_about_to_run_is_decoded():
    call = ToolCall(
        tool="read_file",
        arguments={"file_path": "specs/status.md", "start_line": 2},
        session="eff362a2-0b1c-4175-ab67-2b51ce7e9ff0",
        cwd="/repo",
        host="gemini",
    )
    assert gemini_cli.decode(before(), {"GEMINI_PROJECT_DIR": "/repo"}) == Request(
        phase="before",
        event="BeforeTool",
        exchanges=(Exchange(call),),
        project="/repo",
        cwd="/repo",
        record=COMMON["transcript_path"],
        late=True,
    )


@pytest.mark.parametrize(
    ("event", "outcome"),
    [
        (after(), Outcome(error=MISSING)),
        (after({"error": {}}), Outcome(error="failed")),
        (after({"llmContent": "hi"}), Outcome(output="hi")),
        (after({"llmContent": [{"inlineData": {}}]}), Outcome(output="")),
        (
            shell(),
            Outcome(
                error="<untrusted_context>\nOutput: cat: specs/status.md: "
                "No such file or directory",
                output=FAILED,
            ),
        ),
        (shell(SHELL.format("all green")), Outcome(output=SHELL.format("all green"))),
        (after({"llmContent": FAILED}), Outcome(output=FAILED)),
    ],
    ids=["error", "no-message", "success", "image", "status", "status-0", "a-file-that-says-so"],
)
def test_what_came_of_a_call_is_decoded(event, outcome):
    [exchange] = gemini_cli.decode(event, {}).exchanges
    assert exchange.outcome == outcome


@pytest.mark.parametrize(
    "event",
    [
        {**COMMON, "hook_event_name": "SessionStart", "source": "startup"},
        {**COMMON, "hook_event_name": "BeforeModel", "llm_request": {}},
        {**COMMON, "hook_event_name": "AfterAgent", "prompt": "go"},
        {**COMMON, "hook_event_name": "BeforeTool"},
        {},
    ],
)
def test_an_event_that_is_not_ours_is_left_alone(event):
    assert gemini_cli.decode(event, {}) is None


def test_a_prompt_is_decoded_as_a_call_without_a_tool():
    event = {**COMMON, "hook_event_name": "BeforeAgent", "prompt": "read a.py"}
    request = gemini_cli.decode(event, {})
    assert request.phase == "prompt"
    assert request.exchanges[0].call.prompt == "read a.py"


def test_a_rewrite_carries_the_whole_input_and_no_permission():
    real = Decision("rewrite", {"file_path": "docs/status.md"}, text="PATH_CORRECTED ...")
    assert answer(before(), real) == {
        "hookSpecificOutput": {
            "hookEventName": "BeforeTool",
            "tool_input": {"file_path": "docs/status.md", "start_line": 2},
        }
    }


def test_a_refusal_is_a_denial_with_the_text_as_reason():
    refusal = Decision("refuse", {}, text="PATH_NOT_FOUND ...")
    assert answer(before(), refusal) == {"decision": "deny", "reason": "PATH_NOT_FOUND ..."}


def test_advice_before_a_call_is_kept_back():
    assert answer(before(), Decision("advise", {}, text="look here")) is None


@pytest.mark.parametrize("event", [shell(), after({"llmContent": "STATUS all green"})])
def test_what_is_told_after_a_call_that_returned_something_is_context(event):
    output = {"hookEventName": "AfterTool", "additionalContext": "look here"}
    assert answer(event, Decision("advise", {}, text="look here")) == {"hookSpecificOutput": output}


def test_what_is_told_after_a_failure_stands_behind_the_tools_own_error():
    told = answer(after(), Decision("advise", {}, text="look here"))
    assert told == {"decision": "deny", "reason": f"{MISSING}\n\nlook here"}


@pytest.mark.parametrize("event", [before(), after(), shell()])
@pytest.mark.parametrize("action", ["allow", "refuse", "advise"])
def test_a_decision_without_words_says_nothing(event, action):
    assert answer(event, Decision(action, {})) is None


def record(*entries):
    return "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in entries).encode()


def user(*texts, **more):
    return {"id": "u", "type": "user", "content": [{"text": text} for text in texts], **more}


def model(name, **more):
    return {"id": name, "type": "gemini", "content": "", "model": "gemini-2.5-flash", **more}


RESULT = {"functionResponse": {"name": "read_file", "response": {"error": '"type":"gemini"'}}}
RECORD = (
    {"sessionId": "eff", "kind": "main"},
    {"$set": {"messages": [user("<session_context>\na.py")]}},
    user("look at a.py"),
    model("m1"),
    model("m1", toolCalls=[{"id": "c1", "args": {"file_path": "a.py"}}]),
    {"id": "r1", "type": "user", "content": [RESULT]},
    user("do as @b.md says", "\n--- Content from referenced files ---", "read c.py"),
    {"$set": {"lastUpdated": "2026-11-22T01:55:25.294Z"}},
    model("m2"),
    {"$set": {"lastUpdated": "2026-11-22T01:55:26.294Z"}},
)


def test_the_record_tells_the_turn_and_what_the_user_typed_last():
    call = gemini_cli.recall(ToolCall("read_file"), record(*RECORD))
    assert (call.turn, call.prompt) == ("m2", "do as @b.md says")
    call = gemini_cli.recall(ToolCall("read_file"), record(*RECORD[:6]))
    assert (call.turn, call.prompt) == ("m1", "look at a.py")


def test_what_was_typed_is_what_is_displayed_of_it():
    entry = user("look at a.py\nall of its text", displayContent=[{"text": "look at a.py"}])
    assert gemini_cli.recall(ToolCall("read_file"), record(entry)).prompt == "look at a.py"


def test_what_the_program_says_in_the_users_name_is_passed_over():
    assert gemini_cli.recall(ToolCall("x"), record(user("<session_context>\na.py"))).prompt == ""


@given(st.binary(max_size=200) | st.integers(0, 2000).map(lambda cut: record(*RECORD)[cut:]))
def test_any_end_of_any_file_is_read_without_harm(data):
    call = gemini_cli.recall(ToolCall("read_file", prompt="p"), data)
    assert call.turn in ("", "m1", "m2")
    assert call.prompt in ("p", "look at a.py", "do as @b.md says")


def policy(**fields):
    lines = [f"{name} = {json.dumps(value)}" for name, value in fields.items()]
    return "\n".join(["[[rule]]", *lines, "priority = 100", ""])


def denies(content, tool="run_shell_command", **arguments):
    rules = gemini_cli.rules({"/h/.gemini/policies/a.toml": content}, {}, "/repo")
    return rules.forbids(tool, arguments or {"command": "cat docs/a.md"})


SHELL_RULE = {"toolName": "run_shell_command", "decision": "deny"}


@pytest.mark.parametrize(
    ("content", "denied", "why"),
    [
        (policy(**SHELL_RULE, commandPrefix="cat docs/a.md"), True, "the whole command"),
        (policy(**SHELL_RULE, commandPrefix=["rm", "cat"]), True, "one of several"),
        (policy(**SHELL_RULE, commandPrefix="ca"), False, "words, not letters"),
        (policy(**SHELL_RULE, commandRegex="cat (docs|x)"), True, "a pattern for it"),
        (policy(**SHELL_RULE, commandRegex="docs"), False, "a pattern for its beginning"),
        (policy(**SHELL_RULE, argsPattern="docs/"), True, "a pattern for all"),
        (policy(**SHELL_RULE, argsPattern='\\u0000"command":"cat docs'), True, "an exact one"),
        (policy(**SHELL_RULE, argsPattern="(?<x>a"), True, "a pattern of another dialect"),
        (policy(**SHELL_RULE), False, "every command, corrected or not"),
        (policy(toolName=["x", "*"], decision="ask_user", argsPattern="docs"), True, "any tool"),
        (policy(decision="deny", argsPattern="docs"), True, "no tool named"),
        (policy(toolName="run_shell_command", decision="allow", argsPattern="docs"), False, "-"),
        (policy(toolName="read_file", decision="deny", argsPattern="docs"), False, "not the tool"),
        ("[[rule]\n", True, "a file that nobody can read"),
        ("rule = 7", False, "no rules"),
        ("", False, "nothing"),
    ],
)
def test_which_calls_a_policy_denies(content, denied, why):
    assert denies(content) is denied, why


@pytest.mark.parametrize("command", ["ls && rm -r x", "echo $(rm x)", "rm x"])
def test_a_policy_for_a_command_holds_for_each_part_of_a_line(command):
    content = policy(**SHELL_RULE, commandPrefix="rm")
    assert denies(content, command=command)
    assert not denies(content, command="cat rm")


def test_a_policy_for_paths_is_tested_on_the_arguments():
    content = policy(toolName="read_file", decision="deny", argsPattern='"file_path":"secret/')
    assert denies(content, "read_file", file_path="secret/key.md", start_line=1)
    assert not denies(content, "read_file", file_path="docs/secret/key.md")


def test_what_gemini_ignores_is_not_named():
    files = {"/repo/.geminiignore": "# no\n\n docs/ \n!docs/a.md\n/\n*.log\n"}
    denied = Deny(gemini_cli.rules(files, {}, "/repo").hidden)
    assert [path for path in ("docs/a.md", "x/a.log", "a.md") if denied(path)] == [
        "docs/a.md",
        "x/a.log",
    ]
    below = Deny(gemini_cli.rules({"/repo/pkg/.geminiignore": "docs/\n"}, {}, "/repo").hidden)
    assert (below("pkg/docs/a.md"), below("docs/a.md")) == (True, False)


def test_rules_are_read_where_gemini_keeps_them():
    home = gemini_cli.rule_files({"HOME": "/h"}, "/repo")
    assert {"/h/.gemini/policies/*.toml", "/repo/.geminiignore"} <= set(home)
    other = gemini_cli.rule_files({"HOME": "/h", "GEMINI_CLI_HOME": "/g"}, "/repo")
    assert "/g/.gemini/policies/*.toml" in other


def test_the_settings_ask_for_milliseconds_and_for_no_event_that_is_unknown():
    [piece] = gemini_cli.setup("truepath hook gemini", timeout=7).pieces
    assert set(piece.content["hooks"]) == {"BeforeTool", "AfterTool", "BeforeAgent"}
    for groups in piece.content["hooks"].values():
        for group in groups:
            [each] = group["hooks"]
            assert "truepath hook gemini" in each["command"]
            assert each["timeout"] == 7000


def command(client):
    [piece] = gemini_cli.setup(client).pieces
    return piece.content["hooks"]["BeforeTool"][0]["hooks"][0]["command"]


@pytest.mark.parametrize("shell", ["sh", "bash"])
@pytest.mark.parametrize(
    ("client", "output"),
    [("cat", b"event"), ("/nowhere/truepath", b""), ("sh -c 'cat; exit 2'", b"event")],
)
def test_the_command_passes_on_everything_but_the_status(shell, client, output):
    words = [shell, "-c", command(client)]
    done = subprocess.run(words, input=b"event", capture_output=True, check=True)
    assert done.stdout == output


def test_a_client_ends_with_the_shell_that_called_it():
    words = ["bash", "-c", command("sh -c 'echo begun; exec sleep 60'")]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe) as started:
        assert started.stdout.readline() == b"begun\n"
        started.terminate()
        # Reads to the end, which comes once nobody holds the output any more.
        assert started.communicate(timeout=30)[0] == b""


PLUGIN = Path(__file__).parents[2] / "plugins/gemini-cli"


def test_the_extension_has_the_same_hooks_and_the_same_version():
    [piece] = gemini_cli.setup('sh "${extensionPath}/bin/truepath-hook.sh"').pieces
    content = json.loads((PLUGIN / "hooks/hooks.json").read_text())
    assert content["hooks"] == piece.content["hooks"]
    manifest = json.loads((PLUGIN / "gemini-extension.json").read_text())
    assert (manifest["name"], manifest["version"]) == ("truepath", truepath.__version__)


@pytest.mark.parametrize(
    ("client", "output"),
    [("truepath-hook", b"gemini\n"), ("truepath", b"hook gemini\n"), ("", b"")],
)
def test_the_extension_calls_the_client_that_is_there_and_else_does_nothing(
    tmp_path, client, output
):
    if client:
        file = tmp_path / client
        file.write_text('#!/bin/sh\necho "$@"\n')
        file.chmod(0o755)
    launcher = ["/bin/sh", str(PLUGIN / "bin/truepath-hook.sh")]
    done = subprocess.run(launcher, env={"PATH": str(tmp_path)}, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (output, b"")


@pytest.fixture
def repo(tmp_path, monkeypatch):
    monkeypatch.setenv("TRUEPATH_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return hooks.make_project(tmp_path / "repo")


class Session:
    """One session in a project: events in, answers out, by the hook in this process."""

    def __init__(self, repo, record):
        self.repo, self.record, self.id = repo, record, str(uuid.uuid4())

    def turn(self, name):
        self.record.write_bytes(record(user("go"), model(name)))

    def ask(self, event):
        own = {"session_id": self.id, "cwd": str(self.repo), "transcript_path": str(self.record)}
        status, out, err = hooks.run({**event, **own}, "gemini")
        assert (status, err) == (0, b"")
        return json.loads(out) if out else None

    def correct(self, **arguments):
        """Return the arguments of a call after its correction."""
        return self.ask(before(**arguments))["hookSpecificOutput"]["tool_input"]


@pytest.fixture
def session(repo, tmp_path):
    made = Session(repo, tmp_path / "record.jsonl")
    made.turn("m1")
    return made


READ = {"llmContent": "STATUS all green\n", "returnDisplay": ""}


def told(answer):
    return answer["hookSpecificOutput"]["additionalContext"] if answer else ""


def test_a_correction_is_told_once_and_at_the_end_of_its_own_call(session):
    used = session.correct(file_path="specs/status.md", start_line=1)
    assert used == {"file_path": "docs/status.md", "start_line": 1}
    assert session.ask(after(READ, file_path="README.md")) is None
    assert told(session.ask(after(READ, **used))).startswith("PATH_CORRECTED: `specs/status.md`")
    assert session.ask(after(READ, **used)) is None


def test_a_corrected_call_that_fails_tells_its_error_first(session):
    used = session.correct(file_path="specs/status.md")
    response = {"llmContent": "no", "error": {"message": "no such text", "type": "edit"}}
    answer = session.ask(after(response, **used))
    assert answer["reason"].startswith("no such text\n\nPATH_CORRECTED")


def test_a_correction_that_never_ran_is_not_told_of_a_later_call(session):
    used = session.correct(file_path="specs/status.md")
    session.turn("m2")
    assert session.ask(before(**used)) is None
    assert session.ask(after(READ, **used)) is None


def test_two_corrections_of_one_turn_are_each_told_with_their_call(session):
    first = session.correct(file_path="specs/status.md")
    second = session.correct(tool="run_shell_command", command="cat specs/status.md")
    response = {"llmContent": SHELL.format("all green"), "returnDisplay": ""}
    end = after(response, tool="run_shell_command", **second)
    assert "PATH_CORRECTED" in told(session.ask(end))
    assert "PATH_CORRECTED" in told(session.ask(after(READ, **first)))


def test_what_is_there_is_met_with_silence(session):
    assert session.ask(before(file_path="docs/status.md")) is None
    assert session.ask(after(READ, file_path="docs/status.md")) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)
NAMES = st.sampled_from([*gemini_cli.EVENTS, *gemini_cli.EVENT_SCHEMA["paths"], "/repo", FAILED])
FIELDS = st.sampled_from(["command", "file_path", "error", "message", "llmContent"])
EVENTS = st.dictionaries(
    st.sampled_from([*after(), "prompt"]),
    NAMES | JSON | st.dictionaries(FIELDS, NAMES | JSON),
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
    request = gemini_cli.decode(event, {})
    output = gemini_cli.encode(request, [one]) if request else None
    if output is None:
        return
    json.dumps(output)
    if "hookSpecificOutput" not in output:
        assert set(output) == {"decision", "reason"}
        assert output["decision"] == "deny"
        return
    inner = output["hookSpecificOutput"]
    assert set(output) == {"hookSpecificOutput"}
    assert inner["hookEventName"] == event["hook_event_name"]
    if request.phase == "before":
        assert set(inner["tool_input"]) >= set(request.exchanges[0].call.arguments)


@given(content=st.text(max_size=60) | st.builds(policy, argsPattern=st.text(max_size=20)))
def test_no_policy_breaks_it(content):
    assert denies(content) in (True, False)
