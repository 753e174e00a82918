"""One transcript as records: where its bytes come from, and which JSON values are in them.

Reads line by line, and a whole file only where it is one JSON value. Knows no format.
"""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import IO, Any, NamedTuple

from truepath.audit.stores import inner, inside, is_folder, names, opened, parent, size
from truepath.project.git import GitError, git

LONGEST_LINE = 1 << 26
"""Bytes of a line that is read: a line with several screenshots is a tenth of it."""

LARGEST = 1 << 28
"""Bytes of a file that is one JSON value, and is read whole."""

_READ_SECONDS = 60
"""What git may take to print one file."""

_MESSAGES = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
_PARTS = "SELECT message_id, data FROM part WHERE session_id = ? ORDER BY time_created, id"
"""OpenCode's tables since 1.2."""


_decoded = json.JSONDecoder().decode


class Source(NamedTuple):
    """One transcript."""

    path: str
    """A file, or a folder of event files, or a git repository; or a URL of one of the first two."""
    part: str = ""
    """Which transcript of several that it holds: a session's id in a database, a sample in an
    Inspect log, `REF:PATH` in a repository. Empty where there is one."""


class Bad(NamedTuple):
    """A line that is no JSON."""

    line: int


def records(source: Source) -> Iterator[Any]:
    """Yield the JSON values of a transcript in their order, and a `Bad` for each bad line.

    Raises:
        OSError: it cannot be read.
    """
    if is_folder(source.path):
        yield from _of_repository(source) if source.part else _of_folder(source.path)
    elif _ends(source.path, ".db"):
        yield _of_database(source)
    elif source.part:
        yield _sample(source)
    elif _is_stored_session(source.path):
        yield _of_storage(source.path)
    else:
        with opened(source.path) as file:
            yield from _values(file)


def parts(path: str) -> Iterator[Source]:
    """Yield the transcripts that a file holds.

    Raises:
        OSError: it cannot be read.
    """
    if _ends(path, ".eval"):
        with _zipped(path) as log:
            samples = [name for name in log.namelist() if _is_sample(name)]
        yield from (Source(path, name) for name in samples)
    elif _ends(path, ".db"):
        yield from (Source(path, name) for name in _sessions(path))
    else:
        count = _samples(path) if _ends(path, ".json") else 0
        yield from (Source(path, f"samples/{at}") for at in range(count))
        if not count:
            yield Source(path)


def _ends(path: str, suffix: str) -> bool:
    return inner(path)[0].endswith(suffix)


def _values(file: IO[bytes]) -> Iterator[Any]:
    first = file.readline(LONGEST_LINE)
    value = _value(first, 1)
    # An object that ends on another line than it began on is the whole file.
    if isinstance(value, Bad) and first.lstrip()[:1] in (b"{", b"["):
        rest = first + file.read(LARGEST)
        whole = _value(rest, 1)
        if not isinstance(whole, Bad) or first.strip() in (b"{", b"["):
            yield whole
            return
        yield from _lines(io.BytesIO(rest))
        return
    if first.strip():
        yield value
    yield from _lines(file, start=2)


def _lines(file: IO[bytes], start: int = 1) -> Iterator[Any]:
    lines = iter(partial(file.readline, LONGEST_LINE), b"")
    for number, line in enumerate(lines, start):
        if line.strip():
            yield _value(line, number)


