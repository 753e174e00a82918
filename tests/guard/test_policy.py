from __future__ import annotations

from typing import get_args

import pytest

from truepath.config.presets import PRESETS, Rule, rule
from truepath.errors import ConfigError
from truepath.guard.policy import decide
from truepath.types import Action, Candidate, Operation, Resolution, Status

OPERATIONS: tuple[Operation, ...] = get_args(Operation)
STATUSES: tuple[Status, ...] = get_args(Status)
MAKERS = ("write", "mkdir")


def resolution(status: Status, operation: Operation = "read") -> Resolution:
    path = "a/b.py" if status in ("exists", "resolved") else None
    return Resolution("b.py", status, operation, path=path)


def decided(preset: str, operation: Operation, status: Status, *, ordered: bool = False) -> Action:
    return decide(PRESETS[preset][operation], resolution(status, operation), ordered=ordered)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_has_a_rule_for_every_operation(preset):
    assert set(PRESETS[preset]) == set(OPERATIONS)
    assert set(PRESETS[preset].values()) <= set(get_args(Rule))


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("status", ["exists", "outside"])
def test_what_is_there_or_is_not_ours_goes_through(preset, operation, status):
    assert decided(preset, operation, status) == "allow"


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


@pytest.mark.parametrize(
    ("preset", "operation", "status", "action"),
    [
        (preset, operation, status, action)
        for preset, operations, *actions in TABLE
        for operation in operations.split()
        for status, action in zip(
            ("resolved", "ambiguous", "absent", "directory"), actions, strict=True
        )
        if action is not None
    ],
)
def test_the_presets_decide_as_their_table_says(preset, operation, status, action):
    assert decided(preset, operation, status) == action


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("status", STATUSES)
def test_suggest_guide_and_observe_never_rewrite(operation, status):
    for preset in ("suggest", "guide", "observe"):
        assert decided(preset, operation, status) != "rewrite"


@pytest.mark.parametrize("name", get_args(Rule))
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("status", [status for status in STATUSES if status != "resolved"])
def test_no_rule_rewrites_what_is_not_resolved(name, operation, status):
    assert decide(name, resolution(status, operation)) != "rewrite"


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("status", STATUSES)
def test_what_the_user_ordered_is_neither_refused_nor_rewritten(preset, operation, status):
    plain = decided(preset, operation, status)
    ordered = decided(preset, operation, status, ordered=True)

    assert ordered == ("allow" if plain == "allow" else "advise")


@pytest.mark.parametrize("operation", MAKERS)
def test_something_new_is_made_where_nothing_like_it_stands(operation):
    for preset in PRESETS:
        assert decided(preset, operation, "absent") == "allow"


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


OWN_COPY = Candidate("a/b.py", 0.97, ("other-checkout",))


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", get_args(Rule))
def test_what_exists_in_another_checkout_goes_through(operation, name):
    """Agents start in one work tree and change another on purpose."""
    elsewhere = Resolution("/old/a/b.py", "outside", operation, candidates=(OWN_COPY,))

    assert decide(name, elsewhere) == "allow"


@pytest.mark.parametrize("operation", MAKERS)
def test_nothing_is_made_inside_for_a_path_outside(operation):
    slip = Resolution("/w/b.py", "ambiguous", operation, candidates=(NEARER,), outside=True)

    assert decide("repair", slip) == "refuse"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_other_paths_outside_are_not_ours_whatever_is_like_them(operation):
    like = Candidate("a/b.py", 0.5, ("same-name", "moved"))
    elsewhere = Resolution("/old/a/b.py", "outside", operation, candidates=(like,))

    assert decide("correct", elsewhere) == "allow"


@pytest.mark.parametrize("name", get_args(Rule))
def test_a_rule_is_known_by_its_name(name):
    assert rule(name) == name


@pytest.mark.parametrize("name", ["", "Correct", "deny", "careful"])
def test_an_unknown_rule_is_named_with_those_that_are_known(name):
    with pytest.raises(ConfigError, match="correct, refuse, guide") as raised:
        rule(name)
    assert repr(name) in str(raised.value)
