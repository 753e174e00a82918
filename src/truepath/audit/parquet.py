"""Rows as Parquet, for pandas and whatever else reads it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from glob import escape, glob
from itertools import groupby
from typing import Any

from truepath.audit.record import COLUMNS, Row, Rows
from truepath.errors import ConfigError

_KINDS = {"session": 0, "failure": 1, "hidden": 2, "answer": 4}
"""The order of rows in a record; the other kinds are third."""


def write(rows: Iterable[Row], path: str) -> None:
    """Write rows into a file.

    Raises:
        ConfigError: pyarrow is not installed.
        OSError: It cannot be written.
    """
    pyarrow = _pyarrow()
    table = pyarrow.Table.from_pylist([*rows], pyarrow.schema([*COLUMNS.items()]))
    pyarrow.parquet.write_table(table, path)


def read(paths: Sequence[str]) -> Iterator[Rows]:
    """Yield the records in files of Parquet, or folders of them; one in two files
    counts once.

    Raises:
        ConfigError: pyarrow is not installed, or a file has no rows of an audit.
        OSError: A path does not exist.
    """
    pyarrow = _pyarrow()
    rows = dict[tuple[Any, ...], Row]()
    for file in (file for path in paths for file in _files(path)):
        with open(file, "rb") as opened:
            try:
                table = pyarrow.parquet.read_table(opened, columns=[*COLUMNS])
            except (pyarrow.ArrowException, OSError) as error:
                raise ConfigError(
                    f"{file}: no rows of an audit of this version"
                ) from error
        rows.update((tuple(row.values()), row) for row in table.to_pylist())
    for _, group in groupby(
        sorted(rows.values(), key=_place), lambda row: row["record"]
    ):
        yield [*group]


def _pyarrow() -> Any:
    try:
        import pyarrow.parquet  # an extra
    except ImportError:
        raise ConfigError(
            "Parquet needs pyarrow: pip install '.[audit]' in a clone"
        ) from None
    return pyarrow


def _files(path: str) -> Sequence[str]:
    """Return a file, or the Parquet files in a folder."""
    found = (
        glob(f"{escape(path)}/**/*.parquet", recursive=True)
        if os.path.isdir(path)
        else [path]
    )
    return [each for each in found if not os.path.isdir(each)]


def _place(row: Row) -> tuple[Any, ...]:
    """Return where a row is among others: the session is the first of its record."""
    kind = _KINDS.get(row["kind"], 3)
    return (
        row["source"],
        row["part"],
        row["record"],
        kind,
        row["at"] or 0,
        row["written"] or "",
    )
