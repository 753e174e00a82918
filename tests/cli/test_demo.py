"""`truepath demo`: it runs anywhere, shows every scene, and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from commandline import ran

import truepath
from truepath import Workspace
from truepath.cli.mistakes import mistakes_of, pick
from truepath.cli.scenes import FILES, SCENES, build

SOURCES = Path(truepath.__file__).parents[1]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Play it once, in a folder that is no project, for a user whose home is empty."""
    places = {name: tmp_path_factory.mktemp(name) for name in ("home", "temp", "here")}
    environ = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GIT_", "XDG_", "TRUEPATH"))
    }
    done = subprocess.run(
        [sys.executable, "-m", "truepath", "demo"],
        cwd=places["here"],
        env={
            **environ,
            "PYTHONPATH": str(SOURCES),
            "HOME": str(places["home"]),
            "USERPROFILE": str(places["home"]),
            "TMPDIR": str(places["temp"]),
            "TEMP": str(places["temp"]),
            "TMP": str(places["temp"]),
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done, places


def scene(out, title):
    """Return the lines of one scene."""
    return out.partition(f"  {title}\n")[2].partition("\n\n")[0]


def test_it_plays_every_scene(played):
    done, _ = played
    assert (done.returncode, done.stderr) == (0, "")
    for each in SCENES:
        lines = scene(done.stdout, each.title).splitlines()
        assert lines[0].strip().startswith("asks"), each.title
        assert lines[1].strip().startswith("gets"), each.title


def test_it_leaves_nothing_behind(played):
    _, places = played
    assert [[*place.iterdir()] for place in places.values()] == [[], [], []]


def test_it_is_plain_where_the_output_is_no_terminal(played):
    done, _ = played
    assert "\x1b" not in done.stdout
    assert not [line for line in done.stdout.splitlines() if line != line.rstrip()]


def test_it_says_how_long_each_answer_took(played):
    done, _ = played
    for each in SCENES:
        assert scene(done.stdout, each.title).splitlines()[1].endswith((" ms", " µs", " s"))


def test_a_moved_file_is_read(played):
    done, _ = played
    text = scene(done.stdout, "A file that was moved: the call goes on with the right one")
    assert "rewritten" in text
    assert "PATH_CORRECTED" in text
    assert "prints  # Status" in text


def test_an_ambiguous_edit_lists_both(played):
    done, _ = played
    text = scene(done.stdout, "An edit, and two folders have a file of that name: both are listed")
    assert "refused" in text
    assert "backend/app/config.py" in text
    assert "worker/app/config.py" in text


def test_it_ends_with_the_log_of_what_it_did(played):
    done, _ = played
    assert "specs/status.md -> docs/status.md" in done.stdout.partition("`truepath log`")[2]


def test_in_a_project_it_writes_a_path_of_it_wrongly(make_repo, capsys, monkeypatch):
    repo = make_repo({"src/engine/parts/turbine.py": "", "src/engine/rotor.py": ""})
    monkeypatch.chdir(repo)
    before = sorted(os.listdir(repo))
    done = ran(capsys, "demo")
    assert (done.code, done.err) == (0, "")
    part = done.out.partition("The project here, ")[2]
    assert "src/engine/parts/turbine.py" in part
    assert "with a line number" in part
    assert not [line for line in part.splitlines() if line != line.rstrip()]
    assert sorted(os.listdir(repo)) == before


def test_a_project_without_a_fitting_file_says_so(make_repo, capsys, monkeypatch):
    monkeypatch.chdir(make_repo({"README.md": ""}))
    done = ran(capsys, "demo")
    assert done.code == 0
    assert "No file in it" in done.out


def test_without_git_it_says_what_is_missing(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    before = set(os.listdir(tempfile.gettempdir()))
    done = ran(capsys, "demo")
    assert done.code == 2
    assert done.err == "error: git is not installed\n"
    assert not [
        name
        for name in set(os.listdir(tempfile.gettempdir())) - before
        if name.startswith("truepath-demo")
    ]


def test_the_repository_it_makes_has_a_past(tmp_path, git):
    build(str(tmp_path))
    assert git(tmp_path, "rev-list", "--count", "HEAD").strip() == "3"
    assert git(tmp_path, "status", "--porcelain") == ""
    assert len(git(tmp_path, "ls-files").splitlines()) == len(FILES) - 1


def test_the_file_it_picks_is_deep_and_bears_a_name_of_its_own(make_repo):
    workspace = Workspace(
        make_repo(
            {
                "a/b/index.ts": "",
                "a/c/index.ts": "",
                "a/b/settlement.ts": "",
                "top/shallow_but_long_name.py": "",
                "a/b/é_accented_name.py": "",
                "a/b/.env": "",
            }
        )
    )
    assert pick(workspace.names(), workspace) == "a/b/settlement.ts"


def test_none_of_its_slips_exists(make_repo):
    repo = make_repo({"a/b/settlement.ts": "", "a/settlement.ts": ""})
    workspace = Workspace(repo)
    slips = mistakes_of("a/b/settlement.ts", workspace)
    assert len(slips) >= 9
    for mistake in slips:
        assert not os.path.lexists(os.path.join(repo, mistake.cwd or "", mistake.written))


def test_the_repository_can_be_kept_in_a_folder_that_is_empty(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert ran(capsys, "demo", "--keep", "orders").code == 0
    assert (tmp_path / "orders/docs/status.md").is_file()
    again = ran(capsys, "demo", "--keep", "orders")
    assert (again.code, "is not empty" in again.err) == (2, True)
