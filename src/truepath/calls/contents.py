"""What a tool call tells about the contents of a file: the texts that it replaces, and
whether it reads all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from truepath.calls import tool_tables as data
from truepath.calls.patch import hunks
from truepath.calls.paths import Mention
from truepath.calls.tools import folded, from_json, given, items
from truepath.records import dataclass
from truepath.types import Any, PathArgument, ToolCall

_OLD_TEXTS, _NEW_TEXTS = folded(data.OLD_TEXT_NAMES), folded(data.NEW_TEXT_NAMES)
_EDITS, _EVERY = folded(data.ARGUMENTS["objects"]), folded(data.EVERY_NAMES)
_START, _PART = folded(data.START_NAMES), folded(data.PART_NAMES)


@dataclass(frozen=True, slots=True)
class Edit:
    """One text that a call replaces in a file."""

    old: str
    new: str
    every: bool = False
    """Whether it may occur several times."""


def old_texts(call: ToolCall, mention: Mention) -> tuple[str, ...]:
    """Return the texts that a file must contain before its edit; none if the call tells
    none.
    """
    # A later edit may replace what an earlier one wrote.
    first = [edit.old for edit in _edits(_own(call, mention.argument))][:1]
    return tuple(text for text in _hunks(call, mention) or first if text.strip())


def edits(call: ToolCall, mention: Mention) -> list[Edit]:
    """Return what a call replaces in a file, in order; nothing for a regular
    expression.
    """
    found = [
        Edit(text, "", every=True) for text in _hunks(call, mention)
    ]  # at the first place
    return found or [*_edits(_own(call, mention.argument))]


def _hunks(call: ToolCall, mention: Mention) -> Sequence[str]:
    """Return the old texts of a file in a patch; nothing for another edit."""
    if mention.text is not None:
        return getattr(mention.use, "texts", ())
    diff = _own(call, mention.argument).get("diff")
    return hunks(diff.split("\n")) if isinstance(diff, str) else ()


def _own(call: ToolCall, argument: PathArgument) -> Mapping[str, Any]:
    """Return the arguments of the edit of a path: its own item, if the call has a list
    of edits.
    """
    arguments = given(call)
    own = from_json(arguments.get(argument.argument))
    if argument.index is not None and isinstance(own, (list, tuple)):
        own = own[argument.index]
    return own if isinstance(own, dict) else arguments


def _edits(arguments: Mapping[str, Any], *, every: bool = False) -> Iterator[Edit]:
    named = {name: value for _, name, value in items(arguments)}
    if any("regex" in name and value for name, value in named.items()):
        return
    every = every or any(str(named.get(name)).lower() == "true" for name in _EVERY)
    old, new = (
        next(
            (
                named[name]
                for name in named
                if name in names and isinstance(named[name], str)
            ),
            "",
        )
        for names in (_OLD_TEXTS, _NEW_TEXTS)
    )
    if old:
        yield Edit(old, new, every)
    for each in (from_json(value) for name, value in named.items() if name in _EDITS):
        for edit in each if isinstance(each, list) else ():
            yield from _edits(edit, every=every) if isinstance(edit, dict) else ()


def start_of(call: ToolCall) -> int:
    """Return the line from which a call reads a file to its end; 0 if it reads a part."""
    named = {name: value for _, name, value in items(given(call))}
    if any(named.get(name) for name in _PART):
        return 0
    first = str(next((named[name] for name in named if name in _START), None) or 1)
    return int(first) if first.isdecimal() else 0


def in_part(call: ToolCall, argument: str, first: int, lines: int) -> dict[str, Any]:
    """Return the arguments of a read for some lines: their number, or for a range its
    ends.
    """
    part: Any = [first, first + lines - 1] if "range" in argument else lines
    return {**given(call), argument: part}
