"""`truepath doctor`: what it finds well, and the fix for what it does not."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from commandline import ran

from truepath.config.user_dirs import state_folder
from truepath.hook.command import script_path
from truepath.hosts.claude_code import host as claude_code
from truepath.install import health
from truepath.install.programs import Program, files_in
from truepath.install.trust import switches, untrusted_by_codex
from truepath.journal.event import Event
from truepath.journal.journal import JsonlSink, journal_path


@pytest.fixture
def project(make_repo, monkeypatch, tmp_path):
    """Stand in a project; of all agent programs none is on the search path."""
    monkeypatch.setattr(health, "TIMES", 1)
    repo = make_repo({"docs/status.md": "all green\n"})
    monkeypatch.chdir(repo)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "git", "cat"):
        os.symlink(shutil.which(name), tools / name)
    monkeypatch.setenv("PATH", str(tools))
    return repo


@pytest.fixture
def settings(isolated, project, capsys):
    assert ran(capsys, "install", "claude-code").code == 0
    return isolated / ".claude/settings.json"


def program(tmp_path, name, said):
    file = tmp_path / "tools" / name
    file.write_text(f"#!/bin/sh\necho '{said}'\n")
    file.chmod(0o755)


def diagnosed(capsys, *args):
    """Return the exit code and the findings by check; each fault has a fix of one line."""
    done = ran(capsys, "doctor", "--json", *args)
    [told] = done.objects
    faults = [each for each in told["findings"] if each["level"] == "fault"]
    assert told["well"] == (not faults) == (done.code == 0)
    assert all(each["fix"] and "\n" not in each["fix"] for each in faults)
    return {each["check"]: each for each in told["findings"]}, [each["check"] for each in faults]


def test_all_is_well_after_an_installation(settings, tmp_path, capsys):
    program(tmp_path, "claude", "2.1.330 (Claude Code)")
    JsonlSink(journal_path(state_folder(os.environ)))(
        Event(event="path.corrected", time=0.0, host="claude-code")
    )
    checks, faults = diagnosed(capsys)
    assert faults == []
    assert checks["version"]["text"].startswith("2.1.330 (")
    assert checks["settings"]["text"] == str(settings)
    assert os.path.isabs(checks["client"]["text"])
    assert "ms a call, the median of 1" in checks["hook"]["text"]
    assert checks["last event"]["text"].endswith("days ago: path.corrected")
    assert checks["state folder"]["level"] == "ok"


def test_a_person_gets_lines_with_the_fix_below_the_fault(settings, capsys, monkeypatch):
    monkeypatch.setenv("TRUEPATH", "0")
    done = ran(capsys, "doctor")
    assert done.code == 1
    assert "  fault  switch        off, by TRUEPATH=0\n" in done.out
    assert "-> unset TRUEPATH\n" in done.out
    assert "\nClaude Code\n" in done.out


def test_without_an_installation_it_says_how(project, capsys):
    checks, faults = diagnosed(capsys)
    assert faults == ["hooks"]
    assert checks["hooks"]["fix"].startswith("truepath install HOST (one of ")
    checks, _ = diagnosed(capsys, "codex")
    assert checks["hooks"]["fix"] == "truepath install codex"


@pytest.mark.parametrize("name", ["claude-code", "gemini"])
def test_a_plugin_is_an_installation_too(name, isolated, project, tmp_path, capsys):
    (isolated / ".claude").mkdir()
    enabled = '{"enabledPlugins": {"truepath@truepath": true}}'
    (isolated / ".claude/settings.json").write_text(enabled)
    (isolated / ".gemini/extensions/truepath").mkdir(parents=True)
    checks, faults = diagnosed(capsys, name)
    assert faults == ["client"]
    assert "truepath-hook, which is not on the search path" in checks["client"]["text"]
    client = tmp_path / "tools/truepath-hook"
    client.write_text(f"#!/bin/sh\nexec '{sys.executable}' -I -S '{script_path()}' \"$1\"\n")
    client.chmod(0o755)
    checks, faults = diagnosed(capsys, name)
    assert (faults, checks["client"]["text"]) == ([], str(client))
    assert "a plugin: " in checks["settings"]["text"]
    assert "ms a call" in checks["hook"]["text"]


def test_only_the_host_that_is_asked_about_is_looked_at(settings, capsys):
    assert diagnosed(capsys, "codex")[1] == ["hooks"]
    assert diagnosed(capsys, "claude-code")[1] == []


def test_every_fault_is_found(settings, isolated, project, tmp_path, capsys, monkeypatch):
    good = settings.read_text()

    def found(text=good):
        settings.write_text(text)
        return diagnosed(capsys)[1]

    assert found() == []
    program(tmp_path, "claude", "2.1.100")
    assert found() == ["version"]
    (tmp_path / "tools/claude").unlink()
    assert found(good.replace(sys.executable, "/gone/python")) == ["settings", "client"]
    assert found(good.replace('"timeout": 10', '"timeout": 99')) == ["settings"]
    broken = tmp_path / "truepath/hook/script.py"
    broken.parent.mkdir(parents=True)
    broken.write_text("raise SystemExit(2)")
    assert found(good.replace(script_path(), str(broken))) == ["settings", "hook"]
    # What somebody has put a command of his own behind is his.
    assert found(good.replace("claude-code || true", "claude-code; exit 2")) == ["hooks"]
    assert found(good.replace("{", '{"disableAllHooks": true,', 1)) == ["trust"]
    assert found(good + "}") == ["settings"]
    JsonlSink(journal_path(state_folder(os.environ)))(
        Event(event="guard.failed", time=0.0, host="claude-code", error="ValueError at x:1")
    )
    assert found() == ["last event"]
    JsonlSink(journal_path(state_folder(os.environ)))(
        Event(event="path.refused", time=0.0, host="claude-code")
    )
    (project / ".truepath.toml").write_text("policy = 'bold'")
    assert found() == ["settings"]
    (project / ".truepath.toml").unlink()
    (project / ".claude").mkdir()
    shutil.copy(settings, project / ".claude/settings.json")
    # What names this machine's paths is not for a project's file.
    assert found() == ["settings", "rewriters"]
    shutil.rmtree(project / ".claude")
    monkeypatch.setenv("TRUEPATH_STORE", "redis:")
    assert found() == ["store"]
    monkeypatch.delenv("TRUEPATH_STORE")
    monkeypatch.setenv("TRUEPATH_STATE", str(settings))
    assert found()[0] == "state folder"


@pytest.mark.parametrize("file", ["settings.json", "settings.local.json"])
@pytest.mark.parametrize("below", ["", "pkg"])
def test_hooks_that_are_switched_off_in_other_settings_are_found(
    settings, project, capsys, monkeypatch, file, below
):
    (project / below / ".claude").mkdir(parents=True)
    (project / below / ".claude" / file).write_text('{"disableAllHooks": true}')
    monkeypatch.chdir(project / below)
    checks, faults = diagnosed(capsys)
    assert faults == ["trust"]
    assert str(project / below / ".claude" / file) in checks["trust"]["text"]


@pytest.mark.parametrize(
    ("name", "told"),
    [("claude-code", True), ("gemini", True), ("qwen", True), ("codex", False)],
)
def test_settings_of_a_project_that_do_not_reach_a_folder_below_are_told(
    project, capsys, monkeypatch, tmp_path, name, told
):
    client = Path(sys.executable).parent / "truepath-hook"
    os.symlink(client, tmp_path / "tools" / client.name)
    (project / "pkg").mkdir()
    at_root = ran(capsys, "install", name, "--project")
    here, _ = diagnosed(capsys, name)
    monkeypatch.chdir(project / "pkg")
    below = ran(capsys, "install", name, "--project")
    there, _ = diagnosed(capsys, name)
    words = f"only in sessions that begin in {project}, not in a folder below"
    assert (words in at_root.err, words in here["settings"]["text"]) == (False, False)
    assert (words in below.err, words in there["settings"]["text"]) == (told, told)


def test_another_hook_on_our_event_is_told_and_is_no_fault(settings, capsys):
    value = json.loads(settings.read_text())
    value["hooks"]["PreToolUse"].append({"hooks": [{"type": "command", "command": "guard.sh"}]})
    settings.write_text(json.dumps(value))
    checks, faults = diagnosed(capsys)
    assert faults == []
    assert "is refused with the right one" in checks["other hooks"]["text"]


def test_a_setting_of_the_project_that_is_ignored_is_told_and_is_no_fault(
    settings, project, capsys
):
    (project / ".truepath.toml").write_text('policy = "recover"')
    done = ran(capsys, "doctor")
    assert done.code == 0
    assert ".truepath.toml:1: `policy` is ignored" in done.out


def test_broken_settings_in_which_we_do_not_stand_are_not_our_matter(settings, isolated, capsys):
    (isolated / ".codex").mkdir()
    (isolated / ".codex/hooks.json").write_text("{")
    assert diagnosed(capsys)[1] == []


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ({"disableAllHooks": True}, ["disableAllHooks"]),
        ({"disableAllHooks": False, "hooksConfig": {"enabled": True}}, []),
        ({"hooksConfig": {"enabled": False}}, ["hooksConfig.enabled"]),
        ({"hooksConfig": {"disabled": ["lint", "truepath"]}}, ["hooksConfig.disabled"]),
        ({"hooksConfig": []}, []),
        (None, []),
    ],
)
def test_the_settings_that_switch_hooks_off_are_known(value, names):
    assert [*switches(value)] == names


@pytest.mark.parametrize(
    ("said", "is_older"),
    [("2.1.117", True), ("2.1.118", False), ("2.2", False), ("10.0.0", False), ("", False)],
)
def test_a_version_is_compared_by_its_numbers(said, is_older):
    assert Program("/x", said).is_older((2, 1, 118)) == is_older


def test_the_files_of_a_command_are_those_with_a_whole_path():
    [hook] = claude_code.setup("'/a b/python' -I -S /x/script.py claude-code").pieces
    [group] = hook.content["hooks"]["PreToolUse"]
    assert files_in(group["hooks"][0]["command"]) == ["/a b/python", "/x/script.py"]
    assert files_in("truepath hook codex || true") == []
    assert files_in('sh -c "\'/a b/python\' /x/script.py cursor || true"') == [
        "/a b/python", "/x/script.py",
    ]  # fmt: skip
    assert files_in("an 'open quote") == []


SERVER = """\
#!{python}
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        print(json.dumps({{"id": asked["id"], "result": {result}}}), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: a script stands for Codex")
@pytest.mark.parametrize(
    ("status", "enabled", "expected"),
    [
        ("trusted", True, []),
        ("managed", True, []),
        ("untrusted", True, ["preToolUse"]),
        ("modified", True, ["preToolUse"]),
        ("trusted", False, ["preToolUse"]),
    ],
)
def test_codex_itself_is_asked_which_hooks_it_trusts(tmp_path, status, enabled, expected):
    ours = {
        "eventName": "preToolUse",
        "command": "/x/truepath-hook codex || true",
        "trustStatus": status,
        "enabled": enabled,
    }
    others = {"eventName": "stop", "command": "mine", "trustStatus": "untrusted"}
    file = tmp_path / "codex"
    result = {"data": [{"cwd": "/", "hooks": [ours, others]}]}
    file.write_text(SERVER.format(python=sys.executable, result=result))
    file.chmod(0o755)
    assert untrusted_by_codex(str(tmp_path), {"PATH": str(tmp_path)}) == expected


@pytest.mark.parametrize("script", ["exit 1", "echo nonsense", "cat >/dev/null; echo '[]'"])
def test_a_codex_that_does_not_tell_is_unknown(tmp_path, script):
    file = tmp_path / "codex"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    environ = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    assert untrusted_by_codex(str(tmp_path), environ, timeout_s=1.0) is None
    assert untrusted_by_codex(str(tmp_path), {"PATH": "/nowhere"}) is None
