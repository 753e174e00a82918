"""A program in a terminal, as a person sits before it: what it shows, and what is
typed.

The terminal is tmux, which draws what a program writes as any emulator does.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

COLUMNS, LINES = 110, 46

PATIENCE_S = 300
"""How long a program may take to show what a step waits for."""

AGAIN_S = 60
"""How long a screen stays as it is until the keys that were pressed count as lost."""

LOOK_S = 0.2
"""Seconds between two looks at a screen. What is waited for must be seen twice: a
program that is still drawing its box loses a key that comes early."""

Step = tuple[str, Sequence[str]]
"""A pattern that the screen shows, and the keys that are pressed then, as tmux names
them (`Enter`, `Down`); what is no name of a key is typed."""

_COLOURS = re.compile(r"\x1b\[[0-9;:]*m|[\x0e\x0f]")


def plain(screen: str) -> str:
    """Return a screen without its colours."""
    return _COLOURS.sub("", screen)


def shown(
    words: Sequence[str],
    steps: Sequence[Step],
    *,
    cwd: str,
    env: Mapping[str, str],
    patience: float = PATIENCE_S,
) -> dict[str, Any]:
    """Run a program in a terminal until its last step; return what the screen showed
    at each step.

    If a pattern does not appear, `errors` says which, and the last screen is what was
    there instead.
    """
    with tempfile.TemporaryDirectory() as folder:
        terminal = _Terminal(Path(folder) / "socket", env)
        terminal.start(words, cwd)
        screens: list[str] = []
        errors = ""
        try:
            for pattern, keys in steps:
                screens.append(terminal.until(pattern, patience))
                if not re.search(pattern, plain(screens[-1])):
                    errors = f"nothing like {pattern!r}:\n{plain(screens[-1])}"
                    break
                terminal.press(keys)
        finally:
            terminal("kill-server")
    return {
        "status": int(bool(errors)),
        "output": "",
        "errors": errors,
        "screens": screens,
    }


class _Terminal:
    """One window of a tmux of its own."""

    def __init__(self, socket: Path, env: Mapping[str, str]) -> None:
        self._words = ["tmux", "-S", str(socket), "-f", "/dev/null"]
        self._env = {**env, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self._shown = ""
        self._keys: Sequence[str] = ()

    def __call__(self, *words: str) -> str:
        done = subprocess.run(
            [*self._words, *words],
            env=self._env,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout

    def start(self, words: Sequence[str], cwd: str) -> None:
        size = ("-x", str(COLUMNS), "-y", str(LINES))
        # What a program says that ends at once is seen too.
        first = ("start-server", ";", "set-option", "-g", "remain-on-exit", "on", ";")
        program = f"exec {shlex.join(words)}"
        self(*first, "new-session", "-d", *size, "-c", cwd, program)

    def press(self, keys: Sequence[str]) -> None:
        """Press keys at the screen that was returned last."""
        self._keys = keys
        for key in keys:
            self("send-keys", key)

    def until(self, pattern: str, patience: float) -> str:
        """Return the screen once it shows a pattern; as it is, where it is late.

        A screen that is as it was when keys were pressed shows what they answer, not
        what comes next. A program that is busy may lose them, or take them as pasted.
        """
        began = changed = time.monotonic()
        at, seen = self._shown, 0
        while True:
            before, self._shown = self._shown, self("capture-pane", "-p", "-e")
            now = time.monotonic()
            is_next = self._shown != at and re.search(pattern, plain(self._shown))
            seen = seen + 1 if is_next else 0
            if seen == 2 or now > began + patience:
                return self._shown
            changed = changed if self._shown == before else now
            if now > changed + AGAIN_S:
                self.press(self._keys)
                changed = now
            time.sleep(LOOK_S)
