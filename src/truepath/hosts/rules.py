"""A host's own permission rules, as far as a correction must not lead around them. Pure.

A host checks a corrected call like any other, but one that it would have refused as it was written
it no longer sees. So what a rule denies is left as it came.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Forbids = Callable[[str, Mapping[str, Any]], bool]


def _nothing(tool: str, arguments: Mapping[str, Any]) -> bool:  # noqa: ARG001
    return False


@dataclass(frozen=True, slots=True)
class Rules:
    """What a host's rules deny."""

    hidden: tuple[str, ...] = ()
    """Globs in the manner of .gitignore, relative to the project's root: files that are neither
    named nor, where they are missing, replaced by others."""
    forbids: Forbids = _nothing
    """Whether they stand in the way of a tool called with these arguments; may err towards yes."""


def hidden_below(root: str, pattern: str) -> str | None:
    """Return a pattern for absolute paths as one for `Rules.hidden`; None where it lies elsewhere.

    Args:
        root: The project's root, absolute.
        pattern: A glob for absolute paths.
    """
    root = root.rstrip("/")
    if pattern == root or root.startswith(f"{pattern.rstrip('/*')}/"):
        return "/**"
    return pattern[len(root) :] if pattern.startswith(f"{root}/") else None


def hidden_by(pattern: str, home: str, root: str) -> tuple[str, ...]:
    """Return the pattern of a rule for paths as Claude Code and Qwen Code write it, for
    `Rules.hidden`: `//` begins at the disk's root, `/` at the project's, `~/` at the home folder.
    """
    if pattern.startswith(("//", "~/")):
        absolute = pattern[1:] if pattern.startswith("//") else home + pattern[1:]
        below = hidden_below(root, absolute)
        return () if below is None else (below,)
    return (pattern[1:] if pattern.startswith("./") else pattern,)


def commands_in(command: str) -> Iterator[str]:
    """Yield a shell command and each of those it is joined from, as far as plain text tells."""
    yield command.strip()
    for part in re.split(r"&&|\|\||[;|&\n()`]|\$\(", command):
        if part.strip():
            yield part.strip()


def matches_any(command: str, globs: Iterable[str]) -> bool:
    """Return whether a shell command, or a part of it, is like one of some globs."""
    from fnmatch import fnmatchcase

    parts = [*commands_in(command)]
    return any(fnmatchcase(part, glob) for glob in globs for part in parts)
