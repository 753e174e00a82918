"""Cline: `tasks/TASK/api_conversation_history.json`, and `SESSION.messages.json` of its CLI.

Where the model has no tool calls of its own, they are XML in what it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from truepath.audit.readers.items import (
    Answer,
    Call,
    Item,
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
_RESULT = re.compile(r"^\[\w+(?: for [^\n]*)?\] Result:\s*")
_FAILED = re.compile(r"^(?:The tool execution failed|Error )")


def fits(record: Any) -> bool:
    """Tell whether a record is one of this format."""
    roles = {text(message, "role") for message in _messages(record)}
    blocks = any(isinstance(message.get("content"), list) for message in _messages(record))
    return blocks and roles <= {"user", "assistant"}


def read(records: Iterable[Any]) -> Iterator[Item]:
    """Yield what happened."""
    for record in records:
        asked: list[str] = []
        for at, message in enumerate(_messages(record)):
            turn, time = str(at), when(message.get("ts"))
            found = [_unpacked(item) for item in of_blocks(message, turn=turn, time=time)]
            yield from found
            if message.get("role") == "assistant":
                yield Usage(turn=turn, tokens=_tokens(message))
                if not found:
                    asked = []
                    for call in _calls(message, turn, time):
                        asked.append(call.id)
                        yield call
            else:
                yield from _answers(message, asked, time)
                asked = []


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
    return number(table(message, "metrics"), "inputTokens", "outputTokens", "cacheWriteTokens")


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


def _answers(
    message: Mapping[str, Any], asked: Iterable[str], time: float | None
) -> Iterator[Answer]:
    """Yield the answers that come as text: one block says whose, the next what."""
    said = [text(block, "text") for block in tables(message, "content")]
    marks = [at for at, block in enumerate(said) if _RESULT.match(block)]
    for call_id, at in zip(asked, marks, strict=False):
        words = _RESULT.sub("", said[at]) or "".join(said[at + 1 : at + 2])
        yield Answer(id=call_id, text=words, failed=bool(_FAILED.match(words)), time=time)
