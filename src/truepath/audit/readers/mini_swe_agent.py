"""mini-swe-agent: `INSTANCE.traj.json`, version 1 (commands in the text) and 2 (tool calls)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from truepath.audit.readers.items import (
    About,
    Answer,
    Call,
    Item,
    Usage,
    fresh,
    of_functions,
    plain,
    when,
)
from truepath.hosts.fields import table, tables, text

NAME = "mini-swe-agent"

_BASH = re.compile(r"```(?:bash|mswea_bash_command)\s*\n(.*?)\n?```", re.DOTALL)
_CODE = re.compile(r"<returncode>\s*(-?\d+)\s*</returncode>")


def fits(record: Any) -> bool:
    """Tell whether a record is one of this format."""
    if not isinstance(record, dict) or not isinstance(record.get("messages"), list):
        return False
    named = text(record, "trajectory_format").startswith("mini-swe-agent")
    return named or "exit_status" in table(record, "info")


def read(records: Iterable[Any]) -> Iterator[Item]:
    """Yield what happened."""
    for record in records:
        if not isinstance(record, dict):
            continue
        config = table(table(record, "info"), "config")
        yield About(
            session=text(record, "instance_id"),
            model=text(table(config, "model"), "model_name"),
            cwd=text(table(config, "environment"), "cwd"),
        )
        asked: list[str] = []
        for at, message in enumerate(tables(record, "messages")):
            if message.get("role") == "assistant":
                calls = list(_calls(message, str(at)))
                asked = [call.id for call in calls if isinstance(call, Call)]
                yield from calls
            elif call_id := text(message, "tool_call_id") or "".join(asked[:1]):
                asked = [other for other in asked if other != call_id]
                yield _answer(message, call_id)


def _calls(message: Mapping[str, Any], turn: str) -> Iterator[Item]:
    extra = table(message, "extra")
    time = when(extra.get("timestamp"))
    calls = of_functions(message, turn=turn, time=time)
    texts = [text(action, "command") for action in tables(extra, "actions")]
    texts = texts or [match[1] for match in _BASH.finditer(plain(message.get("content")))]
    yield from calls or (
        Call(id=f"{turn}.{at}", tool="bash", arguments={"command": command}, time=time, turn=turn)
        for at, command in enumerate(texts)
    )
    used = table(table(extra, "response"), "usage")
    yield Usage(turn=turn, tokens=fresh(used))


def _answer(message: Mapping[str, Any], call_id: str) -> Answer:
    extra, said = table(message, "extra"), plain(message.get("content"))
    code = _CODE.search(said)
    failed = code[1] != "0" if code else extra.get("returncode") not in (0, None)
    time = when(extra.get("timestamp"))
    return Answer(id=call_id, text=text(extra, "raw_output") or said, failed=failed, time=time)
