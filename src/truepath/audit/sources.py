"""Find transcripts, and read one of any known format.

They are read line by line, or as a whole if the file is one JSON value.
"""

from __future__ import annotations

import io
import os
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from glob import iglob
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from truepath.audit.database import connected
from truepath.audit.readers import FOLDER_OF, READERS, STORES, crush
from truepath.audit.transcript import (
    BAD,
    LARGEST_VALUE,
    LONGEST_LINE,
    Record,
    Transcript,
    json_in,
    opened,
)
from truepath.config.user_dirs import home

_HEAD = 200
"""Records that are searched for a known format; summaries and settings may come
first."""

if TYPE_CHECKING:
    from sqlite3 import Connection

    from truepath.audit.readers import Store

SUFFIXES = (".jsonl", ".json", ".traj", "opencode.db", "crush.db")

_DATABASE = ".db"

_SKIPPED = frozenset((".git", "node_modules", ".venv", "__pycache__", "Library"))
"""Folders that hold no projects; on macOS, the last is what programs keep."""

_DEPTH = 3
"""Folders below the home in which projects are looked for: `~/src/github.com/shop`."""


class Source(NamedTuple):
    """One transcript."""

    path: str
    part: str = ""
    """The session in a database; empty for other files."""


def on_this_machine(environ: Mapping[str, str]) -> Iterator[Source]:
    """Yield the transcripts of all agent programs with a known folder, and those that
    programs keep beside the code of this user's projects.
    """
    for place, pattern in chain.from_iterable(homes(environ)):
        for path in iglob(pattern, root_dir=place, recursive=True):
            yield from parts(os.path.join(place, path))
    near = chain([os.getcwd()], _projects(os.path.expanduser("~"), _DEPTH))
    beside = chain(crush.listed(environ), chain.from_iterable(map(in_project, near)))
    for path in dict.fromkeys(map(os.path.realpath, beside)):
        if os.path.exists(path):
            yield from parts(path)


def in_project(folder: str) -> Iterator[str]:
    """Yield the databases that programs keep beside the code of a project."""
    places = (os.path.join(folder, name) for name in crush.IN_PROJECTS)
    yield from filter(os.path.exists, places)


def _projects(folder: str, depth: int) -> Iterator[str]:
    """Yield a folder, and those below it that may be a project's: no links, and none
    that is hidden or holds what programs installed.
    """
    yield folder
    try:
        with os.scandir(folder) as entries:
            below = sorted(
                each.path
                for each in entries
                if each.is_dir(follow_symlinks=False)
                and each.name[0] != "."
                and each.name not in _SKIPPED
            )
    except OSError:
        return
    for path in below if depth else ():
        yield from _projects(path, depth - 1)


def homes(environ: Mapping[str, str]) -> list[list[tuple[str, str]]]:
    """Return where each agent program keeps transcripts: folders, and patterns of files
    below.
    """
    return [
        [
            (environ.get(name) or own.replace("~", home(os.environ), 1), rest)
            for name, own, rest in reader.HOMES
        ]
        for reader in READERS
    ]


def below(path: str) -> Iterator[Source]:
    """Yield the transcripts in a file or folder; raise OSError if it is missing."""
    if not os.path.isdir(path):
        os.stat(path)
        yield from parts(path)
        return
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(set(folders) - _SKIPPED)
        for name in sorted(files):
            if name.endswith(SUFFIXES):
                yield from parts(os.path.join(folder, name))


def parts(path: str) -> Iterator[Source]:
    """Yield the transcripts in a file; of one that cannot be read, itself: its record
    says why.
    """
    sessions = [""]
    if path.endswith(_DATABASE):
        with suppress(OSError), connected(path) as database:
            sessions = _store(path, database).sessions(database)
    yield from (Source(path, session) for session in sessions)


def _store(path: str, database: Connection) -> Store:
    """Return the reader of a database; raise OSError if no program is known that keeps
    such a one.
    """
    for store in STORES:
        if store.keeps(database):
            return store
    raise OSError(f"{path}: no sessions of a program that is known")


def is_newer(source: Source, since: float) -> bool:
    """Return whether a transcript was written since then, or that is not known."""
    try:
        # What was written last to a database may be in its log alone.
        files = (source.path, f"{source.path}-wal")
        times = [os.stat(path).st_mtime for path in files if os.path.exists(path)]
    except OSError:
        return True
    return max(times, default=since) >= since


def read(source: Source) -> Transcript:
    """Read a transcript of any known format; raise OSError if it cannot be read."""
    transcript = Transcript()
    head = list[Record]()
    values = _objects(records(source), transcript)
    for value in islice(values, _HEAD):
        head.append(value)
        reader = next((reader for reader in READERS if reader.fits(value)), None)
        if reader is not None:
            transcript.format = reader.NAME
            # What was looked at belongs to the session too.
            reader.read(chain(head, values), transcript)
            if not transcript.cwd and reader.NAME in FOLDER_OF:
                transcript.cwd = FOLDER_OF[reader.NAME](source.path)
            break
    # A format may tell the folder late.
    told = [call.cwd for call in transcript.calls if call.cwd]
    for call in transcript.calls:
        call.cwd = call.cwd or transcript.cwd
    transcript.cwd = next(iter(told), transcript.cwd)
    return transcript


def records(source: Source) -> Iterator[Any]:
    """Yield the JSON values of a transcript in order, and `BAD` for each invalid line.

    Raises OSError if it cannot be read.
    """
    if source.path.endswith(_DATABASE):
        with connected(source.path, keep=True) as database:
            # The project that the database is beside the code of, if it is.
            folder = os.path.dirname(os.path.dirname(os.path.abspath(source.path)))
            if source.path not in (
                os.path.join(folder, name) for name in crush.IN_PROJECTS
            ):
                folder = ""
            store = _store(source.path, database)
            yield from store.load(database, source.part, folder)
    else:
        with opened(source.path) as file:
            yield from _values(file)


def _objects(values: Iterable[Any], transcript: Transcript) -> Iterator[Record]:
    """Yield what may be a record; count invalid lines in the transcript."""
    for value in values:
        if value is BAD:
            transcript.bad_lines += 1
        elif isinstance(value, dict):
            yield value
        elif isinstance(value, list):
            yield {"messages": value}


def _values(file: IO[bytes]) -> Iterator[Any]:
    first = file.readline(LONGEST_LINE).removeprefix(BOM_UTF8)
    value = json_in(first)
    # A value that spans lines is the whole file.
    if value is BAD and first.lstrip()[:1] in (b"{", b"["):
        rest = first + file.read(LARGEST_VALUE)
        whole = json_in(rest)
        if whole is not BAD or first.strip() in (b"{", b"["):
            yield whole
            return
        file = io.BytesIO(rest)
    elif first.strip():
        yield value
    yield from (
        json_in(line)
        for line in iter(partial(file.readline, LONGEST_LINE), b"")
        if line.strip()
    )
