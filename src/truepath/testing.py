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
from typing import Any, ClassVar, Literal, NoReturn, TypeAlias, get_args

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

Ability: TypeAlias = Literal["correct"]
"""What a framework may give its adapters no means for: to change the arguments of a call."""

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


class AdapterSuite:
    """Inherit from it and implement `play`; pytest then runs what follows.

    An adapter for plain and for async agents has a class for each.
    """

    cannot: ClassVar[Mapping[Ability, str]] = {}
    """What the framework gives the adapter no means for, and why. Tested is what it does in its
    place: an adapter that cannot `correct` refuses a wrong path with the right one.
    """

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
        unknown = [name for name in self.cannot if name not in get_args(Ability)]
        assert not unknown, f"`cannot` knows {get_args(Ability)}, not {unknown}"
        self._monkeypatch, self._tmp_path = monkeypatch, tmp_path
        self._root, self._desk = self._new_project("project"), Desk()

    def test_a_wrong_path_is_corrected_and_the_model_reads_of_it(self) -> None:
        """The tool gets the right path; the model gets the content and the correction.

        An adapter that cannot correct refuses the call with the right path.
        """
        [told] = self._played(self._guard(), [[Call("read_file", {"path": "specs/status.md"})]])
        corrects = "correct" not in self.cannot
        assert self._desk.runs == ([("read_file", "docs/status.md")] if corrects else [])
        assert ("PATH_CORRECTED" if corrects else "PATH_NOT_FOUND") in told
        assert "docs/status.md" in told
        assert ("All is well." in told) == corrects

    def test_the_likely_file_is_shown_and_the_model_reads_that_it_is_a_guess(self) -> None:
        """A call that only reads may be shown the likely file, where the model is told so."""
        [told] = self._played(self._guard(), [[Call("read_file", {"path": "manual/guides.md"})]])
        shown = [] if "correct" in self.cannot else [("read_file", "manual/guide.md")]
        assert self._desk.runs in ([], shown)
        assert ("PATH_ASSUMED" in told) == bool(self._desk.runs)
        assert ("# Guide" in told) == bool(self._desk.runs)
        assert "manual/guide.md" in told

    def test_of_several_candidates_none_is_taken(self) -> None:
        """The tool does not run, and the model reads what may be meant."""
        [told] = self._played(self._guard(), [[Call("read_file", {"path": "totals.py"})]])
        assert self._desk.runs == []
        assert "PATH_NOT_FOUND" in told
        assert "pkg/one/totals.py" in told
        assert "pkg/two/totals.py" in told

    def test_what_is_nowhere_is_answered_before_the_tool_runs(self) -> None:
        """The model reads that it is not there, and goes on."""
        turns = [
            [Call("read_file", {"path": "web/telemetry.ts"})],
            [Call("read_file", {"path": "docs/status.md"})],
        ]
        missed, found = self._played(self._guard(), turns)
        assert "PATH_NOT_FOUND" in missed
        assert "All is well." in found
        assert "PATH_NOT_FOUND" not in found

    def test_a_second_miss_brings_the_shift(self) -> None:
        """Two turns that miss are a loop: the model is told to look before it goes on."""
        turns = [[Call("read_file", {"path": path})] for path in ("a/spans.py", "b/spans.py")]
        first, second = self._played(self._guard(), turns)
        assert "STRATEGY_SHIFT" not in first
        assert "STRATEGY_SHIFT" in second

    def test_parallel_calls_are_one_turn(self) -> None:
        """Misses that the model makes at once are one miss; the next turn is the second."""
        paths = ("a/spans.py", "b/spans.py", "c/spans.py")
        turns = [
            [Call("read_file", {"path": path}) for path in paths],
            [Call("read_file", {"path": "d/spans.py"})],
        ]
        *together, later = self._played(self._guard(), turns)
        assert len(together) == len(paths)
        assert all("PATH_NOT_FOUND" in told for told in together)
        assert not any("STRATEGY_SHIFT" in told for told in together)
        assert "STRATEGY_SHIFT" in later

    def test_a_search_does_not_hold_up_the_event_loop(self) -> None:
        """In an async agent other tasks go on while a path is searched for."""
        guard = _Searching(self._root, on_event=lambda _: None, timeout_s=5.0)
        [told] = self._played(guard, [[Call("read_file", {"path": "web/telemetry.ts"})]])
        assert "PATH_NOT_FOUND" in told
        assert guard.held_up == 0

    def test_a_path_that_exists_is_not_touched(self) -> None:
        """Tool and model get what they get without adapter."""
        self._same_as_without([[Call("read_file", {"path": "src/app/main.py"})]])

    def test_a_new_file_is_made_where_it_was_asked_for(self) -> None:
        """Nothing is corrected or refused."""
        call = Call("write_file", {"path": "src/app/new.py", "content": "NEW = 1\n"})
        self._same_as_without([[call]])
        assert (self._root / "src/app/new.py").read_text("utf-8") == "NEW = 1\n"

    def test_nothing_is_deleted_for_a_wrong_path(self) -> None:
        """The path is named, the tool does not run."""
        [told] = self._played(self._guard(), [[Call("delete_file", {"path": "specs/status.md"})]])
        assert self._desk.runs == []
        assert "docs/status.md" in told
        assert (self._root / "docs/status.md").exists()

    def test_what_a_tool_raises_is_left_to_the_framework(self) -> None:
        """The same text, or the same exception, with the adapter and without."""
        arguments = {"path": "src/app/main.py", "old": "main", "new": "app"}
        self._same_as_without([[Call("edit_file", arguments)]])

    def test_a_tool_without_paths_is_not_touched(self) -> None:
        """What only looks like a path in another argument is none."""
        self._same_as_without([[Call("open_ticket", {"title": "specs/status.md"})]])

    def test_under_observe_nothing_changes(self) -> None:
        """The policy `observe` records, and does no more."""
        calls = [Call("read_file", {"path": "src/app/main.py"})]
        self._same_as_without([calls], self._guard(policy="observe"))

    def test_a_fault_of_truepath_changes_nothing(self) -> None:
        """A guard that raises lets the call run as it came."""
        faulty = _Faulty(self._root, on_event=lambda _: None)
        self._same_as_without([[Call("read_file", {"path": "src/app/main.py"})]], faulty)
        arguments = {"path": "src/app/main.py", "old": "main", "new": "app"}
        self._same_as_without([[Call("edit_file", arguments)]], faulty)

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

    def _same_as_without(self, turns: Sequence[Turn], guard: Guard | None = None) -> None:
        """Play with the adapter and without; the tools and the model must see no difference."""
        guarded = self._outcome(guard or self._guard(), turns)
        runs, self._desk = self._desk.runs, Desk()
        root, self._root = self._root, self._new_project("without")
        try:
            plain = self._outcome(None, turns)
            assert (guarded, runs) == (plain, self._desk.runs)
            assert runs, "no tool ran, with the adapter or without"
        finally:
            self._root, self._desk = root, Desk()
            self._monkeypatch.chdir(root)

    def _outcome(self, guard: Guard | None, turns: Sequence[Turn]) -> object:
        try:
            return [*self._played(guard, turns)]
        except Exception as error:  # noqa: BLE001  the framework's way to end a run
            return type(error), str(error)

    def _new_project(self, name: str) -> Path:
        """Make a repository in which a folder was renamed, and enter it."""
        root = self._tmp_path / name
        if root.exists():
            self._monkeypatch.chdir(root)
            return root
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
