"""The command line as a whole: what it says when something is wrong, and that it is
documented.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from commandline import ran
from rows import read

import truepath
from truepath import __main__ as entry
from truepath.cli import app as app_module
from truepath.cli.app import COMMANDS, app, run

SOURCES = Path(truepath.__file__).parents[1]


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


@pytest.mark.parametrize("row", read("cli/wrong_usage"), ids=lambda row: row["what"])
def test_wrong_usage_is_one_line_on_stderr_and_code_2(project, capsys, row):
    done = ran(capsys, *row["args"])
    assert (done.code, done.out) == (2, "")
    assert re.fullmatch(r"error: [^\n\x1b]+\n", done.err)


WRONG = "policy = 'bold'\njournal = -1\nflavour = 3\n"
NAMES = ("policy", "journal", "flavour")


def test_each_thing_that_is_wrong_with_the_settings_has_its_own_line(
    project, isolated, capsys
):
    file = isolated / ".config/truepath/config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(WRONG)
    done = ran(capsys, "resolve", "--why", "docs/status.md")
    assert (done.code, done.out) == (2, "")
    for name, line in zip(NAMES, done.err.splitlines(), strict=True):
        assert re.match(rf"error: \S*config\.toml: `{name}` ", line)


@pytest.mark.parametrize(
    "args",
    [
        ("resolve", "docs/status.md"),
        ("check", "--", "cat docs/status.md"),
        ("policy",),
        ("log",),
        ("stats",),
    ],
    ids=lambda args: args[0],
)
def test_what_is_wrong_with_a_project_s_settings_stops_no_command(
    project, capsys, args
):
    well = ran(capsys, *args)
    (project / ".truepath.toml").write_text(WRONG)
    done = ran(capsys, *args)
    assert (done.code, done.out) == (well.code, well.out)
    said = done.err.removesuffix(well.err).splitlines()
    if args[0] not in ("log", "stats"):  # which have no use for them
        for name, line in zip(NAMES, said, strict=True):
            assert re.match(rf"warning: \S*\.truepath\.toml: `{name}` ", line)


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
    assert "--project" in done.err
    assert ran(capsys, "resolve", "--project", str(tmp_path), "x").code == 1


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (
            RuntimeError("a secret"),
            3,
            r"error: internal: RuntimeError at \S+; [^\n]+\n",
        ),
        (
            PermissionError(13, "Permission denied", "x.json"),
            2,
            "error: x.json: Permission denied\n",
        ),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_what_is_raised_is_a_line_and_a_code(monkeypatch, capsys, error, code, said):
    def fails(*_, **__):
        raise error

    monkeypatch.setattr(app_module.app, "main", fails)
    done = ran(capsys, "resolve", "x")
    assert (done.code, done.out) == (code, "")
    assert re.fullmatch(said, done.err)
    monkeypatch.setenv("TRUEPATH_TRACEBACK", "1")
    if code == 3:
        with pytest.raises(RuntimeError, match="a secret"):
            run(["resolve", "x"])


def test_with_standard_output_closed_it_ends_as_it_would(monkeypatch):
    monkeypatch.setattr("sys.stdout", None)
    assert run(["-V"]) == run(["policy"]) == 0


def test_without_a_command_it_says_which_there_are(capsys):
    done = ran(capsys)
    assert (done.code, done.err) == (0, "")
    assert all(f"  {name} " in done.out for name in COMMANDS)
    assert ran(capsys, "--version").out == f"truepath {truepath.__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example_that_it_takes(capsys, name):
    done = ran(capsys, name, "-h")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: truepath {name}")
    example = re.findall(rf"truepath {name}.*", done.out.partition("Example")[2])[
        0
    ].split("<")[0]
    with click.Context(app) as ctx:
        command = app.get_command(ctx, name)
        command.make_context(name, shlex.split(example)[2:], parent=ctx)


def test_every_option_has_help():
    with click.Context(app) as ctx:
        for name in app.list_commands(ctx):
            command = app.get_command(ctx, name)
            options = [
                each for each in command.params if isinstance(each, click.Option)
            ]
            assert [each.opts for each in options if not each.help] == [], name


def test_colours_are_for_terminals_unless_asked_for(project, capsys, monkeypatch):
    assert "\x1b" not in ran(capsys, "resolve", "docs/status.md").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[32m" in ran(capsys, "resolve", "docs/status.md").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in ran(capsys, "resolve", "docs/status.md").out


@pytest.mark.skipif(
    sys.platform != "linux", reason="only on Linux: names that are not UTF-8"
)
def test_a_name_that_the_terminal_cannot_show_is_escaped(project):
    names = ("docs/狀態.md".encode(), b"docs/\xff.md")
    done = in_process_of_its_own(
        "resolve", *names, cwd=project, PYTHONIOENCODING="latin-1"
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert b"docs/\\u72c0\\u614b.md" in done.stdout
    assert b"docs/\\udcff.md" in done.stdout


def test_a_reader_that_goes_away_is_no_error(project):
    command = f"{sys.executable} -m truepath --help | head -n 1 >/dev/null"
    environ = {**os.environ, "PYTHONPATH": str(SOURCES)}
    done = subprocess.run(
        ["sh", "-c", command], env=environ, capture_output=True, check=False
    )
    assert done.stderr == b""


def test_a_hook_is_answered_without_importing_the_command_line(project):
    script = (
        "import sys; from truepath.__main__ import _run; sys.argv[1:] = ['hook', "
        "'claude-code'];code = _run(sys.argv[1:]);print(code, sorted(name for name in "
        "sys.modules if name in ('click', 'truepath.cli.app')))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", script],
        input=b'{"hook_event_name": "Stop"}',
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == (b"0 []\n", b"")


@pytest.mark.parametrize(
    "args", [["hook"], ["hook", "nobody"], ["hook", "claude-code", "more"]]
)
def test_a_host_never_gets_another_code_than_0(args):
    done = in_process_of_its_own(*args, stdin=b"no json")
    assert done.returncode == 0
    assert done.stdout == b""


def test_a_person_who_asks_for_help_with_hooks_gets_it(capsys):
    assert entry._run(["hook", "--help"]) == 0
    assert "HOST" in capsys.readouterr().out


def test_what_is_switched_off_for_agents_still_answers_a_person(
    project, capsys, monkeypatch
):
    monkeypatch.setenv("TRUEPATH", "0")
    done = ran(capsys, "resolve", "--json", "docs/status.md:3")
    assert done.objects[0]["path"] == "docs/status.md"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["instal"], "did you mean 'install'?"),
        (["hok"], "did you mean 'hook'?"),
        (["frob"], "use one of demo, install"),
        (["install", "gemnii"], "did you mean 'gemini'?"),
        (["log", "--jsn"], "--json"),
        (["mcp"], "`truepath relay -- SERVER`"),
        (["completion", "bash"], "_TRUEPATH_COMPLETE=bash_source"),
        (["explain", "docs/a.md"], "`truepath resolve --why PATH`"),
        (["explain", "ignord"], "did you mean 'ignored'?"),
        (["rules"], "`truepath policy --instructions`"),
        (["undo-info", "--json"], "`truepath log EVENT`"),
        (["eval"], "`make accuracy`"),
    ],
)
def test_a_word_that_is_misspelt_is_told_with_what_may_be_meant(capsys, words, told):
    done = ran(capsys, *words)

    assert done.code == 2
    assert told in done.err
