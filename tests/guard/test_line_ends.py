"""An edit whose text is in its file with other line ends alone: what runs, and what the
file then holds.
"""

from __future__ import annotations

import os

import pytest
import repos
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from truepath import Guard, PathRefused, ToolCall
from truepath.calls.contents import Edit, edits, with_texts
from truepath.calls.paths import find
from truepath.config.settings import Settings
from truepath.guard.line_ends import fitted
from truepath.guard.reading import Caller
from truepath.project.contents import LARGEST_SEARCHED

ENDS = {"CRLF": "\r\n", "LF": "\n", "CR": "\r"}


def edit(old, new="", *, every=False):
    return Edit(old, new, every, (), ("old", "new"))


FITS = [
    ("the file has CRLF", "a\r\nb\r\nc\r\n", ("a\nb", "A\nx\nb"), "CRLF"),
    ("the file has CR", "a\rb\rc\r", ("a\nb", "A"), "CR"),
    ("the file has LF", "a\nb\nc\n", ("a\r\nb", "A\r\nx\r\nb"), "LF"),
    ("a mixed file, by its lines", "a\r\nb\nc\n", ("a\nb", "A\nb"), "CRLF"),
    ("a mixed file, the other way", "a\nb\r\nc\r\n", ("a\r\nb", "A\r\nb"), "LF"),
    ("a line end at each end", "a\r\nb\r\nc\r\n", ("\nb\n", "\nB\n"), "CRLF"),
    ("one line, and its end", "a\r\nb\r\nc\r\n", ("b\n", ""), "CRLF"),
    ("a new text of one line", "a\r\nb\r\n", ("a\nb", "A"), "CRLF"),
]
LEFT = [
    ("it is there as it was sent", "a\nb\r\na\r\nb\r\n", ("a\nb", "x")),
    ("it is there twice", "a\r\nb\r\na\r\nb\r\n", ("a\nb", "x")),
    ("twice, overlapping", "x\r\nx\r\nx", ("x\nx", "y")),
    ("twice, once with both ends", "a\r\nb\r\nc a\r\nb\nc", ("a\nb\nc", "x")),
    ("its place has both ends", "a\r\nb\nc", ("a\nb\nc", "x")),
    ("it is not there", "a\r\nb\r\n", ("a\nc", "x")),
    ("its words differ too", "a\r\nB\r\n", ("a\nb", "x")),
    ("its blanks differ too", "a \r\nb\r\n", ("a\nb", "x")),
    ("it has both ends itself", "a\r\nb\r\nc\r\n", ("a\r\nb\nc", "x")),
    ("a CR alone is a sign", "a\nb\n", ("a\rb", "x")),
    ("line ends are to change", "a\r\nb\r\n", ("a\nb", "a\r\nb")),
    ("the new text has others", "a\r\nb\r\n", ("a\nb", "a\rb")),
    ("nothing is to change", "a\r\nb\r\n", ("a\nb", "a\nb")),
    ("only within a CRLF", "a\r\nb\r\n", ("\r\nb\n", "x")),
    ("an empty file", "", ("a\nb", "x")),
    ("beside a lone CR, it may make a CRLF", "bbb\ra\n\rbabb", ("\na", "a\na\n")),
]


@pytest.mark.parametrize(("why", "text", "texts", "ends"), FITS)
def test_an_edit_that_differs_in_line_ends_alone_has_those_of_its_file(
    why, text, texts, ends
):
    [fit] = fitted(text, [edit(*texts)], in_bytes=True)
    sent = "\r\n" if "\r\n" in texts[0] else "\n"
    there = tuple(each.replace(sent, ENDS[ends]) for each in texts)
    assert (fit.old, fit.new, fit.ends) == (*there, ends), why
    assert text.count(fit.old) == 1


@pytest.mark.parametrize(("why", "text", "texts"), LEFT)
def test_any_other_edit_is_left_as_it_is(why, text, texts):
    assert fitted(text, [edit(*texts)], in_bytes=True) == [], why


def test_no_call_runs_that_would_leave_half_of_a_crlf():
    edits = [edit("\r\nab", "a"), edit("\n", "c")]
    assert fitted("\nab\r\n", edits, in_bytes=True) == []


