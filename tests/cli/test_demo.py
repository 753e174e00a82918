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
from truepath.cli.scenes import SCENES

SOURCES = Path(truepath.__file__).parents[1]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Play it once, in a folder that is no project, for a user whose home is empty."""
    places = {name: tmp_path_factory.mktemp(name) for name in ("home", "temp", "here")}
    given = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GIT_", "XDG_", "TRUEPATH"))
    }
    home, temp = str(places["home"]), str(places["temp"])
    ours = {"PYTHONPATH": str(SOURCES), "HOME": home, "USERPROFILE": home}
    done = subprocess.run(
        [sys.executable, "-m", "truepath", "demo"],
        cwd=places["here"],
        env={
            **given,
            **ours,
            "TMPDIR": temp,
            "TEMP": temp,
            "TMP": temp,
            "COLUMNS": "80",
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done, places


WORDS = ("docs/status.md", " in place of ", ", the likely ", "worker/app/config.py")
WORDS += ("cat docs/status.md | head", "`docs/roadmap.md`", "STRATEGY_SHIFT")
"""What each scene shows."""


def test_it_plays_every_scene_in_less_than_sixty_lines(played):
    done, places = played
    assert (done.returncode, done.stderr) == (0, "")
    for title, words in zip(SCENES, WORDS, strict=True):
        scene = done.stdout.partition(f"{title}\n")[2].partition("\n\n")[0]
        assert words in scene
        assert ("reads" in scene) == (words != WORDS[0]), (
            "nothing is said of a right path"
        )
    lines = done.stdout.splitlines()
    assert lines[-1].startswith("Next: `truepath audit`")
    assert len(lines) < 60
    assert all(line == line.rstrip() and len(line) <= 80 for line in lines)
    assert [[*place.iterdir()] for place in places.values()] == [[], [], []], (
        "nothing is left"
    )


def test_without_git_it_says_what_is_missing(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    before = set(os.listdir(tempfile.gettempdir()))
    done = ran(capsys, "demo")
    assert (done.code, done.err) == (
        2,
        "error: git is not installed outside the project\n",
    )
    new = set(os.listdir(tempfile.gettempdir())) - before
    assert [name for name in new if name.startswith("truepath-demo")] == []


def test_the_repository_can_be_kept_in_a_folder_that_is_empty(
    capsys, tmp_path, monkeypatch, git
):
    monkeypatch.chdir(tmp_path)
    assert ran(capsys, "demo", "--keep", "orders").code == 0
    assert (tmp_path / "orders/docs/status.md").is_file()
    assert git(tmp_path / "orders", "rev-list", "--count", "HEAD").strip() == "3"
    again = ran(capsys, "demo", "--keep", "orders")
    assert (again.code, "is not empty" in again.err) == (2, True)
