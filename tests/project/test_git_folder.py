"""Where a work tree begins, found by looking: what git itself would take for one, and no more."""

from __future__ import annotations

import os
import subprocess

import pytest
from rows import check_each

from truepath.project.git_folder import common_folder, enclosing, git_folder, is_checkout


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


PLACES = [
    # folder, git can read it, a checkout begins there
    ("repo", True, True),
    ("linked", True, True),
    ("repo/sub", True, True),
    ("repo/nested", True, True),
    ("repo/src", False, False),
    ("empty", False, False),
    ("half", False, True),
    ("orphan", False, True),
    ("prose", False, True),
    ("plain", False, False),
    ("bare", False, False),
    ("shortcut", True, True),
]
"""`half` has lost its objects, `orphan` is a work tree whose repository is elsewhere, as in a
container, and `prose` has a file `.git` of another kind: a project ends there all the same."""


@pytest.fixture
def places(make_repo, git, write, tmp_path):
    """Return the folder of each row."""
    top = tmp_path / "places"
    top.mkdir()
    make_repo({"src/a.py": ""}).rename(top / "repo")
    git(top, "init", "-q", "repo/nested")
    (top / "repo/.git/modules").mkdir()
    git(top, "clone", "-q", "--separate-git-dir", "repo/.git/modules/sub", "repo", "repo/sub")
    git(top / "repo", "worktree", "add", "-q", str(top / "linked"))
    git(top, "init", "-q", "--bare", "bare")
    (top / "empty/.git").mkdir(parents=True)
    write(top / "half", {".git/HEAD": "ref: refs/heads/main\n"})
    write(top / "orphan", {".git": "gitdir: /no/such/repository/.git/worktrees/orphan\n"})
    write(top / "prose", {".git": "not for git\n"})
    (top / "plain").mkdir()
    (top / "shortcut").symlink_to(top / "repo")
    return top


def test_where_a_work_tree_begins_in_every_kind_of_place(places):
    def check(row):
        place, readable, checkout = row
        folder = str(places / place)
        asked = subprocess.run(
            ["git", "-C", folder, "rev-parse", "--show-toplevel"],
            check=False,
            capture_output=True,
            text=True,
        )
        begins = asked.returncode == 0 and asked.stdout.strip() == os.path.realpath(folder)
        assert (begins, git_folder(folder) is not None) == (readable, readable)
        assert is_checkout(folder) == checkout
        # The hook's first look may take more for one, never less.
        assert checkout <= os.path.lexists(os.path.join(folder, ".git"))

    check_each(PLACES, check, lambda row: row[0])
