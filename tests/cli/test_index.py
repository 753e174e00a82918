"""`truepath index` and `truepath cache`: what is kept of projects is built, shown and removed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from commandline import ran

from truepath.config.user_dirs import projects_folder
from truepath.project.index.store import IndexStore
from truepath.project.kept import kept_in


@pytest.fixture
def repo(make_repo):
    return make_repo({"src/app.py": "", "README.md": ""})


def test_an_index_is_built_shown_and_removed_with_its_project(repo, capsys):
    built = ran(capsys, "index", "--root", str(repo))
    shown = ran(capsys, "cache")
    kept = ran(capsys, "cache", "--remove")
    shutil.rmtree(repo)
    gone = ran(capsys, "cache")
    removed = ran(capsys, "cache", "--remove")
    empty = ran(capsys, "cache")

    assert (built.code, built.err) == (0, "")
    assert built.out.startswith("2 names, with history, in ")
    assert [line.split()[0] for line in shown.out.splitlines()] == ["kept", "index", "history"]
    assert str(repo) in shown.out
    assert kept.out == "nothing to remove\n"
    assert gone.out.count("(gone)") == removed.out.count("(gone)") == 2
    assert empty.out.startswith("nothing is kept in ")
    assert os.listdir(projects_folder(os.environ)) == []


def test_what_is_kept_of_all_projects_is_removed_where_that_is_asked(repo, capsys):
    ran(capsys, "index", "--root", str(repo))

    assert ran(capsys, "cache", "--remove", "--all").code == 0
    assert kept_in(projects_folder(os.environ)) == []
    assert ran(capsys, "cache", "--all").code == 2


def test_what_is_damaged_is_shown_and_removed(repo, capsys):
    ran(capsys, "index", "--root", str(repo))
    path = IndexStore(projects_folder(os.environ), str(repo)).path("names")
    with open(path, "wb") as file:
        file.write(b"x")

    assert "(damaged)" in ran(capsys, "cache").out
    assert "(damaged)" in ran(capsys, "cache", "--remove").out
    assert not os.path.exists(path)


def test_an_index_with_a_byte_changed_is_shown_with_its_project_and_removed(repo, capsys):
    ran(capsys, "index", "--root", str(repo))
    path = IndexStore(projects_folder(os.environ), str(repo)).path("names")
    assert "(damaged)" not in ran(capsys, "cache").out
    with open(path, "r+b") as file:
        data = file.read().replace(b"app.py", b"apq.py", 1)
        file.seek(0)
        file.write(data)

    (shown,) = [line for line in ran(capsys, "cache").out.splitlines() if "(damaged)" in line]
    removed = ran(capsys, "cache", "--remove").out

    assert str(repo) in shown
    assert removed.count("(damaged)") == 1
    assert not os.path.exists(path)
    assert [kept.kind for kept in kept_in(projects_folder(os.environ))] == ["history"]


@pytest.mark.skipif(os.name == "nt", reason="folders do not tell when they changed")
def test_outside_a_repository_there_is_an_index_without_history(make_repo, capsys):
    root = make_repo({"src/app.py": "", "README.md": ""}, git=False)

    built = ran(capsys, "index", "--root", str(root))
    shown = ran(capsys, "cache")
    shutil.rmtree(root)

    assert built.out.startswith("2 names, without history, in ")
    assert [line.split()[0] for line in shown.out.splitlines()] == ["kept", "index"]
    assert str(root) in shown.out
    assert "(gone)" in ran(capsys, "cache", "--remove").out
    assert kept_in(projects_folder(os.environ)) == []


@pytest.mark.parametrize("inside", ["no file", "a repository"])
def test_what_has_no_index_is_told(make_repo, git, capsys, inside):
    root = make_repo({} if inside == "no file" else {"a.py": "", "b/c.py": ""}, git=False)
    if inside == "a repository":
        git(root / "b", "init", "-q")

    done = ran(capsys, "index", "--root", str(root))

    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("no index: ")


def test_a_build_behind_removes_what_is_kept_of_projects_that_are_gone(repo, make_repo, capsys):
    store = projects_folder(os.environ)
    other = make_repo({"b.py": ""})
    ran(capsys, "index", "--root", str(other))
    shutil.rmtree(other)

    subprocess.run(
        [sys.executable, "-m", "truepath.project.index", str(repo), store],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
    )

    assert {kept.project for kept in kept_in(store)} == {os.path.realpath(repo)}
