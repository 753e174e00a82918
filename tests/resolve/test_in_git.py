"""What history and the disk add to names, on real repositories."""

from __future__ import annotations

import json
import re
import subprocess

import pytest
from histories import LONG, lay_out, project, started
from repos import commit_all, move_file, run_git, start, write_files
from rows import check_each, read

from truepath import Workspace
from truepath.guard.messages import note_of
from truepath.types import Candidate


@pytest.fixture
def repo(tmp_path):
    return started(tmp_path)


def told(found):
    best = found.candidates[0] if found.candidates else Candidate("", 0.0)
    return {
        "status": found.status,
        "permits": found.permits,
        "path": found.path,
        "target": found.target,
        "note": note_of(found),
        "history": found.searched.history,
        "candidates": [each.path for each in found.candidates],
        "first": best.path,
        "reason": best.reason,
        "because": best.why,
    }


@pytest.mark.parametrize("row", read("resolve/in_git"), ids=lambda row: row["why"])
def test_what_is_asked_of_a_repository_is_answered_as_its_row_says(repo, tmp_path, row):
    """In an answer, HEAD and HEAD~1 stand for the first digits of that commit."""
    for each in row["steps"]:
        lay_out(repo, each)
    space = project(repo, tmp_path, deny=row.get("deny", ()))

    def check(ask):
        texts = tuple(each.replace("LONG", LONG) for each in ask.get("texts", ()))
        how = {"cwd": ask.get("cwd"), "kind": ask.get("kind"), "texts": texts}
        expected = json.loads(re.sub(r"HEAD(~1)?", commit, json.dumps(ask["is"])))
        for operation in ask["as"]:
            found = told(space.resolve(ask["path"], operation, **how))
            assert {name: found[name] for name in expected} == expected, operation

    def commit(named):
        return run_git(repo, "rev-parse", named[0])[:7]

    check_each(row["asks"], check, lambda ask: ask["path"])


@pytest.mark.parametrize(
    ("folders", "moved", "into"),
    [
        (("dev", "prod", "staging"), ("prod", "staging"), "envs"),
        (("globset", "grep", "cli"), ("globset", "grep", "cli"), "crates"),
    ],
)
def test_the_pairing_of_twins_is_no_proof(repo, tmp_path, folders, moved, into):
    write_files(repo, {f"{folder}/app.yml": LONG for folder in folders})
    commit_all(repo)
    run_git(repo, "rm", "-rq", *folders)
    write_files(repo, {f"{into}/{folder}/app.yml": LONG for folder in moved})
    commit_all(repo)
    space = project(repo, tmp_path)

    for folder in folders:
        meant = f"{into}/{folder}/app.yml"
        for operation in ("edit", "execute", "move", "copy", "delete"):
            found = space.resolve(f"{folder}/app.yml", operation)
            assert found.permits != "corrected" or found.path == meant, found
        looked = space.resolve(f"{folder}/app.yml")
        if folder in moved:
            assert looked.path in (meant, None), looked
        else:
            assert looked.candidates[0].why.startswith("perhaps renamed in "), looked


def test_without_time_nothing_is_changed(repo):
    write_files(repo, {"tests/unit/run_of_all.py": "run\n"})
    commit_all(repo)
    late = Workspace(repo, timeout_s=0).resolve("test/unit/run_of_all.py", "edit")

    assert late.permits == "named"
    assert not late.searched.history


def test_until_the_history_is_known_a_read_is_only_shown_what_it_would_be_led_to(
    repo, tmp_path, git_that
):
    write_files(repo, {"tests/unit/run_of_all.py": "run\n"})
    commit_all(repo)
    git_that("*--name-status*", f"while [ ! -e {tmp_path}/go ]; do :; done; exit 1")
    space = project(repo, tmp_path)
    for operation, permit in (
        ("read", "assumed"),
        ("edit", "named"),
        ("move", "named"),
    ):
        found = space.resolve("test/unit/run_of_all.py", operation)
        assert found.permits == permit, operation
        assert found.candidates[0].path == "tests/unit/run_of_all.py"
        assert found.note == "its history is not known"
    assert space.resolve("tests/unit/run_of_all.py:3", "edit").permits == "corrected"
    (tmp_path / "go").touch()


@pytest.mark.parametrize(
    ("deny", "old", "new"),
    [
        ("docs/plan.md", "specs/plan.md", "docs/plan.md"),
        ("docs/", "specs/plan.md", "docs/plan.md"),
        ("docs/", "specs/plan.md", "docs/old/plan_of_all.md"),
        ("", "config/app.yml", "secrets/app.key"),
        ("", "config/env", "config/.env"),
        ("", "specs/plan.md", "../plan.md"),  # outside the root
    ],
)
def test_of_a_rename_to_what_must_not_be_named_nothing_is_said(
    tmp_path, deny, old, new
):
    top = tmp_path / "top"
    start(top, {f"app/{old}": "a plan\n" * 9, "app/README.md": "x"})
    move_file(top, f"app/{old}", f"app/{new}")
    space = Workspace(top / "app", deny=[deny] if deny else [])
    found = space.resolve(old)
    assert (found.status, found.candidates, found.note) == ("absent", (), "")
    assert not found.searched.history  # nor is it said that git does not have it


