"""A hook is bounded: in time from the start of its process, in bytes, in how many work
at once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import hooks
import pytest

from truepath.config.user_dirs import state_folder
from truepath.hook import answer, client, deadline
from truepath.hosts import find
from truepath.journal.journal import EventReader, journal_path

fcntl = pytest.importorskip("fcntl", reason="not on Windows: pipes, kill, other locks")

SCRIPT = Path(client.__file__).with_name("script.py")
PYTHON = [sys.executable, "-I", "-S", str(SCRIPT), "claude-code"]


@pytest.fixture
def repo(tmp_path):
    return hooks.make_project(tmp_path / "repo")


@pytest.fixture
def environ(tmp_path, isolated):
    (tmp_path / "tmp").mkdir()
    own = {name: os.environ[name] for name in ("PATH", "HOME")}
    return {
        **own,
        "TRUEPATH_STATE": str(tmp_path / "state"),
        "TMPDIR": str(tmp_path / "tmp"),
    }


def asked(event, environ, seconds="9"):
    done = subprocess.run(
        PYTHON,
        input=json.dumps(event).encode(),
        env={**environ, deadline.VARIABLE: seconds},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    return done


@pytest.mark.parametrize("client", hooks.clients())
def test_input_that_does_not_end_is_waited_for_until_the_deadline(client, environ):
    command = hooks.clients()[client]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(
        command, env={**environ, deadline.VARIABLE: "0.1"}, **pipes
    ) as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        assert process.wait() == 0
        assert process.stdout.read() == b""


def test_an_event_that_is_too_large_is_heard_out_and_the_call_goes_on(repo):
    event = hooks.event(
        repo, tool="Bash", tool_input={"command": "cat specs/status.md"}
    )
    too_large = json.dumps(event).encode().ljust(client.LARGEST_EVENT + 1)
    status, out, err = hooks.run(too_large)
    assert (status, out, err.count(b"\n")) == (0, b"", 1)
    assert b"more than 4,000,000 bytes; the call runs as it was" in err
    (told,) = EventReader(journal_path(state_folder(os.environ))).read()
    assert told.event == "guard.failed"


def test_a_long_command_is_read_in_time(repo, environ):
    text = "echo '" + "x y\n" * 250_000 + "'"
    done = asked(hooks.event(repo, tool="Bash", tool_input={"command": text}), environ)
    assert (done.stdout, done.stderr) == (b"", b"")


@pytest.mark.parametrize("what", ["settings", "journal"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(repo, environ, what):
    place = Path(environ["HOME"], ".claude/settings.json")
    place = place if what == "settings" else Path(journal_path(state_folder(environ)))
    place.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(place)
    done = asked(hooks.event(repo, session_id="019a"), environ)
    assert done.stderr == b""
    assert b"docs/status.md" in done.stdout


def test_a_hook_that_is_killed_leaves_nothing_where_temporary_files_go(
    repo, environ, tmp_path
):
    for wait in (0.02, 0.05, 0.1):
        with subprocess.Popen(
            PYTHON, stdin=-1, stdout=subprocess.DEVNULL, env=environ
        ) as process:
            process.stdin.write(json.dumps(hooks.event(repo)).encode())
            process.stdin.close()
            time.sleep(wait)
            process.kill()
    assert [*(tmp_path / "tmp").iterdir()] == []


def test_the_time_recorded_counts_from_the_start_of_the_hook(
    repo, tmp_path, monkeypatch
):
    monkeypatch.setenv("TRUEPATH_STATE", str(tmp_path / "state"))
    monkeypatch.setenv(deadline.VARIABLE, "9")
    began = (
        time.time() - 5
    )  # an interpreter that took as long to start, or a client before it
    assert answer.reply(find("claude-code"), hooks.event(repo), os.environ, began)
    (event,) = EventReader(journal_path(str(tmp_path / "state"))).read()
    assert event.elapsed_us >= 5_000_000
