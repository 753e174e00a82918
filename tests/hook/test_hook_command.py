"""The command that hosts are given: of this installation, absolute, and it works."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import hooks
import pytest

import truepath
from truepath.hook import client, command

SCRIPT = str(Path(client.__file__).with_name("script.py"))

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="not on Windows: written for a POSIX shell"
)


@pytest.fixture
def path(tmp_path, monkeypatch):
    """Make a folder the whole of PATH, and the interpreter one that has nothing beside
    it.
    """
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "own env/python"))
    return tmp_path


def put(folder, output, status=0):
    folder.mkdir(exist_ok=True)
    program = folder / "truepath-native"
    program.write_text(f"#!/bin/sh\necho '{output}'\nexit {status}\n")
    program.chmod(0o755)
    return str(program)


CURRENT = f"truepath-native {truepath.__version__}"


def test_without_a_native_client_it_is_the_script_in_a_bare_interpreter(path):
    words = shlex.split(command.client_command("codex"))
    assert words == [sys.executable, "-I", "-S", SCRIPT, "codex"]


def test_a_native_client_gets_what_it_needs_to_run_the_one_in_python(path):
    native = put(path / "bin", CURRENT)
    words = shlex.split(command.client_command("codex"))
    assert words == [native, "codex", "--python", sys.executable, "--script", SCRIPT]


def test_one_beside_the_interpreter_comes_first(path):
    put(path / "bin", CURRENT)
    beside = put(path / "own env", CURRENT)
    assert command.native_client() == beside


@pytest.mark.parametrize(
    ("output", "status"),
    [("truepath-native 0.0.9", 0), (CURRENT, 1), ("", 0), ("something else", 0)],
)
def test_one_of_another_version_or_none_at_all_is_left_alone(path, output, status):
    put(path / "bin", output, status)
    assert command.native_client() is None


def test_one_that_cannot_run_is_left_alone(path):
    Path(put(path / "bin", CURRENT)).write_bytes(b"\x7fELF")
    assert command.native_client() is None
    Path(put(path / "bin", CURRENT)).chmod(0o644)
    assert command.native_client() is None


def test_a_name_on_path_that_is_not_absolute_is_left_alone(path, monkeypatch):
    put(path / "bin", CURRENT)
    monkeypatch.chdir(path)
    monkeypatch.setenv("PATH", "bin")
    assert command.native_client() is None


def test_the_shell_runs_it_and_it_answers(tmp_path):
    repo = hooks.make_project(tmp_path / "repo")
    done = subprocess.run(
        ["sh", "-c", command.client_command("claude-code")],
        input=json.dumps(hooks.event(repo)).encode(),
        env=dict(os.environ),
        capture_output=True,
        check=True,
    )
    assert b"docs/status.md" in done.stdout
