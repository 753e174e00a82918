"""A table checked as one test names every row that fails."""

from __future__ import annotations

import pytest
from rows import check_each


def test_every_row_that_fails_is_named_with_its_error():
    def check(row):
        assert row % 2 == 0, "odd"

    with pytest.raises(pytest.fail.Exception) as raised:
        check_each([1, 2, 3], check)

    text = str(raised.value)
    assert text.startswith("2 of 3 rows:")
    assert "1: AssertionError: odd" in text
    assert "3: AssertionError: odd" in text
    assert "\n2:" not in text


def test_a_row_may_fail_by_pytest_and_by_any_error():
    with pytest.raises(pytest.fail.Exception, match=r"1: Failed: no(?s:.*)0: ZeroDivisionError"):
        check_each([1, 0], lambda row: 1 / row and pytest.fail("no"))


def test_an_empty_table_fails():
    with pytest.raises(AssertionError, match="empty"):
        check_each([], print)
