"""`truepath audit`: the summary on one screen, and every form in which it is written."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from commandline import ran

HERE = Path(__file__).parents[1] / "transcripts"


def test_all_formats_come_out_on_one_screen(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    done = ran(capsys, "audit", str(HERE))
    assert done.code == 0
    often, lost, answers, *paths = done.out.splitlines()
    assert often.split() == ["missed", "244.4", "of", "1,000", "calls", "(11", "of", "45)"]
    assert lost.startswith("lost ")
    assert lost.endswith(" tokens")
    assert answers.endswith("unknown: give --repo DIR")
    assert len(paths) < 20
    assert all(len(line) <= 60 for line in done.out.splitlines())
    assert "sessions in" in done.err


def test_with_the_project_it_says_what_would_have_come_of_each_miss(capsys, make_repo):
    repo = make_repo({"docs/status.md": "all green", "src/app.py": ""})
    done = ran(capsys, "audit", str(HERE / "pi.jsonl"), "--repo", str(repo))
    assert "right in 1 of 1, wrong in 0; 0 false alarms\n" in done.out
    assert "shown docs/status.md" in done.out
    assert "--repo" not in done.out


def test_json_has_the_same_figures(capsys):
    (found,) = ran(capsys, "audit", str(HERE / "pi.jsonl"), "--json").objects
    assert (found["sessions"], found["calls"], found["missed_calls"]) == (1, 4, 1)
    assert found["tokens_lost"] == 290


def test_without_transcripts_it_says_where_it_looked(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    done = ran(capsys, "audit")
    assert (done.code, done.out) == (1, "")
    assert "no transcripts in the folders of agent programs" in done.err
    done = ran(capsys, "audit", str(tmp_path / "gone"))
    assert done.code == 2
    assert "gone" in done.err


CHOICES = [
    (("--since", "2026-03-03"), 1),
    (("--since", "2026-03-01"), 0),
]


@pytest.mark.parametrize(("options", "code"), CHOICES)
def test_sessions_are_chosen_by_time(capsys, options, code):
    assert ran(capsys, "audit", str(HERE / "pi.jsonl"), *options).code == code


def test_a_file_that_was_written_before_is_not_read(capsys, tmp_path):
    place = tmp_path / "a.jsonl"
    place.write_text("not read")
    os.utime(place, (1, 1))
    assert ran(capsys, "audit", str(place), "--since", "30d").code == 1


def test_a_since_that_is_no_date_is_refused(capsys):
    done = ran(capsys, "audit", "--since", "soon")
    assert done.code == 2
    assert "nor a date" in done.err


def test_redacted_output_has_no_name(capsys, tmp_path):
    page, parquet = tmp_path / "a.html", tmp_path / "a.parquet"
    options = ["--redact", "--html", str(page), "--parquet", str(parquet)]
    done = ran(capsys, "audit", str(HERE / "pi.jsonl"), *options)
    told = done.out + page.read_text("utf-8") + parquet.read_bytes().decode("latin-1")
    assert "pi.jsonl" not in told
    assert "status.md" not in told


def test_a_hostile_name_does_not_reach_the_terminal(capsys, tmp_path):
    text = (HERE / "pi.jsonl").read_text("utf-8").replace("specs/", "\\u001b[31m\\u202e/")
    place = tmp_path / "s.jsonl"
    place.write_text(text, "utf-8")
    done = ran(capsys, "audit", str(place))
    assert done.code == 0
    assert "/status.md" in done.out
    assert "\x1b[31m" not in done.out
    assert "\u202e" not in done.out


def test_rows_that_were_written_elsewhere_are_read_again(capsys, tmp_path):
    place, odd = str(tmp_path / "it's [1] a.parquet"), tmp_path / "odd.parquet"
    (first,) = ran(capsys, "audit", str(HERE), "--json", "--parquet", place).objects
    (again,) = ran(capsys, "audit", place, "--json").objects
    assert again == first
    (twice,) = ran(
        capsys, "audit", place, shutil.copy(place, f"{tmp_path}/b.parquet"), "--json"
    ).objects
    assert twice == first
    odd.write_text("no rows")
    for words in ((str(odd),), (place, str(HERE)), ("x.parquet",)):
        done = ran(capsys, "audit", *words)
        assert (done.code, done.out, "Traceback" in done.err) == (2, "", False)


def test_without_the_extra_the_summary_is_there_and_parquet_says_what_to_install(
    capsys, tmp_path, monkeypatch
):
    for name in ("duckdb", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    assert ran(capsys, "audit", str(HERE / "pi.jsonl")).code == 0
    for words in (("a.parquet",), (str(HERE), "--parquet", str(tmp_path / "x"))):
        assert "truepath[audit]" in ran(capsys, "audit", *words).err
