"""What history and the disk add to names, on real repositories."""

from __future__ import annotations

import subprocess

import pytest
from repos import commit_all, move_file, run_git, start, write_files

from truepath import Workspace
from truepath.types import KEPT, PATTERN

LONG = "".join(f"line {number} of a text that tells this file apart\n" for number in range(9))


@pytest.fixture
def repo(tmp_path):
    folder = tmp_path / "acme"
    folder.mkdir()
    start(
        folder,
        {
            "specs/plan_of_work.md": LONG,
            "src/api/panel_of_users.ts": "panel\n" + LONG,
            "src/web/app.ts": "app\n" + LONG,
            "src/web/page.ts": "page\n" + LONG,
            "docs/guide.md": "guide\n" + LONG,
        },
    )
    return folder


def project(repo, tmp_path, **more):
    return Workspace(repo, store=str(tmp_path / "store"), timeout_s=20, **more)


def first(found):
    best = found.candidates[0]
    return found.permits, best.path, best.reason


PLAN, USED = "plan_of_work.md", ["read", "copy", "edit", "move", "execute"]
RENAMED = [
    ("specs", "plans/2024", USED, "but to delete"),
    ("specs", "archive/2024", ["read", "copy"], "it was put away, and is looked at alone"),
    ("specs", "docs-old", ["read", "copy"], "a word of a folder's name"),
    ("specs", "specs/Backup", ["read", "copy"], "in any case"),
    ("specs", "examples", USED, "what is set aside may be worked on"),
    ("legacy/specs", "legacy/plans", USED, "it was there before"),
    ("old", "specs", USED, "it was brought back"),
]


@pytest.mark.parametrize("operation", [*USED, "delete"])
@pytest.mark.parametrize("row", RENAMED, ids=lambda row: row[-1])
def test_a_rename_that_kept_the_name_is_followed(repo, tmp_path, row, operation):
    old, new, used, why = row
    if old != "specs":
        move_file(repo, "specs", old)
    commit = move_file(repo, f"{old}/{PLAN}", f"{new}/{PLAN}")
    found = project(repo, tmp_path).resolve(f"{old}/{PLAN}", operation)

    permit = "corrected" if operation in used else "named"
    assert first(found) == (permit, f"{new}/{PLAN}", "renamed"), why
    assert found.candidates[0].why == f"renamed in {commit[:7]}, 2024-01-02"
    assert found.searched.history


def test_a_new_file_where_git_records_a_rename_is_asked_about(repo, tmp_path):
    write_files(repo, {"specs/other.md": "o\n"})
    move_file(repo, "specs/plan_of_work.md", "archive/plan_of_work.md")
    move_file(repo, "src/web/app.ts", "src/web/main.ts")
    run_git(repo, "rm", "--quiet", "docs/guide.md")
    commit_all(repo, "gone")
    write_files(repo, {"docs/index.md": "i\n"})
    space = project(repo, tmp_path)

    found = space.resolve("specs/plan_of_work.md", "write")
    assert (found.status, *first(found)) == (
        *("ambiguous", "named", "archive/plan_of_work.md", "renamed"),
    )
    renamed = space.resolve("src/web/app.ts", "write")
    assert renamed.candidates[0].why.startswith("perhaps renamed in "), renamed
    (repo / "src/web/main.ts").unlink()
    for path in ("docs/guide.md", "specs/new.md", "src/web/app.ts"):  # gone, never there, no target
        assert space.resolve(path, "write").status == "absent", path


def test_a_rename_that_changed_the_name_is_looked_at_alone(repo, tmp_path):
    move_file(repo, "src/api/panel_of_users.ts", "src/api/board.ts")
    space = project(repo, tmp_path)

    assert first(space.resolve("src/api/panel_of_users.ts")) == (
        "assumed",
        "src/api/board.ts",
        "near",
    )
    assert space.resolve("src/api/panel_of_users.ts", "edit").permits == "named"


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
            assert looked.path == meant, "a name says more than a supposed rename"
        else:
            assert looked.candidates[0].why.startswith("perhaps renamed in "), looked


