"""Events are written whole or not at all, kept within bounds, and read past what is
none.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from disks import fill, read_only, small_disk

import truepath
from truepath.config.files import Lock
from truepath.journal.event import Event
from truepath.journal.journal import EventReader, JsonlSink, Losses, losses


def event(number: int = 0, **details: object) -> Event:
    details = {"time": 1e9 + number, "id": str(number), **details}
    return Event(event="path.refused", **details)


def ids(path: Path, **options: float) -> list[str]:
    return [each.id for each in EventReader(str(path), **options).read()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "journal" / "events.jsonl"


def test_events_are_read_back_in_order(path):
    assert ids(path) == [], "a journal that is not there is empty"
    sink = JsonlSink(str(path))
    for number in range(5):
        sink(event(number))
    assert ids(path) == ["0", "1", "2", "3", "4"]
    assert ids(path, since=1e9 + 3) == ["3", "4"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name")
def test_a_pipe_in_the_place_of_a_journal_is_not_waited_for(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)
    with pytest.raises(OSError, match="not a regular file"):
        [*EventReader(str(path)).read()]


def test_a_journal_is_private(path):
    JsonlSink(str(path))(event())
    if sys.platform != "win32":
        assert path.parent.stat().st_mode & 0o777 == 0o700
        for file in path.parent.iterdir():
            assert file.stat().st_mode & 0o777 == 0o600


def test_a_journal_rotates_and_stays_bounded(path):
    sink = JsonlSink(str(path), max_bytes=4000)
    for number in range(300):
        sink(event(number))
    names = sorted(file.name for file in path.parent.glob("events*.jsonl"))
    assert names == ["events.1.jsonl", "events.jsonl"]
    assert all(
        file.stat().st_size <= 4000 for file in path.parent.glob("events*.jsonl")
    )
    kept = ids(path)
    assert kept == [str(number) for number in range(300 - len(kept), 300)]
    assert len(kept) > 50


def test_an_event_larger_than_a_file_is_still_written(path):
    sink = JsonlSink(str(path), max_bytes=10)
    for number in range(2):
        sink(event(number))
    assert ids(path) == ["0", "1"]


def test_a_rotation_while_reading_loses_and_repeats_nothing(path):
    sink = JsonlSink(str(path), max_bytes=1500)
    for number in range(30):
        sink(event(number))
    reading = EventReader(str(path)).read()
    seen = [next(reading).id]
    for number in range(30, 60):
        sink(event(number))
    seen += [each.id for each in reading]
    assert seen[:30] == [str(number) for number in range(30)]
    assert len(seen) == len(set(seen))
    (path.parent / "events.1.jsonl").unlink()
    os.link(
        path, path.parent / "events.1.jsonl"
    )  # as if it had rotated between the two openings
    assert len(ids(path)) == len(set(ids(path)))


def test_bad_lines_are_counted_not_fatal(path):
    sink = JsonlSink(str(path))
    sink(event(1))
    with path.open("ab") as file:
        file.write(b'garbage\n\xff\xfe\n{"schema":9}\n\n')
        file.write(b'{"schema":1,"id":"torn","ev' + event(2).to_json().encode() + b"\n")
    sink(event(3))
    reader = EventReader(str(path))
    assert [each.id for each in reader.read()] == ["1", "2", "3"]
    assert reader.bad == 5


def test_a_line_still_being_written_is_left_out(path):
    JsonlSink(str(path))(event(1))
    with path.open("ab") as file:
        file.write(event(2).to_json().encode()[:20])
    reader = EventReader(str(path))
    assert [each.id for each in reader.read()] == ["1"]
    assert reader.bad == 0


@pytest.mark.root
def test_a_full_disk_loses_events_and_nothing_else_and_counts_them(path):
    with small_disk(path.parent) as disk:
        sink = JsonlSink(str(path))
        sink(event(1))
        fill(disk)
        for number in range(2, 300):
            sink(event(number, requested="x" * 500))
        text = path.read_bytes()
        assert text.endswith(b"\n")
        kept = [json.loads(line)["id"] for line in text.splitlines()]
        assert kept[0] == "1"
        assert len(kept) < 299
        lost = losses(str(path))
        assert (lost.count, lost.last) == (299 - len(kept), 1e9 + 299)
        assert 1e9 < lost.first < lost.last
        (disk / "ballast").unlink()
        sink(event(300))
        assert ids(path)[-1] == "300"
        assert losses(str(path)) == lost


LIMITED = """
import resource, sys
from truepath.journal.event import Event
from truepath.journal.journal import JsonlSink

sink = JsonlSink(sys.argv[1])
sink(Event(event="path.refused", time=1e9))
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
for number in range(1, 5):
    sink(Event(event="path.refused", time=1e9 + number, requested="x" * 200))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: no such limit")
