"""Find the paths in a patch and the old contents of its files, and replace the paths.

The formats are `*** Begin Patch` with headers such as `*** Update File:`, and unified
diffs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from truepath.paths import LONGEST
from truepath.patience import check
from truepath.records import dataclass, replace
from truepath.types import Operation

_NOTHING = "/dev/null"
_MOVE = "*** Move to: "
_RULE = "-------"
"""The line between Roo Code's line numbers and the text."""
_RENAME = "rename from "
"""The line of a unified diff of git with the old name of a file."""
_VERBS: Mapping[str, Operation] = {
    _RENAME: "edit",
    "*** Update File: ": "edit",
    "*** Delete File: ": "delete",
    "*** Add File: ": "write",
    _MOVE: "write",
}


@dataclass(frozen=True, slots=True)
class Hunk:
    """One change of a patch."""

    old: str
    """Its context and the lines that it removes."""
    new: str
    """Its context and the lines that it adds."""


@dataclass(frozen=True, slots=True)
class Header:
    """One file that a patch names."""

    written: str
    operation: Operation
    spans: tuple[tuple[int, int], ...]
    """The positions of the path in the patch."""
    hunks: tuple[Hunk, ...] = ()
    """Its changes that have an old text."""


def headers(patch: str, *, sides: bool = False) -> tuple[Header, ...]:
    """Return the files that a patch names, in order.

    With `sides`, the files of a unified diff that does not have `a/` and `b/` are left
    out.
    """
    files: list[tuple[Header, list[str]]] = []
    body: list[str] = []
    begun = False
    texts = patch.split("\n")
    starts = accumulate(texts, lambda at, text: at + len(text) + 1, initial=0)
    pairs = zip(starts, texts, strict=False)
    lines = [(start, text.removesuffix("\r")) for start, text in pairs]
    for number, (start, line) in enumerate(lines):
        check(number)
        begun = begun or line.rstrip() == "*** Begin Patch"
        verb = _verb(lines[max(0, number - 4) : number + 1], begun=begun)
        # In a `*** Begin Patch`, `--- x` is a line `-- x` that is removed.
        pair = lines[number : number + 3]
        if not begun and [text[:4] for _, text in pair] == ["--- ", "+++ ", "@@ -"]:
            header = _pair(*pair, sides=sides)
        elif verb:
            header = _header(line, verb, start)
        else:
            body.append(line)
            continue
        if verb != _MOVE:  # what follows a move still belongs to the moved file
            body = []
        if header is not None:
            # The list is filled by the lines that follow.
            files.append((header, body))
    return tuple(
        replace(header, hunks=hunks(after)) if header.operation == "edit" else header
        for header, after in files
    )


def _verb(lines: Sequence[tuple[int, str]], *, begun: bool) -> str:
    """Return how the last of some lines begins, if it names a file by itself."""
    last = lines[-1][1]
    verb = next((verb for verb in _VERBS if last.startswith(verb)), "")
    # Elsewhere, `rename from x` may be a sentence of a commit's message.
    is_of_git = any(line.startswith("diff --git ") for _, line in lines)
    fits = (is_of_git and not begun) if verb == _RENAME else begun
    return verb if fits else ""


def _header(line: str, verb: str, start: int) -> Header | None:
    """Return the file that a header names, `start` being the position of its line."""
    path = line[len(verb) :].strip(" \t")
    if not _is_path(path):
        return None
    begin = start + line.index(path, len(verb))
    return Header(path, _VERBS[verb], ((begin, begin + len(path)),))


