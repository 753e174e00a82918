from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.calls.paths import find, is_ordered
from truepath.types import Resolution, ToolCall

NAMED = [
    "see specs/status.md",
    "see specs/status.md.",
    "see `specs/status.md`, please",
    "@specs/status.md",
    "(specs/status.md)",
    "./specs/status.md",
    "specs/status.md:12 is wrong",
    "/repo/specs/status.md",
]
NOT_NAMED = [
    ("", "nothing was typed"),
    ("see status.md", "a bare name leaves it to the agent where that is"),
    ("see old/specs/status.md", "a path that ends with it"),
    ("see ../specs/status.md", "the same elsewhere"),
    ("see ~/specs/status.md", "the same at home"),
    ("see specs/status.md.bak", "a path that begins with it"),
    ("see specs/status.md/x", "a path below it"),
    ("see my-specs/status.md", "another folder"),
]


def ordered(prompt, written="/repo/specs/status.md", target="specs/status.md"):
    call = ToolCall("Read", prompt=prompt)
    return is_ordered(call, Resolution(written, "absent", "read", target=target))


@pytest.mark.parametrize("prompt", NAMED)
def test_a_path_that_the_user_typed_is_an_order(prompt):
    assert ordered(prompt)


@pytest.mark.parametrize(("prompt", "why"), NOT_NAMED)
def test_what_the_user_did_not_type_is_none(prompt, why):
    assert not ordered(prompt), why


def test_a_bare_name_is_no_order_even_at_the_root():
    assert not ordered("rename status.md", written="status.md", target="status.md")


def test_a_folder_is_one_with_and_without_its_slash():
    assert ordered("look in src/app/", written="src/app", target="src/app")
    assert ordered("look in src/app", written="src/app/", target="src/app")


WHOLE = [
    ({"request": {"path": "a/b.py"}}, "a/b.py", "a function of one model"),
    ({"params": {"file_path": "a/b.py", "limit": 3}}, "a/b.py", "the rest is kept"),
    ({"request": {"path": "a/b.py"}, "limit": 3}, None, "not all arguments are in it"),
    ({"filter": {"path": "a/b.py"}}, None, "it is part of a question"),
    ({"request": {"request": {"path": "a/b.py"}}}, None, "one object deep"),
    ({"request": "a/b.py"}, None, "no object"),
    ({"request": {"owner": "o", "repo": "r", "path": "a/b.py"}}, None, "another machine's"),
]


@pytest.mark.parametrize(("arguments", "written", "why"), WHOLE)
def test_all_arguments_may_be_in_one_object(arguments, written, why):
    mentions = find(ToolCall("read_file", arguments))
    assert [each.written for each in mentions.each] == ([written] if written else []), why
    assert mentions.rewritten({}) == arguments
    if written:
        [(name, inner)] = arguments.items()
        changed = {key: "c.py" if value == written else value for key, value in inner.items()}
        assert mentions.rewritten({0: "c.py"}) == {name: changed}


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_any_text_is_searched(prompt, written, target):
    assert isinstance(ordered(prompt, written, target), bool)


ALONE = [
    ("cat a.py", True, "nothing else runs"),
    ("cat a.py 2>&1", True, "a redirection is no command"),
    ("grep 'x|y;z' a.py", True, "a pattern is no pipe"),
    ("head -5 a.py > out.txt", True, "an output"),
    ("(cat a.py)", True, "brackets around one"),
    ("cat a.py # show it; now", True, "a comment"),
    ("cat a.py; make", False, "what follows would not run"),
    ("git status && cat a.py", False, "what comes before would not run"),
    ("cat a.py | sort", False, "the rest of a pipeline"),
    ("cat a.py\nmake", False, "another line"),
    ("sleep 5 & cat a.py", False, "what runs beside it"),
    ("cd b && cat a.py", False, "the folder is entered"),
    ("bash -c 'cat a.py; make'", False, "a text of several commands"),
    ("for x in 1 2; do cat a.py; done", False, "more than once"),
    ("cat a.py b.py", False, "the other file would not be shown"),
]


@pytest.mark.parametrize(("command", "alone", "why"), ALONE, ids=[row[0] for row in ALONE])
def test_a_path_is_alone_where_refusing_it_refuses_nothing_else(command, alone, why):
    mentions = find(ToolCall("Bash", {"command": command})).each
    assert mentions
    assert {each.alone for each in mentions if each.written == "a.py"} == {alone}, why