def test_what_was_deleted_is_told_and_nothing_else_is_changed(repo, tmp_path):
    write_files(repo, {"lib/src/api/panel_of_users.ts": "another\n"})
    run_git(repo, "rm", "-q", "src/api/panel_of_users.ts")
    commit = commit_all(repo)
    space = project(repo, tmp_path)
    note = f"deleted in {commit[:7]}, 2024-01-02"

    looked = space.resolve("src/api/panel_of_users.ts")
    assert (looked.permits, looked.note) == ("named", note)
    for operation in ("edit", "move", "copy", "execute", "delete"):
        changed = space.resolve("src/api/panel_of_users.ts", operation)
        assert (changed.permits, changed.note) == ("named", note)


def test_a_file_of_a_folder_that_moved_is_looked_for_there(repo, tmp_path):
    move_file(repo, "src/web", "apps/web")
    write_files(repo, {"apps/web/later_addition.ts": "later\n"})
    commit_all(repo)
    space = project(repo, tmp_path)

    assert space.resolve("src/web/app.ts", "edit").path == "apps/web/app.ts"
    found = space.resolve("src/web/later_addition.ts")
    assert (found.permits, found.path) == ("assumed", "apps/web/later_addition.ts")
    made = space.resolve("src/web/new_page.ts", "write")
    assert first(made) == ("recover", "apps/web/new_page.ts", "renamed")


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
    for operation, permit in (("read", "assumed"), ("edit", "named"), ("move", "named")):
        found = space.resolve("test/unit/run_of_all.py", operation)
        assert found.permits == permit, operation
        assert found.candidates[0].path == "tests/unit/run_of_all.py"
        assert found.note == "its history is not known"
    assert space.resolve("tests/unit/run_of_all.py:3", "edit").permits == "corrected"
    (tmp_path / "go").touch()


def test_the_only_file_that_holds_the_text_is_edited(repo, tmp_path):
    space = project(repo, tmp_path)
    said = ("panel\n" + LONG[:200],)
    wrong = "src/api/pages/panel_of_users.ts"

    assert first(space.resolve(wrong, "edit", texts=said)) == (
        "corrected",
        "src/api/panel_of_users.ts",
        "contents",
    )
    assert space.resolve(wrong, "edit").permits == "named"
    for other in ("src/panels/users.ts", "src/web/panel_of_users.ts"):
        assert space.resolve(other, "edit", texts=said).permits == "named"


def test_a_file_without_the_text_is_not_edited(repo, tmp_path):
    found = project(repo, tmp_path).resolve("web/app.ts", "edit", texts=("nobody wrote this " * 9,))

    assert first(found) == ("named", "src/web/app.ts", "leading-folders")


def test_what_is_ignored_secret_or_outside_is_never_named(repo, tmp_path):
    write_files(
        repo,
        {
            ".gitignore": "build/\n",
            "build/report_of_all.html": "x",
            "deploy/server.pem": "x",
            "private/salaries_of_all.csv": "x",
        },
    )
    (tmp_path / "outside_of_it.txt").write_text("x")
    (repo / "docs/outside_of_it.txt").symlink_to(tmp_path / "outside_of_it.txt")
    space = project(repo, tmp_path, deny=["private/"])

    assert not space.resolve("src/outside_of_it.txt").candidates
    for wrong in ("out/report_of_all.html", "certs/server.pem", "docs/salaries_of_all.csv"):
        assert not space.resolve(wrong).candidates, wrong
    for told in ("`build/report_of_all.html`", "`deploy/server.pem`", "private/x.csv"):
        assert space.resolve(told, "edit").permits == "named", told


def test_nothing_is_said_of_a_secret_that_is_there(repo, tmp_path):
    write_files(repo, {"deploy/key.pem": "x"})
    space = project(repo, tmp_path)

    for written in ("deploy/key.pem:3", "`deploy/key.pem`", "deploy/KEY.PEM", "Deploy/key.pem"):
        found = space.resolve(written)
        assert found.status in ("outside", "exists", "absent"), written
        assert not found.candidates, written
    assert space.resolve("`deploy/key.pem`").note == "protected"


def test_a_dangling_link_is_told_as_one(repo, tmp_path):
    (repo / "docs/current").symlink_to("nowhere")
    space = project(repo, tmp_path)

    assert space.resolve("docs/current").note == "a link that leads nowhere"
    assert space.resolve("docs/current", "delete").status == "exists"


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

    found = space.resolve(there, "write")
    assert (found.status, found.candidates[0].path) == ("outside", "docs/guide.md")
    assert space.spell("src/web/app.ts", there) == str(tmp_path / "other" / "src/web/app.ts")
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
    asked = [("docs/guide.md", "edit"), ("api/panel_of_users.ts", "move"), ("src/x.ts", "read")]

    again = [[space.resolve(*each) for each in asked] for _ in range(2)]
    assert again[0] == again[1]
    assert again[0] == [project(repo, tmp_path).resolve(*each) for each in asked]


