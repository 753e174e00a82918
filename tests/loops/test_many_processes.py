"""Many processes on one session and one journal at once: nothing lost, nothing torn.

Each process writes an event and takes a step of the streak, over and over, and notes what it was
answered. One is killed in the middle of it. `TRUEPATH_TEST_UPDATES` is how often each does so; by
default four of them make 10,000 events and 10,000 steps.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from servers import redis_server

import truepath
from truepath.events.journal import EventReader
from truepath.session.stores import open_store

UPDATES = int(os.environ.get("TRUEPATH_TEST_UPDATES", "2500"))

WORKER = """
import os, sys, time
from truepath.events.event import Event
from truepath.events.journal import JsonlSink
from truepath.session.loops import Step, record
from truepath.session.stores import open_store

url, folder, me, updates, limit = sys.argv[1:]
sink = JsonlSink(os.path.join(folder, "events.jsonl"), max_bytes=int(limit))
store = open_store(url, folder)
out = os.open(os.path.join(folder, me + ".out"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
while not os.path.exists(os.path.join(folder, "go")):
    time.sleep(0.001)
for number in range(int(updates)):
    name = f"{me}-{number}"
    sink(Event(event="path.refused", time=time.time(), id=name, requested="x" * (number % 900)))
    step = Step("miss", "src/login.py", turn=name)
    count = store.update("shared", lambda state: record(state, step, now=time.time())).count
    os.write(out, f"{count}\\n".encode())
store.close()
sys.exit(sink.problem or store.problem or 0)
"""


@dataclass
class Worker:
    """A process, and what it says it was answered."""

    name: str
    process: subprocess.Popen[str]
    out: Path

    @property
    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def counts(self) -> list[int]:
        """Return the length of the streak after each of its steps, so far."""
        return [int(line) for line in self.out.read_bytes().splitlines(True) if line[-1:] == b"\n"]


@dataclass
class Crowd:
    """Processes that began together."""

    url: str
    folder: Path
    workers: list[Worker]

    def kill_in_the_middle(self, worker: Worker) -> None:
        wait_until(lambda: worker.has_ended or len(worker.counts()) >= UPDATES // 2)
        worker.process.send_signal(signal.SIGKILL)

    def wait(self) -> None:
        for worker in self.workers:
            _, errors = worker.process.communicate()
            killed = worker.process.returncode == -signal.SIGKILL
            assert killed or worker.process.returncode == 0, errors

    def missed(self) -> int:
        """Return how long the streak is that the store has counted."""
        store = open_store(self.url, str(self.folder))
        state = store.update("shared", lambda state: (state, state))
        store.close()
        return state.misses[-1].count


def crowd(url: str, folder: Path, names: str, *, updates: int, limit: int = 10**9) -> Crowd:
    """Start a process for each of `names`, and let them go once all are there."""
    source = str(Path(truepath.__file__).parent.parent)
    workers = []
    for name in names:
        words = [url, str(folder), name, str(updates), str(limit)]
        process = subprocess.Popen(
            [sys.executable, "-c", WORKER, *words],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": source},
        )
        workers.append(Worker(name, process, folder / f"{name}.out"))
    wait_until(lambda: all(worker.has_ended or worker.out.exists() for worker in workers))
    (folder / "go").touch()
    return Crowd(url, folder, workers)


def wait_until(happened: Callable[[], bool]) -> None:
    until = time.monotonic() + 300
    while not happened():
        assert time.monotonic() < until, "it never happened"
        time.sleep(0.005)


@pytest.fixture(scope="module")
def redis_url() -> Iterator[str]:
    with redis_server() as url:
        yield url


@pytest.fixture
def place(request) -> str:
    """Return a store's URL; a Redis is a real one, and empty."""
    if request.param != "redis:":
        return request.param
    import redis

    url = request.getfixturevalue("redis_url")
    with redis.Redis.from_url(url) as client:
        client.flushall()
    return url


@pytest.mark.heavy
@pytest.mark.timeout(600)
@pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: kills with SIGKILL")
@pytest.mark.parametrize(
    ("place", "limit"),
    [("file:", 10**9), ("sqlite:", 500 * UPDATES), ("redis:", 500 * UPDATES)],
    ids=["files", "sqlite, rotated", "redis, rotated"],
    indirect=["place"],
)
def test_four_processes_lose_and_tear_nothing_when_one_is_killed(place, limit, tmp_path):
    players = crowd(place, tmp_path, "0123", updates=UPDATES, limit=limit)
    victim, *survivors = players.workers
    players.kill_in_the_middle(victim)
    players.wait()
    assert UPDATES // 2 <= len(victim.counts()) < UPDATES
    assert [len(each.counts()) for each in survivors] == [UPDATES] * 3

    # What the victim was killed in is counted or not; all that was acknowledged is, and once.
    acknowledged = [count for each in players.workers for count in each.counts()]
    missed = players.missed()
    assert missed - len(acknowledged) in (0, 1)
    assert len(set(acknowledged)) == len(acknowledged)
    assert {*acknowledged} <= {*range(1, missed + 1)}

    reader = EventReader(str(tmp_path / "events.jsonl"))
    found = [each.id for each in reader.read()]
    expected = {f"{each.name}-{n}" for each in players.workers for n in range(len(each.counts()))}
    assert reader.bad == 0
    assert len(found) == len(set(found))
    assert expected <= set(found)
    assert len(found) - len(expected) in (0, 1)
    for file in tmp_path.glob("events*.jsonl"):
        for line in file.read_bytes().splitlines():
            json.loads(line)
    assert (tmp_path / "events.1.jsonl").exists() == (limit < 10**9)


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("place", "updates"),
    # As many as take longer than one process may be held up by others at its start.
    [("file:", 400), ("sqlite:", 400), ("redis:", 2_000)],
    ids=["files", "sqlite", "redis"],
    indirect=["place"],
)
def test_two_processes_lose_none_of_their_interleaved_misses(place, updates, tmp_path):
    players = crowd(place, tmp_path, "ab", updates=updates)
    players.wait()
    one, other = (worker.counts() for worker in players.workers)
    assert players.missed() == 2 * updates
    assert sorted(one + other) == [*range(1, 2 * updates + 1)]
    assert max(one[0], other[0]) < min(one[-1], other[-1]), "they took turns"
