"""What is remembered of a session, kept where an agent framework keeps its own state."""

from __future__ import annotations

import json
import threading

import pytest

from truepath import Guard, ToolCall

FILES = {"docs/status.md": "", "src/app/main.py": ""}
MISS = ToolCall("read_file", {"path": "src/nowhere/spans.py"}, session="s")


@pytest.fixture
def repo(make_repo):
    return make_repo(FILES, git=False)


def guard(repo):
    return Guard(repo, on_event=lambda _: None)


def test_the_next_worker_knows_what_the_last_one_saw(repo):
    state = {"theirs": 1}

    first = guard(repo).check(MISS, state=state)
    second = guard(repo).check(MISS, state=state)

    assert not first.decision.shift
    assert second.decision.shift
    assert state["theirs"] == 1
    assert all(name.startswith("truepath") for name in {*state} - {"theirs"})
    assert json.loads(json.dumps(state)) == state


def test_each_session_has_its_own(repo):
    shared = guard(repo)

    assert not shared.check(MISS, state={}).decision.shift
    assert not shared.check(MISS, state={}).decision.shift
    assert not shared.check(MISS).decision.shift
    assert shared.check(MISS).decision.shift


def test_a_path_that_exists_writes_nothing(repo):
    state: dict[str, object] = {}

    guard(repo).check(ToolCall("read_file", {"path": "src/app/main.py"}, session="s"), state=state)

    assert state == {}


def test_what_is_explained_afterwards_is_kept_there_too(repo):
    state: dict[str, object] = {}
    call = ToolCall("bash", {"command": "python build.py"}, session="s")

    guard(repo).check(call, state=state).failed("cat: src/nowhere/a.py: No such file or directory")

    assert state


@pytest.mark.parametrize("kept", ["", "{", "[]", 7, None, {"a": 1}, '{"misses": 3}', "x" * 10**6])
def test_what_cannot_be_read_is_as_good_as_nothing(repo, kept):
    state = {"truepath s": kept}

    checked = guard(repo).check(MISS, state=state)

    assert checked.refusal
    assert not checked.decision.shift


def test_a_mapping_that_fails_costs_no_call(repo):
    class Broken(dict):
        def get(self, *_):
            raise ConnectionError("the database is gone")

    checked = guard(repo).check(MISS, state=Broken())

    assert not checked.refusal
    assert checked.arguments == MISS.arguments


def test_threads_that_share_a_session_lose_nothing(repo):
    state: dict[str, object] = {}
    shared = guard(repo)

    def miss(number):
        path = f"src/nowhere/part_{number}.py"
        call = ToolCall("read_file", {"path": path}, session="s", turn=str(number))
        shared.check(call, state=state)

    threads = [threading.Thread(target=miss, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    [kept] = state.values()
    assert len(json.loads(kept)["misses"]) == 6
