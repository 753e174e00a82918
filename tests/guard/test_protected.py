"""What a rule denies is neither led around nor named."""

from __future__ import annotations

import pytest

import truepath
from truepath.config.settings import Settings


@pytest.fixture
def repo(make_repo, move):
    files = {"specs/status.md": "all green\n", "secret/plan.md": "to do\n", "pkg/one/util.py": ""}
    repo = make_repo(files)
    move(repo, "specs/status.md", "docs/status.md")
    move(repo, "secret/plan.md", "pkg/plan.md")
    return repo


def before(repo, deny, tool="Read", **arguments):
    guard = truepath.Guard(repo, settings=Settings(deny=deny))
    return guard.before(truepath.ToolCall(tool, arguments))


READS = [("Read", {"file_path": "specs/status.md"}), ("Bash", {"command": "cat specs/status.md"})]


@pytest.mark.parametrize(("tool", "arguments"), READS)
def test_without_a_rule_the_moved_file_is_read(repo, tool, arguments):
    assert before(repo, (), tool, **arguments).action == "rewrite"


@pytest.mark.parametrize(("tool", "arguments"), READS)
@pytest.mark.parametrize("deny", ["specs/", "/specs", "specs/**", "status.md"])
def test_a_path_that_a_rule_denies_is_left_to_the_rule(repo, tool, arguments, deny):
    decision = before(repo, (deny,), tool, **arguments)
    assert (decision.action, decision.text) == ("allow", "")
    assert decision.arguments == arguments


@pytest.mark.parametrize(("tool", "arguments"), READS)
@pytest.mark.parametrize("deny", ["docs/", "docs/status.md"])
def test_a_file_that_a_rule_denies_is_not_named_even_by_history(repo, tool, arguments, deny):
    decision = before(repo, (deny,), tool, **arguments)
    assert decision.action == "refuse"
    assert "docs" not in decision.text
    assert "docs" not in str(decision.payload)


def test_what_a_rule_denies_is_not_written_elsewhere(repo):
    decision = before(repo, ("secre/",), "Write", file_path="secre/plan.md", content="x")
    assert (decision.action, decision.text) == ("allow", "")


def test_of_two_paths_in_a_command_a_denied_one_stays_as_it_is(repo):
    decision = before(repo, ("secret/",), "Bash", command="cat secret/plan.md specs/status.md")
    assert "pkg/plan.md" not in str(decision)
    assert "secret/plan.md" in decision.arguments["command"]
