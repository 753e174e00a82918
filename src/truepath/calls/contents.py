"""What a tool call tells about the contents of a file that it edits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from truepath.calls import tool_tables as data
from truepath.calls.patch import hunks
from truepath.calls.tools import folded, from_json, given, items
from truepath.types import Any, Contents, PathArgument, ToolCall

_OLD_TEXTS = folded(data.OLD_TEXT_NAMES)
_EDITS = folded(data.ARGUMENTS["objects"])


def contents(
    call: ToolCall, argument: PathArgument, old: Sequence[str] | None = None
) -> Contents | None:
    """Return the texts that a file must contain before the edit; None if the call tells none.

    `old` are the old texts in a patch; by default they are those in the arguments.
    """
    old = _old(_own(call, argument)) if old is None else old
    texts = tuple(text for text in old if text.strip())
    return Contents(texts) if texts else None


def _own(call: ToolCall, argument: PathArgument) -> Mapping[str, Any]:
    """Return the arguments of the edit of a path: its own item, if the call has a list of edits."""
    arguments = given(call)
    own = from_json(arguments.get(argument.argument))
    if argument.index is not None and isinstance(own, (list, tuple)):
        own = own[argument.index]
    return own if isinstance(own, dict) else arguments


def _old(arguments: Mapping[str, Any]) -> Sequence[str]:
    """Return the old text of the first edit; a later one may replace what an earlier one wrote."""
    named = {name: value for _, name, value in items(arguments)}
    if any("regex" in name and value for name, value in named.items()):
        return ()
    if texts := [named[name] for name in named if name in _OLD_TEXTS]:
        return [text for text in texts if isinstance(text, str)]
    if isinstance(named.get("diff"), str):
        return hunks(named["diff"].split("\n"))
    lists = (from_json(value) for name, value in named.items() if name in _EDITS)
    first = next((edits[0] for edits in lists if isinstance(edits, list) and edits), None)
    return _old(first) if isinstance(first, dict) else ()
