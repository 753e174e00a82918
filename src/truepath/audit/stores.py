"""Files wherever they are: on this machine's disk, or behind a URL that fsspec knows.

A URL is `s3://bucket/runs`, `gs://...`, `memory://...`, `file://...` or `zip://...::archive.zip`.
Without one, fsspec is not asked, and need not be there.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from truepath.errors import ConfigError

_BUFFER = 1 << 16
"""Bytes that are read at once: the lines of a transcript are long."""


def is_url(path: str) -> bool:
    """Tell whether a path is for fsspec."""
    return "://" in path


def file_system(url: str) -> Any:
    """Return the fsspec file system of a URL.

    Raises:
        ConfigError: fsspec, or what it needs for such a URL, is not installed.
    """
    with _place(url) as (system, _):
        return system


@contextmanager
def opened(path: str) -> Iterator[IO[bytes]]:
    """Open a regular file for reading: a pipe would be waited for without end.

    Raises:
        OSError: it cannot be read.
    """
    if is_url(path):
        with (
            _place(path) as (system, place),
            system.open(place, "rb") as raw,
            io.BufferedReader(raw) as file,  # most stores' own files read lines of no limit
        ):
            yield file
        return
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(f"{path} is no regular file")
    with open(path, "rb", _BUFFER) as file:
        yield file


@contextmanager
def made(path: str) -> Iterator[IO[bytes]]:
    """Open a file for writing, and make the folder that it is in.

    Raises:
        OSError: it cannot be written.
    """
    if is_url(path):
        with _place(path) as (system, place):
            system.makedirs(place.rpartition("/")[0], exist_ok=True)
            with system.open(place, "wb") as file:
                yield file
        return
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        yield file


def inner(path: str) -> tuple[str, str]:
    """Return a path without what it is chained to, and that: `zip://a::b.zip` is in an archive."""
    if not is_url(path):
        return path.replace(os.sep, "/"), ""
    place, chained, outer = path.partition("::")
    return place, chained + outer


def inside(folder: str, name: str) -> str:
    """Return the path of what is in a folder."""
    place, outer = inner(folder)
    slash = "" if place.endswith("/") else "/"
    return f"{place}{slash}{name}{outer}"


def parent(path: str) -> str:
    """Return the folder of a path."""
    place, outer = inner(path)
    return place.rpartition("/")[0] + outer


def is_folder(path: str) -> bool:
    """Tell whether there is a folder at a path."""
    if is_url(path):
        with _place(path) as (system, place):
            return bool(system.isdir(place))
    return os.path.isdir(path)


def names(folder: str) -> list[str]:
    """Return the names of what is in a folder, sorted; nothing where there is none."""
    if is_url(folder):
        with _place(folder) as (system, place):
            found = system.ls(place, detail=False) if system.isdir(place) else []
        return sorted(each.rstrip("/").rpartition("/")[2] for each in found)
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def size(path: str) -> int:
    """Return the bytes of a file.

    Raises:
        OSError: there is none.
    """
    if is_url(path):
        with _place(path) as (system, place):
            return int(system.size(place) or 0)
    return os.path.getsize(path)


def walk(folder: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield a folder and those below it, with the names of folders and files, as `os.walk` does."""
    if not is_url(folder):
        yield from os.walk(folder)
        return
    start, outer = inner(folder)
    with _place(folder) as (system, place):
        for path, folders, files in system.walk(place):
            chained = f"{start.partition('://')[0]}://{path.lstrip('/')}{outer}"
            yield chained if outer else system.unstrip_protocol(path), folders, files


def mark(path: str) -> str:
    """Return what changes when a file does: its size and time, or what its store has for them.

    Raises:
        OSError: there is none.
    """
    if is_url(path):
        with _place(path) as (system, place):
            return str(system.ukey(place))
    found = os.stat(path)
    return f"{found.st_size} {found.st_mtime_ns}"


def changed_at(path: str) -> float:
    """Return when a file was last written, in seconds since the epoch.

    Raises:
        OSError: there is none, or its store does not tell.
    """
    if is_url(path):
        with _place(path) as (system, place):
            return float(system.modified(place).timestamp())
    return os.stat(path).st_mtime


@contextmanager
def _place(url: str) -> Iterator[tuple[Any, str]]:
    """Give the file system of a URL, and the place in it. Whatever a store raises is an OSError."""
    try:
        import fsspec
    except ImportError:
        raise ConfigError("URLs need fsspec: pip install 'truepath[audit]'") from None
    try:
        system, place = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise ConfigError(f"{url}: {error}") from error
    try:
        yield system, str(place)
    except OSError:
        raise
    except Exception as error:
        raise OSError(f"{url}: {error or type(error).__name__}") from error
