"""Command lines: what is read, what a line does, what is corrected in it and what never
is.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from rows import check_each
from rows import read as rows

from truepath.calls.shell import programs
from truepath.calls.shell.path_uses import survey
from truepath.calls.shell.powershell import POWERSHELL
from truepath.calls.shell.quick_look import must_exist
from truepath.calls.shell.reader import read
from truepath.calls.shell.rewrite import rewrite


def told(use):
    """Return a use as the tables tell of it."""
    words = [use.operation, use.written]
    words += ["optional"] * use.optional + [f"in:{use.in_git}"] * bool(use.in_git)
    words += ["tolerated"] * use.tolerated + ["sought"] * use.sought
    words += [f"below:{','.join(map(str, use.entered))}"] * bool(use.entered)
    return " ".join(words + ["fixed"] * (not use.word.plain))


def is_powershell(row):
    return row.get("shell") == "powershell"


@pytest.mark.parametrize("table", ["looks", "does", "attacks", "unsure"])
def test_a_line_is_read_to_its_paths_and_to_all_that_it_does(table):
    def check(row):
        known = survey(row["command"], powershell=is_powershell(row))
        if row["does"] is None:
            assert known is None
            return
        assert [told(use) for use in known.uses] == row["uses"]
        assert (sorted(known.effects), known.understood) == (
            row["does"],
            row.get("understood", True),
        )

    check_each(rows(f"calls/shell/{table}"), check)


def changed(row):
    powershell = is_powershell(row)
    uses = survey(row["command"], powershell=powershell).uses
    changes = {uses[int(at)]: new for at, new in row["changes"].items()}
    assert changes
    return rewrite(row["command"], changes, powershell=powershell)


def test_a_path_is_corrected_and_every_other_byte_stays():
    def check(row):
        assert changed(row) == row["expected"]

    check_each(rows("calls/shell/corrects"), check)


def test_what_could_mean_something_else_is_left_alone():
    def check(row):
        assert changed(row) is None

    check_each(rows("calls/shell/leaves_alone"), check)


def test_the_quick_look_names_what_must_be_there(monkeypatch):
    monkeypatch.setenv("HOME", "/home/u")

    def check(row):
        found = must_exist(row["command"], "/p")
        assert (found and [[*required] for required in found[0]]) == row["needs"]

    check_each(rows("calls/shell/quick_look"), check)


def test_every_line_of_the_table_can_be_read():
    names = programs._table()[0]
    check_each(names, lambda name: programs.rule(name).does)
    assert {programs.rule(name).does for name in names} == {*programs.EFFECTS}


NESTED = ["rtk ", "npx rtk timeout 5 ", "time A=b ", "command time ", "uv run "]


def test_programs_and_folders_are_entered_to_a_depth():
    def check(form):
        assert not survey(form * 300 + "cat x").understood

    check_each(NESTED, check)
    assert survey("time A=b rtk timeout 5 bash -c 'command cat x'").understood
    assert survey("time " + "A=b " * 1_900 + "cat x").understood
    assert len(survey("cd a && " * 600 + "cat x").uses) < 50
    assert len(survey("cd a && cd .. && " * 300 + "cat x").uses) < 50


COMMANDS = st.sampled_from(
    ["cat w", "head 'w'", "rm -rf x", "cd sub", "frobnicate y", "git push",
     "sed -n 1p w", "F=w",
     'cat $F "$X"', "cat $(rm x)", "cat `rm x`", "(cat w)", "{ cat w; }", "ls *",
     "mv w w.bak", "bash -c 'cat w'", "sudo cat w", "xargs rm", "[ -f w ]", "cat ~/w",
     "cat < w",
     "cat w >w", "cat w 2>&1", "if cat w", "for f in w", "cat w >|x"]
)  # fmt: skip
LINES = st.lists(
    st.tuples(COMMANDS, st.sampled_from([" && ", "; ", " | ", " || ", "\n", " & "])),
    min_size=1,
    max_size=4,
).map(lambda pairs: "".join(text for pair in pairs for text in pair).rstrip(" &|;"))
NAMES = st.text(st.characters(exclude_characters="/\0"), min_size=1, max_size=20)


@settings(max_examples=300, deadline=None)
@given(line=LINES, new=NAMES | st.just("a/b.c"))
@example(line="cat w ; frobnicate y", new="z")
def test_only_spans_change_and_only_in_a_line_that_is_understood(line, new):
    known = survey(line)
    for use in known.uses if known else ():
        result = rewrite(line, {use: new})
        if result is not None:
            assert known.understood
            assert not any(
                mark in line for mark in ("frobnicate", "$(", "`", "( ", "{ ")
            )
            assert result.startswith(line[: use.word.start])
            assert result.endswith(line[use.word.end :])
            assert len(survey(result).uses) == len(known.uses)


CMDLETS = st.sampled_from(
    ["gc w", "Get-Content 'w'", "cat w -Wait", "rm w", "cd sub", "frobnicate y",
     "rg x w", "& w",
     "select -First 5", "Where-Object Name -eq w", "% { w }", "gc $x", 'gc "$x/w"',
     "gc (w)",
     "gc @w", "[w]::x", "gc `n w", "gc w >o", "gc w 2>$null", "pwsh -c 'gc w'",
     "iex w", "gc w, x",
     "if (w) { w }", "gc w --% x", "'w'", "gc \u2018w\u2019", "gc -Path:w", "gc < w",
     "gc w #",
     "$x = gc w"]
)  # fmt: skip
POWERSHELL_LINES = st.lists(
    st.tuples(
        CMDLETS,
        st.sampled_from([" && ", "; ", " | ", " || ", "\n", " & ", "\r\n", ", "]),
    ),
    min_size=1,
    max_size=4,
).map(lambda pairs: "".join(text for pair in pairs for text in pair).rstrip(" &|;,"))
UNCLEAR = [
    *(
        "frobnicate",
        "-Wait",
        "{",
        "$x",
        "(",
        "& w",
        "@w",
        "[w]",
        "`n",
        "iex",
        "--%",
        "\u2018",
    ),
    *("< ", "& gc", "& rm", "& cd", "& rg"),
]


@settings(max_examples=300, deadline=None)
@given(line=POWERSHELL_LINES, new=NAMES)
@example(line="gc w; frobnicate y", new="z")
@example(line="gc w | select -First 5", new="a b")
def test_of_powershell_a_line_with_anything_unclear_is_never_rewritten(line, new):
    known = survey(line, powershell=True)
    for use in known.uses if known else ():
        result = rewrite(line, {use: new}, powershell=True)
        if result is not None:
            said = re.sub(r"\s#.*|, frobnicate", "", line).replace("&&", ";")
            assert not any(mark in said for mark in UNCLEAR)
            assert result.startswith(line[: use.word.start])
            assert result.endswith(line[use.word.end :])
            assert len(survey(result, powershell=True).uses) == len(known.uses)


@given(
    text=st.text()
    | st.text("gcw '\"`$;|,\n-@(){}", max_size=20)
    | LINES
    | POWERSHELL_LINES
)
def test_no_text_raises(text):
    must_exist(text, "/p")
    must_exist(text, "C:/p")
    for line in filter(None, (read(text), read(text, POWERSHELL))):
        for part in line.parts:
            assert all(0 <= word.start < word.end <= len(text) for word in part.words)


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
@settings(max_examples=60, deadline=None)
@given(
    name=NAMES.filter(lambda name: name not in (".", "..") and name.isprintable()),
    line=st.sampled_from(
        [
            "cat w",
            "cat 'w'",
            'cat "w"',
            "cat -- w",
            "cat < w",
            "bash -c 'cat w'",
            'bash -c "cat w"',
        ]
    ),
)
@example(name="it's", line="cat 'w'")
@example(name="$x `y` \\", line='cat "w"')
@example(name="-n", line="cat w")
@example(name="~", line="cat w")
def test_the_corrected_line_reads_that_file_in_a_real_shell(name, line):
    (use,) = survey(line).uses
    new = rewrite(line, {use: name})
    assume(new is not None and len(name.encode("utf-8", "replace")) < 200)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, name).write_text("right")
        run = subprocess.run(
            ["bash", "-c", new],
            cwd=folder,
            capture_output=True,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
            check=False,
        )
    assert (run.stdout, run.stderr) == (b"right", b"")


FRAMES = ["echo '{}'", "cat {}", 'cat "{}"', "sed -n '{}' f", "cat <<'E'\n{}\nE\n",
          "mkdir -p {}",
          "git commit -m \"$(cat <<'E'\n{}\nE\n)\"", "git log -- {}", "{}"]  # fmt: skip
FILLS = ["x y\n", "a/", "\\\\", "$x", "${x", "*", "1,2p;", "s/a/", "cat <<E\n", "a=",
         ">a ", "a.b/",
         "cat a;"]  # fmt: skip


def work(text):
    """Return how many functions are called, of Python and of C, for a quick look and a
    survey.
    """
    count = 0

    def counted(*_):
        nonlocal count
        count += 1

    sys.setprofile(counted)
    try:
        must_exist(text, "/p")
    finally:
        sys.setprofile(None)
    return count


def test_ten_times_the_text_is_at_most_some_ten_times_the_work():
    def check(form):
        frame, fill = form
        small, large = (work(frame.replace("{}", fill * size)) for size in (300, 3_000))
        assert large <= 12 * small + 1_000

    check_each(itertools.product(FRAMES, FILLS), check)
