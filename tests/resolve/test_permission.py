"""What may be changed by the table of grounds, and what may only be named."""

from __future__ import annotations

from typing import get_args

import pytest

from truepath import Guard, ToolCall, Workspace
from truepath.config.presets import THRESHOLDS
from truepath.config.settings import Settings
from truepath.resolve.permission import PERMITTED, Grounds, grounds, least, needed
from truepath.types import READS, Operation

OPERATIONS: tuple[Operation, ...] = get_args(Operation)
CHANGES: tuple[Operation, ...] = ("edit", "copy", "move", "delete", "execute")

GROUNDS = [
    # evidence, grounds, why
    ("repeats-cwd exact", "itself", "the very path, from another place"),
    ("line-number exact", "itself", "the very path, but for a decoration"),
    ("look-alike", "itself", "the very path, but for case"),
    ("renamed", "recorded", "git says so"),
    ("renamed new-name", "supposed", "git says so, but of another name"),
    ("renamed-uncommitted", "recorded", "git's index says so"),
    ("moved-uncommitted", "supposed", "the work tree looks so"),
    ("from-root renamed", "supposed", "if the path is one from the root"),
    ("renamed new-name changed", "name-alone", "too little of the content was kept"),
    ("folder-renamed new-name", "name-alone", "the file came after its folder had moved"),
    ("same-name missing-leading shared-1 gained-1", "leading", "the path is the end of it"),
    ("same-name missing-leading shared-0 gained-2", "name-alone", "a bare name is no path"),
    (
        "same-name missing-leading shared-1 folder-stands",
        "name-alone",
        "the folder that was named stands, and the file is not in it",
    ),
    ("one-edit missing-leading shared-1 misspelt", "name-alone", "nor is a name misspelt as well"),
    (
        "same-name folder-slip misspelt shared-2 lost-1 gained-1 left-gone",
        "misspelt-folder",
        "a folder that is no word",
    ),
    (
        "same-name folder-slip wrong-number shared-2 lost-1 gained-1 left-gone",
        "misspelt-folder",
        "`test` for `tests`",
    ),
    (
        "same-name folder-slip wrong-number shared-2 lost-1 gained-1 left-there",
        "name-alone",
        "`test` and `tests` both stand",
    ),
    (
        "same-name folder-slip another-word shared-2 lost-1 gained-1 left-gone",
        "beside",
        "`users/jon` for `users/john`",
    ),
    (
        "doubled same-name folder-slip misspelt lost-1 gained-1 left-gone",
        "beside",
        "one guess upon another",
    ),
    ("container-root same-name missing-leading shared-2", "name-alone", "so is this"),
    ("from-checkout exact", "name-alone", "another branch's file"),
    ("from-checkout renamed", "name-alone", "whatever became of it here"),
    ("doubled doubled-last exact", "name-alone", "the folder that the path is in"),
    ("same-name folder-slip shared-2 lost-1 gained-1 left-gone", "name-alone", "other signs"),
    ("same-name folder-replaced lost-1 gained-1 left-gone", "name-alone", "another folder"),
    ("same-name missing-middle shared-2 gained-1", "name-alone", "a folder more in the middle"),
    ("same-name extra-leading shared-2 lost-1", "name-alone", "an invented folder"),
    ("same-name moved lost-2 gained-1", "name-alone", "other folders"),
    ("one-edit same-folder misspelt", "name-alone", "a letter in the file's own name"),
    ("plural same-folder", "name-alone", "`user.py` for `users.py`"),
    ("separators same-folder", "name-alone", "`user-card` for `user_card`"),
    ("same-format same-folder", "name-alone", "another extension of one format"),
    ("sibling-extension same-folder", "name-alone", "another extension"),
    ("word-added same-folder", "name-alone", "a word more"),
    ("test-affix same-folder", "name-alone", "the test of it"),
    ("package-file same-folder", "name-alone", "the package of that name"),
    ("only-holder one-edit same-folder misspelt", "contents", "it alone holds the text"),
    ("only-holder", "contents", "it alone holds the text, and its folder has the name"),
    ("only-holder same-name moved like-gone", "beside", "what left held the text as well"),
    ("only-holder exact", "itself", "the path itself needs no other proof"),
    ("only-holder same-name missing-leading shared-1", "leading", "moved as before, too"),
    ("only-holder doubled-last exact", "name-alone", "another thing whatever it holds"),
    ("same-name missing-leading shared-1 lacks-text", "name-alone", "it lacks the text"),
    ("renamed lacks-text", "recorded", "the text is wrong, not the file"),
    ("from-root exact bare-name", "name-alone", "the root's `uv.lock` for an example's"),
    ("from-root exact bare-name generic-name", "beside", "the root's `README.md` for a folder's"),
    ("repeats-cwd exact generic-name", "itself", "the very path, however generic"),
    ("diff-prefix guessed-spelling exact", "supposed", "`a/x` may be a folder `a`"),
    ("from-root look-alike", "supposed", "from the root, and in another case"),
    ("same-name moved generic-name", "beside", "another folder's `index.ts`"),
    ("same-name missing-leading shared-1 into-edition", "beside", "an archived copy"),
    ("same-name extra-middle out-of-edition", "beside", "what the copy was made of"),
    ("same-name folder-replaced renumbered of-series", "beside", "another version"),
    ("same-name folder-replaced opposite", "beside", "`client/` for `server/`"),
    ("one-edit same-folder another-word", "beside", "`trail.py` for `trial.py`"),
    ("exact like-gone", "beside", "a path that left explains it as well"),
    ("only-holder same-name moved generic-name", "contents", "it alone holds the text"),
]


