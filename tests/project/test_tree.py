"""The two projects that resolution sees, a folder on disk and names alone, tell the same."""

from __future__ import annotations

import os
import sys
import time

import pytest

from truepath import Workspace
from truepath.paths import native
from truepath.project.current_names import Limits
from truepath.project.names import Names
from truepath.project.tree import Disk, NameListTree

FILES = {"README.md": "", "src/app/main.py": "", "src/app/__init__.py": "", "docs/a b.md": ""}

posix = pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: links")


def disk(root, deny=()):
    limits = Limits(limit=1000, deadline=None, timeout_s=5.0)
    return Disk(str(root), deny=deny, limits=limits, store=None)


@pytest.fixture(params=["disk", "names"])
def tree(request, make_repo):
    if request.param == "disk":
        return disk(make_repo({**FILES, ".env": "", "private/x.py": ""}), ["private/"])
    names = Names([*FILES, ".env", "private/x.py"])
    return NameListTree(names, "/project", native(), ["private/"])


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("README.md", "file"),
        ("src/app/main.py", "file"),
        ("src", "folder"),
        ("src/app", "folder"),
        ("", "folder"),
        ("src/none", None),
        ("README.md/x", None),
    ],
)
def test_what_is_at_a_path(tree, path, kind):
    assert tree.kind(path) == kind


def test_the_names_are_those_of_its_files(tree):
    names, past = tree.search(None)
    assert set(FILES) <= set(names.files)
    assert past is None


@pytest.mark.parametrize(
    ("path", "may"),
    [("README.md", True), (".env", False), ("private/x.py", False), ("private", False)],
)
def test_what_may_be_shown(tree, path, may):
    assert tree.may_name(path) is may
    assert tree.protects(path) is path.startswith("private")


def test_folders_are_listed_without_files(tree):
    assert [name for name in tree.folders("") if name[0] != "."] == ["docs", "private", "src"]
    assert tree.folders("src") == ["app"]
    assert list(tree.folders("nothing")) == []


@pytest.mark.parametrize("below", ["README.md", "src/app/main.py", ""])
def test_an_absolute_path_is_inside_below_the_root_alone(make_repo, below):
    repo = make_repo(FILES)
    tree = disk(repo)

    assert tree.inside(f"{repo}/{below}".rstrip("/")) == below
    assert tree.inside(f"{repo}-other/{below}") is None
    assert tree.inside("/etc") is None


@posix
def test_two_dots_behind_a_link_are_where_the_disk_says(make_repo, tmp_path):
    repo = make_repo(FILES)
    (tmp_path / "elsewhere/deep").mkdir(parents=True)
    os.symlink(tmp_path / "elsewhere/deep", repo / "link")
    tree = disk(repo)

    assert tree.inside(f"{repo}/link/../x") is None
    assert tree.inside(f"{repo}/src/../README.md") == "README.md"
    assert not tree.may_name("link/x")


@posix
def test_a_link_that_leads_nowhere_is_told_from_a_file(make_repo):
    repo = make_repo(FILES)
    os.symlink("gone.md", repo / "dead.md")
    os.symlink("README.md", repo / "live.md")
    tree = disk(repo)

    assert (tree.kind("dead.md"), tree.dangles("dead.md")) == (None, True)
    assert (tree.kind("live.md"), tree.dangles("live.md")) == ("file", False)
    assert not tree.dangles("README.md")


def test_names_are_believed_for_two_seconds(make_repo, write, monkeypatch):
    """No git index changes with a file that is not tracked."""
    repo = make_repo(FILES)
    workspace, now = Workspace(repo), time.monotonic
    assert workspace.names().kind("src/new.py") is None
    write(repo, {"src/new.py": ""})
    monkeypatch.setattr(time, "monotonic", lambda: now() + 2.5)

    assert workspace.names().kind("src/new.py") == "file"


def test_names_are_not_believed_once_the_index_changes(make_repo, write, git):
    repo = make_repo(FILES)
    workspace = Workspace(repo)
    assert workspace.names().kind("src/new.py") is None
    write(repo, {"src/new.py": ""})
    git(repo, "add", "--all")

    assert workspace.names().kind("src/new.py") == "file"


@pytest.mark.parametrize(
    ("flavour", "written", "kind"),
    [
        ("posix", "readme.md", None),
        ("macos", "readme.md", "file"),
        ("windows", "SRC/App", "folder"),
        ("windows", "src/none", None),
    ],
)
def test_names_are_compared_as_their_system_does(flavour, written, kind):
    root = "C:/project" if flavour == "windows" else "/project"
    assert NameListTree(Names(FILES), root, flavour, ()).kind(written) == kind
