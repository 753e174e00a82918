"""Small and read-only disks for tests; each skips where this machine cannot make one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

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
    """Make `folder` read-only with what it holds: by a mount if root may make one, or its mode."""
    bind = ["mount", "--bind", str(folder), str(folder)]
    mounts = sys.platform == "linux" and os.geteuid() == 0
    if mounts and subprocess.run(bind, capture_output=True, check=False).returncode == 0:
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
