"""The file of a call whose path exists: its text, if it may be read and shown."""

from __future__ import annotations

import os

from truepath.config.files import read
from truepath.guard.checks import CheckedFile
from truepath.guard.reading import Finding, Reading
from truepath.project.secrets import Deny

LARGEST_READ = 4_000_000
"""Bytes of a file that is read, at most: twice the largest source files."""


def text_of(reading: Reading, finding: Finding) -> str | None:
    """Return the text of an existing file, as it is; None if it is no text or over
    `LARGEST_READ`.
    """
    exists = finding.resolution.status == "exists" and reading.space.on_disk
    text = text_at(reading, finding.resolution.path, LARGEST_READ) if exists else ""
    # Programs show a PDF in another way, and refuse what is no text.
    if not text or "\0" in text or text.startswith("%PDF-"):
        return None
    return text


def text_at(reading: Reading, path: str | None, most: int) -> str:
    """Return the text of a file of the project, with its line ends; "" if it is none
    that may be read, or is larger than `most`.
    """
    space = reading.space
    if not path or space.tree.protects(path):
        return ""
    if path.endswith(".ipynb"):  # Claude Code 2.1.331 reads large notebooks
        return ""
    try:
        return read(os.path.join(space.root, path), most).decode("utf-8")
    except (OSError, ValueError):
        return ""


def may_show(reading: Reading, finding: Finding) -> bool:
    """Return whether lines of a file may be shown."""
    path = finding.resolution.path
    space = reading.space
    if path is None or not space.tree.may_name(path):
        return False
    if Deny(reading.caller.withheld)(path):
        return False
    try:
        links = os.stat(reading.place_of(finding)).st_nlink
    except OSError:
        return False
    return links == 1  # another name may be that of a secret, wherever it is


def whole(text: str) -> CheckedFile:
    """Return a file that is read whole."""
    return CheckedFile(with_lf(text), len(text.encode()))


def with_lf(text: str) -> str:
    """Return a text whose lines end as those of Unix do."""
    return text.replace("\r\n", "\n")


def count_lines(text: str) -> int:
    """Return the number of lines of a text."""
    return text.removesuffix("\n").count("\n") + 1
