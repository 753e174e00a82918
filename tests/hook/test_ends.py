"""How a corrected call ended, by the events of each program: as they were captured from
it, with No pressed, another rewriting hook, a failure, a success, and nothing at all.
"""

from __future__ import annotations

import json
import os

import hooks
import pytest

from truepath.config.user_dirs import state_folder
from truepath.hosts import HOSTS, find
from truepath.journal.journal import EventReader, journal_path
from truepath.journal.statistics import add_up, with_ends

OLD, NEW = "specs/status.md", "docs/status.md"
LINE = "cat {} | head -3"
DONE, FAILED = "STATUS all green", "STATUS all green\ncat: broken pipe"


class Claude:
    """Its 2.1.332 has the input that ran in each event of one call."""

    HOST, SHELL = "claude-code", "Bash"
    BEFORE, AFTER = "PreToolUse", "PostToolUse"

    def __init__(self, repo):
        self.own = {"session_id": "5e55", "cwd": str(repo)}

    def event(self, name, line, **more):
        call = {"tool_name": self.SHELL, "tool_input": {"command": line}}
        return {**self.own, "hook_event_name": name, **call, **self.ids(), **more}

    def ids(self):
        return {"tool_use_id": "toolu_1"}

    def before(self, line):
        return self.event(self.BEFORE, line)

    def ran(self, line):
        return self.event(self.AFTER, line, tool_response={"stdout": DONE})

    def failed(self, line):
        error = f"Exit code 1\n{FAILED}"
        return self.event("PostToolUseFailure", line, error=error)

    def declined(self, line):
        return self.prompt()

    def prompt(self):
        return {**self.own, "hook_event_name": "UserPromptSubmit", "prompt": "go on"}

    def told(self, answer):
        return answer.get("hookSpecificOutput", answer).get("additionalContext", "")


class Codex(Claude):
    """It tells no status: what failed shows in the words of its output alone."""

    HOST = "codex"

    def ran(self, line):
        return self.event(self.AFTER, line, tool_response=f"{DONE}\n")

    def failed(self, line):
        printed = f"{DONE}\nhead: lib/x.md: No such file or directory\n"
        return self.event(self.AFTER, line, tool_response=printed)


class Gemini(Claude):
    HOST, SHELL = "gemini", "run_shell_command"
    BEFORE, AFTER = "BeforeTool", "AfterTool"

    def ids(self):
        return {}

    def ran(self, line, status=""):
        printed = f"<untrusted_context>\nOutput: {DONE}{status}\n</untrusted_context>"
        response = {"llmContent": printed, "returnDisplay": DONE}
        return self.event(self.AFTER, line, tool_response=response)

    def failed(self, line):
        return self.ran(line, "\nExit Code: 1\nProcess Group PGID: 84")

    def prompt(self):
        return {**self.own, "hook_event_name": "BeforeAgent", "prompt": "go on"}


class Copilot(Claude):
    HOST = "copilot"

    def ids(self):
        return {"timestamp": "2026-11-29T09:59:06.843Z"}

    def ran(self, line, status=0):
        text = f"{DONE}\n<shellId: 0 completed with exit code {status}>"
        result = {"result_type": "success", "text_result_for_llm": text}
        return self.event(self.AFTER, line, tool_result=result)

    def failed(self, line):
        return self.ran(line, 1)


class Cline:
    HOST = "cline"

    def __init__(self, repo):
        self.own = {
            "sessionContext": {"rootSessionId": "5e55"},
            "workspaceInfo": {"rootPath": str(repo)},
            "iteration": 1,
        }

    def event(self, name, line, **more):
        call = {"id": "call_1", "name": "run_commands", "input": {"commands": [line]}}
        return {**self.own, "hookName": name, name: {**call, **more}}

    def before(self, line):
        return self.event("tool_call", line)

    def ran(self, line):
        output = [{"query": line, "result": DONE, "success": True}]
        return self.event("tool_result", line, output=output)

    def failed(self, line):
        part = {"query": line, "result": FAILED, "success": False}
        part["error"] = "Command exited with code 1"
        return self.event("tool_result", line, output=[part])

    def declined(self, line):
        said = "This tool call was rejected by the user and not executed."
        more = {"output": {"error": said}, "error": "[object Object]"}
        return self.event("tool_result", line, **more)

    def prompt(self):
        typed = {"prompt": "go on"}
        return {**self.own, "hookName": "prompt_submit", "userPromptSubmit": typed}

    def told(self, answer):
        return answer.get("contextModification", "")