@pytest.mark.parametrize("written", ["current/../guide.md", "`current/../guide.md`"])
@pytest.mark.parametrize("operation", ["read", "move", "delete", "edit"])
def test_two_dots_behind_a_link_lead_where_the_kernel_leads(repo, tmp_path, written, operation):
    write_files(
        repo, {"guide.md": "the root's\n", "releases/42/note.md": "x", "releases/a.md": "x"}
    )
    (repo / "current").symlink_to("releases/42")
    for space in (project(repo, tmp_path), in_sandbox(repo)):
        found = space.resolve(written, operation)
        assert (found.permits, found.path) == ("named", None), "the file is not in releases/"
        assert space.resolve("current/../a.md", operation).path == "releases/a.md"
        assert space.resolve("nowhere/../guide.md").permits == "corrected"
        assert space.resolve("../guide.md", operation, cwd="current").permits == "named"


@pytest.mark.parametrize("before", ["cur", "loop", "file"])
@pytest.mark.parametrize("operation", ["move", "delete", "edit", "execute"])
def test_two_dots_behind_what_is_no_folder_lead_nowhere(repo, tmp_path, before, operation):
    write_files(repo, {"conf/a.yml": "x", "r/1/note.md": "x", "file": "x"})
    (repo / "Cur").symlink_to("r/1")
    (repo / "loop").symlink_to("loop")
    found = project(repo, tmp_path).resolve(f"{before}/../conf/a.yml", operation)
    assert (found.permits, found.path) == ("named", None)


@pytest.mark.parametrize("written", ["specs/plan_of_work.md", "later/plan_of_work.md"])
def test_what_git_has_elsewhere_and_the_disk_has_not_is_told_by_its_own_path(
    repo, tmp_path, written
):
    (repo / "docs/later").mkdir()
    run_git(repo, "mv", "specs/plan_of_work.md", "docs/later/plan_of_work.md")
    (repo / "docs/later/plan_of_work.md").unlink()
    found = project(repo, tmp_path).resolve(written, "execute")
    assert (found.status, found.note) == ("absent", KEPT)
    assert found.target == "docs/later/plan_of_work.md"
    alone = project(repo, tmp_path).resolve("plan_of_work.md", "execute")
    assert alone.note != KEPT, "a name alone is not what git has"


def in_sandbox(repo):
    def run(command, timeout_s):
        return subprocess.run(
            ["sh", "-c", command], capture_output=True, check=True, timeout=timeout_s
        ).stdout

    return Workspace.remote(run, root=str(repo))


TWINS = {"pkg/a/src/tools.py": "a\n" + LONG, "pkg/b/src/tools.py": "b\n" + LONG}


@pytest.mark.parametrize("operation", ["read", "edit", "copy", "move", "delete", "execute"])
@pytest.mark.parametrize("how", ["sparse", "removed", "skipped"])
def test_what_git_has_is_replaced_by_nothing(repo, tmp_path, how, operation):
    write_files(repo, TWINS)
    commit_all(repo)
    if how == "sparse":
        run_git(repo, "sparse-checkout", "set", "--cone", "pkg/a")
    else:
        marks = ("update-index", "--skip-worktree", "pkg/b/src/tools.py")
        run_git(repo, *marks) if how == "skipped" else None
        (repo / "pkg/b/src/tools.py").unlink()
    space = project(repo, tmp_path)

    line = () if operation in ("move", "delete") else ("pkg/b/src/tools.py:3",)
    for written in ("pkg/b/src/tools.py", "`pkg/b/src/tools.py`", *line):
        found = space.resolve(written, operation)
        assert (found.status, found.candidates) == ("absent", ()), found
        assert (found.note, found.target) == (KEPT, "pkg/b/src/tools.py")
    if how == "sparse":
        folder = space.resolve("pkg/b", "list")
        assert (folder.note, folder.target) == (KEPT, "pkg/b")


