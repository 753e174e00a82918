"""Small and read-only disks, and made-up trees of files for them.

A disk skips where this machine cannot make one. Names and ignore patterns are hard to
get right."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import strategies as st

UNBOUND = (
    "modes do not bind this user: run as a normal one, or `make test` with setpriv"
    " (Debian: apt install util-linux)"
)
"""Why a test skips that takes rights away: root has powers beyond modes."""

UNROOTED = "needs root on Linux: sudo .venv/bin/python -m pytest -m root"


@contextmanager
def small_disk(folder: Path, *, size: str = "64k") -> Iterator[Path]:
    """Mount a file system of `size` on `folder`; the test is marked `root`."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip(UNROOTED)
    if shutil.which("mount") is None:
        pytest.skip("no mount here")
    folder.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no tmpfs may be mounted here: in Docker, run --privileged")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def read_only(folder: Path) -> Iterator[Path]:
    """Make `folder` read-only with what it holds: by a mount if root may make one, or
    its mode.
    """
    bind = ["mount", "--bind", str(folder), str(folder)]
    mounts = sys.platform == "linux" and os.geteuid() == 0 and shutil.which("mount")
    if (
        mounts
        and subprocess.run(bind, capture_output=True, check=False).returncode == 0
    ):
        subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
        undo = ["umount", "-l", str(folder)]
    else:
        subprocess.run(["chmod", "-R", "a-w", str(folder)], check=True)
        undo = ["chmod", "-R", "u+w", str(folder)]
        if os.access(folder, os.W_OK):
            pytest.skip(UNBOUND)
    try:
        yield folder
    finally:
        subprocess.run(undo, check=True)


def give_away(folder: Path) -> None:
    """Give a folder, with what it holds, to a user that is not this one; the test is
    marked `root`.
    """
    if sys.platform == "win32" or os.geteuid() != 0:
        pytest.skip(UNROOTED)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, 12345, -1, follow_symlinks=False)


def fill(folder: Path) -> None:
    """Write into `folder` until its disk is full."""
    descriptor = os.open(folder / "ballast", os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        for size in (65_536, 4096, 64, 1):
            with suppress(OSError):
                while True:
                    os.write(descriptor, b"x" * size)
    finally:
        os.close(descriptor)


NAMES = (
    *(
        "a",
        "b",
        "ab",
        "a.log",
        "b.c",
        "x.tar.gz",
        "build",
        "lib",
        "A",
        "é",
        "-d",
        "--",
        "#h",
    ),
    *("!n", "[a]", "]", "x y", " s", "t ", "a\tb", "a\nb", 'q"', "*", "a\\b", "\udcff"),
)
"""Names with what shells, globs and git's own output treat specially; the last is not
UTF-8."""

PIECES = (
    *NAMES,
    *(
        "*",
        "**",
        "***",
        "?",
        "??",
        "*.log",
        "*.tar.gz",
        "a*",
        "*b",
        "*a*b*",
        "**a",
        "a**",
        "*.*",
    ),
    *(
        "[ab]",
        "[!a]",
        "[^a]",
        "[a-c]*",
        "[]a]",
        "[a-]",
        "[]-a]",
        "[!]]*",
        "[\\]]",
        "[a",
        "[]",
    ),
    *(
        "[[:alpha:]]*",
        "[[:digit:][:upper:]]*",
        "[[:nothing:]]",
        "[[:a]",
        "[[:]*",
        "[z-a]",
    ),
    *("\\#h", "\\!n", "\\*", "\\a", "\\\\*", "a\\", "t\\ ", ""),
)

_ODD_PIECES = ("[\\]]", "[[:", "[z-a]", "***", "t\\ ")
_ODD_NAMES = ("é", "a\nb")

Tree = dict[str, "bytes | Tree"]


def patterns(
    *, plain: bool = False, taking_back: bool = True
) -> st.SearchStrategy[str]:
    """Return lines of ignore files, senseless ones included.

    With `plain`, without what only git itself reads as git does: see
    `truepath.project.walk`."""
    pieces = [
        piece for piece in PIECES if not (plain and piece.startswith(_ODD_PIECES))
    ]
    body = st.lists(st.sampled_from(pieces), min_size=1, max_size=3).map("/".join)
    if plain:
        body = body.filter(lambda glob: "[" not in glob or "/" not in glob)
        body = body.filter(lambda glob: glob.count("*") <= 3)
    blanks = (
        ("", "", "", "", " ", "  ", "\r")
        if plain
        else ("", "", "", "", " ", "  ", "\t", "\r")
    )
    marks = st.tuples(
        st.sampled_from(("", "", "!") if taking_back else ("",)),
        st.sampled_from(("", "", "/")),
        body,
        st.sampled_from(("", "", "/")),
        st.sampled_from(blanks),
    )
    return marks.map("".join).map(lambda line: line.replace("\n", ""))


def trees(
    *, ignoring: bool, plain: bool = False, taking_back: bool = True
) -> st.SearchStrategy[Tree]:
    """Return folders as dictionaries; with `ignoring`, some have ignore files.

    With `plain`, names and patterns are such as every reader of ignore files reads
    alike."""
    names = st.sampled_from(
        [name for name in NAMES if not (plain and name in _ODD_NAMES)]
    )
    lines = st.lists(
        patterns(plain=plain, taking_back=taking_back), min_size=1, max_size=5
    ).map("\n".join)
    own = st.none() | lines.map(os.fsencode) if ignoring else st.none()

    def folder(inside: st.SearchStrategy[bytes | Tree]) -> st.SearchStrategy[Tree]:
        children = st.dictionaries(names, inside, min_size=1, max_size=6)
        return st.builds(_with_ignore_file, children, own)

    content = st.just(b"")
    below = st.recursive(
        content, lambda inside: content | folder(inside), max_leaves=20
    )
    return folder(below)


def flat(tree: Tree, prefix: str = "") -> dict[str, bytes]:
    """Return the files of a tree by their paths."""
    files: dict[str, bytes] = {}
    for name, child in tree.items():
        if isinstance(child, Mapping):
            files |= flat(child, f"{prefix}{name}/")
        else:
            files[prefix + name] = child
    return files


def _with_ignore_file(children: Tree, lines: bytes | None) -> Tree:
    return children if lines is None else {**children, ".gitignore": lines}
