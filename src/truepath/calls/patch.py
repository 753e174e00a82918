"""The paths a patch names, and the patch with some of them replaced.

Two formats: `*** Begin Patch` with `*** Update File:` headers, and unified diffs. Pure: no disk
is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from truepath.calls.shell.operand import Operand
from truepath.types import Operation

_BEGIN = re.compile(rb"^\*\*\* Begin Patch[ \t\r]*$", re.MULTILINE)
_HEADER = re.compile(
    rb"^\*\*\* (?P<verb>Update File|Delete File|Add File|Move to): +(?P<path>[^\r\n]*?)[ \t]*\r?$",
    re.MULTILINE,
)
_HUNK = re.compile(rb"@@ -\d+(?:,(\d{1,9}))? \+\d+(?:,(\d{1,9}))? @@")
_FILE = re.compile(rb"(?:---|\+\+\+) ([^\t\r\n]+)")
# GNU diff puts a date behind the name, after a tab; when the tab is lost a blank stands there.
_DATE = re.compile(rb"(?<!\s)\s+(?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*)?\Z")
_GIT = re.compile(rb"diff --git (\S+) (\S+)\s*\Z")
_RENAME = re.compile(rb"(?:rename|copy) (from|to) ([^\r\n]+?)\s*\Z")
_NEW_FILE = re.compile(rb"\*\*\* (?:Update|Add|Delete) File|diff --git |--- ")
_NEW_HUNK = re.compile(rb"@@|\*\*\* |diff --git |--- |\+\+\+ |-- ?[\r\n]")
"""What ends a hunk; the last is the signature of a mailed patch. A removed line may look like a
header: then what follows it is not counted as the file's."""
_NULL = b"/dev/null"
# git's default, its mnemonic prefixes (diff.mnemonicPrefix), and the new side of each.
_PREFIXED = re.compile(rb"[abciow12]/")
_QUOTED = b'"'


@dataclass(frozen=True, slots=True)
class _Name:
    """One header's path."""

    path: bytes
    span: tuple[int, int]


def operands(patch: str) -> tuple[Operand, ...]:
    """Return the paths of a patch's headers, in the order written.

    A unified diff names the file it edits several times; that is one operand, and `rewrite`
    replaces each mention.
    """
    return tuple(operand for operand, _ in _mentions(patch))


def held(patch: str) -> dict[str, tuple[str, ...]]:
    """Return the text that each file of a patch holds before it is applied.

    The keys are the paths of `operands`. Each hunk is one text: its context and the lines that it
    removes. A hunk that only adds lines says nothing.
    """
    mentions = _mentions(patch)
    headers = {span[0]: operand for operand, spans in mentions for span in spans}
    found: dict[str, list[list[bytes]]] = {operand.written: [] for operand, _ in mentions}
    hunks: list[list[bytes]] = []
    hunk: list[bytes] = []
    for start, line in _lines(patch.encode("utf-8", "surrogateescape") if mentions else b""):
        header = next((headers[at] for at in headers if start <= at < start + len(line)), None)
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


def _mentions(patch: str) -> list[tuple[Operand, tuple[tuple[int, int], ...]]]:
    try:
        source = patch.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return []
    return list(_envelope(source) if _BEGIN.search(source) else _unified(source))


def _envelope(source: bytes) -> Iterator[tuple[Operand, tuple[tuple[int, int], ...]]]:
    for header in _HEADER.finditer(source):
        verb, span = header["verb"], header.span("path")
        if verb == b"Update File":
            operand = _operand(header["path"], span, "edit")
        elif verb == b"Delete File":
            operand = _operand(header["path"], span, "delete")
        else:
            operand = _operand(header["path"], span, "write", creates=True)
        if operand is not None:
            yield operand, (span,)


def _operand(
    path: bytes, span: tuple[int, int], operation: Operation, *, creates: bool = False
) -> Operand | None:
    if not path or path == _NULL or path.startswith(_QUOTED):
        return None
    written = path.decode("utf-8", "surrogateescape")
    return Operand(written, operation, "file", span, creates=creates, quote="\n")


def _unified(source: bytes) -> Iterator[tuple[Operand, tuple[tuple[int, int], ...]]]:
    """One file at a time: its `diff --git` and rename lines, then `---` and `+++`."""
    lines = list(_lines(source))
    at = 0
    git: list[_Name] = []
    renamed: dict[bytes, _Name] = {}
    while at < len(lines):
        start, line = lines[at]
        if match := _GIT.match(line):
            yield from _file(None, None, git, renamed)
            git = [_name(match, 1, start), _name(match, 2, start)]
            renamed = {}
        elif match := _RENAME.match(line):
            renamed[match[1]] = _name(match, 2, start)
        elif line.startswith(b"--- ") and _is_pair(lines, at):
            old, new = _FILE.match(line), _FILE.match(lines[at + 1][1])
            if old is not None and new is not None:
                names = _dated(_name(old, 1, start)), _dated(_name(new, 1, lines[at + 1][0]))
                yield from _file(*names, git, renamed)
            git, renamed = [], {}
            at = _past_hunks(lines, at + 2)
            continue
        at += 1
    yield from _file(None, None, git, renamed)


