"""Simulated agents that do not learn from errors, against the real guard.

Each agent asks for what is not there, over and over, whatever it is told. It heeds two things: an
answer that carries the strategy shift (an obedient agent), or nothing but a refusal of its changes
(a stubborn one). Sessions live in memory, or in files with a new guard for every call, as in hooks.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from truepath import Decision, Guard, Outcome, ToolCall
from truepath.calls.tools import discovery_tools
from truepath.events.event import Event
from truepath.session.stores.files import FileStore
from truepath.session.stores.memory import MemoryStore

FILES = {
    "src/auth/session.py": "",
    "src/auth/tokens.py": "",
    "src/billing/invoice.py": "",
    "docs/index.md": "",
    "shots/0001.png": "",
}
NEW = "src/services/ledger/accounts.py"
"""Nothing like it is in the project."""

Turn = tuple[tuple[str, str], ...]
"""The tools and paths of one model turn."""

ARGUMENTS = {
    "Read": lambda path: {"file_path": path},
    "Edit": lambda path: {"file_path": path, "old_string": "a", "new_string": "b"},
    "Write": lambda path: {"file_path": path, "content": "x"},
    "LS": lambda path: {"path": path},
    "Glob": lambda path: {"pattern": path},
    "Bash": lambda command: {"command": command},
}


def repeats() -> Iterator[Turn]:
    return itertools.repeat((("Read", NEW),))


def varies_the_folder() -> Iterator[Turn]:
    folders = itertools.cycle(("src", "lib", "app", "core"))
    return ((("Read", f"{folder}/ledger_accounts.py"),) for folder in folders)


def varies_the_name() -> Iterator[Turn]:
    names = itertools.cycle(("ledger", "ledgers", "ledger_main", "accounts", "books"))
    return ((("Edit", f"src/services/{name}.py"),) for name in names)


def alternates() -> Iterator[Turn]:
    return itertools.cycle(((("Read", NEW),), (("Edit", "qa/harness/fixtures.yml"),)))


def asks_in_parallel() -> Iterator[Turn]:
    return itertools.repeat((("Read", NEW), ("Read", "qa/harness/fixtures.yml")))


def counts_up() -> Iterator[Turn]:
    return ((("Read", f"frames/{number:04}.jpeg"),) for number in itertools.count(365))


def changes_tools() -> Iterator[Turn]:
    return itertools.cycle(
        ((("Read", NEW),), (("Edit", NEW),), (("Bash", f"cat {NEW}"),), (("LS", NEW),))
    )


AGENTS = [
    repeats,
    varies_the_folder,
    varies_the_name,
    alternates,
    asks_in_parallel,
    counts_up,
    changes_tools,
]


@dataclass
class World:
    """A session of an agent in a project."""

    guard: Callable[[], Guard]
    named: bool
    """Whether the host names the turns."""
    events: list[Event]
    calls: int = 0
    turns: int = 0
    said: list[str] = field(default_factory=list)

    def turn(self, turn: Turn) -> list[Decision]:
        self.turns += 1
        return [self.call(tool, path) for tool, path in turn]

    def call(self, tool: str, path: str) -> Decision:
        """Make one call: what the guard lets through fails, for nothing asked for is there."""
        self.calls += 1
        call = ToolCall(
            tool,
            ARGUMENTS[tool](path),
            session="s",
            host="claude-code",
            call_id=f"c{self.calls}",
            turn=f"t{self.turns}" if self.named else "",
        )
        decision = self.guard().before(call)
        fails = tool not in ("Glob", "Write") and "mkdir" not in path
        if fails and decision.action in ("allow", "advise"):
            decision = self.guard().after(call, Outcome(error="File does not exist."))
        self.said.append(decision.text)
        return decision

    def kinds(self) -> list[str]:
        return [event.event for event in self.events]


@pytest.fixture(params=["memory", "files"])
def world(request, make_repo, tmp_path):
    repo = make_repo(FILES, git=False)
    events: list[Event] = []
    if request.param == "memory":
        guard = Guard(repo, store=MemoryStore(), on_event=events.append)
        return lambda named=True, **more: World(lambda: guard, named, events)
    states = str(tmp_path / "states")

    def fresh(**more) -> Guard:
        return Guard(repo, store=FileStore(states), on_event=events.append, **more)

    return lambda named=True, **more: World(lambda: fresh(**more), named, events)


def second_miss(agent: Callable[[], Iterator[Turn]]) -> int:
    """Return the number of the call that misses for the second time in the agent's session."""
    return 1 + len(next(agent()))


