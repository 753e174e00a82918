"""What hosts' own rules deny: a correction leads around none of them. Rows are in the
samples.
"""

from __future__ import annotations

import json
import os

import hooks
import pytest
from host_samples import ROOT

from truepath.config.user_dirs import state_folder
from truepath.hosts import find
from truepath.hosts.rules import hidden_below
from truepath.journal.journal import EventReader, journal_path


@pytest.mark.parametrize(
    ("pattern", "below"),
    [
        ("/home/u/repo/a/**", ("/a/**",)),
        ("/home/u/repo/a/../b/./c/", ("/b/c/",)),
        ("/home/u/repo", ("/**",)),
        ("/home/u/**", ("/**",)),
        ("/home/u", ("/**",)),
        ("/home/u/other/**", ()),
        ("/home/u/repository/**", ()),
    ],
)
def test_a_pattern_for_absolute_paths_is_taken_below_the_project(pattern, below):
    assert hidden_below(ROOT, pattern) == below
    assert hidden_below(ROOT + "/", pattern) == below


def test_a_pattern_with_many_stars_in_a_deep_folder_is_taken_at_once():
    root = "/" + "/".join("abcdefghijklmnopqrstuvwxyz")
    below = {f"/{'**/*/' * count}a.md" for count in range(21)}
    assert {*hidden_below(root, f"/{'**/*/' * 20}a.md")} == below


def test_a_file_of_codexs_rules_that_is_nested_too_deep_may_forbid_anything():
    rules = find("codex").rules({"a.rules": "-" * 100_000 + "1"}, {}, ROOT)
    assert rules.forbids("Bash", {"command": "ls"})


@pytest.fixture
def repo(tmp_path):
    return hooks.make_project(tmp_path / "repo")


def settings(folder, rule):
    (folder / ".claude").mkdir()
    (folder / ".claude/settings.json").write_text(
        json.dumps({"permissions": {"deny": [rule]}})
    )


def bash(repo):
    return hooks.event(repo, tool="Bash", tool_input={"command": "cat specs/status.md"})


def test_without_rules_both_are_corrected(repo):
    assert "updatedInput" in hooks.answer(hooks.event(repo))
    assert "updatedInput" in hooks.answer(bash(repo))


@pytest.mark.parametrize("rule", ["Read(specs/**)", "Read(//{repo}/specs/**)"])
def test_a_path_that_a_rule_denies_is_left_alone(repo, isolated, rule):
    settings(isolated, rule.replace("/{repo}", str(repo)))
    assert hooks.answer(hooks.event(repo)) is None
    assert hooks.answer(bash(repo)) is None


def test_a_file_that_a_rule_denies_is_not_named(repo):
    settings(repo, "Read(docs/**)")
    assert "docs" not in str(hooks.answer(hooks.event(repo)))


@pytest.mark.parametrize(
    "rule", ["Bash(cat specs/*)", "Bash(cat docs/*)", "Bash(cat:*)"]
)
def test_a_command_that_a_rule_denies_as_written_or_as_corrected_is_left_alone(
    repo, rule
):
    settings(repo, rule)
    assert hooks.answer(bash(repo)) is None
    assert "updatedInput" in hooks.answer(hooks.event(repo))
    # Nor is it told of as corrected, and the failure that follows is the first word of
    # it.
    kinds = [
        each.event
        for each in EventReader(journal_path(state_folder(os.environ))).read()
    ]
    assert kinds == ["path.corrected"]
    failed = {"error": "Exit code 1\ncat: specs/status.md: No such file or directory"}
    event = {**bash(repo), "hook_event_name": "PostToolUseFailure", **failed}
    assert "PATH_NOT_FOUND" in str(hooks.answer(event))


def test_the_rules_of_a_folder_that_the_agent_was_started_in_hold(repo, monkeypatch):
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(repo / "pkg"))
    (repo / "pkg").mkdir(exist_ok=True)
    settings(repo / "pkg", "Bash(cat ../specs/*)")
    command = {"command": "cat ../specs/status.md"}
    event = hooks.event(repo / "pkg", tool="Bash", tool_input=command)
    assert hooks.answer(event) is None


def test_rules_of_the_user_in_the_main_work_tree_hold_in_a_linked_one(
    repo, git, tmp_path
):
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))
    assert "updatedInput" in hooks.answer(bash(tmp_path / "linked"))
    (repo / ".claude").mkdir()
    rules = {"permissions": {"deny": ["Bash(cat specs/*)"]}}
    (repo / ".claude/settings.local.json").write_text(json.dumps(rules))
    assert hooks.answer(bash(tmp_path / "linked")) is None


CHANGES = {
    "an edit": ("Edit", {"old_string": "all", "new_string": "x"}),
    "in a command": ("Bash", {"command": "cp specs/status.md elsewhere.kept"}),
    "by its leading folder": (
        "Bash",
        {"command": "cd specs && mv status.md elsewhere.kept"},
    ),
    "a move": ("Bash", {"command": "mv specs/status.md elsewhere.kept"}),
}


@pytest.mark.parametrize("folder", ["specs", "docs"])
@pytest.mark.parametrize("change", CHANGES)
def test_no_call_changes_what_a_rule_keeps_as_it_was_written_or_as_corrected(
    repo, folder, change
):
    tool, arguments = CHANGES[change]
    if tool == "Edit":
        arguments = {"file_path": str(repo / "specs/status.md"), **arguments}
    event = hooks.event(repo, tool=tool, tool_input=arguments)
    assert "updatedInput" in hooks.answer(event)
    settings(repo, f"Edit({folder}/**)")
    assert hooks.answer(event) is None


@pytest.mark.parametrize(
    ("rule", "quoted"),
    [
        ({"ask": ["Read(docs/**)"]}, False),
        ({"ask": ["Edit(docs/**)"]}, True),
        ({"ask": ["Read(specs/**)"]}, True),
        ({"deny": ["Read(docs/**)"]}, False),
    ],
)
def test_no_line_is_quoted_of_what_a_rule_lets_be_read_only_after_a_question(
    repo, rule, quoted
):
    page = repo / "docs/status.md"
    page.write_text("The harbour is open until nine.\n")
    (repo / ".claude").mkdir(exist_ok=True)
    (repo / ".claude/settings.local.json").write_text(json.dumps({"permissions": rule}))
    edit = {"old_string": "The harbor is open until nine.", "new_string": "x"}
    call = {
        "tool_name": "Edit",
        "tool_input": {"file_path": str(page), **edit},
        "tool_use_id": "t1",
        "tool_response": "<tool_use_error>String to replace not found in file."
        "</tool_use_error>",
    }
    event = hooks.event(repo, name="PostToolBatch", tool_calls=[call])
    assert ("harbour" in json.dumps(hooks.answer(event))) == quoted
