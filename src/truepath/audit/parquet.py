"""Rows as Parquet, for DuckDB, pandas and whatever else reads it: pyarrow writes, DuckDB reads."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from truepath.audit.engines import of_rows
from truepath.audit.record import COLUMNS, Row, Rows
from truepath.errors import ConfigError

_BATCH = 10_000
"""Rows that are held at once."""

# DISTINCT: a record that is in two files counts once.
_QUERY = f"""
SELECT DISTINCT {", ".join(f'"{name}"' for name in COLUMNS)} FROM rows
ORDER BY source, part, record,
    CASE kind WHEN 'session' THEN 0 WHEN 'failure' THEN 1 WHEN 'answer' THEN 3 ELSE 2 END,
    "at", written
"""  # noqa: S608  # the names of our own columns


def write(rows: Iterable[Row], path: str) -> int:
    """Write rows into a file; return how many.

    Raises:
        ConfigError: pyarrow is not installed.
        OSError: It cannot be written.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise ConfigError("Parquet needs pyarrow: pip install '.[audit]' in a clone") from None
    schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in COLUMNS.items()])
    every, count = iter(rows), 0
    with parquet.ParquetWriter(path, schema) as writer:
        while batch := list(islice(every, _BATCH)):
            writer.write_table(pa.Table.from_pylist(batch, schema))
            count += len(batch)
    return count


def read(paths: Sequence[str]) -> Iterator[Rows]:
    """Yield the records in files of Parquet, or folders of them.

    Raises:
        ConfigError: DuckDB is not installed, or something in `paths` has no rows of an audit.
        OSError: A path does not exist.
    """
    try:
        import duckdb
    except ImportError:
        raise ConfigError("Parquet needs DuckDB: pip install '.[audit]' in a clone") from None
    database, files = duckdb.connect(), ", ".join(map(_pattern, paths))
    try:
        database.execute(f"CREATE VIEW rows AS FROM read_parquet([{files}], union_by_name = true)")
        yield from of_rows(_fetched(database.execute(_QUERY)))
    except duckdb.IOException as error:
        raise OSError(str(error).partition("\n")[0]) from error
    except duckdb.Error as error:
        why = str(error).partition("\n")[0]
        raise ConfigError(f"{', '.join(paths)}: no rows of an audit: {why}") from error


def _fetched(found: Any) -> Iterator[Row]:
    while batch := found.fetchmany(_BATCH):
        yield from (dict(zip(COLUMNS, row, strict=True)) for row in batch)


def _pattern(path: str) -> str:
    """Return a file, or the Parquet files in a folder, as an SQL literal."""
    below = "/**/*.parquet" if os.path.isdir(path) else ""
    escaped = f"{glob.escape(path)}{below}".replace("'", "''")
    return f"'{escaped}'"
