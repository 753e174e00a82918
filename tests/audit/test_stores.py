"""Transcripts and Parquet in stores that fsspec knows: in memory, in a folder, in an archive."""

from __future__ import annotations

import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import fsspec
import pytest

from truepath.audit import stores
from truepath.audit.audit import audit_transcript
from truepath.audit.figures import add_up
from truepath.audit.kept import Kept
from truepath.audit.parquet import write
from truepath.audit.places import below
from truepath.audit.sources import Source
from truepath.audit.table import of_parquet, of_records
from truepath.errors import ConfigError

HERE = Path(__file__).parents[1] / "transcripts"


@pytest.fixture
def memory():
    system = fsspec.filesystem("memory")
    system.put(f"{HERE}/", "/runs/", recursive=True)
    yield "memory://runs"
    system.store.clear()
    system.pseudo_dirs[:] = [""]


def _archive(tmp_path):
    place = tmp_path / "runs.zip"
    with zipfile.ZipFile(place, "w") as archive:
        for path in HERE.rglob("*"):
            archive.write(path, path.relative_to(HERE))
    return f"zip://::{place}"


def _counted(url):
    records = [audit_transcript(source) for source in below(url)]
    assert [each.problem for each in records] == [""] * len(records)
    return sorted((each.format, each.calls, each.missed_calls) for each in records)


def test_each_store_has_the_transcripts_that_the_folder_has(memory, tmp_path):
    expected = _counted(str(HERE))
    assert len(expected) >= 15
    for url in (memory, HERE.as_uri(), _archive(tmp_path)):
        assert _counted(url) == expected


def test_parquet_is_written_to_a_store_and_read_from_it(memory):
    table = of_records(audit_transcript(source) for source in below(str(HERE)))
    for url in ("memory://out/a.parquet", "memory://out/parts.parquet/"):
        write(table.rows(), url)
        assert add_up(of_parquet([url])) == add_up(table)


def test_a_transcript_in_a_store_is_not_read_again_until_it_changes(memory, tmp_path):
    kept = Kept({"TRUEPATH_STATE": str(tmp_path)}, "")
    source = Source(f"{memory}/pi.jsonl")
    kept.keep([audit_transcript(source)])
    assert [each.source for each in kept.known([source])] == [source.path]
    fsspec.filesystem("memory").pipe("/runs/pi.jsonl", b"{}\n")
    assert list(kept.known([source])) == []


def test_what_a_store_has_not_costs_itself_alone(memory):
    assert "gone.jsonl" in audit_transcript(Source(f"{memory}/gone.jsonl")).problem
    with pytest.raises(OSError, match="gone"):
        list(below("memory://gone"))
    for url in ("nosuch://a", "s3"):
        with pytest.raises((ConfigError, OSError)):
            list(below(url))


def test_a_server_gives_its_transcripts():
    handler = partial(SimpleHTTPRequestHandler, directory=str(HERE))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        assert audit_transcript(Source(f"{url}/pi.jsonl")).session == "5e55-pi"
        assert _counted(url) == _counted(str(HERE))
        server.shutdown()


def test_a_path_without_a_scheme_is_one_of_this_machine(tmp_path):
    place = tmp_path / "a::b.jsonl"
    place.write_bytes((HERE / "pi.jsonl").read_bytes())
    assert audit_transcript(Source(str(place))).calls == 4
    assert not stores.is_url("C:/runs")
