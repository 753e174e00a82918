"""Try the command that a host calls: with a path that exists, and with one that is
corrected, or refused with the right one.

It runs in a temporary project with its own state, so nothing is recorded.
"""

from __future__ import annotations

import os
import subprocess
from json import dumps, loads
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from truepath.hook.command import SHARED
from truepath.hook.deadline import MOST_SECONDS, VARIABLE
from truepath.hosts.host import Host
from truepath.project.search_path import folders, found

TIMEOUT_S = 30.0
"""Seconds for one call; hosts wait ten, but a cold disk may take longer."""

_OTHERS = (
    "COPILOT_",
    "CRUSH_",
    "CURSOR_",
    "GEMINI_",
    "QWEN_",
    "CLAUDE",
    "TRUEPATH",
    "XDG_CONFIG_HOME",
)
"""Prefixes of variables that identify the host or configure truepath."""

THERE = "docs/status.md"
"""A path that exists in the project."""
WRONG = f"{THERE}:3"
"""A wrong path of the same file, of which there is no doubt."""


class Tried(NamedTuple):
    """The result of a trial, in one line each; "" for nothing."""

    problem: str = ""
    note: str = ""
    """What is odd but harmless."""
    fix: str = ""
    """How to fix the problem, if not by installing again."""


def attempt(host: Host, command: str, *, may_be_silent: bool = False) -> Tried:
    """Return what is wrong with a shell command. It `may_be_silent` about a wrong path
    where a rule of the host covers every one.

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
        for path in (THERE, WRONG):
            environ = _environment(host, os.path.dirname(project))
            called = _call(command, event(host, project, path), project, environ)
            if may_be_silent and not called.output and not called.problem:
                continue
            tried = _judged(host, command, called, is_wrong=path == WRONG)
            if tried.problem:
                return tried
        if not called.error:
            return Tried()
        return Tried(note=f"it writes to stderr, which does no harm: {called.error}")


class _Called(NamedTuple):
    """What came of one call."""

    problem: str
    output: str = ""
    error: str = ""
    """The last line on its standard error."""


def _judged(host: Host, command: str, called: _Called, *, is_wrong: bool) -> Tried:
    """Return what is wrong with a call, whose path is wrong or exists."""
    # The shared command does nothing where the client is not on the PATH.
    is_silent = not called.output and not called.problem
    if is_silent and f"command -v {SHARED}" in command and not found(SHARED, "."):
        return Tried(
            f"{SHARED}: not found on the PATH", fix="put its folder on the PATH"
        )
    if called.output and not _is_json(called.output):
        # Two answers are junk as a whole, though each is JSON.
        lines = called.output.splitlines()
        junk = next((line for line in lines if not _is_json(line)), called.output)[:80]
        return Tried(
            f"it prints `{junk}`, and {host.TITLE} drops an answer with a line "
            "beside it",
            fix="print that line to stderr instead, or not at all",
        )
    problem = called.problem or _misjudged(called.output, is_wrong=is_wrong)
    if problem and called.error:
        problem = f"{problem}: {called.error}"
    return Tried(problem)


def event(host: Host, project: str, path: str) -> dict[str, Any]:
    """Return an event of `host` before a tool opens `path`, relative to the project."""
    readers = [tool for tool, (_, kind) in host.PATH_TOOLS.items() if kind == "file"]
    if readers:
        tool = readers[0]
        argument, _ = host.PATH_TOOLS[tool]
        value = os.path.join(project, path)
    else:  # Codex has only a shell
        tool = next(iter(host.COMMAND_TOOLS))
        argument, _ = host.COMMAND_TOOLS[tool]
        value = f"cat {path}"
    fields: dict[str, Any] = {}
    _set(fields, f"{host.ARGUMENTS_FIELD}.{argument}", value)
    _set(fields, host.EVENT_FIELD, next(iter(host.EVENTS)))
    _set(fields, host.TOOL_FIELD, tool)
    _set(fields, host.CWD_FIELD, project)
    _set(fields, host.SESSION_FIELD, "truepath-trial")
    return fields


def _set(table: dict[str, Any], name: str, value: Any) -> None:
    """Set a field, whose name may lead into tables, and with `[]` into a list."""
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


def _call(
    command: str, event: dict[str, Any], project: str, environ: dict[str, str]
) -> _Called:
    """Run a command with an event on its standard input."""
    try:
        done = subprocess.run(  # noqa: S602  hosts run a shell command
            command,
            shell=True,
            input=dumps(event).encode(),
            capture_output=True,
            cwd=project,
            env=environ,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _Called(f"it did not answer within {TIMEOUT_S:g} s")
    problem = f"it ended with status {done.returncode}" if done.returncode else ""
    output = done.stdout.decode("utf-8", "replace").strip()
    errors = done.stderr.decode("utf-8", "replace").strip()
    # A traceback ends with what went wrong.
    last_line = errors.rpartition("\n")[2].strip()
    return _Called(problem, output, last_line[:200])


def _environment(host: Host, folder: str) -> dict[str, str]:
    """Return an environment in which nothing of truepath's and the host's own folder is
    read or written: the user's rules are for the user's projects.
    """
    environ = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_OTHERS)
    }
    _, variable = host.HOME_FOLDER
    if variable:
        environ[variable] = os.path.join(folder, "host")
    # The trial is in another project than the one that this process is in.
    environ["PATH"] = os.pathsep.join(folders(".")) or os.defpath
    settings = os.path.join(folder, "settings")
    environ["TRUEPATH_STATE"] = os.path.join(folder, "state")
    environ["XDG_CONFIG_HOME"] = settings
    environ["APPDATA"] = settings
    # Whether the command works is asked, not how long it takes while an installation
    # keeps the disk busy.
    environ[VARIABLE] = f"{MOST_SECONDS:g}"
    return environ


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
    if not isinstance(answer, dict) or not answer:
        return "it is silent about a wrong path"
    # Where a person is asked about the call as it was written, it is refused.
    is_right = THERE in output.replace(WRONG, "")
    return "" if is_right else "it does not know the right path of a wrong one"
