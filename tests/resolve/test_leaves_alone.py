"""Wrong paths that no file of the project answers, or more than one: nothing is put in place."""

from __future__ import annotations

import pytest
from rows import check_each
from tables import case_id, cases, files, relative_cases, resolve, rows, told, workspace

from truepath import Workspace
from truepath.paths import key
from truepath.project.secrets import is_secret
from truepath.types import Searched

LEAVES = cases("leaves_alone")
ROWS = rows("leaves_alone")
REFUSALS = {"ambiguous", "absent", "outside", "directory"}


def test_the_table_is_worth_its_name():
    ids = [param.id for param in LEAVES]
    causes = {param.values[0]["cause"] for param in LEAVES}

    assert len(ids) == len(set(ids)) >= 60
    assert len(causes) >= 10


@pytest.mark.parametrize("case", LEAVES)
def test_nothing_takes_the_place_of_a_path_that_has_no_sure_answer(case):
    resolution = resolve(case)

    expected = REFUSALS if case["status"] == "unresolved" else {case["status"]}
    if case.get("shown"):
        # To a call that only reads, and with a word: nothing that could not be undone.
        assert resolution.status == "likely", told(case, resolution)
        edit = resolve({**case, "operation": "edit"})
        assert edit.status in expected, told(case, edit)
    else:
        assert resolution.status in expected, told(case, resolution)
        assert resolution.path is None


def test_the_right_file_is_among_the_three_that_are_named():
    def check(case):
        resolution = resolve(case)

        named = [candidate.path for candidate in resolution.candidates[:3]]
        assert case["right"] in named, told(case, resolution)

    check_each([case for case in ROWS if "right" in case], check, case_id)


def test_what_may_not_be_named_is_not_among_the_candidates():
    def check(case):
        resolution = resolve(case)

        named = {candidate.path for candidate in resolution.candidates}
        assert not named & set(case.get("never", ())), told(case, resolution)
        assert not [path for path in named if is_secret(path)], told(case, resolution)

    check_each(ROWS, check, case_id)


def _names_can_be(case, flavour):
    """Return whether such a disk can hold the case's files: no two names are one name there."""
    names = files(case)
    return len({key(name, flavour) for name in names}) == len(names)


@pytest.mark.parametrize(
    ("flavour", "root"), [("macos", "/Users/marian/acme-api"), ("windows", "C:/work/acme-api")]
)
def test_nor_does_it_by_the_rules_of_any_system(flavour, root):
    def check(case):
        resolution = resolve(case, flavour=flavour, root=root)

        shown = {"likely"} if case.get("shown") else set()
        assert resolution.status in REFUSALS | shown, told(case, resolution)

    names_can_be = [case for case in relative_cases("leaves_alone") if _names_can_be(case, flavour)]
    check_each(names_can_be, check, case_id)


@pytest.mark.parametrize("table", ["leaves_alone", "corrects", "finds"])
def test_a_search_that_was_cut_short_is_neither_sure_nor_absent(table):
    def check(case):
        resolution = resolve(case, cut_short=True)

        if resolution.searched.cut_short:
            assert resolution.status not in ("resolved", "absent"), told(case, resolution)
        else:
            # Nothing was searched, so nothing depends on the search: the path cannot be one, or is
            # about to be made, or is there once its decorations are undone.
            assert resolution.searched.names == 0
            assert resolution == resolve(case)

    check_each(rows(table), check, case_id)


DECORATED = [
    ("read", "`README.md`", True),
    ("edit", "`README.md`", True),
    ("delete", "'docs/architecture.md'\n", True),
    ("read", "README.md:7", True),
    ("edit", "README.md:7", False),
    ("move", "README.md(7)", False),
    ("move", "docs/architecture%2Emd", False),
]
"""What is done, to what, and whether it is done at once: what a file's name may have is not."""


@pytest.mark.parametrize(("operation", "written", "at_once"), DECORATED)
def test_a_path_that_is_there_but_for_its_decorations_needs_no_search(operation, written, at_once):
    names = ["README.md", "docs/architecture.md"]
    resolution = Workspace.from_names(names, cut_short=True).resolve(written, operation)

    assert (resolution.status == "resolved") is at_once
    assert (resolution.searched == Searched()) is at_once


@pytest.mark.parametrize("operation", ["read", "move", "delete"])
@pytest.mark.parametrize("written", ["logs(2,3)", "logs:2", "logs#L3", "./:3", "README.md:symbol"])
def test_no_part_of_a_file_is_named_of_a_folder_and_none_is_moved_by_guess(operation, written):
    space = Workspace.from_names(["README.md", "logs/today.txt"])
    resolution = space.resolve(written, operation, kind="any")

    read = operation == "read" and written.startswith("README")
    assert resolution.path == ("README.md" if read else None)


def test_a_threshold_holds_for_decorations_too():
    space = Workspace.from_names(["README.md"])

    assert space.resolve("`README.md`", threshold=0.99).path == "README.md"
    assert space.resolve("`README.md`", threshold=1.0).path is None


@pytest.mark.parametrize("operation", ["write", "mkdir"])
def test_a_path_about_to_be_made_is_never_sent_elsewhere(operation):
    def check(case):
        assert resolve({**case, "operation": operation, "kind": None}).status != "resolved"

    check_each([*ROWS, *rows("corrects")], check, case_id)


def test_what_is_there_exists():
    """A path of the project is never taken for another, however alike its neighbours."""

    def check(case):
        project = workspace(case)
        for path in files(case):
            resolution = project.resolve(path)
            assert (resolution.status, resolution.path) == ("exists", path)

    check_each(ROWS, check, case_id)


@pytest.mark.parametrize(
    "other", ["src/acme-app", "src/acme-apis", "old/acme-api", "../ada/src/acme-api"]
)
@pytest.mark.parametrize("operation", ["read", "edit"])
def test_a_project_that_is_there_is_no_slip_of_this_one(tmp_path, write, other, operation):
    """Where its folder exists, what is missing in it is missing there, and not meant here."""
    home = tmp_path / "home" / "marian"
    write(home / "src/acme-api", {"app/session_store.py": "", "app/main.py": "", "README.md": ""})
    write(home / other, {"app/main.py": "", "README.md": ""})

    resolution = Workspace(home / "src/acme-api").resolve(
        f"{home}/{other}/app/session_store.py", operation
    )

    assert resolution.status != "resolved"
