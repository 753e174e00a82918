"""A whole table in one test: every row is checked, and every row that fails is named.

A test item costs some milliseconds, a row of most tables far less. Where one wants to run a row by
its name, parametrize instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

Row = TypeVar("Row")


def check_each(
    rows: Iterable[Row], check: Callable[[Row], object], name: Callable[[Row], str] = repr
) -> None:
    """Call `check` with every row; fail with the name and the error of every row it fails for."""
    count, failed = 0, []
    for row in rows:
        count += 1
        try:
            check(row)
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001
            failed.append(f"{name(row)}: {type(error).__name__}: {error}")
    assert count, "an empty table proves nothing"
    if failed:
        pytest.fail(f"{len(failed)} of {count} rows:\n" + "\n".join(failed), pytrace=False)
