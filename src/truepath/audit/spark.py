"""Audit many transcripts on Spark, as the environment has it (`SPARK_HOME`, `spark-defaults`).

Every worker must have truepath, and reach the transcripts by the same paths.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

from truepath.audit.arrow import Batches, packed, pieces
from truepath.audit.local import Audit
from truepath.audit.record import COLUMNS, Record, of_rows
from truepath.audit.sources import Source
from truepath.errors import ConfigError

_TYPES = {"int64": "bigint", "double": "double", "string": "string"}


def run(sources: Sequence[Source], audit: Audit) -> Iterator[Record]:
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
    asked = session.createDataFrame([*map(packed, sources)], "path binary, part binary")
    schema = ", ".join(f"`{name}` {_TYPES[kind]}" for name, kind in COLUMNS.items())
    rows = asked.repartition(pieces(sources)).mapInArrow(Batches(audit), schema).collect()
    yield from of_rows(row.asDict() for row in rows)
