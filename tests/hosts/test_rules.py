"""What hosts' own rules deny: a correction leads around none of them."""

from __future__ import annotations

import json
import os

import hooks
import pytest

from truepath.config.user_dirs import state_folder
from truepath.hosts.claude_code import host as claude_code
from truepath.hosts.codex import host as codex
from truepath.hosts.gemini_cli import host as gemini_cli
from truepath.hosts.qwen_code import host as qwen_code
from truepath.hosts.rules import hidden_below
from truepath.journal.journal import journal_path, read_events
from truepath.project.secrets import Deny
from truepath.types import ToolCall

ROOT = "/home/u/repo"
HOME = {"HOME": "/home/u"}


def claude(*deny, ask=()):
    settings = json.dumps({"permissions": {"deny": [*deny], "ask": [*ask], "allow": ["Bash"]}})
    return claude_code.rules({"settings.json": settings}, HOME, ROOT)


@pytest.mark.parametrize(
    ("rule", "hidden", "shown"),
    [
        ("Read(secret/**)", ("secret/a", "SECRET/a"), ("a", "x/secret/a")),
        ("Read(Secret)", ("secret/a", "x/secret/a"), ("secrets/a",)),
        ("Read(.env)", (".env", "x/.env"), (".env.md",)),
        ("Read(**/.env)", (".env", "x/.env"), (".env.md",)),
        ("Read(./config/*.pem)", ("config/a.pem",), ("x/config/a.pem", "config/a.md")),
        ("Read(./.env)", (".env",), ("x/.env",)),
        ("Read(/docs/**)", ("docs/a",), ("x/docs/a",)),
        ("Read(docs/)", ("docs/a", "x/docs/a"), ("a",)),
        ("Read(//home/u/repo/docs/**)", ("docs/a",), ("x/docs/a",)),
        ("Read(~/repo/docs/**)", ("docs/a",), ("x/docs/a",)),
        ("Read(//**/.env)", (".env", "x/.env"), ("a",)),
        ("Read(//**/docs/**)", ("docs/a", "x/docs/a"), ("a",)),
        ("Read(//home/*/repo/docs/*)", ("docs/a",), ("x/docs/a",)),
        ("Read(//home/**/docs/*)", ("docs/a", "x/docs/a"), ("a",)),
        ("Read(~/**/docs/**)", ("docs/a", "x/docs/a"), ("a",)),
        ("Read(~/.ssh/**)", (), ("a", ".ssh/a")),
        ("Read(//home/**)", ("a", "x/a"), ()),
        ("Read(//home/*)", ("a", "x/a"), ()),
        ("Read(//home/other/**)", (), ("a", "other/a")),
        ("Read", (), ("a",)),
        ("Edit(src/**)", (), ("src/a",)),
        ("Bash(cat:*)", (), ("a",)),
        ("Read(", (), ("a",)),
        ("Read(//)", ("a",), ()),
        (7, (), ("a",)),
    ],
)
def test_what_a_rule_of_claude_code_hides(rule, hidden, shown):
    denied = Deny(claude(rule).hidden)
    assert [path for path in (*hidden, *shown) if denied(path)] == [*hidden]


@pytest.mark.parametrize(
    ("start", "rule", "hidden", "shown"),
    [
        (f"{ROOT}/pkg", "Read(secret/**)", "pkg/secret/a", "secret/a"),
        (f"{ROOT}/pkg", "Read(/secret/**)", "pkg/secret/a", "secret/a"),
        (f"{ROOT}/pkg", "Read(.env)", "pkg/x/.env", ".env"),
        (f"{ROOT}/[id]", "Read(secret/**)", "[id]/secret/a", "i/secret/a"),
        ("/home/u", "Read(repo/secret/**)", "secret/a", "repo/secret/a"),
        ("/home/u", "Read(*/secret/**)", "secret/a", "x/secret/a"),
        ("/home/u/main", "Read(secret/**)", "secret/a", "x/secret/a"),
    ],
)
def test_a_rule_counts_from_where_claude_code_was_started(start, rule, hidden, shown):
    settings = json.dumps({"permissions": {"deny": [rule]}})
    environ = {**HOME, "CLAUDE_PROJECT_DIR": start}
    denied = Deny(claude_code.rules({"settings.json": settings}, environ, ROOT).hidden)
    assert (denied(hidden), denied(shown)) == (True, False)


