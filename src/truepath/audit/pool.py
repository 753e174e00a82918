"""Audit many transcripts in processes, one a core. If one dies, only its transcript is
lost.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from functools import partial
from itertools import chain

from truepath.audit.audit import audit_transcript
from truepath.audit.project import is_project
from truepath.audit.record import Rows, record
from truepath.audit.sources import (
    Source,
    below,
    in_project,
    is_newer,
    on_this_machine,
    parts,
)

_FEW = 4
"""Transcripts, at most, that are read without starting processes."""

Audit = Callable[[Source], Rows]


def planned(
    paths: Sequence[str], repo: str = "", *, since: float | None = None
) -> tuple[Sequence[Source], Audit]:
    """Return the transcripts to audit, and what audits one of them: it returns no rows
    for a session elsewhere.

    Args:
        paths: Transcripts and folders of them; or repositories, which mean the sessions
            in them. By default, all sessions of this machine's agent programs.
        repo: The project's repository; by default the one where a session ran.
        since: Only transcripts written since then, in seconds since the epoch.

    Raises:
        OSError: A path does not exist.
    """
    are_projects = all(map(is_project, paths))
    sources: Iterator[Source]
    if are_projects:
        own = (file for path in paths for file in in_project(os.path.realpath(path)))
        beside = chain.from_iterable(map(parts, own))
        sources = chain(beside, on_this_machine(os.environ))
    else:
        sources = chain.from_iterable(map(below, paths))
    if since is not None:
        sources = (source for source in sources if is_newer(source, since))
    projects: list[str] = []
    if are_projects:
        # Programs record the folder with links resolved.
        projects = [*map(os.path.abspath, paths), *map(os.path.realpath, paths)]
    root = os.path.abspath(repo) if repo else ""
    return [*dict.fromkeys(sources)], partial(_audited_in, projects, root)


def _audited_in(projects: Sequence[str], repo: str, source: Source) -> Rows:
    # What is beside the code is a session of it, wherever the code was then.
    beside = (each for each in projects if source.path.startswith(f"{each}/"))
    project = next(beside, "")
    rows = audit_transcript(source, repo=repo or project)
    inside = tuple(f"{project}/" for project in projects)
    if projects and not project and not f"{rows[0]['project']}/".startswith(inside):
        return []
    return rows


def audited(
    paths: Sequence[str],
    repo: str = "",
    *,
    since: float | None = None,
    report: Callable[[int, int], object] = lambda _done, _all: None,
) -> Iterator[Rows]:
    """Yield the records of transcripts, read on this machine's cores.

    The arguments are those of `planned`; `report` is called with how many transcripts
    are done, and how many there are.
    """
    sources, audit = planned(paths, repo, since=since)
    records: Iterator[Rows] = map(partial(_contained, audit), sources)
    if len(sources) > _FEW:
        records = in_processes(sources, audit)
    for count, rows in enumerate(records, 1):
        report(count, len(sources))
        if rows:
            yield rows


def in_processes(
    sources: Sequence[Source], audit: Audit, *, workers: int = 0
) -> Iterator[Rows]:
    """Yield the record of each source, in order; if a process dies, retry the rest in
    halves. `workers` is how many processes there are; by default, one a core.
    """
    done = 0
    count = min(workers or os.cpu_count() or 1, len(sources))
    try:
        # Ctrl-C is left to the parent process.
        calm = partial(signal.signal, signal.SIGINT, signal.SIG_IGN)
        with ProcessPoolExecutor(count, initializer=calm) as pool:
            for rows in pool.map(partial(_contained, audit), sources):
                done += 1
                yield rows
    except BrokenExecutor:
        left = sources[done:]
        half = len(left) // 2
        if half:
            yield from in_processes(left[:half], audit, workers=workers)
            yield from in_processes(left[half:], audit, workers=workers)
        else:
            yield lost(left[0], "the process that read it died")


def _contained(audit: Audit, source: Source) -> Rows:
    try:
        return audit(source)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  one must not stop the others
        return lost(source, type(error).__name__)


def lost(source: Source, why: str) -> Rows:
    """Return the record of a transcript that was not read to its end."""
    path, part = source
    return record({"source": path, "part": part, "problem": f"{path}: {why}"})
