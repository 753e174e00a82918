"""`truepath resolve`: what it prints, for whom, and with which exit code."""

from __future__ import annotations

import io
import json
import math
import os
import shutil
import sys
from contextlib import redirect_stderr, redirect_stdout

import pytest
from commandline import ran
from hypothesis import given
from hypothesis import strategies as st
from repos import commit_all, move_file

from truepath import Workspace
from truepath.cli.app import run
from truepath.cli.terminal import percent
from truepath.config.user_dirs import state_folder
from truepath.journal.journal import journal_path
from truepath.types import OPERATION_KINDS

FILES = {
    "docs/status.md": "all green\n",
    "backend/app/config.py": "",
    "worker/app/config.py": "",
    "src/engine/turbine.py": "",
}


@pytest.fixture
def project(make_repo, monkeypatch):
    repo = make_repo(FILES)
    monkeypatch.chdir(repo)
    return repo


def test_a_path_that_is_resolved_is_code_0_and_names_the_file(project, capsys):
    done = ran(capsys, "resolve", "docs/status.md:12")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(
        "resolved  rewrite  docs/status.md:12 -> docs/status.md  "
    )
    assert (
        ran(capsys, "resolve", "docs/status.md").out
        == "exists  allow  docs/status.md\n"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="the CPU of a child is not known")
def test_a_person_waits_for_a_history_that_an_agent_would_not(
    project, capsys, git_that
):
    move_file(project, "docs/status.md", "reports/status.md")
    commit_all(project)
    real = shutil.which("git")
    # Some 0.3 s of CPU; a hook waits 0.1 for each question.
    spins = "i=0; while [ $i -lt 500000 ]; do i=$((i+1)); done"
    git_that("*--format=*", f'{spins}; exec {real} "$@"')
    done = ran(capsys, "resolve", "docs/status.md")
    assert "-> reports/status.md" in done.out


@pytest.mark.parametrize(
    "path", ["nothing/like/it.xyz", "config.py", "", "a\0b", "x" * 5000]
)
def test_a_path_that_is_neither_is_code_1(project, capsys, path):
    done = ran(capsys, "resolve", path)
    assert (done.code, done.err) == (1, "")
    assert done.out