@pytest.mark.parametrize("staged", [False, True])
def test_a_move_without_a_commit_is_known(repo, tmp_path, staged):
    move_file(repo, "specs/plan_of_work.md", "docs/plan_of_work.md")
    (repo / "docs/plan_of_work.md").rename(repo / "docs/state.md")
    (repo / "src/api").rename(repo / "src/server")
    run_git(repo, "add", "-A") if staged else None
    space = project(repo, tmp_path)

    for old in ("specs/plan_of_work.md", "docs/plan_of_work.md"):
        found = space.resolve(old)
        assert (found.permits, found.path) == ("assumed", "docs/state.md"), found
        assert found.candidates[0].why == "renamed without a commit"
        changed = space.resolve(old, "edit")
        assert (changed.permits, changed.candidates[0].path) == ("named", "docs/state.md")
    kept = space.resolve("src/api/panel_of_users.ts", "edit")
    assert kept.candidates[0].path == "src/server/panel_of_users.ts"
    assert (kept.permits == "corrected") is not staged, "git's pairs are no proof, an inode is one"


PANEL, APP, PAGE = "src/api/panel_of_users.ts", "src/web/app.ts", "src/web/page.ts"
TAKEN_APART = [
    ("staged", {PANEL: "lib/panel_of_users.ts"}, ["lib"], "a folder of one file"),
    ("staged", {PANEL: "lib/panel.ts"}, ["lib"], "which got another name"),
    ("staged", {APP: "lib/app.ts", PAGE: "ui/page.ts"}, ["lib", "ui"], "two went two ways"),
    ("moved", {APP: "lib/app.ts", PAGE: "ui/page.ts"}, ["lib", "ui"], "as the inodes tell too"),
    ("staged", {APP: "lib/app.ts", PAGE: ".env"}, ["lib"], "a secret is not told"),
    ("staged", {APP: "app.ts", PAGE: "src/page.ts"}, ["src"], "nor the root"),
]


@pytest.mark.parametrize(
    ("how", "moves", "went", "why"), TAKEN_APART, ids=[row[-1] for row in TAKEN_APART]
)
def test_where_the_files_of_a_folder_went_without_a_commit_is_told(
    repo, tmp_path, how, moves, went, why
):
    for old, new in moves.items():
        (repo / new).parent.mkdir(exist_ok=True)
        (repo / old).rename(repo / new)
    folder = old.rpartition("/")[0]
    (repo / folder).rmdir()
    run_git(repo, "add", "-A", "-f") if how == "staged" else None
    space = project(repo, tmp_path)

    for operation in ("list", "move", "execute", "delete"):
        found = space.resolve(folder, operation, kind="any")
        assert (found.permits, found.note) == ("named", "emptied without a commit"), why
        assert [each.path for each in found.candidates] == went, why
    assert space.resolve(folder, "mkdir").status == "absent", "a new one may be made"


def test_what_left_a_commit_and_came_back_is_followed_where_it_was_staged(repo, tmp_path):
    """The index is newer than every commit."""
    run_git(repo, "rm", "-q", "docs/guide.md", "src/web/app.ts")
    commit_all(repo)
    run_git(repo, "checkout", "-q", "HEAD~1", "docs/guide.md")
    write_files(repo, {"src/web/more.ts": "more\n" + LONG})
    commit_all(repo)
    run_git(repo, "mv", "docs/guide.md", "specs/guide.md")
    run_git(repo, "mv", "src/web", "src/pages")
    space = project(repo, tmp_path)

    for old, new in (("docs/guide.md", "specs/guide.md"), ("src/web", "src/pages")):
        found = space.resolve(old, kind="any")
        assert (found.permits, found.path) == ("assumed", new), found


@pytest.mark.parametrize("moved", [False, True])
def test_of_what_left_the_index_no_more_is_said(repo, tmp_path, moved):
    """It may be on the disk still, at another place that git does not know."""
    run_git(repo, "rm", "-q", "--cached", "docs/guide.md")
    (repo / "manual").mkdir()
    (repo / "docs/guide.md").rename(repo / "manual/guide.md")
    None if moved else (repo / "manual/guide.md").unlink()
    found = project(repo, tmp_path).resolve("docs/guide.md")
    assert (found.permits, found.note) == ("named", "deleted from git's index")
    assert [each.path for each in found.candidates] == ["manual/guide.md"] * moved


