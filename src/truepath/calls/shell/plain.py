"""Plain command lines without the grammar: words, quotes, `&&`, `||`, `|`, `;`, redirections.

Most commands are no more than that, and loading the grammar costs more than all else together.
What is not plain beyond doubt is None, and the grammar reads it.
"""

from __future__ import annotations

import re
from itertools import pairwise

from truepath.calls.shell.quoting import read
from truepath.calls.shell.syntax_tree import Block, Redirect, Simple, Tree, Word

_WORD = rb"(?:[A-Za-z0-9_./@%+,:=-]|'[^'\n]*'|\"[^\"$`\\\n!]*\")+"
_TOKEN = re.compile(
    rb"(?P<redirect>(?P<descriptor>[0-9])?(?P<operator>>>|>&(?=[0-9])|>|<)(?![<>&|(])"
    rb"[ ]*(?P<target>%s))"
    rb"|(?P<operator2>&&|\|\||\||;)(?![&|;])|(?P<word>%s)(?![<>])|(?P<blank>[ ]+|\n+\Z)"
    % (_WORD, _WORD)
)
_RESERVED = frozenset(
    (b"if", b"then", b"else", b"elif", b"fi", b"for", b"while", b"until", b"do", b"done", b"case",
     b"esac", b"in", b"function", b"select", b"time", b"coproc", b"declare", b"typeset", b"export",
     b"readonly", b"local", b"unset", b"unsetenv"),
)  # fmt: skip


def parse_plain(source: bytes) -> Tree | None:
    """Return the tree of a plain command line, the same that the grammar would give."""
    tokens: list[re.Match[bytes]] = []
    at = 0
    while at < len(source):
        match = _TOKEN.match(source, at)
        if match is None:
            return None
        at = match.end()
        if match.lastgroup != "blank":
            tokens.append(match)
    return _sequence(tokens)


def _sequence(tokens: list[re.Match[bytes]]) -> Tree | None:
    parts = [_chain(part) for part in _split(tokens, b";")]
    if len(parts) > 1 and parts[-1] is None and tokens[-1]["operator2"] == b";":
        parts.pop()
    whole = [part for part in parts if part is not None]
    return Block("sequence", tuple(whole)) if len(whole) == len(parts) else None


def _chain(tokens: list[re.Match[bytes]]) -> Tree | None:
    operators = [token["operator2"] for token in tokens if token["operator2"] in (b"&&", b"||")]
    parts = [_pipeline(part) for part in _split(tokens, b"&&", b"||")]
    whole = tuple(part for part in parts if part is not None)
    if len(whole) != len(parts):
        return None
    if len(whole) == 1:
        return whole[0]
    return Block("chain", whole, operators=tuple(text.decode() for text in operators))


def _pipeline(tokens: list[re.Match[bytes]]) -> Tree | None:
    parts = [_simple(part) for part in _split(tokens, b"|")]
    whole = tuple(part for part in parts if part is not None)
    if len(whole) != len(parts):
        return None
    return whole[0] if len(whole) == 1 else Block("pipeline", whole)


def _simple(tokens: list[re.Match[bytes]]) -> Simple | None:
    words = tuple(_word(*token.span(), token.group()) for token in tokens if token["word"])
    if not words or not tokens[0]["word"]:
        return None
    name = words[0].raw
    # An assignment, a reserved word or a number at the start is for the grammar to judge.
    if name in _RESERVED or b"=" in name or not _ends_apart(tokens):
        return None
    return Simple(words, tuple(_redirect(token) for token in tokens if token["redirect"]))


def _ends_apart(tokens: list[re.Match[bytes]]) -> bool:
    """Whether a blank stands between any two words, so that no digit belongs to the next."""
    return all(left.end() < right.start() for left, right in pairwise(tokens))


def _word(start: int, end: int, raw: bytes) -> Word:
    reading = read(raw)
    return Word(start, end, raw, reading, splits=reading is None)


def _redirect(token: re.Match[bytes]) -> Redirect:
    target = _word(*token.span("target"), token["target"])
    descriptor = (token["descriptor"] or b"").decode()
    return Redirect(token["operator"].decode(), descriptor, target, token.start(), token.end())


def _split(tokens: list[re.Match[bytes]], *operators: bytes) -> list[list[re.Match[bytes]]]:
    parts: list[list[re.Match[bytes]]] = [[]]
    for token in tokens:
        if token["operator2"] in operators:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts
