"""Audit all transcripts that are meant: on this machine's cores, on a Ray cluster, or on Spark.

A transcript on which a worker dies costs itself alone. Ray is the cluster that `RAY_ADDRESS` names,
or this machine; Spark is as the environment has it (`SPARK_HOME`, `spark-defaults`). Their workers
must have truepath, and reach the transcripts by the same paths.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from functools import partial
from itertools import chain, groupby
from typing import Any

from truepath.audit.audit import audit_transcript
from truepath.audit.project import is_project
from truepath.audit.record import COLUMNS, Row, Rows, record
from truepath.audit.sources import Source, below, checkpoints, is_newer, on_this_machine
from truepath.errors import ConfigError

_PIECE = 16
"""Transcripts that a worker of a cluster reads at once."""

_AHEAD = 16
"""Tasks for each process that are handed out: what waits for one is not held in memory."""

_FEW = 4
"""Transcripts for which starting processes takes longer than reading them."""

Audit = Callable[[Source], Rows]


def audited(
    paths: Sequence[str], repo: str = "", *, since: float | None = None, engine: str = "local"
) -> Iterator[Rows]:
    """Yield the records of all transcripts that paths stand for.

    Args:
        paths: Repositories, transcripts and folders of them. Without any, all of this machine's
            agent programs; with repositories alone, those of their sessions as well.
        repo: The project's repository; empty: the one among `paths`, else where sessions ran.
        since: Seconds since the epoch: transcripts that were not written since are left out.
        engine: One of `ENGINES`.

    Raises:
        ConfigError: the engine is not installed.
        OSError: there is nothing at a path.
    """

    def read(sources: Iterable[Source], repo: str) -> Iterator[Rows]:
        found = dict.fromkeys(each for each in sources if since is None or is_newer(each, since))
        return ENGINES[engine]([*found], partial(audit_transcript, repo=repo))

    projects = [os.path.abspath(path) for path in paths if is_project(path)]
    others = [path for path in paths if not is_project(path)]
    found = chain.from_iterable(read(checkpoints(path), repo or path) for path in projects)
    if others:
        both = repo or "".join(projects[:1])
        found = chain(found, *(read(below(path), both) for path in others))
    else:
        inside = tuple(f"{path}/" for path in projects) or ("",)
        machine = read(on_this_machine(os.environ), "" if projects else repo)
        found = chain(found, (row for row in machine if f"{row[0]['project']}/".startswith(inside)))
    first = next(found, None)
    if first:
        yield first
        yield from found
    else:  # no project that agents worked in, but transcripts that are in git
        yield from chain.from_iterable(read(below(path), repo or path) for path in projects)


def local(sources: Sequence[Source], audit: Audit, *, workers: int | None = None) -> Iterator[Rows]:
    """Yield the record of each source, in the order in which they are done.

    Args:
        sources: The transcripts.
        audit: What makes a record of one; it is sent to other processes, and raises nothing.
        workers: How many processes; by default one a core, and none for a few transcripts.
    """
    if len(sources) <= _FEW and workers is None:
        yield from map(audit, sources)
        return
    todo = [*reversed(sources)]
    while todo:
        suspects = yield from _until_a_death(todo, audit, workers or os.cpu_count() or 1)
        for source in suspects:  # each alone: the one that ends its process is told
            with ProcessPoolExecutor(1, initializer=_calm) as pool:
                try:
                    yield pool.submit(audit, source).result()
                except BrokenExecutor:
                    problem = f"{source.path}: the process that read it died"
                    yield record({"source": source.path, "part": source.part, "problem": problem})


def _until_a_death(
    todo: list[Source], audit: Audit, count: int
) -> Generator[Rows, None, list[Source]]:
    """Yield records, the last source first, and return those on which a process may have died."""
    waiting: dict[Future[Rows], Source] = {}
    with ProcessPoolExecutor(count, initializer=_calm) as pool:
        try:
            while todo or waiting:
                while todo and len(waiting) < _AHEAD * count:
                    waiting[pool.submit(audit, todo[-1])] = todo[-1]
                    todo.pop()
                for task in wait(waiting, return_when=FIRST_COMPLETED).done:
                    rows = task.result()
                    del waiting[task]
                    yield rows
        except BrokenExecutor:
            return [*waiting.values()]
        finally:
            for task in waiting:
                task.cancel()
    return []


def _calm() -> None:
    """Leave Ctrl-C to the process that waits, and look for garbage seldom: most goes by itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(100_000, 20, 100)


def on_ray(sources: Sequence[Source], audit: Audit) -> Iterator[Rows]:
    """Yield the record of each source, in the order in which they are done.

    Raises:
        ConfigError: Ray is not installed.
    """
    try:
        import pyarrow as pa
        import ray
        import ray.data
    except ImportError:
        raise ConfigError("this engine needs Ray: pip install 'truepath[ray]'") from None
    ray.init(ignore_reinit_error=True, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    packed = [_packed(source) for source in sources]
    names = ("path", "part")
    asked = pa.table({name: [row[at] for row in packed] for at, name in enumerate(names)})
    found = (
        ray.data.from_arrow(asked)
        .repartition(_pieces(sources))
        .map_batches(partial(_batch, audit), batch_size=None, batch_format="pyarrow")
    )
    yield from of_rows(found.iter_rows())


def on_spark(sources: Sequence[Source], audit: Audit) -> Iterator[Rows]:
    """Yield the record of each source.

    Raises:
        ConfigError: Spark is not installed.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise ConfigError("this engine needs Spark: pip install 'truepath[spark]'") from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else it is any `python3`
    session = SparkSession.builder.appName("truepath audit").getOrCreate()
    asked = session.createDataFrame([*map(_packed, sources)], "path binary, part binary")
    types = {"int64": "bigint", "double": "double", "string": "string"}
    schema = ", ".join(f"`{name}` {types[kind]}" for name, kind in COLUMNS.items())
    rows = (
        asked.repartition(_pieces(sources)).mapInArrow(partial(_batches, audit), schema).collect()
    )
    yield from of_rows(row.asDict() for row in rows)


ENGINES: dict[str, Callable[[Sequence[Source], Audit], Iterator[Rows]]] = {
    "local": local,
    "ray": on_ray,
    "spark": on_spark,
}
"""What reads the transcripts, by the name of `--engine`."""


def of_rows(rows: Iterable[Row]) -> Iterator[Rows]:
    """Yield the records that rows are of, which come one record after another."""
    for _, group in groupby(rows, lambda row: row["record"]):
        yield [*group]


def _pieces(sources: Sequence[Source]) -> int:
    """Return into how many pieces sources are parted: each is the task of one worker."""
    return max(1, len(sources) // _PIECE)


def _packed(source: Source) -> tuple[bytes, bytes]:
    """Return a source as two columns: a name need not be text."""
    return os.fsencode(source.path), os.fsencode(source.part)


def _batches(audit: Audit, batches: Iterable[Any]) -> Iterator[Any]:
    return map(partial(_batch, audit), batches)


def _batch(audit: Audit, batch: Any) -> Any:
    """Return the rows of a batch of packed sources, as a batch of the same type.

    They are read in a process beside the worker's own, which a transcript may end.
    """
    import pyarrow as pa

    schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in COLUMNS.items()])
    columns = (map(os.fsdecode, column.to_pylist()) for column in batch.columns)
    sources = [Source(*row) for row in zip(*columns, strict=True)]
    rows = [row for rows in local(sources, audit, workers=1) for row in rows]
    return type(batch).from_pylist(rows, schema)
