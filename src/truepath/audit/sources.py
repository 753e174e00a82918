"""Find transcripts, and read one of any known format.

They are read line by line, or as a whole if the file is one JSON value.
"""

from __future__ import annotations

import io
import os
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from glob import iglob
from itertools import chain, islice
from typing import IO, Any, NamedTuple

from truepath.audit.readers import READERS, opencode
from truepath.audit.transcript import (
    BAD,
    LARGEST_VALUE,
    Record,
    Transcript,
    json_in,
    opened,
)

_LONGEST_LINE = 1 << 26
"""Bytes of a line, at most; a line with several screenshots has a tenth of that."""

_HEAD = 200
"""Records that are searched for a known format; summaries and settings may come
first."""

SUFFIXES = (".jsonl", ".json", ".traj", "opencode.db")

_SKIPPED = frozenset((".git", "node_modules", ".venv", "__pycache__"))


class Source(NamedTuple):
    """One transcript."""

    path: str
    part: str = ""
    """The session in OpenCode's database; empty for other files."""


def on_this_machine(environ: Mapping[str, str]) -> Iterator[Source]:
    """Yield the transcripts of all agent programs with a known folder."""
    for place, pattern in chain.from_iterable(homes(environ)):
        for path in iglob(pattern, root_dir=place, recursive=True):
            yield from parts(os.path.join(place, path))


def homes(environ: Mapping[str, str]) -> list[list[tuple[str, str]]]:
    """Return where each agent program keeps transcripts: folders, and patterns of files
    below.
    """
    return [
        [
            (environ.get(name) or os.path.expanduser(own), rest)
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
    try:
        sessions = opencode.sessions(path) if path.endswith(".db") else [""]
    except OSError:
        sessions = [""]
    yield from (Source(path, session) for session in sessions)


def is_newer(source: Source, since: float) -> bool:
    """Return whether a transcript was written since then, or that is not known."""
    try:
        return os.stat(source.path).st_mtime >= since
    except OSError:
        return True


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
            transcript.cwd = transcript.cwd or _project_root(source.path)
            break
    return transcript


def records(source: Source) -> Iterator[Any]:
    """Yield the JSON values of a transcript in order, and `BAD` for each invalid line.

    Raises OSError if it cannot be read.
    """
    if source.path.endswith(".db"):
        yield opencode.load(*source)
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


def _project_root(path: str) -> str:
    """Return the project that Gemini CLI records two folders above a session; "" if
    none.
    """
    try:
        with opened(f"{os.path.dirname(os.path.dirname(path))}/.project_root") as file:
            return file.read(4096).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _values(file: IO[bytes]) -> Iterator[Any]:
    first = file.readline(_LONGEST_LINE).removeprefix(BOM_UTF8)
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
        for line in iter(partial(file.readline, _LONGEST_LINE), b"")
        if line.strip()
    )
