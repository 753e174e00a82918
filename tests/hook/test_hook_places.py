"""The hook where something around it is amiss: the call is answered all the same, or goes on."""

from __future__ import annotations

import json
import os
import shutil
import sys

import hooks
import pytest
from disks import fill, read_only, small_disk
from hooks import answer, event, run

from truepath.session.keys import key, session_file


@pytest.fixture
def repo(tmp_path):
    return hooks.make_project(tmp_path / "repo")


@pytest.fixture
def state(tmp_path, monkeypatch):
    folder = tmp_path / "state"
    monkeypatch.setenv("TRUEPATH_STATE", str(folder))
    return folder


def is_corrected(repo, **more):
    output = answer(event(repo, **more))
    return output["updatedInput"]["file_path"] == os.path.join(repo, "docs/status.md")


DAMAGED = {
    "empty": b"",
    "cut short": b'{"version":1,"seen":17',
    "another version": b'{"version":99}',
    "no JSON": b"\x00\xff" * 100,
    "deeply nested": b"[" * 100_000,
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
@pytest.mark.parametrize("path", ["specs/status.md", "docs/status.md", "lib/util.py"])
def test_a_damaged_session_changes_no_answer(repo, state, path, content):
    (state / "sessions").mkdir(parents=True)
    file = session_file(str(state / "sessions"), key("one"))
    with open(file, "wb") as damaged:
        damaged.write(content)
    fresh = run(event(repo, path, session_id="two"))
    assert run(event(repo, path, session_id="one")) == fresh
    assert fresh[0] == 0


@pytest.mark.parametrize("what", ["a file", "a folder in place of the session", "a dangling link"])
def test_state_that_is_no_folder_changes_no_answer(repo, state, what):
    if what == "a file":
        state.write_text("x")
    elif what == "a dangling link":
        state.symlink_to("nowhere/at/all")
    else:
        os.makedirs(session_file(str(state / "sessions"), key("one")))
    assert is_corrected(repo, session_id="one")
    assert run(event(repo, "docs/status.md", session_id="one")) == (0, b"", b"")


def test_a_read_only_state_changes_no_answer(repo, state):
    state.mkdir()
    with read_only(state):
        assert is_corrected(repo)
        assert run(event(repo, "docs/status.md")) == (0, b"", b"")


@pytest.mark.root
def test_a_full_disk_changes_no_answer(repo, state):
    with small_disk(state):
        fill(state)
        assert is_corrected(repo)
        refused = answer(event(repo, "lib/util.py"))
        assert refused["permissionDecision"] == "deny"


@pytest.mark.root
def test_a_full_disk_that_holds_the_project_too_changes_no_answer(tmp_path, monkeypatch):
    with small_disk(tmp_path / "disk", size="1m") as disk:
        repo = hooks.make_project(disk / "repo")
        monkeypatch.setenv("TRUEPATH_STATE", str(disk / "state"))
        fill(disk)
        assert is_corrected(repo)


def test_without_a_home_it_answers(repo, monkeypatch):
    for name in ("HOME", "USERPROFILE", "TRUEPATH_STATE", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TRUEPATH_JOURNAL", "0")
    monkeypatch.setenv("TRUEPATH_STORE", "memory:")  # so that nobody's real home is written to
    assert is_corrected(repo)


@pytest.mark.parametrize(
    "cwd", ["", "docs", "./docs", "../repo", "/nowhere/at/all", "a\0b", None, 7]
)
def test_a_working_directory_that_tells_nothing_means_silence(repo, state, cwd):
    data = event(repo, cwd=cwd, tool_input={"file_path": "specs/status.md"})
    assert run(data) == (0, b"", b"")


@pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: links need a privilege")
def test_a_project_behind_a_link_keeps_the_paths_that_the_agent_knows(repo, state, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(repo)
    assert is_corrected(link)
    assert run(event(link, "docs/status.md")) == (0, b"", b"")


def test_a_project_without_git_is_served(tmp_path, state):
    root = tmp_path / "plain"
    (root / "src").mkdir(parents=True)
    (root / "src/settings.py").write_text("")
    output = answer(event(root, "src/setings.py"))
    assert f"`{root}/src/settings.py`" in output["additionalContext"]


def test_without_the_program_git_the_names_are_walked(repo, state, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    output = answer(event(repo, "src/app/setings.py"))
    assert f"`{repo}/src/app/settings.py`" in output["additionalContext"]


@pytest.mark.parametrize("name", [".truepath.toml", "pyproject.toml"])
@pytest.mark.parametrize("what", ["a folder", "no TOML", "no text", "a dangling link", "a pipe"])
def test_settings_that_cannot_be_read_leave_the_defaults(repo, state, name, what):
    file = repo / name
    if what == "a folder":
        file.mkdir()
    elif what == "a dangling link":
        file.symlink_to("nowhere")
    elif what == "a pipe":
        if sys.platform == "win32":
            pytest.skip("not on Windows: named pipes")
        os.mkfifo(file)
    else:
        file.write_bytes(b"policy = [tool.truepath" if what == "no TOML" else b"\xff\xfe\x00")
    assert is_corrected(repo)


def test_settings_of_the_user_that_cannot_be_read_leave_the_defaults(repo, state, isolated):
    (isolated / ".config/truepath/config.toml").mkdir(parents=True)
    assert is_corrected(repo)
    assert run(event(repo, "docs/status.md")) == (0, b"", b"")


def test_a_project_that_is_gone_means_silence(repo, state):
    shutil.rmtree(repo)
    assert run(event(repo)) == (0, b"", b"")


def test_an_event_of_a_megabyte_is_answered(repo, state):
    data = event(repo)
    data["tool_input"]["note"] = "x" * 1_000_000
    output = answer(data)
    assert len(json.dumps(output["updatedInput"])) > 1_000_000


def test_a_file_of_another_checkout_is_not_edited_in_silence(repo, state, tmp_path):
    worktree = tmp_path / "worktree"
    hooks.git(repo, "worktree", "add", "-q", str(worktree), "-b", "topic")
    main = os.path.join(repo, "docs/status.md")
    told = answer(event(worktree, main, tool="Edit", session_id="one"))
    assert "permissionDecision" not in told
    assert told["additionalContext"].startswith("PATH_IN_OTHER_CHECKOUT")
    again = event(worktree, main, tool="Edit", session_id="one")
    assert run(again) == (0, b"", b"")


def test_a_file_of_an_unrelated_repository_is_let_through(repo, state, tmp_path):
    other = hooks.make_project(tmp_path / "other" / "repo")
    hooks.git(other, "checkout", "-q", "--orphan", "unrelated")
    hooks.git(other, "commit", "-qm", "another first commit")
    there = os.path.join(other, "docs/status.md")
    assert run(event(repo, there)) == (0, b"", b"")
