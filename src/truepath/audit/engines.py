"""Audit many transcripts: on this machine's cores, on a Ray cluster, or on Spark.

If a worker dies, only its transcript is lost. Ray is the cluster in `RAY_ADDRESS`, or this machine;
Spark is configured by the environment (`SPARK_HOME`, `spark-defaults`). Their workers need truepath
and the transcripts at the same paths.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from functools import partial
from itertools import chain, groupby
from typing import Any

from truepath.audit.audit import audit_transcript
from truepath.audit.project import is_project
from truepath.audit.record import COLUMNS, Row, Rows, record
from truepath.audit.sources import Source, below, is_newer, on_this_machine
from truepath.errors import ConfigError

_PIECE = 16
"""Transcripts that a worker of a cluster reads at once."""

_FEW = 4
"""Transcripts, at most, that are read without starting processes."""

Audit = Callable[[Source], Rows]


def audited(
    paths: Sequence[str], repo: str = "", *, since: float | None = None, engine: str = "local"
) -> Iterator[Rows]:
    """Yield the records of transcripts.

    Args:
        paths: Transcripts and folders of them; a repository means the sessions in it. By default,
            those of this machine's agent programs.
        repo: The project's repository; by default the one among `paths`, else where sessions ran.
        since: Only transcripts written since then, in seconds since the epoch.
        engine: One of `ENGINES`.

    Raises:
        ConfigError: The engine is not installed.
        OSError: A path does not exist.
    """
    projects = [os.path.abspath(path) for path in paths if is_project(path)]
    others = [path for path in paths if not is_project(path)]
    repo = os.path.abspath(repo) if repo else "".join(projects[:1] if others else ())
    sources = chain.from_iterable(map(below, others)) if others else on_this_machine(os.environ)
    wanted = dict.fromkeys(each for each in sources if since is None or is_newer(each, since))
    # Programs record the folder with links resolved.
    inside = tuple(f"{each}/" for path in projects for each in (path, os.path.realpath(path)))
    for rows in ENGINES[engine]([*wanted], partial(audit_transcript, repo=repo)):
        if others or not projects or f"{rows[0]['project']}/".startswith(inside):
            yield rows


def local(sources: Sequence[Source], audit: Audit, *, workers: int | None = None) -> Iterator[Rows]:
    """Yield the record of each source, in order.

    `workers` is the number of processes; by default one a core, and none for a few transcripts.
    """
    if len(sources) <= _FEW and workers is None:
        yield from map(audit, sources)
    elif sources:
        yield from _in_processes(sources, audit, workers or os.cpu_count() or 1)


def _in_processes(sources: Sequence[Source], audit: Audit, count: int) -> Iterator[Rows]:
    """Yield records; if a process dies, retry the remaining sources in halves."""
    done = 0
    try:
        with ProcessPoolExecutor(min(count, len(sources)), initializer=_calm) as pool:
            for rows in pool.map(audit, sources):
                done += 1
                yield rows
    except BrokenExecutor:
        left = sources[done:]
        half = len(left) // 2
        if half:
            yield from _in_processes(left[:half], audit, count)
            yield from _in_processes(left[half:], audit, count)
        else:
            path, part = left[0]
            problem = f"{path}: the process that read it died"
            yield record({"source": path, "part": part, "problem": problem})


def _calm() -> None:
    """Leave Ctrl-C to the parent process, and collect garbage less often."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(100_000, 20, 100)


def on_ray(sources: Sequence[Source], audit: Audit) -> Iterator[Rows]:
    """Yield the record of each source, in any order; raise ConfigError if Ray is not installed."""
    try:
        import pyarrow as pa
        import ray
        import ray.data
    except ImportError:
        raise ConfigError("this engine needs Ray: pip install '.[ray]' in a clone") from None
    ray.init(ignore_reinit_error=True, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    packed = [_packed(source) for source in sources]
    names = ("path", "part")
    listed = pa.table({name: [row[at] for row in packed] for at, name in enumerate(names)})
    found = (
        ray.data.from_arrow(listed)
        .repartition(_pieces(sources))
        .map_batches(partial(_batch, audit), batch_size=None, batch_format="pyarrow")
    )
    yield from of_rows(found.iter_rows())


def on_spark(sources: Sequence[Source], audit: Audit) -> Iterator[Rows]:
    """Yield the record of each source; raise ConfigError if Spark is not installed."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise ConfigError("this engine needs Spark: pip install '.[spark]' in a clone") from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else it is any `python3`
    session = SparkSession.builder.appName("truepath audit").getOrCreate()
    listed = session.createDataFrame([*map(_packed, sources)], "path binary, part binary")
    types = {"int64": "bigint", "double": "double", "string": "string"}
    schema = ", ".join(f"`{name}` {types[kind]}" for name, kind in COLUMNS.items())
    rows = (
        listed.repartition(_pieces(sources)).mapInArrow(partial(_batches, audit), schema).collect()
    )
    yield from of_rows(row.asDict() for row in rows)


ENGINES: dict[str, Callable[[Sequence[Source], Audit], Iterator[Rows]]] = {
    "local": local,
    "ray": on_ray,
    "spark": on_spark,
}
"""`--engine` -> what reads the transcripts."""


def of_rows(rows: Iterable[Row]) -> Iterator[Rows]:
    """Yield the rows of each record, which are adjacent."""
    for _, group in groupby(rows, lambda row: row["record"]):
        yield [*group]


def _pieces(sources: Sequence[Source]) -> int:
    """Return the number of tasks for workers."""
    return max(1, len(sources) // _PIECE)


def _packed(source: Source) -> tuple[bytes, bytes]:
    """Return a source as two columns of bytes, because a name need not be UTF-8."""
    return os.fsencode(source.path), os.fsencode(source.part)


def _batches(audit: Audit, batches: Iterable[Any]) -> Iterator[Any]:
    return map(partial(_batch, audit), batches)  # Spark asks for a signature, which `map` lacks


def _batch(audit: Audit, batch: Any) -> Any:
    """Return the rows of a batch of packed sources, as a batch of the same type.

    They are read in another process, because a transcript may crash it.
    """
    import pyarrow as pa

    schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in COLUMNS.items()])
    columns = (map(os.fsdecode, column.to_pylist()) for column in batch.columns)
    sources = [Source(*row) for row in zip(*columns, strict=True)]
    rows = [row for rows in local(sources, audit, workers=1) for row in rows]
    return type(batch).from_pylist(rows, schema)
