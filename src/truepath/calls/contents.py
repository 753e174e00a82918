"""What a tool call says about the contents of the files that it names.

Pure: it reads arguments and patches, and no file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from truepath.calls import tool_tables as data
from truepath.calls.paths import Mention
from truepath.calls.tool_names import folded
from truepath.calls.tools import from_json, items
from truepath.types import Contents, ToolCall

_OLD_TEXTS = folded(data.OLD_TEXT_NAMES)
_NEW_TEXTS = folded(data.NEW_TEXT_NAMES)
_EDITS = folded(data.OBJECT_NAMES)

_SEARCHED = re.compile(r"^[-<]{5,} SEARCH>?\n(.*?)^={5,}$", re.MULTILINE | re.DOTALL)
"""The old text of a block in a `diff`, as Cline and Roo Code write it."""

_HEADER = "*** Begin Patch\n*** Update File: it\n"


def contents(call: ToolCall, mention: Mention) -> Contents | None:
    """Return what a call says about the contents of one of its paths; None where it says nothing.

    Args:
        call: The call.
        mention: One of its paths that has to exist.
    """
    if mention.text is not None:
        texts = _of_patch(mention.text.text, mention.argument.written)
    elif mention.argument.operation == "edit":
        texts = [*_of_arguments(_own(call, mention))]
    else:
        texts = []
    return Contents(tuple(texts)) if any(text.strip() for text in texts) else None


def _of_patch(text: str, written: str) -> Sequence[str]:
    if "@@" not in text and "*** " not in text:
        return ()
    from truepath.calls.patch import held

    return held(text).get(written, ())


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
    if not diff:
        return ()
    if found := _SEARCHED.findall(diff):
        return [str(text) for text in found]
    return _of_patch(_HEADER + diff, "it")


def _made(text: str, made: str) -> bool:
    """Tell whether a line of a text is in what earlier edits have made."""
    return any(line.strip() in made for line in text.splitlines() if line.strip())
