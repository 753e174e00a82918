from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.session.loops import Step, record
from truepath.session.state import IDLE, SessionState, once, remember, warned_before


def test_a_note_is_given_once():
    state, first = once(SessionState(), "home", now=10_000.0)
    state, second = once(state, "home", now=10_001.0)
    assert (first, second) == (True, False)
    assert once(state, "home", now=10_001.0 + IDLE + 1)[1]


def test_a_slip_is_warned_of_once():
    state, before = warned_before(SessionState(), "mkdir .knife", now=10_000.0)
    _, after = warned_before(state, "mkdir .knife", now=10_001.0)
    assert (before, after) == (False, True)


def test_files_and_folders_of_the_session_are_remembered():
    state = SessionState()
    for path in ("src/a.py", "docs", "src/b.py", "", "src/a.py"):
        state = remember(state, path, now=10_000.0)
    assert state.used == ("docs", "src/b.py", "", "src/a.py")


def test_a_state_with_fields_of_another_version_is_read():
    older = {**json.loads(SessionState(turn="t1").to_json()), "folders": ["src"], "missed": 3}
    del older["used"]
    assert SessionState.from_json(json.dumps(older)) == SessionState(turn="t1")


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner),
)


@given(st.binary(max_size=200) | json_values.map(lambda v: json.dumps(v).encode()))
def test_anything_else_is_refused_as_a_state(data):
    with pytest.raises(ValueError):  # noqa: PT011  any ValueError: it comes from several readers
        SessionState.from_json(data)


@given(st.data())
def test_a_state_with_one_part_replaced_is_a_state_or_refused(data):
    state, _ = record(SessionState(), Step("miss", "a", shown=("b",)), now=1e9)
    parts = json.loads(state.to_json())
    name = data.draw(st.sampled_from(sorted(parts)))
    parts[name] = data.draw(json_values)
    try:
        read = SessionState.from_json(json.dumps(parts))
    except ValueError:
        return
    record(read, Step("miss", "a"), now=1e9)


def test_a_deeply_nested_state_is_refused():
    with pytest.raises(ValueError, match="session state"):
        SessionState.from_json("[" * 100_000)


def test_only_the_latest_used_paths_are_kept():
    state = SessionState()
    for number in range(300):
        state = remember(state, f"src/file_{number}.py", now=1.0)

    assert len(state.used) == 128
    assert state.used[-1] == "src/file_299.py"