def _lines(source: bytes) -> Iterator[tuple[int, bytes]]:
    start = 0
    for line in source.splitlines(keepends=True):
        yield start, line
        start += len(line)


def _is_pair(lines: list[tuple[int, bytes]], at: int) -> bool:
    return (
        at + 2 < len(lines)
        and lines[at + 1][1].startswith(b"+++ ")
        and lines[at + 2][1].startswith(b"@@")
    )


def _past_hunks(lines: list[tuple[int, bytes]], at: int) -> int:
    """Skip the hunks by their own counts: a removed line may look like a header."""
    while at < len(lines) and (hunk := _HUNK.match(lines[at][1])):
        old, new = (1 if count is None else int(count) for count in hunk.groups())
        at += 1
        while at < len(lines) and (old > 0 or new > 0):
            sign = lines[at][1][:1]
            if sign not in b" -+\\\n\r":
                break
            old -= sign in b" -\n\r"
            new -= sign in b" +\n\r"
            at += 1
    return at


def _name(match: re.Match[bytes], group: int, start: int) -> _Name:
    low, high = match.span(group)
    return _Name(match[group], (start + low, start + high))


def _dated(name: _Name) -> _Name:
    path = _DATE.sub(b"", name.path)
    return _Name(path, (name.span[0], name.span[0] + len(path)))


def _file(
    old: _Name | None, new: _Name | None, git: list[_Name], renamed: Mapping[bytes, _Name]
) -> Iterator[tuple[Operand, tuple[tuple[int, int], ...]]]:
    """The operands of one file's headers, each with all its mentions."""
    source, target = renamed.get(b"from"), renamed.get(b"to")
    mentions = [name for name in (old, new, *git) if name is not None and name.path != _NULL]
    if all(_PREFIXED.match(name.path) for name in mentions):
        mentions = [_Name(name.path[2:], (name.span[0] + 2, name.span[1])) for name in mentions]
        old, new = _bare(old), _bare(new)
    mentions += [name for name in (source, target) if name is not None]
    first, last = source or old, target or new
    if first is None or last is None:
        return
    if first.path == _NULL:
        found = [(_operand(last.path, last.span, "write", creates=True), last)]
    elif last.path == _NULL:
        found = [(_operand(first.path, first.span, "delete"), first)]
    elif first.path == last.path:
        found = [(_operand(first.path, first.span, "edit"), first)]
    elif source is None:  # `old/a.py` and `new/a.py`: which of them is a path is for the tool
        return
    else:
        found = [
            (_operand(first.path, first.span, "move"), first),
            (_operand(last.path, last.span, "write", creates=True), last),
        ]
    for operand, name in found:
        if operand is not None:
            yield operand, tuple(other.span for other in mentions if other.path == name.path)


def _bare(name: _Name | None) -> _Name | None:
    if name is None or name.path == _NULL:
        return name
    return _Name(name.path[2:], (name.span[0] + 2, name.span[1]))


def rewrite(patch: str, changes: Mapping[Operand, str]) -> str | None:
    """Return `patch` with each operand's path replaced wherever its headers name it.

    The keys are operands of this very patch. The new patch is parsed again; None when it would
    differ in anything but those paths, or when a path cannot stand in a header.
    """
    known = dict(_mentions(patch))
    if any(operand not in known for operand in changes):
        return None
    if any(
        not path or path != path.strip() or set("\n\r\t\0") & set(path) for path in changes.values()
    ):
        return None
    source = patch.encode("utf-8", "surrogateescape")
    edits = [(span, path) for operand, path in changes.items() for span in known[operand]]
    try:
        encoded = [(span, path.encode()) for span, path in edits]
    except UnicodeEncodeError:  # a name that is not UTF-8 cannot travel in a patch's text
        return None
    for (start, end), path in sorted(encoded, reverse=True):
        source = source[:start] + path + source[end:]
    result = source.decode("utf-8", "surrogateescape")
    return result if _alike(operands(result), known, changes) else None


def _alike(
    now: tuple[Operand, ...], before: Mapping[Operand, object], changes: Mapping[Operand, str]
) -> bool:
    expected = [
        replace(operand, written=changes.get(operand, operand.written), span=(0, 0))
        for operand in before
    ]
    return expected == [replace(operand, span=(0, 0)) for operand in now]
