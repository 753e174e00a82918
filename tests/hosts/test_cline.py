"""Cline CLI: its hooks are scripts."""

from __future__ import annotations

import shutil
import subprocess

import hooks
import pytest
from host_samples import ALL

from truepath.hosts.cline import host as cline

PIECES = cline.pieces("cat; echo more; sleep 60; true", timeout=1)


@pytest.mark.skipif(
    shutil.which("timeout") is None, reason="no `timeout` here: apt-get (or brew) install coreutils"
)
@pytest.mark.parametrize("piece", PIECES, ids=[each.user for each in PIECES])
def test_a_hook_hands_on_what_it_is_given_and_ends_well_in_time(piece, tmp_path):
    file = tmp_path / "hook"
    file.write_text(piece.content)
    done = subprocess.run(["sh", str(file)], input=b"{}", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"{}more\n")
    assert piece.executable
    assert piece.project == f".cline/{piece.user}"


@pytest.mark.parametrize("client", ["/nowhere/truepath hook cline", "exit 2", "kill -9 $$"])
def test_a_hook_ends_well_whatever_its_client_does(client, tmp_path):
    file = tmp_path / "hook"
    file.write_text(cline.pieces(client)[0].content)
    done = subprocess.run(["sh", str(file)], input=b"{}", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize("number", [1, 2, 20])
def test_the_misses_of_one_call_are_told_once_however_many(number, tmp_path, monkeypatch):
    project = hooks.make_project(tmp_path / "repo")
    for name, value in {"HOME": tmp_path, "TRUEPATH_STATE": tmp_path, "PWD": project}.items():
        monkeypatch.setenv(name, str(value))
    files = [{"path": f"docs/f{at}.md"} for at in range(number)]
    error = f"ENOENT: no such file or directory, statx '{project}/"
    output = [{"query": each["path"], "error": f"{error}{each['path']}'"} for each in files]
    call = {"id": "c1", "name": "read_files", "input": {"files": [*files, files[0]]}}
    shared = {"workspaceInfo": {"rootPath": str(project)}}
    before = {**ALL["cline"].events["before"], **shared, "tool_call": call}
    after = {**ALL["cline"].events["after"], **shared, "tool_result": {**call, "output": output}}
    told = hooks.run(before, "cline")[1]
    assert told.count(b"`docs/f0.md`") == 1
    assert hooks.run(after, "cline") == (0, b"", b"")
