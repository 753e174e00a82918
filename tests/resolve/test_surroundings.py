from __future__ import annotations

import pytest

from truepath import Workspace
from truepath.resolve.nearby import first_missing_folder, nearest

NAMES = [
    "README.md",
    "app/main.py",
    "app/models/invoice.py",
    "app/models/user.py",
    "app/models/user_profile.py",
    "config/.env",
    "config/default.json",
    "internal/plans/q3.md",
]


@pytest.fixture
def workspace() -> Workspace:
    return Workspace.from_names(NAMES, root="/work/shop", deny=["internal/"])


@pytest.mark.parametrize(
    ("target", "folder", "first"),
    [
        ("app/models/usr.py", "app/models", "user.py"),
        ("app/models/user-profile.py", "app/models", "user_profile.py"),
        ("app/modles/user.py", "app", "models/"),
        ("app/deep/er/still/x.py", "app", None),
        ("readme.md", "", "README.md"),
        ("ap/models/user.py", "", "app/"),
        ("app/main.py/x", "app", "main.py"),
    ],
)
def test_the_nearest_folder_lists_the_likest_name_first(workspace, target, folder, first):
    where, entries = nearest(workspace, target)

    assert where == folder
    if first:
        assert entries[0] == first


def test_a_folder_is_the_nearest_to_itself(workspace):
    assert nearest(workspace, "app/models")[0] == "app/models"
    assert nearest(workspace, "internal/plans")[1] == []


def test_all_entries_of_the_folder_are_there_once(workspace):
    _, entries = nearest(workspace, "app/models/x.py")

    assert sorted(entries) == ["invoice.py", "user.py", "user_profile.py"]


def test_secrets_and_what_is_denied_are_not_listed(workspace):
    assert nearest(workspace, "config/x") == ("config", ["default.json"])
    assert "internal/" not in nearest(workspace, "x")[1]
    assert nearest(workspace, "internal/plans/x")[1] == []


@pytest.mark.parametrize("target", ["/etc/hosts", "../other/x.py", "C:/x/y.py", "/", ".."])
def test_nothing_is_listed_outside_the_project(workspace, target):
    assert nearest(workspace, target) == ("", [])
    assert first_missing_folder(workspace, target) == ""


def test_ignored_files_are_not_listed(make_repo):
    repo = make_repo(
        {".gitignore": "build/\n*.log\n", "src/a.py": "", "src/a.log": "", "build/out.js": ""}
    )
    workspace = Workspace(repo)

    assert nearest(workspace, "src/b.py") == ("src", ["a.py"])
    assert "build/" not in nearest(workspace, "x")[1]


@pytest.mark.parametrize(
    ("target", "folder"),
    [
        ("app/models/x.py", ""),
        ("x.py", ""),
        ("app/views/x.py", "app/views"),
        ("lib/a/b/x.py", "lib"),
        ("app/models/a/b/x.py", "app/models/a"),
    ],
)
def test_the_outermost_folder_that_is_not_there_was_invented(workspace, target, folder):
    assert first_missing_folder(workspace, target) == folder
