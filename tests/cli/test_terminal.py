"""What a person sees is harmless and lines up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.cli.terminal import columns, counted, duration, padded, percent, plain, width


@given(st.text())
def test_a_plain_text_is_one_printable_line(text):
    assert plain(text).isprintable()


@given(st.text(st.characters(categories=("L", "N", "P")), max_size=20))
def test_what_prints_stays_as_it_is(text):
    assert plain(text) == text


@pytest.mark.parametrize(
    ("text", "cells"), [("abc", 3), ("狀態", 4), ("e\u0301", 1), ("é", 1), ("", 0)]
)
def test_width_counts_cells_of_a_terminal(text, cells):
    assert width(text) == cells
    assert width(padded(text, 8)) == 8


def test_columns_line_up_with_wide_characters():
    rows = columns([["狀態", "x"], ["a", "y"], ["abc", "z"]])
    assert {width(row[0]) for row in rows} == {4}


def test_a_very_wide_cell_does_not_push_the_others():
    rows = columns([["a" * 90, "x"], ["b", "y"]])
    assert rows[1] == ["b", "y"]


def test_a_number_has_its_noun_in_the_right_number():
    assert [counted(count, "file") for count in (0, 1, 1200)] == [
        "0 files",
        "1 file",
        "1,200 files",
    ]


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.0, "0%"), (0.414, "41%"), (0.985, "98.5%"), (0.99999, "99.9%"), (1.0, "99.9%")],
)
def test_percent_never_says_certain(share, said):
    assert percent(share) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.00000042, "0 µs"),
        (0.000358, "358 µs"),
        (0.0012, "1.2 ms"),
        (0.143, "143 ms"),
        (2, "2.0 s"),
    ],
)
def test_durations_have_their_fitting_unit(seconds, said):
    assert duration(seconds) == said
