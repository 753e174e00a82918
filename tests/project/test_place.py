"""A repository is where git says, and has checked out what git says."""

from __future__ import annotations

import os
import pathlib
import subprocess
from collections.abc import Callable

import pytest

from truepath.project.history.repository import Place, locate

LONG = 8.0

Run = Callable[..., str]


def told_by_git(root: pathlib.Path) -> tuple[str, str, str, str, bool] | None:
    """Return what git says of the repository around a folder; None where there is none."""
    ask = ("--show-toplevel", "--show-prefix", "--git-common-dir", "--is-shallow-repository")
    done = subprocess.run(
        ["git", "-C", root, "rev-parse", *ask, "HEAD"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        return None
    top, prefix, common, shallow, head = done.stdout.splitlines()
    return top, prefix, os.path.realpath(root / common), head, shallow == "true"


def told(place: Place | None) -> tuple[str, str, str, str, bool] | None:
    return place and (place.top, place.prefix, place.common, place.head, place.doubtful)


def plain(repo: pathlib.Path, git: Run) -> pathlib.Path:
    return repo


def packed(repo: pathlib.Path, git: Run) -> pathlib.Path:
    git(repo, "branch", "not-main")
    git(repo, "pack-refs", "--all", "--prune")
    assert not (repo / ".git/refs/heads/main").exists()
    return repo


def packed_and_moved_on(repo: pathlib.Path, git: Run) -> pathlib.Path:
    packed(repo, git)
    git(repo, "commit", "--quiet", "--allow-empty", "--message", "more")
    return repo


def detached(repo: pathlib.Path, git: Run) -> pathlib.Path:
    git(repo, "checkout", "--quiet", "--detach")
    return repo


def on_a_branch_with_folders(repo: pathlib.Path, git: Run) -> pathlib.Path:
    git(repo, "checkout", "--quiet", "-b", "team/topic/one")
    return repo


def where_head_names_no_branch(repo: pathlib.Path, git: Run) -> pathlib.Path:
    git(repo, "update-ref", "refs/tags/v1", "HEAD")
    (repo / ".git/HEAD").write_text("ref: refs/tags/v1\n")
    return repo


def where_a_branch_names_another(repo: pathlib.Path, git: Run) -> pathlib.Path:
    git(repo, "branch", "other")
    (repo / ".git/refs/heads/main").write_text("ref: refs/heads/other\n")
    return repo


def before_the_first_commit(repo: pathlib.Path, git: Run) -> pathlib.Path:
    git(repo, "checkout", "--quiet", "--orphan", "new")
    return repo


def linked(repo: pathlib.Path, git: Run) -> pathlib.Path:
    git(repo, "worktree", "add", "--quiet", "-b", "topic", "../linked")
    git(repo, "commit", "--quiet", "--allow-empty", "--message", "more")
    return repo.parent / "linked"


def below_the_top(repo: pathlib.Path, git: Run) -> pathlib.Path:
    return repo / "lib"


def a_submodule(repo: pathlib.Path, git: Run) -> pathlib.Path:
    add = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add")
    git(repo, *add, f"{repo}", "part")
    return repo / "part"


def through_a_link(repo: pathlib.Path, git: Run) -> pathlib.Path:
    link = repo.parent / "link"
    link.symlink_to(repo)
    return link


def with_files_elsewhere(repo: pathlib.Path, git: Run) -> pathlib.Path:
    elsewhere = repo.parent / "elsewhere"
    elsewhere.mkdir()
    git(repo, "config", "core.worktree", f"{elsewhere}")
    return repo


def with_files_elsewhere_by_another_file(repo: pathlib.Path, git: Run) -> pathlib.Path:
    (repo.parent / "elsewhere").mkdir()
    (repo / ".git/more").write_text(f'[core]\n\tworktree = "{repo.parent}/elsewhere"\n')
    git(repo, "config", "include.path", "more")
    return repo


def with_files_elsewhere_by_settings_too_long_to_read(repo: pathlib.Path, git: Run) -> pathlib.Path:
    with (repo / ".git/config").open("a") as settings:
        settings.write("# much\n" * 20_000)
    return with_files_elsewhere(repo, git)


def without_settings(repo: pathlib.Path, git: Run) -> pathlib.Path:
    (repo / ".git/config").unlink()
    return repo


def without_a_work_tree(repo: pathlib.Path, git: Run) -> pathlib.Path:
    git(repo, "config", "core.bare", "true")
    return repo


def shallow(repo: pathlib.Path, git: Run) -> pathlib.Path:
    git(repo, "commit", "--quiet", "--allow-empty", "--message", "more")
    git(repo, "clone", "--quiet", "--depth", "1", f"file://{repo}", "../shallow")
    return repo.parent / "shallow"


@pytest.mark.parametrize(
    "made",
    [
        *(plain, packed, packed_and_moved_on, detached, on_a_branch_with_folders),
        *(where_head_names_no_branch, where_a_branch_names_another, before_the_first_commit),
        *(linked, below_the_top, a_submodule, through_a_link),
        *(with_files_elsewhere, with_files_elsewhere_by_another_file),
        *(with_files_elsewhere_by_settings_too_long_to_read, without_settings),
        *(without_a_work_tree, shallow),
    ],
)
def test_a_repository_is_where_git_says(make_repo, git, made):
    root = made(make_repo({"lib/a.py": "x"}), git)
    assert told(locate(str(root), timeout=LONG)) == told_by_git(root)


@pytest.mark.parametrize("name", ["MERGE_HEAD", "CHERRY_PICK_HEAD", "BISECT_LOG"])
def test_a_branch_that_something_is_done_to_is_doubtful(make_repo, name):
    repo = make_repo({"a.py": "x"})
    assert not locate(str(repo), timeout=LONG).doubtful
    (repo / ".git" / name).write_text("x")
    assert locate(str(repo), timeout=LONG).doubtful
