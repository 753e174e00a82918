"""Servers and sandboxes for tests: Redis and sshd on free ports of this machine, real
shells, and runners that do to their answers what real ones do."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from truepath import ShellRunner

Treat = Callable[[bytes], "bytes | str"]


class Counted:
    """A shell on this machine that counts what it is asked, and treats its answers."""

    def __init__(self, treat: Treat = bytes, shell: str = "sh") -> None:
        self.commands: list[str] = []
        self._run, self._treat = ShellRunner(shell), treat

    def __call__(self, command: str, timeout: float) -> bytes | str:
        self.commands.append(command)
        return self._treat(self._run(command, timeout))


def cut_at(characters: int) -> Treat:
    """Return the end of answers as deepagents' sandboxes have it: as text, cut off."""
    return lambda printed: printed.decode("utf-8", "replace")[:characters]


def cut_out(printed: bytes) -> bytes:
    """Return an answer without its middle, and say so, as some programs do."""
    return (
        printed[:1500] + b"\n[... cut ...]\n" + printed[-300:]
        if len(printed) > 2000
        else printed
    )


TREATS: dict[str, Treat] = {
    "bytes": bytes,
    "text": lambda printed: printed.decode(),
    "a login's greeting": lambda printed: (
        b"Welcome! \xff\x1b[0m\n" + printed + b"logout\n"
    ),
    "a terminal's line ends": lambda printed: printed.replace(b"\n", b"\r\n"),
    "cut at 100,000 characters": cut_at(100_000),
    "cut at 2,500 characters": cut_at(2_500),
    "cut out of the middle": cut_out,
}
"""What runners do to answers that are whole."""


@contextmanager
def ssh_server(folder: Path) -> Iterator[ShellRunner]:
    """Run a real sshd on a free port of this machine, and yield a runner that logs in
    there.
    """
    programs = ("/usr/sbin/sshd", shutil.which("ssh"), shutil.which("ssh-keygen"))
    if not all(program and os.path.exists(program) for program in programs):
        pytest.skip("no sshd here: apt-get install openssh-server")
    if os.geteuid() == 0:
        os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
    folder.mkdir(mode=0o700)
    for name in ("host", "user"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name],
            check=True,
        )
    shutil.copy(folder / "user.pub", folder / "keys")
    port = _free_port()
    (folder / "config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile none\n"
        f"AuthorizedKeysFile {folder}/keys\nStrictModes no\nUsePAM no\n"
        "PasswordAuthentication no\nPermitRootLogin yes\n"
    )
    words = ["/usr/sbin/sshd", "-D", "-e", "-f", str(folder / "config")]
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen(words, stderr=log)
        try:
            _wait_for(port, server)
            yield ShellRunner(
                *(
                    "ssh",
                    "-F",
                    "none",
                    "-q",
                    "-p",
                    str(port),
                    "-i",
                    str(folder / "user"),
                ),
                *(
                    "-o",
                    "StrictHostKeyChecking=no",
                    "-o",
                    "UserKnownHostsFile=/dev/null",
                ),
                *("-o", "BatchMode=yes", f"{getpass.getuser()}@127.0.0.1", "sh"),
            )
        finally:
            server.terminate()
            server.wait(10)


def need_redis_client() -> None:
    """Skip where Python's client of Redis is not installed."""
    pytest.importorskip("redis", reason="no such package here: pip install redis")


@contextmanager
def redis_server() -> Iterator[str]:
    """Run a Redis that writes nothing to disk, and yield its URL."""
    need_redis_client()
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip(
            "no redis-server here: apt-get install redis-server, or brew install redis"
        )
    port = _free_port()
    command = [
        program,
        "--port",
        str(port),
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--dir",
        "/",
    ]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        _wait_for(port, server)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait(10)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    while True:
        if server.poll() is not None:
            pytest.skip(f"{server.args[0]} does not run here")
        with socket.socket() as asking:
            if asking.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
