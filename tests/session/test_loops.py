"""When misses in a row are a loop, whatever keeps the session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import check_each

from truepath.session.loops import Miss, Streak, likeness
from truepath.session.state import IDLE, SessionState, When, noted, record

HERE = Path(__file__).parent


def rows(name: str) -> list[dict]:
    return [json.loads(line) for line in (HERE / name).read_text().splitlines()]


def take(state, kind, path, *, now, turn="", started=None, gap_s=0.0, **how):
    """Take a step, as a session does."""
    when = When(turn, now if started is None else started, gap_s)
    asks = how.pop("asks", False)
    how["waiting"] = not how.pop("reported", False)
    miss = Miss(path, "", **how) if kind == "miss" else None
    return record(state, kind, when, now=now, miss=miss, asks=asks)


def test_every_scenario_comes_out_as_its_row_says():
    def play(row):
        state, now = SessionState(), 1e9
        for number, (kind, path, how, expected) in enumerate(row["steps"]):
            now += row.get("pause", 1.0)
            state = SessionState.from_json(state.to_json())
            gap_s = row.get("turn_gap_s", 0.0)
            state, streak = take(state, kind, path, now=now, gap_s=gap_s, **how)
            found = json.loads(
                json.dumps({name: getattr(streak, name) for name in expected})
            )
            assert found == expected, f"step {number}"

    check_each(rows("loops.jsonl"), play, lambda row: row["why"])


def test_paths_are_alike_or_not_as_their_rows_say():
    def compare(row):
        assert likeness(row["one"], row["other"]) == row["like"]
        assert likeness(row["other"], row["one"]) == row["like"]

    check_each(rows("likeness.jsonl"), compare, lambda row: row["why"])


@given(st.text(max_size=40), st.text(max_size=40))
def test_likeness_is_symmetric_and_takes_any_text(one, other):
    assert likeness(one, other) == likeness(other, one)
    assert likeness(one, one) == "path"


paths = st.sampled_from(["src/login.py", "lib/login.py", "docs/guide.md"]) | st.text(
    max_size=2000
)
steps = st.builds(
    dict,
    kind=st.sampled_from(["miss", "miss", "success", "discovery", "prompt"]),
    path=paths,
    turn=st.sampled_from(["", "", "t1", "t2", "t3", "~1"]),
    call_id=st.sampled_from(["", "", "c1", "c2"]),
    reported=st.booleans(),
    assumed=st.booleans(),
    missing_folder=st.sampled_from(["", "src/new"]),
    asks=st.booleans(),
)


@given(st.lists(st.tuples(steps, st.floats(0, 4000)), max_size=40))
def test_any_history_stays_small_and_is_the_same_after_storage(history):
    state, now = SessionState(), 1e9
    for step, pause in history:
        now += pause
        stored, other = take(SessionState.from_json(state.to_json()), now=now, **step)
        state, streak = take(state, now=now, **step)
        state, _ = noted(state, (step["path"],), now=now)
        stored, _ = noted(stored, (step["path"],), now=now)
        assert (stored, other) == (state, streak)
        assert (streak.level > 0) == (streak.count > 0)
        assert streak.level == 0 or streak.level <= streak.count
        assert streak.count > 1 or not streak.shift
    assert len(state.misses) <= 16
    assert len(state.to_json()) < 1_000_000


@given(st.lists(st.sampled_from(["miss", "miss", "discovery"]), max_size=30))
def test_one_path_missed_over_and_over_counts_its_turns_and_is_told_the_shift_once(
    kinds,
):
    state, misses, shifts, looked = SessionState(), 0, 0, False
    for turn, kind in enumerate(kinds):
        state, streak = take(state, kind, "a.py", turn=f"t{turn}", now=1e9 + turn)
        looked = looked or (kind == "discovery" and misses > 0)
        if kind == "miss":
            misses += 1
            shifts += streak.shift
            assert streak.count == misses
            assert (streak.level == 3) == (misses > 2 and not looked)
    assert shifts == (misses > 1)


@given(st.lists(st.lists(paths, min_size=1, max_size=20), max_size=6))
def test_no_streak_is_longer_than_its_turns(turns):
    state = SessionState()
    for number, missed in enumerate(turns, 1):
        for path in missed:
            turn, now = f"t{number}", 1e9 + number
            state, streak = take(state, "miss", path, turn=turn, now=now)
            assert 1 <= streak.count <= number


def test_a_quiet_session_is_not_changed_by_a_success():
    state, _ = noted(SessionState(), ("home",), now=1e9)
    assert take(state, "success", "a", now=1e9 + 50) == (state, Streak())
    assert take(SessionState(), "success", "a", now=1e9) == (
        SessionState(),
        Streak(),
    )


def test_a_note_is_given_once_until_the_session_is_over():
    state, first = noted(SessionState(), ("home", "slip"), now=1e9)
    state, second = noted(state, ("home",), now=1e9 + 1)
    state, third = noted(state, ("home", "other"), now=1e9 + 2)
    assert (first, second, third) == (True, False, True)
    assert noted(state, ("home",), now=1e9 + 3 + IDLE)[1]


def test_a_clock_set_back_forgets_rather_than_never_expire():
    state, _ = take(SessionState(), "miss", "a", now=1e9)
    assert state.at(1e9 - IDLE - 1) == SessionState()
    assert state.at(1e9 - 5) == state


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner)
    ),
)


@given(st.binary(max_size=200) | json_values.map(lambda v: json.dumps(v).encode()))
def test_anything_else_is_refused_as_a_state(data):
    with pytest.raises(ValueError):  # noqa: PT011  any ValueError: it comes from several readers
        SessionState.from_json(data)


@given(st.data())
def test_a_state_with_one_part_replaced_is_a_state_or_refused(data):
    state, _ = take(SessionState(), "miss", "a", now=1e9)
    parts = json.loads(state.to_json())
    parts[data.draw(st.sampled_from(sorted(parts)))] = data.draw(json_values)
    try:
        read = SessionState.from_json(json.dumps(parts))
    except ValueError:
        return
    take(read, "miss", "a", now=1e9)