@pytest.mark.parametrize(("evidence", "told", "why"), GROUNDS)
def test_evidence_is_of_one_class(evidence, told, why):
    assert grounds(evidence.split()) == told, why


def test_every_class_has_its_row_and_no_name_alone_changes_anything():
    assert PERMITTED.keys() == set(get_args(Grounds))
    assert PERMITTED["name-alone"].keys() == READS
    assert not PERMITTED["beside"]


def test_nothing_but_the_path_itself_is_deleted_or_made():
    assert [one for one, row in PERMITTED.items() if {"delete", "write"} & row.keys()] == ["itself"]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_name_alone_may_only_be_looked_at(operation):
    asked = needed(operation, ("one-edit",))

    assert (asked is None) is (operation not in READS)
    assert needed(operation, ("exact",)) == THRESHOLDS[operation]
    assert all(least(operation) <= row.get(operation, 1) for row in PERMITTED.values())


@pytest.mark.parametrize("operation", CHANGES)
def test_a_threshold_of_ones_own_takes_the_place_of_the_table_where_it_is_lower(operation):
    usual = THRESHOLDS[operation]

    assert needed(operation, ("one-edit",), usual - 0.01) == usual - 0.01
    assert needed(operation, ("one-edit",), usual) is None
    assert needed(operation, ("one-edit",), 0.9999) is None
    assert needed(operation, ("exact",), 0.9999) == 0.9999


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_exists_beside_the_path_is_never_acted_on(operation):
    assert needed(operation, ("one-edit", "same-folder", "another-word")) is None


PROJECT = [
    "README.md",
    "backend/app/config.py",
    "backend/app/session_store.py",
    "backend/tests/unit/test_cache.py",
    "customers/martin/orders.csv",
    "docs/status.md",
    "scripts/seed_database.py",
    "src/web/session_view.ts",
    "src/web/main.ts",
    "src/api/routes.ts",
    "config/release.yaml",
    "reports/trail.py",
]

MAY_CHANGE = [
    # what was written, the file that is changed, why
    ("`docs/status.md`", "docs/status.md", "quotes around the path"),
    ("docs/Status.md", "docs/status.md", "another case"),
    ("shop/docs/status.md", "docs/status.md", "the root's name before the path"),
    ("docs/docs/status.md", "docs/status.md", "a doubled folder"),
    ("app/session_store.py", "backend/app/session_store.py", "the folder in front is left out"),
    ("bakend/app/session_store.py", "backend/app/session_store.py", "a folder that is no word"),
    ("backend/test/unit/test_cache.py", "backend/tests/unit/test_cache.py", "the wrong number"),
]

ONLY_NAMED = [
    # what was written, the candidate, why
    ("/workspace/docs/status.md", "docs/status.md", "it points outside the project"),
    ("/home/bob/shop/docs/status.md", "docs/status.md", "so does another home"),
    ("specs/status.md", "docs/status.md", "another folder"),
    (".claude/worktrees/a/docs/status.md", "docs/status.md", "a work tree that is gone"),
    ("backend/app/app", "backend/app", "the folder that it lies in"),
    ("src/web/src/web", "src/web", "the folders that it lies in"),
    ("src/api/session_view.ts", "src/web/session_view.ts", "a sibling folder that stands"),
    ("src/store/session_view.ts", "src/web/session_view.ts", "an invented sibling folder"),
    ("backend/session_store.py", "backend/app/session_store.py", "a folder left out in the middle"),
    ("tools/backend/app/session_store.py", "backend/app/session_store.py", "an invented folder"),
    ("seed_database.py", "scripts/seed_database.py", "a bare name"),
    ("backend/app/sesion_store.py", "backend/app/session_store.py", "a letter of the name"),
    ("backend/app/session-store.py", "backend/app/session_store.py", "another sign"),
    ("backend/app/session_stores.py", "backend/app/session_store.py", "another number"),
    ("backend/app/test_session_store.py", "backend/app/session_store.py", "a test that is not"),
    ("config/release.yml", "config/release.yaml", "another extension of the same format"),
    ("src/web/session_view.js", "src/web/session_view.ts", "another extension"),
    ("customers/marten/orders.csv", "customers/martin/orders.csv", "another person"),
    ("reports/trial.py", "reports/trail.py", "another word"),
]


