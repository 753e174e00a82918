"""Putting other paths into a command line: those words change, and nothing else does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from truepath.calls.shell.operand import Operand
from truepath.calls.shell.quoting import contents, quote, quote_part, read
from truepath.records import replace

if TYPE_CHECKING:
    from tree_sitter import Node

_UNITS = frozenset(
    ("word", "number", "string", "raw_string", "ansi_c_string", "concatenation",
     "brace_expression", "extglob_pattern"),
)  # fmt: skip


def replaced(source: bytes, changes: Mapping[Operand, str]) -> bytes | None:
    """Return `source` with each operand's bytes replaced; None when one cannot be written."""
    result = source
    for operand in sorted(changes, key=lambda operand: operand.span, reverse=True):
        start, end = operand.span
        text = new_text(source[start:end], operand, changes[operand])
        if text is None:
            return None
        result = result[:start] + text + result[end:]
    return result


def new_text(old: bytes, operand: Operand, path: str) -> bytes | None:
    """Return the bytes that stand for `path` in the place of `old`."""
    if not path or "\0" in path:
        return None
    path = anchored(path, operand)
    if operand.quote:
        text = quote_part(path, operand.quote, operand.inside)
    elif operand.home and path.startswith("~/"):
        rest = quote(path[2:], "", operand.inside)
        text = None if rest is None else "~/" + rest
    else:
        reading = read(old)
        text = quote(path, reading.style if reading else "", operand.inside)
    try:
        return None if text is None else text.encode()
    except UnicodeEncodeError:  # a name that is not UTF-8 cannot travel in a command's text
        return None


def anchored(path: str, operand: Operand) -> str:
    """Return `path` so that the program still takes it for a path.

    A leading `-` would be an option; without its `./` a folder is a package to Go and pip, and a
    program without any `/` is looked up elsewhere.
    """
    if operand.quote == "\n" or path.startswith(("/", "./", "../", "~/")):
        return path
    program = operand.operation == "execute" and "/" in operand.written and "/" not in path
    if path.startswith("-") or operand.written.startswith("./") or program:
        return "./" + path
    return path


def same_but(old: bytes, new: bytes, changes: Mapping[Operand, str]) -> bool:
    """Whether two command lines differ in those operands' words alone."""
    from truepath.calls.shell.heredocs import mask
    from truepath.calls.shell.parser import grammar_tree

    before, after = mask(old), mask(new)
    if before is None or after is None:
        return False
    trees = grammar_tree(before.source), grammar_tree(after.source)
    if trees[0] is None or trees[1] is None:
        return False
    left = list(_units(trees[0], before.source))
    right = list(_units(trees[1], after.source))
    if len(left) != len(right):
        return False
    for (kind, start, raw), (other, _, now) in zip(left, right, strict=True):
        inside = {
            operand: path
            for operand, path in changes.items()
            if start <= operand.span[0] < start + len(raw)
        }
        if kind != other or not _unit(raw, now, start, inside):
            return False
    return True


def _units(root: Node, source: bytes) -> Iterable[tuple[str, int, bytes]]:
    """The tree as a sequence in which a word counts as one, however it is quoted."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in _UNITS:
            yield "word", node.start_byte, source[node.start_byte : node.end_byte]
        else:
            yield node.type, node.start_byte, b"" if node.children else _leaf(node, source)
            stack.extend(reversed(node.children))


def _leaf(node: Node, source: bytes) -> bytes:
    return source[node.start_byte : node.end_byte]


def _unit(raw: bytes, now: bytes, start: int, changes: Mapping[Operand, str]) -> bool:
    if not changes:
        return raw == now
    before, after = read(raw), read(now)
    if before is None or after is None:
        return False
    if any(operand.inside for operand in changes):
        return _program(raw, now, start, changes)
    return len(changes) == 1 and after.value == _expected(before.value, raw, start, changes)


def _program(raw: bytes, now: bytes, start: int, changes: Mapping[Operand, str]) -> bool:
    """Whether two words hold program texts that differ in those operands alone."""
    before, after = contents(raw), contents(now)
    if before is None or after is None:
        return False
    inner: dict[Operand, str] = {}
    for operand, path in changes.items():
        low, high = (offset - start for offset in operand.span)
        if low not in before.offsets or high - 1 not in before.offsets:
            return False
        span = before.offsets.index(low), before.offsets.index(high - 1) + 1
        inner[replace(operand, span=span, inside=operand.inside[1:])] = path
    return same_but(before.text, after.text, inner)


def _expected(value: str, raw: bytes, start: int, changes: Mapping[Operand, str]) -> str:
    """The text that the new word must stand for."""
    ((operand, path),) = changes.items()
    path = anchored(path, operand)
    head = read(raw[: operand.span[0] - start] + operand.quote.encode())
    prefix = head.value if head else ""
    return prefix + path + value[len(prefix) + len(operand.written) :]
