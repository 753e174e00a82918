"""What an edit says about the contents of its file."""

from __future__ import annotations

from rows import check_each, read

from truepath.calls.paths import find
from truepath.types import Contents, ToolCall


def test_the_text_that_an_edit_replaces_is_in_its_file():
    def check(row):
        mentions = find(ToolCall(row["tool"], row["arguments"]))
        said = [mention.contents for mention in mentions.each]
        assert said == [texts and Contents(tuple(texts)) for texts in row["texts"]]

    check_each(read("calls/old_texts"), check, lambda row: row["why"])
