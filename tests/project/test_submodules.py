"""A submodule that is not checked out is named, and nothing in its place."""

from __future__ import annotations

import shutil

import pytest

from truepath import Guard, ToolCall, Workspace

FILES = {"lib/engine/main.cpp": "", "docs/guide.md": "", "src/app/main.cpp": ""}


@pytest.fixture
def project(make_repo, git):
    """A repository with submodules, of which `vendor/ready` alone is checked out."""
    repo, other = make_repo(FILES), make_repo({"src/main.cpp": "", "docs/x.md": ""})
    add = ("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other))
    for module in ("vendor/engine", "vendor/gone", "top", "vendor/ready"):
        git(repo, *add, module)
    git(repo, "commit", "-qm", "modules")
    git(repo, "submodule", "deinit", "-q", "-f", "vendor/engine", "vendor/gone", "top")
    shutil.rmtree(repo / "vendor/gone")
    return repo


# (the path, the submodule, what brings it back; nothing for one that is checked out)
ASKED = [
    ("vendor/engine/src/main.cpp", "vendor/engine", "--init vendor/engine`"),
    ("vendor/engine/src", "vendor/engine", "--init vendor/engine`"),
    ("vendor/gone/docs/x.md", "vendor/gone", "--init vendor`"),
    ("top/src/main.cpp", "top", "--init top`"),
    ("`top/src/main.cpp`", "top", "--init top`"),
    ("vendor/engine/docs/guide.md", "vendor/engine", "--init vendor/engine`"),
    ("vendor/ready/src/mian.cpp", "", ""),
    ("vendor/engines/src/main.cpp", "", ""),
]


@pytest.mark.parametrize(("path", "module", "step"), ASKED)
def test_what_is_in_one_that_is_not_checked_out_is_told(path, module, step, project):
    space = Workspace(project, timeout_s=20)
    assert sorted(space.tree.missing_modules()) == [
        "top",
        "vendor/engine",
        "vendor/gone",
    ]
    for operation in ("read", "edit", "copy", "move", "execute"):
        found = space.resolve(path, operation)
        assert (found.cause == "submodule") == bool(module), operation
        assert not module or (found.candidates, found.status) == ((), "absent")
    call = ToolCall("Read", {"file_path": path}, cwd=str(project))
    text = Guard(project, journal=False).before(call).text
    assert (f"in submodule {module}, not checked out" in text) == bool(module)
    assert step in text


def test_what_is_made_in_one_is_let_through(project):
    found = Workspace(project).resolve("vendor/engine/src/new.cpp", "write")
    assert (found.status, found.cause) == ("absent", "")
