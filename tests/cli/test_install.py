"""`truepath install`, `uninstall` and `rules`, from the command line to the disk and
back.
"""

from __future__ import annotations

import json
import os
import pty
import stat
import subprocess
import sys
from contextlib import suppress

import pytest
from commandline import ran

import truepath
from truepath.config.settings import parsed
from truepath.hosts import HOSTS, find

MINE = '{\n  "model": "opus",\n  "hooks": {\n    "Stop": []\n  }\n}\n'


@pytest.fixture
def project(make_repo, monkeypatch):
    repo = make_repo({"docs/status.md": "all green\n"})
    monkeypatch.chdir(repo)
    with_client_on_the_path(monkeypatch)
    return repo


def with_client_on_the_path(monkeypatch):
    bin_folder = os.path.dirname(sys.executable)
    monkeypatch.setenv("PATH", os.pathsep.join((bin_folder, os.environ["PATH"])))


@pytest.fixture
def settings(isolated):
    folder = isolated / ".claude"
    folder.mkdir()
    file = folder / "settings.json"
    file.write_text(MINE)
    return file


def files_below(folder):
    return sorted(
        str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()
    )


def scope_of(name):
    """Return the option for settings that a host has: those of the user, where it has
    some.
    """
    return (
        []
        if any(piece.user for piece in find(name).pieces("x"))
        else ["--project", "."]
    )


@pytest.mark.parametrize("name", HOSTS)
def test_every_host_is_installed_in_one_command_and_leaves_no_trace(
    name, project, isolated, capsys
):
    before = files_below(isolated), files_below(project)
    done = ran(capsys, "install", name, *scope_of(name))
    assert done.code == 0, done.err
    assert f"installed: {find(name).TITLE} calls truepath" in done.out
    gone = ran(capsys, "uninstall", name, *scope_of(name))
    assert (gone.code, gone.err) == (0, "")
    assert (files_below(isolated), files_below(project)) == before
    assert not os.path.exists(os.path.join(os.environ["XDG_STATE_HOME"], "truepath"))


@pytest.mark.parametrize("name", HOSTS)
def test_every_host_says_what_it_would_change_in_a_project(
    name, project, isolated, capsys
):
    done = ran(capsys, "install", name, "--project", ".", "--dry-run")
    if any(piece.project for piece in find(name).pieces("x")):
        assert (done.code, f"+++ {project}" in done.out) == (0, True)
    else:
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert "leave out --project" in done.err
    assert files_below(isolated) == []


def test_what_will_change_is_shown_and_with_dry_run_nothing_more(
    project, settings, capsys
):
    done = ran(capsys, "install", "claude-code", "--dry-run")
    assert done.code == 0
    assert done.out.startswith(f"--- {settings}\n+++ {settings}\n@@ ")
    assert '+    "PreToolUse": [' in done.out
    assert "installed" not in done.out
    assert settings.read_text() == MINE


def test_settings_of_others_stay_and_come_back(project, settings, capsys):
    settings.chmod(0o600)
    assert ran(capsys, "install", "claude-code").code == 0
    text = settings.read_text()
    assert '"model": "opus",\n' in text
    assert stat.S_IMODE(settings.stat().st_mode) == 0o600
    second = ran(capsys, "install", "claude-code")
    assert (second.code, second.out.split(":")[0]) == (0, "already installed")
    assert settings.read_text() == text
    done = ran(capsys, "uninstall", "claude-code")
    assert "-    " in done.out
    assert settings.read_text() == MINE
    again = ran(capsys, "uninstall", "claude-code")
    assert (again.code, again.out) == (
        0,
        "not installed: Claude Code does not call truepath\n",
    )


