"""Many hooks at once: the others wait for their turn, and no longer than they have."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import hooks
import pytest

from truepath.hook import client, crowd, deadline

fcntl = pytest.importorskip("fcntl", reason="not on Windows: other locks")

SCRIPT = Path(client.__file__).with_name("script.py")


@pytest.fixture
def environ(tmp_path):
    return {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TRUEPATH_STATE": str(tmp_path)}


@pytest.fixture
def repo(tmp_path):
    return hooks.make_project(tmp_path / "repo")


def answer(repo, environ, seconds, path="specs/status.md"):
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(SCRIPT), "claude-code"],
        input=json.dumps(hooks.event(repo, path)).encode(),
        env={**environ, deadline.VARIABLE: seconds},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    return done


@contextmanager
def all_at_work(environ):
    """Hold every place, as that many hooks would."""
    with open(Path(environ["TRUEPATH_STATE"], "turns"), "wb") as file:
        fcntl.lockf(file, fcntl.LOCK_EX, 10_000)
        yield


def test_a_miss_waits_for_its_turn_until_its_time_is_over(repo, environ):
    with all_at_work(environ):
        done = answer(repo, environ, "0.8")
    assert (done.stdout, b"no answer within" in done.stderr) == (b"", True)
    assert b"docs/status.md" in answer(repo, environ, "9").stdout


def test_a_path_that_is_there_waits_for_nobody(repo, environ):
    with all_at_work(environ):
        done = answer(repo, environ, "9", path="docs/status.md")
    assert (done.stdout, done.stderr) == (b"", b"")


def test_each_place_is_taken_once_and_given_back_by_a_process_that_ends(environ):
    places = crowd.EACH * (os.cpu_count() or 1)
    code = (
        f"import sys, os; sys.path.insert(0, {str(SCRIPT.parents[2])!r})\n"
        "from truepath.hook.crowd import take_turn\n"
        "take_turn(os.environ); print(1, flush=True); sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", code]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    working = [subprocess.Popen(command, env=environ, **pipes) for _ in range(places)]
    assert all(each.stdout.readline() == b"1\n" for each in working)
    late = subprocess.Popen(command, env=environ, **pipes)
    with pytest.raises(subprocess.TimeoutExpired):
        late.wait(0.5)
    for each in working:
        each.kill()
        each.communicate()
    assert late.stdout.readline() == b"1\n"
    late.communicate()


def test_a_folder_that_cannot_be_used_keeps_nobody(tmp_path):
    (tmp_path / "file").write_text("")
    crowd.take_turn({"TRUEPATH_STATE": str(tmp_path / "file/state")})
