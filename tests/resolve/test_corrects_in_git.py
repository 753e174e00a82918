"""Wrong paths that names alone leave open, and that a history without them settles."""

from __future__ import annotations

import os
import shutil

import pytest
from tables import trees

from truepath import Guard, ToolCall, Workspace

TIMEOUT_S = 10.0
"""Seconds; what is tested is what the history says, not how soon."""


@pytest.fixture
def project(make_repo):
    """Return `project(tree, added, without)`: a repository of that tree, in one commit."""

    def make(tree, *added, without=()):
        names = {*trees()[tree]} - {*without} | {*added}
        return make_repo({name: f"{name}\n" for name in names})

    return make


TEST = "test_cache_simple.py"
INVENTED = f"backend/tests/coverage_improvement/manual/services/{TEST}"
OWN_PLACE = f"backend/tests/unit/services/{TEST}"

PLACES = [
    "backend/tests/unit/services",
    "backend/tests/manual/services",
    "backend/tests/coverage_improvement",
    "backend/tests/coverage_improvement/services",
    "tests/backend/coverage_improvement/manual/services",
]


@pytest.mark.parametrize("place", PLACES)
def test_a_test_below_invented_folders_is_found_where_it_is(project, place):
    repo = project("service", f"{place}/{TEST}", without=[OWN_PLACE])
    guard = Guard(repo, timeout_s=TIMEOUT_S)

    decision = guard.before(ToolCall("read_file", {"path": INVENTED, "limit": 5}))

    assert decision.action == "rewrite", decision.text
    assert decision.arguments == {"path": f"{place}/{TEST}", "limit": 5}


FARTHER = [
    "backend/tests",
    "backend/tests/unit",
    "backend/app/services",
    "backend",
    "tests/unit",
    "tests/services",
    "tests/unit/services",
    "tests/backend/services",
]


@pytest.mark.parametrize("place", FARTHER)
def test_where_fewer_folders_agree_it_is_named_first(project, place):
    repo = project("service", f"{place}/{TEST}", without=[OWN_PLACE])

    resolution = Workspace(repo, timeout_s=TIMEOUT_S).resolve(INVENTED)

    assert resolution.status in ("resolved", "likely", "ambiguous")
    assert resolution.candidates[0].path == f"{place}/{TEST}"


CORRECTS = [
    # tree, written, operation, the right file
    (
        "indexer",
        "core/git_indexer/fix_events.py",
        "read",
        "core/ingestion/git_indexer/fix_events.py",
    ),
    ("indexer", "core/graph/comunities.py", "read", "core/graph/communities.py"),
    ("cpp", "src/write_ahead_log.cc", "read", "src/storage/write_ahead_log.cc"),
    ("go", "internal/httpapi/roter.go", "read", "internal/httpapi/router.go"),
    ("go", "internal/store/session_reopsitory.go", "read", "internal/store/session_repository.go"),
    ("go", "internal/stroe/session_repository.go", "edit", "internal/store/session_repository.go"),
    ("service", "seed_database.py", "read", "scripts/seed_database.py"),
    ("service", TEST, "read", OWN_PLACE),
    ("service", "backend/app/confg.py", "read", "backend/app/config.py"),
    (
        "service",
        "backend/app/services/notifcations.py",
        "read",
        "backend/app/services/notifications.py",
    ),
    (
        "django",
        "catalog/management/commands/search/rebuild_search_index.py",
        "read",
        "catalog/management/commands/rebuild_search_index.py",
    ),
]


IDS = [f"{operation}-{written}" for _, written, operation, _ in CORRECTS]


@pytest.mark.parametrize("case", CORRECTS, ids=IDS)
def test_a_path_that_never_was_is_taken_for_the_file_it_is_a_slip_of(project, case):
    tree, written, operation, right = case
    workspace = Workspace(project(tree), timeout_s=TIMEOUT_S)

    resolution = workspace.resolve(written, operation, kind="file")

    assert resolution.searched.history
    assert (resolution.status, resolution.path) == ("resolved", right), resolution.candidates[:2]


@pytest.mark.parametrize("case", CORRECTS[::3], ids=IDS[::3])
def test_and_not_when_that_very_path_was_deleted(project, write, commit, drop, case):
    """It was a file of its own: what is like it is another one."""
    tree, written, operation, _ = case
    repo = project(tree)
    write(repo, {written: "something else\n"})
    commit(repo)
    drop(repo, written)

    resolution = Workspace(repo, timeout_s=TIMEOUT_S).resolve(written, operation, kind="file")

    assert resolution.status != "resolved", resolution.candidates[:2]
    assert "deleted" in resolution.note


