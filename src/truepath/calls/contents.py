"""What a tool call says about the contents of a file that it edits.

Pure: it reads arguments and patches, and no file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from truepath.calls import tool_tables as data
from truepath.calls.patch import hunks
from truepath.calls.tools import folded, from_json, given, items
from truepath.types import Any, Contents, PathArgument, ToolCall

_OLD_TEXTS = folded(data.OLD_TEXT_NAMES)
_EDITS = folded(data.ARGUMENTS["objects"])


def contents(
    call: ToolCall, argument: PathArgument, held: Sequence[str] | None = None
) -> Contents | None:
    """Return the texts that a file holds before it is edited; None where the call says nothing.

    Args:
        call: The call.
        argument: The file, as the call names it.
        held: What the patch says that it is named in; by default the arguments are asked.
    """
    held = _old(_own(call, argument)) if held is None else held
    texts = tuple(text for text in held if text.strip())
    return Contents(texts) if texts else None


def _own(call: ToolCall, argument: PathArgument) -> Mapping[str, Any]:
    """Return the arguments that say what is done to a path: of a list of edits, its own."""
    arguments = given(call)
    own = from_json(arguments.get(argument.argument))
    if argument.index is not None and isinstance(own, (list, tuple)):
        own = own[argument.index]
    return own if isinstance(own, dict) else arguments


def _old(arguments: Mapping[str, Any]) -> Sequence[str]:
    """Return the old text of the first edit: a later one may look for what an earlier one made."""
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
