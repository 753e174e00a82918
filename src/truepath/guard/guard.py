"""The guard of a project: `before` and `after` a tool call.

Each goes down one line: what is known about the call is read, the first of some rulers
that has something to say rules, the session counts it, it is put into words, and the
journal records it.
"""

from __future__ import annotations

import os
import sys
import time
from functools import partial

from truepath import TYPE_CHECKING, Late
from truepath.calls.paths import Mentions, find, find_failed
from truepath.calls.tools import runs_commands
from truepath.config import presets
from truepath.config.settings import Settings, load
from truepath.config.user_dirs import projects_folder, state_folder
from truepath.errors import ConfigError, OutOfPatienceError
from truepath.guard.bookkeeping import Bookkeeping
from truepath.guard.command_needs import command_needs
from truepath.guard.messages import is_answer
from truepath.guard.policy import judged, wrong_paths
from truepath.guard.reading import Caller, Failure, Reading, Ruling, read
from truepath.guard.too_large import too_large
from truepath.guard.wording import ended, word
from truepath.journal.event import Event, failure_of
from truepath.journal.journal import Recorder, sink_of
from truepath.patience import CLOCK_S, CPU_S, Patience, is_limited
from truepath.records import replace
from truepath.resolve.workspace import Workspace
from truepath.session.session import session_of
from truepath.session.stores import Store, usable_store
from truepath.types import MAKES, Decision, Operation, Outcome, ToolCall

if TYPE_CHECKING or "typing" in sys.modules:  # as in `truepath.types`
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from typing import Any, Literal, TypeVar

    from truepath.guard.checked_call import CheckedCall

    Ruler = Callable[[Reading], Ruling | None]
    Tool = TypeVar("Tool", bound=Callable[..., Any])

if TYPE_CHECKING:
    from typing import overload

    from typing_extensions import Unpack

    from truepath.guard import after as after_line
    from truepath.guard import (
        checked_call,
        fitting,
        nothing_done,
        other_checkouts,
        repeats,
        returned,
        wrap,
    )
    from truepath.guard.wrap import How
else:
    after_line = Late("truepath.guard.after")
    checked_call = Late("truepath.guard.checked_call")
    fitting = Late("truepath.guard.fitting")
    nothing_done = Late("truepath.guard.nothing_done")
    other_checkouts = Late("truepath.guard.other_checkouts")
    repeats = Late("truepath.guard.repeats")
    returned = Late("truepath.guard.returned")
    wrap = Late("truepath.guard.wrap")


def edited(reading: Reading) -> Ruling | None:
    """Rule about an edit of a file that exists; None if it may run as it is."""
    operations = {finding.resolution.operation for finding in reading.findings}
    if "edit" not in operations or not reading.exists:
        return None

    return fitting.other_line_ends(reading) or repeats.repeated_edit(reading)


def unreported(reading: Reading) -> Ruling | None:
    """Rule about a command that says nothing of a missing path; None if it does."""
    is_unreported = any(finding.mention.unreported_by for finding in reading.findings)
    if reading.exists or not (is_unreported and reading.looks):
        return None

    return nothing_done.nothing_done(reading)


BEFORE = (unreported, wrong_paths, too_large, edited, command_needs)
"""The rulers of a call that has not run, in the order in which they are asked; those of
a call that has failed are `after.AFTER`."""


_OFTEN = 2
"""Times that a file is named to an agent which does not take it."""


