"""Audit many transcripts on the cores of this machine.

A transcript that fails costs itself alone: the others of its chunk are done again.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    Executor,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    as_completed,
)

from truepath.audit.record import Record
from truepath.audit.sources import Source
from truepath.evaluation.run import cores

CHUNK = 16
"""Transcripts a task: few enough to use all cores to the end, and to lose little."""

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
    count = workers or cores()
    if len(sources) <= _FEW and workers is None:
        with ThreadPoolExecutor(1) as thread:
            yield from (_alone(source, audit, thread) for source in sources)
        return
    chunks = [sources[at : at + CHUNK] for at in range(0, len(sources), CHUNK)]
    lost: list[Source] = []
    with ProcessPoolExecutor(count, initializer=_calm) as pool:
        tasks = {pool.submit(all_of, audit, chunk): chunk for chunk in chunks}
        for task in as_completed(tasks):
            if task.exception() is None:
                yield from task.result()
            else:
                lost += tasks[task]
    for source in lost:
        with ProcessPoolExecutor(1) as pool:
            yield _alone(source, audit, pool)


def _calm() -> None:
    """Look for garbage seldom: what a transcript leaves behind goes by itself."""
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
