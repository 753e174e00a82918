"""What a person sees is harmless, fits the screen and lines up."""

from __future__ import annotations

import json
from pathlib import Path

import hooks
import pytest
from commandline import ran
from hypothesis import given
from hypothesis import strategies as st

from truepath.cli.terminal import near, padded, percent, plain, table, width

printable = st.text(st.characters(categories=("L", "N", "P")), max_size=26)


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


ROW = [
    "resolved",
    "docs/a.md ->? specs/a.md  99.0%  a name a letter or two off, same folder",
]


def test_a_row_that_fits_is_one_line_and_what_is_longer_goes_on_below():
    assert table((), [ROW]).count("\n") == 0
    assert table((), [ROW], 60).splitlines() == [
        "resolved  docs/a.md ->? specs/a.md  99.0%  a name a letter",
        "          or two off, same folder",
    ]
    assert table((), [["a/long/name/" * 3, *ROW]], 60).splitlines() == [
        "a/long/name/a/long/name/a/long/name/  resolved",
        "    docs/a.md ->? specs/a.md  99.0%  a name a letter or two",
        "    off, same folder",
    ]


def test_a_narrow_column_stays_beside_the_others_and_a_wide_one_goes_below():
    rows = [["refused, candidates named", "138 ms", "75%"], ["added", "3", "1,200"]]
    assert table((), rows, 42).splitlines() == [
        "refused, candidates named  138 ms    75%",
        "added                           3  1,200",
    ]
    rows[1][-1] = "in the median of all"
    assert table((), rows, 42).splitlines() == [
        "refused, candidates named  138 ms",
        "    75%",
        "added                           3",
        "    in the median of all",
    ]


def test_what_is_in_backquotes_stays_on_one_line():
    assert table((), [["run `truepath doctor`"]], 16).splitlines() == [
        "run",
        "`truepath doctor`",
    ]


@given(st.lists(st.tuples(printable, printable, printable), min_size=1, max_size=4))
def test_any_table_loses_nothing(rows):
    text = table((), rows, 60)
    assert len("".join(text.split())) == sum(
        len("".join(cell.split())) for r in rows for cell in r
    )
    columns = [max(map(width, column)) for column in zip(*rows, strict=True)]
    room = max(60, sum(columns[:-1]) + 2)  # only the last column is broken
    assert all(width(line) <= room for line in text.splitlines())


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
    [
        (0.0, "<1%"),
        (0.414, "41%"),
        (0.985, "98.5%"),
        (0.99999, "99.9%"),
        (1.0, "99.9%"),
    ],
)
def test_percent_never_says_certain(share, said):
    assert percent(share) == said


FOLDER = "src/customers/狀態/invoices"
WRONG = f"{FOLDER}/quarterly_reports.py"
COMMANDS = [
    ["resolve", WRONG, "config.py", "nothing_like_it.xyz"],
    ["resolve", "--why", WRONG, "config.py"],
    ["check", "--", f"cat {WRONG} | head && rm config.py"],
    ["policy"],
    ["log"],
    ["log", "--event", "path.assumed"],
    ["stats"],
    ["stats", "--by", "project"],
    ["stats", "--by", "tool"],
    ["audit", str(Path(__file__).parents[1] / "transcripts")],
    ["install", "claude-code"],
    ["doctor"],
    ["uninstall", "claude-code"],
    ["uninstall", "codex"],
    ["demo"],
]


def test_every_command_fits_a_narrow_terminal(make_repo, isolated, monkeypatch, capsys):
    """What is copied (a path, a command in backquotes) is whole, whatever it takes."""
    names = (f"{FOLDER}/quarterly_report.py", "a/config.py", f"{FOLDER}/config.py")
    repo = make_repo(dict.fromkeys(names, ""))
    monkeypatch.chdir(repo)
    (isolated / ".claude").mkdir()
    other = {
        "PreToolUse": [
            {"hooks": [{"type": "command", "command": "cat >> ~/calls.log"}]}
        ]
    }
    (isolated / ".claude/settings.json").write_text(json.dumps({"hooks": other}))
    for path in (WRONG, "config.py", "nothing_like_it.xyz"):
        hooks.answer(hooks.event(repo, path))
    monkeypatch.setenv("COLUMNS", "60")
    for words in COMMANDS:
        done = ran(capsys, *words)
        lines = [
            line for line in (done.out + done.err).splitlines() if line[:1] not in "+-@"
        ]
        assert lines, words
        for line in lines:
            is_whole = " " not in line.strip() or line.strip().startswith("`")
            is_diff = words[0] in ("install", "uninstall") and line.startswith(" ")
            assert width(line) <= 60 or is_whole or is_diff, (words, line)
