"""What the command line of an MCP server tells of the files that it serves."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise


def served(command: Sequence[str]) -> list[str]:
    """Return the folders that a server's command line names, absolute: what it may serve.

    The program itself and what follows an option are none: `--directory /opt/server` may be where
    the server's own code is. Nor is a word that is no path but the name of a folder here.
    """
    found = []
    for before, word in pairwise(command):
        is_path = os.path.isabs(word) or word[:1] == "."
        if is_path and not _takes_value(before) and os.path.isdir(word):
            found.append(os.path.abspath(word))
    return found


def _takes_value(option: str) -> bool:
    """Return whether the next word may be an option's value; `-y` and `--yes` have none."""
    return option[:1] == "-" and option not in ("--", "-y", "--yes", "-q", "--quiet")
