"""A table checked as one test names every row that fails; an empty one fails."""

from __future__ import annotations

import pytest
from rows import check_each


def test_every_row_that_fails_is_named_with_its_error():
    def check(row):
        assert row % 2 == 0, "odd"
        if not row:
            pytest.fail("no")

    with pytest.raises(pytest.fail.Exception) as raised:
        check_each([1, 2, 0], check)
    assert str(raised.value).startswith("2 of 3 rows:\n1: AssertionError: odd")
    assert "\n0: Failed: no" in str(raised.value)
    with pytest.raises(AssertionError, match="empty"):
        check_each([], print)
