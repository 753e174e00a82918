"""What was learnt of folders, as texts."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from truepath.session.keys import key, session_file
from truepath.session.led import (
    change_of,
    changed_places,
    document_places,
    note_of_document,
)
from truepath.session.session import session_of
from truepath.session.state import SessionState
from truepath.session.stores import FileStore
from truepath.types import ToolCall

NAMES = st.lists(st.sampled_from("a b apps backend x.py".split()), min_size=1)


def test_a_change_of_folders_is_what_the_paths_do_not_end_in():
    def places(written, used, then):
        return [*changed_places([change_of(written, used)], then)]

    assert places("backend/x/one.py", "apps/backend/x/one.py", "backend/two.py") == [
        ("apps/backend/two.py", "apps/backend")
    ]
    assert places("server/x/one.py", "apps/api/x/one.py", "server/y/two.py") == [
        ("apps/api/y/two.py", "apps/api")
    ]
    assert places("server/one.py", "apps/api/one.py", "servers/two.py") == []
    assert change_of("a/one.py", "a/two.py") == ""
    assert change_of("one.py", "src/one.py") == ""


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
    note = change_of(written, used)
    for place, _ in changed_places([note] if note else [], written):
        assert place == used


def test_sessions_of_a_project_keep_what_each_has_learnt(tmp_path):
    one, other, third = (
        session_of(ToolCall("Read", {}, session=name), FileStore(str(tmp_path)), "/p")
        for name in ("s", "t", "u")
    )
    for number in range(30):
        one.changed({f"a{number}>b": True}, ())
        other.changed({f"c{number}>d": True, "likely>e": False}, ())
    assert [*third.changes()] == [
        change for n in range(5, 30) for change in (f"a{n}>b", f"c{n}>d")
    ]
    assert other.changes()[-1] == "likely>e", "of its own the last"
    one.changed({"new>b": True}, gone=["c29>d"])
    assert "c29>d" not in third.changes()
    later = SessionState(changes=("a>b",)).at(1e9)
    assert later.changes == ("a>b",), "however long nothing was asked"
    file = session_file(str(tmp_path), key("", project="/p"))
    assert os.name == "nt" or os.stat(file).st_mode & 0o777 == 0o600
    with open(file, "w") as broken:
        broken.write('{"version":7,')
    assert third.changes() == []