class Guard:
    """Stands between an agent and its file tools, for one project. Thread-safe."""

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        *,
        policy: presets.Policy | None = None,
        workspace: Workspace | None = None,
        settings: Settings | None = None,
        store: Store | None = None,
        on_event: Callable[[Event], None] | None = None,
        journal: bool = False,
        cwd: str | os.PathLike[str] | None = None,
        timeout_s: float = CLOCK_S,
        cpu_s: float = CPU_S,
        caller: Caller | None = None,
    ) -> None:
        """Guard a project.

        Args:
            root: The project's folder; not needed with `workspace`.
            policy: A preset: careful (default), recover, suggest, guide or observe.
            workspace: The project, if it is not a plain folder.
            settings: Loaded settings; by default those of the project and the
                environment.
            store: Where sessions are stored; by default in this process.
            on_event: Called with every event; may raise.
            journal: Whether events go to the user's journal too.
            cwd: Where the relative paths of `check` and `wrap` begin: the root, for
                functions that join them to it. By default in this process's working
                directory, or at the root.
            timeout_s: Seconds by the clock for one answer, for a git or a disk that
                hangs: after that, the call runs unchanged. In a sandbox its own count.
            cpu_s: Seconds of CPU for one answer, those of git included.
            caller: What the program around the guard can do; by default everything.

        Raises:
            ConfigError, WorkspaceError: No such preset; no root and no workspace; no
                such folder.
        """
        project = os.fspath(root) if root else None
        self.settings = settings or load(project, os.environ)
        if workspace is None and root is None:
            raise ConfigError("a guard needs a project: give root or workspace")
        self.workspace = workspace or Workspace(
            root or "",
            deny=self.settings.deny,
            timeout_s=timeout_s,
            store=projects_folder(os.environ),
            roots=self.settings.roots,
        )
        self._cwd = None if cwd is None else os.path.abspath(cwd)
        clock_s = timeout_s if self.workspace.on_disk else float("inf")
        self._limits_s = cpu_s, clock_s
        self._preset = policy or self.settings.policy
        self._caller = caller or Caller()
        self._rules = presets.table(self._preset, self.settings.rules)
        # The sessions of a long-lived process need no file: the next call is here too.
        state = state_folder(os.environ)
        self._store = store or usable_store(self.settings.store, state, lasting=False)
        sink = sink_of(self.settings) if journal else None
        self._recorder = Recorder(self.workspace.root, self._preset, sink, on_event)

    def before(self, call: ToolCall, *, notes: bool = True) -> Decision:
        """Decide about a call that has not run yet.

        Args:
            call: The call.
            notes: Whether the agent reads the decision's text with the result of a call
                that runs; if not, no file is assumed.

        Raises:
            SandboxError: The workspace is in a sandbox that gives no answer; `check`
                and `wrap` let the call run unchanged.
        """
        if not self.settings.enabled:
            return Decision("allow", call.arguments)
        return self._in_time(call, lambda: self._before(call, notes=notes))

    def _before(self, call: ToolCall, *, notes: bool) -> Decision:
        books = self._books(call)
        books.begin(call, self._caller.results)
        reading = read(self._reading(find(call), books, notes=notes), judged)
        rulers: Sequence[Ruler] = BEFORE
        if self._asks:
            reading = replace(reading, seen=other_checkouts.see(reading))
            rulers = (other_checkouts.other_checkouts, *BEFORE)
        ruling = _ruling(rulers, reading) or Ruling("allow")
        if ruling.action != "refuse" and not reading.looks:
            self.workspace.changed()
        return _told(reading, ruling, books)

    def after(self, call: ToolCall, outcome: Outcome) -> Decision:
        """Explain a call that failed, and a correction that was not taken; allow if
        there is nothing to say.
        """
        if not self.settings.enabled:
            return Decision("allow", call.arguments)
        return self._in_time(call, lambda: self._over(call, outcome))

    def _over(self, call: ToolCall, outcome: Outcome) -> Decision:
        """Record how a call ended that was corrected, and explain its failure."""
        books = self._books(call)
        closed, end = books.close(call, outcome)
        usual = Decision("allow", call.arguments)
        text = outcome.error or outcome.output
        # Hosts pass a refusal of truepath back as its call's error.
        if end != "dropped" and text and not is_answer(text):
            reading = self._failed(call, outcome, text, books)
            ruling = reading and _ruling(after_line.AFTER, reading)
            if reading and ruling:
                usual = _told(reading, ruling, books)
        return ended(closed, end, call, usual) if closed else usual

    def _in_time(self, call: ToolCall, work: Callable[[], Decision]) -> Decision:
        """Return what some work decides about a call; if it takes too long, record that
        and let the call run.
        """
        if is_limited():  # by a hook, which is what gives up
            return work()
        try:
            with Patience(*self._limits_s):
                return work()
        except OutOfPatienceError as error:
            self._recorder.record("guard.failed", call, error=failure_of(error))
        return Decision("allow", call.arguments)

    def _failed(
        self, call: ToolCall, outcome: Outcome, text: str, books: Bookkeeping
    ) -> Reading | None:
        """Read a call that failed; None if nothing can be said of its failure."""
        failure = after_line.failure_of(
            outcome, text, checks=self.settings.preconditions
        )
        if failure.is_of_paths:
            self.workspace.changed()  # the path may have just been removed
            mentions = find_failed(call, failure.error)
            return read(self._reading(mentions, books, failure=failure), judged)
        if failure.about or (runs_commands(call) and not outcome.declined):
            return self._reading(find(call), books, failure=failure)
        return None

    def prompted(self, call: ToolCall, *, typed: bool = True) -> None:
        """Record that the user typed something, or else that another agent goes on,
        which ends a streak of misses.
        """
        if not self.settings.enabled:
            return
        books = self._books(call)
        books.prompted(call, self._caller.results, typed=typed)
        if self._asks:
            other_checkouts.prompted(self._reading(Mentions(call, ()), books))

    def failing_open(self, call: ToolCall) -> AbstractContextManager[None]:
        """Record an error of truepath in the block and suppress it.

        For `before` and `after` only, so that the tool's own errors propagate.
        """
        return checked_call.failing_open(self._recorder, call)

    def check(self, call: ToolCall, *, notes: bool = True) -> CheckedCall:
        """Decide about a call of a tool in this process, as `before` does, for an
        adapter.

        On an error of truepath, the call runs unchanged. If the call names no turn,
        parallel calls of the tasks of one event loop are one turn. If it names no
        folder, a relative path starts at the process's working directory or the root.
        """
        decision = Decision("allow", call.arguments)
        there = returned.NOTHING
        with self.failing_open(call):
            call = self.placed(call)
            decision = self.before(call, notes=notes)
            if self.workspace.on_disk:
                there = returned.before(call, decision, self.workspace.root)
        return checked_call.CheckedCall(call, decision, self._explain, there)

    async def acheck(self, call: ToolCall, *, notes: bool = True) -> CheckedCall:
        """Do the same as `check` without blocking the event loop."""
        # Here, not in the thread: only the task's own thread knows its event loop.
        with self.failing_open(call):
            call = self.placed(call)
        return await checked_call.in_thread(lambda: self.check(call, notes=notes))

    def _explain(self, call: ToolCall, error: str) -> Decision:
        """Explain a call that failed, as `after` does; on our own error, say
        nothing.
        """
        with self.failing_open(call):
            return self.after(call, Outcome(error=error))
        return Decision("allow", call.arguments)

    def placed(self, call: ToolCall) -> ToolCall:
        """Return a call of this process with the folder of its relative paths, and its
        turn.
        """
        folder = call.cwd if call.cwd is not None else self._cwd
        if folder is None:
            folder = checked_call.folder_of(self.workspace, call)
        turn = call.turn or checked_call.turn_now()
        return replace(call, cwd=folder, turn=turn)

    if TYPE_CHECKING:

        @overload
        def wrap(self, tool: Tool, **how: Unpack[How]) -> Tool: ...
        @overload
        def wrap(
            self, tool: None = ..., **how: Unpack[How]
        ) -> Callable[[Tool], Tool]: ...

    def wrap(
        self,
        tool: Callable[..., Any] | None = None,
        *,
        name: str | None = None,
        operation: Operation | None = None,
        paths: Sequence[str] | None = None,
        edit: Sequence[str] | None = None,
        session: str = "",
        refusal: Literal["raise", "return"] = "raise",
        note: Callable[[str], object] | None = None,
    ) -> Callable[..., Any]:
        """Return `tool` with its paths checked before it runs; without a tool, a
        decorator.

        Raises ConfigError if nothing would be checked.

        Args:
            tool: A function, plain or async. Parameters named like a path are checked,
                defaults included.
            name: The tool's name; by default the function's.
            operation: What the tool does to its paths, if its name does not tell.
            paths: The names of the parameters that are paths; for a move, the source
                first.
            edit: The names of the parameters with the text that an edit replaces, and
                with the new one, if they do not tell. What the agent should know of an
                edit that fails is added to an error that is a text.
            session: The id of the conversation.
            refusal: `raise` raises PathRefused; `return` returns the answer as the
                result.
            note: Called with the text of a correction, which is then not added to a
                result that is text. A likely file is shown only with it, or by a tool
                annotated to return `str`.
        """
        how = wrap.How(
            name=name,
            operation=operation,
            paths=paths,
            edit=edit,
            session=session,
            refusal=refusal,
            note=note,
        )
        decorate = partial(wrap.wrapped, how=how, check=self.check, acheck=self.acheck)
        return decorate if tool is None else decorate(tool)

    @property
    def _asks(self) -> bool:
        """Whether an agent is asked before it acts in another checkout."""
        return self.settings.other_checkouts != "note" and self.workspace.on_disk

    def _books(self, call: ToolCall) -> Bookkeeping:
        """Return what writes about a call.

        The time that the user waits begins with the hook's process, or with this call.
        """
        session = session_of(
            call,
            self._store,
            self.workspace.root,
            started=self._caller.began or time.time(),
            gap_s=self._caller.turn_gap_s,
        )
        return Bookkeeping(session, self._recorder)

    def _reading(
        self,
        mentions: Mentions,
        books: Bookkeeping,
        *,
        notes: bool = True,
        failure: Failure | None = None,
    ) -> Reading:
        """Return a reading of a call without its paths."""
        return Reading(
            mentions=mentions,
            space=self.workspace,
            known=books.session,
            rules=self._rules,
            caller=self._caller,
            notes=notes and self._caller.notes,
            checks=self.settings.preconditions,
            checkouts=self.settings.other_checkouts,
            failure=failure,
        )