# Calls one after another are not parallel unless the host says so.
@pytest.mark.parametrize(
    ("agent", "named"),
    [(agent, True) for agent in AGENTS]
    + [(agent, False) for agent in AGENTS if agent is not asks_in_parallel],
)
def test_an_agent_that_heeds_the_shift_is_out_within_three_calls_of_the_second_miss(
    world, agent, named
):
    played = world(named)
    for turn in agent():
        decisions = played.turn(turn)
        if any(decision.shift for decision in decisions):
            break
        assert played.calls < second_miss(agent) + 3, played.said
    assert played.calls <= second_miss(agent) + 3
    assert "STRATEGY_SHIFT" in played.said[-1] or "STRATEGY_SHIFT" in played.said[-2]
    assert any("find" in text for text in played.said[-2:]), "by the host's own names"
    assert played.turn((("Glob", "**/*ledger*"),))[0].action == "allow"
    assert played.turn((("Read", "src/auth/tokens.py"),))[0].text == ""
    assert played.kinds()[-1] == "streak.ended"
    assert played.turn((("Read", NEW),))[0].shift is False, "a new miss is a first one"


@pytest.mark.parametrize("agent", AGENTS)
def test_under_guide_the_failures_are_counted_and_carry_the_shift(make_repo, agent):
    events: list[Event] = []
    guard = Guard(make_repo(FILES, git=False), policy="guide", on_event=events.append)
    played = World(lambda: guard, named=True, events=events)
    for turn in agent():
        if any(decision.shift for decision in played.turn(turn)):
            break
        assert played.calls < second_miss(agent) + 3, played.said
    assert played.calls <= second_miss(agent) + 3
    assert {*played.kinds()} == {"path.advised", "strategy.shift"}, "no failure is a success"
    assert played.kinds().count("path.advised") == played.calls
    assert played.turn((("Read", "src/auth/tokens.py"),))[0].text == ""
    assert played.kinds()[-2:] == ["path.used", "streak.ended"]


MISSES = [
    (f"cat src/auth/tokens.py {NEW}", "beside a file that is there"),
    (f"ls src {NEW}", "beside a folder that is there"),
    (f"ls {NEW}", "looking where nothing is"),
    (f"grep -rn ledger {NEW}", "searching where nothing is"),
]


@pytest.mark.parametrize("policy", ["careful", "guide"])
@pytest.mark.parametrize(("command", "what"), MISSES, ids=[case[1] for case in MISSES])
def test_a_call_that_misses_one_of_its_paths_neither_succeeds_nor_looks(
    make_repo, policy, command, what
):
    guard = Guard(make_repo(FILES, git=False), policy=policy)
    played = World(lambda: guard, named=True, events=[])
    shifts = [played.turn((("Bash", command),))[0].shift for _ in range(3)]
    assert shifts == [False, True, True], what


@pytest.mark.parametrize("policy", ["careful", "guide"])
def test_a_miss_that_the_command_accepts_is_no_miss(make_repo, policy):
    guard = Guard(make_repo(FILES, git=False), policy=policy)
    played = World(lambda: guard, named=True, events=[])
    played.turn((("Read", NEW),))
    call = ToolCall("Bash", {"command": f"rm -f {NEW}; cat src/auth/tokens.py"}, session="s")
    assert played.guard().before(call).action == "allow"
    assert not played.turn((("Read", NEW),))[0].shift, "the call has succeeded"


