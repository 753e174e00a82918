"""Hooks that are killed at any moment, and state that was written to by anybody."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import hooks
import pytest

from truepath.journal.journal import EventReader, journal_path
from truepath.session.state import SessionState

if sys.platform == "win32":
    pytest.skip("not on Windows: signals", allow_module_level=True)

WAVES = 6
AT_ONCE = 12
PATHS = ("specs/status.md", "lib/util.py", "docs/status.md", "docs/stauts.md")


@pytest.mark.parametrize("client", hooks.clients().values(), ids=hooks.clients())
def test_hooks_that_are_killed_lose_nothing_of_the_others(client, tmp_path):
    repo, state = hooks.make_project(tmp_path / "repo"), tmp_path / "state"
    environ = {**os.environ, "TRUEPATH_STATE": str(state)}
    dice = random.Random(7)
    answered = set()
    for wave in range(WAVES):
        running = {}
        for number in range(AT_ONCE):
            session = f"{wave}-{number}"
            event = hooks.event(repo, PATHS[number % 4], session_id=session)
            process = subprocess.Popen(
                client,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environ,
            )
            process.stdin.write(json.dumps(event).encode())
            process.stdin.close()
            running[session] = process
        killed = [*running.values()][:: 3 + wave % 2]
        for process in killed:
            time.sleep(dice.random() / 10)
            process.kill()
        for session, process in running.items():
            said = process.stdout.read()
            process.stdout.close()
            process.wait(300)
            if process in killed:
                continue
            assert process.returncode == 0
            assert not said or json.loads(said)
            if said:
                answered.add(session)
    assert answered
    reader = EventReader(journal_path(str(state)))
    noted = {event.session for event in reader.read()}
    assert reader.bad == 0, "a line is whole or not there"
    assert answered - noted == set()
    for session in (state / "sessions").glob("*.json"):
        SessionState.from_json(session.read_bytes())


def mutated(data, dice):
    """Return data with something wrong in it."""
    at = dice.randrange(len(data) + 1)
    to = min(len(data), at + dice.randrange(1, 40))
    junk = bytes(dice.randrange(256) for _ in range(dice.randrange(1, 40)))
    return dice.choice(
        [
            data[:at],
            data[at:],
            data[:at] + junk + data[to:],
            data[:at] + data[at:to] * 3 + data[to:],
            data[:at] + b"\0" * 20 + data[at:],
            data.replace(b":", b":[", 1),
            data.replace(b"docs", b"/etc"),
            data.replace(b"specs", b"../.."),
            data.replace(b"1", b"1e999"),
            data + data,
            junk,
        ]
    )


def states(folder):
    """Return what a hook reads: the session, the history and what comes with it."""
    found = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    return [file for file in found if "lock" not in file.name and file.stat().st_size]


@pytest.mark.parametrize("seed", range(8))
def test_state_that_somebody_changed_leads_to_no_wrong_file(
    seed, tmp_path, monkeypatch
):
    repo, state = hooks.make_project(tmp_path / "repo"), tmp_path / "state"
    monkeypatch.setenv("TRUEPATH_STATE", str(state))
    for path in (*PATHS, "lib/util.py"):
        hooks.run(hooks.event(repo, path, session_id="one"))
    whole = {file: file.read_bytes() for file in states(state)}
    assert len(whole) >= 3
    dice = random.Random(seed)
    there = {str(file) for file in Path(repo).rglob("*") if file.is_file()}
    for _ in range(25):
        for file, data in whole.items():
            file.write_bytes(mutated(data, dice))
        path = dice.choice(PATHS)
        status, out, err = hooks.run(hooks.event(repo, path, session_id="one"))
        assert (status, err) == (0, b"")
        answer = json.loads(out or b"{}").get("hookSpecificOutput", {})
        led_to = answer.get("updatedInput", {}).get("file_path")
        assert led_to is None or led_to in there
