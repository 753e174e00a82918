"""Ray and Spark, where they are installed, give the records that this machine's cores give."""

from __future__ import annotations

import os
import shutil
from importlib import import_module
from pathlib import Path

import poison
import pytest
from poison import audit_or_die

from truepath.audit.audit import audit_transcript
from truepath.audit.engines import ENGINES
from truepath.audit.sources import Source

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.filterwarnings("default"),  # theirs
]

TEXT = (Path(__file__).parents[1] / "transcripts" / "pi.jsonl").read_text("utf-8")


@pytest.fixture(params=["ray", "spark"])
def engine(request, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.path.dirname(poison.__file__))  # for the workers
    if request.param == "spark" and shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    module = pytest.importorskip({"spark": "pyspark"}.get(request.param, request.param))
    yield ENGINES[request.param]
    if request.param == "ray":
        module.shutdown()
    else:
        import_module("pyspark.sql").SparkSession.builder.getOrCreate().stop()


def test_an_engine_gives_the_same_records_and_loses_one_transcript_alone(engine, tmp_path):
    (tmp_path / "poison.jsonl").write_text(TEXT, "utf-8")
    for at in range(40):
        (tmp_path / f"{at:03}.jsonl").write_text(TEXT.replace("5e55-pi", f"s{at}"), "utf-8")
    sources = [Source(str(path)) for path in sorted(tmp_path.iterdir())]
    records = {rows[0]["source"]: rows for rows in engine(sources, audit_or_die)}
    assert len(records) == len(sources)
    for source in sources:
        if source.path.endswith("poison.jsonl"):
            assert source.path in records[source.path][0]["problem"]
        else:
            assert records[source.path] == audit_transcript(source)


def test_an_engine_that_is_not_installed_says_what_to_install(monkeypatch):
    from truepath.errors import ConfigError

    for name, module in (("ray", "ray"), ("spark", "pyspark.sql")):
        monkeypatch.setitem(import_module("sys").modules, module, None)
        with pytest.raises(ConfigError, match=rf"\[{name}\]"):
            list(ENGINES[name]([], audit_transcript))
