"""mini-swe-agent: `INSTANCE.traj.json`, version 1 (commands in the text) and 2 (tool calls)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from truepath.audit.transcript import Call, Homes, Record, Transcript, fresh, plain, when
from truepath.hosts.fields import table, tables, text

NAME = "mini-swe-agent"
HOMES: Homes = ()

_BASH = re.compile(r"```(?:bash|mswea_bash_command)\s*\n(.*?)\n?```", re.DOTALL)
_CODE = re.compile(r"<returncode>\s*(-?\d+)\s*</returncode>")


def fits(record: Record) -> bool:
    """Tell whether a record is one of this format."""
    named = text(record, "trajectory_format").startswith("mini-swe-agent")
    return "messages" in record and (named or "exit_status" in table(record, "info"))


def read(records: Iterable[Record], into: Transcript) -> None:
    """Take the records. An instance that ran twice is two sessions: it names none."""
    for record in records:
        config = table(table(record, "info"), "config")
        model = text(table(config, "model"), "model_name")
        into.about(model=model, cwd=text(table(config, "environment"), "cwd"))
        asked: list[Call] = []
        for at, message in enumerate(tables(record, "messages")):
            if message.get("role") == "assistant":
                asked = _calls(message, str(at), into)
            elif call_id := text(message, "tool_call_id"):
                _answer(message, call_id, into)
            elif asked:
                _answer(message, asked.pop(0), into)


def _calls(message: Mapping[str, Any], turn: str, into: Transcript) -> list[Call]:
    extra = table(message, "extra")
    time = when(extra.get("timestamp"))
    calls = into.functions(message, turn=turn, time=time)
    if not calls:
        texts = [text(action, "command") for action in tables(extra, "actions")]
        texts = texts or [match[1] for match in _BASH.finditer(plain(message.get("content")))]
        calls = [into.call("", "bash", {"command": line}, time=time, turn=turn) for line in texts]
    into.used(fresh(table(table(extra, "response"), "usage")), turn)
    return calls


def _answer(message: Mapping[str, Any], of: str | Call, into: Transcript) -> None:
    extra, said = table(message, "extra"), plain(message.get("content"))
    code = _CODE.search(said)
    failed = code[1] != "0" if code else extra.get("returncode") not in (0, None)
    time = when(extra.get("timestamp"))
    into.answer(of, text(extra, "raw_output") or said, failed=failed, time=time)
