"""Rules that are programs: Fuse.js through node, and fzf. Left out where they are not there."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rivals.question import Question


class MissingPath(Exception):  # noqa: N818  nothing failed
    """A program is not here; the message says what to do."""


class Program:
    """A finder outside of this process."""

    def __init__(self, scratch: Path) -> None:
        """Get ready.

        Raises:
            Missing: it is not installed.
        """

    def answer(self, questions: Sequence[Question]) -> list[str | None]:
        """Return the top hit for each of some questions about one project."""
        raise NotImplementedError


class Fzf(Program):
    """The top hit of `fzf --filter`, the written path taken literally."""

    def __init__(self, scratch: Path) -> None:  # noqa: ARG002
        if shutil.which("fzf") is None:
            raise MissingPath("fzf is not installed (Debian: apt install fzf)")

    def answer(self, questions: Sequence[Question]) -> list[str | None]:
        names = "\n".join(questions[0].project.paths).encode("utf-8", "surrogateescape")
        return [self._top(each.path, names) for each in questions]

    def _top(self, path: str, names: bytes) -> str | None:
        ask = ["fzf", "--no-extended", f"--filter={path}"]
        done = subprocess.run(ask, input=names, capture_output=True, check=False)
        top = done.stdout.partition(b"\n")[0].decode("utf-8", "surrogateescape")
        return top or None


_SCRIPT = """
const Fuse = require('fuse.js');
const { names, paths } = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const fuse = new (Fuse.default || Fuse)(names);
const tops = paths.map((path) => fuse.search(path, { limit: 1 })[0]?.item ?? null);
process.stdout.write(JSON.stringify(tops));
"""


class Fuse(Program):
    """The top hit of Fuse.js with its defaults."""

    version = "7.5.0"

    def __init__(self, scratch: Path) -> None:
        if shutil.which("npm") is None or shutil.which("node") is None:
            raise MissingPath("Fuse.js needs node and npm")
        self.folder = scratch / "fuse"
        if (self.folder / "node_modules" / "fuse.js").is_dir():
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        ask = ["npm", "install", "--no-audit", "--no-fund", "--silent", f"fuse.js@{self.version}"]
        done = subprocess.run(ask, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise MissingPath(f"npm could not install fuse.js: {done.stderr.strip()[:200]}")

    def answer(self, questions: Sequence[Question]) -> list[str | None]:
        told = {"names": questions[0].project.paths, "paths": [each.path for each in questions]}
        with tempfile.TemporaryFile() as data:
            data.write(json.dumps(told).encode())
            data.seek(0)
            ask = ["node", "-e", _SCRIPT]
            done = subprocess.run(ask, stdin=data, cwd=self.folder, capture_output=True, check=True)
        tops: list[str | None] = json.loads(done.stdout)
        return tops
