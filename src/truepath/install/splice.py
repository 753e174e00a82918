"""Change one value in a JSON text and leave every other character as it is. Pure.

New text follows the file's own manner: its indentation, line ends, and whether items have lines
of their own. What `add` puts in, `remove` takes out again without a trace, but for a container
that was empty before: an empty one is `{}` or `[]` afterwards, whatever blanks it held.
"""

from __future__ import annotations

import re
from json import dumps
from typing import Any

from truepath.install.jsonc import Document, Node, Path, read

_INDENT = "  "
"""Where a file shows none of its own; what agent programs write themselves."""


def add(text: str, path: Path, key: str | None, value: Any) -> str:
    """Return `text` with an item more at the end of the object (with a key) or array at `path`."""
    document = read(text)
    if document.root is None:
        return _begin(text, {} if key is None else {key: value})
    container = _container(document, path)
    last = container.items[-1] if container.items else None
    end = _end_before(document, container.end - 1)
    apart = _is_apart(document, container, end)
    lead, indent = _lead(document, container, apart=apart)
    item = _item(document, key, value, indent if apart else None)
    trailing = last is not None and last.comma >= 0
    added = lead + item + ("," if trailing else "")
    rest = text[end:]
    if last is None and apart and "\n" not in text[end : container.end - 1]:
        rest = _newline(text) + _indent_at(text, container.start) + text[container.end - 1 :]
    text = text[:end] + added + rest
    if last is None or trailing:
        return text
    return text[: last.node.end] + "," + text[last.node.end :]


def replace(text: str, path: Path, value: Any) -> str:
    """Return `text` with another value at `path`, in the place of the one that is there."""
    document = read(text)
    node = document.find(path)
    if node is None:
        raise KeyError(path)
    spread = "\n" in text[node.start : node.end]
    new = _rendered(document, value, _indent_at(text, node.start) if spread else None)
    return text[: node.start] + new + text[node.end :]


def remove(text: str, path: Path) -> str:
    """Return `text` without the item at `path`; comments around it stay."""
    document = read(text)
    container = _container(document, path[:-1])
    at = container.index(path[-1])
    if at is None:
        raise KeyError(path)
    start, end = _extent(document, container, at)
    after = text[:start] + text[end:]
    if at and container.items[at].comma < 0:
        before = container.items[at - 1].comma
        after = after[:before] + after[before + 1 :]
    return _closed(after, path[:-1]) if len(container.items) == 1 else after


def copied(text: str, path: Path, source: str) -> str:
    """Return `text` with the value at `path` written as it is in `source`."""
    here, there = read(text).find(path), read(source).find(path)
    if here is None or there is None:
        raise KeyError(path)
    return text[: here.start] + source[there.start : there.end] + text[here.end :]


def _container(document: Document, path: Path) -> Node:
    node = document.find(path)
    if node is None or node.kind == "scalar":
        raise KeyError(path)
    return node


def _extent(document: Document, container: Node, at: int) -> tuple[int, int]:
    """Return from where to where an item goes, with the blanks before it and its own comma."""
    text, item = document.text, container.items[at]
    start = _end_before(document, item.start)
    end = item.comma + 1 or item.node.end
    before = document.before(item.start)
    if before and before.kind == "line":  # it must not swallow what follows, not even a blank
        ends_line = re.match(r"[ \t]*(?=\r?\n|$)", text[end:])
        return (start, end + ends_line.end()) if ends_line else (item.start, end)
    if at == 0 and item.comma >= 0 and "\n" not in text[start : item.start]:
        blanks = re.match(r"[ \t]*", text[end:])
        return item.start, end + (blanks.end() if blanks else 0)
    return start, end


def _closed(text: str, path: Path) -> str:
    """Return `text` with nothing between the brackets of an empty container, comments excepted."""
    document = read(text)
    node = _container(document, path)
    last = document.before(node.end - 1)
    if last is None or last.start != node.start:
        return text
    return text[: node.start + 1] + text[node.end - 1 :]


def _begin(text: str, value: Any) -> str:
    newline = _newline(text)
    if text and not text.endswith("\n"):
        text += newline
    return text + dumps(value, indent=_INDENT, ensure_ascii=False).replace("\n", newline) + newline


def _end_before(document: Document, position: int) -> int:
    token = document.before(position)
    return token.end if token else 0


def _is_apart(document: Document, container: Node, end: int) -> bool:
    """Whether a new item is on a line of its own, as the last one does, or most others."""
    text, last = document.text, document.before(end)
    if last and last.kind == "line":
        return True
    if container.items:
        item = container.items[-1]
        return "\n" in text[_end_before(document, item.start) : item.start]
    root = document.root
    return root is None or not root.items or "\n" in text[root.start : root.end]


def _lead(document: Document, container: Node, *, apart: bool) -> tuple[str, str]:
    """Return the blanks before a new item, and its indentation."""
    text = document.text
    if not apart:
        return (" " if container.items and _is_spaced(document) else ""), ""
    indent = _indent_at(text, container.start) + _unit(document)
    if container.items:
        start = container.items[-1].start
        gap = text[_end_before(document, start) : start]
        indent = gap.rpartition("\n")[2] if "\n" in gap else indent
    return _newline(text) + indent, indent


def _item(document: Document, key: str | None, value: Any, indent: str | None) -> str:
    rendered = _rendered(document, value, indent)
    if key is None:
        return rendered
    space = " " if indent is not None or _is_spaced(document) else ""
    return f"{dumps(key, ensure_ascii=False)}:{space}{rendered}"


def _rendered(document: Document, value: Any, indent: str | None) -> str:
    """Return a value as text: over several lines from `indent` on, or all in one without it."""
    if indent is None:
        marks = (", ", ": ") if _is_spaced(document) else (",", ":")
        return dumps(value, ensure_ascii=False, separators=marks)
    text = dumps(value, ensure_ascii=False, indent=_unit(document))
    return text.replace("\n", _newline(document.text) + indent)


def _is_spaced(document: Document) -> bool:
    """Whether a text of one line has blanks after its marks."""
    marks = [token for token in document.tokens if document.text[token.start] in ":,"]
    return not marks or any(document.text[token.end : token.end + 1].isspace() for token in marks)


def _newline(text: str) -> str:
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def _indent_at(text: str, position: int) -> str:
    """Return the indentation of the line on which a position is."""
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(document: Document) -> str:
    """Return the indentation of one level: that of the root's first item on a line of its own."""
    text, root = document.text, document.root
    for item in root.items if root else ():
        gap = text[_end_before(document, item.start) : item.start]
        unit = gap.rpartition("\n")[2] if "\n" in gap else ""
        if unit:
            return unit
    return _INDENT
