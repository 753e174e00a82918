"""`truepath explain`: the candidates, what weighs how much, and what follows."""

from __future__ import annotations

import re

import pytest
from commandline import ran

from truepath import Workspace
from truepath.cli.terminal import percent
from truepath.config.presets import THRESHOLDS
from truepath.types import OPERATION_KINDS


@pytest.fixture
def project(make_repo, monkeypatch):
    repo = make_repo(
        {
            "docs/status.md": "all green\n",
            "backend/app/config.py": "",
            "worker/app/config.py": "",
            "tools/app/config.py": "",
            "lib/app/config.py": "",
        }
    )
    monkeypatch.chdir(repo)
    return repo


def test_each_of_the_best_candidates_has_its_confidence_and_weights(project, capsys):
    done = ran(capsys, "explain", "app/config.py")
    assert (done.code, done.err) == (0, "")
    best = Workspace(project).resolve("app/config.py").candidates
    for candidate in best[:3]:
        assert f"\n{candidate.path}  {percent(candidate.confidence)}" in done.out
    assert "... and 1 more" in done.out
    assert re.search(r"^  [+-]\d\.\d\d  same-name", done.out, re.MULTILINE)


def test_a_score_is_the_sum_of_its_weights_and_the_shares_make_one(project, capsys):
    blocks = ran(capsys, "explain", "app/config.py").out.split("\n\n")
    scored = [block for block in blocks if "a share of" in block]
    assert len(scored) == 4
    for block in scored:
        score = float(block.partition("  = ")[2].partition(",")[0])
        weights = re.findall(r"^  ([+-]\d+\.\d\d)  ", block, re.MULTILINE)
        assert score == pytest.approx(sum(map(float, weights)), abs=0.006 * len(weights))
    shares = [float(block.partition("a share of ")[2].partition("%")[0]) for block in scored]
    assert 50 < sum(shares) < 101


def test_what_history_says_is_told_apart_from_what_is_weighed(make_repo, git, capsys, monkeypatch):
    repo = make_repo({"specs/status.md": "all green\n", "old/status.md": "older\n"})
    (repo / "docs").mkdir()
    git(repo, "mv", "specs/status.md", "docs/status.md")
    git(repo, "commit", "--quiet", "--message=rename")
    monkeypatch.chdir(repo)
    lines = ran(capsys, "explain", "specs/status.md").out.splitlines()
    assert lines[0] == "specs/status.md  (read)  resolved: docs/status.md"
    assert lines[3].startswith("  not weighed: ")


def test_nothing_here_is_a_rival(project, capsys):
    assert "\nnothing here\n" in ran(capsys, "explain", "app/config.py").out


@pytest.mark.parametrize("operation", [*OPERATION_KINDS])
def test_every_operation_has_its_threshold_and_its_decision(project, capsys, operation):
    done = ran(capsys, "explain", "app/config.py", "--operation", operation)
    assert done.code == 0
    # Folders in front were left out: such a path is moved as soon as it is edited.
    needed = percent(THRESHOLDS["edit" if operation == "move" else operation])
    assert f"sure enough to {operation}: {needed} (fitted)" in done.out
    assert re.search(r"\ncareful: (allow|rewrite|refuse)\n$", done.out)


def test_what_a_name_alone_does_not_permit_is_never_sure_enough(project, capsys):
    told = ran(capsys, "explain", "docs/sttus.md", "--operation", "edit").out

    assert "never sure enough to edit: a name alone lets nothing be changed" in told
    assert told.endswith("careful: refuse\n")


def test_a_threshold_of_the_settings_is_named_as_such(project, capsys):
    (project / ".truepath.toml").write_text("[thresholds]\nread = 0.99\n")
    assert "sure enough to read: 99.0% (settings)" in ran(capsys, "explain", "app/config.py").out


def test_a_setting_of_the_project_that_is_ignored_is_told_with_its_reason(project, capsys):
    (project / ".truepath.toml").write_text('policy = "recover"\n')
    told = ".truepath.toml:1: `policy` is ignored: a project can only make yours (careful) do less"
    assert told in ran(capsys, "explain", "app/config.py").out


def test_the_policy_is_named_with_what_it_makes_of_it(project, capsys):
    done = ran(capsys, "explain", "docs/status.md:3", "--policy", "suggest")
    assert done.out.splitlines()[0] == "docs/status.md:3  (read)  resolved: docs/status.md"
    assert done.out.splitlines()[-1] == "suggest: refuse"


def test_a_path_that_exists_needs_no_explanation(project, capsys):
    done = ran(capsys, "explain", "docs/status.md")
    assert done.out == "docs/status.md  (read)  exists\ncareful: allow\n"


def test_an_absent_path_says_how_far_was_searched(project, capsys):
    done = ran(capsys, "explain", "nothing/like/it.xyz")
    assert done.code == 0
    assert "absent" in done.out.splitlines()[0]


def test_a_slip_in_a_new_path_has_no_weights(project, capsys):
    done = ran(capsys, "explain", "dcos/new.md", "--operation", "write")
    assert "docs/new.md" in done.out
    assert "nothing here" not in done.out


@pytest.mark.parametrize("path", ["", "a\0b", "\x1b[31m", "x" * 5000, "/etc/hosts", "../x"])
def test_no_path_brings_it_down(project, capsys, path):
    done = ran(capsys, "explain", path)
    assert (done.code, done.err) == (0, "")
    assert "\x1b" not in done.out


@pytest.mark.parametrize(("operation", "told"), [("edit", 1), ("execute", 1), ("read", 0)])
def test_what_points_outside_is_told_to_be_named_and_no_more(project, capsys, operation, told):
    done = ran(capsys, "explain", "/workspace/docs/status.md", "--operation", operation)
    assert done.out.count(f"what is inside is named, not used to {operation}") == told
    assert ("ambiguous" in done.out) is bool(told)
