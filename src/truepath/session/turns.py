"""Which calls of an event loop belong to one model turn. It must not know what is called."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from typing import Any


class Turns:
    """Names the turns of calls that tasks make: those made before the loop goes on are parallel.

    A model's next turn takes an answer from its server, for which the loop has to go on. The same
    task calls one after another, so its next call is another turn.
    """

    def __init__(self) -> None:
        """Know no loop yet."""
        self._open: dict[Any, tuple[str, set[Any]]] = {}

    def current(self) -> str:
        """Return the turn of a call made now; "" outside a loop of asyncio."""
        if "asyncio" not in sys.modules:
            return ""  # no loop runs without it, and to load it takes longer than many calls
        import asyncio

        try:
            loop, task = asyncio.get_running_loop(), asyncio.current_task()
        except RuntimeError:
            return ""
        turn, tasks = self._open.get(loop, ("", set()))
        if not turn:
            loop.call_soon(self._open.pop, loop, None)
        if not turn or task in tasks:
            turn, tasks = f"loop-{os.urandom(6).hex()}", set()
        self._open[loop] = turn, {*tasks, task}
        return turn
