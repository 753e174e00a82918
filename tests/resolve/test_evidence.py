from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.resolve.anchors import Target
from truepath.resolve.features import character, folder_relation, is_renumbered, judge


def speaks(written: str, path: str, *, folder: bool = False, assumed=()) -> set[str]:
    """Return what speaks for `path` when `written` is missing; nothing when they are unlike."""
    judged = judge(Target(written, tuple(assumed)), path, folder=folder)
    return set(judged[1]) if judged else set()


@pytest.mark.parametrize(
    ("written", "path", "evidence"),
    [
        ("a/user.py", "b/user.py", "same-name"),
        ("a/User.py", "a/user.py", "look-alike"),
        ("A/user.py", "a/user.py", "look-alike"),
        ("a/Don't.md", "a/Don\u2019t.md", "look-alike"),
        ("a/\u00dcber.md", "a/U\u0308ber.md", "look-alike"),
        ("a/3 月.md", "a/3月.md", "look-alike"),
        ("a/User.py", "b/user.py", "name-case"),
        ("a/3 月.md", "b/3月.md", "name-case"),
        ("a/user.js", "a/user.ts", "sibling-extension"),
        ("a/ci.yml", "a/ci.yaml", "same-format"),
        ("a/index.htm", "a/index.html", "same-format"),
        ("a/lake.jpeg", "a/lake.jpg", "same-format"),
        ("a/lake.png", "a/lake.jpg", "sibling-extension"),
        ("a/user", "a/user.ts", "sibling-extension"),
        ("a/user.py", "a/user.rb", "other-extension"),
        ("a/user-card.ts", "a/user_card.ts", "separators"),
        ("a/user-card.ts", "a/userCard.ts", "separators"),
        ("a/user-card.js", "a/user_card.ts", "separators"),
        ("a/serializer.py", "a/serializers.py", "plural"),
        ("a/statuses.py", "a/status.py", "plural"),
        ("a/user.py", "a/test_user.py", "test-affix"),
        ("a/user.spec.ts", "a/user.ts", "test-affix"),
        ("a/comunities.py", "a/communities.py", "one-edit"),
        ("a/comunities.py", "a/communities.py", "misspelt"),
        ("a/trial.py", "a/trail.py", "another-word"),
        ("a/trial_data.py", "a/trail_data.py", "another-word"),
        ("a/sesion_stroe.py", "a/session_store.py", "two-edits"),
        ("a/profile_user.py", "a/user_profile.py", "same-words"),
        ("a/user.py", "a/user_profile.py", "word-added"),
        ("a/user_profile_page.py", "a/user_page.py", "word-dropped"),
        ("a/transaction_log.py", "a/transactional_logs.py", "close-name"),
        ("a/user.py", "a/user/__init__.py", "package-file"),
        ("a/user", "a/user/index.ts", "package-file"),
        ("a/user.rs", "a/user/mod.rs", "package-file"),
        ("a/user/__init__.py", "a/user.py", "module-file"),
        ("a/user/index.ts", "a/user.ts", "module-file"),
    ],
)
def test_the_names_say_how_they_differ(written, path, evidence):
    assert evidence in speaks(written, path)


@pytest.mark.parametrize(
    ("written", "path", "reason"),
    [
        ("a/user.py", "a/order.py", "another word"),
        ("docs/0365-tenants.md", "docs/0366-tenants.md", "another number of a series"),
        ("docs/2026-03-01.md", "docs/2026-03-02.md", "another day"),
        ("img/IMG_2041.jpg", "img/IMG_2042.jpg", "another photograph"),
        ("a/v1.py", "a/v2.py", "another version"),
        ("lib/a.ts", "lib/mya.ts", "a name is compared as a whole"),
        ("a/log.go", "a/lag.go", "one letter of three makes another word"),
        ("a/routes.py", "a/rooted.py", "two letters of six do as well"),
        ("a/sesion.py", "a/session.ts", "two mistakes at once"),
        ("a/user.py", "a/order/__init__.py", "the package of another name"),
        ("a/order/__init__.py", "a/user.py", "the module of another name"),
        ("__init__.py", "user.py", "the root is no package"),
    ],
)
def test_unlike_names_are_no_candidates_of_one_another(written, path, reason):
    assert not speaks(written, path), reason


