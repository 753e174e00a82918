"""`truepath explain`: the candidates, the reasons for each, and what follows."""

from __future__ import annotations

import re

import pytest
from commandline import ran

from truepath import Workspace
from truepath.cli.explain import CLAUSES
from truepath.cli.policy import GROUNDS
from truepath.cli.terminal import percent
from truepath.resolve.model import DOUBTS, SUPPORTS
from truepath.resolve.permission import PERMITTED, needed
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


def test_each_of_the_best_candidates_has_its_confidence_and_three_reasons(project, capsys):
    done = ran(capsys, "explain", "app/config.py")
    assert (done.code, done.err) == (0, "")
    best = Workspace(project).resolve("app/config.py").candidates
    for candidate in best[:3]:
        assert f"\n{candidate.path}  {percent(candidate.confidence)}\n  It has" in done.out
    assert "... and 1 more" in done.out
    assert "It has the same name, the whole path is the end of its path and" in done.out
    assert not re.search(r"[+-]\d\.\d\d", done.out)


def test_every_feature_has_its_words_and_every_grounds():
    assert CLAUSES.keys() == {*SUPPORTS, *DOUBTS}
    assert GROUNDS.keys() == PERMITTED.keys()


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("docs/stauts.md", "Its name is a letter or two away, it is in the same folder and"),
        ("doc/status.md", "It has the same name, one of its folders is spelt almost the same and"),
        ("docs/docs/status.md", "It is the very path."),
    ],
)
def test_the_reasons_are_a_sentence(project, capsys, written, sentence):
    assert f"  {sentence}" in ran(capsys, "explain", written).out


def test_a_score_is_the_sum_of_its_weights_and_the_shares_make_one(project, capsys):
    out = ran(capsys, "explain", "app/config.py", "--verbose").out
    scored = [block for block in out.split("\n\n") if "  = " in block]
    assert len(scored) == 4
    for block in scored:
        score = float(block.partition("  = ")[2].split()[0])
        weights = re.findall(r"^  ([+-]\d+\.\d\d)  ", block, re.MULTILINE)
        assert score == pytest.approx(sum(map(float, weights)), abs=0.006 * len(weights))
    shares = [float(share) for share in re.findall(r"  (\d+(?:\.\d)?)%\n", out)]
    assert 50 < sum(shares) < 101


def test_what_history_says_is_told_apart_from_what_is_weighed(make_repo, git, capsys, monkeypatch):
    repo = make_repo({"specs/status.md": "all green\n", "old/status.md": "older\n"})
    (repo / "docs").mkdir()
    git(repo, "mv", "specs/status.md", "docs/status.md")
    git(repo, "commit", "--quiet", "--message=rename")
    monkeypatch.chdir(repo)
    lines = ran(capsys, "explain", "specs/status.md").out.splitlines()
    assert lines[0] == "specs/status.md  (read)  resolved: docs/status.md"
    assert lines[3].startswith("  Not weighed: renamed")


def test_nothing_here_is_a_rival(project, capsys):
    assert "\nnothing here  " in ran(capsys, "explain", "app/config.py").out


@pytest.mark.parametrize("operation", [*OPERATION_KINDS])
def test_every_operation_has_its_threshold_and_its_decision(project, capsys, operation):
    done = ran(capsys, "explain", "app/config.py", "--operation", operation)
    assert done.code == 0
    made = operation in ("write", "mkdir")
    sure = needed(operation, ("exact",) if made else ("same-name", "missing-leading", "shared-1"))
    permitted = f"likely enough to {operation}: {percent(sure)} (default)" if sure else ""
    assert (
        permitted
        or f"not permitted to {operation}, however likely, on the grounds of leading folders"
    ) in done.out
    assert re.search(r"\ncareful: (allow|rewrite|refuse)\n$", done.out)


def test_what_a_name_alone_does_not_permit_is_never_sure_enough(project, capsys):
    told = ran(capsys, "explain", "docs/sttus.md", "--operation", "edit").out

    assert "not permitted to edit, however likely, on the grounds of a name alone" in told
    assert told.endswith("careful: refuse\n")


def test_a_threshold_of_the_settings_is_named_as_such(project, capsys):
    (project / ".truepath.toml").write_text("[thresholds]\nread = 0.99\n")
    assert "likely enough to read: 99.0% (settings)" in ran(capsys, "explain", "app/config.py").out


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
