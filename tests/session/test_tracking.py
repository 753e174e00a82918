"""What a session remembers across calls, whatever keeps it: turns, sub-agents, idleness."""

from __future__ import annotations

import time

import pytest

from truepath.session.state import IDLE
from truepath.session.stores import open_store
from truepath.session.tracker import Tracker
from truepath.types import Candidate, Resolution, ToolCall

WRONG = Resolution(
    "src/login.py",
    "ambiguous",
    "read",
    candidates=(Candidate("src/auth/login.py", 0.6), Candidate("lib/login.py", 0.3)),
    target="src/login.py",
)


class Sessions:
    """A tracker under a clock that is set by hand."""

    def __init__(self, store, **options) -> None:
        self.now = 1e9
        self.tracker = Tracker(store, "/p", clock=lambda: self.now, **options)

    def miss(self, *, started: float | None = None, **details):
        self.now += 1.0
        return self.tracker.missed(
            call(**details), WRONG, missing_folder="", reported=False, started=started
        )


def call(**details) -> ToolCall:
    return ToolCall("Read", {}, **{"session": "s", **details})


@pytest.fixture(params=["memory:", "file:", "sqlite:"])
def store(request, tmp_path):
    opened = open_store(request.param, str(tmp_path))
    yield opened
    opened.close()


def test_an_hour_idle_starts_afresh_wherever_it_is_kept(store):
    sessions = Sessions(store)
    assert [sessions.miss().level for _ in range(3)] == [1, 2, 3]
    sessions.now += IDLE - 10
    assert sessions.miss().count == 4
    sessions.now += IDLE + 1
    assert sessions.tracker.standing(call()).level == 0
    assert sessions.miss().level == 1


def test_sub_agents_and_sessions_have_streaks_of_their_own(store):
    sessions = Sessions(store)
    assert [sessions.miss().level for _ in range(2)] == [1, 2]
    assert sessions.miss(agent="reviewer").level == 1
    assert sessions.miss(session="t").level == 1
    sessions.tracker.went_on(call(agent="reviewer"), "success", "src/auth/login.py")
    assert sessions.miss().level == 3, "another agent's success is not its own"


def test_a_host_that_names_no_session_has_one_a_project(store):
    here, there = Sessions(store), Sessions(store)
    there.tracker = Tracker(store, "/q", clock=lambda: there.now)
    assert here.miss(session="").level == 1
    assert there.miss(session="").level == 1
    assert here.miss(session="").level == 2


@pytest.mark.parametrize("kind", ["success", "corrected", "prompt"])
def test_a_success_and_a_word_of_the_user_reset(store, kind):
    sessions = Sessions(store)
    assert [sessions.miss().level for _ in range(3)] == [1, 2, 3]
    sessions.now += 1.0
    assert sessions.tracker.went_on(call(), kind, "src/auth/login.py").ended == 3
    assert sessions.miss().level == 1


def test_calls_that_began_before_the_last_answer_are_of_its_turn(store):
    sessions = Sessions(store)
    long_ago = time.perf_counter() - 30.0
    assert [sessions.miss(started=long_ago).count for _ in range(3)] == [1, 1, 1]
    sessions.now += 60.0
    assert sessions.miss(started=time.perf_counter()).count == 2


def test_a_process_that_serves_one_call_began_when_it_began(store):
    for turn, began in enumerate((1e9, 1e9 + 0.5, 1e9 + 30.0), start=1):
        sessions = Sessions(store, began=began)
        sessions.now = began + 0.7
        streak = sessions.miss(started=time.perf_counter())
        assert streak.count == (1 if turn < 3 else 2)


def test_what_was_shown_and_tried_is_told_at_the_second_miss(store):
    sessions = Sessions(store)
    sessions.miss()
    streak = sessions.miss()
    assert streak.tried == ("src/login.py",)
    assert set(streak.shown) == {"src/auth/login.py", "lib/login.py"}


def test_a_session_that_has_nothing_to_remember_is_not_asked(tmp_path):
    store = open_store("file:", str(tmp_path))
    tracker = Tracker(store, "/p")
    assert tracker.went_on(call(), "success", "a") is None
    assert tracker.standing(call()) is None
    assert tracker.known(call()) == ()
    assert not list(tmp_path.iterdir())


def test_a_note_and_a_warning_are_given_once(store):
    tracker = Tracker(store, "/p")
    assert [tracker.once(call(), "home") for _ in range(2)] == [True, False]
    assert [tracker.warned_before(call(), ["bakcend"]) for _ in range(2)] == [False, True]
