"""What a session remembers across calls, whatever keeps it: turns, sub-agents, idleness."""

from __future__ import annotations

import json
import time

import pytest

from truepath.session.loops import Streak
from truepath.session.state import IDLE
from truepath.session.stores import MemoryStore, open_store
from truepath.session.tracker import Tracker
from truepath.types import ToolCall


class Sessions:
    """A tracker under a clock that is set by hand."""

    def __init__(self, store, *, state=None, project="/p", began=None) -> None:
        self.now = 1e9
        tracker = Tracker(store, project, began=began, clock=lambda: self.now)
        self.tracker = tracker.within(state)

    def miss(self, path="src/login.py", *, started=None, **details):
        self.now += 1.0
        shown = ("src/auth/login.py", "lib/login.py")
        return self.tracker.missed(call(**details), path, shown=shown, started=started)


def call(**details) -> ToolCall:
    return ToolCall("Read", {}, **{"session": "s", **details})


@pytest.fixture(params=["memory:", "file:", "state"])
def new(request, tmp_path):
    """Return what makes a tracker over the same sessions, as another process or worker would."""
    state = {"theirs": 1} if request.param == "state" else None
    memory = MemoryStore()

    def sessions(**options) -> Sessions:
        store = open_store("file:", str(tmp_path)) if request.param == "file:" else memory
        return Sessions(store, state=state, **options)

    return sessions


def test_an_hour_idle_starts_afresh(new):
    sessions = new()
    assert [sessions.miss().level for _ in range(3)] == [1, 2, 3]
    sessions.now += IDLE - 10
    assert sessions.miss().count == 4
    sessions.now += IDLE + 1
    assert sessions.tracker.standing(call()) == Streak()
    assert sessions.miss().level == 1


def test_sub_agents_and_sessions_have_streaks_of_their_own(new):
    sessions = new()
    assert [sessions.miss().level for _ in range(2)] == [1, 2]
    assert sessions.miss(agent="reviewer").level == 1
    assert sessions.miss(session="t").level == 1
    sessions.tracker.went_on(call(agent="reviewer"), "success")
    assert sessions.miss().level == 3, "another agent's success is not its own"


def test_a_host_that_names_no_session_has_one_a_project(new):
    here, there = new(), new(project="/q")
    assert here.miss(session="").level == 1
    assert there.miss(session="").level == 1
    assert here.miss(session="").level == 2


@pytest.mark.parametrize("kind", ["success", "corrected", "prompt"])
def test_a_success_and_a_word_of_the_user_reset(new, kind):
    sessions = new()
    assert [sessions.miss().level for _ in range(3)] == [1, 2, 3]
    sessions.now += 1.0
    assert sessions.tracker.went_on(call(), kind).ended == 3
    assert sessions.miss().level == 1


def test_calls_that_began_before_the_last_answer_are_of_its_turn(new):
    sessions = new()
    long_ago = time.perf_counter() - 30.0
    assert [sessions.miss(started=long_ago).count for _ in range(3)] == [1, 1, 1]
    sessions.now += 60.0
    assert sessions.miss(started=time.perf_counter()).count == 2


def test_a_process_that_serves_one_call_began_when_it_began(new):
    counts = []
    for began in (1e9, 1e9 + 0.5, 1e9 + 30.0):
        sessions = new(began=began)
        sessions.now = began + 0.7
        counts.append(sessions.miss(started=time.perf_counter()).count)
    assert counts == [1, 1, 2]


def test_what_was_shown_and_tried_is_told_at_the_second_miss(new):
    sessions = new()
    sessions.miss()
    streak = sessions.miss("app/login.py")
    assert streak.tried == ("src/login.py", "app/login.py")
    assert set(streak.shown) == {"src/auth/login.py", "lib/login.py"}
    assert sessions.tracker.standing(call(), "core/login.py").count == 2
    assert sessions.tracker.standing(call(), "docs/guide.md") == Streak()


def test_a_likely_file_was_shown_before_only_in_an_earlier_turn(new):
    sessions, path = new(), "src/login.py"
    shown = ("src/auth/login.py",)
    sessions.tracker.missed(call(turn="1"), path, shown=shown, assumed=True)
    assert not sessions.tracker.assumed_before(call(turn="1"), path)
    assert sessions.tracker.assumed_before(call(turn="2"), "lib/login.py")
    assert not sessions.tracker.assumed_before(call(turn="2"), "docs/guide.md")


def test_a_note_is_given_once(new):
    tracker = new().tracker
    assert [tracker.once(call(), "home:/root", "slip:bakcend") for _ in range(2)] == [True, False]
    assert new().tracker.once(call(), "slip:bakcend") is False
    assert tracker.once(call(session="t"), "slip:bakcend") is True


def test_a_session_that_has_nothing_to_remember_is_not_asked(tmp_path):
    tracker = Tracker(open_store("file:", str(tmp_path)), "/p")
    assert tracker.went_on(call(), "success") == Streak()
    assert tracker.standing(call()) == Streak()
    assert not tracker.assumed_before(call(), "a")
    assert not list(tmp_path.iterdir())


def test_a_framework_s_state_goes_before_the_store_and_is_plain_json():
    store, state = MemoryStore(), {"theirs": 1}
    Sessions(store, state=state).miss()
    assert Sessions(store, state=state).miss().shift
    assert Sessions(store).miss().level == 1, "another session"
    assert Sessions(store, state={}).miss().level == 1
    assert [*state] == ["theirs", "truepath s"]
    assert json.loads(json.dumps(state)) == state


@pytest.mark.parametrize("kept", ["", "{", "[]", 7, None, {"a": 1}, '{"misses": 3}', "x" * 10**6])
def test_what_a_framework_s_state_holds_and_is_none_is_as_good_as_nothing(kept):
    assert Sessions(MemoryStore(), state={"truepath s": kept}).miss().count == 1
