from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.session.loops import FOLLOWED, Step, Streak, record, standing
from truepath.session.state import IDLE, SessionState, current, remember


class Session:
    """A session under an injected clock that ticks a second a step."""

    def __init__(self) -> None:
        self.state = SessionState()
        self.now = 1_000_000.0

    def step(self, kind: str, path: str = "", **details: object) -> Streak:
        self.now += 1.0
        turn_gap_s = details.pop("turn_gap_s", 0.0)
        step = Step(kind, path, **details)  # type: ignore[arg-type]
        self.state, streak = record(self.state, step, now=self.now, turn_gap_s=turn_gap_s)  # type: ignore[arg-type]
        return streak

    def miss(self, path: str, **details: object) -> Streak:
        return self.step("miss", path, **details)


def test_the_second_like_miss_carries_the_shift():
    session = Session()
    first = session.miss("src/login.py")
    second = session.miss("lib/login.py")
    assert (first.count, first.level, first.shift) == (1, 1, False)
    assert (second.count, second.level, second.shift) == (2, 2, True)
    assert second.tried == ("src/login.py", "lib/login.py")


def test_the_third_refuses_changes_until_something_is_listed():
    session = Session()
    for path in ("src/login.py", "lib/login.py", "app/login.py"):
        streak = session.miss(path)
    assert streak.level == 3
    assert standing(session.state).level == 3
    session.step("discovery")
    assert standing(session.state).level == 2


def test_unlike_misses_do_not_add_up():
    session = Session()
    assert session.miss("src/login.py").level == 1
    assert session.miss("docs/guide.md").level == 1


def test_alternating_between_two_unlike_paths_is_a_loop():
    session = Session()
    levels = [session.miss(path).level for path in ("src/login.py", "docs/guide.md") * 3]
    assert levels == [1, 1, 2, 2, 3, 3]


def test_drifting_step_by_step_is_one_aim():
    session = Session()
    counts = [session.miss(p).count for p in ("a/login.py", "b/login.ts", "c/logins.ts")]
    assert counts == [1, 2, 3]


def test_parallel_calls_of_one_turn_count_once():
    session = Session()
    for path in ("a/login.py", "b/login.py", "c/login.py"):
        assert session.miss(path, turn="t1").level == 1
    for path in ("d/login.py", "e/login.py"):
        assert session.miss(path, turn="t2").count == 2
    assert len(session.state.misses) == 5


def test_more_parallel_misses_than_are_kept_do_not_hide_the_streak():
    session = Session()
    for turn in ("t1", "t2", "t3"):
        counts = {session.miss(f"src/{n}.py", turn=turn).count for n in range(40)}
    assert counts == {3}
    assert len(session.state.misses) <= 16


@pytest.mark.parametrize("kind", ["success", "corrected", "prompt"])
def test_a_success_or_a_prompt_resets(kind):
    session = Session()
    session.miss("src/login.py")
    session.miss("lib/login.py")
    assert session.step(kind, "src/auth/login.py").ended == 2
    assert session.state.misses == ()
    assert session.state.shown == ()
    assert session.miss("src/login.py").level == 1


def test_a_success_after_one_miss_ends_no_streak():
    session = Session()
    session.miss("src/login.py")
    assert session.step("success", "src/x.py").ended == 0


@pytest.mark.parametrize("success_first", [True, False])
def test_the_order_of_a_turns_calls_does_not_matter(success_first):
    session = Session()
    session.miss("src/login.py", turn="t1")
    session.miss("src/login.py", turn="t2")
    calls = [("success", "src/x.py"), ("miss", "src/login.py")]
    for kind, path in calls if success_first else reversed(calls):
        session.step(kind, path, turn="t3")
    assert standing(session.state).count == 1
    assert session.miss("src/login.py", turn="t4").count == 2


def test_a_prompt_resets_misses_of_its_own_turn_too():
    session = Session()
    session.miss("src/login.py", turn="t1")
    session.step("prompt", turn="t1")
    assert standing(session.state) == Streak()


def test_another_path_after_looking_is_a_new_try():
    session = Session()
    session.miss("src/login.py")
    session.miss("lib/login.py")
    session.step("discovery")
    assert session.miss("app/login.py").level == 1
    # ... and what was tried before looking does not come back by way of the new one.
    assert session.miss("core/login.py").count == 2


def test_the_same_path_after_looking_is_still_the_loop():
    session = Session()
    levels = []
    for _ in range(4):
        levels.append(session.miss("src/login.py").level)
        session.step("discovery")
    assert levels == [1, 2, 2, 2]  # it looked, so nothing is refused


def test_an_hour_idle_forgets():
    session = Session()
    session.miss("src/login.py")
    session.now += IDLE + 1
    assert session.miss("src/login.py").level == 1


def test_a_clock_set_back_forgets_rather_than_never_expire():
    state, _ = record(SessionState(), Step("miss", "a"), now=1_000_000.0)
    assert current(state, 1_000_000.0 - IDLE - 1) == SessionState()
    assert current(state, 1_000_000.0 - 5) == state


def test_a_step_keeps_a_session_alive():
    session = Session()
    session.miss("src/login.py")
    for _ in range(3):
        session.now += IDLE - 100
        session.step("discovery")
    assert session.miss("src/login.py").count == 2


