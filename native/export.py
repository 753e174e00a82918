"""Write what the cheap looks know: `tables.json` of hosts, and `programs.txt`, a copy of Python's.

Run it when a table has changed: `python native/export.py`. A test holds the files to the tables.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from truepath.calls.shell import programs as table
from truepath.calls.tool_tables import DISCOVERY_COMMANDS
from truepath.hosts import HOSTS, find
from truepath.hosts.table import REFUSALS
from truepath.session import keys

HERE = Path(__file__).parent


def hosts() -> str:
    """Return the text of `tables.json`: a part a line, for the client reads what it needs."""
    parts: dict[str, Any] = {f"host {name}": dict(find(name).EVENT_SCHEMA) for name in HOSTS}
    parts["idle markers"] = [words.decode() for words in keys.IDLE_MARKERS]
    parts["looking"] = DISCOVERY_COMMANDS
    parts["refusals"] = [code.decode() for code in REFUSALS]
    lines = [f"{json.dumps(name)}:{_plain(value)}" for name, value in parts.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def programs() -> str:
    """Return the text of `programs.txt`."""
    return Path(table.__file__).with_name("programs.txt").read_text("utf-8")


def _plain(value: Any) -> str:
    return json.dumps(value, default=sorted, sort_keys=True, separators=(",", ":"))


FILES = {HERE / "tables.json": hosts, HERE / "programs.txt": programs}

if __name__ == "__main__":
    for file, text in FILES.items():
        file.write_text(text(), "utf-8")
