"""How a corrected call ended, with the real programs: it fails for another reason, or
another hook drops the correction. What a person refuses is in `test_screens`.
"""

from __future__ import annotations

import sys

import pytest
from clients import rig
from clients.programs import PROGRAMS

from truepath.hosts import find
from truepath.journal.journal import EventReader

pytestmark = pytest.mark.client


def program(name):
    found = PROGRAMS[name]
    if rig.program(found.COMMAND) is None:
        pytest.skip(f"no {found.COMMAND} here: `make test-clients` installs it")
    return found


def ends(place):
    """Return how the corrected calls ended, each by the path that was written."""
    journal = place / "home/.local/state/truepath/journal/events.jsonl"
    events = [*EventReader(journal).read()]
    sent = {event.id: event for event in events if event.event == "path.corrected"}
    told = [event for event in events if event.event == "path.ended"]
    assert len({event.of for event in told}) == len(told)
    assert {event.of for event in told} <= {*sent}
    by_path = {event.requested: "" for event in sent.values()}
    by_path |= {event.requested: event.end for event in told}
    return {path.rpartition("/")[2]: end for path, end in by_path.items()}


RUNS = ("claude-code", "codex", "gemini", "copilot", "opencode", "pi", "cline")


@pytest.mark.parametrize("name", RUNS)
def test_what_ran_and_what_failed_there_are_told_apart(name, tmp_path, root):
    client = program(name)
    lines = [
        "cat specs/status.md",
        "cat specs/plan.md && false",
        "head -c 4 specs/notes.md | cat",
    ]
    ran = client.run(tmp_path, [client.shell(line) for line in lines], root=root)
    assert ran.status == 0, ran.output + ran.errors
    found = ends(tmp_path)
    # Codex tells no status, and nothing was printed that says so.
    failed = "ran" if name == "codex" else "failed"
    assert found == {"status.md": "ran", "plan.md": failed, "notes.md": "ran"}
    told = ran.having("docs/plan.md` was used in place of `specs/plan.md`")
    assert bool(told) == (failed == "failed")
    assert bool(ran.having("OK: `docs/plan.md`")) == (failed == "ran")


REWRITES = """\
import json, sys
event = json.load(sys.stdin)
call = dict(event["tool_input"], command=event["tool_input"]["command"] + "; true")
if event["hook_event_name"] == {before!r}:
    inner = {{"hookEventName": {before!r}, {field!r}: call, **{more!r}}}
    print(json.dumps({{"hookSpecificOutput": inner}}))
"""
"""A hook of the user's that wraps each command, as some do."""


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini"])
def test_a_correction_that_another_hook_drops_is_told_also_where_the_call_ended_well(
    name, tmp_path, root
):
    client = program(name)
    host = find(name)
    before = next(iter(host.EVENTS))
    other = tmp_path / "other.py"
    other.write_text(
        REWRITES.format(before=before, field=host.INPUT_FIELD, more=host.APPROVAL)
    )
    slow = f"sleep 1; '{sys.executable}' '{other}'"
    [piece] = host.pieces(client.hook, timeout=10)
    shell = next(iter(host.COMMAND_TOOLS))
    entry = host.hook(slow, 10) | ({"name": "other"} if name == "gemini" else {})
    hooks = {event: [*entries] for event, entries in piece.content["hooks"].items()}
    hooks[before].append({"matcher": f"^{shell}$", "hooks": [entry]})
    pieces = [type(piece)(piece.user, piece.project, {**piece.content, "hooks": hooks})]
    settings = tmp_path / "home/.config/truepath/config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('beside_hooks = "rewrite"\n')
    ran = client.run(
        tmp_path, [client.shell("cat specs/status.md | cat")], root=root, pieces=pieces
    )
    assert ran.status == 0, ran.output + ran.errors
    assert ends(tmp_path) == {"status.md": "dropped"}
    assert ran.having("did not take the correction", "docs/status.md`")
