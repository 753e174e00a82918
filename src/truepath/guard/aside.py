"""Work for a call of an event loop, in a thread, so that the loop goes on meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


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