@pytest.mark.parametrize(
    ("text", "old", "fits"),
    [
        ("a\r\nb\r\n", "a\nb", False),  # a tool that reads lines finds it, and no CRLF
        ("a\nb\n", "a\r\nb", True),
        ("a\nb\nc\r\n", "a\r\nb", False),
    ],
)
def test_of_a_tool_that_is_not_known_only_a_file_without_cr_is_the_same_to_all(
    text, old, fits
):
    assert bool(fitted(text, [edit(old, "x")], in_bytes=False)) == fits


def test_every_occurrence_is_meant_only_if_the_call_says_so():
    text = "a\r\nb\r\n" * 3
    assert fitted(text, [edit("a\nb", "x")], in_bytes=True) == []
    [fit] = fitted(text, [edit("a\nb", "x", every=True)], in_bytes=True)
    assert text.replace(fit.old, fit.new) == "x\r\n" * 3
    mixed = text + "a\nb\n"
    assert fitted(mixed, [edit("a\nb", "x", every=True)], in_bytes=True) == []


def test_each_edit_of_a_call_fits_its_file_as_those_before_leave_it():
    text = "a\r\nb\r\nc\r\nd\r\n"
    one, two, single = edit("a\nb", "A\nb"), edit("c\nd", "C\nd"), edit("a", "z")
    assert [fit.edit for fit in fitted(text, [one, two], in_bytes=True)] == [one, two]
    assert [fit.edit for fit in fitted(text, [single, two], in_bytes=True)] == [two]
    # The first leaves another text in the place of the second, or a second place.
    assert fitted(text, [one, edit("a\nb", "x")], in_bytes=True) == []
    assert fitted(text, [edit("a\nb", "c\nd"), two], in_bytes=True) == []
    # One that is nowhere fails the whole call, whatever the others are.
    assert fitted(text, [one, edit("x\ny", "z")], in_bytes=True) == []


ARGUMENTS = [
    {"path": "f", "old_string": "a", "new_string": "b"},
    {"path": "f", "edits": [{"oldText": "a", "newText": "b"}, {"oldText": "c"}]},
    {"path": "f", "edits": {"old_string": "a", "new_string": "b"}},
    {"files": [{"path": "f", "edits": [{"old": "a", "new": "b"}]}]},
    {"edits": [{"path": "f", "old_string": "a", "new_string": "b"}]},
]


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_only_the_texts_of_an_edit_change_in_its_call(arguments):
    before = repr(arguments)
    [mention] = find(ToolCall("edit_file", arguments)).paths[:1]
    call = ToolCall("edit_file", arguments)
    found = edits(call, mention)
    assert found
    changed = with_texts(arguments, [(each, "OLD", "NEW") for each in found])
    shown = repr(changed).replace("'OLD'", "'a'", 1).replace("'NEW'", "'b'", 1)
    assert shown.replace("'OLD'", "'c'") == before == repr(arguments)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("edit_file", {"path": "f", "edits": '[{"oldText": "a", "newText": "b"}]'}),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: f\n-a\n+b\n"}),
        ("apply_diff", {"path": "f", "diff": "@@ -1 +1 @@\n-a\n+b\n"}),
    ],
)
def test_a_patch_and_what_is_in_a_text_have_no_place_of_their_own(tool, arguments):
    call = ToolCall(tool, arguments)
    [mention] = find(call).paths
    assert [each.at for each in edits(call, mention)] == [None]


WORDS = st.text("ab \t", max_size=3)
LINES = st.lists(WORDS, min_size=1, max_size=6)


