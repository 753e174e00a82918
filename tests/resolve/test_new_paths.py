"""Rows for each row of what leaves a new path as it was written: where it does, and
where another place is asked about.
"""

from __future__ import annotations

from rows import check_each, read

from truepath import Workspace
from truepath.resolve.new_paths import NEW_PATH_VETOES

NAMES = [veto.name for veto in NEW_PATH_VETOES]


def test_a_new_path_is_left_or_asked_about_as_its_row_says():
    def check(row):
        space = Workspace.from_names(
            row["files"], root="/home/ada/acme", cwd=row.get("cwd")
        )
        found = space.resolve(row["written"], row["operation"])
        assert (row["veto"] in found.held_back) == row["holds"], found
        if row["holds"]:
            assert (found.status, found.candidates) == ("absent", ()), found
        else:
            assert found.status == "ambiguous", found
            assert found.candidates[0].path == row["path"], found

    name = "{0[veto]}: {0[why]}".format
    check_each(read("resolve/new_paths"), check, name)


def test_every_row_leaves_and_lets_through_in_a_row_of_the_tests():
    rows = read("resolve/new_paths")
    for holds in (True, False):
        assert {row["veto"] for row in rows if row["holds"] is holds} == {*NAMES}


def test_every_row_has_a_name_and_a_sentence_of_its_own():
    assert len({*NAMES}) == len(NAMES)
    assert all(veto.sentence for veto in NEW_PATH_VETOES)
