"""Rows of many records as one SQL table: in SQLite, or Parquet wherever it is, through DuckDB.

Python brings SQLite, so what is audited here needs nothing else; DuckDB reads what other machines
wrote without taking it in. Both are asked in the words that both know.
"""

from __future__ import annotations

import glob
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

from truepath.audit.record import COLUMNS, VERSION, Record, of_rows
from truepath.audit.stores import file_system, is_folder, is_url, walk
from truepath.errors import ConfigError

_BATCH = 1_000
"""Rows that are taken from a database at once."""

_NAMES = ", ".join(f'"{name}"' for name in COLUMNS)

# Checkpoints, and resumed or copied sessions, hold the same calls again: the longest counts.
_SESSIONS = f"""
CREATE TEMP TABLE sessions AS SELECT {_NAMES} FROM (
    SELECT *, row_number() OVER (
        PARTITION BY format, agent, session,
            CASE WHEN session = '' THEN source ELSE '' END,
            CASE WHEN session = '' THEN part ELSE '' END
        ORDER BY calls DESC, source DESC, part DESC, record DESC
    ) AS nth
    FROM rows
    WHERE kind = 'session' AND (ended IS NULL OR ended >= ?) AND substr(project || '/', 1, ?) = ?
) AS ranked WHERE nth = 1
"""  # noqa: S608  # the names of our own columns

# DISTINCT: a record that is in two files of Parquet counts once.
_FINDINGS = f"""
CREATE TEMP TABLE findings AS SELECT DISTINCT {_NAMES} FROM rows
WHERE kind <> 'session' AND record IN (SELECT record FROM sessions)
"""  # noqa: S608

_ROWS = f"""
SELECT {_NAMES} FROM (SELECT * FROM sessions UNION ALL SELECT * FROM findings) AS every
ORDER BY source, part, record, CASE kind WHEN 'session' THEN 0 ELSE 1 END, place
"""  # noqa: S608


class Database(Protocol):
    """What SQLite and DuckDB have in common."""

    def execute(self, query: str, parameters: Any = (), /) -> Any:
        """Run a statement; what it returns has `fetchall` and `fetchmany`."""


class Table:
    """The tables `sessions` and `findings`, with the columns `COLUMNS`."""

    def __init__(self, database: Database, since: float | None, project: str) -> None:
        """Choose from the table `rows` of a database.

        Args:
            database: What holds it.
            since: Seconds since the epoch: only sessions that ended later.
            project: Only sessions in this folder, as the agent's machine has it; empty: all.
        """
        self._database = database
        below = f"{project.rstrip('/')}/" if project else ""
        low = float("-inf") if since is None else since
        database.execute(_SESSIONS, [low, len(below), below])
        database.execute(_FINDINGS)

    def ask(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return what SQL says of the tables `sessions` and `findings`."""
        return [tuple(row) for row in self._database.execute(query, list(values)).fetchall()]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield all rows: of each record its session, then its findings."""
        found = self._database.execute(_ROWS)
        while batch := found.fetchmany(_BATCH):
            for row in batch:
                yield dict(zip(COLUMNS, row, strict=True))

    def records(self) -> Iterator[Record]:
        """Yield the records of the chosen sessions."""
        return of_rows(self.rows())


def of_records(
    records: Iterable[Record], *, since: float | None = None, project: str = ""
) -> Table:
    """Return the table of records, which are taken one by one: memory does not grow with them."""
    database = sqlite3.connect("", isolation_level=None)  # a file without a name, once it is large
    database.execute(f"CREATE TABLE rows ({_NAMES})")
    marks = ", ".join("?" * len(COLUMNS))
    rows = (tuple(row.values()) for record in records for row in record.rows())
    while batch := list(islice(rows, _BATCH)):
        database.execute("BEGIN")
        database.executemany(f"INSERT INTO rows VALUES ({marks})", batch)  # noqa: S608
        database.execute("COMMIT")
    return Table(database, since, project)


def of_parquet(paths: Sequence[str], *, since: float | None = None, project: str = "") -> Table:
    """Return the table of files of Parquet, folders of them, or their URLs.

    Raises:
        ConfigError: DuckDB is not installed, or something in `paths` holds no rows of an audit.
        OSError: there is nothing at a path.
    """
    try:
        import duckdb
    except ImportError:
        raise ConfigError("reports on Parquet need DuckDB: pip install 'truepath[audit]'") from None
    database = duckdb.connect()
    for system in {
        url.partition("://")[0]: file_system(url) for url in filter(is_url, paths)
    }.values():
        database.register_filesystem(system)
    files = [file for path in paths for file in _files(path)]
    try:
        listed = ", ".join(f"'{_escaped(file)}'" for file in files)
        database.execute(f"CREATE VIEW rows AS FROM read_parquet([{listed}], union_by_name = true)")
        versions = {version for (version,) in database.execute(_VERSIONS).fetchall()}
        if versions - {VERSION}:
            raise ConfigError(f"{', '.join(paths)}: rows of version {versions}, and not {VERSION}")
        return Table(database, since, project)
    except duckdb.IOException as error:
        raise OSError(str(error).partition("\n")[0]) from error
    except duckdb.Error as error:
        why = str(error).partition("\n")[0]
        raise ConfigError(f"{', '.join(paths)}: no rows of an audit: {why}") from error


_VERSIONS = "SELECT DISTINCT version FROM rows"


def _files(path: str) -> Iterator[str]:
    """Yield a file, or those of Parquet in a folder."""
    if not is_folder(path):
        yield path
        return
    for folder, _, names in walk(path):
        yield from (f"{folder}/{name}" for name in names if name.endswith(".parquet"))


def _escaped(path: str) -> str:
    """Return a path for a text of SQL, in which DuckDB sees no pattern."""
    return (path if is_url(path) else glob.escape(path)).replace("'", "''")
