"""Audit many transcripts on Spark, as the environment has it (`SPARK_HOME`, `spark-defaults`).

Every worker must have truepath, and reach the transcripts by the same paths.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from truepath.audit import local
from truepath.audit.record import Record
from truepath.audit.sources import Source
from truepath.errors import ConfigError


def run(sources: Sequence[Source], audit: local.Audit) -> Iterator[Record]:
    """Yield the record of each source.

    Raises:
        ConfigError: Spark is not installed.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise ConfigError("this engine needs Spark: pip install 'truepath[spark]'") from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else it is any `python3`
    context = SparkSession.builder.appName("truepath audit").getOrCreate().sparkContext
    slices = max(1, len(sources) // local.CHUNK)
    found = context.parallelize([*sources], slices).mapPartitions(_Partition(audit))
    yield from found.collect()


@dataclass(frozen=True, slots=True)
class _Partition:
    """Audits a partition in a process beside Spark's own, which a bad transcript may end."""

    audit: local.Audit

    def __call__(self, sources: Iterable[Source]) -> Iterator[Record]:
        """Yield the records of a partition."""
        return local.run([Source(*source) for source in sources], self.audit, workers=1)
