"""How a corrected call ended: recorded once, and told where it did not end well."""

from __future__ import annotations

import pytest
from repos import move_file, start

from truepath import Guard, Outcome, ToolCall
from truepath.guard.reading import Caller

GONE = Outcome(error="ENOENT: no such file or directory, open 'specs/status.md'")
OLD, NEW = "specs/status.md", "docs/status.md"


@pytest.fixture
def repo(tmp_path):
    folder = tmp_path / "acme"
    folder.mkdir()
    files = {OLD: "all green\n", "src/app/turbine_of_all.py": "x\n", "a/util.py": "a\n"}
    start(folder, files)
    move_file(folder, OLD, NEW)
    return folder


def call(path, number="1", tool="Read", **more):
    return ToolCall(tool, {"file_path": path}, session="s", call_id=number, **more)


def bash(command, number="1", **more):
    return ToolCall("Bash", {"command": command}, session="s", call_id=number, **more)


class Told:
    """A guard of an agent program, and its events."""

    def __init__(self, repo, *, results=None):
        self.events = []
        caller = Caller(here=False, results=results)
        self.guard = Guard(repo, on_event=self.events.append, caller=caller)

    @property
    def ends(self):
        return [event.end for event in self.events if event.event == "path.ended"]


ENDS = [
    # What ran, how it came out, the end, and words of what is told.
    (call(NEW), Outcome(output="all green"), "ran", ""),
    (call(NEW), Outcome(error="EIO"), "failed", f"`{NEW}` was used in place of `"),
    (call(OLD), GONE, "dropped", "did not take the correction"),
    (call(OLD), Outcome(output="all red"), "dropped", f"Next: Read `{NEW}`"),
    (call(NEW), Outcome(declined=True), "declined", ""),
    (call("other.md"), Outcome(output="x"), "", ""),
]


@pytest.mark.parametrize(("ran", "outcome", "end", "words"), ENDS)
@pytest.mark.parametrize("number", ["1", ""], ids=["id", "no id"])
def test_a_call_has_one_end(repo, ran, outcome, end, words, number):
    told = Told(repo)
    assert told.guard.before(call(OLD, number)).action == "rewrite"
    ran = ToolCall(ran.tool, ran.arguments, session="s", call_id=number)
    first = told.guard.after(ran, outcome)
    again = told.guard.after(ran, Outcome(output="x"))
    assert told.ends == [end] * bool(end)
    assert words in first.text
    assert bool(words) == (first.action == "advise")
    assert "OK:" not in first.text
    assert again.action == "allow"
    if end:
        corrected, *_, ended = told.events
        assert (corrected.event, ended.of) == ("path.corrected", corrected.id)
        assert (ended.requested, ended.replacement) == (OLD, NEW)


@pytest.mark.parametrize(
    ("line", "ran", "outcome", "end"),
    [
        (f"cat {OLD} | head", f"cat {OLD} | head", Outcome(output=""), "dropped"),
        (f"cat {OLD} | head", f"cat {NEW} | head", Outcome(output="x"), "ran"),
        (f"grep zz {OLD}", f"grep zz {NEW}", Outcome(error="Exit code 1"), "failed"),
        (f"cat {OLD} | head", f"x cat {OLD} | head", Outcome(output=""), "dropped"),
        (f"cat {OLD} | head", f"cat {NEW} | head; true", Outcome(output=""), "ran"),
    ],
)
def test_a_command_has_one_too(repo, line, ran, outcome, end):
    told = Told(repo)
    assert told.guard.before(bash(line)).action == "rewrite"
    said = told.guard.after(bash(ran), outcome)
    assert told.ends == [end]
    assert ("Next: use `docs/status.md`" in said.text) == (end == "dropped")
    assert ("the call failed on something else" in said.text) == (end == "failed")


def test_what_is_shown_ends_too(repo):
    told = Told(repo)
    path, meant = "lib/turbine_of_all.py", "src/app/turbine_of_all.py"
    assert told.guard.before(call(path)).action == "rewrite"
    assert told.guard.after(call(path), GONE).text.endswith(f"Next: Read `{meant}`")
    assert told.ends == ["dropped"]


@pytest.mark.parametrize(
    ("results", "end"), [(None, ["declined"]), (("Read",), ["declined"]), ((), [])]
)
@pytest.mark.parametrize("what", ["prompt", "next turn"])
def test_a_call_without_an_end_was_refused_where_each_has_one(repo, results, end, what):
    told = Told(repo, results=results)
    told.guard.before(call(OLD, turn="1"))
    told.guard.before(call("a/util.py", "2", turn="1"))
    told.guard.prompted(call("", ""), typed=False)  # a sub-agent goes on
    assert told.ends == []
    if what == "prompt":
        told.guard.prompted(call("", ""))
    else:
        told.guard.before(call("a/util.py", "3", turn="2"))
    assert told.ends == end
    told.guard.prompted(call("", ""))
    assert told.ends == end


def test_parallel_calls_end_each_by_itself(repo):
    told = Told(repo)
    for number in "12":
        told.guard.before(call(OLD, number, turn="1"))
    told.guard.after(call(NEW, "2"), Outcome(output="x"))
    told.guard.after(call(OLD, "1"), GONE)
    assert told.ends == ["ran", "dropped"]
    assert [told.events[at].of for at in (2, 3)] == [
        told.events[at].id for at in (1, 0)
    ]


def test_what_runs_in_this_process_has_run_unless_it_is_said_to_have_failed(repo):
    events = []
    guard = Guard(repo, on_event=events.append)
    checked = guard.check(call(OLD))
    assert [event.end for event in events] == ["ran"]
    said = checked.failed("EIO")
    assert [event.end for event in events] == ["ran", "failed"]
    assert "OK:" not in said
    assert f"{NEW}` was used in place of" in said


@pytest.mark.parametrize(
    ("then", "end"),
    [
        (call("src/app/turbine_of_all.py", "2"), "took"),
        (bash("head src/app/turbine_of_all.py", "2"), "took"),
        (call("tests/turbine_of_all.py", "2", tool="Edit"), "again"),
        (call("a/util.py", "2"), ""),
        (call("src/turbine_of_all.py", "2"), "other"),
    ],
)
def test_what_follows_an_answer_with_one_file_is_recorded(repo, then, end):
    told = Told(repo)
    refused = call("lib/turbine_of_all.py", tool="Edit")
    assert told.guard.before(refused).action == "refuse"
    (repo / "src/turbine_of_all.py").write_text("a copy\n")
    told.guard.before(then)
    told.guard.before(then)
    # A second miss may have been answered with one file as well.
    first = told.events[0]
    follow = [event for event in told.events if event.of == first.id]
    assert [event.end for event in follow] == [end] * bool(end)
    assert all(event.event == "path.followed" for event in follow)
    assert all(event.reason == first.reason for event in follow)
