"""What the weights make of evidence: probabilities that more support never lowers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath import Workspace
from truepath.config.presets import THRESHOLDS
from truepath.project.history import PathHistory
from truepath.resolve.candidates import Found
from truepath.resolve.model import (
    CEILING,
    DECORATED,
    DOUBTS,
    NOTHING,
    RENAMED,
    SUPPORTS,
    SURE,
    features,
    fitted,
    from_history,
    score,
    unseen,
    weigh,
)
from truepath.types import OPERATION_KINDS

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
CONTEXTS = st.lists(st.sampled_from([*NOTHING, "asked-file", "folder-there"]), max_size=4)


def found(*evidence, folder=False):
    return Found("a/b.py", folder, evidence)


def alone(support_or_doubt):
    """Return the pieces of evidence that make this one feature, where single ones do."""
    return {**SUPPORTS, **DOUBTS}[support_or_doubt].split()


@given(st.lists(EVIDENCE, max_size=6), CONTEXTS)
def test_together_they_are_less_than_certain(candidates, context):
    told = weigh([found(*evidence) for evidence in candidates], context, fitted())

    assert all(0 <= each <= 1 for each in told)
    assert sum(told) <= 1 + 1e-9


@given(st.lists(EVIDENCE, min_size=2, max_size=6), CONTEXTS)
def test_a_higher_score_is_never_less_likely(candidates, context):
    founds = [found(*evidence) for evidence in candidates]
    told = weigh(founds, context, fitted())
    order = sorted(range(len(told)), key=lambda at: score(founds[at], context, fitted()))

    assert [told[at] for at in order] == sorted(told)


SINGLES = [name for name in (*SUPPORTS, *DOUBTS) if alone(name)]


@pytest.mark.parametrize("feature", SINGLES)
@given(EVIDENCE, CONTEXTS)
def test_what_supports_never_counts_against_and_what_doubts_never_for(feature, evidence, context):
    known = features(found(*evidence), context)
    for more in alone(feature):
        grown = features(found(*evidence, more), context)
        if grown.keys() - known.keys() == {feature} and known.items() <= grown.items():
            before = score(found(*evidence), context, fitted())
            after = score(found(*evidence, more), context, fitted())
            assert after >= before if feature in SUPPORTS else after <= before


def test_every_weight_has_a_name_and_its_sign():
    weights = fitted().weights

    assert weights.keys() == {*SUPPORTS, *DOUBTS}
    assert fitted().nothing.keys() == set(NOTHING)
    assert all(weights[name] >= 0 for name in SUPPORTS)
    assert all(weights[name] <= 0 for name in DOUBTS)


def test_no_evidence_makes_two_features():
    words = " ".join((*SUPPORTS.values(), *DOUBTS.values())).split()

    assert len(words) == len(set(words))


COMBINED = [
    # evidence, the feature, why
    ("package-file same-folder", "package-in-place", "`x/__init__.py` for `x.py`"),
    ("same-format same-folder", "form-in-place", "`x.yaml` for `x.yml`"),
    ("same-name moved generic-name", "generic-name-elsewhere", "another `index.ts`"),
    ("doubled same-name moved", "second-guess", "a doubled folder undone, then another folder"),
]
APART = [
    ("package-file missing-leading", "package-in-place", "the package lies elsewhere"),
    ("same-format missing-leading", "form-in-place", "it lies elsewhere"),
    ("same-name same-folder generic-name", "generic-name-elsewhere", "it is in its place"),
    ("doubled exact", "second-guess", "undone, it is the very path"),
]


@pytest.mark.parametrize(("evidence", "feature", "why"), COMBINED)
def test_two_pieces_of_evidence_make_a_feature(evidence, feature, why):
    assert feature in features(found(*evidence.split()), ()), why


@pytest.mark.parametrize(("evidence", "feature", "why"), APART)
def test_without_the_other_piece_they_do_not(evidence, feature, why):
    assert feature not in features(found(*evidence.split()), ()), why


@pytest.mark.parametrize(
    ("folder", "context", "wrong"),
    [(True, "asked-file", 1), (False, "asked-folder", 1), (True, "asked-any", 0)],
)
def test_a_folder_is_not_the_file_that_was_asked_for(folder, context, wrong):
    assert features(found("same-name", folder=folder), [context]).get("wrong-kind", 0) == wrong


def test_without_candidates_there_is_nothing_to_tell():
    assert weigh([], (), fitted()) == []


RANKED = [
    # written, the file that is meant, the other files, why
    ("app/model.py", "app/models.py", "app/views.py lib/module.py", "the name in singular"),
    ("app/models.py", "app/model.py", "app/views.py core/mode.py", "the name in plural"),
    ("docs/web-security.md", "docs/web_security.md", "docs/security.md", "another separator"),
    ("src/web_security/a.py", "src/web-security/a.py", "src/security/a.py", "in a folder too"),
    ("ci/tests.yaml", "ci/tests.yml", "ci/lint.yml ci/test.yml", "two extensions of one format"),
    ("src/x.ts", "src/x.js", "src/xy.js lib/x.py", "a related extension"),
    ("src/Cargo.tml", "src/Cargo.toml", "Cargo.lock", "a misspelt extension"),
    ("flask/ctx", "flask/ctx.py", "flask/cli.py", "no extension"),
    ("app/store.py", "src/app/store.py", "src/lib/store.py", "the folder in front left out"),
    ("web/App.tsx", "web/src/App.tsx", "mobile/src/App.tsx", "a folder left out below"),
    ("web/source/App.tsx", "web/src/App.tsx", "mobile/source/App.tsx", "`source` for `src`"),
    ("source/a/b.py", "src/a/b.py", "test/a/b.py", "in front too"),
    ("test/a_test.go", "tests/a_test.go", "old/a_test.go", "`test` for `tests`"),
    ("doc/guide.md", "docs/guide.md", "examples/guide.md", "`doc` for `docs`"),
    ("pkg/lib/x.go", "pkg/libs/x.go", "pkg/util/x.go", "`lib` for `libs`"),
    ("utils/x.go", "util/x.go", "core/x.go", "`utils` for `util`"),
    ("component/B.tsx", "components/B.tsx", "pages/B.tsx", "`component` for `components`"),
    ("spec/x_spec.rb", "specs/x_spec.rb", "old/x_spec.rb", "`spec` for `specs`"),
    ("script/run.sh", "scripts/run.sh", "bin/run.sh", "`script` for `scripts`"),
    ("conf/app.yml", "config/app.yml", "deploy/app.yml", "`conf` for `config`"),
    ("config/app.yml", "conf/app.yml", "deploy/app.yml", "and the reverse"),
    ("src/x.ts", "src/x/index.ts", "src/y/index.ts", "a folder with an index for a module"),
    ("src/button.ts", "src/button/index.ts", "other/button.ts", "though the name exists elsewhere"),
    ("dialog.rs", "dialog/mod.rs", "ui/dialog.rs ui/mod.rs", "so in Rust"),
    (
        "django/db/models/fields.py",
        "django/db/models/fields/__init__.py",
        "django/contrib/gis/db/models/fields.py django/db/models/base.py",
        "and in Python",
    ),
    (
        "app/login/page.tsx",
        "app/(auth)/login/page.tsx",
        "app/(auth)/register/page.tsx app/page.tsx admin/login/page.tsx",
        "a group is no part of a route",
    ),
    (
        "app/users/[userId]/page.tsx",
        "app/users/[id]/page.tsx",
        "app/users/page.tsx app/[id]/page.tsx",
        "a parameter goes by another name",
    ),
    (
        "specs/5-4-discreet-share-ui.md",
        "specs/5-4-invite-share-ui.md",
        "specs/4-4-discreet-share-ui.md",
        "the number stays, the word changes",
    ),
]


@pytest.mark.parametrize(("written", "meant", "others", "why"), RANKED)
def test_the_file_that_is_meant_comes_first(written, meant, others, why):
    told = Workspace.from_names([meant, *others.split()]).resolve(written)

    assert told.candidates, why
    assert told.candidates[0].path == meant, (why, told.candidates[:2])


@given(st.floats(0, SURE), EVIDENCE)
def test_a_past_that_never_was_makes_nothing_surer_than_names_can_be(chance, evidence):
    assert chance <= unseen(chance, evidence) <= SURE


@pytest.mark.parametrize(
    ("chance", "evidence", "raised"),
    [
        (0.9, ("same-name", "moved", "specific-name"), True),
        (0.9, ("same-name", "missing-leading", "only-one", "shared-2"), True),  # all of it is there
        (0.59, ("same-name", "moved", "specific-name"), False),  # not likely by names alone
        (0.9, ("same-name", "moved", "generic-name"), False),  # the name says nothing
        (0.9, ("same-words", "same-folder", "specific-name"), False),  # and is another
        (0.9, ("same-name", "folder-replaced", "specific-name", "left-gone"), True),
        (0.9, ("same-name", "folder-replaced", "specific-name", "left-there"), False),
        (0.9, ("one-edit", "folder-replaced", "left-there"), False),
        (0.9, ("one-edit", "same-folder", "another-word"), False),  # `trail.py` for `trial.py`
        (0.9, ("same-name", "folder-replaced", "specific-name", "renumbered"), False),
    ],
)
def test_a_past_that_never_was_helps_what_is_likely_by_its_name(chance, evidence, raised):
    assert (unseen(chance, evidence) > chance) == raised


def test_a_recorded_rename_is_likely_enough_to_move():
    assert THRESHOLDS["move"] <= RENAMED


def test_what_a_departed_file_may_explain_as_well_is_not_likely_enough_to_read():
    assert min(THRESHOLDS.values()) >= CEILING


def test_names_alone_are_not_believed_about_a_path_of_which_history_lost_sight():
    lost = from_history(PathHistory("unknown", commit="170b305", complete=False))
    unasked = from_history(PathHistory("unknown", complete=False))

    assert lost.others * DECORATED <= THRESHOLDS["read"]
    assert unasked.others == 1.0


def test_of_two_that_look_alike_none_is_likely_enough():
    told = weigh([found("look-alike")] * 2, (), fitted())

    assert max(told) <= 0.5


def test_another_form_of_the_same_letters_may_be_edited():
    asked = Workspace.from_names(["多agent.md"]).resolve("多 agent.md", "edit")

    assert asked.status == "resolved"
    assert asked.candidates[0].evidence == ("look-alike", "other-form")


def test_every_operation_has_its_threshold_and_the_graver_the_higher():
    told = THRESHOLDS

    assert told.keys() == OPERATION_KINDS.keys()
    assert told["read"] < told["edit"] <= told["move"] < told["delete"]
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
