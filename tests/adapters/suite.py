"""What every adapter of an agent framework must do: tests to inherit, and a project to
play in.
"""

from __future__ import annotations

import asyncio
import inspect
import os
from pathlib import Path
from threading import Event

import pytest
from attacks.traps import laid, sprung
from clients.script import Call

from truepath import Guard

FILES = {
    "specs/status.md": "# Status\n\nAll is well.\n",
    "manual/guide.md": "# Guide\n",
    "src/app/main.py": "print('main')\n",
    "pkg/one/totals.py": "ONE = 1\n",
    "pkg/two/totals.py": "TWO = 2\n",
}
"""The project before a second commit, which moves the first file to `docs`."""


class Desk:
    """The tools of the scripted agent; `runs` are the calls that reached them, in
    order.
    """

    def __init__(self):
        self.runs: list[tuple[str, str]] = []
        ran = self.runs.append

        def read_file(path: str) -> str:
            """Read a file.

            Args:
                path: The file.
            """
            ran(("read_file", path))
            return Path(path).read_text("utf-8")

        def write_file(path: str, content: str) -> str:
            """Write a file.

            Args:
                path: The file.
                content: Its text.
            """
            ran(("write_file", path))
            Path(path).write_text(content, "utf-8")
            return "written"

        def delete_file(path: str) -> str:
            """Delete a file.

            Args:
                path: The file.
            """
            ran(("delete_file", path))
            Path(path).unlink()
            return "deleted"

        def edit_file(path: str, old: str, new: str) -> str:
            """Replace text in a file, and fail.

            Args:
                path: The file.
                old: The text to replace.
                new: The text to put there.
            """
            ran(("edit_file", path))
            raise RuntimeError(f"the disk is on fire: {old} {new}")

        def replace_in_file(path: str, old: str, new: str) -> str:
            """Replace text in a file; return what is wrong.

            Args:
                path: The file.
                old: The text to replace.
                new: The text to put there.
            """
            ran(("replace_in_file", path))
            text = Path(path).read_text("utf-8")
            if text.count(old) != 1:
                return "Error: old text not found"
            Path(path).write_text(text.replace(old, new), "utf-8")
            return "1 replacement made"

        def open_ticket(title: str) -> str:
            """Open a ticket.

            Args:
                title: What it is about.
            """
            ran(("open_ticket", title))
            return f"opened: {title}"

        self.tools = [
            read_file,
            write_file,
            delete_file,
            edit_file,
            replace_in_file,
            open_ticket,
        ]


_ABSENT, _SHIFT = "PATH_NOT_FOUND", "STRATEGY_SHIFT"

READS = {
    "of several candidates none is taken": [
        [("totals.py", f"{_ABSENT} pkg/one/totals.py pkg/two/totals.py", "ONE TWO")]
    ],
    "what is nowhere is answered before the tool runs": [
        [("web/telemetry.ts", _ABSENT, "")],
        [("docs/status.md", "well.", _ABSENT)],
    ],
    "a second miss brings the shift": [
        [("a/spans.py", _ABSENT, _SHIFT)],
        [("b/spans.py", _SHIFT, "")],
    ],
    "parallel calls are one turn": [
        [(f"{folder}/spans.py", _ABSENT, _SHIFT) for folder in "abc"],
        [("d/spans.py", _SHIFT, "")],
    ],
}
"""What is read in each turn, and the words that the model then reads, and those that it
does not. Only what is there reaches the tool."""

READ = Call("read_file", {"path": "src/app/main.py"})
EDIT = Call("edit_file", {"path": "src/app/main.py", "old": "main", "new": "app"})


class Searching(Guard):
    """A guard that waits, at each decision, for the event loop to do something else."""

    PATIENCE_S = 10.0  # a loop that is free does so earlier, on a busy machine too
    loop = None
    held_up = 0
    """How often the loop did nothing else meanwhile."""

    def before(self, call, **given):
        if self.loop is not None:
            went_on = Event()
            self.loop.call_soon_threadsafe(went_on.set)
            self.held_up += not went_on.wait(self.PATIENCE_S)
        return super().before(call, **given)


class Faulty(Guard):
    """A guard that is broken."""

    def before(self, call, **given):
        raise RuntimeError(f"a fault of truepath in {call.tool}")

    def after(self, call, outcome, **given):
        raise RuntimeError(f"a fault of truepath after {call.tool}: {outcome.error}")


UNTOUCHED = {
    "a path that exists": (READ, Guard, {}),
    "a path that exists, under observe": (READ, Guard, {"policy": "observe"}),
    "a new file": (
        Call("write_file", {"path": "src/new.py", "content": "1\n"}),
        Guard,
        {},
    ),
    "what a tool raises": (EDIT, Guard, {}),
    "a tool without paths": (
        Call("open_ticket", {"title": "specs/status.md"}),
        Guard,
        {},
    ),
    "a fault of truepath": (READ, Faulty, {}),
    "a fault of truepath, and what a tool raises": (EDIT, Faulty, {}),
}
"""Calls of which tool and model get what they get without adapter, and the guard before
them."""


