"""Small and read-only disks for tests; each skips where this machine cannot make one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, *, size: str = "64k") -> Iterator[Path]:
    """Mount a file system of `size` on `folder`."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("a small disk needs root on Linux (mount -t tmpfs)")
    folder.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no tmpfs may be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def read_only(folder: Path) -> Iterator[Path]:
    """Make `folder`, with what it holds, read-only; for root by a mount, else by its mode."""
    if sys.platform == "linux" and os.geteuid() == 0:
        bind = ["mount", "--bind", str(folder), str(folder)]
        if subprocess.run(bind, capture_output=True, check=False).returncode:
            pytest.skip("root writes anywhere, and no read-only mount may be made here")
        subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
        undo = ["umount", "-l", str(folder)]
    else:
        folder.chmod(0o500)
        undo = ["chmod", "700", str(folder)]
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
