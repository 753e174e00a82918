"""The paths that a patch names, what its files hold before it, and the patch with other paths.

Two forms: `*** Begin Patch` with `*** Update File:` headers, and the unified diff. Pure: no disk
is looked at.
"""

from __future__ import annotations

import re

from truepath.paths import LONGEST
from truepath.records import dataclass, replace

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from truepath.types import Operation

    Line = tuple[int, str]
    """Where a line starts, and its text without the line break."""

_MOVE = "*** Move to: "
_VERBS: Mapping[str, Operation] = {
    "*** Update File: ": "edit",
    "*** Delete File: ": "delete",
    "*** Add File: ": "write",
    _MOVE: "write",
}

_NOTHING = "/dev/null"
"""What a unified diff has in place of a file that is not there before or after it."""


@dataclass(frozen=True, slots=True)
class Header:
    """One file that a patch names."""

    written: str
    operation: Operation
    spans: tuple[tuple[int, int], ...]
    """Where the path is in the patch."""
    texts: tuple[str, ...] = ()
    """What the file holds before: of each hunk the context and the lines that it removes."""


def headers(patch: str) -> tuple[Header, ...]:
    """Return the files that a patch names, in the order written."""
    lines = list(_lines(patch))
    if any(line.rstrip() == "*** Begin Patch" for _, line in lines):
        return tuple(_of_envelope(lines))
    return tuple(_of_unified(lines))


def rewrite(patch: str, changes: Mapping[Header, str]) -> str | None:
    """Return `patch` with the paths of some of its headers replaced.

    The new patch is read again; None when it would differ in anything but those paths, or when a
    header cannot hold a path.
    """
    known = headers(patch)
    # Git's own line above a unified diff names its file too, and has to agree.
    if not changes.keys() <= {*known} or "diff --git " in patch:
        return None
    spans = sorted((span, new) for header, new in changes.items() for span in header.spans)
    parts, at = [], 0
    for (start, end), new in spans:
        parts += [patch[at:start], new]
        at = end
    result = "".join([*parts, patch[at:]])
    expected = [replace(each, written=changes.get(each, each.written), spans=()) for each in known]
    return result if [replace(each, spans=()) for each in headers(result)] == expected else None


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


def _lines(text: str) -> Iterator[Line]:
    start = 0
    for line in text.split("\n"):
        yield start, line.removesuffix("\r")
        start += len(line) + 1


def _of_envelope(lines: Iterable[Line]) -> Iterator[Header]:
    """Yield the files of a `*** Begin Patch`."""
    found: list[tuple[Header, list[str]]] = []
    body: list[str] = []
    for start, line in lines:
        verb = next((verb for verb in _VERBS if line.startswith(verb)), "")
        if not verb:
            body.append(line)
            continue
        if verb != _MOVE:  # what follows a move is still of the file that moves
            body = []
        path = line[len(verb) :].strip(" \t")
        if _is_path(path):
            at = start + line.index(path, len(verb))
            header = Header(path, _VERBS[verb], ((at, at + len(path)),))
            found.append((header, body if header.operation == "edit" else []))
    return (replace(header, texts=hunks(body)) for header, body in found)


def _of_unified(lines: Sequence[Line]) -> Iterator[Header]:
    """Yield the files of a unified diff; one that renames its file is left alone."""
    signs = ("--- ", "+++ ", "@@ -")
    heads = [
        at
        for at in range(len(lines) - 2)
        if all(lines[at + more][1].startswith(sign) for more, sign in enumerate(signs))
    ]
    for at, end in zip(heads, [*heads[1:], len(lines)], strict=False):
        sides = [(start + 4, line[4:].partition("\t")[0]) for start, line in lines[at : at + 2]]
        old, new = (path for _, path in sides)
        # git puts `a/` and `b/` before the paths.
        marked = old.startswith(("a/", _NOTHING)) and new.startswith(("b/", _NOTHING))
        skip = 2 if marked else 0
        paths = {path[skip:] for path in (old, new) if path != _NOTHING}
        if len(paths) == 1 and _is_path(path := paths.pop()):
            spans = [(at + skip, at + len(side)) for at, side in sides if side != _NOTHING]
            texts = hunks(line for _, line in lines[at + 2 : end])
            kinds: Mapping[str, Operation] = {old: "write", new: "delete"}
            operation = kinds.get(_NOTHING, "edit")
            yield Header(path, operation, tuple(spans), texts if operation == "edit" else ())


def _is_path(path: str) -> bool:
    """Tell whether a header can hold a path as it is: not in quotes, and all of it is UTF-8."""
    odd = path.startswith('"') or re.search("[\0\t\r\n\ud800-\udfff]", path)
    return 0 < len(path) <= LONGEST and not odd
