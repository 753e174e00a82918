"""Records of transcripts that have not changed since: what makes a second audit short.

One private SQLite file in the state folder. Where it cannot be used, every transcript is read.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress

from truepath import __version__
from truepath.audit.places import stamp
from truepath.audit.record import VERSION, Record
from truepath.audit.sources import Source
from truepath.config.user_dirs import make_private, state_folder

_FILE = "audit.db"


class Kept:
    """Records by source, each as long as its transcript stays as it is."""

    def __init__(self, environ: Mapping[str, str], repo: str) -> None:
        """Take the user's file. Records of other versions, or of another `repo`, do not count."""
        self._folder = state_folder(environ)
        self._mark = f"{__version__} {VERSION} {repo} "

    def known(self, sources: Iterable[Source]) -> dict[Source, Record]:
        """Return the records of those sources that have not changed."""
        found: dict[Source, Record] = {}
        with suppress(sqlite3.Error, OSError), closing(self._open()) as database:
            for source in sources:
                ask = "SELECT record FROM kept WHERE source = ? AND stamp = ?"
                rows = database.execute(ask, (_key(source), self._stamp(source)))
                for (text,) in rows:
                    with suppress(ValueError, TypeError, KeyError):
                        found[source] = Record.from_dict(json.loads(text))
        return found

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


def _key(source: Source) -> str:
    return json.dumps([os.path.abspath(source.path), source.part])
