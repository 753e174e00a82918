"""Find what took a deleted file's place by its lines: a copy, one new file, or several (a split).

Git pairs one file with one; what was cut in pieces, or copied first and deleted later, it calls
deleted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from truepath.project.git import GitError, zsplit
from truepath.project.history.log import PLAIN, Event
from truepath.project.history.repository import GitQuery
from truepath.records import dataclass

_MOST_FILES = 40
"""Files whose lines are compared."""

_LARGEST = 400_000
"""Bytes of a file that is compared."""

_FEWEST_LINES = 6
"""Fewer lines than this identify nothing."""

_COVERED = 0.6
"""The share of the lines that must live on: what counted as a move when the evaluation's cases
were told apart from deletions."""

_PIECE = 0.15
"""The share that makes a file one of the pieces."""

_RIVAL = 0.9
"""A second file with this part of the best one's lines makes the lines boilerplate."""

_TELLING = re.compile(rb"[^\W_]{3,}")


@dataclass(frozen=True, slots=True)
class Successors:
    """The files that took over a deleted file's lines, the largest share first."""

    paths: tuple[str, ...]
    share: int
    """Per cent of the lines found in them together."""
    alone: bool
    """Whether it is one file, and no other has nearly as much."""


def successors(look: GitQuery, event: Event) -> Successors | None:
    """Return what took the place of a file in the commit that deleted it.

    Raises:
        GitError: time ran out, or git failed.
    """
    before = f"{event.commit}^:{event.old}"
    names = _candidates(look, event)
    if not names or "\n" in event.old:
        return None
    asked = [before, *(f"{event.commit}:{name}" for name in names)]
    contents = _read(look, asked)
    lines = _lines(contents.get(before, b""))
    if len(lines) < _FEWEST_LINES:
        return None
    shares = {name: lines & _lines(contents.get(f"{event.commit}:{name}", b"")) for name in names}
    return _choose(lines, shares)


def _choose(lines: frozenset[bytes], shares: dict[str, frozenset[bytes]]) -> Successors | None:
    """Take files greedily while each adds a piece that those before it have not."""
    covered: frozenset[bytes] = frozenset()
    chosen: list[str] = []
    counts = sorted((len(share) for share in shares.values()), reverse=True)
    rival = len(counts) > 1 and counts[1] >= _RIVAL * counts[0]
    while len(covered) < _COVERED * len(lines) or len(chosen) > 1:
        best = max(shares, key=lambda name: len(shares[name] - covered), default=None)
        if best is None or len(shares[best] - covered) < _PIECE * len(lines):
            break
        chosen.append(best)
        covered |= shares.pop(best)
    if len(covered) < _COVERED * len(lines):
        return None
    share = round(100 * len(covered) / len(lines))
    return Successors(tuple(chosen), share, len(chosen) == 1 and not rival)


def _candidates(look: GitQuery, event: Event) -> Sequence[str]:
    """Return the files the commit added, and those of the same name that it left, nearest first."""
    ask = ("diff-tree", "-r", "-m", "-z", "--no-commit-id", "--no-renames", "--diff-filter=A")
    added = zsplit(look.ask(*ask, "--name-only", *PLAIN, f"{event.commit}^", event.commit))
    base = "/" + event.old.rpartition("/")[2]
    listed = zsplit(look.ask("ls-tree", "-r", "-z", "--name-only", event.commit))
    same = [name for name in listed if ("/" + name).endswith(base)]
    names = {name for name in (*same, *added) if "\n" not in name}
    ending = event.old.rpartition(".")[2]
    ranked = sorted(
        names,
        key=lambda name: (
            not ("/" + name).endswith(base),
            not name.endswith(ending),
            -_shared(name, event.old),
            name,
        ),
    )
    return ranked[:_MOST_FILES]


def _shared(one: str, other: str) -> int:
    """Count the folder names two paths share."""
    return len(set(one.split("/")[:-1]) & set(other.split("/")[:-1]))


def _read(look: GitQuery, names: Sequence[str]) -> dict[str, bytes]:
    """Return the contents of `commit:path` names, small ones only."""
    sized = look.ask("cat-file", "--batch-check=%(objecttype) %(objectsize)", stdin=_list(names))
    small = []
    for name, line in zip(names, sized.split(b"\n"), strict=False):
        kind, _, size = line.partition(b" ")
        if kind == b"blob" and _number(size) <= _LARGEST:
            small.append(name)
    out = look.ask("cat-file", "--batch", stdin=_list(small))
    found = {}
    at = 0
    for name in small:
        end = out.find(b"\n", at)
        length = _number(out[at:end].rpartition(b" ")[2])
        found[name] = out[end + 1 : end + 1 + length]
        at = end + length + 2
    return found


def _number(printed: bytes) -> int:
    """Return the length that git printed.

    Raises:
        GitError: it printed something else.
    """
    if not printed.isdigit() or len(printed) > 18:  # longer is no file's
        raise GitError("git printed no length")
    return int(printed)


def _list(names: Sequence[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape")


def _lines(content: bytes) -> frozenset[bytes]:
    """Return the lines that say something, without their indentation."""
    if b"\0" in content[:8000]:
        return frozenset()
    lines = (line.strip() for line in content.split(b"\n"))
    return frozenset(line for line in lines if len(line) > 5 and _TELLING.search(line))
