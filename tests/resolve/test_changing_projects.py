"""A program that runs for long, and the project changes under it: what is true is true at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time

import pytest

from truepath import Guard, ToolCall, Workspace
from truepath.resolve.nearby import nearest

FILES = {
    "README.md": "# Shop",
    "docs/status.md": "all is well",
    "docs/plan.md": "",
    "src/billing/invoice_export.py": "first",
    "src/orders/basket.py": "",
}
NAME = "invoice_export.py"


def asked(guard: Guard, path: str, tool: str = "read_file", **more: str):
    return guard.before(ToolCall(tool, {"path": path, **more}))


@pytest.fixture
def later(monkeypatch):
    """Return `later(seconds)`, after which it is so much later."""
    now = time.monotonic

    def later(seconds: float) -> None:
        monkeypatch.setattr(time, "monotonic", lambda: now() + seconds)

    return later


def shell(guard: Guard, command: str, repo) -> None:
    assert guard.before(ToolCall("bash", {"command": command})).action == "allow"
    subprocess.run(["bash", "-c", command], cwd=repo, check=True, capture_output=True)


@pytest.fixture
def repo(make_repo):
    return make_repo(FILES)


@pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: POSIX commands")
@pytest.mark.parametrize(
    "how", ["write_file", "cp", "a program"], ids=lambda how: how.replace(" ", "-")
)
def test_a_second_file_of_a_name_is_known_as_soon_as_the_agent_made_it(repo, write, how):
    guard = Guard(repo)
    assert asked(guard, NAME).action == "rewrite"

    if how == "write_file":
        assert asked(guard, f"src/orders/{NAME}", "write_file", content="").action == "allow"
        write(repo, {f"src/orders/{NAME}": ""})
    elif how == "cp":
        shell(guard, f"cp src/billing/{NAME} src/orders/{NAME}", repo)
    else:
        shell(guard, f"touch $(echo src/orders)/{NAME}", repo)

    assert asked(guard, NAME).action == "refuse"


def test_a_call_that_still_runs_is_waited_for_before_names_are_believed(repo, write, later):
    guard = Guard(repo)
    asked(guard, f"src/orders/{NAME}", "write_file", content="")
    assert asked(guard, NAME).action == "rewrite"  # beside it, and sooner
    write(repo, {f"src/orders/{NAME}": ""})
    later(0.5)

    assert asked(guard, NAME).action == "refuse"


def test_reading_makes_no_listing_older(repo):
    workspace = Workspace(repo)
    guard = Guard(repo, workspace=workspace)
    asked(guard, NAME)
    names = workspace.names()
    asked(guard, "README.md")
    asked(guard, "src", "list_directory")

    assert workspace.names() is names


def test_another_branch_is_known_at_once(repo, git, move):
    git(repo, "checkout", "--quiet", "-b", "next")
    move(repo, f"src/billing/{NAME}", f"src/orders/{NAME}")
    git(repo, "checkout", "--quiet", "main")
    guard = Guard(repo)
    assert asked(guard, NAME).arguments["path"] == f"src/billing/{NAME}"

    git(repo, "checkout", "--quiet", "next")

    assert asked(guard, NAME).arguments["path"] == f"src/orders/{NAME}"


def test_a_folder_that_becomes_a_repository_has_a_history(make_repo, write, git, commit, drop):
    repo = make_repo(FILES, git=False)
    guard = Guard(repo)
    assert asked(guard, "docs/nothing_like_it.rs").action == "refuse"

    git(repo, "init", "--quiet", "--template=")
    write(repo, {"old/pricing_table.py": "", "lib/pricing_table.py": "other"})
    commit(repo)
    drop(repo, "old/pricing_table.py")
    guard.workspace.changed()

    (resolution,) = asked(guard, "old/pricing_table.py").resolutions
    assert (resolution.status, resolution.note[:10]) == ("ambiguous", "deleted in")


def test_a_miss_while_a_repository_is_away_is_over_when_it_is_back(repo, tmp_path):
    guard = Guard(repo)
    shutil.move(repo / ".git", tmp_path / "away")
    asked(guard, NAME)
    shutil.move(tmp_path / "away", repo / ".git")
    guard.workspace.changed()

    assert asked(guard, NAME).action == "rewrite"


@pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: links need a privilege")
def test_where_the_link_of_a_root_leads_now_no_link_leads_out(make_repo, commit, tmp_path, later):
    old, new = make_repo({"lib/host_name.txt": ""}), make_repo({"lib/a.txt": ""})
    outside = tmp_path / "secret.txt"
    outside.write_text("")
    (new / "lib/host_name.txt").symlink_to(outside)
    commit(new)
    current = tmp_path / "current"
    current.symlink_to(old)
    guard = Guard(current)
    assert asked(guard, "host_name.txt").action == "rewrite"

    current.unlink()
    current.symlink_to(new)
    later(10.0)

    for path in ("host_name.txt", "lib/host_name.txt:3"):
        decision = asked(guard, path)
        assert (decision.action, decision.payload["paths"][0]["candidates"]) == ("refuse", [])


def test_a_checkout_in_whose_place_another_project_lies_is_none_anymore(repo, git, tmp_path):
    other = tmp_path / "slot"
    git(tmp_path, "clone", "--quiet", str(repo), str(other))
    guard = Guard(repo)
    edit = ToolCall("edit_file", {"path": str(other / "README.md"), "old_string": "a"})
    assert guard.before(edit).action == "advise"

    shutil.rmtree(other)
    other.mkdir()
    (other / "README.md").write_text("another project")
    git(other, "init", "--quiet", "--template=")
    git(other, "add", "--all")
    git(other, "commit", "--quiet", "--message=its first")

    assert guard.before(edit).action == "allow"


def test_a_tracked_file_that_was_removed_is_not_named_among_its_neighbours(repo):
    (repo / "docs/plan.md").unlink()
    shutil.rmtree(repo / "src")
    workspace = Workspace(repo)

    assert nearest(workspace, "docs/plan.md") == ("docs", ["status.md"])
    assert nearest(workspace, "src/a.py") == ("", ["README.md", "docs/"])
    assert "`plan.md`" not in asked(Guard(repo), "docs/plan.md").text


def test_a_root_that_is_gone_has_no_neighbours(repo):
    workspace = Workspace(repo)
    workspace.resolve("docs/nowhere.md")
    os.rename(repo, f"{repo}.away")

    assert nearest(workspace, "docs/plan.md") == ("", [])
