"""What is said of a command that ends well on a path that is nowhere: rows of
`nothing_done.jsonl`, told or left alone.
"""

from __future__ import annotations

from functools import partial

import pytest
import repos
from rows import check_each, read

from truepath import Guard, ToolCall
from truepath.guard.reading import Caller


def made(root):
    def come_and_go(name):
        repos.write_files(root, {name: f"{name}\n"})
        repos.commit_all(root)
        (root / name).unlink()
        repos.commit_all(root)

    git = partial(repos.run_git, root)
    repos.start(root, {"lib/reply.js": repos.text("reply"), ".gitignore": "build\n"})
    come_and_go("old/gone.js")
    git("checkout", "-qb", "side")
    come_and_go("side.js")
    git("checkout", "-q", "-")
    git("merge", "-q", "--no-ff", "-m", "merged", "side")
    git("branch", "-qD", "side")
    git("checkout", "-qb", "feature")
    repos.write_files(root, {"feature.js": "feature\n"})
    repos.commit_all(root)
    git("checkout", "-q", "-")
    repos.write_files(root, {"kept.js": "kept\n", "new.js": "new\n"})
    git("add", "kept.js")
    (root / "kept.js").unlink()


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Return the project of the rows; no test changes it."""
    root = tmp_path_factory.mktemp("project")
    made(root)
    return root


def decided(root, command, guard=None, **caller):
    guard = guard or Guard(root, timeout_s=300.0, caller=Caller(**caller))
    call = ToolCall("Bash", {"command": command}, session="s", cwd=str(root))
    return guard.before(call)


def test_what_was_not_done_is_told_where_nothing_else_would(root):
    def check(row):
        decision = decided(root, row["command"])
        told = [
            f"`{path}` does not exist; nothing {done}."
            for path, done in row.get("told", {}).items()
        ]
        assert decision.text == "\n".join(told)
        assert decision.action == ("advise" if told else "allow")
        assert decision.arguments == {"command": row["command"]}
        named = [path["path"] for path in (decision.payload or {"paths": []})["paths"]]
        assert named == [None] * len(told)

    check_each(read("guard/nothing_done"), check)


def test_it_is_told_once_a_session_and_never_unread(root):
    guard = Guard(root, timeout_s=300.0)
    assert decided(root, "git diff -- lib/repply.js", guard).text
    assert not decided(root, "git log -- lib/repply.js", guard).text
    assert (
        decided(root, "git log -- lib/repply.js lib/b.js", guard).text.count("`") == 2
    )
    assert not decided(root, "git diff -- lib/repply.js", notes=False).text
    for policy in ("guide", "observe"):
        guard = Guard(root, policy=policy, timeout_s=300.0)
        assert not decided(root, "git diff -- lib/repply.js", guard).text


def test_of_a_history_that_is_cut_nothing_is_told(root, tmp_path):
    repos.run_git(tmp_path, "clone", "-q", "--depth=1", f"file://{root}", "cut")
    assert not decided(tmp_path / "cut", "git log -- lib/repply.js").text
