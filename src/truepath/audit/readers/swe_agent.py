"""SWE-agent: `INSTANCE.traj`. Its own commands are read as the tools that they are."""

from __future__ import annotations

import shlex

from truepath.audit.transcript import Homes, Record, Records, Transcript, arguments
from truepath.fields import table, tables, text

NAME = "swe-agent"
HOMES: Homes = ()


def fits(record: Record) -> bool:
    steps = tables(record, "trajectory")
    return any("action" in step and "observation" in step for step in steps)


def read(records: Records, into: Transcript) -> None:
    """A step's time is how long it took, counted from 0.

    `environment` names what all runs share, so no name of the session is known.
    """
    for record in records:
        agent = table(arguments(record.get("replay_config")), "agent")
        into.about(model=text(agent, "model.name") or text(agent, "model_name"))
        clock = 1.0
        for at, step in enumerate(tables(record, "trajectory")):
            call = into.call("", *_call(text(step, "action")), time=clock, turn=str(at))
            taken = step.get("execution_time")
            clock += taken if isinstance(taken, float) and 0 <= taken < 1e6 else 0.0
            into.answer(call, text(step, "observation"), time=clock)
            into.about(cwd=text(arguments(step.get("state")), "working_dir"))


def _call(action: str) -> tuple[str, Record]:
    """Return the tool that an action is, and its arguments."""
    line = action.strip().partition("\n")[0][:4096]
    try:
        words = shlex.split(line)
    except ValueError:  # quotes that do not end
        words = line.split()
    if len(words) > 1 and words[0] in ("open", "create"):
        return words[0], {"path": words[1]}
    if len(words) > 2 and words[0] == "str_replace_editor":
        return words[0], {"command": words[1], "path": words[2]}
    if words[:1] == ["edit"]:
        return "edit_window", {}
    return "bash", {"command": action.strip()}
