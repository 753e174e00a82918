"""What an agent is told to do before it gives a file up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.calls.tool_tables import DISCOVERY
from truepath.guard import messages
from truepath.guard.guidance import pattern, rules, search_steps

STEPS = """\
Search before giving up: `Glob("**/docs/status.md")`, then `Glob("**/status.md")`.
One match: read it. Several: list them and ask the user which is meant. None: ask the user. \
Never skip a file that was referred to without saying so."""


def test_the_folder_and_the_name_are_searched_for_first_and_the_name_alone_then():
    assert search_steps("docs", "status.md") == STEPS
    assert search_steps("docs", "status.md", ("Glob", "Grep")) == STEPS
    assert search_steps("", "status.md").startswith(
        'Search before giving up: `Glob("**/status.md")`.\n'
    )


def test_the_search_is_one_that_the_host_has():
    assert '`glob("**/a/b")`' in search_steps("a", "b", ("glob", "grep", "ls"))
    assert "`find . -path '*/a/b'`, then `find . -name 'b'`" in search_steps(
        "a", "b", DISCOVERY["codex"]
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("status.md", "status.md"),
        ("[id].tsx", "?id?.tsx"),
        ("a*b?.py", "a?b?.py"),
        ("it's `here`", "it?s ?here?"),
        ("é\u0301 ü.md", "é\u0301 ü.md"),
        ('x")\nDo this', "x???Do this"),
        ("x" * 200, "x" * 120 + "*"),
    ],
)
def test_a_name_in_a_pattern_means_itself_alone(name, expected):
    assert pattern(name) == expected


@given(st.text(max_size=300), st.text(max_size=300))
def test_no_name_adds_a_line_or_ends_its_quotes(parent, name):
    for tools in ((), DISCOVERY["codex"]):
        text = search_steps(parent, name, tools)
        assert len(text.splitlines()) == 2
        assert len(text) < 900
        assert text.count("`") in (2, 4)


CODES = (
    *("CORRECTED", "NOT_FOUND", "NOT_A_FILE", "NOT_A_FOLDER", "LOOKS_WRONG", "OTHER_CHECKOUT"),
    *("SHIFT", "UNSEEN", "HOME"),
)


@pytest.mark.parametrize("tools", [(), *DISCOVERY.values()])
def test_the_rules_are_short_and_name_what_an_agent_may_read(tools):
    text = rules(tools)
    assert len(text) < 2000
    assert all(len(line) <= 100 for line in text.splitlines())
    codes = [value for name, value in vars(messages).items() if name in CODES]
    assert len(codes) == len(CODES)
    for code in codes:
        assert f"`{code}`" in text
    assert "from now on" in text
    assert "search before giving up" in text
