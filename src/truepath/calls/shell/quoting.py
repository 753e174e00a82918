"""The shell's quoting, both ways: a word's bytes to the text it stands for, and back.

Only what bash, dash and zsh read alike; anything else has no value here and is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

_SINGLE = rb"'[^']*'"
_BARE = rb"[^\\'\"$`*?\[{}()<>&;|\s]+"
# A backslash before a letter, a digit, `.`, `_` or `-` changes nothing in a shell: whoever writes
# one means a Windows path or a regular expression, so such a word has no value.
_ESCAPED = rb"\\(?:[^\nA-Za-z0-9._\-\x80-\xff]|[\xc0-\xff][\x80-\xbf]*)"
_DOUBLE = rb'"(?:[^"\\$`]|\\.)*"'
_SEGMENT = re.compile(
    b"(?P<bare>%s)|(?P<escaped>%s)|(?P<single>%s)|(?P<double>%s)"
    % (_BARE, _ESCAPED, _SINGLE, _DOUBLE),
    re.DOTALL,
)
_IN_DOUBLE = re.compile(rb'\\([$`"\\\n])', re.DOTALL)
_BARE_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)
_SAFE = re.compile(r"[\w./@%+,:-]+")
_PRINTABLE = re.compile(r"[\w -~]+")
_HOME = re.compile(rb"~(?:/|$)")

_SHORT = 64
"""Bytes of a word that is kept once it is read: longer ones are texts, and are not repeated."""


class Run(NamedTuple):
    """Consecutive characters of a word under one kind of quoting."""

    text: str
    start: int
    """Byte offset inside the word, before the quote."""
    end: int
    """Byte offset inside the word, after the quote."""
    quote: Literal["", "'", '"']
    exact: bool
    """Whether the bytes between the quotes are the text: no escape is there."""

    def offset(self, characters: int) -> int:
        """Return the byte offset, inside the word, of a character of an exact run."""
        return self.start + len(self.quote) + len(_raw(self.text[:characters]))


class Reading(NamedTuple):
    """What a word stands for when nothing outside the command line decides it."""

    value: str
    runs: tuple[Run, ...]
    home: bool
    """An unquoted `~` or `~/` leads it."""

    @property
    def style(self) -> str:
        """How the word is quoted: `'`, `"`, a backslash, or nothing when bare or mixed."""
        quotes = {run.quote for run in self.runs}
        if len(quotes) != 1:
            return ""
        return quotes.pop() or ("" if all(run.exact for run in self.runs) else "\\")

    def place(self, part: tuple[int, int]) -> tuple[int, int, Literal["", "'", '"']] | None:
        """Return where in the word a part of the value lies, and the quote open at its start.

        None when the part begins under one kind of quoting and ends under another.
        """
        at, touched = 0, []
        for run in self.runs:
            low, high = max(part[0] - at, 0), min(part[1] - at, len(run.text))
            if low < high:
                touched.append((run, low, high))
            at += len(run.text)
        if not touched:
            return None
        (first, low, _), (last, _, high) = touched[0], touched[-1]
        if low == 0 and high == len(last.text):
            return first.start, last.end, ""
        if first is not last and any(run.quote for run, _, _ in touched):
            return None
        if (low and not first.exact) or (high < len(last.text) and not last.exact):
            return None
        return first.offset(low), last.offset(high), first.quote


class Contents(NamedTuple):
    """A word's value as a text of its own, each byte with where it comes from."""

    text: bytes
    offsets: tuple[int, ...]
    """Of each byte: its offset inside the word."""
    quotes: tuple[str, ...]
    """The quotes around each byte."""

    def place(self, start: int, end: int) -> tuple[int, int, str] | None:
        """Return where a span of the text lies in the word, and the quotes around it.

        None when its bytes are not side by side under one kind of quoting.
        """
        first, last = self.offsets[start], self.offsets[end - 1]
        quotes = set(self.quotes[start:end])
        if end <= start or last - first != end - start - 1 or len(quotes) != 1:
            return None
        (quote,) = quotes
        return (first, last + 1, quote) if quote else None


