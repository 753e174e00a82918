"""Servers for tests, each started on a free port of this machine and ended with the block."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


def need_redis_client() -> None:
    """Skip where Python's client of Redis is not installed."""
    pytest.importorskip("redis", reason="no such package here: pip install redis")


@contextmanager
def redis_server() -> Iterator[str]:
    """Run a Redis that writes nothing to disk, and yield its URL."""
    need_redis_client()
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("no redis-server here: apt-get install redis-server, or brew install redis")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", "/"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait(10)


def _wait_for(port: int) -> None:
    until = time.monotonic() + 20
    while not _answers(port) and time.monotonic() < until:
        time.sleep(0.02)


def _answers(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0
