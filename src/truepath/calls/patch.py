"""The paths that a patch names, what its files hold before it, and the patch with other paths.

One form is read: `*** Begin Patch` with `*** Update File:` headers. Pure: no disk is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from truepath.paths import LONGEST
from truepath.records import dataclass, replace
from truepath.types import Operation

_MOVE = "*** Move to: "
_VERBS: Mapping[str, Operation] = {
    "*** Update File: ": "edit",
    "*** Delete File: ": "delete",
    "*** Add File: ": "write",
    _MOVE: "write",
}


@dataclass(frozen=True, slots=True)
class Header:
    """One file that a patch names."""

    written: str
    operation: Operation
    span: tuple[int, int]
    """Where the path is in the patch."""
    texts: tuple[str, ...] = ()
    """What the file holds before: of each hunk the context and the lines that it removes."""


def headers(patch: str) -> tuple[Header, ...]:
    """Return the files that a patch names, in the order written."""
    found: list[tuple[Header, list[str]]] = []
    body: list[str] = []
    begun = False
    for start, line in _lines(patch):
        begun = begun or line.rstrip() == "*** Begin Patch"
        verb = next((verb for verb in _VERBS if begun and line.startswith(verb)), "")
        if not verb:
            body.append(line)
            continue
        if verb != _MOVE:  # what follows a move is still of the file that moves
            body = []
        path = line[len(verb) :].strip(" \t")
        if _is_path(path):
            at = start + line.index(path, len(verb))
            header = Header(path, _VERBS[verb], (at, at + len(path)))
            found.append((header, body if header.operation == "edit" else []))
    return tuple(replace(header, texts=hunks(body)) for header, body in found)


def rewrite(patch: str, changes: Mapping[Header, str]) -> str | None:
    """Return `patch` with the paths of some of its headers replaced.

    The new patch is read again; None when it would differ in anything but those paths, or when a
    header cannot hold a path.
    """
    known = headers(patch)
    if not changes.keys() <= {*known}:
        return None
    result = patch
    for header in sorted(changes, key=lambda each: each.span, reverse=True):
        start, end = header.span
        result = f"{result[:start]}{changes[header]}{result[end:]}"
    expected = [(changes.get(each, each.written), each.operation, each.texts) for each in known]
    now = [(each.written, each.operation, each.texts) for each in headers(result)]
    return result if now == expected else None


def hunks(lines: Iterable[str]) -> tuple[str, ...]:
    """Return the old text of each hunk; one that only adds lines has none."""
    found: list[list[str]] = [[]]
    for line in lines:
        if line.startswith(("@@", "*** ")):
            found.append([])
        elif line[:1] in ("", " ", "-"):
            found[-1].append(line[1:])
    texts = ("\n".join(hunk).strip("\n") for hunk in found)
    return tuple(text for text in texts if text.strip())


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield where each line starts, and its text without the line break."""
    start = 0
    for line in text.split("\n"):
        yield start, line.removesuffix("\r")
        start += len(line) + 1


def _is_path(path: str) -> bool:
    """Tell whether a header can hold a path as it is: not in quotes, and all of it is UTF-8."""
    odd = path.startswith('"') or re.search("[\0\t\r\n\ud800-\udfff]", path)
    return 0 < len(path) <= LONGEST and not odd
