"""The plugin for Claude Code, loaded from its folder by the real program."""

from __future__ import annotations

import json
import os
import shutil
import sys

import pytest
from clients import claude, rig
from clients.script import call

pytestmark = [
    pytest.mark.client,
    pytest.mark.timeout(180),
    rig.needs("claude"),
]

PLUGIN = rig.PROJECT / "plugins" / "claude-code"


@pytest.fixture
def root(tmp_path):
    return rig.make_project(tmp_path)


@pytest.fixture
def play(tmp_path, root):
    """Run a script with the plugin, and with `client` as the command `truepath-hook`."""

    def run(*turns, client=""):
        tools = tmp_path / "tools"
        tools.mkdir()
        if client:
            (tools / "truepath-hook").write_text(f"#!/bin/sh\n{client}\n")
            (tools / "truepath-hook").chmod(0o755)
        settings = tmp_path / "settings.json"
        settings.write_text(json.dumps({"permissions": {"allow": claude.ALLOWED}}))
        env = rig.environment(tmp_path, **claude.QUIET)
        # The plugin finds the client on the path: none but this test's.
        env["PATH"] = f"{tools}:{os.environ['PATH']}"
        words = ["-p", "go", "--settings", str(settings), "--plugin-dir", str(PLUGIN)]
        command = [str(rig.program("claude")), *words]
        ran = rig.run(command, list(turns), cwd=root, env=env, place=tmp_path)
        assert ran.status == 0, ran.errors
        return ran

    return run


def read(root, path):
    return call("Read", file_path=str(root / path))


def test_with_the_client_a_moved_file_is_read(play, root):
    script = rig.PROJECT / "src/truepath/hook/script.py"
    client = f"exec '{sys.executable}' -I -S '{script}' \"$1\""
    ran = play(read(root, "specs/status.md"), client=client)
    assert "STATUS all green" in ran.model_read
    assert "PATH_CORRECTED" in ran.model_read


@pytest.mark.skipif(shutil.which("jq") is None, reason="no jq here: apt-get install jq")
@pytest.mark.skipif(
    any(map(shutil.which, ("truepath-native", "truepath-hook"))),
    reason="a client is on the PATH: take its folder off",
)
def test_without_one_the_model_reads_how_to_search(play, root):
    ran = play(read(root, "specs/status.md"), read(root, "docs/status.md"))
    assert "Search before giving up: `find . -path '*/specs/status.md'`" in ran.model_read
    assert "STATUS all green" in ran.model_read
    assert ran.model_read.count("PATH_NOT_FOUND") == 1
