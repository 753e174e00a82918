"""A session is kept, by any number of workers at once; a place that fails costs no
call.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from disks import fill, read_only, small_disk
from servers import need_redis_client, redis_server

import truepath
from truepath.config.files import Lock
from truepath.errors import ConfigError
from truepath.session.loops import Miss
from truepath.session.state import SessionState, When, record
from truepath.session.stores import (
    FileStore,
    MemoryStore,
    Store,
    open_store,
    usable_store,
)


def miss(
    store: Store, key: str = "s", path: str = "src/login.py", turn: str = ""
) -> int:
    """Record one miss and return its count."""

    def missed(state: SessionState):
        now = time.time()
        return record(state, "miss", When(turn, now), now=now, miss=Miss(path, ""))

    return store.update(key, missed).count


def state_of(store: Store, key: str = "s") -> SessionState:
    return store.update(key, lambda state: (state, state))


@pytest.fixture(scope="module")
def redis_url() -> Iterator[str]:
    with redis_server() as url:
        yield url


@pytest.fixture(params=["memory:", "file:", "redis:"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    url = request.param
    if url == "redis:":
        url = request.getfixturevalue("redis_url")
    opened = open_store(url, str(tmp_path))
    opened.update("s", lambda _: (SessionState(), None))
    yield opened
    assert opened.problem == ""
    opened.close()


def test_a_session_is_kept_and_known(store):
    assert [miss(store) for _ in range(3)] == [1, 2, 3]
    assert state_of(store).misses[-1].count == 3
    assert store.knows("s")
    store.close()
    assert miss(store) == 4


def test_a_change_that_raises_changes_nothing(store):
    miss(store)
    with pytest.raises(ZeroDivisionError):
        store.update("s", lambda state: (state, 1 // 0))
    assert miss(store) == 2


def test_any_text_is_a_key_and_a_path(store):
    key = "a\0b/../é\udcff\n" + "x" * 5000
    assert miss(store, key, "c\0/\udcff\n") == 1
    assert miss(store, key, "c\0/\udcff\n") == 2
    store.update(key, lambda _: (SessionState(), None))


def test_threads_lose_nothing(store):
    def work(name: int) -> None:
        for number in range(50):
            miss(store, turn=f"{name}-{number}")

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert state_of(store).misses[-1].count == 200


WORKER = """
import os, sys, time
from truepath.session.loops import Miss
from truepath.session.state import When, record
from truepath.session.stores import open_store

url, folder, me = sys.argv[1:]
store = open_store(url, folder, wait=30)
print("ready", flush=True)
sys.stdin.readline()
for number in range(150):
    when = When(f"{me}-{number}")
    change = lambda state: record(
        state, "miss", when, now=time.time(), miss=Miss("src/login.py", "")
    )
    print(store.update("shared", change).count)
    sys.stdout.flush()
