"""Write `tables.json`: what the native client knows of hosts and programs, from the Python tables.

Run it when a table has changed: `python native/export.py`. A test holds the file to the tables.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from truepath.calls.shell import fast_tables
from truepath.hosts import HOSTS, find
from truepath.session import keys

FILE = Path(__file__).with_name("tables.json")


def tables() -> str:
    """Return the text of the file: one part a line, for the client reads no more than it needs."""
    parts = {f"host {name}": dict(find(name).STAKES) for name in HOSTS}
    parts["glance"] = {
        name.lower(): value
        for name, value in vars(fast_tables).items()
        if name[0] != "_" and name.isupper() and name != "TYPE_CHECKING"
    }
    parts["at rest"] = [words.decode() for words in keys.IDLE_MARKERS]
    lines = [f"{json.dumps(name)}:{_plain(value)}" for name, value in parts.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _plain(value: Any) -> str:
    return json.dumps(value, default=sorted, sort_keys=True, separators=(",", ":"))


if __name__ == "__main__":
    FILE.write_text(tables(), "utf-8")
