"""What a journal adds up to: each row is a story of events, and the figures that it
makes.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import check_each

from truepath.journal.event import KINDS, Event
from truepath.journal.statistics import MISSES, add_up, cause, groups

ROWS = Path(__file__).with_name("statistics.jsonl")


def story(lines: list[str]) -> list[Event]:
    """Return events a second apart.

    A line has a kind, what it is about, and more: `#` the call, `@` the turn,
    `name=value`. Of a miss on `a` the file `y/a` is offered."""
    events, now = [], 1e9
    for line in lines:
        if line.startswith("+"):
            now += float(line)
            continue
        kind, *words = line.split(" ")
        now += 1.0
        fields = {"session": "s"}
        for word in words:
            name, is_named, value = word.partition("=")
            if word[:1] in "#@":
                fields["call_id" if word[0] == "#" else "turn"] = word[1:]
            elif is_named:
                fields[name] = value
            else:
                fields["target"] = word
        numbers = {"us": "elapsed_us", "streak": "streak"}
        fields.update(
            {numbers[name]: int(fields.pop(name)) for name in numbers if name in fields}
        )
        also = fields.pop("also", "")
        if kind in ("corrected", "assumed"):
            offered = f"y/{fields['target']}"
            fields |= {
                "resolved": offered,
                "end": fields.get("end", "ran"),
                "candidates": (offered, *filter(None, [also])),
            }
        elif kind == "refused":
            fields["candidates"] = (f"y/{fields['target']}",)
        known = kind if "." in kind else f"path.{kind}"
        events.append(Event(event=known, time=now, **fields))
    return events


def misses(events):
    return [event for event in events if event.event in MISSES]


def test_every_story_adds_up_to_what_its_row_says():
    def check(row):
        events = story(row.pop("events"))
        figures = add_up(misses(events))
        row.pop("why")
        for name, expected in row.items():
            found = figures[name]
            if name == "outcomes":
                found = {key: number for key, number in found.items() if number}
            assert found == expected, name

    rows = [json.loads(line) for line in ROWS.read_text().splitlines()]
    check_each(rows, check, lambda row: row.get("why", str(row)))


def test_a_group_has_its_own_sums():
    events = misses(
        story(["corrected a tool=Read host=a", "corrected b tool=Read host=b"])
    )
    events += misses(story(["absent c tool=Bash host=a streak=2"]))
    by_tool = {name: add_up(each) for name, each in groups(events, "tool").items()}
    assert [*by_tool] == ["Read", "Bash"]
    assert (by_tool["Read"]["outcomes"]["corrected"], by_tool["Read"]["repeated"]) == (
        2,
        0,
    )
    assert by_tool["Bash"]["repeated"] == 1
    assert [len(each) for each in groups(events, "host").values()] == [2, 1]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"status": "resolved", "reason": "renamed"}, "renamed"),
        ({"status": "ambiguous", "reason": "near"}, "near"),
        ({"status": "absent", "reason": "near"}, "absent"),
        ({"status": "ambiguous"}, "ambiguous"),
        ({}, ""),
    ],
)
def test_the_cause_is_the_reason_or_the_status(fields, why):
    assert cause(Event(event="path.refused", time=1e9, **fields)) == why


few = st.sampled_from(["", "a", "b"])
events = st.builds(
    Event,
    event=st.sampled_from(sorted(KINDS)),
    time=st.floats(0, 20_000),
    session=few,
    host=few,
    tool=few,
    call_id=few,
    turn=few,
    target=few,
    resolved=few,
    streak=st.integers(0, 3),
    candidates=st.lists(few, max_size=2).map(tuple),
)


@given(st.lists(events, max_size=40))
def test_any_journal_adds_up_and_so_do_its_parts(found):
    total = add_up(misses(found))
    assert total["misses"] == sum(total["outcomes"].values())
    assert total["repeated"] <= total["misses"]
    json.dumps(total)
    for by in ("host", "tool", "cause", "project"):
        parts = [add_up(each) for each in groups(misses(found), by).values()]
        for figure in ("misses", "repeated"):
            assert sum(part[figure] for part in parts) == total[figure]
