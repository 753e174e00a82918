"""Simulated agents that do not learn from errors, against the sessions' streaks.

Each agent ignores every error and every candidate. What it does heed is what no agent can pass by:
the instruction to look first, once it reads it, or the refusal of a tool until it has looked.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from truepath.session.loops import Step, Streak, record
from truepath.session.state import SessionState

PATH = "src/services/auth/login.py"
Turn = tuple[str, ...]


def repeats() -> Iterator[Turn]:
    return itertools.repeat((PATH,))


def varies_the_folder() -> Iterator[Turn]:
    return ((f"{folder}/login.py",) for folder in itertools.cycle(("src", "lib", "app", "core")))


def varies_the_extension() -> Iterator[Turn]:
    return ((f"{n % 3}/src/login.{extension}",) for n, extension in enumerate("abcdefghi"))


def counts_up() -> Iterator[Turn]:
    return ((f"shots/{number:04}.png",) for number in range(365, 398))


def dates() -> Iterator[Turn]:
    return ((f"logs/2026-11-{day:02}/run-{day}.log",) for day in range(1, 31))


def tries_like_names_in_one_folder() -> Iterator[Turn]:
    names = ("user_login", "user-login", "users_login", "user_logins", "userlogin", "usr_login")
    return ((f"src/{name}.py",) for name in names)


def misspells() -> Iterator[Turn]:
    names = ("controllers", "controlers", "controllerz", "contrllers", "controlelrs")
    return ((f"{n}/{name}.py",) for n, name in enumerate(names))


def alternates() -> Iterator[Turn]:
    return itertools.cycle(((PATH,), ("docs/guide.md",)))


def asks_in_parallel() -> Iterator[Turn]:
    return itertools.repeat((PATH, "docs/guide.md", "tests/test_login.py"))


def varies_in_parallel() -> Iterator[Turn]:
    return ((f"{n}/login.py", f"{n}/guide.md") for n in itertools.count())


AGENTS = [
    repeats,
    varies_the_folder,
    varies_the_extension,
    counts_up,
    dates,
    tries_like_names_in_one_folder,
    misspells,
    alternates,
    asks_in_parallel,
    varies_in_parallel,
]


@dataclass
class World:
    """A session in which nothing the agent asks for exists."""

    turns_are_named: bool
    state: SessionState = field(default_factory=SessionState)
    now: float = 1e9

    def turn(self, paths: Turn, number: int) -> list[Streak]:
        """Play one turn: its calls begin together, before any is answered."""
        self.now += 2.0
        begun = self.now
        name = f"turn-{number}" if self.turns_are_named else ""
        answers = []
        for path in paths:
            self.now += 0.01
            step = Step("miss", path, turn=name, started=begun)
            self.state, streak = record(self.state, step, now=self.now)
            answers.append(streak)
        return answers

    def looks(self) -> None:
        self.now += 2.0
        self.state, _ = record(self.state, Step("discovery"), now=self.now)


@pytest.mark.parametrize("named", [True, False], ids=["named turns", "derived turns"])
@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_that_ignores_errors_leaves_the_loop(agent, named):
    world = World(named)
    second_miss = 2
    for number, paths in enumerate(agent(), start=1):
        streaks = world.turn(paths, number)
        assert number < 2 or number <= second_miss + 3
        if number == 1:
            assert not any(streak.shift for streak in streaks), "one turn is no loop"
        if any(streak.shift for streak in streaks):
            break
    world.looks()
    assert number <= second_miss + 1  # it alternates between two aims: seen at the third


@pytest.mark.parametrize("named", [True, False], ids=["named turns", "derived turns"])
@pytest.mark.parametrize("agent", [each for each in AGENTS if each is not alternates])
def test_the_answer_to_the_second_miss_carries_the_shift(agent, named):
    world = World(named)
    turns = agent()
    assert {streak.level for streak in world.turn(next(turns), 1)} == {1}
    assert 2 in {streak.level for streak in world.turn(next(turns), 2)}


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_that_ignores_even_the_shift_is_refused_until_it_looks(agent):
    world = World(turns_are_named=True)
    for number, paths in enumerate(itertools.islice(agent(), 5), start=1):
        last = world.turn(paths, number)
    assert all(streak.level == 3 for streak in last)
    world.looks()
    # Never a dead end: looking lifts it, for this path and for every other.
    again = world.turn((*paths, "src/other/name.txt"), 9)
    assert all(streak.level < 3 for streak in again)


def test_an_agent_that_looks_and_then_finds_is_left_alone():
    world = World(turns_are_named=False)
    for number in range(20):
        (streak,) = world.turn((PATH,), number)
        assert streak.level == 1
        world.looks()
        world.now += 1
        world.state, _ = record(world.state, Step("success", "src/auth/login.py"), now=world.now)


def test_an_agent_with_unlike_misses_between_successes_is_left_alone():
    world = World(turns_are_named=False)
    for number in range(20):
        (streak,) = world.turn((f"dir{number}/name{number}.py",), number)
        assert streak.level == 1
        world.now += 1
        world.state, _ = record(world.state, Step("success", "a"), now=world.now)


def test_looking_without_learning_is_still_a_loop():
    world = World(turns_are_named=False)
    levels = []
    for number in range(5):
        (streak,) = world.turn((PATH,), number)
        levels.append(streak.level)
        world.looks()
    assert levels == [1, 2, 2, 2, 2]
