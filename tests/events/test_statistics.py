"""What a journal adds up to, on events made by hand whose sums are known."""

from __future__ import annotations

from typing import get_args

import pytest

from truepath.events.adoption import Outcome
from truepath.events.event import Event
from truepath.events.statistics import OUTCOMES, account, cause, split, summarise
from truepath.session.state import IDLE

START = 1_700_000_000.0


class Journal:
    """Events a second apart."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.now = START

    def add(self, kind: str, *, after: float = 1.0, **fields) -> Journal:
        self.now += after
        self.events.append(Event(event=kind, time=self.now, **{"session": "s", **fields}))
        return self

    def corrected(self, number: int = 0, **fields) -> Journal:
        known = {"requested": f"x/{number}.py", "target": f"x/{number}.py", "status": "resolved"}
        known |= {"resolved": f"y/{number}.py", "replacement": f"y/{number}.py"}
        return self.add("path.corrected", **known | fields)

    def refused(self, number: int = 0, **fields) -> Journal:
        known = {"requested": f"x/{number}.py", "target": f"x/{number}.py", "status": "ambiguous"}
        return self.add("path.refused", **known | {"candidates": (f"y/{number}.py",)} | fields)

    def absent(self, number: int = 0, **fields) -> Journal:
        known = {"requested": f"x/{number}.py", "target": f"x/{number}.py", "status": "absent"}
        return self.add("path.absent", **known | fields)

    def used(self, path: str, **fields) -> Journal:
        return self.add("path.used", target=path, **fields)

    def sums(self, **options):
        return summarise(account(self.events, **options))


def test_nothing_adds_up_to_nothing():
    assert Journal().sums().to_dict() == {
        "misses": 0,
        **dict.fromkeys(OUTCOMES, 0),
        "offered": 0,
        "taken": 0,
        "adoption": None,
        "answers": dict.fromkeys(get_args(Outcome), 0),
        "loops": 0,
        "loops_broken": 0,
        "calls_saved": 0,
        "median_added_us": None,
        "p95_added_us": None,
    }


def test_a_miss_is_counted_once_by_what_was_done():
    journal = Journal().corrected(1).refused(2).absent(3).absent(4)
    journal.add("path.advised", target="x/5.py").add("path.observed", target="x/6.py")
    journal.add("path.assumed", target="x/7.py")
    for kind in ("path.used", "agent.searched", "user.prompted", "strategy.shift"):
        journal.add(kind)
    for kind in ("streak.ended", "folder.created", "store.failed", "guard.failed", "path.newer"):
        journal.add(kind)
    sums = journal.sums()
    assert sums.misses == 7
    assert sums.outcomes == {
        "corrected": 1,
        "assumed": 1,
        "refused": 1,
        "absent": 2,
        "advised": 1,
        "observed": 1,
    }


SAVED = [
    (Journal().corrected(), 2, "a correction on which the agent went on"),
    (Journal().corrected().used("y/0.py"), 2, "one it used again"),
    (Journal().corrected().refused(0), 0, "it came back with the wrong one"),
    (Journal().refused().used("y/0.py"), 1, "the failed call is made again, the search is not"),
    (Journal().refused().add("agent.searched").used("y/0.py"), 0, "it searched all the same"),
    (Journal().refused().used("z.py"), 0, "it used another file"),
    (Journal().refused(), 0, "it gave up"),
    (Journal().absent().used("z.py"), 0, "nothing was offered"),
]


@pytest.mark.parametrize(("journal", "saved", "why"), SAVED, ids=[case[2] for case in SAVED])
def test_calls_are_saved_by_what_the_agent_took(journal, saved, why):
    assert journal.sums().saved == saved, why


def test_adoption_is_of_the_answers_that_named_a_path():
    journal = Journal().corrected(1).refused(2).used("y/2.py").absent(3).used("z.py")
    journal.refused(4).add("user.prompted")
    sums = journal.sums()
    assert (sums.taken, sums.offered) == (2, 3)
    assert sums.adoption == pytest.approx(2 / 3)


def test_answers_are_counted_by_what_the_agent_made_of_them():
    journal = Journal().corrected(1).refused(2).used("y/2.py").refused(3).refused(3).absent(4)
    assert journal.sums().answers == {
        "taken": 2,
        "retried": 1,
        "strayed": 1,
        "moved_on": 0,
        "gave_up": 1,
        "open": 0,
    }
    assert journal.sums(now=journal.now + 60).answers["open"] == 1


def test_what_a_session_that_goes_on_will_do_is_not_known_yet():
    journal = Journal().refused()
    assert journal.sums(now=journal.now + 60).offered == 0
    assert journal.sums(now=journal.now + IDLE + 60).offered == 1


def loop(journal: Journal | None = None) -> Journal:
    journal = journal or Journal()
    return journal.absent(1).absent(2).add("strategy.shift", streak=2)


LOOPS = [
    (Journal().absent(1).absent(2), 0, 0, "two misses without a shift"),
    (loop(), 1, 0, "the session ends in it"),
    (loop().used("a.py").add("streak.ended"), 1, 1, "it found a file that exists"),
    (loop().corrected(3).add("streak.ended"), 1, 1, "it was corrected"),
    (loop().add("user.prompted").add("streak.ended"), 1, 0, "the user had to speak"),
    (loop().absent(3).add("strategy.shift").used("a").add("streak.ended"), 1, 1, "it took two"),
    (loop(loop().used("a").add("streak.ended")).used("b").add("streak.ended"), 2, 2, "two loops"),
    (
        loop().used("a.py", after=IDLE + 1).add("streak.ended"),
        1,
        0,
        "an hour later is another session",
    ),
    (loop().add("streak.ended", session="other"), 1, 0, "another session's"),
    (Journal().absent(1).add("streak.ended"), 0, 0, "a streak that was no loop"),
]


@pytest.mark.parametrize(
    ("journal", "loops", "broken", "why"), LOOPS, ids=[case[3] for case in LOOPS]
)
def test_a_loop_is_broken_when_the_agent_finds_out_of_it_by_itself(journal, loops, broken, why):
    sums = journal.sums()
    assert (sums.loops, sums.broken) == (loops, broken), why


def test_sub_agents_and_projects_without_sessions_are_sessions_of_their_own():
    journal = loop()
    journal.add("streak.ended", agent="sub")
    journal.absent(5, session="", project="/a").add("strategy.shift", session="", project="/a")
    journal.add("streak.ended", session="", project="/b")
    sums = journal.sums()
    assert (sums.loops, sums.broken) == (2, 0)


def test_the_time_added_is_the_median_and_what_most_stay_within():
    journal = Journal()
    for at in range(1, 101):
        journal.refused(at, elapsed_us=at * 10)
    journal.absent(elapsed_us=None)
    journal.add("folder.created", elapsed_us=10**9)
    sums = journal.sums()
    assert (sums.median_us, sums.late_us) == (500, 950)


def test_a_group_has_its_own_sums_and_they_add_up():
    journal = Journal().corrected(1, tool="Read", host="a").corrected(2, tool="Read", host="b")
    journal.absent(3, tool="Bash", host="a", session="t").add("strategy.shift", session="t")
    journal.used("q.py", session="t", tool="Grep").add("streak.ended", session="t")
    whole = account(journal.events)
    by_tool = {name: summarise(each) for name, each in split(whole, "tool").items()}
    assert [*by_tool] == ["Read", "Bash"]
    assert (by_tool["Read"].outcomes["corrected"], by_tool["Read"].saved) == (2, 4)
    # A loop belongs to the miss that made it one, not to the tool that led out of it.
    assert (by_tool["Bash"].loops, by_tool["Bash"].broken) == (1, 1)
    by_host = {name: summarise(each).misses for name, each in split(whole, "host").items()}
    assert by_host == {"a": 2, "b": 1}
    for by in ("host", "tool", "cause", "project"):
        parts = [summarise(each) for each in split(whole, by).values()]
        total = summarise(whole)
        assert sum(part.misses for part in parts) == total.misses
        assert sum(part.saved for part in parts) == total.saved
        assert sum(part.loops for part in parts) == total.loops


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"status": "resolved", "evidence": ("renamed", "same-name")}, "renamed"),
        ({"status": "ambiguous", "evidence": ("same-name",)}, "same-name"),
        ({"status": "absent", "evidence": ("close-name",)}, "absent"),
        ({"status": "directory"}, "directory"),
        ({}, ""),
    ],
)
def test_the_cause_is_the_strongest_evidence_or_the_status(fields, why):
    assert cause(Event(event="path.refused", time=START, **fields)) == why
