"""Try the command that a host calls: with an event that needs no answer, and one that
needs one.

It runs in a temporary project with its own state, so nothing is recorded.
"""

from __future__ import annotations

import os
import subprocess
from json import dumps, loads
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from truepath.hook.command import SHARED
from truepath.hosts.host import Host

TIMEOUT_S = 30.0
"""Seconds for one call; hosts wait ten, but a cold disk may take longer."""

_OTHERS = (
    "COPILOT_",
    "CURSOR_",
    "GEMINI_",
    "QWEN_",
    "CLAUDE",
    "TRUEPATH",
    "XDG_CONFIG_HOME",
)
"""Prefixes of variables that identify the host or configure truepath."""

THERE, MOVED = "docs/status.md", "specs/status.md"


class Tried(NamedTuple):
    """The result of a trial, in one line each; "" for nothing."""

    problem: str = ""
    note: str = ""
    """What is odd but harmless."""
    fix: str = ""
    """How to fix the problem, if not by installing again."""


def attempt(host: Host, command: str) -> Tried:
    """Return what is wrong with a shell command.

    It is called as by the host, with a path that exists, then with a wrong one. Its
    standard error is only a note; another line with the answer on standard output is a
    problem, because a host then drops the answer (`tests/clients/test_every_program.py`
    tries both with the hosts).
    """
    with TemporaryDirectory(prefix="truepath-") as folder:
        project = os.path.join(os.path.realpath(folder), "project")
        for name in (THERE, "README.md"):
            Path(project, name).parent.mkdir(parents=True, exist_ok=True)
            Path(project, name).touch()
        for path in (THERE, MOVED):
            problem, output, said = _call(command, event(host, project, path), project)
            if (
                not (output or problem)
                and f"command -v {SHARED}" in command
                and not which(SHARED)
            ):
                return Tried(
                    f"{SHARED}: not found on the PATH", fix="put its folder on the PATH"
                )
            if junk := _junk(output):
                told = (
                    f"it prints `{junk}`, and {host.TITLE} drops an answer with a line "
                    "beside it"
                )
                return Tried(
                    told, fix="print that line to stderr instead, or not at all"
                )
            if problem or (problem := _misjudged(output, is_wrong=path == MOVED)):
                return Tried(f"{problem}: {said}" if said else problem)
        return Tried(
            note=f"it writes to stderr, which does no harm: {said}" if said else ""
        )


def event(host: Host, project: str, path: str) -> dict[str, Any]:
    """Return an event of `host` before a tool opens `path`, relative to the project."""
    made: dict[str, Any] = {}
    readers = [tool for tool, (_, kind) in host.PATH_TOOLS.items() if kind == "file"]
    if readers:
        tool, value = readers[0], os.path.join(project, path)
        argument, _ = host.PATH_TOOLS[tool]
    else:
        tool, value = next(iter(host.COMMAND_TOOLS)), f"cat {path}"
        argument, _ = host.COMMAND_TOOLS[tool]
    _set(made, f"{host.ARGUMENTS_FIELD}.{argument}", value)
    _set(made, host.EVENT_FIELD, next(iter(host.EVENTS)))
    _set(made, host.TOOL_FIELD, tool)
    _set(made, host.CWD_FIELD, project)
    _set(made, host.SESSION_FIELD, "truepath-trial")
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


def _call(command: str, what: dict[str, Any], project: str) -> tuple[str, str, str]:
    """Return what is wrong with a call, its output, and the last line on its standard
    error.
    """
    try:
        done = subprocess.run(  # noqa: S602  hosts run a shell command
            command,
            shell=True,
            input=dumps(what).encode(),
            capture_output=True,
            cwd=project,
            env=_environment(os.path.dirname(project)),
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it did not answer within {TIMEOUT_S:g} s", "", ""
    problem = f"it ended with status {done.returncode}" if done.returncode else ""
    output, said = (
        each.decode("utf-8", "replace").strip() for each in (done.stdout, done.stderr)
    )
    return problem, output, said.rpartition("\n")[2].strip()[:200]


def _environment(folder: str) -> dict[str, str]:
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_OTHERS)
    }
    settings = os.path.join(folder, "settings")
    return {
        **own,
        "TRUEPATH_STATE": os.path.join(folder, "state"),
        "XDG_CONFIG_HOME": settings,
        "APPDATA": settings,
    }


def _junk(output: str) -> str:
    """Return the first line that is no JSON in an output; "" if all of it is."""
    if not output or _is_json(output):
        return ""
    return next((line for line in output.splitlines() if not _is_json(line)), output)[
        :80
    ]


def _is_json(text: str) -> bool:
    try:
        loads(text)
    except ValueError:
        return False
    return True


def _misjudged(output: str, *, is_wrong: bool) -> str:
    if not is_wrong:
        return "it answers where it should be silent" if output else ""
    answer = loads(output or "0")
    return (
        "" if answer and isinstance(answer, dict) else "it is silent about a wrong path"
    )
