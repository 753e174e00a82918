"""Inspect: one sample of a log, out of `.eval`, which is a zip."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from truepath.audit.transcript import LARGEST, Homes, Record, Transcript, json_in, opened, plain
from truepath.hosts.fields import table, tables, text

NAME = "inspect"
HOMES: Homes = ()


def fits(record: Record) -> bool:
    """Tell whether a record is one of this format."""
    return {"messages", "epoch"} <= record.keys() and ("target" in record or "scores" in record)


def read(records: Iterable[Record], into: Transcript) -> None:
    """Take the records. Messages have no time of their own."""
    for record in records:
        name = f"{record.get('id', '')}-{record.get('epoch', '')}"
        into.about(session=name, model=text(table(record, "output"), "model"))
        for message in tables(record, "messages"):
            role = message.get("role")
            if role == "user":
                into.prompt()
            elif role == "assistant":
                into.functions(message, turn=text(message, "id"), time=None)
            elif role == "tool":
                error = text(table(message, "error"), "message")
                said = "\n".join(filter(None, (error, plain(message.get("content")))))
                into.answer(text(message, "tool_call_id"), said, failed=bool(error))


def samples(path: str) -> list[str]:
    """Return the samples of a log.

    Raises:
        OSError: it cannot be read.
    """
    with _zipped(path) as log:
        names = log.namelist()
    return [name for name in names if name.startswith("samples/") and name.endswith(".json")]


def load(path: str, sample: str) -> Any:
    """Return one sample of a log.

    Raises:
        OSError: it cannot be read.
    """
    with _zipped(path) as log, log.open(sample) as member:
        return json_in(member.read(LARGEST))


@contextmanager
def _zipped(path: str) -> Iterator[zipfile.ZipFile]:
    try:
        with opened(path) as file, zipfile.ZipFile(file) as log:
            yield log
    except (KeyError, NotImplementedError, zipfile.BadZipFile, ValueError, EOFError) as error:
        raise OSError(f"{path}: {error}") from error
