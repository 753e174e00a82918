from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.events.adoption import Adoption, join, rate
from truepath.events.event import KINDS, Event
from truepath.session.state import IDLE

WRONG = {"requested": "/r/src/login.py", "target": "src/login.py"}
REFUSED = {**WRONG, "candidates": ("src/auth/login.py", "lib/login.py")}
CORRECTED = {**WRONG, "resolved": "src/auth/login.py"}


class Story:
    """Events of sessions, a second apart."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.now = 1e9

    def add(self, kind: str, *, after: float = 1.0, session: str = "s", **details: Any) -> Story:
        self.now += after
        number = str(len(self.events))
        self.events.append(Event(event=kind, time=self.now, id=number, session=session, **details))
        return self

    def used(self, path: str, **details: Any) -> Story:
        return self.add("path.used", requested=f"/r/{path}", resolved=path, **details)

    def end(self, **options: float) -> list[Adoption]:
        return list(join(self.events, **options))

    def outcome(self) -> str:
        return next(each.outcome for each in self.end() if each.event.id == "0")


def refused() -> Story:
    return Story().add("path.refused", **REFUSED)


def corrected() -> Story:
    return Story().add("path.corrected", **CORRECTED)


def test_using_a_suggested_path_is_taking_it():
    assert refused().used("lib/login.py").outcome() == "taken"


def test_taking_it_after_a_search_is_taking_it_and_the_search_is_told():
    (adoption,) = refused().add("agent.searched").used("src/auth/login.py").end()
    assert (adoption.outcome, adoption.searched) == ("taken", True)


def test_the_same_wrong_path_again_is_a_retry_however_it_is_written():
    again = {"requested": "src/login.py", "target": "src/login.py"}
    assert refused().add("path.refused", **again).outcome() == "retried"


def test_another_wrong_path_is_straying():
    other = {"requested": "app/login.py", "target": "app/login.py"}
    assert refused().add("path.absent", **other).outcome() == "strayed"


def test_an_existing_path_that_was_not_suggested_is_moving_on():
    assert refused().used("docs/guide.md").outcome() == "moved_on"


def test_a_suggested_path_after_another_file_is_still_taken():
    assert refused().used("docs/guide.md").used("lib/login.py").outcome() == "taken"


def test_nothing_further_is_giving_up():
    assert refused().outcome() == "gave_up"
    assert refused().add("agent.searched").add("agent.searched").outcome() == "gave_up"


def test_a_prompt_of_the_user_ends_it():
    assert refused().add("user.prompted").used("lib/login.py").outcome() == "gave_up"


def test_an_hour_ends_it():
    assert refused().used("lib/login.py", after=IDLE + 1).outcome() == "gave_up"


def test_five_steps_end_it():
    story = refused()
    for _ in range(5):
        story.used("docs/guide.md")
    assert story.used("lib/login.py").outcome() == "moved_on"


def test_all_paths_of_a_call_are_one_step():
    story = refused()
    for call in "abcd":
        for path in ("docs/guide.md", "docs/index.md", "setup.py"):
            story.used(path, call_id=call)
    assert story.used("a.py", call_id="e").used("lib/login.py", call_id="e").outcome() == "taken"


def test_a_search_in_what_was_suggested_is_taking_it():
    story = refused().add("agent.searched", target="src/auth/login.py")
    (adoption,) = story.end()
    assert (adoption.outcome, adoption.searched) == ("taken", False)
    assert refused().add("agent.searched", target="src").outcome() == "gave_up"
    assert refused().add("agent.searched").outcome() == "gave_up"


def test_after_five_steps_nothing_is_open():
    story = refused()
    for _ in range(5):
        story.add("agent.searched")
    assert [each.outcome for each in story.end(now=story.now)] == ["gave_up"]


def test_what_is_recent_is_open():
    story = refused()
    assert [each.outcome for each in story.end(now=story.now + 5)] == ["open"]
    assert [each.outcome for each in story.end(now=story.now + IDLE + 5)] == ["gave_up"]


def test_parallel_calls_of_one_turn_are_no_answer():
    story = Story().add("path.refused", turn="t1", call_id="a", **REFUSED)
    story.used("docs/guide.md", turn="t1", call_id="b")
    assert story.used("lib/login.py", turn="t2", call_id="c").outcome() == "taken"


def test_two_paths_of_one_call_do_not_answer_each_other():
    story = Story().add("path.refused", call_id="a", **REFUSED)
    story.add("path.refused", call_id="a", requested="x", target="x")
    assert story.outcome() == "gave_up"


def test_other_sessions_and_agents_are_no_answer():
    story = refused().used("lib/login.py", session="other")
    assert story.used("lib/login.py", agent="helper").outcome() == "gave_up"


def test_a_corrected_call_is_taken_unless_the_wrong_path_comes_back():
    assert corrected().outcome() == "taken"
    assert corrected().used("docs/guide.md").outcome() == "taken"
    assert corrected().used("src/auth/login.py").outcome() == "taken"
    assert corrected().add("path.corrected", **CORRECTED).outcome() == "retried"
    elsewhere = {"requested": "a/b.py", "target": "a/b.py"}
    assert corrected().add("path.refused", **elsewhere).outcome() == "taken"


def test_other_events_are_no_step():
    story = refused().add("strategy.shift").add("streak.ended").add("folder.created")
    assert story.used("lib/login.py").outcome() == "taken"


def test_an_absent_answer_offers_nothing():
    story = Story().add("path.absent", **WRONG).used("docs/guide.md")
    (adoption,) = story.end()
    assert (adoption.outcome, adoption.offered) == ("moved_on", False)
    assert rate(story.end()) == (0, 0)


def test_answers_that_were_taken_are_counted():
    story = refused().used("lib/login.py").add("path.corrected", **CORRECTED)
    story.add("user.prompted").add("path.refused", **REFUSED)
    adoptions = story.end()
    assert rate(adoptions) == (2, 3)
    outcomes = {(each.event.event, each.outcome) for each in adoptions}
    assert outcomes == {
        ("path.refused", "taken"),
        ("path.refused", "gave_up"),
        ("path.corrected", "taken"),
    }


@pytest.mark.parametrize("kind", ["path.observed", "path.used", "strategy.shift"])
def test_what_told_the_agent_nothing_is_not_joined(kind):
    assert Story().add(kind, **WRONG).end() == []


some_events = st.builds(
    Event,
    event=st.sampled_from(sorted(KINDS)),
    time=st.integers(0, 20_000).map(float),
    session=st.sampled_from(["", "a", "b"]),
    agent=st.sampled_from(["", "helper"]),
    turn=st.sampled_from(["", "t1", "t2"]),
    target=st.sampled_from(["x", "y"]),
    resolved=st.sampled_from(["", "x", "z"]),
    candidates=st.sampled_from([(), ("z",)]),
)


@given(st.lists(some_events, max_size=40))
def test_every_interception_is_joined_once(events):
    interceptions = [
        each.id
        for each in events
        if each.event
        in {f"path.{each}" for each in ("corrected", "assumed", "refused", "absent", "advised")}
    ]
    assert sorted(each.event.id for each in join(events)) == sorted(interceptions)
