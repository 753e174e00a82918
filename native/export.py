"""Write what the cheap looks know: `tables.json` of hosts, and `programs.txt` of programs.

Run it when a table has changed: `python native/export.py`. The native client reads both, the one in
Python the second. A test holds the files to the tables.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from truepath.calls.shell import fast
from truepath.calls.shell.commands import SHELLS, VERSIONED, Command, Prefix, Role, tables
from truepath.hosts import HOSTS, find
from truepath.session import keys

HERE = Path(__file__).parent
RESERVED = (
    "if then else elif fi for while until do done case esac in function select time coproc declare"
    " typeset export readonly local unset unsetenv"
)
"""Words that begin what is more than a simple command."""

EXPRESSIONS = "-newer -anewer -cnewer -samefile -fprint -fls"
"""Beginnings of the tests and actions of `find` that take a path."""

COVERED = frozenset(
    (
        *("", "awk", "bat", "checkout", "clone", "compose", "curl", "diff", "fd", "ln", "log"),
        *("make", "output", "revision", "rm", "sed", "shell", "source", "tail", "transfer", "tsc"),
    )
)
"""Special rules that find no path which the plain reading of the same table entry does not."""

FOR_THE_ENGINE = ("cd", "pushd", "popd", "coverage")
"""Behind a launcher they change the folder; `coverage run -m` runs a module."""


def hosts() -> str:
    """Return the text of `tables.json`: a part a line, for the client reads what it needs."""
    parts: dict[str, Any] = {f"host {name}": dict(find(name).EVENT_SCHEMA) for name in HOSTS}
    parts["at rest"] = [words.decode() for words in keys.IDLE_MARKERS]
    lines = [f"{json.dumps(name)}:{_plain(value)}" for name, value in parts.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def programs() -> str:
    """Return the text of `programs.txt`: one program a line, its fields as in `fast.FIELDS`."""
    lists = {
        "expressions": EXPRESSIONS,
        "reserved": RESERVED,
        "shells": " ".join(sorted(SHELLS)),
        "versioned": " ".join(VERSIONED),
    }
    lines = [f"words {name}\t{words}" for name, words in lists.items()]
    for name, fields in _programs():
        values = [fields.get(field, "") for field in fast.FIELDS]
        lines.append("\t".join((f"program {name}", *values)))
    return "\n".join(("Written by native/export.py; in order.", *sorted(lines))) + "\n"


def _programs() -> Iterator[tuple[str, dict[str, str]]]:
    commands, prefixes = tables()
    for name, command in commands.items():
        fields = {} if name in (*prefixes, *FOR_THE_ENGINE) else _command(name, command)
        if any(fields.values()):
            yield name, {"skip": "0", **fields}
    for name, prefix in prefixes.items():
        yield name, _prefix(prefix)
    for name in FOR_THE_ENGINE:
        yield name, {"manner": "ask", "skip": "0"}


def _prefix(prefix: Prefix) -> dict[str, str]:
    return {
        "valued": _valued(prefix.valued),
        "asks": " ".join(prefix.paths),
        "manner": "launcher",
        "skip": str(prefix.skip),
    }


def _command(name: str, command: Command) -> dict[str, str]:
    """Return the fields of a program; none where the engine finds nothing in its arguments."""
    if name == "find" or (command.nested and " " in name):
        return {}
    if command.special not in COVERED:
        return {"manner": "ask"}
    asks = " ".join((*command.paths, *(["-c"] if command.special == "shell" else [])))
    if command.nested:
        return {
            "valued": _valued(command.valued),
            "asks": asks,
            "manner": "nested",
        }
    if command.operands is None:
        return {"valued": _valued(command.valued), "asks": asks} if asks else {}
    output = command.special == "output"
    last = "new" if output else "target" if command.last else ""
    limit = 2 if output else command.limit
    return {
        "kind": _kind(command.operands),
        "last": last,
        "limit": "" if limit is None else str(limit),
        "valued": _valued(command.valued),
        "skip_unless": command.skip_unless,
        "asks": asks,
        "ends": command.program,
        "manner": _manner(command),
        "skip": str(command.skip),
    }


def _manner(command: Command) -> str:
    before_dashes = {"": "", "only": "only", "named": "named", "last": "named"}[
        command.before_dashes
    ]
    single_dash = "single" if command.single_dash else ""
    strict = "strict" if command.flags is not None else ""
    return " ".join(filter(None, (before_dashes, single_dash, strict)))


def _kind(role: Role) -> str:
    forms = {"pytest": "tests", "package": "package", "local": "local"}
    if role.creates:
        return "folder" if role.kind == "folder" else "new"
    return forms.get(role.form, role.kind)


def _valued(options: str) -> str:
    """Return options with the values they take, but for long ones that take none."""
    long = [option for option in options.split() if option[:2] == "--" and option[-2:] == ":0"]
    return " ".join(option for option in options.split() if option not in long)


def _plain(value: Any) -> str:
    return json.dumps(value, default=sorted, sort_keys=True, separators=(",", ":"))


FILES = {
    HERE / "tables.json": hosts,
    HERE / "programs.txt": programs,
    Path(fast.__file__).with_name("programs.txt"): programs,
}

if __name__ == "__main__":
    for file, text in FILES.items():
        file.write_text(text(), "utf-8")