def _value(text: bytes, line: int) -> Any:
    try:
        return _decoded(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return Bad(line)


def _of_folder(path: str) -> Iterator[Any]:
    events = [name for name in names(path) if name.endswith(".json")]
    for at, name in enumerate(sorted(events, key=_in_order), 1):
        with opened(inside(path, name)) as file:
            yield _value(file.read(LARGEST), at)


def _in_order(name: str) -> tuple[int, str]:
    """Return what event files are sorted by: `12.json`, or `event-00012-ID.json`."""
    digits = re.search(r"\d{1,18}", name)
    return int(digits[0]) if digits else 0, name


def _of_repository(source: Source) -> Iterator[Any]:
    ref, _, path = source.part.partition(":")
    folder, _, name = path.rpartition("/")
    try:
        listed = git(source.path, "ls-tree", "-z", "--name-only", ref, f"{folder}/", timeout=60)
        chunks = [
            entry for entry in os.fsdecode(listed).split("\0") if _continues(entry, folder, name)
        ]
        blobs = [
            git(source.path, "cat-file", "blob", f"{ref}:{entry}", timeout=_READ_SECONDS)
            for entry in sorted(chunks)
        ]
    except GitError as error:
        raise OSError(f"{source.path}: git cannot read {source.part}: {error}") from error
    yield from _values(io.BytesIO(b"".join(blobs)))


def _continues(listed: str, folder: str, name: str) -> bool:
    """Tell whether a listed path is the transcript, or a later chunk of it (`full.jsonl.001`)."""
    own = f"{folder}/{name}"
    return listed == own or (listed.startswith(f"{own}.") and listed[len(own) + 1 :].isdecimal())


@contextmanager
def _zipped(path: str) -> Iterator[zipfile.ZipFile]:
    try:
        with opened(path) as file, zipfile.ZipFile(file) as log:
            yield log
    except (zipfile.BadZipFile, ValueError) as error:
        raise OSError(f"{path}: {error}") from error


def _is_sample(name: str) -> bool:
    return name.startswith("samples/") and name.endswith(".json")


def _samples(path: str) -> int:
    """Return how many samples an Inspect log has; 0 for any other file."""
    if size(path) > LARGEST:
        return 0
    with opened(path) as file:
        head = file.read(4096)
        if b'"samples"' not in head and b'"eval"' not in head:
            return 0
        value = _value(head + file.read(), 1)
    found = value.get("samples") if isinstance(value, dict) and "eval" in value else None
    return len(found) if isinstance(found, list) else 0


def _sample(source: Source) -> Any:
    if _ends(source.path, ".eval"):
        try:
            with _zipped(source.path) as log, log.open(source.part) as member:
                return _value(member.read(LARGEST), 1)
        except (KeyError, NotImplementedError, zipfile.BadZipFile, ValueError, EOFError) as error:
            raise OSError(f"{source.path}: {source.part}: {error}") from error
    with opened(source.path) as file:
        value = _value(file.read(LARGEST), 1)
    try:
        return value["samples"][int(source.part.rpartition("/")[2])]
    except (TypeError, KeyError, IndexError, ValueError) as error:
        raise OSError(f"{source.path} has no {source.part}") from error


def _is_stored_session(path: str) -> bool:
    folders = inner(path)[0].split("/")
    return len(folders) > 3 and folders[-4:-2] == ["storage", "session"]


def _of_storage(path: str) -> Any:
    """Return one of OpenCode's sessions as its export has it."""
    storage = parent(parent(parent(path)))
    info = _json_of(path)
    messages = []
    for message in _files(inside(storage, f"message/{_stem(path)}")):
        pieces = [_json_of(piece) for piece in _files(inside(storage, f"part/{_stem(message)}"))]
        messages.append({"info": _json_of(message), "parts": pieces})
    return {"info": info, "messages": messages}


def _stem(path: str) -> str:
    return inner(path)[0].rpartition("/")[2].removesuffix(".json")


def _files(folder: str) -> Iterable[str]:
    # Ids are made so that their order is that of time.
    return [inside(folder, name) for name in names(folder) if name.endswith(".json")]


def _json_of(path: str) -> Any:
    with opened(path) as file:
        value = _value(file.read(LONGEST_LINE), 1)
    return {} if isinstance(value, Bad) else value


def _sessions(path: str) -> list[str]:
    return [row[0] for row in _rows(path, "SELECT id FROM session ORDER BY id")]


def _of_database(source: Source) -> Any:
    """Return one session of OpenCode's database as its export has it."""
    name = (source.part,)
    found = _rows(source.path, "SELECT directory FROM session WHERE id = ?", name)
    pieces: dict[str, list[Any]] = {}
    for message, data in _rows(source.path, _PARTS, name):
        pieces.setdefault(message, []).append(_value(str(data).encode(), 1))
    messages = [
        {"info": {"id": row[0], **_object(row[1])}, "parts": pieces.get(row[0], [])}
        for row in _rows(source.path, _MESSAGES, name)
    ]
    info = {"id": source.part, "directory": found[0][0] if found else ""}
    return {"info": info, "messages": messages}


def _object(data: object) -> dict[str, Any]:
    value = _value(str(data).encode(), 1)
    return value if isinstance(value, dict) else {}


def _rows(path: str, query: str, values: tuple[str, ...] = ()) -> list[Any]:
    import sqlite3
    from urllib.parse import quote

    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)) as database:
            return database.execute(query, values).fetchall()
    except sqlite3.Error as error:
        raise OSError(f"{path}: {error}") from error
