"""Work is counted, and no test measures the clock: a busy machine fails none."""

from __future__ import annotations

import re
from pathlib import Path

from work import lines_run

CLOCK = r"process_time|perf_counter|monotonic\(\) -|assert time\."


def test_work_grows_as_the_loops_do():
    def each(size):
        for _ in range(size):
            pass

    def each_of_each(size):
        for _ in range(size):
            each(size)

    assert lines_run(lambda: each(1000)) < 11 * lines_run(lambda: each(100))
    assert lines_run(lambda: each_of_each(100)) > 50 * lines_run(
        lambda: each_of_each(10)
    )


def test_no_test_measures_the_clock():
    tests = [
        file
        for file in Path(__file__).parent.rglob("test_*.py")
        if file != Path(__file__)
    ]
    assert tests
    assert [
        file.name for file in tests if re.search(CLOCK, file.read_text("utf-8"))
    ] == []