def test_calls_that_threads_make_at_once_are_one_turn(make_repo):
    guard = Guard(make_repo(FILES, git=False), on_event=lambda _: None)
    guard.before(ToolCall("Read", {"file_path": "src/auth/tokens.py"}, session="s"))
    for expected in (False, True):
        together = threading.Barrier(4)
        with ThreadPoolExecutor(4) as pool:
            shifts = [pool.submit(read_once_all_are_there, guard, together) for _ in range(4)]
        assert [each.result() for each in shifts] == [expected] * 4


ONE_AIM = [
    ("src/ledger.py", "lib/ledger.py", "the same name"),
    ("src/auth/ledger.py", "src/auth/ledgers.py", "like names in one folder"),
    ("app/ledger.ts", "lib/ledger.test.js", "one stem"),
    ("frames/0365.jpeg", "frames/0397.jpeg", "a numbered series"),
    ("logs/2026-11-01/run-1.log", "logs/2026-11-22/run-22.log", "a dated series"),
    ("src/services/auth/token.rs", "src/services/db/pool.go", "one folder that was made up"),
    ("a/controllers.rb", "b/controlers.rb", "a letter apart"),
]
OTHER_AIMS = [
    ("src/auth/ledger.py", "src/auth/payroll.py", "nothing but the same folder"),
    ("AGENTS.md", "setup.cfg", "two optional files in the root"),
    ("src/auth/ledger.py", "src/billing/payroll.py", "other names in other folders"),
    ("src/ledger.py", "docs/payroll.md", "nothing in common"),
]
SECOND = {"Read": "{}", "Edit": "{}", "Bash": "cat {}"}


@pytest.mark.parametrize("tool", SECOND)
@pytest.mark.parametrize(
    ("one", "other", "why"), [*ONE_AIM, *OTHER_AIMS], ids=[each[2] for each in ONE_AIM + OTHER_AIMS]
)
def test_two_misses_of_one_aim_are_answered_with_the_shift_whatever_the_tool(
    world, one, other, why, tool
):
    played = world()
    assert not played.turn((("Read", one),))[0].shift
    (second,) = played.turn(((tool, SECOND[tool].format(other)),))
    assert second.shift == ((one, other, why) in ONE_AIM)
    if second.shift:
        assert f"before this `{one}`" in second.text
        assert second.text.count(f"`{other}`") == 1, "a file is named once"


@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini-cli", "opencode", "langchain"])
def test_the_shift_names_the_tools_of_the_host_and_what_is_known(make_repo, host):
    guard = Guard(make_repo({"a/totals.py": "", "b/totals.py": ""}, git=False))
    for turn in "12":
        call = ToolCall("Read", {"file_path": "c/totals.py"}, session="s", turn=turn, host=host)
        text = guard.before(call).text
    assert text.startswith("STRATEGY_SHIFT: 2 misses in a row")
    assert (
        f"Use a path that is named here, or look first, with {', '.join(discovery_tools(host))}."
        in text
    )
    assert text.endswith(
        "PATH_NOT_FOUND: `c/totals.py`. Did you mean one of: `a/totals.py`, `b/totals.py`?"
    )


def test_what_was_named_before_is_named_again_where_nothing_else_is(make_repo):
    guard = Guard(make_repo({"a/totals.py": "", "b/totals.py": ""}, git=False))
    for turn, path in enumerate(("c/totals.py", "c/new_totals_of_all.txt")):
        call = ToolCall("Read", {"file_path": path}, session="s", turn=str(turn))
        text = guard.before(call).text
    assert "Stop guessing: look first" in text
    assert "Named before: `a/totals.py`, `b/totals.py`." in text


OPTIONAL = ["AGENTS.md", "setup.cfg", "docker-compose.yml", "tox.ini", "docker-compose.yaml"]


def test_to_look_for_optional_files_is_no_loop_and_any_of_them_may_be_made(world):
    played = world()
    for path in OPTIONAL:
        assert not played.turn((("Read", path),))[0].shift, path
    for tool, path in (("Write", "docker-compose.yml"), ("Bash", "echo x > tox.ini")):
        assert played.turn(((tool, path),))[0].action == "allow", path


