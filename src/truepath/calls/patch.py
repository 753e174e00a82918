"""The paths that a patch names, and the patch with some of them replaced.

A patch is a `*** Begin Patch` with `*** Update File:` headers; no agent program that we know has a
tool for unified diffs. Pure: no disk is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from truepath.calls.shell.operand import Operand
from truepath.records import replace
from truepath.types import Operation

_BEGIN = re.compile(rb"^\*\*\* Begin Patch[ \t\r]*$", re.MULTILINE)
_HEADER = re.compile(
    rb"^\*\*\* (?P<verb>Update File|Delete File|Add File|Move to): +(?P<path>[^\n]*)",
    re.MULTILINE,
)
_NEW_FILE = re.compile(rb"\*\*\* (?:Update|Add|Delete) File")
_NEW_HUNK = re.compile(rb"@@|\*\*\* ")


def operands(patch: str) -> tuple[Operand, ...]:
    """Return the paths of a patch's headers, in the order written."""
    try:
        source = patch.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return ()
    found = map(_of_header, _HEADER.finditer(source)) if _BEGIN.search(source) else ()
    return tuple(operand for operand in found if operand is not None)


def held(patch: str) -> dict[str, tuple[str, ...]]:
    """Return the text that each file of a patch holds before it is applied.

    The keys are the paths of `operands`. Each hunk is one text: its context and the lines that it
    removes. A hunk that only adds lines says nothing.
    """
    named = operands(patch)
    headers = [*reversed(named)]
    found: dict[str, list[list[bytes]]] = {operand.written: [] for operand in named}
    hunks: list[list[bytes]] = []
    hunk: list[bytes] = []
    start = 0
    for line in patch.encode("utf-8", "surrogateescape").splitlines(True) if named else ():
        start += len(line)
        header = headers.pop() if headers and headers[-1].span[0] < start else None
        if header is not None and not header.creates:
            hunks = found[header.written]
        elif header is None and _NEW_FILE.match(line):
            hunks = []
        if header is not None or _NEW_HUNK.match(line):
            hunk = []
            hunks.append(hunk)
        elif line[:1] in b" -" or not line.strip():
            hunk.append(line[1:] if line[:1] in b" -" else line)
    texts = {path: [b"".join(each) for each in hunks] for path, hunks in found.items()}
    return {
        path: tuple(text.decode("utf-8", "surrogateescape") for text in each if text.strip())
        for path, each in texts.items()
    }


def rewrite(patch: str, changes: Mapping[Operand, str]) -> str | None:
    """Return `patch` with each operand's path replaced in its header.

    The keys are operands of this very patch. The new patch is parsed again; None when it would
    differ in anything but those paths, or when a header cannot hold a path.
    """
    known = operands(patch)
    if not known or any(operand not in known for operand in changes):
        return None
    if any(
        not path or path != path.strip() or set("\n\r\t\0") & set(path) for path in changes.values()
    ):
        return None
    source = patch.encode("utf-8", "surrogateescape")
    edits = [(operand.span, path) for operand, path in changes.items()]
    try:
        encoded = [(span, path.encode()) for span, path in edits]
    except UnicodeEncodeError:  # a name that is not UTF-8 cannot travel in a patch's text
        return None
    for (start, end), path in sorted(encoded, reverse=True):
        source = source[:start] + path + source[end:]
    result = source.decode("utf-8", "surrogateescape")
    return result if _alike(operands(result), known, changes) else None


def _alike(
    now: Sequence[Operand], before: Sequence[Operand], changes: Mapping[Operand, str]
) -> bool:
    expected = [
        replace(operand, written=changes.get(operand, operand.written), span=(0, 0))
        for operand in before
    ]
    return expected == [replace(operand, span=(0, 0)) for operand in now]


def _of_header(header: re.Match[bytes]) -> Operand | None:
    operations: Mapping[bytes, Operation] = {b"Update File": "edit", b"Delete File": "delete"}
    operation = operations.get(header["verb"], "write")
    path = header["path"].removesuffix(b"\r").rstrip(b" \t")
    if not path or path.startswith(b'"') or b"\r" in path:
        return None
    written = path.decode("utf-8", "surrogateescape")
    start, creates = header.start("path"), operation == "write"
    span = (start, start + len(path))
    return Operand(written, operation, "file", span, creates=creates, quote="\n")
