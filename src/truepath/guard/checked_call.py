"""A call of a tool in this process: checked before it runs, explained if it fails.

For adapters of agent frameworks; `Guard.check` returns it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from truepath import TYPE_CHECKING, Late
from truepath.calls.paths import find
from truepath.errors import (
    PathIsFile,
    PathIsFolder,
    PathNotFound,
    PathRefused,
    suppress,
)
from truepath.guard.reading import ELSEWHERE
from truepath.guard.returned import NOTHING, Before, text_of
from truepath.journal.event import failure_of
from truepath.journal.journal import Recorder
from truepath.records import dataclass, replace
from truepath.resolve.workspace import Workspace
from truepath.types import MAKES, Decision, ToolCall

if TYPE_CHECKING:
    import asyncio
else:
    asyncio = Late("asyncio")

T = TypeVar("T")

_ERRORS = {
    "PATH_NOT_FOUND": PathNotFound,
    "PATH_IS_NOT_A_FILE": PathIsFolder,
    "PATH_IS_NOT_A_FOLDER": PathIsFile,
}
"""Code of a refusal -> the exception; PathRefused for any other."""


@contextmanager
def failing_open(recorder: Recorder, call: ToolCall) -> Iterator[None]:
    """Record an error of truepath in the block and suppress it, as
    `Guard.failing_open`.
    """
    try:
        yield
    # Whatever goes wrong in truepath, the agent's call must run: a fault of it that
    # blocked it would cost more than all that is corrected.
    except Exception as error:  # noqa: BLE001
        with suppress(Exception):  # the journal may be the cause
            recorder.failed("guard.failed", failure_of(error), call)


@dataclass(frozen=True, slots=True)
class CheckedCall:
    """A tool call and what to do with it. An error in truepath leaves the call
    unchanged.
    """

    call: ToolCall
    """The call as the model made it."""
    decision: Decision
    explain: Callable[[ToolCall, str], Decision]
    """Explains a call that failed, by its error; never raises."""
    before: Before = NOTHING
    """What was at its paths before it ran."""

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments to run the tool with."""
        return dict(self.decision.arguments)

    @property
    def refusal(self) -> str:
        """The answer in place of running the tool; empty if it runs."""
        if self.decision.action != "refuse":
            return ""
        return self.decision.text

    @property
    def error(self) -> PathRefused:
        """The refusal as an exception."""
        code = str((self.decision.payload or {}).get("code", ""))
        return _ERRORS.get(code, PathRefused)(self.decision.text, self.decision)

    @property
    def note(self) -> str:
        """What the model should read with the tool's result; empty for nothing."""
        if self.decision.action == "refuse":
            return ""
        return self.decision.text

    def failed(self, error: object) -> str:
        """Return what the model should read with the tool's error; empty for nothing.

        `error` is the error's text or the exception.
        """
        ran = replace(self.call, arguments=self.decision.arguments)
        explained = self.explain(ran, str(error))
        texts = [] if explained.end else [self.note]
        if explained.action == "advise" and not explained.repeated:
            texts.append(explained.text)
        # Both are one text where the call was only advised upon before it ran.
        return "\n".join(filter(None, dict.fromkeys(texts)))

    async def afailed(self, error: object) -> str:
        """Do the same as `failed` without blocking the event loop."""
        return await in_thread(lambda: self.failed(error))

    def returned(self, result: object, *, failed: bool = False) -> str:
        """Return what the model should read with a tool's result, a text or an object
        with one; empty for nothing.

        An error is explained as by `failed`: one that the framework says is one, or a
        text that the disk proves to be one.
        """
        text = text_of(result)
        failed = failed or self.before.proves(text)
        return self.failed(text) if failed else self.note

    async def areturned(self, result: object, *, failed: bool = False) -> str:
        """Do the same as `returned` without blocking the event loop."""
        text = text_of(result)
        failed = failed or self.before.proves(text)
        return await self.afailed(text) if failed else self.note


async def in_thread(work: Callable[[], T]) -> T:
    """Run `work` in a thread of asyncio, with the caller's context variables; under
    another event loop, run it in this thread. If the caller is cancelled, the work goes
    on without it.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:  # trio, which has no threads of asyncio
        return work()
    return await asyncio.to_thread(work)


_OPEN: dict[Any, tuple[str, set[Any]]] = {}
"""Event loop -> its current turn, and the tasks that have called in it."""


def turn_now() -> str:
    """Return the turn of a call made now; "" outside asyncio.

    Calls of several tasks in one iteration of the event loop are parallel, because a
    model's next turn needs an answer from its server. The next call of the same task is
    another turn.
    """
    if "asyncio" not in sys.modules:
        return ""  # no loop is running, and the import is slow

    try:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
    except RuntimeError:
        return ""
    turn, tasks = _OPEN.get(loop, ("", set()))
    if not turn:  # the loop's next iteration is another turn
        loop.call_soon(_OPEN.pop, loop, None)
    if not turn or task in tasks:
        turn = f"loop-{os.urandom(6).hex()}"
        tasks = set()
    _OPEN[loop] = turn, {*tasks, task}
    return turn


def folder_of(workspace: Workspace, call: ToolCall) -> str | None:
    """Return the folder that a call's relative paths start from; None for the
    workspace's, `ELSEWHERE` if it is that or this process's.

    A function opens them in the process's working directory, unless it joins them to
    the root: a path that exists in either exists, and so does a new one whose folder
    does. One that exists in neither counts as relative to the working directory, if
    that is in the project.
    """
    root = workspace.root
    # In a sandbox, this process's folder means nothing.
    if call.cwd is not None or not workspace.on_disk:
        return call.cwd
    try:
        here = os.getcwd()
    except OSError:  # it was removed
        return None
    # A workspace with a folder of its own has said where its paths begin.
    if here == root or workspace.frame().cwd != root or not os.path.isdir(root):
        return None
    # The process may have come to the project through a link.
    top = os.path.realpath(root)
    is_inside = os.path.join(here, "").startswith(os.path.join(top, ""))
    if is_inside:
        here = root + here[len(top) :]
    # Of a new path, its folder must exist.
    paths = [
        os.path.dirname(mention.written)
        if mention.argument.operation in MAKES
        else mention.written
        for mention in find(call).paths
    ]
    exists_here = _all_exist(paths, here)
    exists_at_root = _all_exist(paths, root)
    if exists_here and not exists_at_root:
        return here
    if is_inside and exists_here == exists_at_root:
        return here
    return ELSEWHERE


def _all_exist(paths: Sequence[str], folder: str) -> bool:
    """Return whether there are paths, and all of them exist below a folder."""
    there = [os.path.exists(os.path.join(folder, path)) for path in paths]
    return bool(there) and all(there)
