"""Wrong paths of which everybody would say what is meant, and near ones that must be offered."""

from __future__ import annotations

import pytest
from rows import check_each
from tables import case_id, cases, files, relative_cases, resolve, rows, told

from truepath import Workspace
from truepath.paths import join, key

CORRECTS = cases("corrects")


def test_the_table_is_worth_its_name():
    ids = [param.id for param in CORRECTS]
    causes = {param.values[0]["cause"] for param in CORRECTS}

    assert len(ids) == len(set(ids)) >= 60
    assert len(causes) >= 10


@pytest.mark.parametrize("case", CORRECTS)
def test_the_right_file_takes_the_place_of_a_wrong_path(case):
    resolution = resolve(case)

    assert (resolution.status, resolution.path) == ("resolved", case["path"]), told(
        case, resolution
    )


def test_without_the_right_file_nothing_takes_its_place():
    """Whatever made a correction certain, it was the file and not its neighbours."""

    def check(case):
        right = case["path"]
        gone = [path for path in files(case) if path == right or path.startswith(right + "/")]
        resolution = resolve({**case, "without": [*case.get("without", ()), *gone]})

        assert resolution.status != "resolved", told(case, resolution)

    check_each(rows("corrects"), check, case_id)


@pytest.mark.parametrize(
    ("flavour", "root"), [("macos", "/Users/marian/acme-api"), ("windows", "C:/work/acme-api")]
)
def test_it_does_so_by_the_rules_of_every_system(flavour, root):
    def check(case):
        resolution = resolve(case, flavour=flavour, root=root)

        # Where names are compared without case, what differs in case alone is there as written.
        pointed = join(case.get("cwd", ""), case["written"], flavour)
        there = key(pointed, flavour) == key(case["path"], flavour)
        assert resolution.status in ({"exists"} if there else {"exists", "resolved"})
        assert key(resolution.path, flavour) == key(case["path"], flavour), told(case, resolution)

    check_each(relative_cases("corrects"), check, case_id)


def test_backslashes_are_slashes_on_windows():
    def check(case):
        written = case["written"].replace("/", "\\")
        resolution = resolve(case, written=written, flavour="windows", root="C:/work/acme-api")

        assert resolution.status in ("exists", "resolved"), told(case, resolution)
        assert key(resolution.path, "windows") == key(case["path"], "windows")

    cases_of_names = [case for case in relative_cases("corrects") if case["cause"] != "decoration"]
    check_each(cases_of_names, check, case_id)


@pytest.mark.parametrize("case", cases("finds"))
def test_a_likely_file_is_the_first_candidate_however_sure(case):
    resolution = resolve(case)

    assert resolution.status in ("resolved", "likely", "ambiguous"), told(case, resolution)
    assert resolution.candidates[0].path == case["path"], told(case, resolution)


def test_a_folder_that_really_lies_in_one_of_its_name_is_not_taken_for_doubled():
    names = ["packages/rye/core.py", "packages/rye/rye/core.py", "docs/index.md"]
    workspace = Workspace.from_names(names, root="/work/tools")

    standing_above = workspace.resolve("packages/rye/rye", "list", cwd="packages")
    doubled = workspace.resolve("packages/rye/rye/rye", "list")

    assert standing_above.path == doubled.path == "packages/rye/rye"
