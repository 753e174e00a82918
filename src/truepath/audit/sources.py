"""Transcripts: where they are, and what is in one, whatever its format.

Read line by line, and a whole file only where it is one JSON value.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from glob import iglob
from itertools import chain, islice
from typing import IO, Any, NamedTuple

from truepath.audit.readers import READERS, opencode, reader_of
from truepath.audit.transcript import BAD, LARGEST, Record, Transcript, json_in, opened

_LONGEST_LINE = 1 << 26
"""Bytes of a line that is read: a line with several screenshots is a tenth of it."""

_HEAD = 200
"""Records that are looked at to recognise a format: summaries and settings may come first."""

SUFFIXES = (".jsonl", ".json", ".traj", "opencode.db")

_SKIPPED = frozenset((".git", "node_modules", ".venv", "__pycache__"))


class Source(NamedTuple):
    """One transcript."""

    path: str
    part: str = ""
    """The session in OpenCode's database; of other files empty."""


def on_this_machine(environ: Mapping[str, str]) -> Iterator[Source]:
    """Yield the transcripts of every agent program whose folder is known."""
    for place, pattern in chain.from_iterable(homes(environ)):
        for path in iglob(pattern, root_dir=place, recursive=True):
            yield from _parts_or_file(os.path.join(place, path))


def homes(environ: Mapping[str, str]) -> list[list[tuple[str, str]]]:
    """Return where each agent program keeps transcripts: folders, and patterns of files below."""
    return [
        [(environ.get(name) or os.path.expanduser(folder), rest) for name, folder, rest in each]
        for each in (reader.HOMES for reader in READERS)
    ]


def below(path: str) -> Iterator[Source]:
    """Yield the transcripts in a file, or in a folder.

    Raises:
        OSError: there is nothing at `path`.
    """
    if not os.path.isdir(path):
        os.stat(path)  # raises where there is nothing
        yield from parts(path)
        return
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(set(folders) - _SKIPPED)
        for name in sorted(files):
            if name.endswith(SUFFIXES):
                yield from _parts_or_file(os.path.join(folder, name))


def parts(path: str) -> Iterator[Source]:
    """Yield the transcripts that a file holds.

    Raises:
        OSError: it cannot be read.
    """
    sessions = opencode.sessions(path) if path.endswith(".db") else [""]
    yield from (Source(path, session) for session in sessions)


def _parts_or_file(path: str) -> Iterator[Source]:
    """Yield the parts of a file; where it cannot be read, the file, whose record says why."""
    try:
        yield from parts(path)
    except OSError:
        yield Source(path)


def is_newer(source: Source, since: float) -> bool:
    """Tell whether a transcript was written after a moment; yes where that is not known."""
    try:
        return os.stat(source.path).st_mtime >= since
    except OSError:
        return True


def read(source: Source) -> Transcript:
    """Read a transcript of any known format.

    Raises:
        OSError: it cannot be read.
    """
    found, head = Transcript(), list[Record]()
    values = _objects(records(source), found)
    for value in islice(values, _HEAD):
        head.append(value)
        if reader := reader_of(value):
            found.format = reader.NAME
            reader.read(chain(head, values), found)
            found.cwd = found.cwd or _project_root(source.path)
            break
    return found


def records(source: Source) -> Iterator[Any]:
    """Yield the JSON values of a transcript in their order, and `BAD` for each bad line.

    Raises:
        OSError: it cannot be read.
    """
    if source.path.endswith(".db"):
        yield opencode.load(*source)
    else:
        with opened(source.path) as file:
            yield from _values(file)


def _objects(values: Iterable[Any], found: Transcript) -> Iterator[Record]:
    for value in values:
        found.bad_lines += value is BAD
        if isinstance(value, (dict, list)):
            yield value if isinstance(value, dict) else {"messages": value}


def _project_root(path: str) -> str:
    """Return the project that Gemini CLI notes two folders above a session; "" where none is."""
    try:
        with opened(f"{os.path.dirname(os.path.dirname(path))}/.project_root") as file:
            return file.read(4096).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _values(file: IO[bytes]) -> Iterator[Any]:
    first = file.readline(_LONGEST_LINE)
    value = json_in(first)
    # An object that ends on another line than it began on is the whole file.
    if value is BAD and first.lstrip()[:1] in (b"{", b"["):
        rest = first + file.read(LARGEST)
        whole = json_in(rest)
        if whole is not BAD or first.strip() in (b"{", b"["):
            yield whole
            return
        file = io.BytesIO(rest)
    elif first.strip():
        yield value
    yield from (
        json_in(line) for line in iter(partial(file.readline, _LONGEST_LINE), b"") if line.strip()
    )
