"""What an edit says about the contents of its file."""

from __future__ import annotations

import re
from pathlib import Path

from rows import check_each, read

from truepath.calls import tool_tables
from truepath.calls.contents import old_texts
from truepath.calls.paths import find
from truepath.types import ToolCall


def test_the_text_that_an_edit_replaces_is_in_its_file():
    def check(row):
        call = ToolCall(row["tool"], row["arguments"])
        said = [old_texts(call, mention) for mention in find(call).paths]
        assert said == [tuple(texts or ()) for texts in row["texts"]]

    check_each(read("calls/old_texts"), check, lambda row: row["why"])


def test_the_page_of_the_library_names_what_is_read_as_an_old_and_a_new_text():
    page = (Path(__file__).parents[2] / "docs/library.md").read_text("utf-8")
    named = {tool_tables.fold(word) for word in re.findall(r"`(\w+)`", page)}
    others = tool_tables.OTHER_NEW_TEXT_NAMES
    listed = {name for name in others if not name.startswith("new")}
    old = tool_tables.OLD_TEXT_NAMES | tool_tables.OTHER_OLD_TEXT_NAMES
    assert named >= old | listed
