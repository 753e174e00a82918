"""What an edit says about the contents of its file."""

from __future__ import annotations

from rows import check_each, read

from truepath.calls.contents import old_texts
from truepath.calls.paths import find
from truepath.types import ToolCall


def test_the_text_that_an_edit_replaces_is_in_its_file():
    def check(row):
        call = ToolCall(row["tool"], row["arguments"])
        said = [old_texts(call, mention) for mention in find(call).each]
        assert said == [tuple(texts or ()) for texts in row["texts"]]

    check_each(read("calls/old_texts"), check, lambda row: row["why"])
