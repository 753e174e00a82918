"""What hosts' own rules deny: a correction leads around none of them."""

from __future__ import annotations

import json
import os

import hooks
import pytest

from truepath.hosts import claude_code, codex
from truepath.hosts.rules import hidden_below
from truepath.journal import journal_path, read_events
from truepath.places import state_folder

ROOT = "/home/u/repo"
HOME = {"HOME": "/home/u"}


def claude(*deny, ask=()):
    settings = json.dumps({"permissions": {"deny": [*deny], "ask": [*ask], "allow": ["Bash"]}})
    return claude_code.rules({"settings.json": settings}, HOME, ROOT)


@pytest.mark.parametrize(
    ("rule", "hidden"),
    [
        ("Read(secret/**)", ("secret/**",)),
        ("Read(.env)", (".env",)),
        ("Read(./config/*.pem)", ("/config/*.pem",)),
        ("Read(/docs/**)", ("/docs/**",)),
        ("Read(//home/u/repo/docs/**)", ("/docs/**",)),
        ("Read(~/repo/docs/**)", ("/docs/**",)),
        ("Read(~/.ssh/**)", ()),
        ("Read(//home/**)", ("/**",)),
        ("Read", ()),
        ("Edit(src/**)", ()),
        ("Bash(cat:*)", ()),
        ("Read(", ()),
        (7, ()),
    ],
)
def test_what_a_rule_of_claude_code_hides(rule, hidden):
    assert claude(rule).hidden == hidden


@pytest.mark.parametrize(
    ("rule", "command", "denied"),
    [
        ("Bash(cat secret/*)", "cat secret/key.md", True),
        ("Bash(cat secret/*)", "cd x && cat secret/key.md", True),
        ("Bash(cat secret/*)", "echo $(cat secret/key.md)", True),
        ("Bash(cat secret/*)", "cat docs/key.md", False),
        ("Bash(rm:*)", "rm -r docs", True),
        ("Bash(rm:*)", "ls; rm -r docs", True),
        ("Bash(rm:*)", "cat rm.md", False),
        ("Bash", "ls", True),
        ("Read(secret/**)", "cat secret/key.md", False),
    ],
)
def test_which_commands_a_rule_of_claude_code_denies(rule, command, denied):
    for rules in (claude(rule), claude(ask=(rule,))):
        assert rules.forbids("Bash", {"command": command}) is denied
        assert not rules.forbids("Read", {"file_path": command})


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"permissions": 7}', '{"permissions": {"deny": 7}}']
)
def test_settings_that_cannot_be_read_hold_no_rule(content):
    rules = claude_code.rules({"settings.json": content}, HOME, ROOT)
    assert rules.hidden == ()
    assert not rules.forbids("Bash", {"command": "cat a"})


def test_rules_are_read_where_claude_code_keeps_them():
    files = claude_code.rule_files({"HOME": "/h", "CLAUDE_CONFIG_DIR": ""}, ROOT)
    assert "/h/.claude/settings.json" in files
    assert {f"{ROOT}/.claude/settings.json", f"{ROOT}/.claude/settings.local.json"} <= set(files)
    elsewhere = claude_code.rule_files({"HOME": "/h", "CLAUDE_CONFIG_DIR": "/c"}, ROOT)
    assert "/c/settings.json" in elsewhere


RULE = 'prefix_rule(\n    pattern=["cat", ["secret", "keys"]],\n    decision="forbidden",\n)\n'


@pytest.mark.parametrize(
    ("content", "command", "denied"),
    [
        (RULE, "cat secret", True),
        (RULE, "cat 'keys' x", True),
        (RULE, "ls && cat secret", True),
        (RULE, "cat docs", False),
        (RULE, "cat", False),
        (RULE, "cat 'secret", True),
        (RULE.replace("forbidden", "prompt"), "cat secret", True),
        (RULE.replace("forbidden", "allow"), "cat secret", False),
        ("# nothing\n", "cat 'secret", False),
        ("prefix_rule(", "ls", True),
        ("prefix_rule(pattern=words)", "ls", True),
    ],
)
def test_which_commands_a_rule_of_codex_denies(content, command, denied):
    rules = codex.rules({"default.rules": content}, HOME, ROOT)
    assert rules.forbids("Bash", {"command": command}) is denied
    assert not rules.forbids("apply_patch", {"command": command})
    assert rules.hidden == ()


@pytest.mark.parametrize(
    ("pattern", "below"),
    [
        ("/home/u/repo/a/**", "/a/**"),
        ("/home/u/repo", "/**"),
        ("/home/u/**", "/**"),
        ("/home/u", "/**"),
        ("/home/u/other/**", None),
        ("/home/u/repository/**", None),
    ],
)
def test_a_pattern_for_absolute_paths_is_taken_below_the_project(pattern, below):
    assert hidden_below(ROOT, pattern) == below
    assert hidden_below(ROOT + "/", pattern) == below


@pytest.fixture
def repo(tmp_path):
    return hooks.make_project(tmp_path / "repo")


def settings(folder, rule):
    (folder / ".claude").mkdir()
    (folder / ".claude/settings.json").write_text(json.dumps({"permissions": {"deny": [rule]}}))


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


@pytest.mark.parametrize("rule", ["Bash(cat specs/*)", "Bash(cat docs/*)", "Bash(cat:*)"])
def test_a_command_that_a_rule_denies_as_written_or_as_corrected_is_left_alone(repo, rule):
    settings(repo, rule)
    assert hooks.answer(bash(repo)) is None
    assert "updatedInput" in hooks.answer(hooks.event(repo))
    # Nor is it told of as corrected, and the failure that follows is the first word of it.
    kinds = [each.event for each in read_events(journal_path(state_folder(os.environ)))]
    assert kinds == ["path.corrected"]
    failed = {"error": "Exit code 1\ncat: specs/status.md: No such file or directory"}
    event = {**bash(repo), "hook_event_name": "PostToolUseFailure", **failed}
    assert "PATH_NOT_FOUND" in str(hooks.answer(event))