@pytest.mark.parametrize(("written", "path", "why"), MAY_CHANGE)
@pytest.mark.parametrize("operation", ["read", "edit", "copy", "move", "execute"])
def test_it_may_be_changed(written, path, why, operation):
    told = Workspace.from_names(PROJECT, root="/work/shop").resolve(written, operation)

    assert (told.status, told.path) == ("resolved", path), (why, told.candidates[:2])


@pytest.mark.parametrize(("written", "path", "why"), ONLY_NAMED)
@pytest.mark.parametrize("operation", CHANGES)
def test_it_may_only_be_named(written, path, why, operation):
    told = Workspace.from_names(PROJECT, root="/work/shop").resolve(written, operation)

    assert told.path is None, (why, told.candidates[:2])
    assert told.status == "ambiguous", why
    assert told.candidates[0].path == path, why


@pytest.mark.parametrize(
    ("written", "path", "why"),
    [
        ("reports/trial.py", "reports/trail.py", "another word"),
        ("customers/marten/orders.csv", "customers/martin/orders.csv", "another person"),
    ],
)
def test_another_word_is_not_read_either(written, path, why):
    told = Workspace.from_names(PROJECT).resolve(written)

    assert (told.path, told.candidates[0].path) == (None, path), why


OTHER_SIDES = [
    ("src/client/session_pool.ts", "src/server/session_pool.ts"),
    ("reader/format_table.py", "writer/format_table.py"),
    ("pkg/sync/retry_policy.py", "pkg/async/retry_policy.py"),
    ("json_input/field_mapping.py", "json_output/field_mapping.py"),
]


@pytest.mark.parametrize(("written", "path"), OTHER_SIDES)
@pytest.mark.parametrize("operation", ["read", "edit"])
def test_the_other_side_of_a_thing_is_only_named(written, path, operation):
    told = Workspace.from_names([path, "README.md", "docs/a.md"]).resolve(written, operation)

    assert (told.path, told.candidates[0].path) == (None, path)


@pytest.mark.parametrize("policy", ["careful", "recover"])
@pytest.mark.parametrize(
    "command",
    ["bash backend/app/sesion_store.py", "pytest backend/app/sesion_store.py", "mv {} x", "rm {}"],
)
def test_under_every_policy_what_is_only_named_is_refused_with_its_name(make_repo, policy, command):
    repo = make_repo({name: f"{name}\n" for name in PROJECT})
    command = command.format("backend/app/sesion_store.py")
    decision = Guard(repo, policy=policy, timeout_s=10.0).before(
        ToolCall("Bash", {"command": command})
    )

    assert (decision.action, decision.arguments) == ("refuse", {"command": command})
    assert "backend/app/session_store.py" in decision.text


def test_a_user_who_sets_the_threshold_decides_himself(make_repo):
    repo = make_repo({name: f"{name}\n" for name in PROJECT})
    call = ToolCall("Edit", {"file_path": "backend/app/sesion_store.py", "old_string": "a"})

    own = Guard(repo, settings=Settings(thresholds={"edit": 0.9}), timeout_s=10.0).before(call)
    strict = Guard(repo, settings=Settings(thresholds={"edit": 0.99}), timeout_s=10.0).before(call)

    assert (own.action, strict.action) == ("rewrite", "refuse")
    assert own.arguments["file_path"] == "backend/app/session_store.py"


WRITES = [
    # written, what recover makes of it (None: refused), why
    ("bakend/app/metrics.py", "backend/app/metrics.py", "the folder stands under that name"),
    ("bakend/aps/metrics.py", None, "the folder below it does not"),
    ("BACKEND/APP/METRICS.PY", None, "nor does it in these letters"),
    ("bakend/app/metrics.py#L10", None, "a line is no part of a name"),
    ("bakend/app/session_store.py", None, "a file stands there"),
]


@pytest.mark.parametrize(("written", "made", "why"), WRITES)
def test_a_write_is_repaired_only_where_nothing_new_but_the_file_is_made(
    make_repo, written, made, why
):
    repo = make_repo({name: f"{name}\n" for name in PROJECT})
    arguments = {"file_path": written, "content": "x"}
    decision = Guard(repo, policy="recover").before(ToolCall("Write", arguments))

    assert decision.action == ("rewrite" if made else "refuse"), (why, decision.text)
    assert decision.arguments["file_path"] == (made or written)
