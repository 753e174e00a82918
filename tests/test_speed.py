"""What `make bench` asks: the same questions each time, and each with one right answer."""

from __future__ import annotations

import pathlib
from collections import Counter

import pytest

BENCHMARKS = pathlib.Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def projects(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from speed import projects

    return projects


def test_the_names_are_the_same_each_time_and_can_all_be_made(projects):
    names = projects.names(6_000)
    assert names == projects.names(6_000)
    assert len(names) == len(set(names)) == 6_000
    folders = {name[:at] for name in names for at, char in enumerate(name) if char == "/"}
    assert not folders & {*names}


def test_a_project_is_whole_and_git_sees_nothing_changed(projects, tmp_path):
    made = projects.make(tmp_path / "project", 200)
    assert all((tmp_path / "project" / name).is_file() for name in made.files)
    assert projects._git(tmp_path / "project", "status", "--short") == ""
    shown = projects._git(tmp_path / "project", "log", "-1", "-M", "--name-status", "--format=")
    renamed = [line.split("\t")[1:] for line in shown.splitlines()]
    assert sorted(renamed) == sorted([old, new] for old, new in made.renamed.items())


def test_each_question_has_one_right_answer_and_is_none_itself(projects):
    from speed.questions import NEAR, questions

    names = tuple(projects.names(6_000))
    asked = questions(projects.Project("/p", names, {"old/a.py": names[0]}), 10)
    counts = Counter(name.rpartition("/")[2] for name in names)
    assert {each.kind for each in asked} == {"exact", "own folder", "renamed", *NEAR}
    for each in asked:
        assert each.written not in names
        assert each.truth in names
        if each.kind != "renamed":
            assert counts[each.truth.rpartition("/")[2]] == 1
        if each.kind in NEAR:
            assert each.name not in counts