class OpenCode:
    HOST = "opencode"

    def __init__(self, repo):
        self.own = {"session": "5e55", "cwd": str(repo), "turn": "msg_1"}

    def event(self, name, line, **more):
        call = {"tool": "bash", "arguments": {"command": line}, "call": "call_1"}
        return {**self.own, "event": name, **call, **more}

    def before(self, line):
        return self.event("before", line)

    def ran(self, line):
        return self.event("failure", line)

    def failed(self, line):
        return self.event("failure", line, error=FAILED)

    def declined(self, line):
        said = "The user rejected permission to use this specific tool call."
        return self.event("failure", line, error=said)

    def prompt(self):
        return {**self.own, "event": "prompt", "prompt": "go on"}

    def told(self, answer):
        return answer.get("text", "")


class Pi(OpenCode):
    HOST = "pi"

    def declined(self, line):  # it asks about nothing
        return self.prompt()


class Cursor(Claude):
    """Not run: no event of a success, and none of a refusal, is known."""

    HOST, SHELL = "cursor", "Shell"
    BEFORE, AFTER = "preToolUse", "postToolUse"

    def __init__(self, repo):
        super().__init__(repo)
        self.own |= {"conversation_id": "5e55", "workspace_roots": [str(repo)]}

    def failed(self, line):
        return self.event("postToolUseFailure", line, error_message=FAILED)

    def prompt(self):
        return {**self.own, "hook_event_name": "beforeSubmitPrompt", "prompt": "go on"}

    def told(self, answer):
        return answer.get("additional_context", "")


class VSCode(Claude):
    HOST, SHELL = "vscode", "run_in_terminal"

    def failed(self, line):
        return self.ran(line)


class Crush(Claude):
    """Not run: it has no event after a call."""

    HOST, SHELL = "crush", "bash"

    def event(self, name, line, **more):
        return {**super().event(name, line, **more), "event": name}


PROGRAMS = (
    *(Claude, Codex, Gemini, Copilot, Cline, OpenCode, Pi),
    *(Cursor, VSCode, Crush),
)
NEVER_CORRECT = {"qwen", "kimi"}

FAILS = "`docs/status.md` was used in place of `specs/status.md`"
DROPPED = "the program did not take the correction"

ROWS = [
    # What happens after the correction, on which path, the end, and what is said.
    ("ran", NEW, "ran", ""),
    ("failed", NEW, "failed", FAILS),
    ("ran", OLD, "dropped", DROPPED),
    ("failed", OLD, "dropped", DROPPED),
    ("declined", NEW, "declined", ""),
    ("killed", NEW, "", ""),
]

UNKNOWN = {
    ("pi", "declined", NEW),
    *(("cursor", what, path) for what in ("ran", "declined") for path in (OLD, NEW)),
    *(("vscode", what, path) for what in ("ran", "failed") for path in (OLD, NEW)),
    ("vscode", "declined", NEW),
    *(("crush", what, path) for what in ("ran", "failed") for path in (OLD, NEW)),
    ("crush", "declined", NEW),
}
"""Where a program shows nothing of that kind."""


@pytest.fixture
def repo(tmp_path):
    return hooks.make_project(tmp_path / "repo")


def ask(program, event):
    status, out, err = hooks.run(event, program.HOST)
    assert (status, err) == (0, b"")
    return json.loads(out) if out else {}


def journal():
    return [*EventReader(journal_path(state_folder(os.environ))).read()]


