"""What a command line runs, and where: rows of `runs.jsonl`, and what holds of any
line.

A row names what acts: `PROGRAM in FOLDER` for a program that may do something in its
folder (`?`: one that is not known), an operation with its path, and `code` for a text
that may name any path.
"""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st
from rows import check_each, read

from truepath.calls.shell.runs import runs

PIECES = st.sampled_from(
    [
        *"cd ls rm git -C add sed -i s/a/b/ cat make npm test bash -c xargs".split(),
        *"python -m pytest for in do done a/b.py /x/y ~ ~/z *".split(),
        *("'", '"', "$X", "$(", ")", "(", "{", "}", ";", "&&", "||", "|", ">", "<"),
        *("<<", "EOF", "\n"),
    ]
)


def acting(line):
    """Yield what acts in a line, as rows have it."""
    for run in runs(line):
        if run.looks and not run.changes:
            continue
        if run.here:
            known = run.folders is not None
            yield f"{run.line} in {os.path.join('.', *run.folders) if known else '?'}"
        yield from (f"{operation} {path}" for path, operation in run.changes)
        yield from (f"code {text}" for text in run.code)


def test_each_line_runs_what_its_row_says():
    def check(row):
        told = [text.replace(" in ./", " in ") for text in acting(row["command"])]
        assert told == row["runs"]

    check_each(read("calls/shell/runs"), check, lambda row: row["command"])


@given(st.lists(PIECES, max_size=14).map(" ".join) | st.text(max_size=40))
def test_any_line_is_read(line):
    for run in runs(line):
        assert run.folders is None or all(run.folders)
        assert all(path for path, _ in run.changes)
