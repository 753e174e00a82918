"""The shell commands that call truepath's hook.

They are needed when a host is set up, and by a hook only for an unrecorded command with
the name.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator

from truepath import __version__
from truepath.errors import suppress
from truepath.project.search_path import folders, is_program

SHARED = "truepath-hook"
"""The name of the client, which is the same on every machine."""

NATIVE = "truepath-native"

PLUGINS = {
    host: f'/bin/sh "{folder}/bin/truepath-hook.sh" {host}'
    for host, folder in {
        "claude-code": "${CLAUDE_PLUGIN_ROOT}",
        "codex": "${PLUGIN_ROOT}",
        "copilot": "${PLUGIN_ROOT}",
        "gemini": "${extensionPath}",
        "qwen": "${CLAUDE_PLUGIN_ROOT}/plugins/truepath",
    }.items()
}
"""Host -> the client in its plugin, as its hooks name it. A shell that is looked for in
PATH could be the project's."""

_TIMEOUT_S = 5.0
"""Seconds for a program to say its version; ours takes a millisecond."""


def client_command(host: str) -> str:
    """Return the command, absolute and quoted for the system's shell.

    That is the native client where one of this version is installed, else the Python
    client, started without what it does not need.

    Args:
        host: A host of the table: `claude-code`.
    """
    client = native_client()
    if client is None:
        return _of_script(host)
    return _of_native(client, host)


def shared_command(host: str) -> str:
    """Return the command that is the same on every machine, and does nothing without
    truepath.
    """
    return f"command -v {SHARED} >/dev/null || exit 0; {SHARED} {host}"


def clients(host: str) -> Iterator[str]:
    """Yield each command by which this installation, or a plugin, answers a host."""
    # The plugin's folder has the hooks of each program, whichever has installed it.
    for client in PLUGINS.values():
        yield client
        yield client.removeprefix("/bin/")  # 0.2.0
    yield shared_command(host)
    yield f"{SHARED} {host}"
    yield f"truepath hook {host}"
    yield from (_of_native(path, host) for path in _candidates())
    yield _of_script(host)


def native_client() -> str | None:
    """Return the native client of this version, next to the interpreter or on PATH."""
    for path in _candidates():
        command = [path, "--version"]
        with suppress(OSError, ValueError, subprocess.SubprocessError):
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
            )
            # One of another version has other tables: its answers would differ.
            if done.returncode == 0 and done.stdout.split() == [NATIVE, __version__]:
                return path
    return None


def script_path() -> str:
    """Return the Python client as a file that a bare interpreter can run."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "script.py")


def _of_native(path: str, host: str) -> str:
    return _quoted([path, host, "--python", sys.executable, "--script", script_path()])


def _of_script(host: str) -> str:
    return _quoted([sys.executable, "-I", "-S", script_path(), host])


def _candidates() -> Iterator[str]:
    name = NATIVE + (".exe" if os.name == "nt" else "")
    searched = [os.path.dirname(sys.executable)]
    with suppress(OSError):  # this process's folder is gone
        searched += folders(os.getcwd())
    for folder in searched:
        path = os.path.join(folder, name)
        if is_program(path):
            yield path


def _quoted(words: list[str]) -> str:
    if os.name == "nt":
        return subprocess.list2cmdline(words)
    return shlex.join(words)