def contents(raw: bytes) -> Contents | None:
    """Return the value of the word `raw` byte by byte; None when the shell would expand it."""
    if read(raw) is None:
        return None
    text, offsets, quotes = bytearray(), list[int](), list[str]()
    for match in _SEGMENT.finditer(raw):
        run = _run(match)
        at, end = run.start + len(run.quote), run.end - len(run.quote)
        while at < end:
            escape = None
            if not run.exact:
                escape = _IN_DOUBLE.match(raw, at) if run.quote else _BARE_ESCAPE.match(raw, at)
            byte = raw[at : at + 1] if escape is None else escape[1].strip(b"\n")
            where = at if escape is None else at + 1
            at += 1 if escape is None else 2
            text += byte
            offsets += [where] * len(byte)
            quotes += [run.quote] * len(byte)
    return Contents(bytes(text), tuple(offsets), tuple(quotes))


def read(raw: bytes) -> Reading | None:
    """Return what the word `raw` stands for, or None when the shell would expand it."""
    return _read_short(raw) if len(raw) <= _SHORT else _read(raw)


@lru_cache(maxsize=4096)  # programs, options and paths come again and again
def _read_short(raw: bytes) -> Reading | None:
    return _read(raw)


def _read(raw: bytes) -> Reading | None:
    home = _HOME.match(raw) is not None
    if not raw or (raw[:1] in b"~=#" and not home):
        return None
    runs: list[Run] = []
    at = 0
    while at < len(raw):
        match = _SEGMENT.match(raw, at)
        if match is None:
            return None
        runs.append(_run(match))
        at = match.end()
    return Reading("".join(run.text for run in runs), tuple(runs), home)


def _run(match: re.Match[bytes]) -> Run:
    start, end, raw = match.start(), match.end(), match.group()
    if match.lastgroup == "bare":
        return Run(_text(raw), start, end, "", exact=True)
    if match.lastgroup == "escaped":
        return Run(_text(raw[1:]), start, end, "", exact=False)
    content = raw[1:-1]
    if match.lastgroup == "single":
        return Run(_text(content), start, end, "'", exact=True)
    text = _IN_DOUBLE.sub(lambda found: found[1].strip(b"\n"), content)
    return Run(_text(text), start, end, '"', exact=b"\\" not in content)


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def quote(text: str, style: str = "", inside: str = "") -> str | None:
    """Return `text` as one shell word, keeping `style` where that can hold the text.

    Otherwise the shortest right way. `inside` are the quotes around the program text the word
    is in; None when no way avoids them.
    """
    ways = [way for way in _ways(text) if _fits(way[1], inside)]
    if not ways:
        return None
    kept = [word for name, word in ways if name == style]
    return kept[0] if kept else min((word for _, word in ways), key=len)


def _ways(text: str) -> Iterator[tuple[str, str]]:
    """The words that stand for `text`, with the name of their style; ties go to the first."""
    if _SAFE.fullmatch(text):
        yield "", text
    if "'" not in text:
        yield "'", f"'{text}'"
    if "!" not in text:  # an interactive bash expands it in double quotes
        yield '"', '"' + re.sub(r'([$`"\\])', r"\\\1", text) + '"'
    # Behind a backslash only what every shell knows to be one character, and no line break; and no
    # space in front, which the grammar leaves out of the word.
    if _PRINTABLE.fullmatch(text) and not text.startswith(" "):
        yield "\\", re.sub(r"([^\w./@%+,:-])", r"\\\1", text)
    yield "'\\''", "'" + text.replace("'", "'\\''") + "'"


def _fits(word: str, inside: str) -> bool:
    """Whether `word` can be in a program text within the quotes `inside`."""
    if "'" in inside and "'" in word:
        return False
    return '"' not in inside or not set('"$`\\!') & set(word)


def quote_part(text: str, quote_open: str, inside: str = "") -> str | None:
    """Return `text` for a place where `quote_open` is already open; None when nothing fits."""
    if quote_open == "\n":
        return None if "\n" in text or "\r" in text else text
    if quote_open == "":
        return quote(text, "", inside)
    if quote_open == "'":
        part = text.replace("'", "'\\''")
    elif "!" in text:
        return None
    else:
        part = re.sub(r'([$`"\\])', r"\\\1", text)
    return part if _fits(part, inside) else None
