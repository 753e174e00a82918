"""The entrance of the room: one written path and a project of names in, one status out."""

from __future__ import annotations

import pytest

from truepath import Workspace

FILES = [
    "README.md",
    "src/app/session_store.py",
    "src/app/main.py",
    "src/lib/main.py",
    "docs/guide/start.md",
    "empty/",
]
ROOT = "/home/ada/shop"


def asked(written, operation="read", **more):
    workspace = Workspace.from_names(FILES, root=ROOT, cwd=more.pop("cwd", None))
    return workspace.resolve(written, operation, **more)


@pytest.mark.parametrize(
    ("written", "operation", "status", "path"),
    [
        ("src/app/main.py", "read", "exists", "src/app/main.py"),
        ("./src//app/../app/main.py", "read", "exists", "src/app/main.py"),
        (f"{ROOT}/README.md", "read", "exists", "README.md"),
        ("src", "list", "exists", "src"),
        ("empty", "list", "exists", "empty"),
        (".", "list", "exists", ""),
        ("app/session_store.py", "read", "resolved", "src/app/session_store.py"),
        ("src/app/sesion_store.py", "read", "resolved", "src/app/session_store.py"),
        ("`README.md`", "read", "resolved", "README.md"),
        ("main.py", "read", "ambiguous", None),
        ("src/app/payments.rs", "read", "absent", None),
        ("src", "read", "directory", None),
        ("README.md", "list", "directory", None),
        ("/etc/hosts", "read", "outside", None),
        ("../other/x.py", "read", "outside", None),
        ("", "read", "absent", None),
        ("  ", "read", "absent", None),
        ("a\0b", "read", "absent", None),
        ("x" * 5000, "read", "absent", None),
        ("src/app/new.py", "write", "absent", None),
        ("src/app/main.py", "write", "exists", "src/app/main.py"),
        ("docs", "write", "directory", None),
        ("docs/new", "mkdir", "absent", None),
    ],
)
def test_a_path_has_one_status(written, operation, status, path):
    resolution = asked(written, operation)

    assert (resolution.status, resolution.path) == (status, path)
    assert (resolution.written, resolution.operation) == (written, operation)


@pytest.mark.parametrize(
    ("written", "note"),
    [
        ("", "the path is empty"),
        ("a\0b", "the path holds a NUL byte"),
        ("x" * 5000, "the path is over 4,096 characters"),
    ],
)
def test_what_no_disk_can_hold_is_absent_for_a_reason_and_is_not_looked_for(written, note):
    resolution = asked(written)

    assert (resolution.status, resolution.note) == ("absent", note)
    assert resolution.searched.names == 0


@pytest.mark.parametrize(
    ("cwd", "written", "path"),
    [
        ("src", "app/main.py", "src/app/main.py"),
        ("src/app", "main.py", "src/app/main.py"),
        ("src/lib", "main.py", "src/lib/main.py"),
        ("src/app", "../lib/main.py", "src/lib/main.py"),
        (f"{ROOT}/docs", "guide/start.md", "docs/guide/start.md"),
    ],
)
def test_a_relative_path_begins_where_the_agent_stands(cwd, written, path):
    assert asked(written, cwd=cwd).path == path


def test_the_threshold_of_the_caller_holds():
    sure = asked("app/session_store.py")

    assert asked("app/session_store.py", threshold=1.0).status == "ambiguous"
    assert asked("main.py", threshold=0.0).status == "resolved"
    assert asked("app/session_store.py", threshold=0.0).path == sure.path


@pytest.mark.parametrize("written", ["`dist/bundle.js`", "dist/bundle.js:3", "'dist/bundle.js'"])
def test_an_ignored_file_is_not_read_in_place_of_a_decorated_path(make_repo, write, written):
    repo = make_repo({".gitignore": "dist/\n", "src/a.js": ""})
    write(repo, {"dist/bundle.js": ""})

    assert Workspace(repo).resolve(written).path is None


@pytest.mark.parametrize("operation", ["move", "delete"])
def test_what_cannot_be_undone_waits_for_history(make_repo, operation):
    """The same names, and a history that has no time to speak."""
    repo = make_repo({"src/app/session_store.py": "", "README.md": ""})
    plain = Workspace.from_names(["src/app/session_store.py", "README.md"], root=str(repo))
    written = "src/app/Session_Store.py"

    assert plain.resolve(written, operation).status == "resolved"
    assert Workspace(repo, timeout_s=0.0).resolve(written, operation).status != "resolved"
    assert Workspace(repo, timeout_s=0.0).resolve(written, "read").status == "resolved"
