"""A correction that the program did not take."""

from __future__ import annotations

import pytest
from repos import move_file, start

from truepath import Guard, Outcome, ToolCall

GONE = Outcome(error="ENOENT: no such file or directory, open 'specs/status.md'")


@pytest.fixture
def repo(tmp_path):
    folder = tmp_path / "acme"
    folder.mkdir()
    files = {"specs/status.md": "all green\n", "src/app/turbine_of_all.py": "x\n"}
    start(folder, files)
    move_file(folder, "specs/status.md", "docs/status.md")
    return folder


def call(path, number="1", tool="Read"):
    return ToolCall(tool, {"file_path": path}, session="s", call_id=number)


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("specs/status.md", "docs/status.md"),  # corrected
        ("lib/turbine_of_all.py", "src/app/turbine_of_all.py"),  # shown
        ("`docs/status.md`", "docs/status.md"),
    ],
)
def test_a_call_that_ran_as_it_was_written_is_told_so_and_counted(repo, path, meant):
    events = []
    guard = Guard(repo, on_event=events.append)
    assert guard.before(call(path)).action == "rewrite"
    told = guard.after(call(path), GONE)
    assert told.action == "advise"
    assert "the program did not take the correction" in told.text
    assert told.text.endswith(f"Next: Read `{meant}`")
    assert [each.event for each in events][-1] == "path.dropped"
    assert events[-1].resolved == meant


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, call("specs/status.md")),  # nothing was corrected
        (call("specs/status.md"), call("specs/status.md", "2")),  # another call
        (call("specs/status.md", ""), call("specs/status.md", "")),  # no id
    ],
)
def test_another_failure_is_answered_as_ever(repo, before, after):
    guard = Guard(repo)
    if before:
        guard.before(before)
    told = guard.after(after, GONE)
    assert told.action == "advise"
    assert "did not take" not in told.text


def test_a_corrected_call_that_fails_on_something_else_is_not_dropped(repo):
    guard = Guard(repo)
    guard.before(call("specs/status.md"))
    told = guard.after(call("docs/status.md"), Outcome(error="permission denied"))
    assert told.action == "allow"
