"""The table of checks, at the door: rows of failed calls, and reads that their program
refuses.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace

import pytest
import repos
import rows
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from truepath import Guard, Outcome, ToolCall
from truepath.config.presets import PRESETS
from truepath.config.settings import Settings
from truepath.guard.checks import CHECKS
from truepath.guard.excerpts import LINES, LONGEST
from truepath.guard.files import LARGEST_READ
from truepath.guard.reading import Caller
from truepath.quoting import escaped_line
from truepath.types import ReadLimit

ROWS = rows.read("guard/preconditions")
MOST, PART = 4_000, 1_000
LIMITS = {
    "Read": ReadLimit(MOST, PART, "limit", override="allow_large"),
    "view": ReadLimit(MOST, PART, "view_range"),
    "read_file": ReadLimit(MOST, PART, "limit", in_tokens=True),
}
NOT_FOUND = "String to replace not found in file."
LINE = "def function(value): return value + 1\n"
LARGE = LINE * 200


def _made(root):
    files = {
        ".gitignore": "ignored.py\n",
        "README.md": "# shop\n",
        "src/calc.py": "x\n",
    }
    repos.start(root, files)


@pytest.fixture
def root(tmp_path):
    repos.copied(_made, _made, tmp_path / "repo")
    return tmp_path / "repo"


def guarded(root, events=None, **caller):
    """Return a guard whose caller knows limits, and which keeps its events."""
    policy, events = caller.pop("policy", "careful"), [] if events is None else events
    known = Settings(deny=("denied.py",), preconditions=caller.pop("on", True))
    caller = Caller(**{"limits": LIMITS, **caller})
    return Guard(
        root, policy=policy, settings=known, caller=caller, on_event=events.append
    )


def read(**arguments):
    return ToolCall("Read", arguments)


BETWEEN = ("--", "These are its lines:")
HEAD = r"Lines? \d+( to \d+)?(:|, to be sent in its place:)"

FILES = ("src/calc.py", ".env", "ignored.py", "denied.py", "../outside.py")


def test_each_failed_call_is_answered_as_its_row_says(root):
    def check(row):
        for name in FILES:
            (root / name).write_bytes(row["text"].encode())
        events = []
        call = ToolCall(row["tool"], row["arguments"], cwd=str(root))
        decision = guarded(root, events).after(call, Outcome(error=row["error"]))
        assert dict(decision.arguments) == row["arguments"]
        assert_answered(decision, row)
        # A folder is a path of the wrong kind: it is counted as one.
        expected = [row["check"]] if row["check"] not in (None, "folder") else []
        advised = [event.reason for event in events if event.event == "check.advised"]
        assert advised == expected, decision.text

    rows.check_each(ROWS, check, lambda row: row["reason"])


def assert_answered(decision, row):
    lacking = [words for words in row["says"] if words not in decision.text]
    wrong = [words for words in row["omits"] if words in decision.text]
    assert (lacking, wrong) == ([], []), decision.text
    if row["check"] is None:
        assert (decision.action, decision.text) == ("allow", "")
    else:
        assert decision.action == "advise"
        assert decision.text.startswith(f"{decision.payload['code']}: ")


@pytest.mark.parametrize(
    ("cwd", "path", "named", "why"),
    [
        ("src", "calc.py", "src/calc.py", ""),
        ("src", "src/calc.py", "src/calc.py", " (from the project root)"),
        ("src", "../README.md", "README.md", ""),
        ("src", "new.py", "src/new.py", ""),
        ("", "src", "src", ""),
        ("src", "README", "", "merely likely"),
        ("src", "../../outside.py", "", "outside"),
    ],
)
def test_where_a_tool_takes_absolute_paths_only_that_of_the_file_comes_last(
    root, cwd, path, named, why
):
    (root.parent / "outside.py").write_text("x\n")
    tool = {"new.py": "write", "src": "list"}.get(path, "view")
    call = ToolCall(tool, {"path": path}, cwd=str(root / cwd))
    error = f"path must be absolute: {path}"
    decision = guarded(root).after(call, Outcome(error=error))
    first = f"PATH_IS_NOT_ABSOLUTE: `{path}` is relative{why}."
    told = f"{first}\nNext: {tool} `{root}/{named}`" if named else ""
    assert decision.text == told


def test_a_tool_that_takes_absolute_paths_only_is_told_of_each(root):
    call = ToolCall("view", {"paths": ["src/calc.py", "README.md"]}, cwd=str(root))
    error = Outcome(error="paths must be absolute")
    text = guarded(root).after(call, error).text
    assert text.count("PATH_IS_NOT_ABSOLUTE") == 2
    assert text.endswith(f"Next: view `{root}/README.md`")


def test_every_check_has_a_row_that_it_answers():
    assert {row["check"] for row in ROWS if row["check"]} == {
        each.name for each in CHECKS
    }


def test_a_large_file_is_read_in_part_with_a_note_that_says_how_to_go_on(root):
    (root / "large.py").write_text(LARGE)
    events = []
    decision = guarded(root, events).before(read(file_path="large.py"))
    lines = PART // len(LINE)
    assert decision.action == "rewrite"
    assert decision.arguments == {"file_path": "large.py", "limit": lines}
    assert decision.text == (
        f"OK: lines 1 to {lines} of `large.py` ({len(LARGE) / 1024:.1f} KB in 200 "
        "lines, more than is read at once). To go on: "
        f"offset {lines + 1}, or search in it."
    )
    assert [each.event for each in events] == ["check.ranged"]


@pytest.mark.parametrize(
    ("tool", "given", "becomes"),
    [
        ("Read", {"offset": 150}, {"offset": 150, "limit": 26}),
        ("view", {}, {"view_range": [1, 26]}),
        ("view", {"view_range": None}, {"view_range": [1, 26]}),
        ("Read", {"allow_large": False}, {"allow_large": False, "limit": 26}),
    ],
)
def test_a_part_is_asked_for_as_the_tool_does_it(root, tool, given, becomes):
    (root / "large.py").write_text(LARGE)
    decision = guarded(root).before(ToolCall(tool, {"path": "large.py", **given}))
    assert decision.arguments == {"path": "large.py", **becomes}


def in_part(root, text, tool="Read", **given):
    (root / "large.py").write_bytes(text.encode())
    call = ToolCall(tool, {"path": "large.py", **given})
    return guarded(root).before(call)


@pytest.mark.parametrize(
    ("text", "given", "part", "onward"),
    [
        (LARGE, {}, [1, 26], "view_range [27, 52]"),
        (LARGE.replace("\n", "\r\n"), {}, [1, 25], "view_range [26, 50]"),
        (f"{'x' * 400}\n" * 20, {}, [1, 2], "view_range [3, 4]"),
        (LARGE.rstrip("\n"), {"start_line": 175}, [175, 200], "its last lines"),
        (f"{'y' * 499}\n" * 10, {"start_line": 9}, [9, 10], "its last lines"),
    ],
)
def test_a_part_has_the_bytes_that_the_program_shows_and_says_how_to_go_on(
    root, text, given, part, onward
):
    decision = in_part(root, text, "view", **given)
    assert decision.arguments["view_range"] == part
    assert onward in decision.text


@pytest.mark.parametrize("offset", [201, 9_001, "300", 999_999_999])
def test_a_read_behind_the_end_of_a_file_is_told_where_it_ends(root, offset):
    decision = in_part(root, LARGE, offset=offset)
    assert decision.action == "refuse"
    assert decision.text.endswith(f"in 200 lines: it ends before line {offset}.")


@pytest.mark.parametrize("offset", ["9" * 5_000, "9" * 10, "-1", "1.5", "\u0661" * 12])
def test_a_start_that_no_file_has_is_left_to_the_program(root, offset):
    assert in_part(root, LARGE, offset=offset).action == "allow"


@pytest.mark.parametrize(
    ("tool", "way"),
    [("Read", "Set `allow_large`, search in it"), ("view", "Search in it")],
)
def test_of_a_line_that_is_too_long_the_program_s_own_way_out_is_named(root, tool, way):
    decision = in_part(root, "x" * MOST * 2, tool)
    assert decision.action == "refuse"
    assert f"line 1 alone may be more than is read at once. {way}" in decision.text
    behind = "head\n" + "x" * MOST * 2
    assert in_part(root, behind, "Read").arguments["limit"] == 1
    assert "line 2 alone" in in_part(root, behind, "Read", offset=2).text


@pytest.mark.parametrize(
    ("line", "tokens"),
    [
        ("total = total + value  # sum\n", 17),
        ("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=\n", 35),
        ("0,1,2,3,4,5,6,7,8,9\n", 20),
        ("\u4e2d\u6587\u4e2d\u6587\n", 13),
        ("                        pass\n", 4),
        ("                        pass\r\n", 5),
        ("acgtttgacctagacttgaa\n", 21),  # 8 to 10 in public tokenizers, not 7
        ("rnsqo7ahcj3ykqxbfg2v\n", 21),
        ("internal organization\n", 9),
        (" " * 200 + "x\n", 6),
        ("\t" * 40 + " \t x\n", 8),
    ],
)
def test_where_tokens_count_a_part_has_no_more_than_are_shown(root, line, tokens):
    decision = in_part(root, line * 500, "read_file")
    assert decision.arguments["limit"] == PART // tokens


TOO_MANY = "File content (26871 tokens) exceeds maximum allowed tokens (25000)."


def test_a_file_that_failed_for_its_size_is_read_in_part_while_it_has_that_size(root):
    text = LINE * 90
    guard = guarded(root)
    (root / "src/calc.py").write_text(text)
    whole = ToolCall("Read", {"file_path": "src/calc.py"}, session="s")
    assert guard.before(whole).action == "allow"
    guard.after(whole, Outcome(error=TOO_MANY))
    again = guard.before(whole)
    assert (again.action, again.arguments["limit"]) == ("rewrite", 26)
    other = ToolCall("Read", {"file_path": "src/calc.py"}, session="other")
    assert guard.before(other).action == "allow"
    part = ToolCall("Read", {"file_path": "src/calc.py", "limit": 50}, session="s")
    assert guard.before(part).action == "allow"
    for written in ("SRC/calc.py", "scr/calc.py", "./src/calc.py"):
        call = ToolCall("Read", {"file_path": written}, session="s")
        assert guard.before(call).arguments["limit"] == 26
    (root / "src/calc.py").write_text(text + LINE)
    assert guard.before(whole).action == "allow"


@pytest.mark.parametrize(
    ("name", "content", "call"),
    [
        ("small.py", LARGE[:MOST], {}),
        ("large.py", LARGE, {"limit": 5}),
        ("large.py", LARGE, {"allow_large": True}),
        ("large.py", LARGE, {"offset": "last"}),
        ("picture.png", "\0" * MOST * 2, {}),
        ("latin.txt", b"caf\xe9\n" * MOST, {}),
        ("paper.pdf", "%PDF-1.4\n" + LARGE, {}),
        ("book.ipynb", LARGE, {}),
        ("huge.txt", "x\n" * LARGEST_READ, {}),
        ("denied.py", LARGE, {}),
        ("id_rsa", LARGE, {}),
    ],
)
def test_what_the_program_reads_or_may_read_is_left_alone(root, name, content, call):
    (root / name).write_bytes(
        content if isinstance(content, bytes) else content.encode()
    )
    events = []
    decision = guarded(root, events).before(read(file_path=name, **call))
    assert (decision.action, decision.text, events) == ("allow", "", [])


def test_a_correction_that_leads_to_a_large_file_reads_a_part_and_says_so(root):
    (root / "src/calc.py").write_text(LARGE)
    for written, code in (("scr/calc.py", "ASSUMED"), ("SRC/calc.py", "CORRECTED")):
        decision = guarded(root).before(read(file_path=written))
        assert decision.action == "rewrite"
        assert decision.arguments == {"file_path": "src/calc.py", "limit": 26}
        first, second = decision.text.split("\n")
        assert first.startswith("OK: `src/calc.py`")
        assert second.startswith("OK: lines 1 to 26 of `src/calc.py` (")
        assert decision.payload["code"] == f"PATH_{code}"


@pytest.mark.parametrize("written", ["scr/calc.py", "SRC/calc.py"])
@pytest.mark.parametrize(
    ("given", "text", "is_shown"),
    [
        ({}, "x" * MOST * 2, False),  # no line fits
        ({"offset": 900}, LARGE, False),  # behind its end
        ({"limit": 3}, "x" * MOST * 2, True),  # the agent has chosen
        ({"allow_large": True}, LARGE, True),
        ({}, LINE, True),
    ],
)
def test_no_file_is_said_to_be_shown_that_its_program_does_not_read(
    root, written, given, text, is_shown
):
    (root / "src/calc.py").write_text(text)
    call = read(file_path=written, **given)
    events = []
    decision = guarded(root, events).before(call)
    if is_shown:
        assert decision.arguments == {**call.arguments, "file_path": "src/calc.py"}
        return
    assert decision.action == "refuse"
    assert decision.arguments == call.arguments
    assert decision.text.startswith(f"PATH_NOT_FOUND: `{written}`")
    assert decision.text.endswith("\nNext: Read `src/calc.py`")
    assert "over-limit" in decision.resolutions[0].held_back
    assert [event.replacement for event in events] == [""]
    again = guarded(root).before(
        replace(call, arguments={**call.arguments, "file_path": "src/calc.py"})
    )
    assert again.text.startswith("FILE_TOO_LARGE: `src/calc.py` has ")


@pytest.mark.parametrize(
    ("caller", "call", "content"),
    [
        ({"rewrites": False}, {}, LARGE),
        ({"notes": False}, {}, LARGE),
        ({"policy": "suggest"}, {}, LARGE),
        ({"others": lambda *_: "refuse"}, {}, LARGE),
        ({}, {"approved": True}, LARGE),
        ({}, {}, "x" * MOST * 2),
    ],
)
def test_where_no_part_can_be_read_the_answer_is_an_outline(
    root, caller, call, content
):
    (root / "large.py").write_text(content)
    events = []
    asked = ToolCall("Read", {"file_path": "large.py"}, **call)
    decision = guarded(root, events, **caller).before(asked)
    assert decision.action == "refuse"
    assert decision.text.startswith("FILE_TOO_LARGE: `large.py` has ")
    outline = decision.text.split("\n")[1:]
    assert len(outline) == (20 if content == LARGE else 0)
    assert [each.event for each in events] == ["check.refused"]


LIKE = {"file_path": "src/calc.py", "old_string": "def  function(", "new_string": "x"}


@pytest.mark.parametrize("globs", [("src/calc.py",), ("src/*",), ("*.py",), ("src/",)])
def test_no_line_is_shown_of_a_file_before_whose_read_the_program_asks(root, globs):
    (root / "src/calc.py").write_text(LINE)
    guard = guarded(root, withheld=globs)
    told = guard.after(ToolCall("Edit", LIKE), Outcome(error=NOT_FOUND))
    assert (told.action, told.text) == ("allow", "")
    (root / "src/calc.py").write_text(LARGE)
    told = guarded(root, withheld=globs, rewrites=False).before(
        read(file_path="src/calc.py")
    )
    assert "def function" not in told.text


def test_no_line_is_shown_of_a_file_with_another_name(root):
    (root / ".env").write_text(LINE)
    (root / "src/calc.py").unlink()
    os.link(root / ".env", root / "src/calc.py")
    told = guarded(root).after(ToolCall("Edit", LIKE), Outcome(error=NOT_FOUND))
    assert (told.action, told.text) == ("allow", "")


def test_an_outline_shows_nothing_of_a_file_that_may_not_be_named(root):
    (root / "ignored.py").write_text(LARGE)
    decision = guarded(root, rewrites=False).before(read(file_path="ignored.py"))
    assert decision.text.startswith("FILE_TOO_LARGE")
    assert "function" not in decision.text


@pytest.mark.parametrize("policy", PRESETS)
def test_each_policy_does_before_and_after_a_call_what_it_is_for(root, policy):
    (root / "large.py").write_text(LARGE)
    (root / "src/calc.py").write_text(LINE)
    events = []
    guard = guarded(root, events, policy=policy)
    edit = {
        "file_path": "src/calc.py",
        "old_string": LINE.replace(" ", "  "),
        "new_string": "x",
    }
    did = [guard.before(read(file_path="large.py")).action]
    did.append(guard.after(ToolCall("Edit", edit), Outcome(error=NOT_FOUND)).action)
    expected = {
        "careful": ["rewrite", "advise"],
        "recover": ["rewrite", "advise"],
        "suggest": ["refuse", "advise"],
        "guide": ["allow", "advise"],
        "observe": ["allow", "allow"],
    }
    assert did == expected[policy]
    names = [
        each.event.removeprefix("check.")
        for each in events
        if each.event[:5] == "check"
    ]
    words = {
        "rewrite": "ranged",
        "refuse": "refused",
        "advise": "advised",
        "allow": "observed",
    }
    assert names == [words[each] for each in (did if policy != "guide" else did[1:])]


def test_switched_off_nothing_is_checked(root):
    (root / "large.py").write_text(LARGE)
    guard = guarded(root, on=False)
    assert guard.before(read(file_path="large.py")).action == "allow"
    edit = {
        "file_path": "large.py",
        "old_string": LINE.replace(" ", "  "),
        "new_string": "x",
    }
    assert (
        guard.after(ToolCall("Edit", edit), Outcome(error=NOT_FOUND)).action == "allow"
    )


def test_the_same_failure_again_is_a_miss_and_a_third_in_a_row_is_told_to_be_a_loop(
    root,
):
    (root / "src/calc.py").write_text(LINE)
    edit = {
        "file_path": "src/calc.py",
        "old_string": LINE.replace(" ", "  "),
        "new_string": "x",
    }
    events = []
    guard = guarded(root, events)
    told = [
        guard.after(
            ToolCall("Edit", edit, session="s", turn=turn), Outcome(error=NOT_FOUND)
        )
        for turn in "abcd"
    ]
    assert [each.shift for each in told] == [False, False, True, False]
    assert told[2].text.startswith("STRATEGY_SHIFT: 3 calls in a row failed")
    assert told[2].text.endswith(told[0].text)
    assert sum(each.event == "strategy.shift" for each in events) == 1


def test_another_file_or_another_failure_is_no_loop(root):
    guard = guarded(root)
    for turn, name in enumerate(
        ("src/calc.py", "README.md", "src/calc.py", "README.md")
    ):
        (root / name).write_text(LINE + "\n" * turn)
        old = LINE.replace(" ", "  ") if turn < 2 else LINE.replace("value", "volume")
        edit = {"file_path": name, "old_string": old, "new_string": "x"}
        call = ToolCall("Edit", edit, session="s", turn=str(turn))
        assert not guard.after(call, Outcome(error=NOT_FOUND)).shift


def test_an_answer_is_bounded_whatever_the_file(root):
    (root / "src/calc.py").write_text("".join(f"{n}{'x' * 200}\n" for n in range(500)))
    old = "".join(f"{n}  {'x' * 200}\n" for n in range(500))
    edit = ToolCall(
        "Edit", {"file_path": "src/calc.py", "old_string": old, "new_string": "y"}
    )
    told = guarded(root).after(edit, Outcome(error=NOT_FOUND)).text
    assert told.count("\n") <= LINES
    assert 2_000 < len(told) < LONGEST + 200


def test_an_adapter_has_the_answer_through_its_own_door(root):
    (root / "src/calc.py").write_text(LINE)
    (root / "large.py").write_text(LARGE)
    edit = {
        "file_path": "src/calc.py",
        "old_string": LINE.replace(" ", "  "),
        "new_string": "x",
    }
    guard = guarded(root)
    checked = guard.check(ToolCall("Edit", edit))
    assert (checked.refusal, checked.note) == ("", "")
    assert checked.failed(ValueError(NOT_FOUND)).startswith("TEXT_NOT_FOUND: ")
    assert guard.check(read(file_path="large.py")).note.startswith("OK: lines 1 to ")
    assert (
        guard.check(read(file_path="large.py"), notes=False).refusal[:14]
        == "FILE_TOO_LARGE"
    )


def test_a_sandbox_and_a_list_of_names_have_no_contents_to_tell_of():
    from truepath import Workspace

    space = Workspace.from_names(["src/calc.py"], root="/workspace")
    guard = Guard(workspace=space, caller=Caller(limits=LIMITS))
    assert guard.before(read(file_path="src/calc.py")).action == "allow"
    edit = {
        "file_path": "src/calc.py",
        "old_string": "def first(value)",
        "new_string": "x",
    }
    assert (
        guard.after(ToolCall("Edit", edit), Outcome(error=NOT_FOUND)).action == "allow"
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(alphabet="ab \n\t\r=\x1b\u202e\u2028", max_size=80),
    old=st.text(alphabet="ab \n\t=", min_size=1, max_size=30),
    new=st.text(alphabet="ab \n\t=", max_size=30),
)
def test_no_edit_is_ever_changed_and_what_is_shown_is_the_file_s_own(
    root, text, old, new
):
    (root / "src/calc.py").write_bytes(text.encode())
    edit = {"file_path": "src/calc.py", "old_string": old, "new_string": new}
    decision = guarded(root).after(ToolCall("Edit", edit), Outcome(error=NOT_FOUND))
    assert decision.action in ("allow", "advise")
    assert dict(decision.arguments) == edit
    lines = text.replace("\r\n", "\n").split("\n")
    for line in decision.text.split("\n")[1:]:
        number, _, quoted = line.partition("\t")
        is_own = line in BETWEEN or re.fullmatch(HEAD, line)
        if number.isdecimal() and not is_own:
            assert escaped_line(lines[int(number) - 1]) == quoted
        else:  # a text to be sent is the file's own, and has nothing to escape
            assert is_own or (line in text and escaped_line(line) == line)
    assert (root / "src/calc.py").read_bytes() == text.encode()


def test_a_hit_reads_no_contents(root):
    (root / "large.py").write_text(LARGE)
    os.mkfifo(root / "pipe")
    guard, opened, listens = guarded(root), [], [True]
    names = {str(root / name) for name in ("README.md", "large.py", "pipe")}
    sys.addaudithook(
        lambda event, args: listens and event == "open" and opened.append(args[0])
    )
    for call in (
        read(file_path="README.md"),
        read(file_path="pipe"),
        read(file_path="large.py"),
    ):
        opened.clear()
        guard.before(call)
        read_large = call.arguments["file_path"] == "large.py"
        assert bool(names & {*map(str, opened)}) == read_large
    listens.clear()
