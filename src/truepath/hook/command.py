"""The shell command by which a host calls the hook of this very installation.

Asked when a host is set up, never by a hook.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator

from truepath import __version__

NATIVE = "truepath-native"

_TIMEOUT_S = 5.0
"""Seconds for a program to say its version; ours takes a millisecond."""


def client_command(host: str) -> str:
    """Return the command, absolute and quoted for the system's shell.

    That is the native client where one of this version is installed, else the Python client,
    started without what it does not need.

    Args:
        host: A host of the table: `claude-code`.
    """
    client = native_client()
    script = script_path()
    if client is not None:
        return _quoted([client, host, "--python", sys.executable, "--script", script])
    return _quoted([sys.executable, "-I", "-S", script, host])


def native_client() -> str | None:
    """Return the native client of this version, beside the interpreter or on PATH."""
    return next((path for path in _candidates() if _is_current(path)), None)


def script_path() -> str:
    """Return the Python client as a file that a bare interpreter can run."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "script.py")


def _candidates() -> Iterator[str]:
    name = NATIVE + (".exe" if os.name == "nt" else "")
    folders = [os.path.dirname(sys.executable), *os.environ.get("PATH", "").split(os.pathsep)]
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isabs(path) and os.path.isfile(path) and os.access(path, os.X_OK):
            yield path


def _is_current(path: str) -> bool:
    command = [path, "--version"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return False
    return done.returncode == 0 and done.stdout.split() == [NATIVE, __version__]


def _quoted(words: list[str]) -> str:
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)
