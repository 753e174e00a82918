"""The command line as a whole: what it says when something is wrong, and that it is documented."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from commandline import Ran, ran

import truepath
from truepath import __main__ as entry
from truepath.cli import app as app_module
from truepath.cli.app import COMMANDS, app, run

SOURCES = Path(truepath.__file__).parents[1]
DOCS = SOURCES.parent / "docs" / "cli.md"
WRONG_USAGE = [
    ("no path", ["resolve"]),
    ("an option that is not there", ["resolve", "--frob", "x"]),
    ("a command that is not there", ["frob"]),
    ("an operation that is not there", ["resolve", "--operation", "burn", "x"]),
    ("a policy that is not there", ["resolve", "--policy", "bold", "x"]),
    ("an empty root", ["resolve", "--root", "", "x"]),
    ("a list of names that is not there", ["resolve", "--names", "no/such/list", "x"]),
    ("a folder to stand in that is not there", ["resolve", "--cwd", "no/such/folder", "x"]),
    ("a count that is none", ["log", "-n", "some"]),
    ("a count below nought", ["log", "-n", "-3"]),
    ("no command to check", ["check"]),
    ("a command in several words", ["check", "--", "cat", "a"]),
]


@pytest.fixture
def project(make_repo, monkeypatch):
    repo = make_repo({"docs/status.md": "all green\n"})
    monkeypatch.chdir(repo)
    return repo


def in_process_of_its_own(*args, stdin=b"", cwd=None, **environ):
    return subprocess.run(
        [sys.executable, "-m", "truepath", *args],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(SOURCES), **environ},
        check=False,
    )


@pytest.mark.parametrize(("what", "args"), WRONG_USAGE, ids=[what for what, _ in WRONG_USAGE])
def test_wrong_usage_is_one_line_on_stderr_and_code_2(project, capsys, what, args):
    done = ran(capsys, *args)
    assert done.code == 2
    assert done.out == ""
    assert re.fullmatch(r"error: [^\n]+\n", done.err)


def test_a_root_that_does_not_exist_is_named(project, capsys):
    done = ran(capsys, "resolve", "--root", str(project / "nowhere"), "x")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert "nowhere" in done.err
    assert "does not exist" in done.err


def test_a_file_as_root_is_named(project, capsys):
    done = ran(capsys, "check", "--root", str(project / "docs/status.md"), "--", "cat x")
    assert (done.code, done.out) == (2, "")
    assert "is a file" in done.err


def test_a_broken_settings_file_is_told_with_its_line(project, capsys):
    (project / ".truepath.toml").write_text("journal = true\npolicy = 'bold'\n")
    done = ran(capsys, "resolve", "docs/status.md")
    assert (done.code, done.out) == (2, "")
    assert re.match(r"error: \S*\.truepath\.toml:2: ", done.err)


def test_each_thing_that_is_wrong_with_the_settings_has_its_own_line(project, capsys):
    (project / ".truepath.toml").write_text("policy = 'bold'\ndeadline = -1\n")
    done = ran(capsys, "resolve", "--why", "docs/status.md")
    assert done.code == 2
    assert [line.partition(" ")[0] for line in done.err.splitlines()] == ["error:", "error:"]


def test_settings_that_are_no_toml_are_told(project, capsys):
    (project / ".truepath.toml").write_text("policy = \n")
    done = ran(capsys, "resolve", "docs/status.md")
    assert done.code == 2
    assert re.fullmatch(r"error: [^\n]*line 1[^\n]*\n", done.err)


def test_a_hostile_root_cannot_act_on_the_terminal(project, capsys):
    done = ran(capsys, "resolve", "--root", "a\nerror: b\x1b[31m", "x")
    assert done.code == 2
    assert len(done.err.splitlines()) == 1
    assert "\x1b" not in done.err


def test_a_file_that_cannot_be_read_is_told(project, capsys):
    (project / "names").mkdir()
    done = ran(capsys, "resolve", "--names", "names", "x")
    assert done.code == 2
    assert re.fullmatch(r"error: [^\n]+\n", done.err)


@pytest.mark.skipif(
    sys.platform == "win32", reason="not on Windows: a folder in use cannot be deleted"
)
def test_a_current_folder_that_was_deleted_is_told(tmp_path, monkeypatch, capsys):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    done = ran(capsys, "resolve", "x")
    assert done.code == 2
    assert "--root" in done.err
    assert ran(capsys, "resolve", "--root", str(tmp_path), "x").code == 1


def test_an_error_of_ours_is_one_line_and_code_3(project, capsys, monkeypatch):
    def fails(_args):
        raise RuntimeError("a secret")

    monkeypatch.setattr(app_module, "_invoke", fails)
    done = ran(capsys, "resolve", "x")
    assert done.code == 3
    assert re.fullmatch(r"error: internal: RuntimeError at [^\n]+\n", done.err)
    assert "a secret" not in done.err


def test_with_standard_output_closed_it_ends_as_it_would(monkeypatch):
    monkeypatch.setattr("sys.stdout", None)
    assert run(["--version"]) == 0


def test_an_error_of_ours_shows_its_place_when_asked_to(project, monkeypatch):
    def fails(_args):
        raise RuntimeError("why")

    monkeypatch.setattr(app_module, "_invoke", fails)
    monkeypatch.setenv("TRUEPATH_TRACEBACK", "1")
    with pytest.raises(RuntimeError, match="why"):
        run(["resolve", "x"])


def test_an_interruption_is_code_130(project, capsys, monkeypatch):
    def interrupted(_args):
        raise KeyboardInterrupt

    monkeypatch.setattr(app_module, "_invoke", interrupted)
    assert ran(capsys, "resolve", "x") == Ran(130, "", "")


def test_without_a_command_it_says_which_there_are(capsys):
    done = ran(capsys)
    assert (done.code, done.err) == (0, "")
    assert all(f"  {name} " in done.out for name in (*COMMANDS, "hook"))


def test_it_tells_its_version(capsys):
    assert ran(capsys, "--version").out == f"truepath {truepath.__version__}\n"


@pytest.mark.parametrize("name", [*COMMANDS, "hook"])
def test_every_command_has_help(capsys, name):
    done = ran(capsys, name, "-h")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: truepath {name}")


def test_every_command_and_option_is_documented():
    text = DOCS.read_text(encoding="utf-8")
    with click.Context(app) as ctx:
        for name in app.list_commands(ctx):
            assert f"## truepath {name}" in text
            section = text.partition(f"## truepath {name}")[2].partition("\n## ")[0]
            command = app.get_command(ctx, name)
            assert command is not None
            for parameter in command.params:
                if isinstance(parameter, click.Option):
                    assert all(f"`{opt}" in section for opt in parameter.opts), parameter.opts


def test_every_exit_code_is_documented():
    table = DOCS.read_text(encoding="utf-8").partition("## Exit codes")[2].partition("\n## ")[0]
    codes = (
        app_module.FINE,
        app_module.NOT_ALL,
        app_module.USAGE,
        app_module.INTERNAL,
        app_module.INTERRUPTED,
    )
    assert re.findall(r"^\| (\d+) \|", table, re.MULTILINE) == [str(code) for code in codes]


def test_colours_are_for_terminals_unless_asked_for(project, capsys, monkeypatch):
    assert "\x1b" not in ran(capsys, "resolve", "docs/status.md").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[32m" in ran(capsys, "resolve", "docs/status.md").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in ran(capsys, "resolve", "docs/status.md").out


def test_a_name_outside_the_terminals_charset_is_escaped(project):
    done = in_process_of_its_own("resolve", "docs/狀態.md", cwd=project, PYTHONIOENCODING="latin-1")
    assert done.returncode == 1
    assert b"docs/\\u72c0\\u614b.md" in done.stdout
    assert done.stderr == b""


@pytest.mark.skipif(sys.platform != "linux", reason="only on Linux: names that are not UTF-8")
def test_a_name_that_is_not_utf8_is_escaped(project):
    done = in_process_of_its_own("resolve", b"docs/\xff.md", cwd=project)
    assert done.returncode == 1
    assert b"docs/\\udcff.md" in done.stdout
    assert done.stderr == b""


def test_a_reader_that_goes_away_is_no_error(project):
    command = f"{sys.executable} -m truepath --help | head -n 1 >/dev/null"
    done = subprocess.run(
        ["sh", "-c", command],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        check=False,
    )
    assert done.stderr == b""


def test_a_hook_is_answered_without_importing_the_command_line(project):
    script = (
        "import sys; from truepath.__main__ import _run; sys.argv[1:] = ['hook', 'claude-code'];"
        "code = _run(sys.argv[1:]);"
        "print(code, sorted(name for name in sys.modules if name in ('click', 'truepath.cli.app')))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", script],
        input=b'{"hook_event_name": "Stop"}',
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == (b"0 []\n", b"")


@pytest.mark.parametrize("args", [["hook"], ["hook", "nobody"], ["hook", "claude-code", "more"]])
def test_a_host_never_gets_another_code_than_0(args):
    done = in_process_of_its_own(*args, stdin=b"no json")
    assert done.returncode == 0
    assert done.stdout == b""


def test_a_person_who_asks_for_help_with_hooks_gets_it(capsys):
    assert entry._run(["hook", "--help"]) == 0
    assert "HOST" in capsys.readouterr().out


def test_what_is_switched_off_for_agents_still_answers_a_person(project, capsys, monkeypatch):
    monkeypatch.setenv("TRUEPATH", "0")
    done = ran(capsys, "resolve", "--json", "docs/status.md:3")
    assert done.objects[0]["path"] == "docs/status.md"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["instal"], "there is no command 'instal'; did you mean `truepath install`?"),
        (["xyzzy"], "there is no command 'xyzzy' (see `truepath --help`)"),
        (["install", "gemnii"], "did you mean gemini?"),
        (["log", "--jsn"], "--json"),
    ],
)
def test_a_word_that_is_misspelt_is_told_with_what_may_be_meant(capsys, words, told):
    done = ran(capsys, *words)

    assert done.code == 2
    assert told in done.err


def test_the_version_and_the_help_of_a_command_have_short_ways(capsys):
    assert ran(capsys, "-V").out == ran(capsys, "--version").out
    assert ran(capsys, "help", "log").out == ran(capsys, "log", "--help").out
    assert ran(capsys, "help").out == ran(capsys, "--help").out
    assert "did you mean `truepath log`" in ran(capsys, "help", "lgo").err
