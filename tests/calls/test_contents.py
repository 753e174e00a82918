"""What a tool call says about the contents of its files, out of arguments, patches and commands."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath import Contents, ToolCall
from truepath.calls.contents import contents
from truepath.calls.patch import held
from truepath.calls.paths import find


def said(tool, arguments):
    call = ToolCall(tool, arguments)
    return [contents(call, mention) for mention in find(call).each]


def edits(*pairs):
    return [{"old_string": old, "new_string": new} for old, new in pairs]


ENVELOPE = (
    "*** Begin Patch\n*** Update File: a.py\n@@ def f\n same\n-old\n+new\n\n end\n@@\n-two\n+2\n"
    "*** Add File: new.py\n+made\n*** Update File: b.py\n*** Move to: c.py\n@@\n-b\n+c\n"
    "*** Delete File: d.py\n*** End Patch\n"
)
TEXTS = [
    ("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, ("x",), "Claude Code"),
    ("edit", {"path": "a.py", "oldText": "x", "newText": "y"}, ("x",), "pi"),
    ("str_replace_editor", {"command": "str_replace", "path": "a.py", "old_str": "x"}, ("x",), ""),
    ("MultiEdit", {"file_path": "a.py", "edits": edits(("x", "y"), ("z", ""))}, ("x", "z"), "all"),
    ("MultiEdit", {"file_path": "a.py", "edits": edits(("x", "yes"), ("ye", ""))}, ("x",), "made"),
    ("edit_file", {"path": "a.py", "edits": '[{"oldText": "x"}]'}, ("x",), "a list as text"),
    ("replace_in_file", {"path": "a.py", "diff": "<<<<<<< SEARCH\nx\n=======\ny\n"}, ("x\n",), ""),
    (
        "apply_patch",
        {"operation": {"type": "update_file", "path": "a.py", "diff": "@@\n-x\n+y\n"}},
        ("x\n",),
        "OpenAI's hosted tool",
    ),
]
NOTHING = [
    ("Edit", {"file_path": "a.py", "old_string": "", "new_string": "y"}, "makes a file"),
    ("Edit", {"file_path": "a.py", "old_string": " \n", "new_string": "y"}, "blank text"),
    ("Write", {"file_path": "a.py", "content": "x"}, "what will be in it"),
    ("Read", {"file_path": "a.py"}, "all of it"),
    ("Read", {"file_path": "a.py", "offset": 1}, "from the first line on"),
    ("Read", {"file_path": "a.py", "offset": -20}, "from the end"),
    ("Read", {"file_path": "a.py", "offset": True}, "no number"),
    ("replace", {"path": "a.py", "old_string": "x.*", "use_regex": True}, "a pattern"),
    ("Bash", {"command": "sed -n '1,40p' a.py"}, "from the first line on"),
    ("Bash", {"command": "cat a.py | sed 's/400,480p//'"}, "another program of sed"),
    ("Bash", {"command": "grep -n 412 a.py"}, "a search"),
]


@pytest.mark.parametrize(("tool", "arguments", "texts", "why"), TEXTS)
def test_the_text_that_an_edit_replaces_is_in_its_file(tool, arguments, texts, why):
    assert said(tool, arguments) == [Contents(texts)], why


@pytest.mark.parametrize(("tool", "arguments", "why"), NOTHING)
def test_other_calls_say_nothing(tool, arguments, why):
    assert set(said(tool, arguments)) <= {None}, why


@pytest.mark.parametrize(
    ("tool", "arguments", "line"),
    [
        ("Read", {"file_path": "a.py", "offset": 400}, 400),
        ("view", {"path": "a.py", "view_range": [30, 50]}, 30),
        ("Read", {"file_path": "a.py:412"}, 412),
        ("Read", {"file_path": "a.py#L412-L420"}, 412),
        ("Bash", {"command": "sed -n '400,480p' a.py"}, 400),
        ("Bash", {"command": "nl -ba a.py | sed -n '400,480p'"}, 400),
    ],
)
def test_the_first_line_that_is_read_is_there(tool, arguments, line):
    assert said(tool, arguments) == [Contents(lines=line)]


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("Bash", {"command": "pytest -q tests/a.py::TestA::test_b"}, ("TestA", "test_b")),
        ("Bash", {"command": "pytest 'tests/a.py::test_b[1-2]'"}, ("test_b",)),
        ("find_symbol", {"name_path": "Cart/total", "relative_path": "a.py"}, ("Cart", "total")),
    ],
)
def test_the_names_that_are_asked_for_are_there(tool, arguments, words):
    assert said(tool, arguments) == [Contents(words=words)]


def test_a_hunk_is_the_text_of_its_file_before_the_patch():
    assert held(ENVELOPE) == {
        "a.py": ("same\nold\n\nend\n", "two\n"),
        "new.py": (),
        "b.py": ("b\n",),
        "c.py": (),
        "d.py": (),
    }


def test_a_file_that_no_operand_names_gives_its_lines_to_no_other():
    quoted = ENVELOPE.replace("*** Delete File: d.py", '*** Update File: "q.py"\n@@\n-lost\n+x')

    assert not any("lost" in text for texts in held(quoted).values() for text in texts)


def test_a_patch_of_many_files_is_read_once_from_its_beginning_to_its_end():
    files = (f"*** Update File: {at}.py\n@@\n{' same' * 9}\n-{at}\n" for at in range(1500))
    began = time.monotonic()

    found = said("apply_patch", {"input": f"*** Begin Patch\n{''.join(files)}*** End Patch\n"})

    assert len(found) == 1500
    assert found[-1].texts[0].endswith("1499\n")
    assert time.monotonic() - began < 5


@given(st.text(max_size=200), st.text(max_size=80))
def test_any_text_is_read_without_fail(patch, path):
    held(patch)
    held(ENVELOPE + patch)
    for tool, arguments in [
        ("apply_patch", {"input": f"*** Begin Patch\n*** Update File: {path}\n{patch}"}),
        ("Edit", {"file_path": path, "old_string": patch, "edits": patch}),
        ("Bash", {"command": f"sed -n '9p' {path}; pytest {path}::{patch}"}),
        ("Read", {"file_path": path, "offset": patch}),
    ]:
        said(tool, arguments)