def test_what_replaced_a_removed_file_is_not_taken_for_it(repo, tmp_path):
    (repo / "docs/guide.md").unlink()
    write_files(repo, {"docs/other_text.md": "guide\n" + LONG})
    found = project(repo, tmp_path).resolve("docs/guide.md")
    assert (found.status, found.note) == ("absent", KEPT)


@pytest.mark.parametrize("operation", ["read", "edit", "move", "delete"])
def test_a_rename_and_another_case_are_two_candidates(repo, tmp_path, operation):
    write_files(repo, {"docs/agents.md": "old\n" + LONG, "docs/AGENTS.md": "rules\n"})
    commit_all(repo)
    move_file(repo, "docs/agents.md", "docs/agent.md")
    found = project(repo, tmp_path).resolve("docs/agents.md", operation)

    assert found.permits == "named"
    assert [each.path for each in found.candidates] == ["docs/agent.md", "docs/AGENTS.md"]


@pytest.mark.parametrize("operation", ["read", "search", "list"])
def test_a_namesake_of_what_git_deleted_is_named_alone(repo, tmp_path, operation):
    write_files(repo, {"docs/models/gemini_of_old.md": "x", "docs/live/gemini_of_old.md": LONG})
    commit_all(repo)
    run_git(repo, "rm", "-q", "docs/models/gemini_of_old.md")
    commit = commit_all(repo)
    found = project(repo, tmp_path).resolve("docs/models/gemini_of_old.md", operation)

    assert (found.permits, found.note) == ("named", f"deleted in {commit[:7]}, 2024-01-02")
    assert found.candidates[0].path == "docs/live/gemini_of_old.md"


def test_one_file_that_left_a_folder_does_not_move_it(repo, tmp_path):
    move_file(repo, "src/api/panel_of_users.ts", "packages/api/src/acme/panel_of_users.ts")
    (repo / "src/api").rmdir()
    space = project(repo, tmp_path)
    found = space.resolve("src/api", "search")

    assert (found.permits, found.path) == ("named", None)
    assert found.note.startswith("emptied in ")
    assert space.resolve("src/api/panel_of_users.ts", "edit").permits == "corrected"


def test_a_folder_that_moved_is_known_from_below_and_in_a_pattern(repo, tmp_path):
    move_file(repo, "src/web", "src/pages")
    move_file(repo, "src", "lib")
    space = project(repo, tmp_path)

    found = space.resolve("src", "search", cwd="docs", kind="any")
    assert (found.permits, found.path) == ("assumed", "lib")
    assert space.resolve("src", "edit", cwd="docs").permits == "named"
    found = space.resolve("src/web/*.ts")
    assert (found.status, found.note, found.path) == ("ambiguous", PATTERN, None)
    assert [each.path for each in found.candidates] == ["lib/pages"]
    missing = space.resolve("src/web/about_all.ts")
    assert missing.note.startswith("src/web/ moved in ")


def test_the_history_that_has_the_name_elsewhere_is_not_said_to_lack_it(repo, tmp_path):
    move_file(repo, "docs/guide.md", "docs/manual.md")
    space = project(repo, tmp_path)
    assert not space.resolve("guide.md").searched.history
    assert space.resolve("guides_of_all.md").searched.history


@pytest.mark.parametrize("written", ["src/tools.py", "b/src/tools.py", "`b/src/tools.py`"])
def test_what_git_has_elsewhere_leaves_a_choice(repo, tmp_path, written):
    write_files(repo, TWINS)
    commit_all(repo)
    run_git(repo, "sparse-checkout", "set", "--cone", "pkg/a")
    found = project(repo, tmp_path).resolve(written, "edit")
    assert (found.permits, found.path) == ("named", None)


IGNORED = [
    ("/dist/", "actions/x/dist/index.js", "dist/index.js", "a build"),
    ("/data/", "pkg/data/seed_rows.sql", "data/seed_rows.sql", "a folder at the top alone"),
    ("/config/local.*", "pkg/config/local.yml", "config/local.yml", "a private file"),
    ("/data/", "pkg/data/seed_rows.sql", "`data/seed_rows.sql`", "in quotes"),
    ("/data/", "pkg/data/seed_rows.sql", "b/data/seed_rows.sql", "the side of a diff"),
    ("/web/dist/", "dist/index.js", "dist/index.js", "of the agent's own folder"),
    ("/src/gen*/", "src/types_of_api.ts", "src/gen/types_of_api.ts", "moved from there"),
]


