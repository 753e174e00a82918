"""Ask truepath about many cases, on all cores. Uses the public library alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass

from truepath.evaluation.cases import Case, workspace
from truepath.evaluation.score import Answer, Judged, judge
from truepath.types import Operation

_CHUNK = 150
"""Cases a task: few enough that both progress and cores are used evenly."""

Progress = Callable[[int, int], None]
"""Called with how many cases are done and how many there are."""


@dataclass(frozen=True, slots=True)
class Task:
    """Some cases of one project."""

    trees: str
    places: tuple[int, ...]
    """The positions of the cases among all."""
    cases: tuple[Case, ...]
    operation: Operation | None


def run(
    cases: Sequence[Case],
    trees: str,
    *,
    operation: Operation | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[Judged]:
    """Ask about every case by names alone; return the pairs in the order of `cases`.

    Args:
        cases: What is asked.
        trees: The folder of the trees' files.
        operation: Ask as if this were done to every path; by default what the case says.
        workers: How many processes; by default one a core.
        progress: Told now and then how far it is.

    Raises:
        CaseError: a tree cannot be read.
    """
    answers: list[Answer | None] = [None] * len(cases)
    done = 0
    for places, found in _answered(_tasks(cases, trees, operation), workers or cores()):
        for place, answer in zip(places, found, strict=True):
            answers[place] = answer
        done += len(places)
        if progress:
            progress(done, len(cases))
    return [(case, each) for case, each in zip(cases, answers, strict=True) if each]


def cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _tasks(cases: Sequence[Case], trees: str, operation: Operation | None) -> list[Task]:
    """Split the cases so that those of one project stay together."""
    order = sorted(range(len(cases)), key=lambda at: (cases[at].tree, cases[at].root))
    tasks: list[Task] = []
    start = 0
    for at in range(1, len(order) + 1):
        full = at - start == _CHUNK
        if at == len(order) or full or cases[order[at]].tree != cases[order[start]].tree:
            places = tuple(order[start:at])
            tasks.append(Task(trees, places, tuple(cases[each] for each in places), operation))
            start = at
    return [task for task in tasks if task.places]


def _answered(
    tasks: Sequence[Task], workers: int
) -> Iterator[tuple[tuple[int, ...], list[Answer]]]:
    if workers == 1 or len(tasks) == 1:
        for task in tasks:
            yield task.places, _answers(task)
        return
    with ProcessPoolExecutor(workers) as pool:
        waiting = {pool.submit(_answers, task): task for task in tasks}
        try:
            for future in as_completed(waiting):
                yield waiting[future].places, future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _answers(task: Task) -> list[Answer]:
    return [_answer(task.trees, case, task.operation) for case in task.cases]


def _answer(trees: str, case: Case, operation: Operation | None) -> Answer:
    space = workspace(trees, case.tree, case.add, case.root)
    resolution = space.resolve(
        case.written, operation or case.operation, cwd=case.cwd, kind=case.kind
    )
    return judge(case.truth, resolution)
