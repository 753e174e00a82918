"""Audit many transcripts on the cores of this machine.

A transcript that fails costs itself alone: the others of its chunk are done again.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from itertools import chain

from truepath.audit.record import Record
from truepath.audit.sources import Source

CHUNK = 16
"""Transcripts a task: few enough to use all cores to the end, and to lose little."""

_AHEAD = 4
"""Tasks for each worker that are handed out: what waits for one is not held in memory."""

_FEW = 4
"""Transcripts for which starting processes takes longer than reading them."""

Audit = Callable[[Source], Record]


def run(sources: Sequence[Source], audit: Audit, *, workers: int | None = None) -> Iterator[Record]:
    """Yield the record of each source, in the order in which they are done.

    Args:
        sources: The transcripts.
        audit: What makes a record of one; it is sent to other processes.
        workers: How many processes; by default one a core, and none for a few transcripts.
    """
    count = workers or _cores()
    if len(sources) <= _FEW and workers is None:
        with ThreadPoolExecutor(1) as thread:
            yield from (_alone(source, audit, thread) for source in sources)
        return
    chunks = [sources[at : at + CHUNK] for at in reversed(range(0, len(sources), CHUNK))]
    lost: list[Source] = []
    while chunks:
        yield from _together(chunks, audit, count, lost)
    for source in lost:
        with ProcessPoolExecutor(1, initializer=_calm) as pool:
            yield _alone(source, audit, pool)


def _together(
    chunks: list[Sequence[Source]], audit: Audit, count: int, lost: list[Source]
) -> Iterator[Record]:
    """Yield records until all chunks are done, the last first, or a worker dies.

    What is done is taken out of `chunks`; the sources of chunks that failed go into `lost`.
    """
    waiting: dict[Future[list[Record]], Sequence[Source]] = {}
    with ProcessPoolExecutor(count, initializer=_calm) as pool:
        try:
            while chunks or waiting:
                while chunks and len(waiting) < _AHEAD * count:
                    task = pool.submit(all_of, audit, chunks[-1])
                    waiting[task] = chunks.pop()
                for task in wait(waiting, return_when=FIRST_COMPLETED).done:
                    chunk = waiting.pop(task)
                    if task.exception() is None:
                        yield from task.result()
                    else:
                        lost += chunk
        except BrokenExecutor:
            lost += chain.from_iterable(waiting.values())
        finally:
            for task in waiting:
                task.cancel()


def _cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _calm() -> None:
    """Leave Ctrl-C to the process that waits, and look for garbage seldom: most goes by itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(100_000, 20, 100)


def all_of(audit: Audit, sources: Sequence[Source]) -> list[Record]:
    """Return the records of some transcripts: the task of one worker."""
    return [audit(source) for source in sources]


def _alone(source: Source, audit: Audit, pool: Executor) -> Record:
    """Return the record of one transcript; where that fails, one that says so."""
    task = pool.submit(audit, source)
    error = task.exception()
    if error is None:
        return task.result()
    return failed(source, type(error).__name__)


def failed(source: Source, why: str) -> Record:
    """Return the record of a transcript on which the audit failed."""
    return Record(source=source.path, part=source.part, problem=f"{source.path}: {why}")
