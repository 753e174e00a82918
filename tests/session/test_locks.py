"""A lock is released by whoever took it, also when the process was copied."""

from __future__ import annotations

import os
import threading

import pytest

from truepath.config.files import Lock
from truepath.session.state import SessionState
from truepath.session.stores import MemoryStore

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here"),
    # Python 3.12 warns of the very thing that is tried here.
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]


def in_a_fork(task) -> bool:
    """Return whether `task` came to its end in a process forked off now."""
    child = os.fork()
    if not child:
        finished = threading.Event()
        threading.Thread(target=lambda: (task(), finished.set()), daemon=True).start()
        os._exit(0 if finished.wait(5) else 1)
    return os.waitpid(child, 0)[1] == 0


def test_a_lock_on_a_file_is_free_once_released_whoever_was_forked_off_meanwhile(
    tmp_path,
):
    path = str(tmp_path / "lock")
    lock = Lock(path, wait=0)
    stays, ends = os.pipe()
    with lock:
        child = os.fork()
        if not child:
            os.close(ends)
            os.read(stays, 1)  # lives until its parent lets it go
            os._exit(0)
    try:
        with Lock(path, wait=0):
            pass
    finally:
        os.close(ends)
        os.waitpid(child, 0)


def test_a_process_forked_off_while_a_thread_updates_a_store_waits_for_nobody():
    store = MemoryStore()
    begun, goes_on = threading.Event(), threading.Event()

    def slowly(state):
        begun.set()
        goes_on.wait(10)
        return state, None

    thread = threading.Thread(target=store.update, args=("one", slowly))
    thread.start()
    begun.wait(10)
    try:
        assert in_a_fork(
            lambda: store.update("two", lambda _: (SessionState(turns=1), None))
        )
    finally:
        goes_on.set()
        thread.join()
