"""Records of transcripts that have not changed since: what makes a second audit short.

One private SQLite file in the state folder. Where it cannot be used, every transcript is read.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress

from truepath import __version__
from truepath.audit.places import stamp
from truepath.audit.record import VERSION, Record
from truepath.audit.sources import Source
from truepath.audit.stores import is_url
from truepath.config.user_dirs import make_private, state_folder

_FILE = "audit.db"


class Kept:
    """Records by source, each as long as its transcript stays as it is."""

    def __init__(self, environ: Mapping[str, str], repo: str) -> None:
        """Take the user's file. Records of other versions, or of another `repo`, do not count."""
        self._folder = state_folder(environ)
        self._mark = f"{__version__} {VERSION} {repo} "

    def known(self, sources: Iterable[Source]) -> Iterator[Record]:
        """Yield the records of those sources that have not changed."""
        with suppress(sqlite3.Error, OSError), closing(self._open()) as database:
            for source in sources:
                ask = "SELECT record FROM kept WHERE source = ? AND stamp = ?"
                rows = database.execute(ask, (_key(source), self._stamp(source)))
                for (text,) in rows:
                    if (record := _record(text)) is not None:
                        yield record

    def keep(self, records: Iterable[Record]) -> None:
        """Keep records for the next time."""
        rows = [
            (_key(source), self._stamp(source), json.dumps(record.to_dict()))
            for record in records
            for source in (Source(record.source, record.part),)
            if not record.problem
        ]
        with suppress(sqlite3.Error, OSError), closing(self._open()) as database, database:
            database.executemany("REPLACE INTO kept VALUES (?, ?, ?)", rows)

    def _stamp(self, source: Source) -> str:
        return self._mark + stamp(source)

    def _open(self) -> sqlite3.Connection:
        make_private(self._folder)
        path = os.path.join(self._folder, _FILE)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # the folder may be open to others
        database = sqlite3.connect(path)
        database.execute("CREATE TABLE IF NOT EXISTS kept (source PRIMARY KEY, stamp, record)")
        return database


def _record(text: str) -> Record | None:
    try:
        return Record.from_dict(json.loads(text))
    except (ValueError, TypeError, KeyError):
        return None


def _key(source: Source) -> str:
    path = source.path if is_url(source.path) else os.path.abspath(source.path)
    return json.dumps([path, source.part])
