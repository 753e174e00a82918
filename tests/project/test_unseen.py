"""What the disk, or git, does not tell is not taken for a no."""

from __future__ import annotations

import sys

import pytest
import repos

from truepath import Guard, ToolCall, Workspace
from truepath.config.files import entry_kind
from truepath.project.disk import Disk

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes and links")

TEXT = "".join(f"line {number} of the spans\n" for number in range(9))
FILES = {
    "lib/telemetry_spans.py": TEXT,
    "locked/telemetry_spans.py": TEXT,
    "locked/deep/spans.toml": TEXT,
    "docs/status.md": TEXT,
}
LOOPS = ("round/telemetry_spans.py", "round", "turn/../round/a.py", "`round/a.py`:3")
"""Paths through a link that leads back to itself."""
LOCKED = (
    "locked/telemetry_spans.py",
    "locked/deep/telemetry_spans.py",
    "./locked/new.py",
    "`locked/telemetry_spans.py`",
    "locked/deep",
)
"""Paths below a folder that may not be searched."""
OPERATIONS = ("read", "list", "search", "edit", "write", "move", "delete", "execute")


def lets_through(repo, path):
    space = Workspace(repo, timeout_s=20)
    for operation in OPERATIONS:
        found = space.resolve(path, operation)
        assert (found.status, found.cause) == ("outside", "hidden"), operation
        assert not found.candidates
    call = ToolCall("Read", {"file_path": path}, cwd=str(repo))
    assert Guard(repo, journal=False).before(call).action == "allow"


@pytest.mark.parametrize("path", LOOPS)
def test_a_path_through_a_circle_of_links_is_let_through(path, make_repo):
    repo = make_repo(FILES)
    (repo / "round").symlink_to("turn")
    (repo / "turn").symlink_to("round")
    lets_through(repo, path)


@pytest.mark.parametrize("path", LOCKED)
def test_a_path_in_a_locked_folder_is_let_through(path, make_repo, shut):
    repo = make_repo(FILES)
    shut(repo / "locked")
    lets_through(repo, path)


@pytest.mark.parametrize(
    "path", ["", "no", "no/x", "docs/status.md/x", "a" * 300, "a\0b", "\ud800", "gone"]
)
def test_what_is_missing_is_known_to_be(path, make_repo):
    repo = make_repo(FILES)
    (repo / "gone").symlink_to("nowhere")
    assert entry_kind(f"{repo}/{path}") == (None if path else "folder")
    tree = Disk(str(repo), limit=100, timeout_s=20)
    assert not tree.is_hidden(f"{repo}/{path}")


# (the path, what git does, the answer)
IGNORED = [
    ("genapi/client_stub.py", "", True),
    ("sub/genapi/client_stub.py", "", True),
    ("src/client_stub.py", "", False),
    ("sub/src/client_stub.py", "", False),
    ("linked/genapi/client_stub.py", "", True),
    ("genapi/client_stub.py", "exit 3", None),
    ("src/client_stub.py", "exit 128", None),
    ("src/client_stub.py", "sleep 30", None),
]


@pytest.mark.parametrize(("path", "does", "ignored"), IGNORED)
def test_git_says_yes_or_no_or_nothing(
    path, does, ignored, make_repo, git_that, tmp_path
):
    repo = make_repo({"a.py": "", ".gitignore": "genapi/\n"})
    repos.start(repo / "sub", {"b.py": "", ".gitignore": "genapi/\n"})
    (repo / "linked").symlink_to("sub")
    if does:
        git_that("*check-ignore*", does)
    tree = Disk(str(repo), limit=100, timeout_s=2 if "sleep" in does else 20)
    tree.begin()
    tree.names()
    assert tree.ignores([path]) is ignored


@pytest.mark.parametrize("path", ["genapi/client_stub.py", "apis/client_stub.py"])
def test_what_may_be_ignored_is_changed_nowhere_else(path, make_repo, git_that):
    files = {"svc/genapi/client_stub.py": TEXT, "src/api/apis/client_stub.py": TEXT}
    repo = make_repo({**files, ".gitignore": "/genapi/\n"})
    space = Workspace(repo, timeout_s=20)
    tells = space.resolve(path, "edit").permits
    git_that("*check-ignore*", "exit 3")
    assert space.resolve(path, "edit").permits == "named"
    assert space.resolve(path, "read").permits != "named"
    assert tells == ("named" if path.startswith("genapi") else "corrected")


@pytest.mark.parametrize(
    "command",
    [
        "git log specs/plan_report.md",
        "git show specs/plan_report.md",
        "git checkout specs/plan_report.md",
        "git diff specs/plan_report.md docs/status.md",
        "git rev-list specs/plan_report.md",
    ],
)
def test_a_word_may_be_a_branch_if_no_time_is_left_to_ask(
    command, make_repo, git_that, tmp_path
):
    repo = make_repo({**FILES, "docs/plan_report.md": TEXT})
    git_that("*rev-parse*", f"echo >> {tmp_path}/asked")
    guard = Guard(repo, journal=False, timeout_s=0)
    assert guard.before(ToolCall("Bash", {"command": command})).action == "allow"
    assert not (tmp_path / "asked").exists(), "its time is that of the answer"
