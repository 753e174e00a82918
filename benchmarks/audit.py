"""Measure how fast `truepath audit` reads transcripts, beside ccusage, which counts
their tokens.

The transcripts are made for the run. Times are CPU (user and system) of the whole
program, the median of three."""

from __future__ import annotations

import os
import sqlite3
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from clock import Line, program
from finders import NotHereError, installed

from truepath.cli.terminal import duration, table

CCUSAGE = "17.2.1"
"""The last version in JavaScript; npm may not have the native program of later ones."""
_SESSIONS, _RUNS = 40, 3
TESTS = Path(__file__).parents[1] / "tests"
STORY = TESTS / "transcripts/claude-code.jsonl"


def session(name: int) -> str:
    """Return a transcript: a story of four calls, of which one misses a path, told 40
    times.
    """
    text = STORY.read_text("utf-8").replace("all green", "all green\\n" * 3_000)
    ids = (f"{name}_{at}_" for at in range(40))
    return "".join(
        text.replace("toolu_", f"toolu_{each}").replace("msg_", each) for each in ids
    )


def database(place: Path, log: list[sqlite3.Connection]) -> None:
    """Make a database of Crush with the same story, told as often, in as many sessions;
    the last one is in its log alone.
    """
    sys.path.insert(0, str(TESTS))
    databases = import_module("databases")
    story = [
        (tool, given, said.replace("all green", "all green\n" * 3_000), *rest)
        for tool, given, said, *rest in databases.STORY
    ]
    databases.crush(place, *[story * 40] * _SESSIONS, open_in=log)
    log[0].execute("PRAGMA wal_checkpoint(TRUNCATE)")
    databases.add(log[0], "last", story)
    log[0].commit()


def main() -> None:
    commands = {"truepath audit": [sys.executable, "-m", "truepath", "audit", "--json"]}
    try:
        binary = installed("ccusage", CCUSAGE) / "node_modules/.bin/ccusage"
        commands[f"ccusage {CCUSAGE}"] = [str(binary), "daily", "--offline", "--json"]
    except NotHereError as error:
        print(f"left out: {error}")
    with tempfile.TemporaryDirectory(prefix="tp-") as home:
        place = Path(home) / ".claude/projects/-home-ada-orders"
        place.mkdir(parents=True)
        for name in range(_SESSIONS):
            (place / f"{name}.jsonl").write_text(session(name), encoding="utf-8")
        kept = Path(home) / "elsewhere/crush.db"
        log: list[sqlite3.Connection] = []
        database(kept, log)
        of = {what: size(place) for what in commands}
        what = "truepath audit, a database"
        commands[what] = [*commands["truepath audit"], str(kept)]
        of[what] = size(kept.parent)
        environ = {**os.environ, "HOME": home, "CLAUDE_CONFIG_DIR": f"{home}/.claude"}
        rows = []
        for what, command in commands.items():
            runs = [program(command, environ=environ)[1] for _ in range(_RUNS)]
            took = Line(what, _SESSIONS, runs)
            speed = f"{of[what] / took.cpu:,.0f}"
            rows.append((what, f"{of[what]:,.0f}", duration(took.cpu), speed))
        log[0].close()
    head = (f"{_SESSIONS} transcripts", "MB", "CPU", "MB a second of CPU")
    print(table(head, rows))


def size(folder: Path) -> float:
    """Return how many MB the files in a folder have."""
    return sum(each.stat().st_size for each in folder.iterdir()) / 1e6


if __name__ == "__main__":
    main()