@pytest.mark.parametrize(
    ("rule", "command", "denied"),
    [
        ("Bash(cat secret/*)", "cat secret/key.md", True),
        ("Bash(cat secret/*)", "cd x && cat secret/key.md", True),
        ("Bash(cat secret/*)", "echo $(cat secret/key.md)", True),
        ("Bash(cat secret/*)", "cat docs/key.md", False),
        ("Bash(cat secret/*)", "timeout 5 cat secret/key.md", True),
        ("Bash(cat secret/*)", "A=1 env B=2 cat secret/key.md", True),
        ("Bash(cat secret/*)", "if true; then cat secret/key.md; fi", True),
        ("Bash(cat secret/*)", "{ cat secret/key.md; }", True),
        ("Bash(cat secret/*)", ">log cat secret/key.md", True),
        ("Bash(cat secret/*)", "cat 'secret/key.md'", True),
        ("Bash(cat secret/*)", "cat \\\n  secret/key.md", True),
        ("Bash(cat secret/*)", 'bash -c "cat secret/key.md"', True),
        ("Bash(cat secret/*)", "/bin/cat secret/key.md", True),
        ("Bash(cat secret/key.md)", "cat secret/key.md 2>/dev/null", True),
        ("Bash(cat app/[id]/*)", "cat app/[id]/key.md", True),
        ("Bash(cat app/[id]/*)", "cat app/i/key.md", False),
        ("Bash(make *)", "cd x && make", True),
        ("Bash(make *)", "cat makefile", False),
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
    ("rule", "call", "kept"),
    [
        ("Edit(specs/**)", "sed -i s/a/b/ specs/a.md", True),
        ("Edit(specs/**)", "cd specs && rm a.md", True),
        ("Edit(specs/**)", "mv a.md specs/b.md", True),
        ("Edit(specs/**)", f"rm {ROOT}/specs/a.md", True),
        ("Edit(specs/**)", "cat specs/a.md", False),
        ("Edit(specs/**)", "rm docs/a.md", False),
        ("Read(specs/**)", "cat docs/a.md", False),
    ],
)
def test_what_a_rule_on_files_lets_nobody_change_is_not_replaced(rule, call, kept):
    bash = ToolCall("Bash", {"command": call}, cwd=ROOT)
    for rules in (claude(rule), claude(ask=(rule,))):
        assert rules.keep(bash, ROOT) is kept


def test_a_file_that_a_rule_asks_about_is_named_and_not_replaced():
    rules = claude(ask=("Read(specs/**)",))
    assert rules.hidden == ()
    assert rules.keep(ToolCall("Bash", {"command": "cat specs/a.md"}, cwd=ROOT), ROOT)
    assert rules.keep(ToolCall("Read", {"file_path": f"{ROOT}/specs/a.md"}, cwd=ROOT), ROOT)
    assert not rules.keep(ToolCall("Read", {"file_path": "docs/a.md"}, cwd=ROOT), ROOT)


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
    assert "/etc/claude-code/managed-settings.d/*.json" in files


@pytest.mark.parametrize(
    ("host", "variable", "file"),
    [
        (claude_code, "CLAUDE_PROJECT_DIR", ".claude/settings.json"),
        (claude_code, "CLAUDE_PROJECT_DIR", ".claude/settings.local.json"),
        (codex, "PWD", ".codex/rules/*.rules"),
        (gemini_cli, "GEMINI_PROJECT_DIR", ".geminiignore"),
        (qwen_code, "QWEN_PROJECT_DIR", ".qwen/settings.json"),
        (qwen_code, "QWEN_PROJECT_DIR", ".qwenignore"),
    ],
)
def test_rules_are_read_where_the_agent_was_started_and_above(host, variable, file):
    below = host.rule_files({**HOME, variable: f"{ROOT}/pkg/one"}, ROOT)
    assert {f"{ROOT}{part}/{file}" for part in ("", "/pkg", "/pkg/one")} <= set(below)
    elsewhere = host.rule_files({**HOME, variable: "/home/u/main"}, ROOT)
    assert {f"{ROOT}/{file}", f"/home/u/main/{file}"} <= set(elsewhere)
    assert f"{ROOT}/{file}" in host.rule_files({**HOME, variable: "relative"}, ROOT)


def test_rules_are_read_where_codex_keeps_them():
    files = codex.rule_files({**HOME, "PWD": ROOT}, ROOT)
    folders = ("/etc/codex", "/home/u/.codex", f"{ROOT}/.codex")
    assert {f"{folder}/rules/*.rules" for folder in folders} == set(files)
    assert "/c/rules/*.rules" in codex.rule_files({**HOME, "CODEX_HOME": "/c"}, ROOT)


RULE = 'prefix_rule(\n    pattern=["cat", ["secret", "keys"]],\n    decision="forbidden",\n)\n'


@pytest.mark.parametrize(
    ("content", "command", "denied"),
    [
        (RULE, "cat secret", True),
        (RULE, "cat 'keys' x", True),
        (RULE, "ls && cat secret", True),
        (RULE, "/bin/cat secret", True),
        (RULE.replace("secret", "a b"), "ls && cat 'a b'", True),
        (RULE, "echo 'a; b' && cat secret", True),
        (RULE, "echo 'a; b'", False),
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
        ("/home/u/repo/a/**", ("/a/**",)),
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


def test_the_rules_of_a_folder_that_the_agent_was_started_in_hold(repo, monkeypatch):
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(repo / "pkg"))
    (repo / "pkg").mkdir(exist_ok=True)
    settings(repo / "pkg", "Bash(cat ../specs/*)")
    command = {"command": "cat ../specs/status.md"}
    event = hooks.event(repo / "pkg", tool="Bash", tool_input=command)
    assert hooks.answer(event) is None


def test_rules_of_the_user_in_the_main_work_tree_hold_in_a_linked_one(repo, git, tmp_path):
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))
    assert "updatedInput" in hooks.answer(bash(tmp_path / "linked"))
    (repo / ".claude").mkdir()
    rules = {"permissions": {"deny": ["Bash(cat specs/*)"]}}
    (repo / ".claude/settings.local.json").write_text(json.dumps(rules))
    assert hooks.answer(bash(tmp_path / "linked")) is None


@pytest.mark.parametrize("folder", ["specs", "docs"])
@pytest.mark.parametrize("tool", ["Edit", "Bash"])
def test_no_call_changes_what_a_rule_keeps_as_it_was_written_or_as_corrected(repo, folder, tool):
    edit = {"file_path": str(repo / "specs/status.md"), "old_string": "all", "new_string": "x"}
    changing = edit if tool == "Edit" else {"command": "sed -i s/a/b/ specs/status.md"}
    event = hooks.event(repo, tool=tool, tool_input=changing)
    assert "updatedInput" in hooks.answer(event)
    settings(repo, f"Edit({folder}/**)")
    assert hooks.answer(event) is None
    assert "updatedInput" in hooks.answer(hooks.event(repo))  # which only looks
