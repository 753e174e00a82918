"""`truepath check`: the paths in a command line, and the command as it would run."""

from __future__ import annotations

import os

import pytest
from commandline import ran

from truepath.config.user_dirs import state_folder
from truepath.journal.journal import journal_path


@pytest.fixture
def project(make_repo, monkeypatch):
    files = ("docs/status.md", "src/engine/turbine.py", "src/engine/rotor.py")
    repo = make_repo(dict.fromkeys((*files, "one/util.py", "two/util.py"), ""))
    monkeypatch.chdir(repo)
    return repo


def test_a_command_with_right_paths_runs_as_it_is(project, capsys):
    done = ran(capsys, "check", "--", "cat docs/status.md | head -n 1")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "read  exists  docs/status.md",
        "allow  cat docs/status.md | head -n 1",
    ]


def test_a_wrong_path_is_shown_with_the_command_as_it_would_run(project, capsys):
    done = ran(capsys, "check", "--", "cat '/workspace/docs/status.md'")
    assert done.code == 0
    assert "->? docs/status.md" in done.out or "-> docs/status.md" in done.out
    assert f"rewrite  cat '{project}/docs/status.md'" in done.out
    assert ", the likely file for " in done.out


def test_an_arrow_stands_before_what_is_used_alone(project, capsys):
    path = "engine/turbine.py"
    assert f"{path} -> src/{path}" in ran(capsys, "check", "--", f"cat {path}").out
    told = ran(capsys, "check", "--", f"make; cat {path}").out
    assert f"{path} ? src/{path}" in told
    assert f"allow  make; cat {path}" in told


def test_a_command_that_would_be_refused_is_code_1_and_says_what_the_agent_reads(
    project, capsys
):
    done = ran(capsys, "check", "--", "rm util.py")
    assert done.code == 1
    assert "one/util.py" in done.out
    assert "refuse  it would not run" in done.out
    assert "PATH_NOT_FOUND" in done.out
    assert not os.path.exists(journal_path(state_folder(os.environ))), (
        "a question is not recorded"
    )


def test_a_refusal_with_a_candidate_says_what_its_reason_permits(project, capsys):
    told = ran(capsys, "check", "--", "pytest src/rotor.py").out
    assert "folders-inserted  corrected under recover only: " in told


def test_every_path_is_shown_even_where_one_is_refused(project, capsys):
    (project / ".truepath.toml").write_text(
        '[rules]\ndelete = "refuse"\nread = "guide"\n'
    )
    (answer,) = ran(
        capsys, "check", "--json", "--", "mv util.py docs/status.md"
    ).objects
    assert [(one["written"], one["operation"]) for one in answer["paths"]] == [
        ("util.py", "move"),
        ("docs/status.md", "write"),
    ]
    assert (answer["action"], answer["command"]) == ("refuse", None)


def test_json_holds_the_command_and_each_path(project, capsys):
    (answer,) = ran(
        capsys, "check", "--json", "--", "cd src && cat engine/rotor.py"
    ).objects
    assert answer["command"] == "cd src && cat engine/rotor.py"
    assert [one["path"] for one in answer["paths"]] == ["src", "src/engine/rotor.py"]


@pytest.mark.parametrize("command", ["echo hello", "git status", "ls", "make", "true"])
def test_a_command_without_paths_says_so_beside_the_data(project, capsys, command):
    done = ran(capsys, "check", "--", command)
    assert (done.code, done.out) == (0, f"allow  {command}\n")
    assert done.err == "no path in it to check\n"


def test_without_a_command_it_says_how_to_give_one(capsys):
    assert "'-- COMMAND'" in ran(capsys, "check").err


@pytest.mark.parametrize(
    "command",
    [
        "npx borp test/repply.test.js",
        "npx borp",
        "npm test -- tests/x.js",
        "cat 'docs/statu.md",
        "cat " + " ".join(f"docs/{at}.md" for at in range(101)),
        "cat $DOCS/statu.md",
        "for f in docs/*.md; do cat $f; done",
        "frob statu.md",
    ],
)
def test_of_a_command_that_is_not_read_it_is_said_what_becomes_of_it(
    project, capsys, command
):
    done = ran(capsys, "check", "--", command)
    assert (done.code, done.out) == (0, f"allow  {command}\n")
    assert done.err == "not read: it runs as it is; its failure is answered\n"


def test_the_rest_of_a_command_may_not_be_read(project, capsys):
    done = ran(capsys, "check", "--", "cat docs/status.md; frob docs/statu.md")
    assert "read  exists  docs/status.md" in done.out
    assert done.err.startswith("the rest is not read: ")
    refused = ran(capsys, "check", "--", "rm util.py; frob docs/statu.md")
    assert ("refuse" in refused.out) is (refused.err == "")


@pytest.mark.parametrize(
    "command",
    ["", "   ", "cat 'unclosed", "a\nb\x1b[0m", "cat <<'E'\nx\nE", "x" * 100_000],
)
def test_no_command_brings_it_down(project, capsys, command):
    done = ran(capsys, "check", "--", command)
    assert done.code == 0
    assert "\x1b" not in done.out


def test_the_working_directory_and_the_policy_count(project, capsys, monkeypatch):
    monkeypatch.chdir(project / "src")
    (answer,) = ran(capsys, "check", "--json", "--", "cat engine/rotor.py").objects
    assert answer["paths"][0]["status"] == "exists"
    words = ("--json", "--policy", "suggest", "--", "cat ../docs/status.md:3")
    assert ran(capsys, "check", *words).objects[0]["action"] == "refuse"
