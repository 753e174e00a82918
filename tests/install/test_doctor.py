"""`truepath doctor`: what it finds well, and the fix for what it does not."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import disks
import pytest
from commandline import ran

from truepath import __version__
from truepath.config.user_dirs import state_folder
from truepath.hook.command import script_path
from truepath.hosts import HOSTS
from truepath.journal.event import Event
from truepath.journal.journal import JsonlSink, journal_path
from truepath.project.git import note_of_program


@pytest.fixture
def project(make_repo, monkeypatch, tmp_path):
    """Stand in a project; of all agent programs none is on the search path."""
    repo = make_repo({"docs/status.md": "all green\n"})
    monkeypatch.chdir(repo)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "git", "cat", "dirname"):
        os.symlink(shutil.which(name), tools / name)
    monkeypatch.setenv("PATH", str(tools))
    return repo


@pytest.fixture
def settings(isolated, project, capsys):
    assert ran(capsys, "install", "claude-code").code == 0
    return isolated / ".claude/settings.json"


def diagnosed(capsys, *args):
    """Return the exit code and the findings by check; each fault has a fix of one
    line.
    """
    done = ran(capsys, "doctor", "--json", *args)
    [told] = done.objects
    faults = [each for each in told["findings"] if each["level"] == "fault"]
    assert told["well"] == (not faults) == (done.code == 0)
    assert all(each["fix"] and "\n" not in each["fix"] for each in faults)
    return {each["check"]: each for each in told["findings"]}, [
        each["check"] for each in faults
    ]


def test_all_is_well_after_an_installation(settings, capsys):
    checks, faults = diagnosed(capsys)
    assert faults == []
    assert checks["hook"]["text"] == f"{settings} (Python client)"
    assert checks["state folder"]["level"] == "ok"
    assert "git" not in checks


def test_corrections_that_the_program_dropped_are_a_note(settings, capsys):
    path = Path(journal_path(state_folder(os.environ)))
    path.parent.mkdir(parents=True, exist_ok=True)
    told = [
        Event(event="path.ended", time=time.time(), host=host, end=end).to_json()
        for end, host in (
            ("dropped", "claude-code"),
            ("dropped", "codex"),
            ("dropped", "codex"),
            ("ran", "claude-code"),
        )
    ]
    path.write_text("\n".join([*told, "not an event", ""]))
    checks, faults = diagnosed(capsys, "claude-code")
    assert faults == []
    text = "1 call ran as written, though it was corrected"
    assert (checks["corrections"]["level"], checks["corrections"]["text"]) == (
        "note",
        text,
    )


@pytest.mark.parametrize("name", ["claude-code", "cline", "pi"])
@pytest.mark.parametrize("client", ["native", "Python"])
def test_it_names_the_client_that_runs(
    name, client, isolated, project, tmp_path, capsys
):
    if client == "native":
        native = tmp_path / "tools/truepath-native"
        python = shlex.join([sys.executable, "-I", "-S", script_path(), name])
        said = f"truepath-native {__version__}"
        native.write_text(
            f'#!/bin/sh\n[ "$1" = --version ] && echo {said} || exec {python}\n'
        )
        native.chmod(0o755)
    assert ran(capsys, "install", name).code == 0
    checks, faults = diagnosed(capsys)
    assert faults == []
    assert checks["hook"]["text"].endswith(f" ({client} client)")


def test_that_there_is_no_git_is_noted(settings, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "git" not in diagnosed(capsys)[0], "`install` has noted where it is"
    os.unlink(note_of_program(state_folder(os.environ)))
    checks, _ = diagnosed(capsys)
    assert checks["git"]["level"] == "note"
    assert "outside the project" in checks["git"]["text"]


def test_a_repository_in_which_git_does_not_work_is_a_fault(
    settings, capsys, make_repo, monkeypatch
):
    repo = make_repo({"README.md": ""})
    monkeypatch.chdir(repo)
    assert "git" not in diagnosed(capsys)[0]
    (repo / ".git/config").write_text("[core\n")
    git = diagnosed(capsys)[0]["git"]
    assert git["level"] == "fault"
    assert "fatal: bad config line 1" in git["text"]


@pytest.mark.root
def test_of_a_repository_of_another_user_gits_own_remedy_is_shown(
    settings, capsys, make_repo, monkeypatch
):
    repo = make_repo({"README.md": ""})
    disks.give_away(repo)
    monkeypatch.chdir(repo)
    git = diagnosed(capsys)[0]["git"]
    assert "detected dubious ownership" in git["text"]
    assert git["fix"] == f"git config --global --add safe.directory {repo}"


def test_an_event_is_written_and_read_back(settings, capsys):
    checks, faults = diagnosed(capsys)
    journal = Path(journal_path(state_folder(os.environ)))
    assert (checks["journal"]["level"], faults) == ("ok", [])
    assert b"journal.tried" in journal.read_bytes()
    journal.unlink()
    journal.mkdir()
    checks, faults = diagnosed(capsys)
    assert "could not be written and read back" in checks["journal"]["text"]
    assert faults == ["journal"]


def test_an_error_of_this_version_is_a_fault_and_an_older_one_a_note(settings, capsys):
    sink = JsonlSink(journal_path(state_folder(os.environ)))
    failed = {"event": "guard.failed", "time": time.time()}
    sink(Event(**failed, error="KeyError at old.py:1", version="0.0.1"))
    sink(Event(**failed, error="no answer within 2 s of CPU", version=__version__))
    _checks, faults = diagnosed(capsys)
    assert faults == []
    for _ in range(7):
        sink(Event(**failed, error="ValueError at policy.py:199", version=__version__))
    done = ran(capsys, "doctor", "--json")
    told = [each["text"] for each in done.objects[0]["findings"]]
    error = "ValueError at policy.py:199"
    assert f"7 calls went on unchecked: {error} (version {__version__})" in told
    assert diagnosed(capsys)[1] == ["failures"]


def test_an_event_that_is_no_json_is_no_fault_of_the_installation(settings, capsys):
    command = [sys.executable, "-m", "truepath", "hook", "claude-code"]
    done = subprocess.run(command, input=b"junk\n", capture_output=True, check=True)
    assert b"the call runs as it was" in done.stderr
    assert diagnosed(capsys)[1] == []


def test_a_person_gets_lines_with_the_fix_below_the_fault(
    settings, capsys, monkeypatch
):
    monkeypatch.setenv("TRUEPATH", "0")
    done = ran(capsys, "doctor")
    assert done.code == 1
    assert "  fault  switch        off, by TRUEPATH=0\n" in done.out
    assert "-> unset TRUEPATH\n" in done.out
    assert "\nClaude Code\n" in done.out


def test_without_an_installation_it_says_how(project, capsys):
    checks, faults = diagnosed(capsys)
    assert faults == ["hooks"]
    assert checks["hooks"]["fix"] == "truepath install HOST"
    assert f"HOST is one of {', '.join(HOSTS)}" in checks["hooks"]["text"]
    checks, _ = diagnosed(capsys, "codex")
    assert checks["hooks"]["fix"] == "truepath install codex"


def put_plugin(isolated, pytestconfig, name):
    """Put a plugin of truepath where its host has it."""
    shipped = pytestconfig.rootpath / "plugins"
    if name == "claude-code":
        folder = isolated / "plugin"
        listed = {"plugins": {"truepath@truepath": [{"installPath": str(folder)}]}}
        (isolated / ".claude/plugins").mkdir(parents=True)
        (isolated / ".claude/plugins/installed_plugins.json").write_text(
            json.dumps(listed)
        )
        shutil.copytree(shipped / "truepath", folder)
    elif name == "codex":
        cache = isolated / ".codex/plugins/cache/truepath/truepath"
        shutil.copytree(shipped / "truepath", cache / "0.2.0")
    else:
        extension = isolated / ".gemini/extensions/truepath"
        shutil.copytree(shipped / "gemini-cli", extension)


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini"])
def test_a_plugin_is_an_installation_too(
    name, isolated, project, tmp_path, capsys, pytestconfig
):
    put_plugin(isolated, pytestconfig, name)
    checks, faults = diagnosed(capsys, name)
    assert faults == ["hook"]
    assert (
        "install truepath, and put the folder of truepath-hook" in checks["hook"]["fix"]
    )
    client = tmp_path / "tools/truepath-hook"
    command = shlex.join([sys.executable, "-I", "-S", script_path()])
    client.write_text(f'#!/bin/sh\nexec {command} "$1"\n')
    client.chmod(0o755)
    checks, faults = diagnosed(capsys, name)
    file = "codex.json" if name == "codex" else "hooks.json"
    assert (faults, checks["hook"]["text"][-17:]) == ([], f"/hooks/{file}")
    done = ran(capsys, "install", name)
    assert (done.code, "first: remove that plugin" in done.err) == (2, True)


def test_a_projects_hook_without_its_client_on_the_path_needs_no_installation(
    project, tmp_path, capsys
):
    client = tmp_path / "tools/truepath-hook"
    client.write_text(
        f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {script_path()} "$1"\n'
    )
    client.chmod(0o755)
    assert ran(capsys, "install", "claude-code", "--project", str(project)).code == 0
    client.unlink()
    checks, faults = diagnosed(capsys)
    assert (faults, checks["hook"]["fix"]) == (["hook"], "put its folder on the PATH")


def test_every_fault_is_found(
    settings, isolated, project, tmp_path, capsys, monkeypatch
):
    good = settings.read_text()

    def found(text=good):
        settings.write_text(text)
        return diagnosed(capsys)[1]

    assert found() == []
    assert found(good.replace('"timeout": 10', '"timeout": 99')) == ["settings"]
    assert found(good.replace("PostToolBatch", "PostToolBatches")) == ["settings"]
    # What somebody has put a command of his own behind is his.
    assert found(good.replace("claude-code || true", "claude-code; exit 2")) == [
        "hooks"
    ]
    assert found(good.replace("{", '{"disableAllHooks": true,', 1)) == ["trust"]
    assert found(good + "}\njunk\n") == ["settings"]
    assert found() == []
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


def test_a_recorded_client_that_is_gone_is_found_and_replaced(
    project, isolated, capsys, monkeypatch, tmp_path
):
    python = tmp_path / "python"
    python.symlink_to(sys.executable)
    with monkeypatch.context() as other:
        other.setattr("sys.executable", str(python))
        assert ran(capsys, "install", "claude-code").code == 0
    python.unlink()
    checks, faults = diagnosed(capsys)
    assert faults == ["settings", "hook"]
    assert "not found" in checks["hook"]["text"]
    assert checks["hook"]["fix"] == "truepath install claude-code"
    assert ran(capsys, "install", "claude-code").code == 0
    assert diagnosed(capsys)[1] == []
    assert ran(capsys, "uninstall", "claude-code").code == 0
    assert [*isolated.iterdir()] == []


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


# As `codex features list` of 0.171.0 says: (why, the user's, the project's, whether the
# hooks run)
FEATURES = [
    ("nothing is set", "", "", True),
    ("off", "[features]\nhooks = false", "", False),
    ("off by its old name", "features.codex_hooks = false", "", False),
    ("the new name counts", "[features]\nhooks = true\ncodex_hooks = false", "", True),
    ("off in the project", "", "features = { hooks = false }", False),
    ("the project's counts", "features.hooks = false", "features.hooks = true", True),
    ("another feature", "[features]\nmemories = false", "", True),
    ("no TOML", "[features", "", True),
]


@pytest.mark.parametrize(
    ("mine", "theirs", "run"),
    [row[1:] for row in FEATURES],
    ids=[row[0] for row in FEATURES],
)
def test_a_feature_of_codex_that_is_off_is_told_by_doctor_and_install(
    mine, theirs, run, project, isolated, capsys
):
    for folder, text in ((isolated, mine), (project, theirs)):
        (folder / ".codex").mkdir()
        (folder / ".codex/config.toml").write_text(text)
    done = ran(capsys, "install", "codex")
    assert ("Codex runs no hook" in done.err) == (not run)
    _, faults = diagnosed(capsys, "codex")
    assert faults == ([] if run else ["trust"])


def test_hooks_that_a_linked_work_tree_shares_with_the_main_one_are_no_second_truepath(
    project, capsys, monkeypatch, tmp_path, git
):
    client = tmp_path / "tools/truepath-hook"
    client.symlink_to(os.path.join(os.path.dirname(sys.executable), "truepath-hook"))
    assert ran(capsys, "install", "claude-code", "--project", ".").code == 0
    git(project, "add", "-A")
    git(project, "commit", "-qm", "hooks")
    git(project, "worktree", "add", "-q", str(tmp_path / "linked"))
    monkeypatch.chdir(tmp_path / "linked")
    checks, faults = diagnosed(capsys)
    assert (faults, "rewriters" in checks) == ([], False)
    assert ran(capsys, "install", "claude-code", "--project", ".").code == 0


def test_a_setting_of_the_project_that_is_ignored_is_told_and_is_no_fault(
    settings, project, capsys
):
    (project / ".truepath.toml").write_text('policy = "recover"')
    done = ran(capsys, "doctor")
    assert done.code == 0
    assert ".truepath.toml: `policy` is ignored" in done.out


@pytest.mark.parametrize(
    ("value", "is_off"),
    [
        ({"hooksConfig": {"enabled": False}}, True),
        ({"hooksConfig": {"disabled": ["lint", "truepath"]}}, True),
        ({"hooksConfig": {"enabled": True, "disabled": ["lint"]}}, False),
        ({"hooksConfig": []}, False),
    ],
)
def test_geminis_settings_that_switch_hooks_off_are_known(
    project, isolated, capsys, value, is_off
):
    ran(capsys, "install", "gemini")
    file = isolated / ".gemini/settings.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **value}))
    assert diagnosed(capsys)[1] == (["trust"] if is_off else [])