def _pair(*lines: tuple[int, str], sides: bool) -> Header | None:
    """Return the file that two lines before a hunk name: `--- a/x`, `+++ b/x`."""
    # GNU diff writes a tab and the time after the path.
    old, new, hunk = (line[4:].partition("\t")[0].rstrip(" ") for _, line in lines)
    has_sides = old.startswith(("a/", _NOTHING)) and new.startswith(("b/", _NOTHING))
    lead = len("a/") if has_sides else 0
    operation: Operation = "edit"
    # `@@ -0,0 +1 @@`: nothing was there, whatever the first line says.
    if _NOTHING in (old, new) or hunk.startswith("0,0 "):
        operation = "delete" if new == _NOTHING else "write"
    elif old[lead:] != new[lead:]:
        return None  # a rename, which is two paths
    path = (old if operation == "delete" else new)[lead:]
    if not _is_path(path) or (sides and not lead):
        return None
    spans = [
        (start + len("--- ") + lead, start + len("--- ") + len(side))
        for (start, _), side in zip(lines, (old, new), strict=False)
        if side != _NOTHING
    ]
    return Header(path, operation, tuple(spans))


def rewrite(patch: str, changes: Mapping[Header, str]) -> str | None:
    """Return `patch` with the paths of some of its headers replaced.

    The new patch is parsed again; None if anything but those paths differs.
    """
    before = headers(patch)
    if not changes.keys() <= {*before}:
        return None
    # Its line names the file twice more, in a form that quotes may surround.
    if re.search(r"(?m)^diff --git ", patch):
        return None
    result = patch
    spans = [(span, new) for header, new in changes.items() for span in header.spans]
    # From the last to the first, so that a position stays what it is.
    for (start, end), new in sorted(spans, reverse=True):
        result = f"{result[:start]}{new}{result[end:]}"
    # What it says of its files, without the positions.
    expected = [
        replace(old, written=changes.get(old, old.written), spans=()) for old in before
    ]
    after = [replace(new, spans=()) for new in headers(result)]
    return result if after == expected else None


def hunks(lines: Iterable[str]) -> tuple[Hunk, ...]:
    """Return each hunk that has an old text."""
    parts: list[list[str]] = [[]]
    for line in lines:
        if line.startswith(("@@", "*** ")):
            parts.append([])
        else:
            parts[-1].append(line)
    # Only with what is there before it can a file be told that fits.
    return _hunks((_side(part, " -"), _side(part, " +")) for part in parts)


def _side(lines: Sequence[str], marks: str) -> str:
    """Return one side of a hunk: the lines with one of two marks, and blank ones."""
    texts = [line[1:] for line in lines if line[:1] in ("", *marks)]
    return "\n".join(texts).strip("\n")


def blocks(text: str) -> tuple[Hunk, ...]:
    """Return the changes in blocks as aider, Cline and Roo Code have them: `<<<<<<<
    SEARCH`, `=======`, `>>>>>>> REPLACE`.
    """
    pairs: list[tuple[list[str], list[str]]] = []
    side: list[str] | None = None
    for line in text.split("\n"):
        mark = line.rstrip()
        if re.fullmatch(r"(?:<{5,9}|-{5,9}) SEARCH>?", mark):
            pairs.append(([], []))
            side = pairs[-1][0]
        elif re.fullmatch(r"(?:>{5,9}|\+{5,9}) REPLACE", mark):
            side = None
        elif side is not None and re.fullmatch("={5,9}", mark):
            side = pairs[-1][1]
        elif side is not None:
            side.append(line)
    for old, _ in pairs:
        if old[:1] and old[0].startswith(":start_line:") and _RULE in old:
            del old[: old.index(_RULE) + 1]
    return _hunks(("\n".join(old), "\n".join(new)) for old, new in pairs)


def _hunks(sides: Iterable[tuple[str, str]]) -> tuple[Hunk, ...]:
    return tuple(Hunk(old, new) for old, new in sides if old.strip())


def _is_path(path: str) -> bool:
    """Return whether a header can contain a path unchanged: unquoted, valid UTF-8."""
    odd = path.startswith('"') or re.search("[\0\t\r\n\ud800-\udfff]", path)
    return 0 < len(path) <= LONGEST and not odd