@pytest.mark.parametrize(
    ("tree", "written", "right"),
    [
        ("rust", ".github/workflows/release.yml", ".github/workflows/release.yaml"),
        ("service", "docker-compose.yaml", "docker-compose.yml"),
    ],
)
def test_the_other_spelling_of_an_extension_is_the_first_candidate(project, tree, written, right):
    resolution = Workspace(project(tree), timeout_s=TIMEOUT_S).resolve(written)

    assert resolution.status in ("resolved", "likely", "ambiguous")
    assert resolution.candidates[0].path == right


@pytest.mark.parametrize(
    ("command", "corrected"),
    [
        ("head -3 src/app/confg.py", "head -3 src/app/config.py"),
        ("cat src/app/sesion_store.py | head -3", "cat src/app/session_store.py | head -3"),
        ("mv src/apps/session_store.py x.py", "mv src/app/session_store.py x.py"),
        ("mv app/session_store.py x.py", "mv src/app/session_store.py x.py"),
        ("cp scr/app/session_store.py /tmp/", "cp src/app/session_store.py /tmp/"),
    ],
)
def test_a_slip_in_a_command_is_corrected(make_repo, command, corrected):
    repo = make_repo({f"src/app/{name}.py": f"{name}\n" for name in ("config", "session_store")})
    guard = Guard(repo, timeout_s=TIMEOUT_S)

    decision = guard.before(ToolCall("Bash", {"command": command}))

    assert (decision.action, decision.arguments) == ("rewrite", {"command": corrected})


@pytest.mark.parametrize(
    "command",
    [
        "mv src/app/sesion_store.py x.py",
        "cp src/app/sesion_store.py /tmp/",
        "chmod +x src/app/sesion_store.py",
        "sed -i s/a/b/ src/app/sesion_store.py",
        "python src/app/sesion_store.py",
        "mv src/web/session_store.py x.py",
        "bash session_store.py",
    ],
)
def test_a_letter_of_a_name_or_another_folder_is_only_named_to_what_changes(make_repo, command):
    repo = make_repo({f"src/app/{name}.py": f"{name}\n" for name in ("config", "session_store")})
    decision = Guard(repo, policy="recover", timeout_s=TIMEOUT_S).before(
        ToolCall("Bash", {"command": command})
    )

    assert (decision.action, decision.arguments) == ("refuse", {"command": command})
    assert "`src/app/session_store.py`" in decision.text


@pytest.mark.parametrize("command", ["rm app/session_store.py", "rm src/apps/session_store.py"])
def test_what_is_deleted_is_not_taken_from_another_folder(make_repo, command):
    repo = make_repo({f"src/app/{name}.py": f"{name}\n" for name in ("config", "session_store")})
    guard = Guard(repo, policy="recover", timeout_s=TIMEOUT_S)

    reads = guard.before(ToolCall("Bash", {"command": "cat app/session_store.py"}))
    changes = guard.before(ToolCall("Bash", {"command": command}))

    assert (reads.action, changes.action) == ("rewrite", "refuse")
    assert "`src/app/session_store.py`" in changes.text


REPEATED = "src/app/config.py"


@pytest.fixture
def without_history(tmp_path, monkeypatch):
    """Let git list names at once, and say what HEAD has only after a second."""
    script = tmp_path / "bin" / "git"
    script.parent.mkdir()
    late = '*" ls-tree "*) sleep 1 ;;'
    real = shutil.which("git")
    script.write_text(f'#!/bin/sh\ncase "$*" in {late} esac\nexec {real} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.parametrize(
    ("operation", "status"),
    [
        ("read", "resolved"),
        ("edit", "resolved"),
        ("copy", "resolved"),
        ("execute", "resolved"),
        ("move", "ambiguous"),
        ("delete", "ambiguous"),
    ],
)
def test_what_cannot_be_undone_waits_for_history(make_repo, without_history, operation, status):
    repo = make_repo({REPEATED: "DEBUG = True\n"})

    resolution = Workspace(repo, timeout_s=0.3).resolve(REPEATED, operation, cwd=f"{repo}/src")

    assert (resolution.status, resolution.searched.history) == (status, False)
    assert resolution.candidates[0].path == REPEATED


