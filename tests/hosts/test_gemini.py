"""Gemini CLI: the command that calls the client, the extension, and words that come
late.
"""

from __future__ import annotations

import json
import subprocess
import time
import uuid
from pathlib import Path

import hooks
import pytest
from host_samples import ALL

from truepath.hosts.gemini_cli import host as gemini_cli
from truepath.session.state import TURN_GAP_S

SAMPLES = ALL["gemini"]
READ = {"llmContent": "STATUS all green\n", "returnDisplay": ""}


def command(client):
    [piece] = gemini_cli.pieces(client)
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
        assert started.communicate(timeout=300)[0] == b""


PROJECT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("client", "output"),
    [("truepath-hook", b"gemini\n"), ("truepath", b""), ("", b"")],
)
def test_the_extension_calls_the_client_that_is_there_and_else_does_nothing(
    tmp_path, client, output
):
    if client:
        file = tmp_path / client
        file.write_text('#!/bin/sh\necho "$@"\n')
        file.chmod(0o755)
    launcher = ["/bin/sh", str(PROJECT / "plugins/truepath/bin/truepath-hook.sh")]
    launcher.append("gemini")
    done = subprocess.run(
        launcher, env={"PATH": str(tmp_path)}, capture_output=True, check=True
    )
    assert (done.stdout, done.stderr) == (output, b"")


class Session:
    """One session in a project: events in, answers out, by the hook in this process."""

    def __init__(self, repo):
        self.repo, self.cwd, self.id = repo, repo, str(uuid.uuid4())

    def ask(self, sample, response=None, tool="read_file", **arguments):
        own = {"session_id": self.id, "cwd": str(self.cwd)}
        event = {
            **SAMPLES.events[sample],
            **own,
            "tool_name": tool,
            "tool_input": arguments,
        }
        status, out, err = hooks.run(
            {**event, "tool_response": response or READ}, "gemini"
        )
        assert (status, err) == (0, b"")
        return json.loads(out) if out else None

    def correct(self, **arguments):
        """Return the arguments of a call after its correction."""
        return self.ask("before", **arguments)["hookSpecificOutput"]["tool_input"]


@pytest.fixture
def session(tmp_path, monkeypatch):
    monkeypatch.setenv("TRUEPATH_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return Session(hooks.make_project(tmp_path / "repo"))


def told(answer):
    return answer["hookSpecificOutput"]["additionalContext"] if answer else ""


def test_a_correction_is_told_once_and_at_the_end_of_its_own_call(session):
    used = session.correct(file_path="specs/status.md", start_line=1)
    assert used == {"file_path": "docs/status.md", "start_line": 1}
    assert session.ask("after", file_path="README.md") is None
    assert told(session.ask("after", **used)).startswith(
        "OK: `docs/status.md` in place of `specs/status.md`"
    )
    assert session.ask("after", **used) is None


def test_a_corrected_call_that_fails_tells_its_error_first(session):
    used = session.correct(file_path="specs/status.md")
    response = {
        "llmContent": "no",
        "error": {"message": "no such text", "type": "edit"},
    }
    answer = session.ask("after", response, **used)
    told = "no such text\n\n`docs/status.md` was used in place of `specs/status.md`"
    assert answer["reason"].startswith(told)


def test_a_correction_that_never_ran_is_not_told_of_a_later_call(session):
    used = session.correct(file_path="specs/status.md")
    assert session.ask("before", **used) is None
    assert session.ask("after", **used) is None


def test_two_corrections_of_one_turn_are_each_told_with_their_call(session):
    first = session.correct(file_path="specs/status.md")
    shell = "run_shell_command"
    second = session.correct(tool=shell, command="cat specs/status.md")
    assert " in place of " in told(session.ask("after", tool=shell, **second))
    assert " in place of " in told(session.ask("after", **first))


def test_in_a_sub_folder_a_file_tool_is_refused_what_lies_above_it(
    session, monkeypatch
):
    session.cwd = session.repo / "docs"
    monkeypatch.setenv("GEMINI_PROJECT_DIR", str(session.cwd))
    answer = session.ask("before", file_path="src/app/settings.py")
    assert answer["decision"] == "deny"
    assert f"`{session.repo}/src/app/settings.py`" in answer["reason"]
    shell = session.correct(tool="run_shell_command", command="cat src/app/settings.py")
    assert shell["command"].endswith("/src/app/settings.py")


def test_a_sub_agent_begins_without_a_miss_and_its_starter_after_it(session):
    def missed(path):
        return session.ask("before", file_path=path)["reason"]

    def agent(sample):
        arguments = {"agent_name": "generalist", "prompt": "read lib/util.py"}
        assert session.ask(sample, tool="invoke_agent", **arguments) is None

    assert "STRATEGY_SHIFT" not in missed("lib/util.py")
    agent("before")
    assert "STRATEGY_SHIFT" not in missed("libs/util.py")
    time.sleep(TURN_GAP_S + 0.1)
    assert "STRATEGY_SHIFT" in missed("core/util.py")
    agent("after")
    assert "STRATEGY_SHIFT" not in missed("app/util.py")


def test_a_note_that_another_call_is_owed_outlives_the_start_of_a_sub_agent(session):
    used = session.correct(file_path="specs/status.md")
    session.ask("before", file_path="lib/util.py")
    session.ask("before", tool="invoke_agent", agent_name="generalist", prompt="look")
    assert told(session.ask("after", **used)).startswith("OK: `docs/status.md`")
    time.sleep(TURN_GAP_S + 0.1)
    answer = session.ask("before", file_path="libs/util.py")
    assert "STRATEGY_SHIFT" not in answer["reason"]
