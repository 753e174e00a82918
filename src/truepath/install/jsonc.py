"""JSON as people keep it in settings: comments, trailing commas, and the position of each value.

Reads alone. What it accepts beyond JSON is what agent programs accept: `//` and `/* */`, and a
comma after the last item.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from json import loads
from typing import Any, Literal

DEEPEST = 100
"""Levels of nesting; settings have six, and each level is a call of the reader."""

Step = str | int
Path = Sequence[Step]
"""The keys and positions that lead to a value, from the root on."""

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
    |(?P<line>//[^\r\n]*)
    |(?P<block>/\*.*?\*/)
    |(?P<mark>[][{}:,])
    |(?P<value>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"
        |-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![\w.])
        |(?:true|false|null)\b)""",
    re.VERBOSE | re.DOTALL,
)
Kind = Literal["line", "block", "mark", "value"]


class JsonError(ValueError):
    """A text is not JSON; says the line and what is wrong there."""


@dataclass(frozen=True, slots=True)
class Token:
    """A mark, a value or a comment, and its position."""

    kind: Kind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Node:
    """A value and its position."""

    kind: Literal["object", "array", "scalar"]
    start: int
    end: int
    scalar: Any = None
    items: tuple[Item, ...] = ()

    @property
    def value(self) -> Any:
        """The value as `json.loads` gives it; of equal keys the last one counts."""
        if self.kind == "object":
            return {item.key: item.node.value for item in self.items}
        return [item.node.value for item in self.items] if self.kind == "array" else self.scalar

    def index(self, step: Step) -> int | None:
        """Return which item a step leads to; None for none."""
        if isinstance(step, int):
            return step if self.kind == "array" and 0 <= step < len(self.items) else None
        places = [at for at, item in enumerate(self.items) if item.key == step]
        return places[-1] if places else None


@dataclass(frozen=True, slots=True)
class Item:
    """A member of an object or an element of an array."""

    key: str | None
    start: int
    """Where its key begins, or else its value."""
    node: Node
    comma: int
    """The position of the comma after it; -1 for none."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text that was read."""

    text: str
    tokens: tuple[Token, ...]
    root: Node | None
    """None in a text of blanks and comments."""

    def find(self, path: Path) -> Node | None:
        """Return the value that a path leads to; None for none."""
        node = self.root
        for step in path:
            at = node.index(step) if node else None
            node = node.items[at].node if node and at is not None else None
        return node

    def before(self, position: int) -> Token | None:
        """Return the last token or comment that begins before a position."""
        at = bisect_left(self.tokens, position, key=lambda token: token.start)
        return self.tokens[at - 1] if at else None

    def line(self, position: int) -> int:
        """Return the line of a position, counted from 1."""
        return self.text.count("\n", 0, position) + 1

    @property
    def words(self) -> list[str]:
        """All that is said, comments too, without the blanks between."""
        return [self.text[token.start : token.end] for token in self.tokens]


def read(text: str) -> Document:
    """Read a text; raises JsonError."""
    tokens = tuple(_tokens(text))
    reader = _Reader(text, [token for token in tokens if token.kind in ("mark", "value")])
    return Document(text, tokens, reader.whole())


def _tokens(text: str) -> Iterator[Token]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise _wrong(text, at, "is no JSON")
        if found.lastgroup != "space":
            yield Token(found.lastgroup, at, found.end())  # type: ignore[arg-type]
        at = found.end()


def _wrong(text: str, at: int, what: str) -> JsonError:
    line, start = text.count("\n", 0, at) + 1, text.rfind("\n", 0, at) + 1
    shown = text[at : at + 12].split("\n", maxsplit=1)[0].strip() or "the end"
    return JsonError(f"line {line}, column {at - start + 1}: {shown!r} {what}")


class _Reader:
    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.at = 0

    def whole(self) -> Node | None:
        if not self.tokens:
            return None
        root = self.value(0)
        if self.at < len(self.tokens):
            raise self.wrong("follows the end")
        return root

    def value(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise self.wrong("is nested too deeply")
        token, word = self.peek()
        if word in ("{", "["):
            return self.items(word, depth)
        if token is None or token.kind == "mark":
            raise self.wrong("stands where a value is expected")
        self.at += 1
        return Node("scalar", token.start, token.end, loads(word))

    def items(self, opening: str, depth: int) -> Node:
        closing = "}" if opening == "{" else "]"
        items: list[Item] = []
        start = self.take(opening).start
        while self.peek()[1] != closing:
            if items and items[-1].comma < 0:
                raise self.wrong("stands where a comma is expected")
            items.append(self.item(opening, depth))
        end = self.take(closing).end
        return Node("object" if opening == "{" else "array", start, end, items=tuple(items))

    def item(self, opening: str, depth: int) -> Item:
        first, word = self.peek()
        key = None
        if opening == "{":
            if first is None or not word.startswith('"'):
                raise self.wrong("stands where a key is expected")
            self.at += 1
            self.take(":")
            key = loads(word)
        node = self.value(depth + 1)
        comma, mark = self.peek()
        if mark == ",":
            self.at += 1
        start = first.start if key is not None and first else node.start
        return Item(key, start, node, comma.start if comma and mark == "," else -1)

    def peek(self) -> tuple[Token | None, str]:
        if self.at == len(self.tokens):
            return None, ""
        token = self.tokens[self.at]
        return token, self.text[token.start : token.end]

    def take(self, mark: str) -> Token:
        token, word = self.peek()
        if token is None or word != mark:
            raise self.wrong(f"stands where {mark!r} is expected")
        self.at += 1
        return token

    def wrong(self, what: str) -> JsonError:
        token, _ = self.peek()
        return _wrong(self.text, token.start if token else len(self.text), what)
