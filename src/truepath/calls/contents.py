"""What a tool call tells about the contents of a file: the texts that it replaces, and
whether it reads all of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from truepath.calls import tool_tables as data
from truepath.calls.patch import Hunk, blocks, hunks
from truepath.calls.paths import Mention, Mentions
from truepath.calls.tool_tables import fold
from truepath.calls.tools import arguments_of, from_json, items
from truepath.records import dataclass
from truepath.types import Any, PathArgument, ToolCall

_OLD_TEXTS = (data.OLD_TEXT_NAMES, data.OTHER_OLD_TEXT_NAMES)
_NEW_TEXTS = (data.NEW_TEXT_NAMES, data.OTHER_NEW_TEXT_NAMES)

_Place = tuple[str | int, ...] | None


@dataclass(frozen=True, slots=True)
class Edit:
    """One text that a call replaces in a file."""

    old: str
    new: str
    every: bool = False
    """Whether it may occur several times."""
    at: tuple[str | int, ...] | None = None
    """The keys and positions that lead to the object with its texts in the call's
    arguments; None if these are no arguments of their own, as in a patch."""
    names: tuple[str, str] = ("", "")
    """The arguments that are its texts, there; "" for a new text that is left out."""


def old_texts(call: ToolCall, mention: Mention) -> tuple[str, ...]:
    """Return the texts that a file must contain before its edit; none if the call tells
    none.
    """
    texts = [hunk.old for hunk in _hunks(call, mention)]
    # A later edit may replace what an earlier one wrote.
    placed = _placed_item(call, mention.argument)
    texts = texts or [edit.old for edit in _edits(*placed)][:1]
    # Blanks are in every file.
    return tuple(text for text in texts if text.strip())


def edits(call: ToolCall, mention: Mention) -> list[Edit]:
    """Return what a call replaces in a file, in order; nothing for a regular
    expression.
    """
    # A patch changes the first place that fits.
    changes = _hunks(call, mention)
    patched = [Edit(hunk.old, hunk.new, every=True) for hunk in changes]
    return patched or [*_edits(*_placed_item(call, mention.argument))]


def with_texts(
    arguments: Mapping[str, Any], changes: Sequence[tuple[Edit, str, str]]
) -> dict[str, Any]:
    """Return a copy of a call's arguments in which edits have another old and new text;
    a new text that is left out stays so.
    """
    changed = {**arguments}
    for edit, old, new in changes:
        texts = dict(zip(edit.names, (old, new), strict=True))
        texts.pop("", None)
        changed = _with(changed, edit.at or (), texts)
    return changed


def _with(holder: Any, at: Sequence[str | int], texts: Mapping[str, str]) -> Any:
    """Return a copy of nested data with texts in one of its objects; all beside the
    way there stays the same.
    """
    if not at:
        return {**holder, **texts}
    key, *others = at
    copy: Any = [*holder] if isinstance(holder, list) else {**holder}
    copy[key] = _with(holder[key], others, texts)
    return copy


def replaces_text(mentions: Mentions) -> bool:
    """Return whether a call edits a file, and tells which text it replaces."""
    call = mentions.call
    return any(
        mention.argument.operation == "edit" and edits(call, mention)
        for mention in mentions.paths
    )


def _hunks(call: ToolCall, mention: Mention) -> Sequence[Hunk]:
    """Return what a patch changes in a file; nothing for another edit."""
    if mention.text is not None:
        return getattr(mention.use, "hunks", ())
    # A tool with a path beside its diff: Cline, Roo Code, OpenAI's hosted apply_patch.
    diff = _placed_item(call, mention.argument)[0].get("diff")
    if not isinstance(diff, str):
        return ()
    return blocks(diff) or hunks(diff.split("\n"))


def _placed_item(
    call: ToolCall, argument: PathArgument
) -> tuple[Mapping[str, Any], _Place]:
    """Return the arguments of the edit of a path, its own item if the call has a list
    of edits, and where they are.
    """
    arguments = arguments_of(call)
    name, index = argument.argument, argument.index
    listed = arguments.get(name)
    item = from_json(listed)
    at: _Place = (name,)
    # What is in a text cannot be changed in its place.
    if item is not listed:
        at = None
    if index is not None and isinstance(item, (list, tuple)):
        item = item[index]
        at = None if at is None or isinstance(listed, tuple) else (name, index)
    return (item, at) if isinstance(item, dict) else (arguments, ())


def _edits(
    arguments: Mapping[str, Any], at: _Place, *, every: bool = False
) -> Iterator[Edit]:
    """Yield the edit that some arguments describe, and those in a list among them."""
    names = {folded_name: name for name, folded_name, _ in items(arguments)}
    values = {name: value for _, name, value in items(arguments)}
    # The file need not contain the text of a pattern.
    if any("regex" in name and value for name, value in values.items()):
        return
    # For some programs it is an argument of the call, for others of each edit.
    every = every or any(
        str(values.get(name)).lower() == "true" for name in data.EVERY_NAMES
    )
    old = _first_text(values, _OLD_TEXTS)
    new = _first_text(values, _NEW_TEXTS)
    # A target may be a path.
    if old and values[old] and (new or old != "target"):
        texts = (values[old], values.get(new, ""))
        yield Edit(*texts, every, at, (names[old], names.get(new, "")))
    for edit, place in _listed_edits(arguments, at):
        yield from _edits(edit, place, every=every)


def _first_text(values: Mapping[str, Any], names: Sequence[Collection[str]]) -> str:
    """Return the first name that is known and has a text, the usual names first; "" if
    there is none.
    """
    found = (
        name
        for known in names
        for name, value in values.items()
        if name in known and isinstance(value, str)
    )
    return next(found, "")


def _listed_edits(
    arguments: Mapping[str, Any], at: _Place
) -> Iterator[tuple[Mapping[str, Any], _Place]]:
    """Yield the edits that arguments contain, alone or in a list, and where each is."""
    for name, folded_name, value in items(arguments):
        if folded_name not in data.EDIT_NAMES:
            continue
        listed = from_json(value)
        # What is in a text cannot be changed in its place.
        place = (*at, name) if at is not None and listed is value else None
        if isinstance(listed, dict):
            yield listed, place
        for index, edit in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(edit, dict):
                yield edit, None if place is None else (*place, index)


def every_name(call: ToolCall, error: str) -> str:
    """Return the argument that makes an edit replace every occurrence, as the call or
    its error names it; "" if neither does: some programs have none.
    """
    words = (*arguments_of(call), *re.findall(r"\w+", error))
    return next((word for word in words if fold(word) in data.EVERY_NAMES), "")


def start_of(call: ToolCall) -> int:
    """Return the line from which a call reads all the rest; 0 if it reads a part."""
    values = {name: value for _, name, value in items(arguments_of(call))}
    if any(values.get(name) for name in data.PART_NAMES):
        return 0
    starts = (value for name, value in values.items() if name in data.START_NAMES)
    # Models write 0 and null for the first line, too.
    first = str(next(starts, None) or 1)
    # No file has a line of ten digits, and Python reads no number of 5,000.
    return int(first) if first.isdecimal() and len(first) < 10 else 0


_NO_WORD = re.compile(rb"[a-z0-9]{16,}")
"""Small letters and digits that are no word, but a sequence or a digest."""

_TOKEN = re.compile(rb"[a-z]{1,3}| {1,64}|\t{1,16}|[^a-z \t]")


def tokens_of(data: bytes) -> int:
    """Return at most how many tokens a text has for a language model: one for three
    small letters of a word, for equal blanks in a row, and for any other byte.

    Three public tokenizers count less in real files, and in tables of numbers, base64,
    sequences of DNA and word lists of languages that they know little of; source code
    has half as many. Only words made of letters by chance have up to a fifth more.
    """
    words = _NO_WORD.sub(b"\n", data)
    return len(_TOKEN.findall(words)) + len(data) - len(words)


def arguments_in_part(
    call: ToolCall, argument: str, first: int, lines: int
) -> dict[str, Any]:
    """Return the arguments of a read for some lines: their number, or for a range its
    ends.
    """
    part: Any = [first, first + lines - 1] if "range" in argument else lines
    return {**arguments_of(call), argument: part}


def next_part(argument: str, first: int, lines: int) -> str:
    """Return the argument that reads on after lines of `arguments_in_part`."""
    following = first + lines
    if "range" in argument:
        return f"{argument} [{following}, {following + lines - 1}]"
    return f"offset {following}"