def test_to_list_one_folder_after_the_other_is_no_loop(world):
    played = world()
    for path in ("lib/ledger", "app/ledger", "core/ledger", "pkg/ledger"):
        assert not played.turn((("LS", path),))[0].shift, path
    assert played.turn((("Bash", "mkdir -p lib/ledger"),))[0].action == "allow"


def test_the_same_answer_is_given_in_full_once(make_repo):
    guard = Guard(make_repo(FILES, git=False))
    call = ToolCall("Read", {"file_path": "src/auth/zz.py"}, session="s")
    first, second = guard.before(call).text, guard.before(call).text
    assert "\nIn `src/auth/`: " in first
    assert second.endswith("\n" + first.partition("\n")[0])


def test_the_shift_names_nothing_as_known_that_is_only_to_be_made(make_repo):
    guard = Guard(make_repo({"backend/app/main.py": ""}, git=False))
    new = {"file_path": "bakcend/app/billing.py"}
    made = guard.before(ToolCall("Write", {**new, "content": "x"}, session="s", turn="1"))
    read = guard.before(ToolCall("Read", new, session="s", turn="2"))

    assert "`backend/app/billing.py`" in made.text
    assert read.shift
    assert "`backend/app/billing.py`" not in read.text


def read_once_all_are_there(guard: Guard, together: threading.Barrier) -> bool:
    together.wait()
    return guard.before(ToolCall("Read", {"file_path": NEW}, session="s")).shift


@pytest.mark.parametrize("agent", AGENTS)
def test_a_stubborn_agent_may_change_nothing_there_until_it_looks(world, agent):
    played = world()
    turns = agent()
    for turn in itertools.islice(turns, 5):
        missed = turn[0][1]
        played.turn(turn)
    path = missed.removeprefix("cat ")
    for _ in range(3):
        (refused,) = played.turn((("Write", path),))
        assert refused.action == "refuse"
        assert refused.shift
        assert "LOOK_FIRST" in refused.text
        assert refused.payload["code"] == "LOOK_FIRST"
    assert played.turn((("Glob", "**/*"),))[0].action == "allow"
    (allowed,) = played.turn((("Write", path),))
    assert (allowed.action, allowed.text) == ("allow", ""), "never a dead end"


LIFTS = [
    ("Glob", "**/ledger*", "a search"),
    ("LS", "src", "a listing"),
    ("Bash", "ls src", "a listing in the shell"),
    ("Bash", "git grep -n ledger", "a search in the shell"),
    ("Read", "src/auth/tokens.py", "a file that is there: the streak is over"),
]


@pytest.mark.parametrize(("tool", "path", "what"), LIFTS, ids=[case[2] for case in LIFTS])
def test_any_look_lifts_the_refusal(world, tool, path, what):
    played = world()
    for turn in itertools.islice(repeats(), 4):
        played.turn(turn)
    assert played.turn((("Write", NEW),))[0].action == "refuse"
    played.guard().before(ToolCall(tool, ARGUMENTS[tool](path), session="s", turn="look"))
    assert played.turn((("Write", NEW),))[0].action == "allow", what


def test_what_the_user_says_lifts_it_too(world):
    played = world()
    for turn in itertools.islice(repeats(), 4):
        played.turn(turn)
    assert played.turn((("Write", NEW),))[0].action == "refuse"
    played.guard().prompted(ToolCall("", {}, session="s", prompt="just make it"))
    assert played.turn((("Write", NEW),))[0].action == "allow"


GOES_ON = [
    ("Write", "src/auth/session.py", "it is there: an overwrite"),
    ("Write", "docs/guide.md", "another aim"),
    ("Write", "tools/new/thing.py", "another aim, and a new folder"),
    ("Bash", f"ls src && mkdir -p {NEW}", "it looks in the same breath"),
    ("Bash", "mkdir -p build/out", "another aim, in the shell"),
]


