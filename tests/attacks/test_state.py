"""State that is not the user's alone is not used, and no link in it is followed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import hooks
import pytest

from truepath.config.files import own_opener, read_own
from truepath.config.user_dirs import NOWHERE, distrust, named_state, state_folder
from truepath.config.user_dirs import home as home_of
from truepath.project.walk import too_high

if sys.platform == "win32":
    pytest.skip("not on Windows: owners and modes", allow_module_level=True)

TRUEPATH = (sys.executable, "-m", "truepath")
SECRET = b"a line of somebody else's\n"
FOLDERS = ("sessions", "journal", "projects", "installed")


@pytest.fixture
def repo(tmp_path):
    return hooks.make_project(tmp_path / "repo")


def called(repo, state, command=hooks.PYTHON, **more):
    """Run a hook for a path that git renamed; return its answer and its words."""
    done = subprocess.run(
        command,
        input=json.dumps(hooks.event(repo, session_id="one", **more)).encode(),
        env={**os.environ, "TRUEPATH_STATE": str(state)},
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0
    return done.stdout.decode(), done.stderr.decode()


def everything(folder):
    """Return what is in a folder, and in what it holds."""
    return {
        str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes()
        for path in folder.rglob("*")
    }


def used(repo, state):
    """Make the state of a session that has missed, the user's alone."""
    state.mkdir(mode=0o700)
    called(repo, state, path="lib/util.py")
    called(repo, state)
    (state / "installed").mkdir(mode=0o700)
    return state


def linked(name):
    def spoil(state, elsewhere):
        (state / name).rename(elsewhere)
        (state / name).symlink_to(elsewhere)

    return spoil


def open_to(mode, name="."):
    return lambda state, elsewhere: (state / name).chmod(mode)


DISTRUSTED = {
    "every user may write it": open_to(0o777),
    "its group may write it": open_to(0o770),
    "every user may write it, each his own": open_to(0o1777),
    **{f"every user may write {name}": open_to(0o707, name) for name in FOLDERS},
    **{f"{name} is a link": linked(name) for name in FOLDERS},
}


@pytest.mark.parametrize("spoil", DISTRUSTED.values(), ids=DISTRUSTED)
@pytest.mark.parametrize("client", hooks.clients().values(), ids=hooks.clients())
def test_a_state_that_is_not_the_user_s_alone_is_told_in_one_line(
    repo, tmp_path, spoil, client
):
    state = used(repo, tmp_path / "state")
    spoil(state, tmp_path / "elsewhere")
    before = everything(state)
    said, words = called(repo, state, client)
    assert "docs/status.md" in said, "the hook goes on"
    assert words.startswith("truepath hook claude-code: the state folder is not used: ")
    assert words.count("\n") == 1
    assert everything(state) == before
    assert state_folder({"TRUEPATH_STATE": str(state)}) == NOWHERE


@pytest.mark.parametrize("command", ["log", "stats", "resolve x", "policy", "demo"])
def test_each_command_tells_it_in_one_line(repo, tmp_path, command):
    (tmp_path / "state").mkdir()
    (tmp_path / "state").chmod(0o777)
    done = subprocess.run(
        [*TRUEPATH, *command.split()],
        env={**os.environ, "TRUEPATH_STATE": str(tmp_path / "state")},
        cwd=repo,
        capture_output=True,
        check=False,
    )
    told = [
        line for line in done.stderr.decode().splitlines() if "state folder" in line
    ]
    why = f"{tmp_path}/state may be written by other users"
    assert told == [f"warning: the state folder is not used: {why}"]
    assert not [*(tmp_path / "state").iterdir()]


@pytest.mark.root
@pytest.mark.parametrize("name", [".", *FOLDERS, "sessions/one__.json"])
def test_what_another_user_owns_is_not_used(repo, tmp_path, name):
    if os.geteuid():
        pytest.skip("needs root: gives files to another user")
    state = used(repo, tmp_path / "state")
    if name.endswith(".json"):
        [session] = (state / "sessions").glob("*.json")
        os.chown(session, 12345, 12345)
        session.chmod(0o644)  # `make test` lays root's power over modes down
        with pytest.raises(OSError, match="belongs to another user"):
            read_own(str(session), 1000)
        said, _ = called(repo, state)
        assert "docs/status.md" in said
        return
    os.chown(state / name, 12345, 12345)
    (state / name).chmod(0o755)
    assert "belongs to another user" in distrust(str(state))
    before = everything(state)
    said, words = called(repo, state)
    assert "docs/status.md" in said
    assert "belongs to another user" in words
    assert everything(state) == before


