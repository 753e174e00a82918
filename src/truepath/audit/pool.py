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
from truepath.audit.sources import Source, below, is_newer, on_this_machine

_FEW = 4
"""Transcripts, at most, that are read without starting processes."""

Audit = Callable[[Source], Rows]


def audited(
    paths: Sequence[str], repo: str = "", *, since: float | None = None
) -> Iterator[Rows]:
    """Yield the records of transcripts.

    Args:
        paths: Transcripts and folders of them; or repositories, which mean the sessions
            in them. By default, all sessions of this machine's agent programs.
        repo: The project's repository; by default the one where a session ran.
        since: Only transcripts written since then, in seconds since the epoch.

    Raises:
        OSError: A path does not exist.
    """
    kept_here = all(map(is_project, paths))
    sources = (
        on_this_machine(os.environ)
        if kept_here
        else chain.from_iterable(map(below, paths))
    )
    wanted = [
        *dict.fromkeys(
            each for each in sources if since is None or is_newer(each, since)
        )
    ]
    audit = partial(audit_transcript, repo=os.path.abspath(repo) if repo else "")
    found = map(audit, wanted) if len(wanted) <= _FEW else in_processes(wanted, audit)
    # Programs record the folder with links resolved.
    projects = (
        [*map(os.path.abspath, paths), *map(os.path.realpath, paths)]
        if kept_here
        else []
    )
    inside = tuple(f"{each}/" for each in projects)
    for rows in found:
        if not projects or f"{rows[0]['project']}/".startswith(inside):
            yield rows


def in_processes(sources: Sequence[Source], audit: Audit) -> Iterator[Rows]:
    """Yield the record of each source, in order; if a process dies, retry the rest in
    halves.
    """
    done, workers = 0, min(os.cpu_count() or 1, len(sources))
    try:
        with ProcessPoolExecutor(workers, initializer=_calm) as pool:
            for rows in pool.map(audit, sources):
                done += 1
                yield rows
    except BrokenExecutor:
        left = sources[done:]
        half = len(left) // 2
        if half:
            yield from in_processes(left[:half], audit)
            yield from in_processes(left[half:], audit)
        else:
            path, part = left[0]
            problem = f"{path}: the process that read it died"
            yield record({"source": path, "part": part, "problem": problem})


def _calm() -> None:
    """Leave Ctrl-C to the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
