"""Which hooks Codex skips: asked of Codex itself, which knows what was reviewed.

As 0.169.0 has it: `hooks/list` of its app server, JSON lines on stdin and stdout.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Collection, Mapping
from contextlib import suppress
from json import dumps, loads
from shutil import which
from threading import Timer
from typing import Any

_WHO = {"name": "truepath", "title": "truepath", "version": "1"}

TIMEOUT_S = 15.0
"""Seconds for Codex to list its hooks; it takes one."""


def skipped(
    root: str,
    environ: Mapping[str, str],
    commands: Collection[str],
    *,
    timeout_s: float = TIMEOUT_S,
) -> list[str] | None:
    """Return the events of which Codex skips a hook with any of `commands` in the project at
    `root`; None if it does not tell.
    """
    program = which("codex", path=environ.get("PATH"))
    listed = _listed(program, root, environ, timeout_s) if program else None
    if listed is None:
        return None
    return [
        str(hook.get("eventName"))
        for each in _tables(listed.get("data"))
        for hook in _tables(each.get("hooks"))
        if hook.get("command") in commands
        if hook.get("trustStatus") not in ("trusted", "managed") or hook.get("enabled") is False
    ]


def _listed(
    program: str, root: str, environ: Mapping[str, str], timeout_s: float
) -> dict[str, Any] | None:
    questions = (
        {"id": 0, "method": "initialize", "params": {"clientInfo": _WHO}},
        {"method": "initialized"},
        {"id": 1, "method": "hooks/list", "params": {"cwds": [root]}},
    )
    pipe = subprocess.PIPE
    with (
        suppress(OSError),
        subprocess.Popen(
            [program, "app-server"],
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            env=dict(environ),
            cwd=root,
            start_new_session=True,
        ) as server,
    ):
        end = Timer(timeout_s, _end, (server,))
        end.start()
        try:
            if server.stdin and server.stdout:
                server.stdin.writelines(dumps(each).encode() + b"\n" for each in questions)
                server.stdin.flush()
                return next(filter(None, map(_answer, server.stdout)), None)
        finally:
            end.cancel()
            _end(server)
    return None


def _end(server: subprocess.Popen[bytes]) -> None:
    """End a server with all that it has started: that may hold its output open."""
    with suppress(OSError):
        os.killpg(server.pid, signal.SIGKILL) if os.name == "posix" else server.kill()


def _answer(line: bytes) -> dict[str, Any] | None:
    """Return the answer to the question about hooks, if a line holds it."""
    try:
        told = loads(line)
    except ValueError:
        return None
    result = told.get("result") if isinstance(told, dict) and told.get("id") == 1 else None
    return result if isinstance(result, dict) else None


def _tables(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
