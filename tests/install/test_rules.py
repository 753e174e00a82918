"""Rules and switches of a host that keep truepath silent, named with their file."""

from __future__ import annotations

import json

import pytest
from commandline import ran

from truepath.hosts.claude_code import ClaudeCode

CLAUDE, GEMINI = ".claude/settings.json", ".gemini/settings.json"


def permissions(**rules):
    return json.dumps({"permissions": rules})


NAMED = [
    ("a path rule for all", CLAUDE, permissions(deny=["Read(src/**)", "Read(**)"]),
     "`deny: Read(**)` in FILE hides every path here, so truepath says nothing"),
    ("from the disk's root", CLAUDE, permissions(deny=["Read(//**)"]),
     "`deny: Read(//**)` in FILE hides every path here"),
    ("a question about all", CLAUDE, permissions(ask=["Read(./**)"]),
     "`ask: Read(./**)` in FILE is about every path, so wrong ones are left to Claude"),
    ("edits", CLAUDE, permissions(ask=["Edit(**)"]),
     "`ask: Edit(**)` in FILE is about every file, so what changes one is left to"),
    ("all commands", CLAUDE, permissions(deny=["Bash(**)"]),
     "`deny: Bash(**)` in FILE is about every call of Bash, so these are left alone"),
    ("a list of what is ignored", ".geminiignore", "# mine\n*\n",
     "`*` in FILE hides every path here"),
    ("a policy that is not understood", ".gemini/policies/a.toml", "[[rule",
     "a rule in FILE is about every call of read_file, write_file, "),
    ("rules that are not understood", ".codex/rules/a.rules", "prefix_rule(",
     "a rule in FILE is about every call of Bash, so these are left alone"),
]  # fmt: skip
"""(what, a file of the project, its text, what is said)"""

LEFT_ALONE = [
    ("the read tool is taken away", CLAUDE, permissions(deny=["Read", "Edit(*)"])),
    ("each read is asked about", CLAUDE, permissions(ask=["Read(*)", "Edit"])),
    ("the shell is taken away", CLAUDE, permissions(deny=["Bash(*)"])),
    ("some paths", CLAUDE, permissions(deny=["Read(docs/**)", "Read(*.md)"])),
    ("some commands", CLAUDE, permissions(deny=["Bash(cat:*)"], ask=["Bash(git *)"])),
    ("what is allowed", CLAUDE, permissions(allow=["Read(**)", "Bash(**)"])),
    ("some of the ignored", ".geminiignore", "*.md\n!docs\n"),
    ("no rules", ".codex/rules/a.rules", ""),
]
"""(what, a file of the project, its text)"""

HOSTS = {".claude": "claude-code", ".gemini": "gemini", ".codex": "codex"}


def host_of(file):
    return next(host for start, host in HOSTS.items() if file.startswith(start))


@pytest.fixture
def project(make_repo, monkeypatch):
    repo = make_repo({"docs/status.md": "all green\n"})
    monkeypatch.chdir(repo)
    return repo


def put(project, file, text):
    path = project / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("what", "file", "text", "said"), NAMED, ids=[row[0] for row in NAMED]
)
def test_a_rule_for_everything_is_named_with_its_file_and_nothing_fails(
    what, file, text, said, *, project, capsys
):
    host, path = host_of(file), put(project, file, text)
    installed = ran(capsys, "install", host)
    assert installed.code == 0
    told = said.replace("FILE", path)
    [line] = [each for each in installed.err.splitlines() if told in each]
    assert line.startswith("warning: ")
    doctor = ran(capsys, "doctor", host)
    assert (doctor.code, doctor.out.count(told)) == (0, 1)


@pytest.mark.parametrize(
    ("what", "file", "text"), LEFT_ALONE, ids=[row[0] for row in LEFT_ALONE]
)
def test_no_other_rule_is_named(what, file, text, project, capsys):
    put(project, file, text)
    installed = ran(capsys, "install", host_of(file))
    assert installed.code == 0
    assert "warning" not in installed.err
    assert " rules " not in ran(capsys, "doctor", host_of(file)).out


OF_USERS = [
    ("claude-code", CLAUDE, permissions(deny=["Read(**)"])),
    ("claude-code", CLAUDE, permissions(deny=["Read(//**)"])),
    ("claude-code", CLAUDE, permissions(ask=["Read(~/**)", "Bash"])),
    ("codex", ".codex/rules/a.rules",
     'prefix_rule(pattern=["cat"], decision="forbidden")\n'),
    ("gemini", ".gemini/policies/a.toml",
     '[[rule]]\ntoolName = "read_file"\nargsPattern = "x"\ndecision = "deny"\n'),
]  # fmt: skip
"""(host, a file of the user's, its text)"""


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(("host", "file", "text"), OF_USERS)
def test_a_rule_of_the_users_own_fails_no_installation(
    host, file, text, isolated, capsys
):
    put(isolated, file, text)
    assert ran(capsys, "install", host).code == 0
    assert ran(capsys, "doctor", host).code == 0


@pytest.mark.parametrize("where", ["user", "project", "local"])
def test_a_switch_is_told_by_install_too(where, project, isolated, capsys):
    name = CLAUDE.replace("settings", "settings.local") if where == "local" else CLAUDE
    folder = isolated if where == "user" else project
    path = put(folder, name, '{"disableAllHooks": true}')
    installed = ran(capsys, "install", "claude-code")
    assert installed.code == 0
    told = f"`disableAllHooks` in {path}: Claude Code runs no hook, and so no truepath"
    assert f"warning: {told}; remove that setting" in installed.err
    doctor = ran(capsys, "doctor", "claude-code")
    assert (doctor.code, told in doctor.out) == (1, True)


@pytest.mark.parametrize("is_managed", [True, False])
def test_hooks_of_an_organisation_alone_are_a_switch_in_its_own_settings(
    is_managed, project, isolated, capsys, monkeypatch, tmp_path
):
    managed = tmp_path / "etc/managed-settings.json"
    monkeypatch.setattr(
        ClaudeCode, "RULE_FILES", ((str(managed),), *ClaudeCode.RULE_FILES[1:])
    )
    path = managed if is_managed else isolated / CLAUDE
    put(path.parent, path.name, '{"allowManagedHooksOnly": true}')
    installed = ran(capsys, "install", "claude-code")
    told = f"`allowManagedHooksOnly` in {path}: Claude Code runs no hook"
    assert (told in installed.err) is is_managed
