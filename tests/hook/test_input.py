"""What comes in is bounded: in time from the start of the process, and in bytes."""

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
from truepath.hook import client
from truepath.journal.journal import journal_path, read_events

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: pipes, kill")

SCRIPT = Path(client.__file__).with_name("script.py")
PYTHON = [sys.executable, "-I", "-S", str(SCRIPT), "claude-code"]
MARGIN = 20.0
"""Seconds that a busy machine may need to start and end a process."""


@pytest.fixture
def repo(tmp_path):
    return hooks.make_project(tmp_path / "repo")


@pytest.fixture
def environ(tmp_path, isolated):
    (tmp_path / "tmp").mkdir()
    own = {name: os.environ[name] for name in ("PATH", "HOME")}
    return {**own, "TRUEPATH_STATE": str(tmp_path / "state"), "TMPDIR": str(tmp_path / "tmp")}


def test_input_that_does_not_end_is_waited_for_until_the_deadline(environ):
    began = time.monotonic()
    process = subprocess.Popen(
        PYTHON,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**environ, "TRUEPATH_HOOK_SECONDS": "0.5"},
    )
    assert process.wait(MARGIN) == 0
    assert process.stdout.read() == b""
    assert time.monotonic() - began > 0.4
    process.stdin.close()
    process.stdout.close()


@pytest.mark.parametrize("size", [client.LARGEST + 1, 3 * client.LARGEST])
def test_an_event_that_is_too_large_is_heard_out_and_the_call_goes_on(repo, size):
    event = hooks.event(repo, tool="Bash", tool_input={"command": "cat specs/status.md"})
    data = json.dumps(event).encode().ljust(size)
    status, out, err = hooks.run(data)
    assert (status, out) == (0, b"")
    assert err.count(b"\n") == 1
    assert b"the event has more than 4,000,000 bytes; the call goes on" in err
    (told,) = read_events(journal_path(state_folder(os.environ)))
    assert (told.event, "4,000,000 bytes" in told.error) == ("guard.failed", True)


def test_a_long_command_is_read_in_time(repo, environ):
    text = "echo '" + "x y\n" * 250_000 + "'"
    event = hooks.event(repo, tool="Bash", tool_input={"command": text})
    data, began = json.dumps(event).encode(), time.monotonic()
    done = subprocess.run(PYTHON, input=data, env=environ, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert time.monotonic() - began < MARGIN


@pytest.mark.parametrize("file", [".claude/settings.json", "record"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(repo, environ, file):
    place = Path(environ["HOME"], file)
    place.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(place)
    event = hooks.event(repo, transcript_path=str(place), session_id="019a")
    environ["TRUEPATH_HOOK_SECONDS"] = "9"
    done = subprocess.run(
        PYTHON, input=json.dumps(event).encode(), env=environ, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"docs/status.md" in done.stdout


def test_a_hook_that_is_killed_leaves_nothing_where_temporary_files_go(repo, environ, tmp_path):
    for wait in (0.02, 0.05, 0.1):
        process = subprocess.Popen(
            PYTHON, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environ
        )
        process.stdin.write(json.dumps(hooks.event(repo)).encode())
        process.stdin.close()
        time.sleep(wait)
        process.kill()
        process.wait()
    assert [*(tmp_path / "tmp").iterdir()] == []
