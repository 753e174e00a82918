"""What every adapter of an agent framework must do, as tests to inherit; needs pytest and git.

from truepath.testing import AdapterSuite

class TestMyAdapter(AdapterSuite):
    def play(self, guard, tools, turns):
        ...
"""

from __future__ import annotations

import asyncio
import inspect
import os
import subprocess
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any, ClassVar, NoReturn, TypeAlias

import pytest

from truepath.guard.guard import Guard
from truepath.types import Decision, Outcome, ToolCall

Tool: TypeAlias = Callable[..., str]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that the scripted model makes."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


Turn: TypeAlias = Sequence[Call]
"""What the model calls at once."""

FILES: Mapping[str, str] = {
    "specs/status.md": "# Status\n\nAll is well.\n",
    "manual/guide.md": "# Guide\n",
    "src/app/main.py": "print('main')\n",
    "src/app/store.py": "STORE = {}\n",
    "pkg/one/totals.py": "ONE = 1\n",
    "pkg/two/totals.py": "TWO = 2\n",
}
"""The project before its second commit, which renames `specs` to `docs`."""


PATIENCE_S = 10.0
"""Seconds in which an event loop that is free does something else, on a busy machine too."""


class Desk:
    """The tools of the scripted agent; `runs` are the calls that reached them, in order."""

    def __init__(self) -> None:
        """Remember no call yet."""
        self.runs: list[tuple[str, str]] = []

    @property
    def tools(self) -> list[Tool]:
        """The tools, as plain functions with annotations and docstrings."""
        return [*self._good(), *self._odd()]

    def _good(self) -> list[Tool]:
        def read_file(path: str) -> str:
            """Read a file.

            Args:
                path: The file.
            """
            self.runs.append(("read_file", path))
            return Path(path).read_text("utf-8")

        def write_file(path: str, content: str) -> str:
            """Write a file.

            Args:
                path: The file.
                content: Its text.
            """
            self.runs.append(("write_file", path))
            Path(path).write_text(content, "utf-8")
            return "written"

        def delete_file(path: str) -> str:
            """Delete a file.

            Args:
                path: The file.
            """
            self.runs.append(("delete_file", path))
            Path(path).unlink()
            return "deleted"

        return [read_file, write_file, delete_file]

    def _odd(self) -> list[Tool]:
        def edit_file(path: str, old: str, new: str) -> str:
            """Replace text in a file, and fail.

            Args:
                path: The file.
                old: The text to replace.
                new: The text to put there.
            """
            self.runs.append(("edit_file", path))
            raise RuntimeError(f"the disk is on fire: {old} {new}")

        def open_ticket(title: str) -> str:
            """Open a ticket.

            Args:
                title: What it is about.
            """
            self.runs.append(("open_ticket", title))
            return f"opened: {title}"

        return [edit_file, open_ticket]


_ABSENT, _SHIFT = "PATH_NOT_FOUND", "STRATEGY_SHIFT"

