"""The commands of a call, whether it looks around, and what hosts offer for that."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import check_each, read
from work import lines_run

from truepath.calls import tools
from truepath.calls.tools import commands, is_discovery, with_text
from truepath.types import ToolCall


def test_commands_are_found_and_set_back():
    def check(row):
        call = ToolCall(row["tool"], row["arguments"])
        found = commands(call)
        assert [[each.argument, each.text, each.index] for each in found] == row[
            "texts"
        ]
        for at, each in enumerate(found):
            again = commands(
                ToolCall(row["tool"], with_text(row["arguments"], each, "NEW"))
            )
            texts = [other.text for other in found]
            assert [other.text for other in again] == [
                *texts[:at],
                "NEW",
                *texts[at + 1 :],
            ]

    check_each(read("calls/commands"), check, lambda row: row["why"])


def test_looking_around_is_told_from_everything_else():
    def check(row):
        assert is_discovery(ToolCall(row["tool"], row["arguments"])) is row["looks"]

    check_each(read("calls/looks_around"), check, str)


@pytest.mark.parametrize("sign", ["1", "<", "; ", "ls=1 ", "| ls "])
def test_a_large_command_is_searched_with_little_work(sign):
    call = ToolCall("bash", {"command": sign * (1_000_000 // len(sign))})
    assert lines_run(lambda: is_discovery(call)) < 20_000_000


@given(st.text(alphabet="aB1 ./\\-_[]()!,&=%#$~é", max_size=20))
def test_a_path_without_a_sign_of_a_pattern_needs_no_expression(text):
    assert not re.match(tools._URL, text)
    assert not re.fullmatch(tools._ENDED, text)
    assert not re.search(tools._CHOICE, text)


def test_no_tool_that_is_known_by_its_whole_name_is_one_of_another_machine():
    for name in tools._KNOWN:
        assert not [word for word in tools.data.REMOTE_WORDS if word in name], name