KEPT = ("sessions/*.json", "journal/events.jsonl", "projects/history-*")


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("client", hooks.clients().values(), ids=hooks.clients())
def test_no_link_in_the_state_is_followed(repo, tmp_path, kept, client):
    state = used(repo, tmp_path / "state")
    other = tmp_path / "other"
    files = [file for file in state.glob(kept) if file.is_file()]
    assert files
    for file in files:
        file.unlink()
        file.symlink_to(other)
    for there in (False, True):  # a link that leads nowhere would be made a file
        if there:
            other.write_bytes(SECRET)
        for path in ("specs/status.md", "docs/status.md", "lib/util.py"):
            said, _ = called(repo, state, client, path=path)
            assert SECRET.decode().strip() not in said
        assert (other.read_bytes() == SECRET) if there else not other.exists()


@pytest.mark.parametrize("client", hooks.clients().values(), ids=hooks.clients())
def test_a_success_after_a_miss_leaves_nothing_behind_a_link(repo, tmp_path, client):
    state = used(repo, tmp_path / "state")
    [session] = (state / "sessions").glob("*.json")
    other = tmp_path / "other"
    for text in (None, SECRET):
        if text:
            other.write_bytes(text)
        steps = Path(f"{session}.steps")
        steps.unlink(missing_ok=True)
        steps.symlink_to(other)
        called(repo, state, client, path="docs/status.md")
        assert (other.read_bytes() if other.exists() else None) == text


@pytest.mark.parametrize("mode", [0o602, 0o620, 0o666])
def test_a_file_that_others_may_write_is_not_read(tmp_path, mode):
    file = tmp_path / "file"
    file.write_bytes(SECRET)
    file.chmod(0o600)
    assert read_own(str(file), 1000) == SECRET
    file.chmod(mode)
    with pytest.raises(OSError, match="may be written by other users"):
        read_own(str(file), 1000)
    with pytest.raises(OSError, match="may be written by other users"):
        own_opener(str(file), os.O_WRONLY | os.O_APPEND)


# Where the state, the settings and the home are, where a variable says nothing that
# counts: a relative path would be in the project.
RELATIVE = [
    ({"HOME": "."}, None),
    ({"HOME": "home"}, None),
    ({"HOME": ""}, None),
    ({"HOME": "."} | dict.fromkeys(("XDG_STATE_HOME", "XDG_CONFIG_HOME"), "."), None),
    ({"HOME": "/h", "TRUEPATH_STATE": "state"}, "/h/.local/state/truepath"),
    ({"HOME": "/h", "TRUEPATH_STATE": "."}, "/h/.local/state/truepath"),
    ({"HOME": "/h", "XDG_STATE_HOME": "../s"}, "/h/.local/state/truepath"),
]


@pytest.mark.skipif(sys.platform == "darwin", reason="not on macOS: its own folder")
@pytest.mark.parametrize(("environ", "state"), RELATIVE)
def test_a_relative_path_counts_as_none(environ, state):
    found = named_state(environ)
    assert found == state or (state is None and os.path.isabs(found))
    assert os.path.isabs(home_of(environ))


@pytest.mark.parametrize("variable", ["HOME", "XDG_CONFIG_HOME"])
@pytest.mark.parametrize("client", hooks.clients().values(), ids=hooks.clients())
def test_no_file_of_the_project_is_the_user_s(repo, tmp_path, variable, client):
    """Its settings would turn truepath off, and its git's start a program."""
    for folder in (".config/truepath", "truepath", ".claude", "git"):
        (repo / folder).mkdir(parents=True)
    for folder in (".config/truepath", "truepath"):
        (repo / folder / "config.toml").write_text("enabled = false\n")
    (repo / ".claude/settings.json").write_text("{}")
    (repo / ".gitconfig").write_text("[core]\n\tquotePath = nonsense\n[")
    (repo / "git/config").write_text("[")
    state = tmp_path / "state"
    done = subprocess.run(
        client,
        input=json.dumps(hooks.event(repo)).encode(),
        cwd=repo,
        env={**os.environ, variable: ".", "TRUEPATH_STATE": str(state)},
        capture_output=True,
        check=False,
    )
    assert b"docs/status.md" in done.stdout


def test_a_home_below_the_project_cuts_no_search_short(make_repo, monkeypatch):
    repo = make_repo({"docs/status.md": "", "pkg/a.py": ""})
    for home in (repo / ".home", repo / "ci/home/user"):
        home.mkdir(parents=True)
        monkeypatch.setenv("HOME", str(home))
        assert not too_high(str(repo))
        assert too_high(str(home))
        said, _ = called(repo, repo.parent / "state", path="docs/nothing.md")
        assert "cut short" not in said
    plain = repo.parent / "plain"
    (plain / "home").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(plain / "home"))
    assert too_high(str(plain)), "what is above a home is no project of its own"
    assert too_high("/usr"), "nor is what all of a machine shares"


def test_the_state_folder_itself_may_be_a_link(repo, tmp_path):
    state = used(repo, tmp_path / "real")
    (tmp_path / "state").symlink_to(state)
    shutil.rmtree(state / "journal")
    _, words = called(repo, tmp_path / "state")
    assert words == ""
    assert (state / "journal/events.jsonl").exists()