@pytest.mark.parametrize(
    ("wanted", "got", "cost", "evidence"),
    [
        ("a/b", "a/b", 0, {"same-folder"}),
        ("", "", 0, {"same-folder"}),
        ("A/b", "a/B", 0, {"folder-case"}),
        ("x/a/b", "a/b", 1, {"extra-leading", "shared-2", "lost-1"}),
        ("a/x/b", "a/b", 1, {"extra-middle", "shared-2", "lost-1"}),
        ("a/b/x", "a/b", 1, {"extra-last", "shared-2", "lost-1"}),
        ("a/b", "x/a/b", 1, {"missing-leading", "shared-2", "gained-1"}),
        ("a/b", "a/x/b", 1, {"missing-middle", "shared-2", "gained-1"}),
        ("a/b", "a/b/x", 1, {"missing-last", "shared-2", "gained-1"}),
        ("", "a/b", 2, {"missing-leading", "shared-0", "gained-2"}),
        ("crates/serch/src", "crates/search/src", 2, {"folder-slip", "shared-2"}),
        ("src/kimi/ui", "src/kimi_cli/ui", 2, {"folder-words", "shared-2"}),
        ("src/kimi_cli/ui", "src/kimi/ui", 2, {"folder-words", "shared-2"}),
        ("crates/serch/src", "crates/search/src", 2, {"folder-slip", "misspelt"}),
        ("users/jon", "users/john", 2, {"folder-slip", "another-word"}),
        ("db/mssql", "db/mysql", 2, {"folder-replaced"}),
        ("test/unit", "tests/unit", 2, {"folder-slip", "wrong-number"}),
        ("unit_tests", "unit_test", 2, {"folder-slip", "wrong-number"}),
        ("src/entity", "src/entities", 2, {"folder-slip", "wrong-number"}),
        ("src/reader", "src/writer", 2, {"folder-replaced", "opposite"}),
        ("json_writer/src", "json_reader/src", 2, {"folder-replaced", "opposite"}),
        ("api/models", "app/models", 2, {"folder-replaced", "shared-1"}),
        ("src/old/ui", "src/web/ui", 2, {"folder-replaced", "shared-2"}),
        ("lib", "mylib", 2, {"folder-replaced", "shared-0"}),
        ("a/b/c", "x/y", 5, {"moved", "shared-0", "lost-3", "gained-2"}),
        ("a/b/c/d", "a/x/c/y", 5, {"moved", "shared-2"}),
    ],
)
def test_folders_are_compared_by_whole_segments_in_order(wanted, got, cost, evidence):
    changed, said = folder_relation(
        [*filter(None, wanted.split("/"))], [*filter(None, got.split("/"))]
    )

    assert evidence <= set(said)
    if "moved" not in evidence:
        assert changed == cost


def test_the_same_path_is_exact_and_costs_nothing():
    assert judge(Target("a/b.py", ()), "a/b.py", folder=False) == (0, ("as-written", "exact"))
    assert judge(Target("a/b.py", ("line_number",)), "a/b.py", folder=False) == (
        0,
        ("line_number", "exact"),
    )


def test_what_was_assumed_speaks_first():
    cost, evidence = judge(Target("a/b.py", ("home-slip",)), "c/a/b.py", folder=False)

    assert cost > 0
    assert evidence[0] == "home-slip"


@pytest.mark.parametrize(
    ("better", "worse", "written"),
    [
        ("a/b/user.py", "a/c/user.py", "a/b/user.py"),
        ("a/c/user.py", "x/y/user.py", "a/b/user.py"),
        ("a/b/User.py", "a/b/users.py", "a/b/user.py"),
        ("a/b/users.py", "a/b/user_profile.py", "a/b/user.py"),
        ("a/user.py", "c/d/user.py", "a/b/user.py"),
    ],
)
def test_a_path_nearer_to_what_was_written_costs_less(better, worse, written):
    target = Target(written, ())

    assert judge(target, better, folder=False)[0] < judge(target, worse, folder=False)[0]