@pytest.mark.parametrize(("tool", "path", "why"), GOES_ON, ids=[case[2] for case in GOES_ON])
def test_changes_with_another_aim_go_on(world, tool, path, why):
    played = world()
    for turn in itertools.islice(repeats(), 4):
        played.turn(turn)
    assert played.turn(((tool, path),))[0].action == "allow", why


HELD = [
    ("Write", NEW, "the very path"),
    ("Write", "src/ledger/accounts.py", "its name in another folder"),
    ("Write", "src/services/ledger/book.py", "below the folder it made up"),
    ("Bash", f"mkdir -p {NEW.rpartition('/')[0]}", "the folder it made up, in the shell"),
    ("Bash", f"echo x > {NEW}", "the path, in the shell"),
]


@pytest.mark.parametrize(("tool", "path", "what"), HELD, ids=[case[2] for case in HELD])
def test_changes_with_the_missed_aim_are_refused(world, tool, path, what):
    played = world()
    for turn in itertools.islice(repeats(), 4):
        played.turn(turn)
    decision = played.turn(((tool, path),))[0]
    assert decision.action == "refuse", what
    assert "LOOK_FIRST" in decision.text


def test_a_second_miss_alone_refuses_no_change(world):
    played = world()
    for turn in itertools.islice(repeats(), 2):
        played.turn(turn)
    assert played.turn((("Write", NEW),))[0].action == "allow"


def test_to_miss_in_a_folder_is_no_reason_to_refuse_a_new_file_in_it(world):
    played = world()
    for name in ("ledger", "books", "accounts", "pages"):
        played.turn((("Read", f"src/auth/{name}.py"),))
    assert played.turn((("Write", "src/auth/wholly_new.py"),))[0].action == "allow"


def test_what_the_user_named_is_made(world):
    played = world()
    for turn in itertools.islice(repeats(), 4):
        played.turn(turn)
    call = ToolCall("Write", ARGUMENTS["Write"](NEW), session="s", prompt=f"Please write {NEW}.")
    assert played.guard().before(call).action != "refuse"


@pytest.mark.parametrize("policy", ["guide", "observe"])
def test_a_policy_that_refuses_nothing_refuses_nothing_here(make_repo, policy):
    guard = Guard(make_repo(FILES, git=False), policy=policy)
    played = World(lambda: guard, named=True, events=[])
    for turn in itertools.islice(repeats(), 5):
        (decision,) = played.turn(turn)
        assert "LOOK_FIRST" not in decision.text
    assert played.turn((("Write", NEW),))[0].action == "allow"
    assert any("STRATEGY_SHIFT" in text for text in played.said) == (policy == "guide")


def test_sub_agents_have_streaks_of_their_own(world):
    played = world()
    for turn in itertools.islice(repeats(), 4):
        played.turn(turn)
    call = ToolCall("Write", ARGUMENTS["Write"](NEW), session="s", agent="sub")
    assert played.guard().before(call).action == "allow"


def test_a_correction_ends_the_streak_and_says_so(world):
    played = world()
    for turn in itertools.islice(repeats(), 2):
        played.turn(turn)
    played.turn((("Read", "src/auth/tokens.py:12"),))
    assert played.kinds()[-2:] == ["path.corrected", "streak.ended"]


def test_the_answer_to_a_second_miss_keeps_the_first_answer_below_the_shift(make_repo: Callable):
    files = {f"src/auth/{'long_name_' * 8}{n}.py": "" for n in range(30)}
    guard = Guard(make_repo(files, git=False))
    call = ToolCall("Read", {"file_path": "src/auth/zz.py"}, session="s")
    guard.before(call)
    text = guard.before(call).text
    assert text.startswith("STRATEGY_SHIFT")
    assert "PATH_NOT_FOUND: " in text
    assert len(text) <= 2000


def test_new_files_cost_a_fresh_guard_no_session(make_repo, monkeypatch, isolated: Path):
    guard = Guard(make_repo(FILES, git=False))
    decision = guard.before(ToolCall("Write", ARGUMENTS["Write"]("docs/new.md")))
    assert decision.action == "allow"
    assert "_follow_up" not in guard.__dict__