@given(
    st.lists(st.tuples(WORDS, st.sampled_from([*ENDS])), max_size=8),
    LINES,
    LINES,
    st.sampled_from(["LF", "CRLF"]),
    st.booleans(),
)
def test_the_file_is_afterwards_what_the_same_edit_with_right_ends_makes(
    lines, old, new, sent, every
):
    text = "".join(word + ENDS[end] for word, end in lines)
    texts = ["\n".join(old), "\n".join(new)]
    assume(len(old) > 1)
    asked = edit(*(each.replace("\n", ENDS[sent]) for each in texts), every=every)
    found = fitted(text, [asked], in_bytes=True)
    wholes = [
        (text.replace(there, becomes), name, text.count(there))
        for name, end in ENDS.items()
        for there, becomes in [[each.replace("\n", end) for each in texts]]
        if there in text
    ]
    if not found:
        return
    [fit] = found
    assert asked.old not in text
    made = text.replace(fit.old, fit.new)
    assert (made, fit.ends) in [whole[:2] for whole in wholes]
    assert every or text.count(fit.old) == 1
    # As a person sees it, the same edit was made, and nothing else.
    plain = [each.replace("\r\n", "\n").replace("\r", "\n") for each in (text, made)]
    assert plain[0].replace(*texts) == plain[1]
    assert plain[0].count(texts[0]) == text.count(fit.old)


def bytewise(path: str, old_string: str, new_string: str) -> str:
    with open(path, "rb") as file:
        data = file.read()
    if data.count(old_string.encode()) != 1:
        raise ValueError("old_string not found")
    with open(path, "wb") as file:
        file.write(data.replace(old_string.encode(), new_string.encode()))
    return "edited"


def linewise(path: str, old_string: str, new_string: str) -> str:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if text.count(old_string) != 1:
        raise ValueError("old_string not found")
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text.replace(old_string, new_string))
    return "edited"


def _made(root):
    repos.start(root, {"f.txt": "x\n", "g.txt": "x\n"})


@pytest.fixture
def root(tmp_path, monkeypatch):
    repos.copied(_made, _made, tmp_path / "repo")
    monkeypatch.chdir(tmp_path / "repo")
    return tmp_path / "repo"


def edited(guard, root, text, *texts, tool=bytewise, **how):
    (root / "f.txt").write_bytes(text.encode())
    run = guard.wrap(tool, operation="edit", **how)
    try:
        said = run("f.txt", *texts)
    except (ValueError, PathRefused) as error:
        said = str(error)
    return said, (root / "f.txt").read_bytes().decode()


WINDOWS = "one\r\ntwo\r\nthree\r\n"
TEXTS = ("one\ntwo", "ONE\nx\ntwo")
MADE = "ONE\r\nx\r\ntwo\r\nthree\r\n"
OK = "OK: with the file's line ends (CRLF).\nedited"


def test_a_tool_that_compares_bytes_is_known_by_its_first_failure(root):
    events = []
    guard = Guard(root, on_event=events.append)
    said, there = edited(guard, root, WINDOWS, *TEXTS)
    assert there == WINDOWS
    assert "only line ends differ" in said
    assert said.endswith("send the same call again; it runs with the file's line ends.")
    assert edited(guard, root, WINDOWS, *TEXTS) == (OK, MADE)
    assert [(each.event, each.reason) for each in events] == [
        ("check.advised", "other-line-ends"),
        ("check.corrected", "other-line-ends"),
    ]
    # Another tool is not known by that.
    assert edited(guard, root, WINDOWS, *TEXTS, tool=linewise)[0] == "edited"


def test_a_tool_that_reads_lines_gets_what_was_sent(root):
    guard = Guard(root)
    for _ in range(2):
        said, there = edited(guard, root, WINDOWS, *TEXTS, tool=linewise)
        assert (said, there) == ("edited", MADE.replace("\r\n", "\n"))


def test_a_tool_that_fails_on_its_file_s_own_ends_is_no_longer_sent_them(root):
    guard = Guard(root)

    def moody(path: str, old_string: str, new_string: str) -> str:
        if moody.busy or "\r" in old_string:
            raise ValueError("not found: " + path)
        return linewise(path, old_string, new_string)

    moody.busy = True
    edited(guard, root, WINDOWS, *TEXTS, tool=moody)
    moody.busy = False
    assert "not found" in edited(guard, root, WINDOWS, *TEXTS, tool=moody)[0]
    assert edited(guard, root, WINDOWS, *TEXTS, tool=moody)[0] == "edited"


