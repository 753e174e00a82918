"""The table of rules: operation, what is true of the path, and what is done about it."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest
from rows import check_each

from truepath.config.presets import PRESETS, Rule, rule
from truepath.errors import ConfigError
from truepath.guard.policy import decide
from truepath.types import READS, Action, Candidate, Operation, Resolution, Status

OPERATIONS: tuple[Operation, ...] = get_args(Operation)
STATUSES: tuple[Status, ...] = get_args(Status)
RULES: tuple[Rule, ...] = get_args(Rule)
MAKERS = ("write", "mkdir")


def resolution(status: Status, operation: Operation = "read") -> Resolution:
    path = "a/b.py" if status in ("exists", "resolved", "likely") else None
    return Resolution("b.py", status, operation, path=path)


def decided(preset: str, operation: Operation, status: Status, *, ordered: bool = False) -> Action:
    return decide(PRESETS[preset][operation], resolution(status, operation), ordered=ordered)


TABLE = [
    # preset, operations, resolved, ambiguous, absent, directory; what is made is never resolved
    ("careful", "read list search execute", "rewrite", "refuse", "refuse", "refuse"),
    ("careful", "edit copy move", "rewrite", "refuse", "refuse", "refuse"),
    ("careful", "delete", "refuse", "refuse", "refuse", "refuse"),
    ("careful", "write mkdir", None, "refuse", "allow", "refuse"),
    ("recover", "read list search execute", "rewrite", "refuse", "refuse", "refuse"),
    ("recover", "edit copy move delete", "rewrite", "refuse", "refuse", "refuse"),
    ("recover", "write mkdir", None, "refuse", "allow", "refuse"),
    ("suggest", "read list search execute", "refuse", "refuse", "refuse", "refuse"),
    ("suggest", "edit copy move delete", "refuse", "refuse", "refuse", "refuse"),
    ("suggest", "write mkdir", None, "refuse", "allow", "refuse"),
    ("guide", " ".join(OPERATIONS), "allow", "allow", "allow", "allow"),
    ("observe", " ".join(OPERATIONS), "allow", "allow", "allow", "allow"),
]
ACTIONS: dict[tuple[str, Operation, Status], Action] = {
    (preset, operation, status): action
    for preset, operations, *actions in TABLE
    for operation in operations.split()
    for status, action in zip(
        ("exists", "outside", "resolved", "ambiguous", "absent", "directory"),
        ("allow", "allow", *actions),
        strict=True,
    )
    if action is not None
}
"""What every preset does, paths that exist and paths outside included."""


def test_the_table_has_every_preset_operation_and_status():
    made = set(product(("careful", "recover", "suggest"), MAKERS, ("resolved",)))
    expected = {row for row in product(PRESETS, OPERATIONS, STATUSES) if row[2] != "likely"}
    assert set(ACTIONS) == expected - made
    assert all(set(rules) == set(OPERATIONS) for rules in PRESETS.values())


def test_the_presets_decide_as_their_table_says():
    def check(row):
        assert decided(*row) == ACTIONS[row]

    check_each(ACTIONS, check)


def test_what_the_user_ordered_is_neither_refused_nor_rewritten():
    def check(row):
        plain = decided(*row)
        assert decided(*row, ordered=True) == ("allow" if plain == "allow" else "advise")

    check_each(product(PRESETS, OPERATIONS, STATUSES), check)


def test_a_likely_path_is_used_by_what_reads_under_the_rule_that_corrects_and_by_nothing_else():
    def check(row):
        name, operation = row
        used = decide(name, resolution("likely", operation)) == "rewrite"
        assert used == (name == "correct" and operation in READS)

    check_each(product(RULES, OPERATIONS), check)


def test_no_rule_rewrites_what_is_neither_resolved_nor_likely():
    def check(row):
        name, operation, status = row
        assert decide(name, resolution(status, operation)) != "rewrite"

    check_each(product(RULES, OPERATIONS, set(STATUSES) - {"resolved", "likely"}), check)


NEAR, NEARER = Candidate("app/c.py", 0.5, ("one-letter",)), Candidate("app/b.py", 0.9, ("case",))


@pytest.mark.parametrize("operation", MAKERS)
@pytest.mark.parametrize(
    ("name", "candidates", "action"),
    [
        ("repair", (NEARER,), "rewrite"),
        ("repair", (NEARER, NEAR), "refuse"),
        ("repair", (), "refuse"),
        ("protect", (NEARER,), "refuse"),
        ("observe", (NEARER,), "allow"),
    ],
)
def test_the_slip_of_one_folder_is_repaired(operation, name, candidates, action):
    slip = Resolution("ap/b.py", "ambiguous", operation, candidates=candidates)

    assert decide(name, slip) == action
    assert decide(name, slip, ordered=True) == ("allow" if action == "allow" else "advise")


@pytest.mark.parametrize("operation", MAKERS)
def test_nothing_is_made_inside_for_a_path_outside(operation):
    slip = Resolution("/w/b.py", "ambiguous", operation, candidates=(NEARER,), outside=True)

    assert decide("repair", slip) == "refuse"


def test_a_slip_that_a_note_tells_of_is_the_agent_s_to_decide():
    slip = Resolution("ap/b.py", "ambiguous", "write", candidates=(NEARER,), note="it moved")

    assert decide("repair", slip) == "refuse"


@pytest.mark.parametrize("confidence", [0.5, 0.97])
@pytest.mark.parametrize("evidence", [("same-name", "moved"), ("other-checkout",)])
def test_a_path_outside_goes_through_whatever_is_like_it(confidence, evidence):
    """Agents start in one work tree and change another on purpose."""
    candidate = Candidate("a/b.py", confidence, evidence)

    def check(row):
        name, operation = row
        elsewhere = Resolution("/old/a/b.py", "outside", operation, candidates=(candidate,))
        assert decide(name, elsewhere) == "allow"

    check_each(product(RULES, OPERATIONS), check)


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_known_by_its_name(name):
    assert rule(name) == name


@pytest.mark.parametrize("name", ["", "Correct", "deny", "careful"])
def test_an_unknown_rule_is_named_with_those_that_are_known(name):
    with pytest.raises(ConfigError, match="correct, refuse, guide") as raised:
        rule(name)
    assert repr(name) in str(raised.value)
