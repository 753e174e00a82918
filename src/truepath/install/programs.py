"""The hosts' own programs: what they are called, and which version is the first that will do."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from shlex import split
from shutil import which
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truepath.hosts.host import Host
    from truepath.hosts.setup import Setup

TIMEOUT_S = 15.0
"""Seconds for a program to say its version; some start a whole runtime first."""

NAMES = {
    "claude-code": "claude",
    "cline": "cline",
    "codex": "codex",
    "copilot": "copilot",
    "cursor": "cursor-agent",
    "gemini": "gemini",
    "opencode": "opencode",
    "pi": "pi",
    "qwen": "qwen",
    "vscode": "code",
}
"""Host -> its command."""

OLDEST = {"claude-code": (2, 1, 118)}
"""Host -> the first version with all the events we register."""


@dataclass(frozen=True, slots=True)
class Program:
    """A host's program as it is on this machine."""

    path: str
    version: str
    """As it says itself; "" where it does not say."""

    def is_older(self, oldest: tuple[int, ...]) -> bool:
        """Whether its version is known and below `oldest`."""
        said = tuple(int(part) for part in self.version.split("."))[:3] if self.version else ()
        return bool(said) and said < oldest


def find(host: str, environ: Mapping[str, str]) -> Program | None:
    """Return the program of a host; None where it is not on the search path."""
    path = which(NAMES.get(host, host), path=environ.get("PATH"))
    return Program(path, _version(path, environ)) if path else None


def elsewhere(host: Host, setup: Setup, root: str) -> str:
    """Say that a host begun in the current folder does not read the settings of the project at
    `root`; "" where it does.
    """
    if setup.below or os.path.samefile(os.getcwd(), root):
        return ""
    return f"{host.TITLE} reads these only in sessions that begin in {root}, not in a folder below"


def files_in(command: str) -> list[str]:
    """Return the files that a hook command names, absolute: the client and what it needs."""
    try:
        words = split(command, posix=os.name != "nt")
    except ValueError:
        return []
    if words[:2] == ["sh", "-c"]:  # a host without a shell is given one
        return [path for line in words[2:3] for path in files_in(line)]
    return [word.strip('"') for word in words if os.path.isabs(word.strip('"'))]


def _version(path: str, environ: Mapping[str, str]) -> str:
    try:
        done = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=dict(environ),
            timeout=TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(rb"\d+\.\d+(?:\.\d+)*", done.stdout)
    return found[0].decode() if found else ""