def test_a_path_that_is_not_there_is_one_plain_line_also_where_there_is_no_project(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert ran(capsys, "resolve", "a.py").out == "absent  refuse  a.py  not there\n"


@pytest.mark.parametrize(
    "path", ["docs/status.md:12", "engine/turbine.py", "app/config.py"]
)
def test_the_first_candidate_of_the_data_is_the_first_that_is_shown(
    project, capsys, path
):
    (one,) = ran(capsys, "resolve", "--json", path).objects
    shown = ran(capsys, "resolve", path).out.replace("?", "->").partition("-> ")[2]
    first = one["candidates"][0]["path"]
    assert shown.startswith(first)
    assert one["path"] in (None, first)


def test_names_are_shown_on_one_line(project, capsys, write):
    write(project, {"docs/a\nexists  allow  b.md": ""})
    done = ran(capsys, "resolve", "docs/a\nexists  allow  b.md", "docs/\x1b[31mred.md")
    assert len(done.out.splitlines()) == 2
    assert "a\\nexists" in done.out
    assert "\x1b" not in done.out


def test_json_is_one_object_a_path_in_their_order(project, capsys):
    done = ran(
        capsys, "resolve", "--json", "docs/status.md", "app/config.py", "nothing.xyz"
    )
    assert done.code == 1
    assert [one["status"] for one in done.objects] == ["exists", "ambiguous", "absent"]
    assert [one["action"] for one in done.objects] == ["allow", "refuse", "refuse"]
    listed = [candidate["path"] for candidate in done.objects[1]["candidates"]]
    assert listed == ["backend/app/config.py", "worker/app/config.py"]
    assert "backend/app/config.py" in done.objects[1]["text"]
    assert done.objects[0]["text"] == ""


@pytest.mark.skipif(
    sys.platform != "linux", reason="only on Linux: names that are not UTF-8"
)
def test_json_of_a_name_that_is_not_utf8_is_ascii(project, capsys):
    with open(project / "docs/b\udcff.md", "w"):
        pass
    done = ran(capsys, "resolve", "--json", "docs/b\udcff.md")
    assert done.out.isascii()
    assert done.objects[0]["path"] == "docs/b\udcff.md"


@pytest.mark.parametrize("operation", [*OPERATION_KINDS])
def test_every_operation_can_be_asked_for(project, capsys, operation):
    (one,) = ran(
        capsys, "resolve", "--json", "--operation", operation, "app/config.py"
    ).objects
    assert one["operation"] == operation
    if operation not in ("write", "mkdir", "list"):
        assert (one["status"], one["action"]) == ("ambiguous", "refuse")


def test_the_policy_can_be_asked_for(project, capsys):
    (one,) = ran(
        capsys, "resolve", "--json", "--policy", "suggest", "docs/status.md:12"
    ).objects
    assert (one["status"], one["action"]) == ("resolved", "refuse")
    (project / ".truepath.toml").write_text('policy = "suggest"\n')
    (one,) = ran(capsys, "resolve", "--json", "docs/status.md:12").objects
    assert one["action"] == "refuse"


def test_the_agent_stands_where_the_person_does(project, capsys, monkeypatch):
    monkeypatch.chdir(project / "src")
    done = ran(
        capsys, "resolve", "--json", "engine/turbine.py", "src/engine/turbine.py"
    )
    assert [one["status"] for one in done.objects] == ["exists", "resolved"]
    assert {one["path"] for one in done.objects} == {"src/engine/turbine.py"}


def test_another_project_can_be_asked_about(project, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert ran(capsys, "resolve", "--project", str(project), "docs/status.md").code == 0
    assert (
        ran(capsys, "resolve", "--project", str(project.parent), "docs/nope.xyz").code
        == 1
    )


@pytest.mark.parametrize("pattern", ["docs/*.md", "https://example.org/a.md"])
def test_what_a_guard_lets_through_unread_is_answered_all_the_same(
    project, capsys, pattern
):
    done = ran(capsys, "resolve", "--json", pattern)
    assert done.code == 1
    assert done.objects[0]["action"] == "allow"


def test_questions_are_neither_recorded_nor_counted(project, capsys):
    for _ in range(2):
        done = ran(capsys, "resolve", "--json", "no/a.xyz", "no/b.xyz", "no/c.xyz")
        assert len({one["text"].count("\n") for one in done.objects}) == 1
        assert not any("STRATEGY" in one["text"] for one in done.objects)
    assert not os.path.exists(journal_path(state_folder(os.environ)))


@given(st.text(max_size=40))
def test_no_path_brings_it_down(tmp_path_factory, path):
    out = io.StringIO()
    root = str(tmp_path_factory.mktemp("small"))
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        code = run(["resolve", "--json", "--why", "--project", root, "--", path])
    assert code in (0, 1)
    assert json.loads(out.getvalue())["written"] == path


def test_a_new_file_in_a_slip_of_a_folder_has_no_probability(
    capsys, make_repo, monkeypatch
):
    monkeypatch.chdir(make_repo({"backend/app.py": ""}))

    done = ran(capsys, "resolve", "--operation", "write", "bakend/new.py")

    assert "backend/new.py" in done.out
    assert "%" not in done.out


def test_why_shows_likelihood_reason_and_features_of_each_candidate(project, capsys):
    done = ran(capsys, "resolve", "--why", "app/config.py")
    shown = done.out.splitlines()[4:]
    lines = [line.split(maxsplit=2) for line in shown]
    judged, lines = lines[:3], lines[3:]
    assert [line[0] for line in judged] == ["leading-folders", "rival", "unlikely"]
    best = Workspace(project).resolve("app/config.py").candidates
    heads = [line for line in lines if line[0][-1] == "%"]
    assert [line[:3] for line in heads[:-1]] == [
        [percent(each.confidence), each.path, each.reason] for each in best
    ]
    assert [" ".join(line) for line in lines[1:3]] == [
        "for: same name; leading folders left out; one of few of its name",
        "against: other folders that it is in",
    ]
    assert heads[-1][1:] == ["nothing", "here"]
    assert " ".join(lines[-1]) == "for: most missing paths are nowhere"
    assert "nothing here" not in ran(capsys, "resolve", "app/config.py").out


def test_an_index_file_is_not_called_the_only_one_of_its_name(make_repo, capsys):
    repo = make_repo(dict.fromkeys(("one/index.ts", "two/index.ts"), ""))
    told = ran(capsys, "resolve", "--project", str(repo), "index.ts").out
    assert "one/index.ts" in told
    assert "same name" in told
    assert "the only one" not in told


def test_why_as_json_has_each_part_of_the_score_and_the_shares_are_of_their_sums(
    project, capsys
):
    (one,) = ran(capsys, "resolve", "--why", "--json", "app/config.py").objects
    scores = {
        name: math.exp(sum(parts.values())) for name, parts in one["features"].items()
    }
    for candidate in one["candidates"]:
        share = scores[candidate["path"]] / sum(scores.values())
        assert candidate["confidence"] == pytest.approx(share, abs=0.002)


def test_a_setting_of_the_project_that_is_ignored_is_told_with_its_reason(
    project, capsys
):
    (project / ".truepath.toml").write_text('policy = "recover"\n')
    told = (
        ".truepath.toml: `policy` is ignored: "
        "a project can only make yours (careful) do less"
    )
    assert told in ran(capsys, "resolve", "--why", "app/config.py").err
