"""Cline: `tasks/TASK/api_conversation_history.json`, and `SESSION.messages.json` of its CLI.

Where the model has no tool calls of its own, they are XML in what it says. The extension's answers
are text in either case: `[read_file for 'a.py'] Result:`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from truepath.audit.readers.items import (
    About,
    Answer,
    Call,
    Item,
    Prompt,
    Usage,
    number,
    of_blocks,
    plain,
    values,
    when,
)
from truepath.hosts.fields import table, tables, text

NAME = "cline"

_CALL = re.compile(
    "<(execute_command|read_file|write_to_file|replace_in_file|search_files|list_files"
    "|list_code_definition_names)>"
)
_ARGUMENT = re.compile("<(path|command|regex|recursive|file_pattern)>")
_RESULT = re.compile(r"^\[(\w+)(?: for .{0,10000}?)?\] Result:\s*", re.DOTALL)
_FOLDER = re.compile(r"^# Current Work(?:ing|space) Directory \(([^)\n]+)\)", re.MULTILINE)
_FAILED = re.compile(r"^(?:The tool execution failed|Error )")


def fits(record: Any) -> bool:
    """Tell whether a record is one of this format."""
    roles = {text(message, "role") for message in _messages(record)}
    blocks = any(isinstance(message.get("content"), list) for message in _messages(record))
    return blocks and roles <= {"user", "assistant"}


def read(records: Iterable[Any]) -> Iterator[Item]:
    """Yield what happened."""
    for record in records:
        asked: list[Call] = []
        for at, message in enumerate(_messages(record)):
            turn, time = str(at), when(message.get("ts"))
            found = [_unpacked(item) for item in of_blocks(message, turn=turn, time=time)]
            if message.get("role") == "assistant":
                calls = [item for item in found if isinstance(item, Call)]
                asked = calls or list(_calls(message, turn, time))
                yield About(model=text(table(message, "modelInfo"), "modelId"))
                yield from asked
                yield Usage(turn=turn, tokens=_tokens(message))
            else:
                yield from found or _told(message, asked, time)


def _unpacked(item: Item) -> Item:
    """Return an answer of Cline's own CLI as text: it is a list with an object for each path."""
    if not isinstance(item, Answer) or not item.text.startswith("[{"):
        return item
    found = tables({"each": values(item.text)}, "each")
    if not any("query" in answer for answer in found):
        return item
    said = "\n".join(plain(answer) for answer in found)
    return replace(item, text=said, failed=any(answer.get("success") is False for answer in found))


def _messages(record: Any) -> list[Mapping[str, Any]]:
    if isinstance(record, list):
        return [message for message in record if isinstance(message, dict)]
    return tables(record, "messages") if isinstance(record, dict) else []


def _tokens(message: Mapping[str, Any]) -> int:
    used = table(message, "metrics")
    told = table(used, "tokens")
    fresh = number(told, "prompt", "completion") - number(told, "cached")
    return max(0, fresh) + number(used, "inputTokens", "outputTokens", "cacheWriteTokens")


def _calls(message: Mapping[str, Any], turn: str, time: float | None) -> Iterator[Call]:
    for at, (tool, inner) in enumerate(_elements(_CALL, plain(message.get("content")))):
        # The first of a name holds: a later one may be in what a file is to hold.
        found = reversed([*_elements(_ARGUMENT, inner)])
        given = {name: value.strip() for name, value in found}
        yield Call(id=f"{turn}.{at}", tool=tool, arguments=given, time=time, turn=turn)


def _elements(opening: re.Pattern[str], said: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of elements, those in others left out.

    A name whose end is missing once is not looked for again: a hostile text has many beginnings.
    """
    place, endless = 0, set[str]()
    while match := opening.search(said, place):
        place = match.end()
        end = -1 if match[1] in endless else said.find(f"</{match[1]}>", place)
        if end < 0:
            endless.add(match[1])
            continue
        yield match[1], said[place:end]
        place = end


def _told(message: Mapping[str, Any], asked: list[Call], time: float | None) -> Iterator[Item]:
    """Yield the answers that come as text, in one block or in two; without any, the user speaks."""
    said = [text(block, "text") for block in tables(message, "content")]
    marks = [(at, mark) for at, block in enumerate(said) if (mark := _RESULT.match(block))]
    folder = next(filter(None, map(_FOLDER.search, said)), None)
    yield About(cwd=folder[1] if folder else "")
    for at, mark in marks:
        call = next((call for call in asked if call.tool == mark[1]), None)
        if call is not None:
            asked.remove(call)
            words = said[at][mark.end() :] or "".join(said[at + 1 : at + 2])
            yield Answer(id=call.id, text=words, failed=bool(_FAILED.match(words)), time=time)
    if not marks:
        yield Prompt(time=time)
