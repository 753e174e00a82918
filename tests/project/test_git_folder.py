"""Where a work tree begins, found by looking: what git itself would take for one, and no more."""

from __future__ import annotations

import os

import pytest

from truepath.project.git_folder import common_folder, enclosing, git_folder


@pytest.fixture
def made(tmp_path):
    """Return `made(head)`, which lays out a repository by hand and returns its work tree."""

    def make(head):
        for part in ("objects", "refs"):
            (tmp_path / "repo/.git" / part).mkdir(parents=True)
        (tmp_path / "repo/.git/HEAD").write_text(head)
        return tmp_path / "repo"

    return make


@pytest.mark.parametrize(
    ("head", "is_one"),
    [
        ("ref: refs/heads/main\n", True),
        ("ref: refs/heads/.invalid\n", True),
        ("0123456789abcdef0123456789abcdef01234567\n", True),
        ("0123456789abcdef" * 4 + "\n", True),
        ("0123456789abcdef", False),
        ("g" * 40, False),
        ("ref: elsewhere\n", False),
        ("", False),
    ],
)
def test_a_folder_is_a_work_tree_by_what_its_head_names(made, head, is_one):
    repo = made(head)

    assert git_folder(str(repo)) == (str(repo / ".git") if is_one else None)


@pytest.mark.parametrize("part", ["objects", "refs", "HEAD"])
def test_without_one_of_its_parts_it_is_none(made, part):
    repo = made("ref: refs/heads/main\n")
    os.rename(repo / ".git" / part, repo / "elsewhere")

    assert git_folder(str(repo)) is None


def test_the_nearest_one_at_or_above_a_folder_counts(make_repo):
    repo = make_repo({"src/app/a.py": "", "vendor/lib/b.py": ""})
    (repo / "vendor/lib/.git").mkdir()

    assert enclosing(str(repo / "src/app")) == str(repo)
    assert enclosing(str(repo / "vendor/lib")) == str(repo), "an empty `.git` is no repository"
    assert enclosing(str(repo)) == str(repo)
    assert enclosing(str(repo.parent)) is None


def test_linked_work_trees_share_a_folder_and_have_one_of_their_own(make_repo, git, tmp_path):
    repo, linked = make_repo({"a": ""}), tmp_path / "linked"
    git(repo, "worktree", "add", "--quiet", str(linked), "-b", "topic")

    own = git_folder(str(linked))
    assert own is not None
    assert own != git_folder(str(repo))
    assert common_folder(own) == common_folder(str(repo / ".git")) == str(repo / ".git")
