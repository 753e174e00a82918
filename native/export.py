"""Write what the cheap looks know: `tables.json` of hosts, and `programs.txt`, a copy
of Python's.

Run it when a table has changed: `python native/export.py`. A test holds the files to
the tables.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from truepath.calls.shell import programs as table
from truepath.calls.shell.needs import NEEDS
from truepath.config import DOCUMENTS
from truepath.hosts import HOSTS, find
from truepath.hosts.host import Host
from truepath.hosts.table import REFUSALS
from truepath.session import keys

HERE = Path(__file__).parent


def hosts() -> str:
    """Return the text of `tables.json`: a part a line, for the client reads what it
    needs.
    """
    parts: dict[str, Any] = {f"host {name}": events_of(find(name)) for name in HOSTS}
    parts["idle markers"] = [words.decode() for words in keys.IDLE_MARKERS]
    parts["failed by size"] = f'"{keys.FAILED_BY_SIZE}'
    parts["failed edit"] = f'"{keys.FAILED_EDIT}'
    parts["documents"] = DOCUMENTS
    parts |= needs()
    parts["refusals"] = [code.decode() for code in REFUSALS]
    lines = [f"{json.dumps(name)}:{_plain(value)}" for name, value in parts.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def needs() -> dict[str, Any]:
    """Return what each program needs in its folder: by subcommand ("" for none), where
    a quick look looks for it, files of which any is enough, and which of its words must
    be in that.
    """
    parts: dict[str, Any] = {}
    for need in NEEDS:
        for command in need.commands.split(", "):
            program, _, subcommand = command.partition(" ")
            known = parts.setdefault(f"needs {program}", {})
            where = "above" if need.above else "here"
            known[subcommand] = (where, need.files, need.item)
    return parts


def events_of(host: Host) -> dict[str, Any]:
    """Return what a host's table tells about events, in the client's words."""

    def of(phase: str) -> list[str]:
        return [name for name in host.EVENTS if host.EVENTS[name] == phase]

    return {
        "event": host.EVENT_FIELD,
        "tool": host.TOOL_FIELD,
        "input": host.ARGUMENTS_FIELD,
        "cwd": host.CWD_FIELD,
        "session": host.SESSION_FIELD,
        "agent": host.AGENT_FIELD,
        "turn": host.TURN_FIELD,
        "prompt": host.PROMPT_FIELD,
        "calls": of("before"),
        "prompts": of("prompt"),
        "agents": of("agent"),
        "agent tools": host.AGENT_TOOLS,
        "failures": [name for name in of("failure") if name not in host.FAILURE_MARKS],
        "marks": host.FAILURE_MARKS,
        "unmet": host.UNMET_MARKS,
        "paths": host.PATH_TOOLS,
        "limits": {tool: each["whole"] for tool, each in host.READ_LIMITS.items()},
        "commands": host.COMMAND_TOOLS,
    }


def programs() -> str:
    """Return the text of `programs.txt`."""
    return Path(table.__file__).with_name("programs.txt").read_text("utf-8")


def _plain(value: Any) -> str:
    return json.dumps(value, default=sorted, sort_keys=True, separators=(",", ":"))


FILES = {HERE / "tables.json": hosts, HERE / "programs.txt": programs}

if __name__ == "__main__":
    for file, text in FILES.items():
        file.write_text(text(), "utf-8")
