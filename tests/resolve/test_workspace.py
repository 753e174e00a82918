"""A project as its callers see it: how a path is spelled for them, and what they may ask."""

from __future__ import annotations

import pytest

from truepath import ConfigError, Workspace

FILES = ["README.md", "src/app/main.py", "docs/guide/start.md", "empty/"]
ROOT = "/home/ada/shop"


@pytest.fixture
def workspace():
    return Workspace.from_names(FILES, root=ROOT)


@pytest.mark.parametrize(
    ("path", "written", "cwd", "spelled"),
    [
        ("src/app/main.py", "app/main.py", None, "src/app/main.py"),
        ("src/app/main.py", "main.py", "src", "app/main.py"),
        ("src/app/main.py", "main.py", "docs", f"{ROOT}/src/app/main.py"),
        ("src/app/main.py", "/workspace/main.py", None, f"{ROOT}/src/app/main.py"),
        ("src/app/main.py", "~/main.py", None, f"{ROOT}/src/app/main.py"),
        ("src/app/main.py", "$HOME/main.py", "src", f"{ROOT}/src/app/main.py"),
        ("src/app", "app/", None, "src/app/"),
        ("src/app/main.py", "main.py/", None, "src/app/main.py"),
        ("src", "sources", "src", "."),
        ("README.md", "`readme`", "", "README.md"),
    ],
)
def test_a_path_is_spelled_as_the_other_was_written(workspace, path, written, cwd, spelled):
    assert workspace.spell(path, written, cwd=cwd) == spelled


def test_a_spelled_path_leads_to_its_file(workspace):
    for cwd in (None, "src", "src/app", "docs/guide", "/elsewhere"):
        for path in ("README.md", "src/app/main.py"):
            for written in ("x", "/x", "~/x", "a/b"):
                spelled = workspace.spell(path, written, cwd=cwd)
                assert workspace.resolve(spelled, cwd=cwd).path == path


@pytest.mark.parametrize(
    "wrong",
    [
        {"operation": "look"},
        {"kind": "link"},
        {"threshold": 1.5},
        {"threshold": -0.1},
        {"threshold": float("nan")},
    ],
)
def test_a_question_that_cannot_be_asked_is_an_error_of_its_caller(workspace, wrong):
    with pytest.raises(ConfigError):
        workspace.resolve("README.md", **wrong)


def test_it_tells_what_is_there(workspace):
    assert workspace.kind("src/app") == "folder"
    assert workspace.kind("empty") == "folder"
    assert workspace.kind("src/app/main.py") == "file"
    assert workspace.kind("src/app/none.py") is None
    assert workspace.children("") == ["README.md", "docs/", "empty/", "src/"]
    assert workspace.children("docs") == ["guide/"]


def test_a_file_that_git_lists_and_that_is_gone_is_no_child(make_repo):
    repo = make_repo({"src/a.py": "", "src/b.py": ""})
    (repo / "src/b.py").unlink()

    assert Workspace(repo).children("src") == ["a.py"]


def test_what_is_denied_or_secret_may_not_be_named():
    workspace = Workspace.from_names([*FILES, ".env", "private/a.py"], deny=["private/"])

    assert not workspace.may_name(".env")
    assert not workspace.may_name("private/a.py")
    assert workspace.may_name("README.md")
    assert workspace.protects("private/a.py")
    assert not workspace.protects(".env")
