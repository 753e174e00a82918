"""Rows for each row of what holds a candidate back: where it does, and where it does
not.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from histories import LONG, lay_out, project, started
from repos import commit_all, run_git, start, write_files
from rows import check_each, read

from truepath import Workspace
from truepath.project.marks import mark
from truepath.resolve.candidates import plausible_reading
from truepath.resolve.places import Place, Reading
from truepath.resolve.reasons import column_of
from truepath.resolve.vetoes import VETOES


@pytest.fixture
def repo(tmp_path):
    return started(tmp_path)


ROOT = "/home/ada/acme"
ROWS = {veto.name: veto for veto in VETOES}
STRENGTH = ("named", "assumed", "recover", "corrected")
BY_HAND = {"ignored-unknown", "marked-wrong", "history-unknown"}
"""Rows with tests of their own below."""


def check(found, row, operation):
    assert (row["veto"] in found.held_back) == row["holds"], found
    if row["holds"]:
        left = ROWS[row["veto"]].leaves[column_of(operation)]
        assert STRENGTH.index(found.permits) <= STRENGTH.index(left), found
    else:
        assert found.permits != "named", found


def test_by_names_alone():
    def ask(row):
        space = Workspace.from_names(
            row["files"],
            root=ROOT,
            cwd=row.get("cwd"),
            cut_short=row.get("cut_short", False),
        )
        for operation in row["as"]:
            found = space.resolve(row["written"], operation, kind=row.get("kind"))
            check(found, row, operation)

    check_each(read("resolve/vetoes"), ask, lambda row: f"{row['veto']}: {row['why']}")


@pytest.mark.parametrize(
    "row", read("resolve/vetoes_in_git"), ids=lambda row: row["why"]
)
def test_in_a_repository(repo, tmp_path, row):
    for step in row["steps"]:
        lay_out(repo, step)
    space = project(repo, tmp_path)

    def ask(asked):
        texts = tuple(text.replace("LONG", LONG) for text in asked.get("texts", ()))
        for operation in asked["as"]:
            check(
                space.resolve(asked["path"], operation, texts=texts), asked, operation
            )

    check_each(row["asks"], ask, lambda asked: f"{asked['veto']}: {asked['path']}")


def test_what_the_user_marked_is_only_named(repo, tmp_path):
    store = tmp_path / "store"
    space = project(repo, tmp_path)
    assert space.resolve("web/app.ts", "edit").permits == "corrected"
    mark(str(store), str(repo), "src/web/app.ts", "web/app.ts", wrong=True)
    for operation in ("read", "edit"):
        found = space.resolve("web/app.ts", operation)
        assert (found.permits, found.held_back) == ("named", ("marked-wrong",))
    assert space.resolve("web/page.ts", "edit").permits == "corrected"


def test_without_the_history_a_name_is_only_shown(tmp_path):
    repo = tmp_path / "acme"
    repo.mkdir()
    start(repo, {"src/web/app_of_all.ts": "app\n"})
    run_git(repo, "mv", "src/web", "web")
    commit_all(repo)
    (repo / ".git/shallow").write_text(run_git(repo, "rev-parse", "HEAD") + "\n")
    space = project(repo, tmp_path)
    looked = space.resolve("lib/app_of_all.ts", "copy")
    assert "history-unknown" in looked.held_back, looked


def test_every_row_holds_back_and_lets_through_in_a_row_of_the_tests():
    asked = [*read("resolve/vetoes")]
    for row in read("resolve/vetoes_in_git"):
        asked.extend(row["asks"])
    for holds in (True, False):
        rows = {row["veto"] for row in asked if row["holds"] is holds}
        assert rows == {*ROWS} - BY_HAND, holds


def test_the_rows_name_columns_and_levels_that_there_are():
    columns = {"look", "copy", "execute", "edit", "move", "delete", "make"}
    for veto in VETOES:
        assert veto.leaves.keys() <= columns
        assert set(veto.leaves.values()) <= {"named", "assumed"}
        assert veto.sentence
    assert len(ROWS) == len(VETOES)


def test_another_project_is_meant_where_it_exists_and_not_a_folder_above(tmp_path):
    root = tmp_path / "acme"
    write_files(root, {"src/app.ts": "app\n", "../other/README.md": "another\n"})
    space = Workspace(root)

    def kept(folder):
        foreign = Place("src/app.ts", "same-path", foreign_folder=str(folder))
        reading = Reading(f"{folder}/src/app.ts", (foreign,), outside=True)
        return plausible_reading(space.tree, reading, space.frame()).places

    assert kept(tmp_path / "other") == ()
    for folder in (tmp_path, root, tmp_path / "nothing"):
        assert [place.path for place in kept(folder)] == ["src/app.ts"], folder


def test_a_name_repeated_at_the_end_is_in_its_folder():
    space = Workspace.from_names(["src/web/app.ts"], root=ROOT)
    assert space.resolve("src/web/web", "copy").permits == "named"
    assert space.resolve("src/src/web", "copy").path == "src/web"


def test_every_row_names_the_scene_that_it_was_made_for():
    cases = Path(__file__).parents[2] / "benchmarks/cases"
    lines = (cases / "attacks.jsonl").read_text(encoding="utf-8").splitlines()
    scenes = {json.loads(line)["id"] for line in lines}
    lines = (cases / "reports.jsonl").read_text(encoding="utf-8").splitlines()
    scenes |= {json.loads(line)["id"] for line in lines}
    assert {veto.name: veto.born for veto in VETOES if veto.born not in scenes} == {}
