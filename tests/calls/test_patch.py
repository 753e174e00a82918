"""The paths of a patch, what it does to them, what their files hold, and other paths in
it.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import check_each, read

from truepath.calls.patch import headers, rewrite

EDIT = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** End Patch\n"


def test_each_file_is_found_with_what_it_holds():
    def check(row):
        found = headers(row["patch"])
        files = [
            [header.written, header.operation, [hunk.old for hunk in header.hunks]]
            for header in found
        ]
        assert files == row["files"]
        for header in found:
            spelled = {row["patch"][slice(*span)] for span in header.spans}
            assert spelled == {header.written}

    check_each(read("calls/patches"), check, lambda row: row["why"])


def test_the_path_alone_changes():
    [header] = headers(EDIT)
    assert rewrite(EDIT, {header: "lib/a b.py"}) == EDIT.replace(
        "src/a.py", "lib/a b.py"
    )


def test_both_sides_of_a_diff_change_and_one_with_more_places_is_refused():
    diff = "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-x\n+y\n"
    [header] = headers(diff)
    assert rewrite(diff, {header: "lib/b.py"}) == diff.replace("src/a.py", "lib/b.py")
    [header] = headers(whole := f"diff --git a/src/a.py b/src/a.py\n{diff}")
    assert rewrite(whole, {header: "lib/b.py"}) is None


@pytest.mark.parametrize(
    "path", ["", "a\nb", "a\rb", " a", "a ", "a\tb", "a\0b", "a\udc80", '"a']
)
def test_a_path_that_cannot_stand_in_a_header_is_refused(path):
    [header] = headers(EDIT)
    assert rewrite(EDIT, {header: path}) is None


def test_a_header_of_another_patch_is_refused():
    [header] = headers(EDIT)
    assert rewrite("\n" + EDIT, {header: "b.py"}) is None


LINES = st.sampled_from(
    "*** Begin Patch|*** Update File: a|*** Add File: c|*** Move to: b|*** End Patch|"
    "--- a/x|+++ b/x|@@|@@ -1 +1 @@|-x|+y| z|".split("|")
)


@given(st.lists(LINES, max_size=20).map("\n".join) | st.text())
def test_any_patch_is_rewritten_to_what_was_asked_or_not_at_all(patch):
    found = headers(patch)
    for at, header in enumerate(found):
        new = rewrite(patch, {header: "lib/new.py"})
        if new is not None:
            expected = [each.written for each in found]
            same = [each for each in range(len(found)) if found[each] == header]
            for each in same or [at]:
                expected[each] = "lib/new.py"
            assert [each.written for each in headers(new)] == expected