def test_every_program_has_rows():
    assert {each.HOST for each in PROGRAMS} | NEVER_CORRECT == {*HOSTS}
    assert not any(find(name).REWRITES for name in NEVER_CORRECT)


@pytest.mark.parametrize(("what", "path", "end", "words"), ROWS)
@pytest.mark.parametrize("kind", PROGRAMS, ids=lambda kind: kind.HOST)
def test_the_end_of_a_correction_is_what_the_program_shows(
    repo, kind, what, path, end, words
):
    program = kind(repo)
    answer = json.dumps(ask(program, program.before(LINE.format(OLD))))
    assert LINE.format(NEW) in answer
    is_later = bool(find(program.HOST).SAID_AFTER)
    assert ("OK:" in answer) != is_later
    told = ""
    if what != "killed":
        told = program.told(ask(program, getattr(program, what)(LINE.format(path))))
    if (program.HOST, what, path) in UNKNOWN:
        end = words = ""
    ends = [event for event in journal() if event.event == "path.ended"]
    assert [event.end for event in ends] == [end] * bool(end)
    assert words in told
    assert ("OK:" in told) == (is_later and end == "ran")
    outcome = {"ran": "corrected", "failed": "corrected", "": "unknown"}.get(end, end)
    sums = add_up([each for each in with_ends(journal()) if each not in ends])
    assert sums["outcomes"][outcome] == sums["misses"] == 1
    # What has ended costs nothing, and ends once.
    ask(program, program.prompt())
    ask(program, program.before(LINE.format(NEW)))
    again = [event for event in journal() if event.event == "path.ended"]
    refused = bool(again) and not ends
    assert len(again) == len(ends) + refused
    assert refused == (what == "killed" and find(program.HOST).RESULTS != ())


def test_the_user_is_told_that_a_correction_did_not_run(repo):
    program = Claude(repo)
    line = "systemMessage"
    sent = ask(program, program.before(LINE.format(OLD)))
    assert sent[line] == f"truepath: {OLD} -> {NEW}"
    dropped = ask(program, program.ran(LINE.format(OLD)))
    assert dropped[line] == f"truepath: {OLD} ran as it was written"


def test_hooks_of_an_earlier_version_leave_an_end_unknown(repo):
    """Claude Code has an event of a success only where it was installed since."""
    program = Claude(repo)
    ask(program, program.before(LINE.format(OLD)))
    call = {**program.ran(LINE.format(OLD)), "tool_response": DONE}
    batch = {**program.own, "hook_event_name": "PostToolBatch", "tool_calls": [call]}
    assert "OK: `docs/status.md`" in program.told(ask(program, batch))
    ask(program, program.prompt())
    assert [event.event for event in journal()] == ["path.corrected"]
    sums = add_up(with_ends(journal()))
    assert sums["outcomes"]["unknown"] == 1


def test_ok_comes_before_the_call_where_the_session_is_not_kept(repo, monkeypatch):
    monkeypatch.setenv("TRUEPATH_STORE", "memory:")
    program = Claude(repo)
    sent = ask(program, program.before(LINE.format(OLD)))
    assert "OK: `docs/status.md`" in program.told(sent)
    assert ask(program, program.ran(LINE.format(NEW))) == {}


SENT = [kind for kind in PROGRAMS if not issubclass(kind, OpenCode)]
"""Those that send each success; a plugin sends only what was corrected."""


@pytest.mark.parametrize("kind", SENT, ids=lambda kind: kind.HOST)
def test_a_success_needs_no_engine_where_nothing_is_open(repo, kind):
    program = kind(repo)
    for _ in range(2):
        for event in (program.before(LINE.format(NEW)), program.ran(LINE.format(NEW))):
            assert hooks.quiet(program.HOST, json.dumps(event).encode())
        ask(program, program.before(LINE.format(OLD)))
        ask(program, program.ran(LINE.format(NEW)))
        if (program.HOST, "ran", NEW) in UNKNOWN:
            return  # nothing ends there