def test_what_is_sent_with_crlf_to_a_file_without_needs_no_knowledge(root):
    texts = [each.replace("\n", "\r\n") for each in TEXTS]
    text = WINDOWS.replace("\r\n", "\n")
    for tool in (bytewise, linewise):
        said, there = edited(Guard(root), root, text, *texts, tool=tool)
        assert there == MADE.replace("\r\n", "\n")
        assert said == OK.replace("CRLF", "LF")


def known(tool="EditFile", host="google-adk", **how):
    arguments = {
        "path": "f.txt",
        "old_string": TEXTS[0],
        "new_string": TEXTS[1],
        **how.pop("more", {}),
    }
    return ToolCall(tool, arguments, host=host, **how)


def test_the_tools_of_some_frameworks_are_known_by_name(root):
    (root / "f.txt").write_bytes(WINDOWS.encode())
    decision = Guard(root).check(known()).decision
    assert decision.action == "rewrite"
    assert decision.arguments == {
        "path": "f.txt",
        "old_string": "one\r\ntwo",
        "new_string": "ONE\r\nx\r\ntwo",
    }
    assert decision.payload["code"] == "EDIT_CORRECTED"
    assert Guard(root).check(known(host="langchain")).decision.action == "allow"


@pytest.mark.parametrize(
    ("guard", "call"),
    [
        ({"settings": Settings(preconditions=False)}, {}),
        ({"policy": "suggest"}, {}),
        ({"policy": "guide"}, {}),
        ({"policy": "observe"}, {}),
        ({"caller": Caller(rewrites=False)}, {}),
        ({"caller": Caller(began=1.0)}, {}),
        ({}, {"approved": True}),
    ],
)
def test_what_switches_it_off(root, guard, call):
    (root / "f.txt").write_bytes(WINDOWS.encode())
    assert Guard(root, **guard).check(known(**call)).decision.action == "allow"


@pytest.mark.parametrize(
    "data",
    [
        WINDOWS.encode() * (LARGEST_SEARCHED // len(WINDOWS) + 1),
        b"\xff" + WINDOWS.encode(),
        WINDOWS.encode("utf-16"),
    ],
)
def test_a_file_that_is_too_large_or_no_utf_8_is_left_alone(root, data):
    (root / "f.txt").write_bytes(data)
    texts = {"old_string": "one\ntwo", "replace_all": True}
    assert Guard(root).check(known(more=texts)).decision.action == "allow"


def test_a_secret_and_a_file_outside_are_left_alone(root):
    for name in (".env", "../outside.txt"):
        (root / name).write_bytes(WINDOWS.encode())
        assert Guard(root).check(known(more={"path": name})).decision.action == "allow"


def test_where_a_tool_may_open_another_file_nothing_changes(root, monkeypatch):
    (root / "f.txt").write_bytes(WINDOWS.encode())
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    guard = Guard(root)
    assert guard.check(known()).decision.action == "rewrite"
    (elsewhere / "f.txt").write_bytes(b"one\ntwo\n")
    assert guard.check(known()).decision.action == "allow"
    whole = {"path": os.fspath(root / "f.txt")}
    assert guard.check(known(more=whole)).decision.action == "rewrite"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from([*ENDS]),
    st.sampled_from(["LF", "CRLF"]),
    st.lists(st.sampled_from(["a", "b", "a b", ""]), min_size=2, max_size=6),
    st.integers(0, 4),
    st.sampled_from([bytewise, linewise]),
)
def test_a_file_is_never_another_than_its_tool_makes_of_the_right_text(
    root, there, sent, lines, start, tool
):
    """With each tool, and whether it is known or not."""
    text = ENDS[there].join(lines)
    old = lines[start : start + 2]
    texts = (ENDS[sent].join(old), ENDS[sent].join(["x", *old]))
    guard = Guard(root)
    for _ in range(2):
        _, made = edited(guard, root, text, *texts, tool=tool)
        right = {text, text.replace("\r\n", "\n").replace("\r", "\n")}
        for whole in [*right]:
            for end in ENDS.values():
                right.add(whole.replace(end.join(old), end.join(["x", *old])))
        assert made in right
