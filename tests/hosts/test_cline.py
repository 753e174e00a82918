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
    shutil.which("timeout") is None,
    reason="no `timeout` here: apt-get (or brew) install coreutils",
)
@pytest.mark.parametrize("piece", PIECES, ids=[each.user for each in PIECES])
def test_a_hook_hands_on_what_it_is_given_and_ends_well_in_time(piece, tmp_path):
    file = tmp_path / "hook"
    file.write_text(piece.content)
    done = subprocess.run(
        ["sh", str(file)], input=b"{}", capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, b"{}more\n")
    assert piece.executable
    assert piece.project == f".cline/{piece.user}"


@pytest.mark.parametrize(
    "client", ["/nowhere/truepath hook cline", "exit 2", "kill -9 $$"]
)
def test_a_hook_ends_well_whatever_its_client_does(client, tmp_path):
    file = tmp_path / "hook"
    file.write_text(cline.pieces(client)[0].content)
    done = subprocess.run(
        ["sh", str(file)], input=b"{}", capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.fixture
def project(tmp_path, monkeypatch):
    made = hooks.make_project(tmp_path / "repo")
    for name, value in {
        "HOME": tmp_path,
        "TRUEPATH_STATE": tmp_path,
        "PWD": made,
    }.items():
        monkeypatch.setenv(name, str(value))
    return made


def said(project, sample, **more):
    """Return what the hook says of an event."""
    shared = {"workspaceInfo": {"rootPath": str(project)}}
    status, out, err = hooks.run(
        {**ALL["cline"].events[sample], **shared, **more}, "cline"
    )
    assert (status, err) == (0, b"")
    return out.decode()


@pytest.mark.parametrize("number", [1, 2, 20])
def test_the_misses_of_one_call_are_told_once_however_many(number, project):
    files = [{"path": f"docs/f{at}.md"} for at in range(number)]
    error = f"ENOENT: no such file or directory, statx '{project}/"
    output = [
        {"query": each["path"], "error": f"{error}{each['path']}'"} for each in files
    ]
    call = {"id": "c1", "name": "read_files", "input": {"files": [*files, files[0]]}}
    assert said(project, "before", tool_call=call).count("`docs/f0.md`") == 1
    assert said(project, "after", tool_result={**call, "output": output}) == ""


@pytest.mark.parametrize(
    ("path", "made"),
    [("lib/util.py", True), ("docs", False), ("src/settings.py", False)],
)
def test_of_an_edit_that_makes_a_file_at_a_wrong_path_the_file_is_told(
    path, made, project
):
    call = {
        "id": "c1",
        "name": "editor",
        "input": {"path": path, "old_text": "a", "new_text": "b"},
    }
    told = said(project, "before", tool_call=call)
    assert ("The edit has made a new file, `lib/util.py`" in told) is made
    assert told
