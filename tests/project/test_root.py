"""Which folder is the project, on real work trees."""

from __future__ import annotations

import os

import pytest

from truepath.project.root import find_root, main_checkout


@pytest.fixture
def repo(make_repo):
    return make_repo({"src/app/a.py": ""})


def test_the_root_is_the_work_tree_around_the_shell(repo):
    assert find_root(str(repo / "src" / "app"), str(repo / "src")) == str(repo)
    assert find_root(str(repo / "src" / "app")) == str(repo)


def test_a_shell_outside_the_project_does_not_move_the_root(repo, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert find_root(str(elsewhere), str(repo)) == str(repo)


def test_a_clone_inside_the_project_is_part_of_it_unless_the_host_says_otherwise(
    repo, git
):
    nested = repo / "vendor" / "lib"
    nested.mkdir(parents=True)
    git(nested, "init", "-q")
    assert find_root(str(nested), str(repo)) == str(repo)
    assert find_root(str(nested), str(nested)) == str(nested)


def test_a_linked_worktree_inside_the_project_is_the_root(repo, git):
    linked = repo / ".worktrees" / "topic"
    git(repo, "worktree", "add", "-q", str(linked))
    assert find_root(str(linked / "src"), str(repo)) == str(linked)


def test_without_git_the_folder_that_the_host_names_is_the_root(tmp_path):
    inner = tmp_path / "project" / "inner"
    inner.mkdir(parents=True)
    assert find_root(str(inner), str(tmp_path / "project")) == str(tmp_path / "project")
    assert find_root(str(inner)) == str(inner)


def test_an_empty_folder_called_dot_git_is_no_repository(tmp_path):
    (tmp_path / "project" / ".git").mkdir(parents=True)
    inner = tmp_path / "project" / "inner"
    inner.mkdir()
    assert find_root(str(inner), str(inner)) == str(inner)


def test_a_home_folder_kept_in_git_is_no_project(tmp_path, monkeypatch, git):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    git(tmp_path, "init", "-q")
    project = tmp_path / "project"
    project.mkdir()
    assert find_root(str(project), str(project)) == str(project)
    assert find_root(str(tmp_path)) == str(tmp_path)


@pytest.mark.parametrize(
    ("cwd", "project"),
    [
        (None, None),
        ("", ""),
        ("relative", None),
        ("/no/such/folder/here", None),
        ("/nul\0byte", None),
        ("/" + "x" * 5000, "/no/such/folder"),
    ],
)
def test_without_a_folder_that_exists_there_is_no_root(cwd, project):
    assert find_root(cwd, project) is None


def test_a_folder_that_is_gone_leaves_the_other_one(repo):
    assert find_root("/no/such/folder/here", str(repo)) == str(repo)
    assert find_root(str(repo), "/no/such/folder/here") == str(repo)


def test_a_file_is_no_folder(repo):
    assert find_root(str(repo / "src" / "app" / "a.py"), None) is None


def test_a_linked_work_tree_knows_the_one_that_it_was_made_from(
    make_repo, git, tmp_path
):
    repo = make_repo({"README.md": ""})
    linked = tmp_path / "linked"
    git(repo, "worktree", "add", "--quiet", linked)

    assert os.path.realpath(main_checkout(str(linked))) == os.path.realpath(repo)
    assert main_checkout(str(tmp_path)) == str(tmp_path)
