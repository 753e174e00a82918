"""What a person sees is harmless, fits the screen and lines up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.cli.terminal import near, padded, percent, plain, table, width

printable = st.text(st.characters(categories=("L", "N", "P")), max_size=30)


@given(st.text())
def test_a_plain_text_is_one_printable_line(text):
    assert plain(text).isprintable()


@pytest.mark.parametrize(
    ("text", "cells"), [("abc", 3), ("狀態", 4), ("e\u0301", 1), ("é", 1), ("", 0)]
)
def test_width_counts_cells_of_a_terminal(text, cells):
    assert width(text) == cells
    assert width(padded(text, 8)) == 8


def test_columns_line_up_with_wide_characters_and_figures_are_flush_right():
    rows = [["狀態", "1,200", "x"], ["a", "7%", "y"]]
    assert table(("n", "of", ""), rows).splitlines() == [
        "n        of",
        "狀態  1,200  x",
        "a        7%  y",
    ]


ROW = ["resolved", "docs/a.md ->? specs/a.md  99.0%  a name a letter or two off, same folder"]


def test_a_row_that_fits_is_one_line_and_what_is_longer_goes_on_below():
    assert table((), [ROW]).count("\n") == 0
    assert table((), [ROW], 60).splitlines() == [
        "resolved  docs/a.md ->? specs/a.md  99.0%  a name a letter",
        "          or two off, same folder",
    ]
    assert table((), [["a/long/name/" * 4, *ROW]], 60).count("\n") == 0


@given(st.lists(st.tuples(printable, printable, printable), min_size=1, max_size=4))
def test_any_table_loses_nothing(rows):
    text = table((), rows, 60)
    assert len("".join(text.split())) == sum(len("".join(cell.split())) for r in rows for cell in r)


def test_a_path_is_shown_the_short_way(monkeypatch):
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setenv("USERPROFILE", "/home/ada")
    paths = (
        "/home/ada/shop/",
        "/home/ada/shop/a.py",
        "/home/ada/other/a.py",
        "/home/adam/a.py",
        "a.py",
    )
    assert [near(path, "/home/ada/shop") for path in paths] == [
        ".",
        "a.py",
        "~/other/a.py",
        "/home/adam/a.py",
        "a.py",
    ]


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.0, "<1%"), (0.414, "41%"), (0.985, "98.5%"), (0.99999, "99.9%"), (1.0, "99.9%")],
)
def test_percent_never_says_certain(share, said):
    assert percent(share) == said
