"""Try the command that a host calls: with an event that needs no answer, and one that needs one.

It runs in a temporary project with its own state, so nothing is recorded.
"""

from __future__ import annotations

import os
import subprocess
from json import dumps, loads
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any

from truepath.hook.command import SHARED
from truepath.hosts.host import Host

TIMEOUT_S = 30.0
"""Seconds for one call; hosts wait ten, but a cold disk may take longer."""

_OTHERS = ("COPILOT_", "CURSOR_", "GEMINI_", "QWEN_", "CLAUDE", "TRUEPATH", "XDG_CONFIG_HOME")
"""Prefixes of variables that identify the host or configure truepath."""

THERE, MOVED = "docs/status.md", "specs/status.md"


def attempt(host: Host, command: str, *, timeout_s: float = TIMEOUT_S) -> str:
    """Return what is wrong with a shell command, in one line; "" for nothing.

    It is called as by the host, with a path that exists, then with a wrong one.
    """
    with TemporaryDirectory(prefix="truepath-") as folder:
        project = os.path.join(os.path.realpath(folder), "project")
        for name in (THERE, "README.md"):
            _touch(os.path.join(project, name))
        problem, output = _call(command, event(host, project, THERE), project, timeout_s)
        if problem or output:
            return problem or "it answers where it should be silent"
        problem, output = _call(command, event(host, project, MOVED), project, timeout_s)
        if not (output or problem) and f"command -v {SHARED}" in command and not which(SHARED):
            problem = f"{SHARED}: not found on the search path"
        return problem or _unanswered(output)


def event(host: Host, project: str, path: str) -> dict[str, Any]:
    """Return an event of `host` before a tool opens `path`, relative to the project."""
    table = host.EVENT_SCHEMA
    full = os.path.join(project, path)
    made: dict[str, Any] = {}
    readers = [tool for tool, (_, kind) in table["paths"].items() if kind == "file"]
    if readers:
        tool = readers[0]
        _set(made, f"{table['input']}.{table['paths'][tool][0]}", full)
    else:
        tool = next(iter(table["commands"]))
        _set(made, f"{table['input']}.{table['commands'][tool][0]}", f"cat {path}")
    _set(made, table["event"], table["calls"][0])
    _set(made, table["tool"], tool)
    _set(made, table["cwd"], project)
    _set(made, table["session"], "truepath-trial")
    return made


def _set(table: dict[str, Any], name: str, value: Any) -> None:
    head, _, rest = name.partition(".")
    key = head.removesuffix("[]")
    if not rest:
        table[key] = [value] if head.endswith("[]") else value
    elif head.endswith("[]"):
        inner: dict[str, Any] = {}
        _set(inner, rest, value)
        table[key] = [inner]
    else:
        _set(table.setdefault(key, {}), rest, value)


def _call(command: str, what: dict[str, Any], project: str, timeout_s: float) -> tuple[str, bytes]:
    """Return what is wrong with a call ("" for nothing), and its output."""
    try:
        done = subprocess.run(  # noqa: S602  hosts run a shell command
            command,
            shell=True,
            input=dumps(what).encode(),
            capture_output=True,
            cwd=project,
            env=_environment(os.path.dirname(project)),
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it did not answer within {timeout_s:g} s", b""
    problem = ""
    if done.returncode or done.stderr:
        what_came = f"ended with status {done.returncode}" if done.returncode else "complained"
        said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2].strip()
        problem = f"it {what_came}" + (f": {said[:200]}" if said else "")
    return problem, done.stdout


def _environment(folder: str) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith(_OTHERS)}
    settings = os.path.join(folder, "settings")
    return {
        **own,
        "TRUEPATH_STATE": os.path.join(folder, "state"),
        "XDG_CONFIG_HOME": settings,
        "APPDATA": settings,
    }


def _unanswered(output: bytes) -> str:
    try:
        answer = loads(output) if output else None
    except ValueError:
        return "its answer is not JSON"
    if not isinstance(answer, dict) or not answer:
        return "it is silent about a wrong path"
    return ""


def _touch(path: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb"):
        pass
