"""`truepath policy` prints the rules as they are, and no figure of its own."""

from __future__ import annotations

import pytest
from commandline import ran

from truepath.cli.policy import GROUNDS, RULES
from truepath.config.presets import PRESETS
from truepath.resolve.model import fitted
from truepath.resolve.permission import PERMITTED


@pytest.fixture
def repo(make_repo, monkeypatch):
    root = make_repo({"README.md": ""}, git=False)
    monkeypatch.chdir(root)
    return root


@pytest.mark.parametrize("policy", PRESETS)
def test_every_operation_has_its_rule(repo, capsys, policy):
    out = ran(capsys, "policy", "--policy", policy).out

    assert out.startswith(f"policy {policy}\n")
    rules, _, _ = out.partition("likely enough to correct")
    for operation in PRESETS[policy]:
        assert operation in rules


def test_every_ground_says_how_likely_is_enough(repo, capsys):
    out = ran(capsys, "policy").out
    table = out[out.index("likely enough to correct") :]

    assert set(GROUNDS) == set(PERMITTED)
    assert all(text in table for text in GROUNDS.values())
    assert "never" in next(line for line in table.splitlines() if GROUNDS["name-alone"] in line)


@pytest.mark.parametrize(
    ("policy", "shows"), [("careful", True), ("recover", True), ("suggest", False)]
)
def test_it_says_when_a_likely_file_is_shown(repo, capsys, policy, shows):
    assert ("is shown a candidate from" in ran(capsys, "policy", "--policy", policy).out) == shows


def test_the_user_s_own_rules_and_thresholds_are_in_it(repo, capsys):
    (repo / ".truepath.toml").write_text('rules = {edit = "refuse"}\nthresholds = {read = 0.99}\n')
    out = ran(capsys, "policy").out

    assert "edit" in next(line for line in out.splitlines() if RULES["refuse"] in line)
    assert "99.0%" in out


def test_the_rates_are_those_that_were_measured(repo, capsys):
    out = ran(capsys, "policy").out
    table = out[out.index("measured on repositories") :]

    right, wrong, *_ = fitted().measured["itself"]["read"]
    assert right > wrong
    line = next(line for line in table.splitlines() if GROUNDS["itself"] in line)
    assert f"{right}, {wrong}" in line


def test_no_correction_of_an_agent_s_miss_was_wrong():
    """The counts are of cross-validated answers; they come with the weights."""
    for rows in fitted().measured.values():
        for _, wrong, *_ in rows.values():
            assert wrong == 0
