"""Rows of records as Parquet, for DuckDB, pandas and whatever else reads it. Needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from truepath.audit.record import COLUMNS, Record, of_rows
from truepath.errors import ConfigError

_BATCH = 10_000
"""Rows that are held before they are written."""


def write(records: Iterable[Record], path: str) -> int:
    """Write the rows of records into one file; return how many.

    Raises:
        ConfigError: pyarrow is not installed.
        OSError: the file cannot be written.
    """
    pa, parquet = _pyarrow()
    schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in COLUMNS.items()])
    count, held = 0, list[dict[str, Any]]()
    with parquet.ParquetWriter(path, schema) as file:
        for record in records:
            held += map(_encodable, record.rows())
            if len(held) >= _BATCH:
                file.write_table(pa.Table.from_pylist(held, schema))
                count, held = count + len(held), []
        file.write_table(pa.Table.from_pylist(held, schema))
    return count + len(held)


def read(path: str) -> list[Record]:
    """Return the records in a file of rows, or in a folder of such files.

    Raises:
        ConfigError: pyarrow is not installed, or the rows are not an audit's.
        OSError: there is nothing at `path`.
    """
    pa, parquet = _pyarrow()
    try:
        return of_rows(parquet.read_table(path).to_pylist())
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise ConfigError(f"{path} holds no rows of an audit: {error}") from error


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise ConfigError("Parquet needs pyarrow: pip install 'truepath[audit]'") from None
    return pa, parquet


def _encodable(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row whose texts can be UTF-8: half a surrogate pair in a name becomes `?`."""
    return {
        name: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for name, value in row.items()
    }