def test_the_command_written_is_absolute_and_runs_from_anywhere(
    project, settings, capsys
):
    ran(capsys, "install", "claude-code")
    [hook] = json.loads(settings.read_text())["hooks"]["PreToolUse"]
    command = hook["hooks"][0]["command"]
    bare = {"PATH": "/usr/bin:/bin", "HOME": os.environ["HOME"]}
    event = json.dumps({"hook_event_name": "Stop"}).encode()
    done = subprocess.run(
        command,
        shell=True,
        input=event,
        cwd="/",
        env=bare,
        capture_output=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == (b"", b"")


def test_what_an_unknown_installation_wrote_is_named_and_stays(
    project, settings, capsys
):
    [old] = find("claude-code").pieces("/old/bin/truepath-hook claude-code")
    settings.write_text(json.dumps(old.content))
    done = ran(capsys, "install", "claude-code")
    assert (
        "warning: `/old/bin/truepath-hook claude-code || true` runs on PreToolUse"
        in done.err
    )
    assert ran(capsys, "uninstall", "claude-code").code == 0
    assert settings.read_text() == json.dumps(old.content)


def test_a_hook_that_does_not_work_is_taken_out_again(
    project, settings, capsys, monkeypatch
):
    # The interpreter that hosts would be told of is one that is gone by now.
    monkeypatch.setattr("sys.executable", "/no/such/python")
    done = ran(capsys, "install", "claude-code")
    assert done.code == 2
    assert (
        "error: the hook does not work, so nothing was changed: it is silent"
        in done.err
    )
    assert settings.read_text() == MINE
    assert not os.path.exists(os.path.join(os.environ["XDG_STATE_HOME"], "truepath"))


def test_what_a_team_commits_names_no_path_of_this_machine(project, isolated, capsys):
    done = ran(capsys, "install", "claude-code", "--project", ".")
    assert "these settings fit any machine" in done.err
    text = (project / ".claude/settings.json").read_text()
    assert "|| exit 0; truepath-hook claude-code || true" in text
    assert sys.executable not in text
    assert os.path.dirname(truepath.__file__) not in text
    assert (
        "differ from those of this version"
        not in ran(capsys, "doctor", "claude-code").out
    )


def test_where_the_client_is_missing_the_committed_command_lets_a_call_through(
    project, capsys
):
    assert ran(capsys, "install", "claude-code", "--project", ".").code == 0
    hooks = json.loads((project / ".claude/settings.json").read_text())["hooks"]
    line = hooks["PreToolUse"][0]["hooks"][0]["command"]
    env = {"PATH": "/usr/bin:/bin"}
    done = subprocess.run(["sh", "-c", line], env=env, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")


def test_a_project_is_not_set_up_with_a_client_that_is_not_on_the_path(
    project, capsys, monkeypatch
):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    done = ran(capsys, "install", "claude-code", "--project", ".")
    assert done.code == 2
    assert "truepath-hook: not found" in done.err
    assert not (project / ".claude").exists()


def test_another_project_than_the_one_around_is_set_up(project, make_repo, capsys):
    other = make_repo({"README.md": ""})
    assert ran(capsys, "install", "claude-code", "--project", str(other)).code == 0
    assert ((other / ".claude").exists(), (project / ".claude").exists()) == (
        True,
        False,
    )
    assert ran(capsys, "doctor", "--project", str(other)).code == 0
    assert ran(capsys, "doctor").code == 1
    assert ran(capsys, "uninstall", "claude-code", "--project", str(other)).code == 0
    assert not (other / ".claude").exists()


@pytest.mark.parametrize(
    "name", ["claude", "Claude-Code", "claude_code", "gemini-cli", "github-copilot"]
)
def test_a_host_is_known_by_its_other_names(name, project, isolated, capsys):
    assert ran(capsys, "install", name, "--dry-run").code == 0


def test_the_help_names_the_hosts(capsys):
    assert "HOST is one of claude-code, cline" in " ".join(
        ran(capsys, "install", "--help").out.split()
    )


def test_a_second_truepath_on_the_same_events_is_refused_with_the_way_out(
    project, isolated, capsys
):
    assert ran(capsys, "install", "claude-code").code == 0
    done = ran(capsys, "install", "claude-code", "--project", ".")
    assert done.code == 2
    assert done.err.endswith("first: truepath uninstall claude-code\n")
    assert not (project / ".claude").exists()
    ran(capsys, "uninstall", "claude-code")
    assert ran(capsys, "install", "claude-code", "--project", ".").code == 0
    done = ran(capsys, "install", "claude-code")
    assert done.err.endswith(
        f"first: truepath uninstall claude-code --project {project}\n"
    )
    assert files_below(isolated) == []


def test_a_home_folder_that_is_the_project_has_one_file_for_both(
    isolated, monkeypatch, capsys
):
    monkeypatch.chdir(isolated)
    with_client_on_the_path(monkeypatch)
    (isolated / ".claude").mkdir()
    assert ran(capsys, "install", "claude-code", "--project", ".").code == 0
    assert ran(capsys, "install", "claude-code").code == 0
    hooks = json.loads((isolated / ".claude/settings.json").read_text())["hooks"]
    assert {len(entries) for entries in hooks.values()} == {1}
    assert ran(capsys, "uninstall", "claude-code").code == 0
    assert files_below(isolated) == []


def test_another_hook_on_our_event_is_named(project, settings, isolated, capsys):
    hook = {"type": "command", "command": "guard.sh"}
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}))
    done = ran(capsys, "install", "claude-code")
    assert done.code == 0
    assert "warning: `guard.sh` runs on PreToolUse too" in done.err
    line = 'harmless_hooks = ["guard.sh"]'
    assert done.err.endswith(f": `{line}`\n")
    assert line in ran(capsys, "doctor").out
    file = isolated / ".config/truepath/config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(line)
    assert "harmless_hooks" not in ran(capsys, "doctor").out