print(store.problem)
"""


@pytest.mark.parametrize("url", ["file:", "redis:"])
def test_many_processes_lose_nothing_also_where_one_is_killed(request, tmp_path, url):
    url = request.getfixturevalue("redis_url") if url == "redis:" else url
    env = {**os.environ, "PYTHONPATH": str(Path(truepath.__file__).parent.parent)}
    pipes = {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "text": True,
        "env": env,
    }
    command = [sys.executable, "-c", WORKER, url, str(tmp_path)]
    workers = [
        subprocess.Popen([*command, str(number)], **pipes) for number in range(4)
    ]
    for each in workers:
        assert each.stdout.readline() == "ready\n"
    for each in workers:
        each.stdin.write("\n")
        each.stdin.flush()
    victim, *others = workers
    told = [int(victim.stdout.readline()) for _ in range(20)]
    victim.kill()
    rest, _ = victim.communicate()
    told += [int(line) for line in rest.splitlines(keepends=True) if line[-1:] == "\n"]
    for each in others:
        *counts, problem = each.communicate()[0].split("\n")[:-1]
        assert (len(counts), problem) == (150, "")
        told += map(int, counts)
    assert len({*told}) == len(told), "no count was given twice"
    store = open_store(url, str(tmp_path))
    # What the victim was killed in is counted or not.
    assert state_of(store, "shared").misses[-1].count - len(told) in (0, 1)
    store.close()


def test_a_session_in_redis_expires(redis_url, tmp_path):
    import redis

    store = open_store(redis_url, str(tmp_path))
    miss(store, "fleeting")
    with redis.Redis.from_url(redis_url) as client:
        assert 3500 < client.ttl("truepath:session:fleeting") <= 3600
    store.close()


def test_a_redis_that_is_away_is_counted_in_memory(tmp_path):
    need_redis_client()
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        store = open_store(
            f"redis://127.0.0.1:{nobody.getsockname()[1]}/0", str(tmp_path)
        )
        assert [miss(store), miss(store)] == [1, 2]
    assert "sessions in Redis" in store.problem
    store.close()


def test_a_redis_value_that_is_no_state_is_replaced(redis_url, tmp_path):
    import redis

    with redis.Redis.from_url(redis_url) as client:
        client.set("truepath:session:garbage", b"\xff{")
    store = open_store(redis_url, str(tmp_path))
    assert [miss(store, "garbage"), miss(store, "garbage")] == [1, 2]
    assert store.problem
    store.close()


def test_memory_forgets_the_least_recently_used():
    store = MemoryStore(limit=2)
    for key in ("a", "b", "a", "c"):
        miss(store, key)
    assert (miss(store, "a"), miss(store, "b")) == (3, 1)


def test_session_files_are_private(tmp_path):
    miss(FileStore(str(tmp_path / "sessions")))
    if sys.platform != "win32":
        assert (tmp_path / "sessions").stat().st_mode & 0o777 == 0o700
        for file in (tmp_path / "sessions").iterdir():
            assert file.stat().st_mode & 0o777 == 0o600


def test_the_oldest_sessions_beyond_the_limit_are_removed(tmp_path):
    store = FileStore(str(tmp_path), limit=3)
    for number in range(8):
        miss(store, str(number))
        for file in tmp_path.glob("*.json"):
            modified = file.stat().st_mtime - 10
            os.utime(file, (modified, modified))
    assert [number for number in range(8) if store.knows(str(number))] == [5, 6, 7]


def test_sessions_of_yesterday_and_what_a_killed_writer_left_are_removed(tmp_path):
    store = FileStore(str(tmp_path))
    miss(store, "old")
    (tmp_path / "left.tmp").write_text("{")
    for file in [*tmp_path.glob("*.json"), *tmp_path.glob("*.tmp")]:
        os.utime(file, (time.time() - 90_000, time.time() - 90_000))
    miss(store, "new")
    assert (store.knows("old"), store.knows("new")) == (False, True)
    assert not (tmp_path / "left.tmp").exists()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[]", b"[" * 100_000, b"null"]
)
def test_a_corrupt_session_file_starts_afresh_and_is_noted_once(tmp_path, content):
    miss(FileStore(str(tmp_path)))
    (file,) = tmp_path.glob("*.json")
    file.write_bytes(content)
    again = FileStore(str(tmp_path))
    assert miss(again) == 1
    problem = again.problem
    assert str(tmp_path) in problem
    assert "\n" not in problem
    assert (miss(again), again.problem) == (2, problem)
    assert FileStore(str(tmp_path)).problem == "", "it is healed"


def test_a_read_only_home_is_counted_in_memory_from_what_it_holds(tmp_path):
    miss(open_store("file:", str(tmp_path)))
    with read_only(tmp_path):
        store = open_store("file:", str(tmp_path))
        assert [miss(store), miss(store)] == [2, 3]
    assert store.problem


@pytest.mark.root
def test_a_full_disk_is_counted_in_memory(tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        miss(FileStore(str(disk)))
        fill(disk)
        store = FileStore(str(disk))
        counts = [miss(store, path="src/" + "long/" * 200 + "login.py"), miss(store)]
    assert counts == [2, 3]
    assert "space" in store.problem


def test_a_holder_that_is_stopped_hangs_nobody(tmp_path):
    store = FileStore(str(tmp_path), wait=0.05)
    miss(store)
    (lock,) = tmp_path.glob("lock-*")
    with Lock(str(lock), wait=0):
        assert miss(store) == 2
    assert "holds the lock" in store.problem


def test_sessions_that_began_at_one_time_do_not_wait_for_one_another(tmp_path):
    store = FileStore(str(tmp_path), wait=0.05)
    keys = [f"019a5555-1111-7000-8000-00000000000{digit}" for digit in "12"]
    miss(store, keys[0])
    (lock,) = tmp_path.glob("lock-*")
    with Lock(str(lock), wait=0):
        assert miss(store, keys[1]) == 1
        assert not store.problem


@pytest.mark.skipif(
    sys.platform == "win32", reason="not on Windows: links need a privilege"
)
def test_a_link_in_the_place_of_a_lock_is_not_followed(tmp_path):
    store = FileStore(str(tmp_path / "sessions"))
    miss(store)
    (lock,) = (tmp_path / "sessions").glob("lock-*")
    lock.unlink()
    lock.symlink_to(tmp_path / "elsewhere")
    assert miss(store) == 2
    assert not (tmp_path / "elsewhere").exists()


PLACES = [
    (None, "state/sessions"),
    ("", "state/sessions"),
    ("file:", "state/sessions"),
    ("file:///var/lib/x", "/var/lib/x"),
    ("file:/var/lib/x", "/var/lib/x"),
    ("file:///C:/x", "C:/x"),
]


@pytest.mark.parametrize(("url", "place"), PLACES)
def test_a_url_names_a_store_of_files(url, place):
    store = open_store(url, "state")
    assert isinstance(store, FileStore)
    assert store._folder.replace(os.sep, "/") == place


@pytest.mark.parametrize("url", ["postgres://x", "sqlite:", "nonsense", "redis"])
def test_a_store_that_is_none_is_an_error_or_the_default_and_said(url):
    with pytest.raises(ConfigError, match="TRUEPATH_STORE"):
        open_store(url, "state")
    lasting, own = (
        usable_store(url, "state", lasting=lasting) for lasting in (True, False)
    )
    assert (type(lasting), type(own)) == (FileStore, MemoryStore)
    assert "TRUEPATH_STORE" in lasting.problem == own.problem