def test_events_for_which_there_is_no_room_are_counted(path):
    assert losses(str(path)) is None
    command = [sys.executable, "-c", LIMITED, str(path)]
    env = {**os.environ, "PYTHONPATH": str(Path(truepath.__file__).parent.parent)}
    subprocess.run(command, env=env, check=True)
    assert len(ids(path)) == 1
    assert losses(str(path)) == Losses(4, 1e9 + 1, 1e9 + 4)


@pytest.mark.parametrize("damaged", [b"", b"x", b"-\n", b"1 2\n", b"nan 1 2\n"])
def test_a_count_that_cannot_be_read_is_begun_anew(path, damaged):
    sink = JsonlSink(str(path), max_bytes=100)
    sink(event(1))
    lost = path.parent / "events.jsonl.lost"
    lost.write_bytes(damaged)
    assert losses(str(path)) is None
    (path.parent / "events.1.jsonl/x").mkdir(parents=True)  # nothing can be rotated
    for number in range(2, 6):
        sink(event(number))
    assert losses(str(path)).count == 5 - len(path.read_bytes().splitlines())


def test_what_was_lost_before_a_rotation_is_forgotten_with_it(path):
    sink = JsonlSink(str(path), max_bytes=1000)
    sink(event(1))
    (path.parent / "events.jsonl.lost").write_bytes(b"7 1.0 2.0\n")
    for number in range(2, 30):
        sink(event(number))
    assert losses(str(path)) is None


def test_a_read_only_home_loses_events_and_nothing_else(path):
    JsonlSink(str(path))(event(1))
    with read_only(path.parent):
        sink = JsonlSink(str(path))
        sink(event(2))
        sink(event(3))
        assert ids(path) == ["1"]


def test_a_journal_that_cannot_be_made_loses_events_and_nothing_else(tmp_path):
    (tmp_path / "file").write_text("in the way")
    JsonlSink(str(tmp_path / "file" / "journal" / "events.jsonl"))(event())
    assert (tmp_path / "file").read_text() == "in the way"


def test_a_journal_that_cannot_rotate_stops_at_twice_its_size(path):
    sink = JsonlSink(str(path), max_bytes=1000)
    path.parent.mkdir(parents=True)
    blocked = path.parent / "events.1.jsonl"
    (blocked / "x").mkdir(parents=True)
    for number in range(100):
        sink(event(number))
    assert path.stat().st_size < 2200


def test_a_holder_that_is_stopped_delays_but_loses_nothing(path, monkeypatch):
    monkeypatch.setattr("truepath.journal.journal._WAIT", 0.05)
    sink = JsonlSink(str(path))
    sink(event(1))
    with Lock(f"{path}.lock", wait=0):
        sink(event(2))
    assert ids(path) == ["1", "2"]


@pytest.mark.skipif(
    sys.platform == "win32", reason="not on Windows: links need a privilege"
)
def test_a_link_in_the_place_of_a_journal_is_not_followed(path, tmp_path):
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "elsewhere")
    JsonlSink(str(path))(event())
    assert not (tmp_path / "elsewhere").exists()


WORKER = """
import sys, time
from truepath.journal.event import Event
from truepath.journal.journal import JsonlSink

path, me = sys.argv[1:]
sink = JsonlSink(path, max_bytes=100_000)
print("ready", flush=True)
sys.stdin.readline()
for number in range(200):
    event_id, requested = f"{me}-{number}", "x" * number
    now = time.time()
    sink(Event(event="path.refused", time=now, id=event_id, requested=requested))
    print(number, flush=True)
"""


def test_many_processes_lose_and_tear_nothing_also_where_one_is_killed(path):
    env = {**os.environ, "PYTHONPATH": str(Path(truepath.__file__).parent.parent)}
    pipes = {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "text": True,
        "env": env,
    }
    command = [sys.executable, "-c", WORKER, str(path)]
    workers = [
        subprocess.Popen([*command, str(number)], **pipes) for number in range(4)
    ]
    for each in workers:
        assert each.stdout.readline() == "ready\n"
    for each in workers:
        each.stdin.write("\n")
        each.stdin.flush()
    for _ in range(20):
        told = workers[0].stdout.readline()
    workers[0].kill()
    for each in workers:
        each.communicate()
    assert [each.returncode for each in workers[1:]] == [0, 0, 0]
    reader = EventReader(str(path))
    found = [each.id for each in reader.read()]
    assert reader.bad == 0
    assert len(found) == len({*found})
    expected = {f"{worker}-{number}" for worker in (1, 2, 3) for number in range(200)}
    assert expected | {f"0-{number}" for number in range(int(told) + 1)} <= {*found}
    assert (path.parent / "events.1.jsonl").exists()
