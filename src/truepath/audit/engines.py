"""Audit transcripts on a Ray cluster or on Spark, whose workers write the rows.

Ray is the cluster in `RAY_ADDRESS`, or this machine; Spark is as its environment says
(`SPARK_HOME`, `spark-defaults.conf`). Every worker needs truepath with the engine's
extra, and reaches the transcripts and the folder of the rows by the same path.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from glob import escape, glob
from itertools import chain

from truepath.audit.parquet import write
from truepath.audit.pool import Audit, in_processes, lost
from truepath.audit.sources import Source
from truepath.errors import ConfigError, Error

_PIECE = 32
"""Transcripts of one task, and of one file: one task more costs a worker the start of a
process, about 0.5 s."""

_LOOK_S = 1.0
"""Seconds between two looks at what Spark's workers have written."""


class EngineError(Error):
    """An engine ran no task at all."""


Share = tuple[str, Sequence[Source]]
"""The transcripts of one task, behind the file for their rows."""


def carry_out(
    engine: str, sources: Sequence[Source], audit: Audit, folder: str
) -> Iterator[int]:
    """Have the rows of all sources written into an empty folder; yield how many sources
    are done so far.

    A source that raises or ends its process has a row with its `problem`, and so have
    those of a worker that is lost.

    Args:
        engine: One of `ENGINES`.
        sources: The transcripts.
        audit: Audits one of them; pickled by the name of its function.
        folder: Where the rows go. It is made if it does not exist.

    Raises:
        ConfigError: The engine is not installed, or the folder has rows already.
        EngineError: The engine ran no task.
        OSError: The folder cannot be made.
    """
    os.makedirs(folder, exist_ok=True)
    if _files(folder):
        raise ConfigError(f"{folder}: there is Parquet in it; give another folder")
    shares = []
    for start in range(0, len(sources), _PIECE):
        name = f"{start // _PIECE:06}.parquet"
        part = sources[start : start + _PIECE]
        shares.append((os.path.join(os.path.abspath(folder), name), part))
    failure = ""
    try:
        for count in ENGINES[engine](shares, audit, folder):
            yield min(count * _PIECE, len(sources))
    except ImportError:
        raise ConfigError(
            f"--engine {engine} needs more: pip install '.[{engine}]' in a clone"
        ) from None
    except Exception as error:  # noqa: BLE001  whatever the engine raises for a worker
        failure = str(error).strip().partition("\n")[0] or type(error).__name__
    written = {*_files(folder)}
    if failure and not written:
        raise EngineError(f"{engine}: no worker wrote anything: {failure}")
    for file, part in shares:
        if file not in written:
            why = "the worker that read it was lost"
            write(chain.from_iterable(lost(source, why) for source in part), file)
    yield len(sources)


def _audited(audit: Audit, share: Share) -> None:
    """Write the rows of a share, in a worker.

    The transcripts are read in a process of its own, because one may end it.
    """
    file, sources = share
    unfinished = f"{file}.part"
    write(chain.from_iterable(in_processes(sources, audit, workers=1)), unfinished)
    os.replace(unfinished, file)  # a task that is run again writes the same


def _on_ray(shares: Sequence[Share], audit: Audit, _: str) -> Iterator[int]:
    import ray  # an extra

    ray.init(
        ignore_reinit_error=True,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="error",
    )
    # Without a retry: a transcript that ends its worker would end the next one too.
    task = ray.remote(max_retries=0)(_audited)
    waiting = [task.remote(audit, share) for share in shares]
    failures = []
    while waiting:
        (ended,), waiting = ray.wait(waiting, num_returns=1)
        try:
            ray.get(ended)
        except ray.exceptions.RayError as error:
            failures.append(error)
        yield len(shares) - len(waiting)
    if failures:
        raise failures[0]


def _on_spark(shares: Sequence[Share], audit: Audit, folder: str) -> Iterator[int]:
    from pyspark.sql import SparkSession  # an extra

    # Otherwise the workers are the first `python3` of PATH, which may lack truepath.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = SparkSession.builder.appName("truepath audit").getOrCreate()
    tasks = session.sparkContext.parallelize(shares, max(1, len(shares)))
    with ThreadPoolExecutor(1) as thread:
        job = thread.submit(tasks.foreach, partial(_audited, audit))
        while wait([job], _LOOK_S).not_done:
            yield len(_files(folder))
        job.result()


def _files(folder: str) -> list[str]:
    return glob(os.path.join(escape(os.path.abspath(folder)), "*.parquet"))


ENGINES = {"ray": _on_ray, "spark": _on_spark}
"""`--engine` -> what audits each share, and yields how many are done."""
