"""The checks of `make load` notice each thing that must not be: one row a fault."""

from __future__ import annotations

import json
import pathlib
import sys
from types import SimpleNamespace

import pytest

HERE = pathlib.Path(__file__).parent
pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="not on Windows: posix_spawn"
)

STABLE, CAME, WENT = "/p/src/a.py", "/p/new.txt", "/p/old.txt"
CHANGES = [(10.0, 10.1, CAME, True), (1.0, 1.1, WENT, True), (20.0, 20.1, WENT, False)]

REFUSED = {"permissionDecision": "deny"}
USES_WENT, USES_CAME = (
    {"updatedInput": {"file_path": WENT}},
    {"updatedInput": {"file_path": CAME}},
)
REFUSAL = "no refusal, and no other path, where the path existed throughout"
GONE = "no correction to a file that was not there"

FAULTS = [
    # from, to, path, answer, what is broken
    (2, 3, STABLE, REFUSED, [REFUSAL]),
    (2, 3, STABLE, {}, []),
    (2, 3, WENT, REFUSED, [REFUSAL]),
    (19, 21, WENT, REFUSED, []),  # it went meanwhile
    (30, 31, WENT, REFUSED, []),
    (2, 3, CAME, REFUSED, []),  # it came later
    (30, 31, "/p/x", USES_WENT, [GONE]),
    (19, 21, "/p/x", USES_WENT, []),  # it was there when the call began
    (2, 3, "/p/x", USES_CAME, [GONE]),
    (9, 11, "/p/x", USES_CAME, []),
    (30, 45, STABLE, {}, ["no call longer than the deadline"]),
]


@pytest.fixture
def load(monkeypatch, tmp_path):
    """Return what makes a run of one call, and the check of a run."""
    for folder in ("load", "surroundings"):
        monkeypatch.syspath_prepend(str(HERE / folder))
    import hook_calls
    import properties
    import world

    log = tmp_path / "log"
    log.write_text("".join(json.dumps(change) + "\n" for change in CHANGES))
    project = world.Project(pathlib.Path("/p"), ("src/a.py",))
    client = hook_calls.Client("python", (), {})

    def run(began, ended, path, answer, **more):
        call = hook_calls.Call(client, project, "exists", path, id="1")
        call.began, call.ended = began, ended
        call.printed = (
            json.dumps({"hookSpecificOutput": answer}).encode() if answer else b""
        )
        given = {
            "calls": [call],
            "timeline": world.Timeline([project], [log]),
            "events": [],
        }
        given |= {
            "torn": 0,
            "library": "",
            "sizes": [],
            "left": [],
            "slowest_start": 0.1,
        }
        found = properties.every(properties.Run(**given | more))
        return [each.name for each in found if each.broken]

    return run


@pytest.mark.parametrize(("began", "ended", "path", "answer", "broken"), FAULTS)
def test_an_answer_is_held_against_the_disk_at_the_time(
    load, began, ended, path, answer, broken
):
    assert load(began, ended, path, answer) == broken


def test_what_grows_stays_or_is_torn_is_told(load):
    grown = [(10_000_000, 5)] * 6 + [(40_000_000, 30)] * 3
    broken = load(2, 3, STABLE, {}, sizes=grown)
    assert [name.partition(",")[0] for name in broken] == [
        "no growth of memory",
        "no growth of open files",
    ]
    assert load(2, 3, STABLE, {}, left=["git log"]) == ["no process left behind"]
    assert load(2, 3, STABLE, {}, torn=1) == ["no torn line in the journal"]


@pytest.mark.parametrize(
    ("ends", "broken"),
    [
        (["ran"], []),
        (["ran", "ran"], ["two ends"]),
        (["ran", "declined"], ["two ends"]),
    ],
)
def test_a_call_with_two_ends_is_told(load, ends, broken):
    sent = SimpleNamespace(id="e", call_id="1", event="path.corrected", candidates=())
    told = [
        SimpleNamespace(
            id=end, call_id="1", event="path.ended", of="e", end=end, candidates=()
        )
        for end in ends
    ]
    found = load(2, 3, STABLE, {}, events=[sent, *told])
    assert [name.partition(" has ")[2] for name in found] == broken


def test_a_candidate_that_was_gone_is_told(load):
    event = SimpleNamespace(call_id="1", event="path.refused", candidates=("old.txt",))
    assert load(2, 3, "/p/x", REFUSED, events=[event]) == []
    assert load(30, 31, "/p/x", REFUSED, events=[event]) == [
        "no candidate that was gone throughout the call"
    ]
