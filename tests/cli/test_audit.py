"""`truepath audit`: the summary on one screen, and every form of its output."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pyarrow.parquet
import pytest
from commandline import ran
from rows import check_each

from truepath.audit.parquet import write
from truepath.audit.record import record

HERE = Path(__file__).parents[1] / "transcripts"


def test_all_formats_come_out_on_one_screen(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    done = ran(capsys, "audit", str(HERE))
    assert done.code == 0
    failed, often, cost, answers, _, head, *paths = done.out.splitlines()
    assert failed == "failed    13 of 53 calls, 13 by a mistake of the call"
    assert head == "failed  share  of 1,000  lost  why (*: truepath acts on it)"
    assert paths[0] == "    11  84.6%     207.6    22  missing path, file tool *"
    assert often == "missed    a path in 13 of 53 calls (245.3 of 1,000)"
    assert cost == "cost      26 more calls, 1 minute, 3,190 tokens"
    assert answers == "truepath  cannot judge 13: give their repository, --repo DIR"
    assert len(paths) < 24
    assert all(len(line) <= 60 for line in done.out.splitlines())
    told = "13 sessions: cline 2, claude-code 1, codex 1, copilot-cli 1,\n"
    assert done.err.startswith(told)


def test_with_the_project_it_says_what_would_have_come_of_each_miss(capsys, make_repo):
    repo = make_repo({"docs/status.md": "all green", "src/app.py": ""})
    done = ran(capsys, "audit", str(HERE / "pi.jsonl"), "--repo", str(repo))
    told = (
        "truepath  runs 1 of 1 on the right file, 0 on a wrong one, "
        "touches 0 calls that worked"
    )
    assert told in done.out.splitlines()
    assert "    1  specs/status.md\n       -> shown docs/status.md\n" in done.out
    assert "--repo" not in done.out


def test_a_repository_without_a_commit_that_fits_is_said_to_have_none(
    capsys, make_repo
):
    repo = make_repo({"x.py": ""})
    done = ran(capsys, "audit", str(HERE / "pi.jsonl"), "--repo", str(repo))
    assert f"cannot judge 1: no commit in {repo} fits" in done.out


ROWS = [  # what truepath would have done, the verdict, and what is said
    (
        "named",
        "right",
        "0 on a wrong one, names the right file for 1 more, touches 0 calls",
    ),
    ("named", "wrong", "runs 0 of 1 on the right file, 0 on a wrong one, touches"),
    ("corrected", "wrong", "runs 0 of 1 on the right file, 1 on a wrong one"),
]


def test_the_third_line_tells_right_from_wrong_and_a_long_path_is_whole(
    capsys, tmp_path
):
    place, long = str(tmp_path / "a.parquet"), f"{'folder/' * 12}name.py"
    for would, verdict, said in ROWS:
        miss = {
            "kind": "miss",
            "at": 0,
            "tool": "Read",
            "operation": "read",
            "written": long,
        }
        miss |= {
            "target": long,
            "truth": "",
            "would": would,
            "shown": long,
            "verdict": verdict,
        }
        miss |= {"calls_lost": 1, "seconds_lost": 2.0, "tokens_lost": 0, "loop": 1}
        session = {
            "source": "/s",
            "format": "pi",
            "session": "1",
            "calls": 1,
            "call_ids": "0" * 10,
        }
        write(record(session, [{**miss, "followed": "left"}]), place)
        done = ran(capsys, "audit", place)
        assert "cost      1 more call, 2 seconds\n" in done.out
        assert said in done.out
        assert f"    1  {long}\n       -> " in done.out


def test_json_has_the_same_figures(capsys):
    (found,) = ran(capsys, "audit", str(HERE / "pi.jsonl"), "--json").objects
    assert (found["sessions"], found["calls"], found["missed_calls"]) == (1, 4, 1)
    assert found["tokens_lost"] == 290


def test_without_transcripts_it_says_where_it_looked(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CODEX_HOME", "/codex")
    done = ran(capsys, "audit")
    assert (done.code, done.out) == (1, "")
    (line,) = done.err.splitlines()
    assert line.startswith("no transcripts in ~/.claude/projects, /codex/sessions, ")
    assert line.endswith(
        "give files or folders that an agent program wrote: truepath audit PATHS"
    )
    done = ran(capsys, "audit", str(tmp_path))
    assert done.err.startswith(f"no transcripts in {tmp_path}; give files")
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


LIMITS = [  # options, the status, and what is said of 1 miss and failure in 4 calls
    ((), 0, ""),
    (("--strict",), 1, "calls missed a path, which is more than --max-missed 10"),
    (("--strict", "--max-missed", "250"), 0, ""),
    (("--strict", "--max-missed", "249.9"), 1, "--max-missed 249.9"),
    (("--strict", "--max-missed", "300", "--max-failed", "0"), 1,
     "250.0 of 1,000 calls failed, which is more than --max-failed 0"),
    (("--max-missed", "5"), 2, "limits of --strict"),
    (("--max-failed", "5"), 2, "limits of --strict"),
    (("--strict", "--max-missed", "-1"), 2, "--max-missed"),
]  # fmt: skip


def test_strict_ends_with_1_above_a_limit_and_says_why_in_one_line(capsys):
    def check(row):
        options, status, said = row
        done = ran(capsys, "audit", str(HERE / "pi.jsonl"), *options)
        assert done.code == status
        assert said in done.err
        assert ("not passed: " in done.err) == (status == 1)
        assert (done.out == "") == (status == 2)

    check_each(LIMITS, check, lambda row: " ".join(row[0]))


def test_strict_does_not_pass_where_nothing_was_read(capsys, tmp_path):
    assert ran(capsys, "audit", str(tmp_path), "--strict").code == 1


def test_the_page_is_its_owners_alone_also_in_place_of_another(capsys, tmp_path):
    page, link = tmp_path / "a.html", tmp_path / "link.html"
    page.write_text("older")
    page.chmod(0o644)
    link.symlink_to(page)
    assert ran(capsys, "audit", str(HERE / "pi.jsonl"), "--html", str(link)).code == 0
    assert link.is_symlink()
    assert page.stat().st_mode & 0o777 == 0o600
    text = page.read_text("utf-8")
    policy = re.search('Content-Security-Policy content="(.+?)"', text)[1]
    assert "default-src 'none'" in policy
    assert "<script" not in text
    gone = str(tmp_path / "gone/a.html")
    assert ran(capsys, "audit", str(HERE / "pi.jsonl"), "--html", gone).code == 2


def test_each_model_has_its_rate_and_limits(capsys, tmp_path):
    for name in ("pi.jsonl", "codex.jsonl"):
        shutil.copy(HERE / name, tmp_path)
    done = ran(capsys, "audit", str(tmp_path), "--json")
    (found,) = done.objects
    models = {row["model"]: row for row in found["models"]}
    assert set(models) == {"gpt-5.6", "gpt-5.5"}
    row = models["gpt-5.6"]
    assert (row["calls"], row["missed_calls"], row["per_thousand"]) == (4, 1, 250.0)
    assert 0 < row["low"] < 250 < row["high"] < 1000
    assert (row["calls_lost"], row["tokens_lost"]) == (2, 290)
    shown = ran(capsys, "audit", str(tmp_path))
    assert "    4   250.0  45.6 to 699.4     2     290  gpt-5.5\n" in shown.out
    one = ran(capsys, "audit", str(tmp_path / "pi.jsonl"))
    assert "by model" not in one.out


def test_a_folder_of_another_name_is_told_what_its_name_must_be(capsys, tmp_path):
    words = ("audit", str(HERE), "--engine", "ray")
    done = ran(capsys, *words, "--parquet", str(tmp_path / "rows"))
    assert done.code == 2
    assert f"--parquet {tmp_path}/rows: the name of the folder" in done.err
    assert "must end in .parquet" in done.err
    assert "no --parquet: " in ran(capsys, *words).err


def test_redacted_output_has_no_name(capsys, tmp_path):
    page, parquet = tmp_path / "a.html", tmp_path / "a.parquet"
    options = ["--redact", "--html", str(page), "--parquet", str(parquet)]
    done = ran(capsys, "audit", str(HERE / "pi.jsonl"), *options)
    told = done.out + page.read_text("utf-8") + parquet.read_bytes().decode("latin-1")
    assert "pi.jsonl" not in told
    assert "status.md" not in told


@pytest.mark.parametrize("option", ["--html", "--parquet"])
def test_a_transcript_is_not_replaced(capsys, tmp_path, option):
    place = Path(shutil.copy(HERE / "pi.jsonl", tmp_path))
    done = ran(capsys, "audit", option, str(place), str(HERE))
    assert (done.code, done.out) == (2, "")
    assert place.read_bytes() == (HERE / "pi.jsonl").read_bytes()


def test_a_hostile_name_does_not_reach_the_terminal(capsys, tmp_path):
    text = (
        (HERE / "pi.jsonl").read_text("utf-8").replace("specs/", "\\u001b[31m\\u202e/")
    )
    place = tmp_path / "s.jsonl"
    place.write_text(text, "utf-8")
    done = ran(capsys, "audit", str(place))
    assert done.code == 0
    assert "/status.md" in done.out
    assert "\x1b[31m" not in done.out
    assert "\u202e" not in done.out


def test_rows_that_were_written_elsewhere_are_read_again(capsys, tmp_path):
    place = str(tmp_path / "it's [1] a.parquet")
    (first,) = ran(capsys, "audit", str(HERE), "--json", "--parquet", place).objects
    (again,) = ran(capsys, "audit", place, "--json").objects
    assert again == first
    (twice,) = ran(
        capsys, "audit", place, shutil.copy(place, f"{tmp_path}/b.parquet"), "--json"
    ).objects
    assert twice == first


def test_what_has_no_rows_of_an_audit_is_named_in_one_line(capsys, tmp_path):
    text, other = tmp_path / "text.parquet", str(tmp_path / "other.parquet")
    text.write_text("no rows")
    pyarrow.parquet.write_table(pyarrow.table({"kind": ["miss"]}), other)
    for words, said in (
        ((str(text),), f"{text}: no rows of an audit"),
        ((other,), f"{other}: no rows of an audit"),
        ((other, str(HERE)), "transcripts and Parquet cannot be mixed"),
        (("x.parquet",), "x.parquet: "),
    ):
        done = ran(capsys, "audit", *words)
        assert (done.code, done.out) == (2, "")
        (line,) = done.err.splitlines()
        assert line.startswith(f"error: {said}")


def test_without_the_extra_the_summary_is_there_and_parquet_says_what_to_install(
    capsys, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert ran(capsys, "audit", str(HERE / "pi.jsonl")).code == 0
    for words in (("a.parquet",), (str(HERE), "--parquet", str(tmp_path / "x"))):
        assert "'.[audit]'" in ran(capsys, "audit", *words).err
