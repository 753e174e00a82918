"""What a session remembers across calls, whatever keeps it: turns, sub-agents,
idleness.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from truepath.session import session as session_module
from truepath.session.loops import Streak
from truepath.session.session import session_of
from truepath.session.state import IDLE
from truepath.session.stores import MemoryStore, open_store
from truepath.types import ToolCall

PATH = "src/login.py"


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """A clock that is set by hand."""
    clock = SimpleNamespace(now=1e9, time=lambda: clock.now)
    monkeypatch.setattr(session_module, "time", clock)
    return clock


class Sessions:
    """The sessions of one store and project."""

    def __init__(self, store, *, project="/p") -> None:
        self.store, self.project = store, project

    def of(self, **details):
        known = {name: details.pop(name) for name in ("started",) if name in details}
        call = ToolCall("Read", {}, **{"session": "s", **details})
        return session_of(call, self.store, self.project, **known)

    def miss(self, path=PATH, *, assumed=False, **details):
        session_module.time.now += 1.0
        return self.of(**details).missed(path, assumed=assumed)


@pytest.fixture(params=["memory:", "file:"])
def new(request, tmp_path):
    """Return what makes a store over the same sessions, as another process or worker
    would.
    """
    memory = MemoryStore()

    def sessions(**options) -> Sessions:
        store = (
            open_store("file:", str(tmp_path)) if request.param == "file:" else memory
        )
        return Sessions(store, **options)

    return sessions


def test_an_hour_idle_starts_afresh(new, clock):
    sessions = new()
    assert [sessions.miss().level for _ in range(3)] == [1, 2, 3]
    clock.now += IDLE - 10
    assert sessions.miss().count == 4
    clock.now += IDLE + 1
    assert sessions.of().streak_of(PATH) == Streak()
    assert sessions.miss().level == 1


def test_sub_agents_sessions_and_projects_have_streaks_of_their_own(new):
    sessions, there = new(), new(project="/q")
    assert [sessions.miss().level for _ in range(2)] == [1, 2]
    assert sessions.miss(agent="reviewer").level == 1
    assert sessions.miss(session="t").level == 1
    sessions.of(agent="reviewer").record_step("success")
    assert sessions.miss().level == 3, "another agent's success is not its own"
    assert [each.miss(session="").level for each in (sessions, there, sessions)] == [
        1,
        1,
        2,
    ]


@pytest.mark.parametrize("kind", ["success", "prompt"])
def test_a_success_and_a_word_of_the_user_reset(new, kind):
    sessions = new()
    assert [sessions.miss().level for _ in range(3)] == [1, 2, 3]
    sessions.of().record_step(kind)
    assert sessions.miss().level == 1


def test_calls_that_began_before_the_last_answer_are_of_its_turn(new):
    sessions = new()
    assert [sessions.miss(started=1e9).count for _ in range(3)] == [1, 1, 1]
    assert new().miss(started=1e9 + 60.0).count == 2


def test_what_was_tried_is_told_at_the_second_miss(new):
    sessions = new()
    sessions.miss()
    assert sessions.miss("app/login.py").tried == (PATH, "app/login.py")
    assert sessions.of().streak_of("core/login.py").count == 2
    assert sessions.of().streak_of("docs/guide.md") == Streak()


def test_a_likely_file_was_shown_before_only_in_an_earlier_turn(new):
    sessions = new()
    sessions.miss(turn="1", assumed=True)
    assert not sessions.of(turn="1").streak_of(PATH).assumed
    assert sessions.of(turn="2").streak_of("lib/login.py").assumed
    assert not sessions.of(turn="2").streak_of("docs/guide.md").assumed


def test_a_note_is_given_once(new):
    told = [new().of().note_once("home:/root", "slip:bakcend") for _ in range(2)]
    assert told == [True, False]
    assert new().of().note_once("slip:bakcend") is False
    assert new().of(session="t").note_once("slip:bakcend") is True


def test_a_session_that_has_nothing_to_remember_is_not_asked(tmp_path):
    session = Sessions(open_store("file:", str(tmp_path))).of()
    session.record_step("success")
    assert session.streak_of("a") == Streak()
    assert not list(tmp_path.iterdir())
