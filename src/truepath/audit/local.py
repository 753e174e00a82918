"""Audit many transcripts on the cores of this machine.

A transcript whose worker dies costs itself alone: the others of its chunk are done again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from truepath.audit.record import Record
from truepath.audit.sources import Source
from truepath.evaluation.run import cores

_CHUNK = 16
"""Transcripts a task: few enough to use all cores to the end, and to lose little."""

_FEW = 4
"""Transcripts for which starting processes takes longer than reading them."""

Audit = Callable[[Source], Record]


def run(sources: Sequence[Source], audit: Audit, *, workers: int | None = None) -> Iterator[Record]:
    """Yield the record of each source, in the order in which they are done.

    Args:
        sources: The transcripts.
        audit: What makes a record of one; it is sent to other processes.
        workers: How many processes; by default one a core.
    """
    count = workers or cores()
    if len(sources) <= _FEW or count == 1:
        yield from map(audit, sources)
        return
    chunks = [sources[at : at + _CHUNK] for at in range(0, len(sources), _CHUNK)]
    lost: list[Source] = []
    with ProcessPoolExecutor(count) as pool:
        tasks = {pool.submit(_all, audit, chunk): chunk for chunk in chunks}
        for task in as_completed(tasks):
            if isinstance(task.exception(), BrokenProcessPool):
                lost += tasks[task]
            else:
                yield from task.result()
    for source in lost:
        yield _alone(source, audit)


def _all(audit: Audit, sources: Sequence[Source]) -> list[Record]:
    return [audit(source) for source in sources]


def _alone(source: Source, audit: Audit) -> Record:
    with ProcessPoolExecutor(1) as pool:
        try:
            return pool.submit(audit, source).result()
        except BrokenProcessPool:
            return Record(source=source.path, part=source.part, problem="its worker died")
