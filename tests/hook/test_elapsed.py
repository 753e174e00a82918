"""The time that an event records is the time that the agent waited, from the start of the hook."""

from __future__ import annotations

import json
import os
import time

import hooks

from truepath.hook import answer, deadline
from truepath.journal.journal import EventReader, journal_path


def test_the_time_recorded_counts_from_the_start_of_the_hook(tmp_path, monkeypatch):
    monkeypatch.setenv("TRUEPATH_STATE", str(tmp_path / "state"))
    monkeypatch.setenv(deadline.VARIABLE, "9")
    repo = hooks.make_project(tmp_path / "repo")
    data = json.dumps(hooks.event(repo)).encode()
    began = time.time() - 5  # an interpreter that took as long to start, or a client before it
    assert answer.reply("claude-code", data, os.environ, began)
    (event,) = EventReader(journal_path(str(tmp_path / "state"))).read()
    assert event.elapsed_us >= 5_000_000