@pytest.mark.parametrize("mine", ["", "mine.sh"])
@pytest.mark.parametrize("theirs", ["theirs.sh", ""])
def test_a_hook_of_the_project_is_named_and_never_suggested_as_harmless(
    theirs, mine, project, settings, capsys
):
    (project / ".claude").mkdir()
    (project / ".claude/settings.json").write_text(hooked(theirs) if theirs else "{")
    if mine:
        settings.write_text(hooked(mine))
    for told in (ran(capsys, "install", "claude-code").err, ran(capsys, "doctor").out):
        assert (f"`{theirs}` runs" if theirs else "cannot be read") in told
        assert (
            'harmless_hooks = ["mine.sh"]' in told
            if mine
            else "harmless_hooks" not in told
        )
        assert "beside_hooks" not in told


def hooked(*commands):
    hooks = [{"type": "command", "command": command} for command in commands]
    return json.dumps({"hooks": {"PreToolUse": [{"hooks": hooks}]}})


def in_a_terminal(*words, answers=()):
    """Run a command in a terminal where somebody answers each question; return what
    it shows.
    """
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "truepath", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown, to_type = b"", iter(answers)
    with suppress(OSError):  # Linux says so at the end
        while part := os.read(ours, 10_000):
            shown += part
            if shown.endswith(b"[s]kip [s]: "):
                os.write(ours, next(to_type))
    os.close(ours)
    assert child.wait() == 0, shown
    return shown.decode()


ANSWERS = [
    ("it only watches", [b"w\n"], {"harmless_hooks": ["log.sh"]}),
    ("it changes calls", [b"c\n"], {"beside_hooks": "refuse"}),
    ("it is left open", [b"s\n"], {}),
    ("return alone leaves it open", [b"\n"], {}),
    ("no answer", [b"x\n", b"W\n"], {"harmless_hooks": ["log.sh"]}),
    ("the question is left", [b"\x04"], {}),
]


@pytest.mark.parametrize(
    ("typed", "written"), [row[1:] for row in ANSWERS], ids=[row[0] for row in ANSWERS]
)
def test_in_a_terminal_you_are_asked_once_whether_a_hook_of_yours_only_watches(
    typed, written, project, settings, isolated, capsys
):
    settings.write_text(hooked("log.sh"))
    shown = in_a_terminal("install", "claude-code", answers=typed)
    assert "`log.sh` runs on PreToolUse too" in shown
    assert "installed: Claude Code calls truepath" in shown
    file = isolated / ".config/truepath/config.toml"
    assert (parsed(file.read_text()) if written else {}) == written
    assert file.exists() == bool(written)
    again = in_a_terminal("install", "claude-code", answers=[b"\n"])
    assert ("[w]atches" in again) == (not written)
    advised = "if yours only watch" in ran(capsys, "doctor").out
    assert advised == (not written)


def test_each_own_hook_is_asked_about_and_no_project_s(
    project, settings, isolated, capsys
):
    settings.write_text(hooked("a.sh", "b.sh 'x'", "a.sh"))
    (project / ".claude").mkdir()
    (project / ".claude/settings.json").write_text(hooked("theirs.sh"))
    shown = in_a_terminal("install", "claude-code", answers=[b"c\n", b"w\n"])
    assert shown.count("[w]atches") == 2
    file = isolated / ".config/truepath/config.toml"
    wanted = {"beside_hooks": "refuse", "harmless_hooks": ["b.sh 'x'"]}
    assert parsed(file.read_text()) == wanted


@pytest.mark.parametrize("words", [("--yes",), ("--json",), ("--dry-run",)])
def test_with_yes_nobody_is_asked(words, project, settings, isolated):
    settings.write_text(hooked("log.sh"))
    assert "[w]atches" not in in_a_terminal("install", "claude-code", *words)
    assert not (isolated / ".config").exists()


def test_a_program_that_was_written_is_tried_itself(project, isolated, capsys):
    program = isolated / ".cline/hooks/PreToolUse.bash"
    assert f"(tried: `{program}`)" in ran(capsys, "install", "cline").out
    program.write_text(program.read_text().replace("exit 0", "exit 3"))
    assert "Cline CLI does not call truepath" in ran(capsys, "doctor", "cline").out
    assert "not as truepath wrote it" in ran(capsys, "install", "cline").err
    done = ran(capsys, "uninstall", "cline")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "was changed since; delete what truepath wrote there yourself" in done.err


def test_what_is_left_to_do_is_told(project, capsys):
    assert "/hooks" in ran(capsys, "install", "codex").err
    assert "restart Claude Code" in ran(capsys, "install", "claude-code").err
    assert ran(capsys, "install", "claude-code").err == "", "nothing is left"


