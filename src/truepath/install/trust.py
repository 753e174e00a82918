"""Whether a host runs the hooks that are in its settings: switched off, or not trusted yet."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from json import dumps, loads
from queue import Empty, Queue
from shutil import which
from time import monotonic
from typing import IO, Any

from truepath.install.entries import is_call

TIMEOUT_S = 15.0
"""Seconds for Codex to list its hooks; it takes one."""

_WHO = {"clientInfo": {"name": "truepath", "title": "truepath", "version": "1"}}


def switches(value: Any) -> Iterator[str]:
    """Yield the settings in a host's file that keep its hooks, or ours, from running.

    Names as Claude Code 2.1.330, Qwen Code 0.24 (`disableAllHooks`) and Gemini CLI 0.61
    (`hooksConfig`) have them.
    """
    settings = value if isinstance(value, dict) else {}
    if settings.get("disableAllHooks") is True:
        yield "disableAllHooks"
    inner = settings.get("hooksConfig")
    config = inner if isinstance(inner, dict) else {}
    if config.get("enabled") is False:
        yield "hooksConfig.enabled"
    disabled = config.get("disabled")
    if isinstance(disabled, list) and "truepath" in disabled:
        yield "hooksConfig.disabled"


def untrusted_by_codex(
    root: str, environ: Mapping[str, str], *, timeout_s: float = TIMEOUT_S
) -> list[str] | None:
    """Return the events whose hooks of truepath Codex skips in a project; None if it does not tell.

    Codex itself is asked, as it says which of its hooks were reviewed since they last changed
    (`hooks/list` of its app server, 0.169.0).
    """
    program = which("codex", path=environ.get("PATH"))
    listed = _ask(program, root, environ, timeout_s) if program else None
    if listed is None:
        return None
    hooks = [hook for each in _list(listed.get("data")) for hook in _list(each.get("hooks"))]
    return [
        str(hook.get("eventName"))
        for hook in hooks
        if is_call(str(hook.get("command")), "codex")
        if hook.get("trustStatus") not in ("trusted", "managed") or hook.get("enabled") is False
    ]


def _ask(
    program: str, root: str, environ: Mapping[str, str], timeout_s: float
) -> dict[str, Any] | None:
    questions: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": _WHO},
        {"method": "initialized"},
        {"id": 1, "method": "hooks/list", "params": {"cwds": [root]}},
    ]
    try:
        server = subprocess.Popen(
            [program, "app-server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(environ),
            cwd=root,
        )
    except OSError:
        return None
    try:
        return _answer(server, questions, timeout_s)
    except OSError:
        return None
    finally:
        server.kill()
        for stream in (server.stdin, server.stdout):
            with suppress(OSError):  # what was not written yet goes with the pipe
                if stream:
                    stream.close()
        server.wait()


def _answer(
    server: subprocess.Popen[bytes], questions: Iterable[Mapping[str, Any]], timeout_s: float
) -> dict[str, Any] | None:
    if server.stdin is None or server.stdout is None:
        return None
    lines: Queue[bytes] = Queue()
    threading.Thread(target=_pump, args=(server.stdout, lines), daemon=True).start()
    for question in questions:
        server.stdin.write(dumps(question).encode() + b"\n")
    server.stdin.flush()
    end = monotonic() + timeout_s
    while (left := end - monotonic()) > 0:
        try:
            line = lines.get(timeout=left)
        except Empty:
            return None
        if not line:
            return None
        told = _table(line)
        if told.get("id") == 1:
            result = told.get("result")
            return result if isinstance(result, dict) else None
    return None


def _pump(stream: IO[bytes], lines: Queue[bytes]) -> None:
    # A pipe cannot be waited for with a limit on every system; a queue can.
    try:
        for line in stream:
            lines.put(line)
    except (OSError, ValueError):
        pass
    lines.put(b"")


def _table(line: bytes) -> dict[str, Any]:
    try:
        value = loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
