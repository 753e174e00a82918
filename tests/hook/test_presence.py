"""Whether an event can go unanswered: the shared cases, and what any event must hold
to.
"""

from __future__ import annotations

import json
import os
import subprocess

import hooks
import pytest
from rows import check_each

from truepath.config import switched_off
from truepath.config.files import entry_kind
from truepath.hook.presence import _is_present
from truepath.hosts import HOSTS

NAMES = ("TRUEPATH", "CLAUDE_RESOLVE_PATH")


@pytest.fixture
def laid_out(tmp_path, monkeypatch):
    def make(case):
        data, environ = hooks.lay_out(case, tmp_path)
        monkeypatch.delenv("XDG_STATE_HOME", raising=False)
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        return data, environ

    return make


@pytest.mark.parametrize("case", hooks.CASES, ids=lambda case: case["reason"])
def test_an_event_is_quiet_where_the_shared_table_says_so(laid_out, case):
    data, environ = laid_out(case)
    if case["host"] not in HOSTS:
        with pytest.raises(LookupError):
            hooks.quiet(case["host"], data)
        return
    quiet = switched_off(environ) or hooks.quiet(case["host"], data)
    assert quiet == case["quiet"]


@pytest.mark.parametrize(
    "case",
    [case for case in hooks.CASES if case["quiet"] and "environ" not in case],
    ids=lambda case: case["reason"],
)
def test_the_engine_has_nothing_to_say_of_a_quiet_event(laid_out, case):
    data, _ = laid_out(case)
    assert hooks.reply(case["host"], data) == b""


@pytest.fixture
def entries(tmp_path):
    root = tmp_path / "repo"
    hooks.lay_out_entries(root)
    return root


def _entry_kind(path):
    try:
        return entry_kind(path)
    except OSError:  # the disk does not tell
        return None


@pytest.mark.parametrize("kind", hooks.FOUND_BY)
def test_a_quick_look_finds_what_the_engine_finds(entries, kind):
    def check(entry):
        path = f"{entries}/{entry[0]}"
        found = _is_present(path, kind, 0, str(entries))
        assert found == (_entry_kind(path) in hooks.FOUND_BY[kind])

    check_each(hooks.ENTRIES.values(), check, str)


@pytest.mark.skipif("native" not in hooks.clients(), reason="it is not built")
@pytest.mark.parametrize(("tool", "kind"), [("Read", "file"), ("Glob", "folder")])
def test_the_native_client_finds_what_the_engine_finds(entries, tmp_path, tool, kind):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\ncat >/dev/null\necho asked\n")
    python.chmod(0o755)
    client = [hooks.clients()["native"][0], "claude-code", "--python", str(python)]
    argument = "file_path" if tool == "Read" else "path"

    def check(entry):
        path = f"{entries}/{entry[0]}"
        event = hooks.event(entries, tool=tool, tool_input={argument: path})
        data = json.dumps(event).encode()
        environ = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
        done = subprocess.run(
            client, input=data, env=environ, capture_output=True, check=True
        )
        found = _entry_kind(path) in hooks.FOUND_BY[kind]
        assert done.stdout == (b"" if found else b"asked\n")

    check_each(hooks.ENTRIES.values(), check, str)


def test_every_case_has_a_reason_of_its_own():
    reasons = [case["reason"] for case in hooks.CASES]
    assert len(set(reasons)) == len(reasons)
    assert all(json.dumps(case["event"]) for case in hooks.CASES)