@pytest.mark.usefixtures("without_history")
def test_a_small_project_is_not_waited_for_longer_than_was_said(make_repo):
    repo = make_repo({"docs/status.md": "all is well\n"})

    answer = Workspace(repo, timeout_s=0.1).resolve("specs/status.md")

    assert (answer.candidates[0].path, answer.searched.history) == ("docs/status.md", False)


@pytest.mark.parametrize("operation", ["read", "move", "delete"])
def test_a_history_that_is_cut_off_does_not_speak(make_repo, git, drop, tmp_path, operation):
    origin = make_repo({"tool/loader.py": "old\n", "loader.py": "new\n"})
    drop(origin, "tool/loader.py")
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{origin}", "tool")
    workspace = Workspace(tmp_path / "tool", timeout_s=TIMEOUT_S)

    resolution = workspace.resolve("tool/loader.py", operation)

    assert resolution.searched.history is False
    assert (resolution.status == "resolved") is (operation == "read")


@pytest.mark.parametrize("operation", ["move", "delete"])
@pytest.mark.parametrize("history", ["whole", "none yet", "no repository"])
def test_and_is_done_where_history_has_spoken_or_there_is_none(make_repo, operation, history):
    git, commit = history != "no repository", history == "whole"
    repo = make_repo({REPEATED: "DEBUG = True\n"}, git=git, commit=commit)

    resolution = Workspace(repo, timeout_s=TIMEOUT_S).resolve(
        REPEATED, operation, cwd=f"{repo}/src"
    )

    assert (resolution.status, resolution.path) == ("resolved", REPEATED)
    assert resolution.searched.history is (history == "whole")


@pytest.mark.parametrize(
    ("name", "beside"),
    [
        ("notes.txt(1)", "notes.txt"),
        ("x.md#old", "x.md"),
        ("a%20b.md", "a b.md"),
        ("b.pdf:Zone.Identifier", "b.pdf"),
    ],
)
@pytest.mark.parametrize("operation", ["edit", "move", "delete"])
def test_a_name_that_looks_decorated_was_a_file_of_its_own(
    make_repo, drop, name, beside, operation
):
    repo = make_repo({name: "of its own\n", beside: "another\n"})
    drop(repo, name)

    resolution = Workspace(repo, timeout_s=TIMEOUT_S).resolve(name, operation)

    assert resolution.path is None
    assert "deleted" in resolution.note


@pytest.mark.parametrize(
    ("new", "kept", "corrected"),
    [
        ("docs/status.md", 10, ["read", "edit", "move"]),  # its name was kept
        ("docs/status.md", 6, ["read", "edit", "move"]),  # and much of it rewritten
        ("docs/state.md", 10, ["read", "edit"]),  # another name, all of it the same
        ("docs/state.md", 8, ["read"]),  # another name, and a part of it rewritten
        ("docs/state.md", 6, []),  # another name, and half of it rewritten
    ],
)
def test_how_much_a_rename_says_depends_on_what_it_kept(
    make_repo, write, commit, new, kept, corrected
):
    lines = [f"line {number} of the old text, as it was then\n" for number in range(10)]
    repo = make_repo({"specs/status.md": "".join(lines), "keep": "x"})
    (repo / "specs/status.md").unlink()
    fresh = [f"{number}: nothing of this stood there\n" for number in range(kept, 10)]
    write(repo, {new: "".join([*lines[:kept], *fresh])})
    commit(repo)
    workspace = Workspace(repo, timeout_s=TIMEOUT_S)

    asked = ("read", "edit", "move", "delete")
    answers = {each: workspace.resolve("specs/status.md", each) for each in asked}

    assert [each for each in asked if answers[each].status == "resolved"] == corrected
    assert {answer.candidates[0].path for answer in answers.values()} == {new}


def test_a_file_that_did_not_move_with_its_folder_is_not_its_namesake_there(
    make_repo, write, git, commit
):
    files = {name: f"{name} = 1\n" * 30 for name in ("api", "io", "json")}
    repo = make_repo({f"app_core/{name}.py": text for name, text in files.items()})
    git(repo, "mv", "app_core", "core")
    write(repo, {"core/json.py": "from core.codec import *\n"})
    commit(repo)
    workspace = Workspace(repo, timeout_s=TIMEOUT_S)

    moved, replaced = (workspace.resolve(f"app_core/{name}.py") for name in ("api", "json"))

    assert (moved.status, moved.path) == ("resolved", "core/api.py")
    assert (replaced.status, replaced.candidates[0].path) == ("ambiguous", "core/json.py")
