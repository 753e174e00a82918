"""Tables: read from JSON lines, and checked whole in one test, which names every row
that fails.

A test item costs some milliseconds, a row of most tables far less. Where one wants to
run a row by its name, parametrize instead."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import pytest

Row = TypeVar("Row")


def read(name: str) -> list[dict[str, Any]]:
    """Return the rows of `tests/<name>.jsonl`."""
    path = Path(__file__).parent / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def check_each(
    rows: Iterable[Row],
    check: Callable[[Row], object],
    name: Callable[[Row], str] = repr,
) -> None:
    """Call `check` with every row; fail with the name and the error of every row it
    fails for.
    """
    count, failed = 0, []
    for row in rows:
        count += 1
        try:
            check(row)
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001
            failed.append(f"{name(row)}: {type(error).__name__}: {error}")
    assert count, "an empty table proves nothing"
    if failed:
        pytest.fail(
            f"{len(failed)} of {count} rows:\n" + "\n".join(failed), pytrace=False
        )
