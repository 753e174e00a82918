"""What `make bench` asks is the same each time, with one right answer; what it kept is
shown.
"""

from __future__ import annotations

import pathlib
from collections import Counter

import pytest

BENCHMARKS = pathlib.Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def made(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import repositories

    return repositories


def test_a_project_is_whole_and_git_sees_nothing_changed(made, tmp_path):
    project = made.make(tmp_path / "project", 200)
    assert all((tmp_path / "project" / name).is_file() for name in project.files)
    assert made.git(tmp_path / "project", "status", "--short") == ""
    shown = made.git(
        tmp_path / "project", "log", "-1", "-M", "--name-status", "--format="
    )
    renamed = [line.split("\t")[1:] for line in shown.splitlines()]
    assert sorted(renamed) == sorted([old, new] for old, new in project.renamed.items())


def test_each_question_has_one_right_answer_and_is_none_itself(made):
    names = tuple(made.names(6_000))
    assert names == tuple(made.names(6_000))
    asked = made.questions(made.Project("/p", names, {"old/a.py": names[0]}), 10)
    counts = Counter(name.rpartition("/")[2] for name in names)
    assert {each.kind for each in asked} == {*made.CHANGES, "renamed"}
    for each in asked:
        assert each.written not in names
        assert each.truth in names
        if each.kind != "renamed":
            assert counts[each.truth.rpartition("/")[2]] == 1
        if each.kind in made.NEAR:
            assert each.name not in counts


def test_the_first_questions_are_of_all_kinds(made):
    names = tuple(made.names(6_000))
    renamed = {f"old/{at}.py": name for at, name in enumerate(names[:10])}
    asked = made.questions(made.Project("/p", names, renamed), 10)
    kinds = Counter(each.kind for each in asked[:20])
    assert {*kinds} == {*made.CHANGES, "renamed"}
    assert {*kinds.values()} == {3, 4}


def test_no_question_has_a_secret_for_an_answer(made):
    project = made.Project(
        "/p", ("a/b/unguessable_key.pem", "a/b/readable_page.md"), {}
    )
    asked = made.questions(project, 10)
    assert {each.truth for each in asked} == {"a/b/readable_page.md"}


def test_the_page_of_benchmarks_and_its_plots_show_what_the_benchmarks_kept(
    monkeypatch,
):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import plots

    page = (plots.DOCS / "benchmarks.md").read_text(encoding="utf-8")
    assert plots.filled(page) == page
    for name, drawing in plots.every():
        assert (plots.DOCS / f"images/{name}.svg").read_text(
            encoding="utf-8"
        ) == drawing