def test_nothing_is_said_of_a_secret_that_is_there(repo, tmp_path):
    write_files(repo, {"deploy/key.pem": "x"})
    space = project(repo, tmp_path)

    for written in (
        "deploy/key.pem:3",
        "`deploy/key.pem`",
        "deploy/KEY.PEM",
        "Deploy/key.pem",
    ):
        found = space.resolve(written)
        assert found.status in ("outside", "exists", "absent"), written
        assert not found.candidates, written
    assert space.resolve("`deploy/key.pem`").cause == "protected"


def test_somebody_elses_folder_on_this_machine_is_let_be(repo, tmp_path):
    other = tmp_path / "elsewhere" / "acme"
    other.mkdir(parents=True)
    space = project(repo, tmp_path)

    assert space.resolve(str(other / "docs/guide.md")).status == "outside"
    gone = tmp_path / "nowhere" / "acme" / "docs/guide.md"
    assert space.resolve(str(gone)).permits in ("assumed", "named")


def test_a_file_of_another_work_tree_is_named_here(repo, tmp_path):
    run_git(repo, "worktree", "add", "-q", str(tmp_path / "other"), "-b", "other")
    space = project(repo, tmp_path)
    there = str(tmp_path / "other" / "docs/guide.md")

    for path in ("docs/guide.md", "docs"):
        found = space.resolve(str(tmp_path / "other" / path), "write")
        named = [(each.path, each.folder) for each in found.candidates]
        assert (found.status, named) == ("outside", [(path, path == "docs")])
    assert space.spell("src/web/app.ts", there) == str(
        tmp_path / "other" / "src/web/app.ts"
    )
    missing = space.resolve(str(tmp_path / "other" / "doc/guide.md"), "edit")
    assert missing.permits == "named"


@pytest.mark.parametrize("wrong", ["docs/gude.md", "specs/plan_of_work.md"])
def test_in_a_linked_work_tree_the_main_one_s_path_is_its_own(repo, tmp_path, wrong):
    move_file(repo, "specs/plan_of_work.md", "archive/plan.md")
    linked = tmp_path / "linked"
    run_git(repo, "worktree", "add", "-q", str(linked), "-b", "linked")
    space, written = project(linked, tmp_path), f"{repo}/{wrong}"
    right = "docs/guide.md" if "gude" in wrong else "archive/plan.md"

    found = space.resolve(written)
    assert (found.permits, found.path) == ("assumed", right)
    assert space.spell(right, written) == f"{linked}/{right}"
    changed = space.resolve(written, "edit")
    assert (changed.permits, changed.candidates[0].path) == ("named", right)


def test_the_answer_is_the_same_the_second_time(repo, tmp_path):
    move_file(repo, "docs/guide.md", "manual/guide.md")
    space = project(repo, tmp_path)
    asked = [
        ("docs/guide.md", "edit"),
        ("api/panel_of_users.ts", "move"),
        ("src/x.ts", "read"),
    ]

    again = [[space.resolve(*each) for each in asked] for _ in range(2)]
    assert again[0] == again[1]
    assert again[0] == [project(repo, tmp_path).resolve(*each) for each in asked]


@pytest.mark.parametrize("written", ["current/../guide.md", "`current/../guide.md`"])
@pytest.mark.parametrize("operation", ["read", "move", "delete", "edit"])
def test_two_dots_behind_a_link_lead_where_the_kernel_leads(
    repo, tmp_path, written, operation
):
    write_files(
        repo,
        {"guide.md": "the root's\n", "releases/42/note.md": "x", "releases/a.md": "x"},
    )
    (repo / "current").symlink_to("releases/42")
    for space in (project(repo, tmp_path), in_sandbox(repo)):
        found = space.resolve(written, operation)
        assert (found.permits, found.path) == ("named", None), (
            "the file is not in releases/"
        )
        assert space.resolve("current/../a.md", operation).path == "releases/a.md"
        assert space.resolve("nowhere/../guide.md").permits == "corrected"
        assert space.resolve("../guide.md", operation, cwd="current").permits == "named"


def in_sandbox(repo):
    def run(command, timeout_s):
        return subprocess.run(
            ["sh", "-c", command], capture_output=True, check=True, timeout=timeout_s
        ).stdout

    return Workspace.remote(run, root=str(repo))
