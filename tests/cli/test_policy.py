"""`truepath policy` prints the rules and the table of reasons as they are."""

from __future__ import annotations

import itertools
import re

import pytest
from commandline import ran

from truepath.config import presets
from truepath.config.presets import MEANINGS, PRESETS
from truepath.guard import texts
from truepath.guard.checks import CHECKS
from truepath.resolve.reasons import COLUMNS, REASONS


@pytest.fixture
def repo(make_repo, monkeypatch):
    root = make_repo({"README.md": ""}, git=False)
    monkeypatch.chdir(root)
    return root


@pytest.mark.parametrize("policy", PRESETS)
def test_every_operation_has_its_rule(repo, capsys, policy):
    out = ran(capsys, "policy", "--policy", policy).out

    assert out.startswith(f"policy {policy}\n")
    for operation, rule in PRESETS[policy].items():
        line = next(
            line for line in out.splitlines() if operation in line.partition("  ")[0]
        )
        assert MEANINGS[rule] in line
    (data,) = ran(capsys, "policy", "--json", "--policy", policy).objects
    assert (data["policy"], data["rules"]) == (policy, dict(PRESETS[policy]))


def test_every_rule_has_its_words():
    assert set(MEANINGS) == {rule for each in presets.RULES.values() for rule in each}


def test_every_reason_has_its_sentence_and_what_it_permits(repo, capsys):
    out = ran(capsys, "policy").out

    for reason in REASONS:
        _, *rows = out.partition(f"\n{reason.name} ")[2].splitlines()
        own = itertools.takewhile(lambda row: row.startswith("  "), rows)
        pairs = [row.strip().split(": ") for row in own]
        told = {permit: names.split(", ") for permit, names in pairs}
        for column in COLUMNS:
            permit = reason.cells.get(column, "")
            assert [name for name, each in told.items() if column in each] == [permit][
                : bool(permit)
            ]
        assert reason.sentence in out


def test_every_check_has_its_sentence_and_what_is_done_before_the_call(repo, capsys):
    out = ran(capsys, "policy").out
    for check in CHECKS:
        line = next(
            line for line in out.splitlines() if line.startswith(f"{check.name} ")
        )
        assert check.sentence in line
        assert line.endswith(check.before)
    (data,) = ran(capsys, "policy", "--json").objects
    assert [*data["checks"]] == [check.name for check in CHECKS]
    (repo / ".truepath.toml").write_text("preconditions = false\n")
    (data,) = ran(capsys, "policy", "--json").objects
    assert data["checks"] == {}


def test_the_user_s_own_rules_are_in_it(repo, capsys):
    (repo / ".truepath.toml").write_text('rules = {edit = "refuse"}\n')
    out = ran(capsys, "policy").out

    assert "edit" in next(
        line for line in out.splitlines() if MEANINGS["refuse"] in line
    )


def test_it_prints_what_to_write_into_the_file_of_instructions(repo, capsys):
    told = ran(capsys, "policy", "--instructions").out
    assert "in place of" in told
    values = [value for value in vars(texts).values() if isinstance(value, str)]
    codes = {value for value in values if re.fullmatch("[A-Z]+(_[A-Z]+)+", value)}
    # The answer of a call that runs has its code as data alone.
    in_data = {texts.CORRECTED, texts.ASSUMED, texts.READ_IN_PART}
    codes -= {*in_data, texts.EDIT_CORRECTED}
    assert len(codes) > 10
    assert [code for code in codes if f"`{code}`" not in told] == []