READS: Mapping[str, Sequence[Sequence[tuple[str, str, str]]]] = {
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
"""What is read in each turn, and the words that the model then reads, and those that it does not.
Only what is there reaches the tool."""

UNTOUCHED: Mapping[str, Call] = {
    "a path that exists": Call("read_file", {"path": "src/app/main.py"}),
    "a new file": Call("write_file", {"path": "src/app/new.py", "content": "NEW = 1\n"}),
    "what a tool raises": Call(
        "edit_file", {"path": "src/app/main.py", "old": "main", "new": "app"}
    ),
    "a tool without paths": Call("open_ticket", {"title": "specs/status.md"}),
}
"""Calls of which tool and model get what they get without adapter."""


class AdapterSuite:
    """Inherit from it and implement `play`; pytest then runs what follows.

    An adapter for plain and for async agents has a class for each.
    """

    cannot_correct: ClassVar[str] = ""
    """Why the adapter cannot change the arguments of a call; "" where it can. One that cannot
    refuses a wrong path with the right one."""

    def play(
        self, guard: Guard | None, tools: Sequence[Tool], turns: Sequence[Turn]
    ) -> Sequence[str] | Awaitable[Sequence[str]]:
        """Run an agent of the framework whose scripted model makes these calls, then stops.

        Args:
            guard: What the adapter puts before the tools; None runs the agent without adapter.
            tools: The functions that are its tools, by their own names.
            turns: The calls, those of one model turn together.

        Returns:
            For each call, in order, all that the model received about it. What a tool raises is
            left to the framework: it becomes a text here, or leaves this method.
        """
        raise NotImplementedError

    @pytest.fixture(autouse=True)
    def _project(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch, self._tmp_path = monkeypatch, tmp_path
        self._root, self._desk = self._new_project("project"), Desk()

    def test_a_wrong_path_is_corrected_and_the_model_reads_of_it(self) -> None:
        """The tool gets the right path; the model gets the content and the correction.

        An adapter that cannot correct refuses the call with the right path.
        """
        [told] = self._played(self._guard(), [[Call("read_file", {"path": "specs/status.md"})]])
        corrects = not self.cannot_correct
        assert self._desk.runs == ([("read_file", "docs/status.md")] if corrects else [])
        assert ("PATH_CORRECTED" if corrects else "PATH_NOT_FOUND") in told
        assert "docs/status.md" in told
        assert ("All is well." in told) == corrects

    def test_the_likely_file_is_shown_and_the_model_reads_that_it_is_a_guess(self) -> None:
        """A call that only reads may be shown the likely file, where the model is told so."""
        [told] = self._played(self._guard(), [[Call("read_file", {"path": "manual/guides.md"})]])
        shown = [] if self.cannot_correct else [("read_file", "manual/guide.md")]
        assert self._desk.runs in ([], shown)
        assert ("PATH_ASSUMED" in told) == bool(self._desk.runs)
        assert ("# Guide" in told) == bool(self._desk.runs)
        assert "manual/guide.md" in told

    @pytest.mark.parametrize("case", READS)
    def test_a_miss_is_answered(self, case: str) -> None:
        """The model reads what may be meant, or that there is nothing, and goes on."""
        turns = READS[case]
        calls = [[Call("read_file", {"path": path}) for path, *_ in turn] for turn in turns]
        rows = [row for turn in turns for row in turn]
        for (_, has, lacks), told in zip(rows, self._played(self._guard(), calls), strict=True):
            assert [word for word in has.split() if word not in told] == []
            assert [word for word in lacks.split() if word in told] == []
        there = [("read_file", path) for path, *_ in rows if path == "docs/status.md"]
        assert self._desk.runs == there

    def test_a_search_does_not_hold_up_the_event_loop(self) -> None:
        """In an async agent other tasks go on while a path is searched for."""
        guard = _Searching(self._root, on_event=lambda _: None, timeout_s=5.0)
        [told] = self._played(guard, [[Call("read_file", {"path": "web/telemetry.ts"})]])
        assert "PATH_NOT_FOUND" in told
        assert guard.held_up == 0

    @pytest.mark.parametrize("case", UNTOUCHED)
    def test_nothing_changes(self, case: str) -> None:
        """The same text, or the same exception, with the adapter and without."""
        self._same_as_without(UNTOUCHED[case], self._guard())

    def test_under_observe_nothing_changes(self) -> None:
        """The policy `observe` records, and does no more."""
        self._same_as_without(UNTOUCHED["a path that exists"], self._guard(policy="observe"))

    @pytest.mark.parametrize("case", ["a path that exists", "what a tool raises"])
    def test_a_fault_of_truepath_changes_nothing(self, case: str) -> None:
        """A guard that raises lets the call run as it came."""
        self._same_as_without(UNTOUCHED[case], _Faulty(self._root, on_event=lambda _: None))

    def test_nothing_is_deleted_for_a_wrong_path(self) -> None:
        """The path is named, the tool does not run."""
        [told] = self._played(self._guard(), [[Call("delete_file", {"path": "specs/status.md"})]])
        assert self._desk.runs == []
        assert "docs/status.md" in told
        assert (self._root / "docs/status.md").exists()

    def _guard(self, **how: Any) -> Guard:
        """Return a guard that writes no journal, and waits for git on a busy machine too."""
        return Guard(self._root, on_event=lambda _: None, timeout_s=5.0, **how)

    def _played(self, guard: Guard | None, turns: Sequence[Turn]) -> Sequence[str]:
        told = self.play(guard, self._desk.tools, turns)
        if not inspect.isawaitable(told):
            return told

        async def finish() -> Sequence[str]:
            if isinstance(guard, _Searching):
                guard.loop = asyncio.get_running_loop()
            return await told

        return asyncio.run(finish())

    def _same_as_without(self, call: Call, guard: Guard) -> None:
        """Play with the adapter and without; the tools and the model must see no difference."""
        guarded, runs = self._outcome(guard, [[call]]), self._desk.runs
        self._desk, self._root = Desk(), self._new_project("without")
        assert (guarded, runs) == (self._outcome(None, [[call]]), self._desk.runs)
        assert runs, "no tool ran, with the adapter or without"

    def _outcome(self, guard: Guard | None, turns: Sequence[Turn]) -> object:
        try:
            return [*self._played(guard, turns)]
        except Exception as error:  # noqa: BLE001  the framework's way to end a run
            return type(error), str(error)

    def _new_project(self, name: str) -> Path:
        """Make a repository in which a folder was renamed, and enter it."""
        root = self._tmp_path / name
        for path, content in FILES.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(content, "utf-8")
        _git(root, "init", "--quiet", "--template=")
        for message in ("start", "rename"):
            _git(root, "add", "--all")
            _git(root, "commit", "--quiet", f"--message={message}")
            if message == "start":
                os.rename(root / "specs", root / "docs")
        self._monkeypatch.chdir(root)
        return root


class _Faulty(Guard):
    """A guard that is broken."""

    def before(self, call: ToolCall, **_: Any) -> NoReturn:
        raise RuntimeError(f"a fault of truepath in {call.tool}")

    def after(self, call: ToolCall, outcome: Outcome, **_: Any) -> Decision:
        raise RuntimeError(f"a fault of truepath after {call.tool}: {outcome.error}")


class _Searching(Guard):
    """A guard that waits, at each decision, for the event loop to do something else."""

    loop: asyncio.AbstractEventLoop | None = None
    held_up = 0
    """How often the loop did nothing else meanwhile."""

    def before(self, call: ToolCall, **given: Any) -> Decision:
        if self.loop is not None:
            went_on = Event()
            self.loop.call_soon_threadsafe(went_on.set)
            self.held_up += not went_on.wait(PATIENCE_S)
        return super().before(call, **given)


def _git(root: Path, *words: str) -> None:
    settings = ("user.name=Ada", "user.email=ada@example.org", "commit.gpgSign=false", "gc.auto=0")
    options = [part for setting in settings for part in ("-c", setting)]
    subprocess.run(["git", *options, *words], cwd=root, check=True, capture_output=True)
