"""SWE-agent: `INSTANCE.traj`. Its own commands are read as the tools that they are."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from truepath.audit.readers.items import About, Answer, Call, Item, arguments
from truepath.hosts.fields import table, tables, text

NAME = "swe-agent"

_FILES = {"open": "open", "create": "create"}
"""Commands whose first word is a file, and the tool that each is."""


def fits(record: Any) -> bool:
    """Tell whether a record is one of this format."""
    if not isinstance(record, dict):
        return False
    return any("action" in step and "observation" in step for step in tables(record, "trajectory"))


def read(records: Iterable[Any]) -> Iterator[Item]:
    """Yield what happened. A step's time is how long it took, counted from 0."""
    for record in records:
        if not isinstance(record, dict):
            continue
        yield About(session=text(record, "environment"), model=_model(record))
        clock = 1.0
        for at, step in enumerate(tables(record, "trajectory")):
            yield _call(text(step, "action"), str(at), clock)
            taken = step.get("execution_time")
            clock += taken if isinstance(taken, float) and 0 <= taken < 1e6 else 0.0
            yield Answer(id=str(at), text=text(step, "observation"), time=clock)
            state = step.get("state")
            yield About(cwd=text(arguments(state), "working_dir"))


def _model(record: Mapping[str, Any]) -> str:
    config = arguments(record.get("replay_config"))
    agent = table(config, "agent")
    return text(table(agent, "model"), "name") or text(agent, "model_name")


def _call(action: str, turn: str, time: float) -> Call:
    words = _words(action)
    tool: str = "bash"
    given: dict[str, str] = {"command": action.strip()}
    if len(words) > 1 and words[0] in _FILES:
        tool, given = _FILES[words[0]], {"path": words[1]}
    elif len(words) > 2 and words[0] == "str_replace_editor":
        tool, given = words[0], {"command": words[1], "path": words[2]}
    elif words[:1] == ["edit"]:
        tool, given = "edit_window", {}
    return Call(id=turn, tool=tool, arguments=given, time=time, turn=turn)


def _words(action: str) -> list[str]:
    """Return the words of an action's first line; of one that quotes do not end, those parts."""
    line = action.strip().partition("\n")[0][:4096]
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()
