"""A call that has failed, and is sent again: an edit while its file is the same, a
command with nothing written between.
"""

from __future__ import annotations

import os
import shutil
import time

import pytest
import repos

from truepath import Guard, Outcome, ToolCall
from truepath.config.settings import Settings
from truepath.guard.reading import Caller

TEXT = "def first(value):\n    total = 0\n    return total\n"
BLANKS, NOWHERE = "def first(value):\n  total = 0", "import os, re, json, sys"
NOT_FOUND = Outcome(error="String to replace not found in file.")


def _made(root):
    repos.start(root, {"calc.py": TEXT, "other.py": TEXT})


@pytest.fixture
def root(tmp_path):
    repos.copied(_made, _made, tmp_path / "repo")
    return tmp_path / "repo"


def edit(old=BLANKS, path="calc.py", **how):
    texts = {"old_string": old, "new_string": "x"}
    return ToolCall("Edit", {"file_path": path, **texts}, session="s", **how)


def fails(guard, call, turn=""):
    """Return what a call is answered before it runs, and after it has failed."""
    before = guard.before(call)
    if before.action == "refuse":
        return before.text, ""
    return before.text, guard.after(call, NOT_FOUND).text


@pytest.mark.parametrize("old", [BLANKS, NOWHERE])
def test_it_is_refused_once_with_the_answer_of_the_first(root, old):
    events = []
    guard = Guard(root, on_event=events.append)
    before, first = fails(guard, edit(old, turn="1"))
    assert before == ""
    refused, _ = fails(guard, edit(old, turn="2"))
    line = "The same call failed a moment ago, and the file is unchanged."
    assert refused.startswith("TEXT_NOT_FOUND: the text to be replaced is not in ")
    assert refused.endswith(line), "below the lines that the first sentence announces"
    assert [each for each in first.splitlines() if each not in refused] == []
    third, told = fails(guard, edit(old, turn="3"))
    assert third == ""
    assert told.startswith("STRATEGY_SHIFT: 3 calls in a row failed")
    assert told.endswith(first)
    assert sum(event.event == "check.refused" for event in events) == 1


@pytest.mark.parametrize(
    ("why", "change"),
    [
        ("its file has changed", {"write": f"{TEXT}\n"}),
        ("another text", {"old": f"{BLANKS}\n"}),
        ("another file", {"path": "other.py"}),
        ("another session", {"session": "t"}),
        ("another sub-agent", {"agent": "a"}),
        ("the file has the text now", {"write": BLANKS}),
    ],
)
def test_any_other_call_runs(root, why, change):
    guard = Guard(root)
    fails(guard, edit())
    if "write" in change:
        (root / "calc.py").write_text(change.pop("write"))
    call = edit(**{key: change[key] for key in ("old", "path") if key in change})
    given = {key: change[key] for key in ("session", "agent") if key in change}
    call = ToolCall(call.tool, call.arguments, **{"session": "s", **given})
    assert guard.before(call).action == "allow", why


@pytest.mark.parametrize(
    "error",
    [
        "File has not been read yet. Read it first before writing to it.",
        "permission denied",
        "File has been modified since read. Read it again.",
        "the user said no",
    ],
)
def test_one_that_failed_for_another_reason_runs(root, error):
    guard = Guard(root)
    guard.before(edit())
    guard.after(edit(), Outcome(error=error))
    assert guard.before(edit()).action == "allow"


def test_one_that_its_file_fits_runs_whatever_its_tool_has_said(root):
    guard = Guard(root)
    assert fails(guard, edit("    total = 0")) == ("", "")
    assert guard.before(edit("    total = 0")).action == "allow"


@pytest.mark.parametrize(
    "how",
    [
        {"settings": Settings(preconditions=False)},
        {"policy": "guide"},
        {"policy": "observe"},
        {"caller": Caller(refuses=False)},
    ],
)
def test_where_nothing_is_refused_it_runs(root, how):
    guard = Guard(root, **how)
    fails(guard, edit())
    assert guard.before(edit()).action == "allow"


RUN = "python -m unittest"


def runs(guard, line=RUN, error="FAILED (errors=1) in 0.{}s", session="s", cwd=None):
    """Return what a command that fails is answered before it runs, and after."""
    call = ToolCall("Bash", {"command": line}, session=session, cwd=cwd)
    before = guard.before(call)
    # In another time each time.
    error = error.format(time.monotonic_ns())
    return before.action, guard.after(call, Outcome(error=error)).text


@pytest.fixture
def settled(root):
    time.sleep(0.05)  # a file system's time is a little behind
    return root


def test_a_command_that_fails_three_times_in_the_same_way_is_told_once(settled):
    root, events = settled, []
    guard = Guard(root, on_event=events.append)
    told = [runs(guard) for _ in range(5)]
    assert [action for action, _ in told] == ["allow"] * 5, "nothing is refused"
    assert told[2][1].startswith("STRATEGY_SHIFT: this line failed 3 times")
    assert [text for _, text in told[:2] + told[3:]] == [""] * 4
    assert [event.event for event in events] == ["strategy.shift"]


def put_away(root):
    (root / "calc.py").write_text("x = 1\n")
    repos.run_git(root, "stash")


@pytest.mark.parametrize(
    ("why", "between"),
    [
        ("a file is edited", lambda root: (root / "calc.py").write_text("x = 1\n")),
        ("a file is made", lambda root: (root / "new.py").write_text("")),
        ("a file is removed", lambda root: (root / "other.py").unlink()),
        ("a file is moved", lambda root: (root / "other.py").rename(root / "o.py")),
        ("a commit is made", lambda root: repos.move_file(root, "calc.py", "c.py")),
        ("an edit is put away", put_away),
        ("git does not work", lambda root: shutil.rmtree(root / ".git")),
    ],
)
def test_one_between_which_something_is_written_is_not(settled, why, between):
    guard = Guard(settled)
    assert runs(guard) == runs(guard) == ("allow", "")
    between(settled)
    assert runs(guard) == runs(guard) == ("allow", ""), why


@pytest.mark.parametrize(
    ("why", "last"),
    [
        ("another line", {"line": f"{RUN} -v"}),
        ("another failure", {"error": "ImportError: no module"}),
        ("another session", {"session": "t"}),
        ("another folder", {"cwd": os.sep}),
    ],
)
def test_another_failure_is_not_the_third(settled, why, last):
    guard = Guard(settled)
    runs(guard)
    runs(guard)
    assert runs(guard, **last)[1] == "", why


@pytest.mark.parametrize(
    "how", [{"settings": Settings(preconditions=False)}, {"policy": "observe"}]
)
def test_no_third_is_told_where_nothing_is_said(settled, how):
    guard = Guard(settled, **how)
    assert [runs(guard)[1] for _ in range(4)] == [""] * 4


def test_a_line_that_the_user_has_refused_is_not_told_to_have_failed(settled):
    guard = Guard(settled)
    call = ToolCall("Bash", {"command": RUN}, session="s")
    refused = Outcome(error="The user does not want to proceed", declined=True)
    assert [guard.after(call, refused).text for _ in range(3)] == [""] * 3