@pytest.mark.parametrize("text", ["{", "// mine", '{"hooks": []}', '{"a": 1, "a": 2}'])
def test_settings_that_are_left_alone_are_told_with_what_belongs_there(
    text, project, settings, capsys
):
    settings.write_text(text)
    done = ran(capsys, "install", "claude-code")
    assert done.code == 1
    [told] = done.err.splitlines()
    assert told.startswith(f"error: {settings}: ")
    assert told.endswith("; nothing was changed; put the entries there by hand")
    assert settings.read_text() == text
    settings.write_text(done.out)
    assert ran(capsys, "install", "claude-code").out.startswith("already installed")
    assert ran(capsys, "doctor").code == 0
    assert ran(capsys, "uninstall", "claude-code").code == 0
    assert settings.read_text() == "{}\n"


def test_settings_that_the_program_stopped_reading_are_a_fault(
    project, settings, capsys
):
    assert ran(capsys, "install", "claude-code").code == 0
    text = settings.read_text().replace("{", "{ // mine", 1)
    settings.write_text(text)
    done = ran(capsys, "doctor")
    assert done.code == 1
    assert "has a comment in line 1 (`//`), so Claude Code runs none" in done.out
    assert ran(capsys, "install", "claude-code").code == 2
    assert settings.read_text() == text


UNREAD = [
    ("claude-code", ".claude/settings.json", '{"model": "opus",}',
     "has a comma before the `}` in line 1, so Claude Code runs none of its hooks"),
    ("codex", ".codex/hooks.json", '{\n"version": 1}',
     "has the key 'version' in line 2, so Codex runs none of its hooks"),
    ("copilot", ".copilot/hooks/truepath.json", "{ // mine\n}",
     "has a comment in line 1 (`//`), so GitHub Copilot CLI runs none of its hooks"),
    ("gemini", ".gemini/settings.json", "\ufeff{}",
     "has a byte order mark at the beginning, so Gemini CLI runs none of its hooks"),
    ("qwen", ".qwen/settings.json", '{"a": [1,]}',
     "has a comma before the `]` in line 1, so Qwen Code runs none of its hooks"),
    ("cursor", ".cursor/hooks.json", "{/* mine */}",
     "has a comment in line 1 (`/*`), where Cursor may run none of its hooks"),
]  # fmt: skip


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(("host", "name", "text", "told"), UNREAD)
def test_settings_that_a_program_does_not_read_are_an_error_and_stay_as_they_are(
    host, name, text, told, isolated, capsys
):
    file = isolated / name
    file.parent.mkdir(parents=True)
    file.write_bytes(text.encode())
    done = ran(capsys, "install", host)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"error: {file}: {told}; nothing was changed\n"
    assert file.read_bytes() == text.encode()


@pytest.mark.parametrize("command", ["install", "uninstall", "doctor"])
def test_a_host_that_is_none_is_wrong_usage(command, project, capsys):
    done = ran(capsys, command, "emacs")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "host 'emacs' is not known; use one of" in done.err


CONFIGS = {
    "none": (None, 'other_checkouts = "ask"\n'),
    "empty": ("", 'other_checkouts = "ask"\n'),
    "another value": (
        'other_checkouts = "note"  # for now\npolicy = "guide"\n',
        'other_checkouts = "ask"\npolicy = "guide"\n',
    ),
    "that value": ("other_checkouts='ask'\n", "other_checkouts='ask'\n"),
    "comments and tables": (
        '#:schema x\n\ndeny = [\n  "a",\n]\n[rules]\n',
        '#:schema x\n\nother_checkouts = "ask"\ndeny = [\n  "a",\n]\n[rules]\n',
    ),
    "in a table alone": (
        "[rules]\n",
        'other_checkouts = "ask"\n[rules]\n',
    ),
}


@pytest.mark.parametrize(("there", "then"), CONFIGS.values(), ids=CONFIGS)
def test_what_is_done_in_other_checkouts_is_set_with_it(
    project, isolated, capsys, there, then
):
    file = isolated / ".config/truepath/config.toml"
    if there is not None:
        file.parent.mkdir(parents=True)
        file.write_text(there)
    install = ["install", "claude-code", "--other-checkouts", "ask"]
    ran(capsys, *install, "--dry-run")
    assert not file.exists() if there is None else file.read_text() == there
    assert ran(capsys, *install).code == 0
    assert file.read_text() == then
    assert ran(capsys, *install).code == 0
    assert file.read_text() == then


def test_own_settings_that_are_not_toml_are_left_alone(project, isolated, capsys):
    file = isolated / ".config/truepath/config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("policy = \n")
    told = ran(capsys, "install", "claude-code", "--other-checkouts", "refuse")
    assert (told.code, file.read_text()) == (1, "policy = \n")
    assert told.out == 'other_checkouts = "refuse"\n'
    assert not (isolated / ".claude/settings.json").exists()
