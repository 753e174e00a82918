"""What the fitted numbers make of evidence: probabilities, in the order of their shares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath import Workspace
from truepath.config.presets import THRESHOLDS
from truepath.project.history import PathHistory
from truepath.resolve.model import (
    CEILING,
    DECORATED,
    LOOK_ALIKE,
    RENAMED,
    SURE,
    TWICE,
    calibrated,
    ceiling,
    confidences,
    curve_of,
    fitted,
    from_history,
    unseen,
)
from truepath.types import OPERATION_KINDS

CURVES = fitted().calibration
EVIDENCE = st.sampled_from(
    [
        ("exact",),
        ("repeats-cwd", "exact"),
        ("same-name", "moved", "generic-name"),
        ("same-name", "folder-slip", "specific-name"),
        ("one-edit", "same-folder"),
        ("same-name", "extra-middle", "out-of-edition"),
    ]
)


@pytest.mark.parametrize("kind", ["exact", "other"])
@given(shares=st.lists(st.floats(0, 1), min_size=2, max_size=2))
def test_a_larger_share_is_never_less_probable(kind, shares):
    low, high = sorted(shares)

    assert 0 < calibrated(low, CURVES[kind]) <= calibrated(high, CURVES[kind]) < 1


@pytest.mark.parametrize("kind", ["exact", "other"])
def test_the_curve_goes_through_what_was_fitted(kind):
    for share, chance in zip(*CURVES[kind], strict=True):
        assert calibrated(share, CURVES[kind]) == pytest.approx(chance, abs=1e-6)


@given(st.lists(st.tuples(st.floats(0.001, 1), EVIDENCE), max_size=6), st.floats(0.001, 1))
def test_together_they_are_at_most_certain(candidates, nothing):
    total = sum(mass for mass, _ in candidates) + nothing
    shares = [mass / total for mass, _ in candidates]

    told = confidences(shares, [evidence for _, evidence in candidates], CURVES)

    assert all(0 <= each <= 1 for each in told)
    assert sum(told) <= 1 + 1e-9


@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=6), st.floats(0.001, 1))
def test_the_order_of_the_shares_is_kept(masses, nothing):
    total = sum(masses) + nothing
    shares = [mass / total for mass in masses]

    told = confidences(shares, [("same-name", "folder-slip")] * len(shares), CURVES)

    order = sorted(range(len(shares)), key=lambda at: shares[at])
    assert [told[at] for at in order] == sorted(told)


def test_without_candidates_there_is_nothing_to_tell():
    assert confidences([], [], CURVES) == []


@pytest.mark.parametrize(
    ("evidence", "capped"),
    [
        (("same-name", "moved", "generic-name"), True),
        (("same-name", "folder-replaced", "generic-name"), True),
        (("from-root", "exact", "generic-name"), True),  # `README.md` of a folder, and the root's
        (("repeats-cwd", "exact", "generic-name"), False),
        (("same-name", "missing-leading", "into-edition"), True),
        (("same-name", "extra-middle", "out-of-edition"), True),
        (("same-name", "folder-replaced", "renumbered", "of-series"), True),
        (("same-name", "folder-replaced", "renumbered"), False),  # a number that only orders
        (("same-name", "folder-slip", "generic-name"), False),
        (("one-edit", "same-folder", "another-word"), True),  # `trail.py` for `trial.py`
        (("same-name", "folder-slip", "another-word"), True),  # `users/jon` for `users/john`
        (("same-name", "folder-replaced", "opposite"), True),  # `client/` for `server/`
        (("one-edit", "same-folder", "misspelt"), False),
        (("exact",), False),
    ],
)
def test_what_exists_beside_what_was_asked_for_is_never_acted_on(evidence, capped):
    assert ceiling(evidence) == (CEILING if capped else 1.0)
    assert min(THRESHOLDS.values()) > CEILING


@pytest.mark.parametrize(
    ("evidence", "most"),
    [
        (("doubled", "same-name", "missing-middle"), TWICE),  # one guess upon another
        (("doubled", "one-edit", "same-folder"), TWICE),
        (("doubled", "exact"), 1.0),
        (("from-root", "exact", "bare-name"), LOOK_ALIKE),  # a root's `uv.lock`, asked for below it
        (("from-root", "exact"), 1.0),
    ],
)
def test_what_rests_on_little_is_capped(evidence, most):
    assert ceiling(evidence) == most
    assert THRESHOLDS["edit"] > LOOK_ALIKE


@given(st.floats(0, SURE), EVIDENCE)
def test_a_past_that_never_was_makes_nothing_surer_than_names_can_be(chance, evidence):
    assert chance <= unseen(chance, evidence) <= SURE
    assert THRESHOLDS["move"] > SURE


@pytest.mark.parametrize(
    ("chance", "evidence", "raised"),
    [
        (0.9, ("same-name", "moved", "specific-name"), True),
        (0.9, ("same-name", "missing-leading", "only-one", "shared-2"), True),  # all of it is there
        (0.79, ("same-name", "moved", "specific-name"), False),  # not likely by names alone
        (0.9, ("same-name", "moved", "generic-name"), False),  # the name says nothing
        (0.9, ("same-words", "same-folder", "specific-name"), False),  # and is another
        (0.9, ("doubled", "same-name", "specific-name"), False),  # one guess upon another
        (0.9, ("same-name", "folder-replaced", "specific-name", "left-gone"), True),
        (0.9, ("same-name", "folder-replaced", "specific-name", "left-there"), False),
        (0.9, ("one-edit", "folder-replaced", "left-there"), False),
        (0.9, ("same-name", "folder-replaced", "specific-name", "renumbered"), False),
    ],
)
def test_a_past_that_never_was_helps_what_is_likely_by_its_name(chance, evidence, raised):
    assert (unseen(chance, evidence) > chance) == raised


def test_nothing_is_deleted_for_the_word_of_history():
    assert THRESHOLDS["move"] <= RENAMED < THRESHOLDS["delete"]


def test_names_alone_are_not_believed_about_a_path_of_which_history_lost_sight():
    lost = from_history(PathHistory("unknown", commit="170b305", complete=False))
    unasked = from_history(PathHistory("unknown", complete=False))

    assert lost.others * DECORATED < THRESHOLDS["read"]
    assert unasked.others == 1.0


def test_only_the_very_path_is_as_sure_as_a_move_must_be():
    sure = [1 - 1e-9]

    assert confidences(sure, [("same-name", "folder-slip")], CURVES) == [SURE]
    assert confidences(sure, [("repeats-cwd", "exact")], CURVES)[0] > SURE
    assert THRESHOLDS["move"] > SURE
    assert curve_of(("from-root", "look-alike")) == curve_of(("exact",)) == "exact"


def test_other_letters_are_read_and_edited_once_history_knows_no_twin():
    told = confidences([0.5], [("look-alike",)], CURVES)

    assert told == [LOOK_ALIKE]
    assert THRESHOLDS["read"] <= LOOK_ALIKE < THRESHOLDS["edit"]
    assert unseen(LOOK_ALIKE, ("look-alike",)) >= THRESHOLDS["edit"]


def test_two_that_look_alike_are_not_raised():
    told = confidences([0.3, 0.3], [("look-alike",)] * 2, CURVES)

    assert max(told) <= 0.5


def test_another_form_of_the_same_letters_is_surer_than_another_case():
    case = confidences([0.5], [("look-alike",)], CURVES)
    form = confidences([0.5], [("look-alike", "other-form")], CURVES)
    asked = Workspace.from_names(["多agent.md"]).resolve("多 agent.md", "edit")

    assert form > case
    assert asked.status == "resolved"
    assert asked.candidates[0].evidence == ("look-alike", "other-form")


def test_every_operation_has_its_threshold_and_the_graver_the_higher():
    told = THRESHOLDS

    assert told.keys() == OPERATION_KINDS.keys()
    assert told["read"] < told["edit"] < told["move"] < told["delete"]
    assert told["list"] == told["search"] == told["read"]


def test_the_numbers_say_where_they_come_from():
    assert fitted().provenance.keys() >= {"fitted", "by", "cases", "repositories", "shares"}


def test_what_a_session_does_never_weighs_less():
    assert fitted().session.keys() == {
        "read-this-session",
        "not-committed",
        "same-folder-as-work",
    }
    assert all(weight > 1 for weight in fitted().session.values())
