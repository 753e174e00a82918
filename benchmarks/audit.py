"""Measure how fast `truepath audit` reads transcripts, beside ccusage, which counts
their tokens.

The transcripts are made for the run. Times are CPU (user and system) of the whole
program, the median of three."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from clock import Line, program
from finders import NotHereError, installed

from truepath.cli.terminal import duration, table

CCUSAGE = "17.2.1"
"""The last version in JavaScript; npm may not have the native program of later ones."""
_SESSIONS, _RUNS = 40, 3
STORY = Path(__file__).parents[1] / "tests/transcripts/claude-code.jsonl"


def session(name: int) -> str:
    """Return a transcript: a story of four calls, of which one misses a path, told 40
    times.
    """
    text = STORY.read_text("utf-8").replace("all green", "all green\\n" * 3_000)
    ids = (f"{name}_{at}_" for at in range(40))
    return "".join(
        text.replace("toolu_", f"toolu_{each}").replace("msg_", each) for each in ids
    )


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
        size = sum(each.stat().st_size for each in place.iterdir()) / 1e6
        environ, rows = (
            {**os.environ, "HOME": home, "CLAUDE_CONFIG_DIR": f"{home}/.claude"},
            [],
        )
        for what, command in commands.items():
            took = Line(
                what,
                _SESSIONS,
                [program(command, environ=environ)[1] for _ in range(_RUNS)],
            )
            rows.append((what, duration(took.cpu), f"{size / took.cpu:,.0f}"))
    print(
        table(
            (f"{_SESSIONS} transcripts, {size:,.0f} MB", "CPU", "MB a second of CPU"),
            rows,
        )
    )


if __name__ == "__main__":
    main()