@pytest.mark.parametrize(
    ("target", "path", "count", "evidence"),
    [
        ("a/x.py", "b/x.py", 1, "only-one"),
        ("a/x.py", "b/x.py", 3, "few-of-name"),
        ("a/x.py", "b/x.py", 9, "many-of-name"),
        ("a/index.ts", "b/index.ts", 1, "generic-name"),
        ("a/README.md", "b/README.md", 1, "generic-name"),
        ("a/types.py", "b/types.py", 1, "plain-name"),
        ("a/order_page.py", "b/order_page.py", 1, "ordinary-name"),
        ("a/rebuild_search_index.py", "b/rebuild_search_index.py", 1, "specific-name"),
        ("a/KeychainStoreTests.swift", "b/KeychainStoreTests.swift", 1, "specific-name"),
        ("src/user.py", "tests/user.py", 1, "crosses-tests"),
        ("tests/user.py", "src/user.py", 1, "crosses-tests"),
        ("docs/v1/a.md", "docs/v2/a.md", 1, "into-edition"),
        ("docs/v1/a.md", "docs/v2/a.md", 1, "out-of-edition"),
        ("docs/en/a.md", "docs/pt-br/a.md", 1, "into-edition"),
        ("src/a.py", "legacy/src/a.py", 1, "into-edition"),
        ("legacy/src/a.py", "src/a.py", 1, "out-of-edition"),
    ],
)
def test_the_kind_of_a_candidate_is_named(target, path, count, evidence):
    assert evidence in character(target, path, count=count)


@pytest.mark.parametrize(
    ("target", "path", "evidence"),
    [
        ("tests/a/user.py", "tests/b/user.py", "crosses-tests"),
        ("src/latest.py", "src/x/latest.py", "into-edition"),
        ("docs/v1/a.md", "docs/v1/b/a.md", "into-edition"),
        ("docs/v1/a.md", "docs/v1/b/a.md", "out-of-edition"),
        ("src/serch/a.py", "src/search/a.py", "into-edition"),
        ("src/a.py", "legacy/src/a.py", "out-of-edition"),
        ("legacy/src/a.py", "src/a.py", "into-edition"),
    ],
)
def test_and_not_where_both_are_of_that_kind(target, path, evidence):
    assert evidence not in character(target, path, count=1)


@pytest.mark.parametrize(
    ("one", "other", "renumbered"),
    [
        ("version-9.x", "version-10.x", True),
        ("v2-notes", "V3-notes", True),
        ("2.0", "2.0.1", True),
        ("2.1", "2.10", True),
        ("01-setup", "2-setup", True),
        ("v03", "v3", False),
        ("v3", "v3", False),
        ("v2", "x3", False),
        ("notes", "notes2", False),
        ("1" * 5000, "2" * 5000, True),
    ],
)
def test_names_that_differ_by_their_numbers_alone_are_told(one, other, renumbered):
    assert is_renumbered(one, other) is is_renumbered(other, one) is renumbered


PART = st.text("abc.-_1é", min_size=1, max_size=5)
PATH = st.lists(PART, min_size=1, max_size=4).map("/".join)


@given(path=PATH, folder=st.booleans())
def test_a_path_is_always_its_own_best_candidate(path, folder):
    assert judge(Target(path, ()), path, folder=folder) == (0, ("as-written", "exact"))


@given(wanted=PATH, got=PATH, folder=st.booleans())
def test_two_paths_are_judged_by_a_cost_that_is_never_negative(wanted, got, folder):
    judged = judge(Target(wanted, ()), got, folder=folder)

    if judged is not None:
        cost, evidence = judged
        assert cost >= 0
        assert evidence
        assert all(evidence)


@given(one=st.lists(PART, max_size=5), other=st.lists(PART, max_size=5))
def test_folders_cost_nothing_only_when_alike(one, other):
    cost, evidence = folder_relation(one, other)

    assert (cost == 0) is bool({"same-folder", "folder-case"} & set(evidence))
    assert folder_relation(other, one)[0] == cost


@pytest.mark.parametrize(("wanted", "got"), [("acpi", "acpx"), ("qvmsq", "qvysq")])
def test_a_folder_near_another_is_not_misspelt_where_no_slip_of_the_hand_leads_to_it(wanted, got):
    _, said = folder_relation([wanted], [got])

    assert {"misspelt", "another-word"}.isdisjoint(said)
