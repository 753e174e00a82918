"""What can surround a hook: each function spoils one thing of a box."""

from __future__ import annotations

import fcntl
import os
import resource
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rows import read

SESSION = "019a-cafe"
REAL = shutil.which("git") or "git"


@dataclass
class Box:
    """A repository in which `specs/` became `docs/`, a home, and what a hook is started
    with.
    """

    repo: Path
    home: Path
    state: Path
    bin: Path
    environ: dict[str, str]
    before: Callable[[], None] | None = None
    """Runs in the hook's process, before it."""
    kept: list[object] = field(default_factory=list)
    """What must live as long as the hook runs."""

    def git(self, script: str) -> None:
        """Put a program in front of git; `$REAL` is git itself."""
        program = self.bin / "git"
        program.write_text(f"#!/bin/sh\nREAL={REAL}\n{script}\n")
        program.chmod(0o755)
        self.environ["PATH"] = f"{self.bin}{os.pathsep}{self.environ['PATH']}"

    def pipe(self, path: Path) -> None:
        """Put a pipe that nobody fills in the place of a file."""
        self.clear(path)
        os.mkfifo(path)

    def clear(self, path: Path) -> None:
        """Remove a file, and have the folder that it is in."""
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def put(self, path: Path, data: bytes) -> None:
        """Put a file in the place of what is there."""
        self.clear(path)
        path.write_bytes(data)

    def folder(self, path: Path) -> None:
        """Put a folder in the place of a file."""
        self.clear(path)
        path.mkdir()

    @property
    def session(self) -> Path:
        """The session's file; a hook that has missed before made it."""
        return self.state / "sessions" / f"{SESSION}__.json"

    @property
    def histories(self) -> list[Path]:
        """The files of the history; a build before made one."""
        return [*(self.state / "projects").glob("history-*")]


def _lock_all(box: Box) -> None:
    for number in range(256):
        file = open(box.state / "sessions" / f"lock-{number:02x}", "w")  # noqa: SIM115
        fcntl.flock(file, fcntl.LOCK_EX)
        box.kept.append(file)


def _lock_journal(box: Box) -> None:
    (box.state / "journal").mkdir(exist_ok=True)
    file = open(box.state / "journal" / "events.jsonl.lock", "w")  # noqa: SIM115
    fcntl.flock(file, fcntl.LOCK_EX)
    box.kept.append(file)


def _no_room(box: Box) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    box.before = limit


def _index(box: Box) -> Path:
    return box.repo / ".git/index"


def _environ(**values: str | None) -> Callable[[Box], object]:
    def change(box: Box) -> None:
        for name, value in values.items():
            box.environ.pop(name, None)
            if value is not None:
                box.environ[name] = value.format(box=box)

    return change


def _each_history(change: Callable[[Box, Path], None]) -> Callable[[Box], object]:
    return lambda box: [change(box, path) for path in box.histories]


def _settings(text: bytes) -> Callable[[Box], object]:
    return lambda box: box.put(box.home / ".config/truepath/config.toml", text)


def _git(script: str) -> Callable[[Box], object]:
    return lambda box: box.git(script)


def _pipe(name: str) -> Callable[[Box], object]:
    return lambda box: box.pipe(box.repo / name)


HOME = {
    "HOME unset": _environ(HOME=None),
    "HOME empty": _environ(HOME=""),
    "HOME missing": _environ(HOME="/nowhere/at/all"),
    "HOME a file": _environ(HOME="{box.repo}/docs/status.md"),
    "HOME /dev/null": _environ(HOME=os.devnull),
    "HOME relative": _environ(HOME="home"),
    "state a file": _environ(TRUEPATH_STATE="{box.repo}/docs/status.md"),
    "state /proc": _environ(TRUEPATH_STATE="/proc/truepath"),
    "state /dev/null": _environ(TRUEPATH_STATE=os.devnull),
    "state a link to nothing": lambda box: (
        shutil.rmtree(box.state),
        box.state.symlink_to("/nowhere"),
    ),
    "no file can grow": _no_room,
}
GIT = {
    "PATH empty": _environ(PATH=""),
    "no git": _environ(PATH="/nowhere"),
    **{row["what"]: _git(row["script"]) for row in read("surroundings/git")},
}
PIPES = (
    ".git",
    ".gitignore",
    ".gitmodules",
    ".gitattributes",
    ".truepath.toml",
    "pyproject.toml",
)
GIT_PIPES = ("HEAD", "index", "config", "commondir", "packed-refs", "info/exclude")
REPOSITORY = {
    **{f"{name} a pipe": _pipe(name) for name in PIPES},
    **{f"{name} a pipe": _pipe(f".git/{name}") for name in GIT_PIPES},
    "HEAD garbage": lambda box: box.put(box.repo / ".git/HEAD", b"\0\xff" * 500),
    "HEAD a folder": lambda box: box.folder(box.repo / ".git/HEAD"),
    "index garbage": lambda box: box.put(_index(box), b"\0\xff" * 5000),
    "index cut": lambda box: box.put(_index(box), _index(box).read_bytes()[:-40]),
    "index a folder": lambda box: box.folder(_index(box)),
    "index.lock held": lambda box: box.put(box.repo / ".git/index.lock", b""),
    "sharedindex a pipe": lambda box: box.pipe(box.repo / ".git/sharedindex.00"),
    "config garbage": lambda box: box.put(box.repo / ".git/config", b"[\0\xff" * 500),
    "config includes a pipe": lambda box: (
        box.pipe(box.repo / "p"),
        box.put(box.repo / ".git/config", b"[include]\n\tpath = ../p\n"),
    ),
    "a pack a pipe": lambda box: box.pipe(box.repo / ".git/objects/pack/pack-00.idx"),
    "no objects": lambda box: shutil.rmtree(box.repo / ".git/objects"),
    ".git empty": lambda box: box.folder(box.repo / ".git"),
    ".git a loop": lambda box: (
        box.clear(box.repo / ".git"),
        (box.repo / ".git").symlink_to(".git"),
    ),
}
STATE = {
    "session a pipe": lambda box: box.pipe(box.session),
    "session garbage": lambda box: box.put(box.session, b"{\0\xff" * 900),
    "session deep": lambda box: box.put(box.session, b'{"misses":' + b"[" * 200_000),
    "session huge": lambda box: box.put(
        box.session, b'{"a":"' + b"x" * 30_000_000 + b'"}'
    ),
    "session a folder": lambda box: box.folder(box.session),
    "session locks held": _lock_all,
    "history a pipe": _each_history(lambda box, path: box.pipe(path)),
    "history garbage": _each_history(lambda box, path: box.put(path, os.urandom(5000))),
    "history huge": _each_history(lambda box, path: os.truncate(path, 1 << 30)),
    "journal a folder": lambda box: box.folder(box.state / "journal/events.jsonl"),
    "journal a pipe": lambda box: box.pipe(box.state / "journal/events.jsonl"),
    "journal lock held": _lock_journal,
    "settings a pipe": lambda box: box.pipe(box.home / ".config/truepath/config.toml"),
    "settings garbage": _settings(b"\0\xff" * 500),
    "settings huge": _settings(b"# x\n" * 2_000_000),
}
ALL: dict[str, Callable[[Box], object]] = {
    "all is well": lambda box: None,
    **HOME,
    **GIT,
    **REPOSITORY,
    **STATE,
}
