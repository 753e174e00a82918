"""Trying a hook's command: what is taken for well, and what is said of the rest."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

import truepath
from truepath.hosts.claude_code import host as claude_code
from truepath.install.smoke_test import WRONG, attempt

SOURCES = str(Path(truepath.__file__).parents[1])
OURS = f"{shlex.quote(sys.executable)} -m truepath hook claude-code || true"

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="not on Windows: these commands are for sh"
)


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", SOURCES)


def test_our_own_command_is_well_and_leaves_no_trace(isolated):
    assert attempt(claude_code, OURS) == ("", "", "")
    assert [*isolated.iterdir()] == []
    assert not os.path.exists(os.path.join(os.environ["XDG_STATE_HOME"], "truepath"))


def test_switches_and_settings_of_the_user_do_not_matter(monkeypatch, isolated):
    monkeypatch.setenv("TRUEPATH", "0")
    monkeypatch.setenv("CLAUDE_RESOLVE_PATH", "0")
    monkeypatch.setenv("TRUEPATH_POLICY", "observe")
    monkeypatch.setenv("CURSOR_VERSION", "3")
    folder = isolated / ".config/truepath"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('policy = "observe"')
    assert attempt(claude_code, OURS) == ("", "", "")


def test_on_a_busy_machine_a_slow_answer_is_one(isolated):
    # Longer than a hook has for a call: the client counts from when its process began.
    slow = f"sh -c 'sleep 2.5; exec {OURS.partition(' || ')[0]}'"
    assert attempt(claude_code, slow) == ("", "", "")


ILL = [
    (
        "a program that is gone",
        "/no/such/truepath-hook claude-code || true",
        "not found",
    ),
    ("one that blocks", "exit 2", "status 2"),
    ("one that says why", "echo 'no room' >&2; exit 3", "status 3: no room"),
    (
        "one that talks always",
        "echo '{\"a\": 1}'",
        "it answers where it should be silent",
    ),
    ("one that never talks", "true", "it is silent about a wrong path"),
    (
        "one that warns",
        "echo deprecated >&2",
        "it is silent about a wrong path: deprecated",
    ),
    (
        "one without JSON",
        f"case $(cat) in *{WRONG}*) echo hello ;; esac",
        "it prints `hello`, and Claude Code drops",
    ),
    (
        "one with a line before its answer",
        f"echo hello; {OURS}",
        "it prints `hello`, and",
    ),
    ("one with a line behind it", f"{OURS}; echo hello", "it prints `hello`, and"),
    (
        "one with a list",
        f"case $(cat) in *{WRONG}*) echo '[1]' ;; esac",
        "it is silent",
    ),
    (
        "one that talks of something else",
        f"case $(cat) in *{WRONG}*) echo '{{\"a\": 1}}' ;; esac",
        "it does not know the right path of a wrong one",
    ),
]


@pytest.mark.parametrize(("what", "command", "said"), ILL, ids=[row[0] for row in ILL])
def test_what_is_wrong_with_a_command_is_told_in_one_line(what, command, said):
    tried = attempt(claude_code, command)
    assert said in tried.problem
    assert "\n" not in tried.problem
    assert bool(tried.fix) == ("it prints" in said)


def test_what_goes_to_stderr_is_a_note(isolated):
    tried = attempt(claude_code, f"echo 'old shim' >&2; {OURS}")
    assert tried == ("", "it writes to stderr, which does no harm: old shim", "")


def test_a_command_that_hangs_is_not_waited_for_for_ever(monkeypatch):
    monkeypatch.setattr("truepath.install.smoke_test.TIMEOUT_S", 0.3)
    tried = attempt(claude_code, "exec sleep 20")
    assert tried.problem == "it did not answer within 0.3 s"
