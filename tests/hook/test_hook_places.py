"""The hook where something around it is amiss: the call is answered all the same, or
goes on.
"""

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

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="not on Windows: links and pipes"
)


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


def in_place_of_the_session(data):
    def spoil(repo, state):
        (state / "sessions").mkdir(parents=True)
        with open(session_file(str(state / "sessions"), key("one")), "wb") as file:
            file.write(data)

    return spoil


def in_place_of_settings(name, make):
    return lambda repo, state: make(repo / name)


AMISS = {
    "the session is empty": in_place_of_the_session(b""),
    "the session is cut short": in_place_of_the_session(b'{"version":1,"seen":17'),
    "the session is of another version": in_place_of_the_session(b'{"version":99}'),
    "the session is no JSON": in_place_of_the_session(b"\x00\xff" * 100),
    "the session is deep": in_place_of_the_session(b"[" * 100_000),
    "the session is a folder": lambda repo, state: os.makedirs(
        session_file(str(state / "sessions"), key("one"))
    ),
    "the state is a file": lambda repo, state: state.write_text("x"),
    "the state is a dangling link": lambda repo, state: state.symlink_to(
        "nowhere/at/all"
    ),
    "settings are a folder": in_place_of_settings(
        ".truepath.toml", lambda file: file.mkdir()
    ),
    "settings are a pipe": in_place_of_settings(".truepath.toml", os.mkfifo),
    "settings are no text": in_place_of_settings(
        ".truepath.toml", lambda file: file.write_bytes(b"\xff\xfe\x00")
    ),
    "pyproject is no TOML": in_place_of_settings(
        "pyproject.toml", lambda file: file.write_text("policy = [tool.truepath")
    ),
    "pyproject is a dangling link": in_place_of_settings(
        "pyproject.toml", lambda file: file.symlink_to("nowhere")
    ),
}


@pytest.mark.parametrize("spoil", AMISS.values(), ids=AMISS)
def test_what_is_amiss_changes_no_answer(repo, state, spoil):
    fresh = run(event(repo, "lib/util.py", session_id="two"))
    shutil.rmtree(state)
    spoil(repo, state)
    assert run(event(repo, "lib/util.py", session_id="one")) == fresh
    assert is_corrected(repo, session_id="one")
    assert run(event(repo, "docs/status.md", session_id="one")) == (0, b"", b"")


def test_a_read_only_state_changes_no_answer(repo, state):
    state.mkdir()
    with read_only(state):
        assert is_corrected(repo)
        assert run(event(repo, "docs/status.md")) == (0, b"", b"")


@pytest.mark.root
def test_a_full_disk_that_holds_the_project_too_changes_no_answer(
    tmp_path, monkeypatch
):
    with small_disk(tmp_path / "disk", size="1m") as disk:
        repo = hooks.make_project(disk / "repo")
        monkeypatch.setenv("TRUEPATH_STATE", str(disk / "state"))
        fill(disk)
        assert is_corrected(repo)
        assert answer(event(repo, "lib/util.py"))["permissionDecision"] == "deny"


def test_without_a_home_it_answers(repo, monkeypatch):
    for name in (
        "HOME",
        "USERPROFILE",
        "TRUEPATH_STATE",
        "XDG_STATE_HOME",
        "XDG_CONFIG_HOME",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TRUEPATH_JOURNAL", "0")
    monkeypatch.setenv(
        "TRUEPATH_STORE", "memory:"
    )  # so that nobody's real home is written to
    assert is_corrected(repo)


@pytest.mark.parametrize(
    "cwd", ["", "docs", "../repo", "/nowhere/at/all", "a\0b", None, 7]
)
def test_a_working_directory_that_tells_nothing_means_silence(repo, state, cwd):
    data = event(repo, cwd=cwd, tool_input={"file_path": "specs/status.md"})
    assert run(data) == (0, b"", b"")


def test_a_project_behind_a_link_keeps_the_paths_that_the_agent_knows(
    repo, state, tmp_path
):
    link = tmp_path / "link"
    link.symlink_to(repo)
    assert is_corrected(link)
    assert run(event(link, "docs/status.md")) == (0, b"", b"")


@pytest.mark.parametrize("git", ["no repository", "no program"])
def test_without_git_the_names_are_walked(repo, state, monkeypatch, tmp_path, git):
    if git == "no repository":
        shutil.rmtree(repo / ".git")
    else:
        monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    output = answer(event(repo, "src/app/setings.py"))
    assert f"`{repo}/src/app/settings.py`" in output["additionalContext"]


def test_a_project_that_is_gone_means_silence(repo, state):
    shutil.rmtree(repo)
    assert run(event(repo)) == (0, b"", b"")


def test_an_event_of_a_megabyte_is_answered(repo, state):
    data = event(repo)
    data["tool_input"]["note"] = "x" * 1_000_000
    assert len(json.dumps(answer(data)["updatedInput"])) > 1_000_000


def test_a_file_of_another_checkout_is_not_edited_in_silence(repo, state, tmp_path):
    worktree, other = tmp_path / "worktree", hooks.make_project(tmp_path / "other/repo")
    hooks.git(repo, "worktree", "add", "-q", str(worktree), "-b", "topic")
    main = os.path.join(repo, "docs/status.md")
    told = answer(event(worktree, main, tool="Edit", session_id="one"))
    assert "permissionDecision" not in told
    assert told["additionalContext"].startswith("PATH_IN_OTHER_CHECKOUT")
    again = event(worktree, main, tool="Edit", session_id="one")
    assert run(again) == (0, b"", b"")
    hooks.git(other, "checkout", "-q", "--orphan", "unrelated")
    hooks.git(other, "commit", "-qm", "another first commit")
    assert run(event(repo, os.path.join(other, "docs/status.md"))) == (0, b"", b"")
