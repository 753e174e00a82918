"""Counts work, so that a test of what is linear needs no clock."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def lines_run(function: Callable[[], object]) -> int:
    """Return how many lines of Python a call runs, those of the standard library
    included.

    Work inside one call of C, such as a match of a pattern, is one line; what takes
    quadratic time there does not end within the limit of a test, if the text is long
    enough."""
    count = 0

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return count
