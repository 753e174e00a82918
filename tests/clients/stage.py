"""The process that a client runs in, together with its model: one run, JSON in, JSON
out.

Started by `rig` in a network namespace of its own where the system allows it, so that
nothing but loopback can be reached."""

from __future__ import annotations

import fcntl
import json
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from clients.model import serving
from clients.script import from_json
from clients.terminal import shown

_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1  # SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP


def raise_loopback() -> None:
    """Switch the loopback interface on; a new network namespace has it switched off."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh", b"lo", 0)
        flags = struct.unpack("16sh", fcntl.ioctl(any_socket, _GET_FLAGS, request))[1]
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh", b"lo", flags | _UP))


def play(run: dict[str, Any]) -> dict[str, Any]:
    """Run the client against the scripted model; `{model}` in words and environment is
    its URL.
    """
    with serving(from_json(run["turns"])) as (model, url):
        env = {
            name: value.replace("{model}", url) for name, value in run["env"].items()
        }
        words = [word.replace("{model}", url) for word in run["command"]]
        if run["steps"]:
            ended = shown(
                words,
                run["steps"],
                cwd=run["cwd"],
                env=env,
                patience=run["patience"],
            )
        else:
            ended = _ended(words, run["cwd"], env, run["timeout"])
        learned = {"told": model.told, "offered": model.offered}
        return {**ended, "turns": model.turns, **learned}


def _ended(
    words: Sequence[str], cwd: str, env: Mapping[str, str], timeout: float
) -> dict[str, Any]:
    """Run a client without a terminal to its end; return how it ended."""
    try:
        done = subprocess.run(
            words,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        status, out, err = -1, late.stdout or b"", late.stderr or b""
    else:
        status, out, err = done.returncode, done.stdout, done.stderr
    return {
        "status": status,
        "output": out.decode(errors="replace"),
        "errors": err.decode(errors="replace"),
    }


def main() -> None:
    run = json.load(sys.stdin)
    if run["isolated"]:
        raise_loopback()
    json.dump(play(run), sys.stdout)


if __name__ == "__main__":
    main()
