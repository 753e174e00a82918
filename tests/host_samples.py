"""The samples of every host: what its program sends, and what is to come of it. Data.

The first line of `hosts/samples/HOST.jsonl` holds events as the program sent them, by a
name, and the agent's environment. Each line after it is a row with a reason. `event` is
one of those events, with what `with` changes and without what `without` names; `before`
is a call that is about to run. A row then says one of these:

- `gets`: the request that the engine gets, as far as it is written down; null for
silence.
- `decisions` and `says`: what is decided, and the host's JSON; null for silence.
- `needs`: the paths that must be there for no thought; null where only the engine can
tell.
- `files`, `tool`, `arguments` and `denied`: the host's rules, a call, and whether they
forbid it.
- `files`, `call` and `asked`: the same, and whether the host asks the user before it
runs the call.
- `files`, `hidden` and `shown`: the same, and paths that must not be named, or may be.
- `files`, `call` and `kept`: the same, and whether a call neither replaces nor is
replaced.
- `files`, `call` and `leaves`: the same, and whether a call leaves where the agent was
started.
- `rules_in`: files in which the host keeps rules.
- `installs`: the files that make the host call us, for a client called `truepath hook
HOST`."""

from __future__ import annotations

import json
from pathlib import Path

from truepath.hosts import HOSTS

FOLDER = Path(__file__).parent / "hosts" / "samples"
ROOT = "/home/u/repo"
HOME = {"HOME": "/home/u"}


class Samples:
    """Those of one host."""

    def __init__(self, name):
        file = FOLDER / f"{name}.jsonl"
        # A host without samples fails the one test that asks for them, not the import.
        text = (
            file.read_text("utf-8")
            if file.exists()
            else '{"events": {}, "environ": {}}'
        )
        first, *self.rows = map(json.loads, text.splitlines())
        self.name = name
        self.events = first["events"]
        self.own = first["environ"]

    def event(self, row):
        """Return the event of a row."""
        whole = {**self.events[row["event"]], **row.get("with", {})}
        return {
            key: value
            for key, value in whole.items()
            if key not in row.get("without", ())
        }

    def environ(self, row):
        """Return the agent's environment in a row; null takes a variable away."""
        whole = {**self.own, **row.get("environ", {})}
        return {name: value for name, value in whole.items() if value is not None}


def _tools():
    """Return what each program offers its model: tool -> the names of its arguments."""
    tools = {}
    lines = (FOLDER.parent / "tools.jsonl").read_text("utf-8").splitlines()
    for row in map(json.loads, lines):
        tools.setdefault(row["host"], {})[row["tool"]] = row["arguments"]
    return tools


TOOLS = _tools()

ALL = {name: Samples(name) for name in HOSTS}

SAMPLED = [name for name, samples in ALL.items() if samples.events]
"""The hosts with samples: `test_each_host_has_samples` asks for those of the others."""


def rows(part):
    """Return the rows of all hosts that say `part`, with the samples they are of."""
    return [(each, row) for each in ALL.values() for row in each.rows if part in row]


def named(pair):
    """Return what a row is called."""
    samples, row = pair
    return f"{samples.name}: {row['reason']}"
