"""Ray and Spark, where they are installed, give the records that this machine gives."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import databases
import poison
import pytest
from commandline import ran

from truepath.audit import parquet
from truepath.audit.engines import carry_out
from truepath.audit.figures import chosen
from truepath.audit.pool import audited

HERE = Path(__file__).parents[1] / "transcripts"
MODULES = {"ray": "ray", "spark": "pyspark"}

COMMAND = """
import sys
from functools import partial
from poison import audit_or_die, audit_or_raise
from truepath.audit.engines import carry_out
from truepath.audit.sources import below

engine, runs, out, audit = sys.argv[1:]
if __name__ == "__main__":
    print([*carry_out(engine, [*below(runs)], globals()[audit], out)][-1])
"""


@pytest.fixture(params=MODULES)
def engine(request):
    if importlib.util.find_spec(MODULES[request.param]) is None:
        pytest.skip(f"no {MODULES[request.param]} here: make test-engines")
    if request.param == "spark" and shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    return request.param


@pytest.fixture
def runs(tmp_path):
    """Return a folder of 100 transcripts, with a good one for each of the formats, and
    two databases: each session in one is a transcript too.
    """
    folder = tmp_path / "runs"
    shutil.copytree(HERE, folder)
    databases.crush(folder / "shop/.crush/crush.db", *[databases.STORY] * 9)
    databases.opencode_go(folder / "blog/.opencode/opencode.db")
    text = (HERE / "pi.jsonl").read_text("utf-8")
    for at in range(100):
        copy = text.replace("5e55-pi", f"s{at}")
        (folder / f"{at:03}.jsonl").write_text(copy, "utf-8")
    return folder


def environ(**more):
    """Return the environment of a user who has not activated the virtual one."""
    return {**os.environ, "PYTHONPATH": os.path.dirname(poison.__file__), **more}


def audit(*args):
    command = [sys.executable, "-m", "truepath", "audit", *args]
    return subprocess.run(
        command, env=environ(), capture_output=True, text=True, check=False
    )


@pytest.mark.heavy
def test_an_engine_gives_the_records_and_figures_that_this_machine_gives(
    engine, runs, tmp_path, make_repo
):
    repo = str(make_repo({"docs/status.md": "all green", "src/app.py": ""}))
    out = str(tmp_path / "out.parquet")

    done = audit(str(runs), "--repo", repo, "--engine", engine, "--parquet", out)

    assert done.returncode == 0, done.stderr
    assert chosen(parquet.read([out])) == chosen(audited([str(runs)], repo))
    assert len(os.listdir(out)) > 1
    assert done.stdout == audit(str(runs), "--repo", repo).stdout
    again = audit(out).stdout
    assert again.splitlines()[:3] == done.stdout.splitlines()[:3]
    assert "audit the transcripts with --repo DIR" in again


@pytest.mark.heavy
@pytest.mark.parametrize("how", ["audit_or_die", "audit_or_raise"])
def test_a_transcript_that_kills_or_raises_costs_itself_and_is_named(
    engine, runs, tmp_path, how
):
    for name in ("007.jsonl", "050.jsonl", "pi.jsonl"):
        os.rename(runs / name, runs / f"{name[:3]}-poison.jsonl")
    out = str(tmp_path / "out.parquet")
    script = tmp_path / "run.py"
    script.write_text(COMMAND, "utf-8")

    command = [sys.executable, str(script), engine, str(runs), out, how]
    subprocess.run(command, env=environ(), check=True, timeout=300)

    records = [*parquet.read([out])]
    problems = [rows[0]["problem"] for rows in records if rows[0]["problem"]]
    assert len(problems) == 3
    assert all("-poison.jsonl: " in problem for problem in problems)
    assert len(records) == len([*audited([str(runs)])])
    told = audit(out).stderr
    assert "3 transcripts unreadable\n" in told
    assert f"  {runs}/007-poison.jsonl: " in told


def test_an_engine_that_is_not_installed_says_what_to_install(
    runs, tmp_path, capsys, monkeypatch
):
    for engine, module in (("ray", "ray"), ("spark", "pyspark.sql")):
        monkeypatch.setitem(sys.modules, module, None)
        out = str(tmp_path / f"{engine}.parquet")
        done = ran(capsys, "audit", str(runs), "--engine", engine, "--parquet", out)
        assert done.code == 2
        assert f"pip install '.[{engine}]'" in done.err


def test_rows_of_an_older_run_are_not_mixed_with_new_ones(runs, tmp_path, capsys):
    out = tmp_path / "out.parquet"
    out.mkdir()
    (out / "000001.parquet").write_bytes(b"")
    done = ran(capsys, "audit", str(runs), "--engine", "ray", "--parquet", str(out))
    assert (done.code, "give another folder" in done.err) == (2, True)


UNFIT = [
    (["--engine", "ray"], "no --parquet: the name of the folder"),
    (
        ["--engine", "spark", "--parquet", "out"],
        "--parquet out: the name of the folder",
    ),
    (["--engine", "dask"], "'local', 'ray', 'spark'"),
    (["--engine", "ray", "--parquet", "o.parquet", "--redact"], "--redact works here"),
]


@pytest.mark.parametrize(("options", "message"), UNFIT)
def test_options_that_do_not_go_together_are_refused(runs, capsys, options, message):
    done = ran(capsys, "audit", str(runs), *options)
    assert (done.code, message in done.err) == (2, True)
    assert not os.path.exists("o.parquet")


def test_parquet_is_not_judged_anew(runs, tmp_path, capsys, make_repo):
    out = str(tmp_path / "out.parquet")
    repo = str(make_repo({"docs/status.md": "all green"}))
    assert ran(capsys, "audit", str(runs / "pi.jsonl"), "--parquet", out).code == 0
    for option in (["--repo", repo], ["--engine", "ray"]):
        done = ran(capsys, "audit", out, *option)
        assert done.code == 2
        assert f"{option[0]} has no effect on Parquet" in done.err


def test_a_worker_that_writes_nothing_costs_its_piece(runs, tmp_path, monkeypatch):
    """One machine of a cluster is lost after its tasks were given to it."""
    from truepath.audit import engines
    from truepath.audit.audit import audit_transcript
    from truepath.audit.sources import below

    def half(pieces, audit, _):
        for count, piece in enumerate(pieces):
            if count % 2:
                engines._audited(audit, piece)
            yield count
        raise OSError("lost node")

    monkeypatch.setitem(engines.ENGINES, "half", half)
    sources = [*below(str(runs))]
    out = str(tmp_path / "out.parquet")
    assert [*carry_out("half", sources, audit_transcript, out)][-1] == len(sources)
    records = [*parquet.read([out])]
    lost = [rows for rows in records if "worker" in (rows[0]["problem"] or "")]
    assert len(records) == len(sources)
    assert 32 <= len(lost) < len(records)


def test_an_engine_without_a_worker_says_what_it_failed_on(runs, tmp_path, monkeypatch):
    from truepath.audit import engines
    from truepath.audit.audit import audit_transcript
    from truepath.audit.sources import below

    def none(pieces, audit, _):
        yield 0
        raise OSError("no module named truepath\nand more")

    monkeypatch.setitem(engines.ENGINES, "none", none)
    out = str(tmp_path / "out.parquet")
    with pytest.raises(engines.EngineError, match=r"no module named truepath$"):
        [*carry_out("none", [*below(str(runs))], audit_transcript, out)]
