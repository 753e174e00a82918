"""What a session has learnt of folders, as notes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from truepath.session.led import (
    changed_places,
    document_places,
    note_of_change,
    note_of_document,
)

NAMES = st.lists(st.sampled_from("a b apps backend x.py".split()), min_size=1)


def test_a_change_of_folders_is_what_the_paths_do_not_end_in():
    def places(written, used, then):
        return [*changed_places([note_of_change(written, used)], then)]

    assert places("backend/x/one.py", "apps/backend/x/one.py", "backend/two.py") == [
        ("apps/backend/two.py", "apps/backend")
    ]
    assert places("server/x/one.py", "apps/api/x/one.py", "server/y/two.py") == [
        ("apps/api/y/two.py", "apps/api")
    ]
    assert places("server/one.py", "apps/api/one.py", "servers/two.py") == []
    assert note_of_change("a/one.py", "a/two.py") == ""
    assert note_of_change("one.py", "src/one.py") == ""


def test_only_documents_that_name_paths_are_noted():
    noted = [
        note_of_document(path)
        for path in ("skills/pptx/SKILL.md", "README.md", "docs/a.md", "d/README.md")
    ]
    assert noted == ["read:skills/pptx", "", "", "read:d"]
    assert [*document_places(noted, "scripts/x.py")] == [
        ("d/scripts/x.py", "d"),
        ("skills/pptx/scripts/x.py", "skills/pptx"),
    ]


@given(NAMES, NAMES, NAMES)
def test_a_change_leads_the_path_that_it_was_made_of_to_where_it_was_put(
    old, new, rest
):
    written = "/".join([*old, *rest])
    used = "/".join([*new, *rest])
    note = note_of_change(written, used)
    for place, _ in changed_places([note] if note else [], written):
        assert place == used
