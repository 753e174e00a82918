"""One call of a tool that runs in this process: checked before it runs, explained after it failed.

For adapters of agent frameworks; `Guard.check` makes it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from truepath.calls.paths import find
from truepath.records import dataclass, replace
from truepath.resolve.workspace import Workspace
from truepath.types import Decision, Outcome, ToolCall

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Checked:
    """A tool call and what to do with it. An error of truepath leaves the call as it came."""

    call: ToolCall
    """The call as the model made it."""
    decision: Decision
    explain: Callable[[ToolCall, Outcome], Decision]
    """`Guard.after`."""
    failing_open: Callable[[ToolCall], AbstractContextManager[object]]
    """`Guard.failing_open`."""

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments to run the tool with."""
        return dict(self.decision.arguments)

    @property
    def refusal(self) -> str:
        """What to answer in place of running the tool; empty where it runs."""
        return self.decision.text if self.decision.action == "refuse" else ""

    @property
    def note(self) -> str:
        """What the model should read with the result of the tool; empty for nothing."""
        return "" if self.decision.action == "refuse" else self.decision.text

    def failed(self, error: object) -> str:
        """Return what the model should read with the error of the tool; empty for nothing.

        Args:
            error: The error's text, or the exception.
        """
        explained = self.decision
        with self.failing_open(self.call):
            call = replace(self.call, arguments=self.decision.arguments)
            explained = self.explain(call, Outcome(error=str(error)))
        told = explained.text if explained.action == "advise" and not explained.repeated else ""
        return "\n".join(text for text in dict.fromkeys((self.note, told)) if text)

    async def afailed(self, error: object) -> str:
        """Do what `failed` does, for an event loop: the loop goes on meanwhile."""
        return await aside(lambda: self.failed(error))


async def aside(work: Callable[[], T]) -> T:
    """Return what `work` returns. It runs in a thread of asyncio; in this one under another loop.

    Context variables are those of the caller. Where the caller is cancelled, the work goes on, and
    nothing waits for it.
    """
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    return await asyncio.to_thread(work)


_OPEN: dict[Any, tuple[str, set[Any]]] = {}
"""The turn of each event loop, and the tasks that have called in it."""


def turn_now() -> str:
    """Return the turn of a call made now; "" outside a loop of asyncio.

    Calls that tasks make before the loop goes on are parallel: a model's next turn takes an answer
    from its server. The same task calls one after another, so its next call is another turn.
    """
    if "asyncio" not in sys.modules:
        return ""  # no loop runs without it, and to load it takes longer than many calls
    import asyncio

    try:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
    except RuntimeError:
        return ""
    turn, tasks = _OPEN.get(loop, ("", set()))
    if not turn:
        loop.call_soon(_OPEN.pop, loop, None)
    if not turn or task in tasks:
        turn, tasks = f"loop-{os.urandom(6).hex()}", set()
    _OPEN[loop] = turn, {*tasks, task}
    return turn


def folder_of(workspace: Workspace, call: ToolCall) -> str | None:
    """Return the folder from which a call's relative paths start; None for the workspace's own.

    A function opens them from the process's working directory, unless it joins them to the root by
    itself: so what is there for one of the two is there. What is at neither is taken to be meant
    from there, if that is in the project.
    """
    root = workspace.root
    if call.cwd is not None or not workspace.on_disk:
        return call.cwd
    try:
        here = os.getcwd()
    except OSError:  # it was removed under the process
        return None
    if here == root or workspace.frame().cwd != root or not os.path.isdir(root):
        return None
    top = os.path.realpath(root)
    inside = os.path.join(here, "").startswith(os.path.join(top, ""))
    here = root + here[len(top) :] if inside else here
    if _all_there(call, here):
        return here
    return here if inside and not _all_there(call, root) else None


def _all_there(call: ToolCall, folder: str) -> bool:
    """Return whether all that has to be there for a call is there, seen from a folder."""
    made = ("write", "mkdir")
    old = [each.written for each in find(call).each if each.argument.operation not in made]
    return bool(old) and all(os.path.exists(os.path.join(folder, path)) for path in old)
