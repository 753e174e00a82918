"""Here-documents: where their bodies are, so that only commands are parsed."""

from __future__ import annotations

import re
from typing import NamedTuple

from truepath.records import dataclass, field

_START = re.compile(
    rb"<<(?P<dash>-?)[ \t]*(?P<word>'[^'\n]+'|\"[^\"\n]+\"|\\?[A-Za-z_][A-Za-z0-9_]*)"
)
# What changes how the next bytes are read; everything between two of these is skipped.
_TOKEN = re.compile(rb"\\.|'|\"|\$\(\(|\$\(|\(|\)|`|<<<|<<|\n|(?<![^\s;&|()])#|\$\{|\}", re.DOTALL)


class Heredoc(NamedTuple):
    """One here-document."""

    operator: int
    """Byte offset of its `<<`; the command that reads it ends there or later."""
    body: tuple[int, int]
    text: bytes
    literal: bool
    """The body reaches the program byte for byte."""
    runs: bool
    """The body holds commands that the shell runs while it reads it."""


class Masked(NamedTuple):
    """A command line without its here-documents, every other byte in its place."""

    source: bytes
    heredocs: tuple[Heredoc, ...]

    @property
    def runs(self) -> bool:
        """Whether a body runs commands of its own."""
        return any(heredoc.runs for heredoc in self.heredocs)


@dataclass(slots=True, eq=False, repr=False)
class _Scan:
    source: bytes
    at: int = 0
    open: list[bytes] = field(default_factory=list)
    pending: list[tuple[re.Match[bytes], bool, bytes]] = field(default_factory=list)
    found: list[Heredoc] = field(default_factory=list)
    blanks: list[tuple[int, int]] = field(default_factory=list)


def mask(source: bytes) -> Masked | None:
    """Return `source` with here-documents blanked out; None when one is not closed."""
    if b"<<" not in source:
        return Masked(source, ())
    scan = _Scan(source)
    while (token := _TOKEN.search(source, scan.at)) is not None:
        scan.at = token.end()
        if not _step(scan, token):
            return None
    if scan.pending:
        return None
    blank = bytearray(source)
    for start, end in scan.blanks:
        blank[start:end] = re.sub(rb"[^\n]", b" ", source[start:end])
    return Masked(bytes(blank), tuple(scan.found))


def _step(scan: _Scan, token: re.Match[bytes]) -> bool:
    """Take one token in; False when the text cannot be followed any further."""
    text, top = token.group(), scan.open[-1] if scan.open else b""
    if text == b"'":
        return top in (b'"', b'${"') or _skip_to(scan, b"'")
    if text in (b'"', b"`"):
        _toggle(scan, text, top)
    elif text in (b"$(", b"$((", b"${") or (text == b"(" and top != b'"'):
        scan.open.append(text if text != b"${" or top != b'"' else b'${"')
    elif text == b")" and top in (b"(", b"$(", b"$(("):
        _close(scan, top)
    elif text == b"}" and top in (b"${", b'${"'):
        scan.open.pop()
    elif text == b"#" and top in (b"", b"(", b"$("):
        scan.at = _line_end(scan.source, scan.at)
    elif text == b"<<" and top in (b"", b"(", b"$("):
        return _begin(scan, token.start())
    elif text == b"\n" and scan.pending and top != b'"':
        return _bodies(scan)
    return True


def _skip_to(scan: _Scan, quote: bytes) -> bool:
    end = scan.source.find(quote, scan.at)
    scan.at = end + 1
    return end >= 0


def _toggle(scan: _Scan, text: bytes, top: bytes) -> None:
    if top == text:
        scan.open.pop()
    else:
        scan.open.append(text)


def _close(scan: _Scan, top: bytes) -> None:
    scan.open.pop()
    if top == b"$((" and scan.source[scan.at : scan.at + 1] == b")":
        scan.at += 1


def _line_end(source: bytes, at: int) -> int:
    end = source.find(b"\n", at)
    return len(source) if end < 0 else end


def _begin(scan: _Scan, at: int) -> bool:
    match = _START.match(scan.source, at)
    if match is None:
        return False
    scan.at = match.end()
    word = match["word"]
    literal = word[:1] in b"'\"\\"
    scan.pending.append((match, literal, word.strip(b"'\"\\")))
    scan.blanks.append(match.span())
    return True


def _bodies(scan: _Scan) -> bool:
    """Read the bodies that begin after this line break."""
    for at, (match, literal, delimiter) in enumerate(scan.pending):
        scan.at += at > 0  # the line break that ends the document before
        tabs = rb"\t*" if match["dash"] else b""
        end = re.compile(rb"^" + tabs + re.escape(delimiter) + rb"$", re.MULTILINE)
        closing = end.search(scan.source, scan.at)
        if closing is None:
            return False
        text = scan.source[scan.at : closing.start()]
        scan.found.append(
            Heredoc(
                match.start(),
                (scan.at, closing.start()),
                text,
                literal=literal or not re.search(rb"[$`\\]", text),
                runs=not literal and re.search(rb"\$\(|`", text) is not None,
            )
        )
        scan.blanks.append((scan.at, closing.end()))
        scan.at = closing.end()
    scan.pending.clear()
    return True