class AdapterSuite:
    """Inherit from it and write `play`; an adapter for plain and async agents has a
    class for each.

    `play(guard, tools, turns)` runs an agent of the framework, with these functions as
    its tools by their own names, whose scripted model makes the calls of each turn
    together, then stops. With None for the guard it runs without adapter. It returns,
    or an awaitable of it does, all that the model received about each call, in order.
    What a tool raises is left to the framework: it becomes a text there, or leaves the
    method."""

    sees_no_result = ""
    """Why the adapter cannot judge what a tool returns; "" where it can."""
    cannot_correct = ""
    """Why the adapter cannot change the arguments of a call; "" where it can. One that
    cannot refuses a wrong path with the right one."""

    @pytest.fixture(autouse=True)
    def _project(self, make_repo, move, monkeypatch, tmp_path):
        def begin():
            self.root, self.desk = make_repo(FILES), Desk()
            move(self.root, "specs/status.md", "docs/status.md")
            monkeypatch.chdir(self.root)

        self.tmp_path, self.begin = tmp_path, begin
        begin()

    def test_a_wrong_path_is_corrected_and_the_model_reads_of_it(self):
        told = self.told("read_file", "specs/status.md")
        corrects = not self.cannot_correct
        assert self.desk.runs == ([("read_file", "docs/status.md")] if corrects else [])
        assert (" in place of " if corrects else "PATH_NOT_FOUND") in told
        assert "docs/status.md" in told
        assert ("All is well." in told) == corrects

    def test_a_tool_opens_what_was_meant_in_a_process_elsewhere(self, monkeypatch):
        monkeypatch.chdir(self.tmp_path)
        told = self.told("read_file", "specs/status.md")
        if self.cannot_correct:
            assert "docs/status.md" in told
        else:
            assert f"{self.root}/docs/status.md" in told
        assert ("All is well." in told) == (not self.cannot_correct)

    def test_the_likely_file_is_shown_and_the_model_reads_that_it_is_a_guess(self):
        told = self.told("read_file", "manual/guides.md")
        shown = [] if self.cannot_correct else [("read_file", "manual/guide.md")]
        assert self.desk.runs in ([], shown)
        is_guess = ", the likely file for " in told
        assert is_guess == ("# Guide" in told) == bool(self.desk.runs)
        assert "manual/guide.md" in told

    def test_nothing_is_deleted_for_a_wrong_path(self):
        assert "docs/status.md" in self.told("delete_file", "specs/status.md")
        assert self.desk.runs == []
        assert (self.root / "docs/status.md").exists()

    def test_an_error_that_a_tool_returns_is_answered_as_one_that_it_raises(self):
        if self.sees_no_result:
            pytest.skip(self.sees_no_result)
        file = self.root / "src/app/main.py"
        file.write_text("def main():\n    return 'the main thing'\n")
        os.utime(file, (1, 1))  # as it was when the tool was called
        wrong = {"path": "src/app/main.py", "old": "def main():\n  return"}
        calls = [
            Call("replace_in_file", {**wrong, "new": "x"}),
            Call(
                "replace_in_file", {**wrong, "old": "def main():", "new": "def run():"}
            ),
        ]
        [told] = self.played(self.guard(), [[calls[0]]])
        assert "old text not found" in told
        assert "def main():\n    return" in told.replace("\\n", "\n")
        assert "TEXT_NOT_FOUND" in told
        # What went well is answered as without truepath, though its text is gone.
        [told] = self.played(self.guard(), [[calls[1]]])
        assert "1 replacement made" in told
        assert "EDIT_ALREADY_MADE" not in told

    def test_no_program_of_the_project_is_run(self, monkeypatch):
        mark = self.tmp_path / "mark"
        path = laid(self.root, self.tmp_path, mark)
        monkeypatch.setenv("PATH", path)
        # What the agent itself runs, such as its shell's `cat`, is its own.
        self.played(None, [[Call("read_file", {"path": "docs/status.md"})]])
        own = {*sprung(mark)}
        mark.unlink(missing_ok=True)
        told = self.told("read_file", "specs/status.md")
        assert {*sprung(mark)} <= own
        assert "docs/status.md" in told, "git was asked"

    @pytest.mark.parametrize("case", READS)
    def test_a_miss_is_answered(self, case):
        rows = [row for turn in READS[case] for row in turn]
        turns = [
            [Call("read_file", {"path": path}) for path, *_ in turn]
            for turn in READS[case]
        ]
        for (_, has, lacks), told in zip(
            rows, self.played(self.guard(), turns), strict=True
        ):
            assert [word for word in has.split() if word not in told] == []
            assert [word for word in lacks.split() if word in told] == []
        there = [("read_file", path) for path, *_ in rows if path == "docs/status.md"]
        assert self.desk.runs == there

    def test_a_search_does_not_hold_up_the_event_loop(self):
        guard = self.guard(Searching)
        assert "PATH_NOT_FOUND" in self.told("read_file", "web/telemetry.ts", guard)
        assert guard.held_up == 0

    @pytest.mark.parametrize("case", UNTOUCHED)
    def test_nothing_changes(self, case):
        call, kind, how = UNTOUCHED[case]
        guarded, runs = self.outcome(self.guard(kind, **how), call), self.desk.runs
        self.begin()
        assert (guarded, runs) == (self.outcome(None, call), self.desk.runs)
        assert runs, "no tool ran, with the adapter or without"

    def guard(self, kind=Guard, **how):
        return kind(self.root, **how)

    def told(self, tool, path, guard=None):
        [told] = self.played(guard or self.guard(), [[Call(tool, {"path": path})]])
        return told

    def played(self, guard, turns):
        told = self.play(guard, self.desk.tools, turns)
        if not inspect.isawaitable(told):
            return told

        async def finish():
            if isinstance(guard, Searching):
                guard.loop = asyncio.get_running_loop()
            return await told

        return asyncio.run(finish())

    def outcome(self, guard, call):
        try:
            return [*self.played(guard, [[call]])]
        except Exception as error:  # noqa: BLE001  the framework's way to end a run
            return type(error), str(error)