@pytest.mark.parametrize("row", IGNORED, ids=lambda row: row[-1])
@pytest.mark.parametrize("operation", ["edit", "copy", "move", "execute"])
def test_nothing_is_used_for_what_git_ignores(repo, tmp_path, row, operation):
    rule, there, written, why = row
    if why.startswith("moved"):
        write_files(repo, {written: LONG + "types"})
        commit_all(repo)
        move_file(repo, written, there)
    write_files(repo, {there: LONG + "types", ".gitignore": f"{rule}\n"})
    commit_all(repo)
    cwd = str(repo / "web") if "own folder" in why else None
    found = project(repo, tmp_path, cwd=cwd).resolve(written, operation)

    assert (found.permits, found.candidates[0].path) == ("named", there), found
    told = operation == "move" and "diff" in why  # nothing is taken off what moves
    assert told or found.note == "git ignores it: it may not be made yet"
    (repo / ".gitignore").write_text("/other/\n")
    found = project(repo, tmp_path, cwd=cwd).resolve(written, operation)
    assert told or (found.permits, found.note) == ("corrected", ""), found


def test_a_look_is_shown_a_file_for_an_ignored_one_but_not_for_a_build(repo, tmp_path):
    files = {"pkg/data/seed_rows.sql": LONG, "pkg/dist/bundle_of_all.js": LONG}
    write_files(repo, {**files, "data/forced.sql": "", ".gitignore": "/data/\n/dist/\n"})
    run_git(repo, "add", "--force", "data/forced.sql")
    commit_all(repo)
    space = project(repo, tmp_path)

    assert space.resolve("data/seed_rows.sql").path == "pkg/data/seed_rows.sql"
    assert space.resolve("dist/bundle_of_all.js").permits == "named"
    for itself in ("`data/forced.sql`", "data/forced.sql:12"):
        assert space.resolve(itself, "edit").path == "data/forced.sql", "decorations alone"


NEW_FILES = [
    (["src/moved/{}"], [], "src/moved/{}", "moved and edited, or copied"),
    (["src/moved/{}"], ["add", "-N", "src/moved"], "src/moved/{}", "announced to git"),
    (["src/moved/{}", "lib/{}"], [], None, "two new ones"),
    (["docs/other_{}"], [], None, "another name"),
    (["lib/Panel_of_users.ts"], [], "lib/Panel_of_users.ts", "in another case"),
    (["lib/{}"], ["add", "lib"], None, "git's index has it too"),
]


@pytest.mark.parametrize("operation", ["read", "edit", "move", "delete"])
@pytest.mark.parametrize("row", NEW_FILES, ids=lambda row: row[-1])
def test_the_only_new_file_of_a_name_that_git_has_is_named(repo, tmp_path, row, operation):
    made, words, meant, _ = row
    name = "panel_of_users.ts"
    (repo / "src/api" / name).unlink()
    write_files(repo, {path.format(name): "edited\n" + LONG for path in made})
    run_git(repo, *words) if words else None
    found = project(repo, tmp_path).resolve(f"src/api/{name}", operation)

    named = [meant.format(name)] if meant else []
    assert [each.path for each in found.candidates] == named, found
    assert (found.note, found.permits, found.path) == (KEPT, "named", None)


def test_a_dangling_link_of_git_has_not_moved(repo, tmp_path):
    (repo / "docs/current").symlink_to("nowhere")
    commit_all(repo)
    for below in ("docs/current/x.md", "docs/current/deep/x.md"):
        assert project(repo, tmp_path).resolve(below).note == ""


def test_the_text_to_be_replaced_tells_a_file_from_one_that_ends_as_written(repo, tmp_path):
    write_files(repo, {"pkg/a/docs/guide.md": "another\n" + LONG})
    commit_all(repo)
    space = project(repo, tmp_path)

    for texts, path in ((("guide\n" + LONG,), "docs/guide.md"), ((LONG,), None), ((), None)):
        assert space.resolve("a/docs/guide.md", "edit", texts=texts).path == path
    assert space.resolve("a/docs/guide.md", "edit", texts=("another\n" + LONG,)).path is None