def _ruling(rulers: Sequence[Ruler], reading: Reading) -> Ruling | None:
    """Return what the first ruler that has something to say rules."""
    for ruler in rulers:
        ruling = ruler(reading)
        if ruling is not None:
            return ruling
    return None


def _told(reading: Reading, ruling: Ruling, books: Bookkeeping) -> Decision:
    """Return a ruling in words, once the session and the journal have it."""
    ruling = _not_again(reading, ruling)
    streaks = books.count(reading, ruling)
    decision = word(reading, ruling, streaks)
    books.record(reading, ruling, streaks, decision)
    return decision


def _not_again(reading: Reading, ruling: Ruling) -> Ruling:
    """Return a ruling that names no file which the agent was offered twice and has not
    taken, unless it is proved to be the one.
    """
    if ruling.row or ruling.action not in ("refuse", "advise"):
        return ruling
    offered = reading.known.offered()
    passed = {path for path in offered if offered.count(path) >= _OFTEN}
    about = []
    for finding in ruling.about if passed else ():
        known = finding.resolution
        left = tuple(each for each in known.candidates if each.path not in passed)
        is_weak = known.status in ("ambiguous", "likely", "absent")
        if is_weak and known.operation not in MAKES and left != known.candidates:
            # Not "absent": that nothing is like it is not so.
            known = replace(
                known, candidates=left, status="ambiguous", path=None, permits="named"
            )
        about.append(replace(finding, resolution=known))
    return replace(ruling, about=about) if passed else ruling
