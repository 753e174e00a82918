"""Rows as Parquet, for DuckDB, pandas and whatever else reads it. Needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from truepath.audit.record import COLUMNS
from truepath.audit.stores import made
from truepath.errors import ConfigError

_BATCH = 10_000
"""Rows that are held before they are written."""

PART = 1_000_000
"""Rows of one file of a folder."""


def write(rows: Iterable[dict[str, Any]], path: str) -> int:
    """Write rows into one file, or into the files of a folder; return how many.

    Args:
        rows: As `Record.rows` gives them.
        path: A file, or a folder where it ends in `/`; or the URL of one that fsspec knows.

    Raises:
        ConfigError: pyarrow is not installed.
        OSError: it cannot be written.
    """
    every = iter(rows)
    if not path.endswith("/"):
        return _file(every, path)
    counts = [_file(islice(every, PART), f"{path}part-00000.parquet")]
    while counts[-1] == PART:
        counts.append(_file(islice(every, PART), f"{path}part-{len(counts):05}.parquet"))
    return sum(counts)


def _file(rows: Iterable[dict[str, Any]], path: str) -> int:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise ConfigError("Parquet needs pyarrow: pip install 'truepath[audit]'") from None
    schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in COLUMNS.items()])
    rows, count = iter(rows), 0
    with made(path) as file, parquet.ParquetWriter(file, schema) as writer:
        while batch := list(islice(rows, _BATCH)):
            writer.write_table(pa.Table.from_pylist(batch, schema))
            count += len(batch)
    return count
