"""What a tool call says about the contents of the files that it names.

Pure: it reads arguments and patches, and no file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from truepath.calls import tool_tables as data
from truepath.calls.paths import Mention
from truepath.calls.tool_names import folded
from truepath.calls.tools import from_json, items
from truepath.paths import LONGEST
from truepath.types import Contents, ToolCall

_OLD_TEXTS = folded(data.OLD_TEXT_NAMES)
_NEW_TEXTS = folded(data.NEW_TEXT_NAMES)
_FIRST_LINES = folded(data.FIRST_LINE_NAMES)
_SYMBOLS = folded(data.SYMBOL_NAMES)
_EDITS = folded(data.OBJECT_NAMES)

_SEARCHED = r"(?ms)^[-<]{5,} SEARCH>?\n(.*?)^={5,}$"
"""The old text of a block in a `diff`, as Cline and Roo Code write it."""

_PART = r"(?s).+?(?:::(?P<names>[\w:.]+)|(?::|#L)(?P<line>\d+)(?:\D.*)?)\Z"
"""`a.py::TestCart::test_sum[2]`, `a.py:412:7`, `a.py#L412`: a part of a file that a path names."""

_LINES_BEFORE = rb"""sed\s+-n\s+["']?(\d+)(?:,\d+)?p["']?\s+["']?\Z"""
_LINES_AFTER = rb"""["']?\s*\|\s*sed\s+-n\s+["']?(\d+)(?:,\d+)?p"""
_NODE_AFTER = rb"::((?a:[\w:]+))"
"""`a.py::TestCart::test_sum`; `sed -n '400,480p' a.py` and `nl -ba a.py | sed -n '400,480p'`, which
agents read parts with."""

_LONGEST = 1_000_000
"""Characters of a text that is read: no larger file is looked into."""

_HEADER = "*** Begin Patch\n*** Update File: it\n"


def contents(call: ToolCall, mention: Mention) -> Contents | None:
    """Return what a call says about the contents of one of its paths; None where it says nothing.

    Args:
        call: The call.
        mention: One of its paths that has to exist.
    """
    words, line = _of_path(mention.argument.written)
    texts: Sequence[str] = ()
    if mention.text is not None:
        texts = _of_patch(mention.text.text, mention.argument.written)
        words, line = _of_command(mention) if not (words or line) else (words, line)
    elif mention.argument.operation == "edit":
        texts = [*_of_arguments(_own(call, mention))]
    else:
        own = {name: value for _, name, value in items(_own(call, mention))}
        words = words or _symbols(own)
        line = line or _first_line(own)
    texts = tuple(text for text in texts if text.strip() and len(text) <= _LONGEST)
    return Contents(texts, words, line) if texts or words or line > 1 else None


def _of_path(written: str) -> tuple[tuple[str, ...], int]:
    """Return the names and the line that a path names with its file."""
    plain = written.partition("[")[0]
    named = len(plain) <= LONGEST and (":" in plain or "#" in plain)
    match = re.fullmatch(_PART, plain) if named else None
    if match is None:
        return (), 0
    names = tuple(name for name in re.split(r"[:.]+", match["names"] or "") if name)
    return names, int((match["line"] or "0")[:9])


def _of_command(mention: Mention) -> tuple[tuple[str, ...], int]:
    """Return the names in a file that a command asks for, and the first line that it reads."""
    if mention.text is None or mention.operand is None:
        return (), 0
    source = mention.text.text.encode("utf-8", "surrogateescape")
    start, end = mention.operand.span
    before, after = source[max(0, start - 80) : start], source[end : end + 200]
    if node := re.match(_NODE_AFTER, after):
        return tuple(name for name in node[1].decode().split("::") if name), 0
    match = re.search(_LINES_BEFORE, before) or re.match(_LINES_AFTER, after)
    return (), int(match[1][:9]) if match else 0


def _first_line(arguments: Mapping[str, Any]) -> int:
    """Return the first line that a tool reads of a file; 0 where it does not say."""
    for name in arguments.keys() & _FIRST_LINES:
        value = arguments[name]
        first = value[0] if isinstance(value, (list, tuple)) and value else value
        if isinstance(first, int) and not isinstance(first, bool):
            return max(0, first)
    return 0


def _symbols(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the symbols that a tool looks for in a file."""
    values = (arguments[name] for name in arguments.keys() & _SYMBOLS)
    parts = (re.split(r"\W+", value) for value in values if isinstance(value, str))
    return tuple(word for words in parts for word in words if word and not word.isdigit())


def _of_patch(text: str, written: str) -> Sequence[str]:
    is_patch = ("@@" in text or "*** " in text) and len(text) <= _LONGEST
    return _held(text).get(written, ()) if is_patch else ()


@lru_cache(maxsize=1)
def _held(patch: str) -> Mapping[str, Sequence[str]]:
    """Return what the files of a patch hold: each of them asks."""
    from truepath.calls.patch import held

    return held(patch)


def _own(call: ToolCall, mention: Mention) -> Mapping[str, Any]:
    """Return the arguments that say what is done to a path: of a list of edits, its own."""
    argument = mention.argument
    given = from_json(call.arguments.get(argument.argument))
    if argument.index is not None and isinstance(given, Sequence):
        given = given[argument.index]
    return given if isinstance(given, Mapping) else call.arguments


def _of_arguments(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts that have to be in the file before the first edit."""
    made = ""
    for edit in _edits(arguments):
        values = {name: value for _, name, value in items(edit) if isinstance(value, str)}
        old = [values[name] for name in values if name in _OLD_TEXTS]
        old += _of_diff(values.get("diff", ""))
        # An edit may look for what an edit before it has made.
        yield from (text for text in old if not _made(text, made))
        made += "".join(f"{values[name]}\n" for name in values if name in _NEW_TEXTS)


def _edits(arguments: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the objects that each say one replacement; none where the old text is a pattern."""
    if any("regex" in name and value for _, name, value in items(arguments)):
        return
    yield arguments
    for _, name, value in items(arguments):
        several = from_json(value) if name in _EDITS else None
        if isinstance(several, (list, tuple)):
            yield from (each for each in several if isinstance(each, Mapping))


def _of_diff(diff: str) -> Sequence[str]:
    """Return the old texts in the `diff` of a tool that names its file in another argument."""
    if not diff or len(diff) > _LONGEST:
        return ()
    if found := re.findall(_SEARCHED, diff):
        return [str(text) for text in found]
    return _of_patch(_HEADER + diff, "it")


def _made(text: str, made: str) -> bool:
    """Tell whether a line of a text is in what earlier edits have made."""
    return any(line.strip() in made for line in text.splitlines() if line.strip())
