"""Call what a host was told to call: one event to be silent about and one that asks for an answer.

In a project of its own with a state of its own, so nothing of it is recorded or counted.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from json import dumps, loads
from shlex import quote
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from truepath.hosts.host import Host
from truepath.install.changes import content_of
from truepath.install.entries import calls, table_of
from truepath.install.plan import Place, looked_at

TIMEOUT_S = 30.0
"""Seconds for one call; hosts are told to wait ten, and a cold disk may need some of them."""

_OTHERS = ("COPILOT_", "CURSOR_", "GEMINI_", "QWEN_", "CLAUDE", "TRUEPATH", "XDG_CONFIG_HOME")
"""Beginnings of variables that say which host runs, or how truepath is to behave."""

_OTHER_SHELLS = ("powershell", "windows", "commandWindows")
"""Keys whose command is for another system."""

THERE, MOVED = "docs/status.md", "specs/status.md"


@dataclass(frozen=True, slots=True)
class Call:
    """What came of calling a command once."""

    status: int | None
    """None where it did not end in time."""
    output: bytes
    errors: bytes
    seconds: float


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of trying a command."""

    problem: str
    """What is wrong, in one line; "" for nothing."""
    seconds: tuple[float, ...] = ()
    """How long each silent call took."""


def command_of(content: Mapping[str, Any] | str, host: str, client: str) -> str:
    """Return the shell command in what a host was given; `client` where that is a program."""
    foreign = _OTHER_SHELLS if os.name != "nt" else ()
    found = [
        command for place, command in calls(table_of(content), host) if place[-1] not in foreign
    ]
    return found[0] if found else client


def line_of(place: Place, client: str) -> str:
    """Return the shell command in a file, or the one that runs it if it is a program."""
    if place.executable:
        return quote(place.path)
    return command_of(written(place), place.host, client)


def written(place: Place) -> Mapping[str, Any] | str:
    """Return what a host was really given, as its file now has it."""
    data = content_of(place.path) or b""
    if isinstance(place.content, str):
        return data.decode("utf-8-sig")
    value = looked_at(data)
    return {key: value.get(key) for key in place.content}


def attempt(host: Host, command: str, *, times: int = 1, timeout_s: float = TIMEOUT_S) -> Trial:
    """Try a command as the host would call it: `times` silent events, then a wrong path.

    Args:
        host: The host.
        command: A line for the shell.
        times: How often to be silent.
        timeout_s: Seconds for one call.
    """
    with TemporaryDirectory(prefix="truepath-") as folder:
        project = os.path.join(os.path.realpath(folder), "project")
        for name in (THERE, "README.md"):
            _touch(os.path.join(project, name))
        took = []
        for _ in range(times):
            quiet = _call(command, event(host, project, THERE), project, timeout_s)
            problem = _problem(quiet)
            if problem or quiet.output:
                return Trial(problem or "it answers where it should be silent")
            took.append(quiet.seconds)
        told = _call(command, event(host, project, MOVED), project, timeout_s)
        return Trial(_problem(told) or _unanswered(told.output), tuple(took))


def event(host: Host, project: str, path: str) -> dict[str, Any]:
    """Return an event of `host`: a tool is about to open `path`, relative to the project."""
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


def _call(command: str, what: dict[str, Any], project: str, timeout_s: float) -> Call:
    began = perf_counter()
    try:
        done = subprocess.run(  # noqa: S602  a line for the shell, which is how hosts run it
            command,
            shell=True,
            input=dumps(what).encode(),
            capture_output=True,
            cwd=project,
            env=_environment(os.path.dirname(project)),
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        return Call(None, late.stdout or b"", late.stderr or b"", timeout_s)
    return Call(done.returncode, done.stdout, done.stderr, perf_counter() - began)


def _environment(folder: str) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith(_OTHERS)}
    settings = os.path.join(folder, "settings")
    return {
        **own,
        "TRUEPATH_STATE": os.path.join(folder, "state"),
        "XDG_CONFIG_HOME": settings,
        "APPDATA": settings,
    }


def _problem(call: Call) -> str:
    if call.status is None:
        return f"it did not answer within {call.seconds:g} s"
    if call.status:
        return f"it ended with status {call.status}{_said(call)}"
    return f"it complained{_said(call)}" if call.errors else ""


def _said(call: Call) -> str:
    lines = call.errors.decode("utf-8", "replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f": {last[:200]}" if last else ""


def _unanswered(output: bytes) -> str:
    try:
        answer = loads(output) if output else None
    except ValueError:
        return "its answer is no JSON"
    if not isinstance(answer, dict) or not answer:
        return "it is silent about a wrong path"
    return ""


def _touch(path: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb"):
        pass