def test_our_refusal_reported_as_a_failure_is_not_counted_twice():
    session = Session()
    session.miss("src/login.py", call_id="c1")
    again = session.miss("src/login.py", call_id="c1", reported=True)
    assert (again.count, again.counted) == (1, False)
    assert len(session.state.misses) == 1
    assert session.miss("src/login.py", call_id="c2").count == 2


def test_a_refusal_reported_without_call_ids_is_not_counted_twice():
    session = Session()
    session.miss("src/login.py")
    assert not session.miss("src/login.py", reported=True).counted
    # The report has come; another one is another miss.
    assert session.miss("src/login.py", reported=True).count == 2


def test_a_failure_reported_late_does_not_start_a_turn():
    session = Session()
    session.miss("src/a.py", call_id="c1")
    session.miss("src/b.py", call_id="c1", reported=True)
    assert len(session.state.misses) == 2
    assert standing(session.state).count == 1


def test_two_wrong_paths_of_one_call_count_once():
    session = Session()
    assert session.miss("src/a.py", call_id="c1").count == 1
    assert session.miss("src/b.py", call_id="c1").count == 1


def test_without_turns_each_answered_call_is_its_own():
    session = Session()
    assert [session.miss("src/a.py").count for _ in range(3)] == [1, 2, 3]


def test_without_turns_even_a_frozen_clock_counts():
    state = SessionState()
    counts = []
    for _ in range(3):
        state, streak = record(state, Step("miss", "a/login.py"), now=5000.0)
        counts.append(streak.count)
    assert counts == [1, 2, 3]


def test_a_call_that_began_before_the_last_answer_is_of_the_same_turn():
    session = Session()
    begun = session.now
    counts = [session.miss(f"src/{n}.py", started=begun + n / 1000).count for n in range(3)]
    assert counts == [1, 1, 1]
    assert session.miss("src/9.py").count == 2


def test_a_call_within_the_gap_is_of_the_same_turn():
    state, _ = record(SessionState(), Step("miss", "a/login.py"), now=5000.0, turn_gap_s=0.05)
    near, same = record(state, Step("miss", "b/login.py"), now=5000.03, turn_gap_s=0.05)
    _, later = record(near, Step("miss", "c/login.py"), now=5000.2, turn_gap_s=0.05)
    assert (same.count, later.count) == (1, 2)


def test_candidates_shown_are_remembered_without_doubles():
    session = Session()
    session.miss("src/login.py", shown=("src/auth/login.py", "lib/login.py"))
    streak = session.miss("app/login.py", shown=("src/auth/login.py",))
    assert streak.shown == ("lib/login.py", "src/auth/login.py")


def test_what_follows_an_interception_is_told_a_few_times():
    session = Session()
    session.miss("src/login.py")
    follows = [session.step("success", "a").followed for _ in range(FOLLOWED + 1)]
    assert follows == [True] * FOLLOWED + [False]


def test_what_follows_a_correction_is_told_until_the_user_speaks():
    session = Session()
    session.step("corrected", "src/login.py")
    assert session.step("discovery").followed
    assert session.step("prompt").followed
    assert not session.step("success", "a").followed


def test_a_success_in_a_session_without_misses_changes_nothing():
    assert record(SessionState(), Step("success", "a"), now=9e8) == (SessionState(), Streak())
    session = Session()
    session.state = remember(session.state, "a", now=session.now)
    before = session.state
    session.step("success", "a")
    assert session.state == before


paths = st.text(st.characters(), max_size=2000)
steps = st.builds(
    Step,
    kind=st.sampled_from(["miss", "corrected", "success", "discovery", "prompt"]),
    path=paths,
    turn=st.sampled_from(["", "", "t1", "t2", "~1"]),
    call_id=st.sampled_from(["", "", "c1", "c2"]),
    reported=st.booleans(),
    missing_folder=st.sampled_from(["", "src/new"]),
    shown=st.lists(paths, max_size=3).map(tuple),
)


@given(st.lists(st.tuples(steps, st.floats(0, 4000)), max_size=40))
def test_any_history_stays_small_and_survives_storage(history):
    state, now = SessionState(), 1e9
    for step, pause in history:
        now += pause
        state, streak = record(state, step, now=now)
        state = remember(state, step.path, now=now)
        assert 0 <= streak.level <= 3
        assert (streak.level > 0) == (streak.count > 0)
        assert SessionState.from_json(state.to_json()) == state
    assert len(state.misses) <= 16
    assert len(state.to_json()) < 1_000_000


@given(st.lists(steps, max_size=12))
def test_a_state_tells_the_same_after_storage(history):
    kept = stored = SessionState()
    for step in history:
        kept, one = record(kept, step, now=1e9)
        stored, other = record(SessionState.from_json(stored.to_json()), step, now=1e9)
        assert one == other


def test_a_late_report_of_an_earlier_turn_does_not_bring_it_back():
    state = SessionState()
    for turn, call_id in (("1", "a"), ("2", "b")):
        step = Step("miss", f"src/gone_{turn}.py", turn=turn, call_id=call_id)
        state, _ = record(state, step, now=1e9)
    late = Step("miss", "src/gone_1.py", turn="1", call_id="a", reported=True)
    state, streak = record(state, late, now=1e9 + 1)

    assert state.turn == "2"
    assert not streak.counted
