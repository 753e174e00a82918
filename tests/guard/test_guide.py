"""Policy `guide`: nothing is changed or refused; after the failure the agent is told to search."""

from __future__ import annotations

import hooks
import pytest

import truepath
from truepath.guard.guidance import pattern, search_steps

ERROR = "File does not exist. Note: your current working directory is /repo."
HOW = (
    "One match: read it. Several: list them and ask the user which is meant. None: ask the user. "
    "Never skip a file that was referred to without saying so."
)


@pytest.fixture
def repo(tmp_path):
    return hooks.make_project(tmp_path / "repo")


def read(path, host="claude-code"):
    return truepath.ToolCall("Read", {"file_path": path}, session="s", host=host)


@pytest.mark.parametrize(
    ("path", "search"),
    [
        ("specs/status.md", "`find . -path '*/specs/status.md'`, then `find . -name 'status.md'`."),
        ("lib/util.py", "`find . -path '*/lib/util.py'`, then `find . -name 'util.py'`."),
        ("a/b/nothing.md", "`find . -path '*/b/nothing.md'`, then `find . -name 'nothing.md'`."),
        ("nothing.md", "`find . -name 'nothing.md'`."),
    ],
    ids=["renamed", "in two folders", "nowhere", "in the root"],
)
def test_after_a_failed_read_the_agent_is_told_to_search_before_giving_up(repo, path, search):
    guard = truepath.Guard(repo, policy="guide")
    before = guard.before(read(path))
    assert (before.action, before.text, before.arguments) == ("allow", "", {"file_path": path})
    after = guard.after(read(path), truepath.Outcome(error=ERROR))
    assert after.action == "advise"
    assert after.text.splitlines()[0].startswith("PATH_NOT_FOUND: ")
    assert after.text.splitlines()[-2:] == [f"Search before giving up: {search}", HOW]
    assert len(after.text) < 2000


def test_the_hook_tells_it_after_the_failure_and_nothing_on_success(repo, monkeypatch):
    monkeypatch.setenv("TRUEPATH_POLICY", "guide")
    assert hooks.answer(hooks.event(repo)) is None
    failed = hooks.event(repo, name="PostToolUseFailure", error=ERROR)
    output = hooks.answer(failed)
    assert "find . -path '*/specs/status.md'" in output["additionalContext"]
    assert set(output) == {"hookEventName", "additionalContext"}
    assert hooks.answer(hooks.event(repo, "docs/status.md")) is None


def test_what_the_host_says_itself_is_not_said_again(repo):
    guard = truepath.Guard(repo, policy="guide")
    error = f"{ERROR} Did you mean status.md?"
    assert guard.after(read("docs/status.txt"), truepath.Outcome(error=error)).text == ""


@pytest.mark.parametrize(
    ("tools", "search"),
    [
        ((), '`Glob("**/a/b.py")`, then `Glob("**/b.py")`'),
        (("list_directory", "glob"), '`glob("**/a/b.py")`, then `glob("**/b.py")`'),
        (("rg --files", "ls"), "`find . -path '*/a/b.py'`, then `find . -name 'b.py'`"),
    ],
)
def test_a_search_is_one_that_the_host_has(tools, search):
    assert search_steps("a", "b.py", tools).startswith(f"Search before giving up: {search}.\n")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("[id].tsx", "?id?.tsx"),
        ('a"b.py', "a?b.py"),
        ("a`b\n.py", "a?b?.py"),
        ("größe.md", "größe.md"),
        ("x" * 300, "x" * 120 + "*"),
    ],
)
def test_a_name_in_a_pattern_means_nothing_but_itself(name, found):
    assert pattern(name) == found
