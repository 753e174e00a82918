"""What people use to find a file, asked the same questions; each where it is installed.

`rg`, `fd` and `git ls-files` find a name as it is written, in a folder. fzf, Fuse.js
and difflib rank names, which they are given once."""

from __future__ import annotations

import difflib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from clock import Took, program, timed

FUSE = "7.5.0"
"""The version of Fuse.js; it is kept in this environment's folder."""

_FOUND_OR_NOT = (0, 1)

Ask = Callable[[str], tuple[Sequence[str], Took]]
"""Takes what is looked for; returns what is found, best first, and what that took."""


@dataclass(frozen=True)
class Finder:
    """One way to find a file."""

    name: str
    ranks: bool
    """Whether it finds what is not quite right."""
    begin: Callable[[str, Sequence[str], Path], AbstractContextManager[Ask]]
    """Takes a project's root, the names to rank, and a folder to work in.

    Raises:
        NotHereError: It is not installed.
    """


class NotHereError(Exception):
    """A finder is not installed; the message says how to install it."""


def _here(*names: str, package: str = "") -> str:
    for name in names:
        if path := shutil.which(name):
            return path
    raise NotHereError(
        f"{names[0]} is not installed (Debian: apt install {package or names[0]})"
    )


def _search(
    programs: tuple[str, ...],
    arguments: Callable[[str, str], Sequence[str]],
    package: str = "",
) -> Callable[[str, Sequence[str], Path], AbstractContextManager[Ask]]:
    """Return what runs a program for each name."""

    def begin(root: str, _: Sequence[str], __: Path) -> AbstractContextManager[Ask]:
        path = _here(*programs, package=package)

        def ask(name: str) -> tuple[Sequence[str], Took]:
            literal = re.sub(r"([][*?{}\\!])", r"\\\1", name)
            printed, took = program(
                [path, *arguments(root, literal)], fine=_FOUND_OR_NOT
            )
            found = printed.decode("utf-8", "surrogateescape").split("\n")[:-1]
            return [each.removeprefix(f"{root}/") for each in found], took

        return nullcontext(ask)

    return begin


@contextmanager
def _fzf(_: str, names: Sequence[str], scratch: Path) -> Iterator[Ask]:
    path = _here("fzf")
    listed = scratch / "names"
    listed.write_text("\n".join(names), encoding="utf-8", errors="surrogateescape")

    def ask(name: str) -> tuple[Sequence[str], Took]:
        command = [path, "--no-extended", f"--filter={name}"]
        printed, took = program(command, given=str(listed), fine=_FOUND_OR_NOT)
        return printed.decode("utf-8", "surrogateescape").split("\n")[:1], took

    yield ask


@contextmanager
def _difflib(_: str, names: Sequence[str], __: Path) -> Iterator[Ask]:
    yield lambda name: timed(lambda: difflib.get_close_matches(name, names, 1))


_NODE = """
const Fuse = require('fuse.js');
const names = JSON.parse(require('fs').readFileSync(process.argv[1], 'utf8'));
const fuse = new (Fuse.default || Fuse)(names);
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const before = process.cpuUsage(), began = process.hrtime.bigint();
  const found = fuse.search(JSON.parse(line), { limit: 1 }).map((hit) => hit.item);
  const used = process.cpuUsage(before), took = Number(process.hrtime.bigint() - began);
  const cpu = (used.user + used.system) / 1e6;
  process.stdout.write(JSON.stringify({ found, seconds: took / 1e9, cpu }) + '\\n');
});
"""


def installed(package: str, version: str) -> Path:
    """Return the folder that a package of npm is in, installed there the first time.

    Raises:
        NotHereError: There is no npm, or it could not.
    """
    folder = Path(sys.prefix) / f"{package}-{version}"
    # An installation that was interrupted leaves the folder without this file.
    if not (folder / "node_modules" / package / "package.json").exists():
        if shutil.which("npm") is None or shutil.which("node") is None:
            raise NotHereError(f"{package} needs node and npm")
        folder.mkdir(exist_ok=True)
        ask = [
            "npm",
            "install",
            "--no-audit",
            "--no-fund",
            "--silent",
            f"{package}@{version}",
        ]
        done = subprocess.run(
            ask, cwd=folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise NotHereError(
                f"npm could not install {package}: {done.stderr.strip()[:200]}"
            )
    return folder


@contextmanager
def _fuse(_: str, names: Sequence[str], scratch: Path) -> Iterator[Ask]:
    folder = installed("fuse.js", FUSE)
    listed = scratch / "names.json"
    listed.write_text(json.dumps(names), encoding="utf-8")
    command = ["node", "--max-old-space-size=8192", "-e", _NODE, str(listed)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=folder, stdin=pipe, stdout=pipe, text=True
    ) as node:

        def ask(name: str) -> tuple[Sequence[str], Took]:
            assert node.stdin is not None
            assert node.stdout is not None
            node.stdin.write(json.dumps(name) + "\n")
            node.stdin.flush()
            told = json.loads(node.stdout.readline())
            return told["found"], Took(told["seconds"], told["cpu"])

        yield ask
        node.communicate()


RANKING = (
    Finder("fzf --filter", ranks=True, begin=_fzf),
    Finder("Fuse.js", ranks=True, begin=_fuse),
    Finder("difflib", ranks=True, begin=_difflib),
)

FINDERS = (
    Finder(
        "git ls-files",
        ranks=False,
        begin=_search(
            ("git",), lambda root, name: ["-C", root, "ls-files", f":(glob)**/{name}"]
        ),
    ),
    Finder(
        "rg --files",
        ranks=False,
        begin=_search(
            ("rg",),
            lambda root, name: ["--files", "-g", f"**/{name}", root],
            package="ripgrep",
        ),
    ),
    Finder(
        "fd",
        ranks=False,
        begin=_search(
            ("fd", "fdfind"), lambda root, name: ["-g", name, root], package="fd-find"
        ),
    ),
    *RANKING,
)
