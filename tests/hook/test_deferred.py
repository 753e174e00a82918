"""What is to be told only once a call is over: by its own end, once, and by no other
call's.
"""

from __future__ import annotations

import pytest

from truepath.hook.deferred import MOST_MESSAGES, DeferredMessages
from truepath.session.keys import awaits, key, session_file
from truepath.session.stores import FileStore, MemoryStore
from truepath.types import Decision, ToolCall

WRITTEN = ToolCall("read_file", {"file_path": "a.md"}, session="s")
USED = ToolCall("read_file", {"file_path": "b.md"}, session="s")
CORRECTED = Decision("rewrite", {"file_path": "b.md"}, text="used b.md")
DONE = Decision("allow", USED.arguments)


@pytest.fixture
def deferred():
    return DeferredMessages(MemoryStore(), "/repo")


def test_a_correction_is_told_when_the_corrected_call_is_over_and_then_no_more(
    deferred,
):
    deferred.before(WRITTEN, CORRECTED)
    assert deferred.after(WRITTEN, DONE).text == ""
    told = deferred.after(USED, DONE)
    assert (told.action, told.text) == ("advise", "used b.md")
    assert deferred.after(USED, DONE).text == ""


@pytest.mark.parametrize("action", ["allow", "refuse"])
def test_what_is_told_at_once_or_not_at_all_is_not_kept(deferred, action):
    deferred.before(WRITTEN, Decision(action, WRITTEN.arguments, text="words"))
    assert deferred.after(WRITTEN, DONE).text == ""


def test_advice_is_told_at_the_end_of_the_call_as_it_came(deferred):
    deferred.before(WRITTEN, Decision("advise", WRITTEN.arguments, text="see b.md"))
    assert deferred.after(WRITTEN, DONE).text == "see b.md"


def test_what_a_failure_adds_follows_unless_it_is_the_same_again(deferred):
    failed = Decision("advise", USED.arguments, text="see c.md")
    deferred.before(WRITTEN, CORRECTED)
    assert deferred.after(USED, failed).text == "used b.md\nsee c.md"
    deferred.before(WRITTEN, CORRECTED)
    again = Decision("advise", USED.arguments, text="used b.md", repeated=True)
    assert deferred.after(USED, again).text == "used b.md"


def test_what_was_never_kept_is_told_though_it_was_said_before(deferred):
    told = deferred.after(USED, Decision("advise", {}, text="see c.md", repeated=True))
    assert (told.text, told.repeated) == ("see c.md", False)


@pytest.mark.parametrize(
    "other",
    [
        {"session": "s2"},
        {"agent": "a"},
        {"tool": "edit"},
        {"arguments": {"file_path": "b.md", "limit": 1}},
        {"call_id": "c2"},
    ],
)
def test_another_call_is_not_told_of_it(deferred, other):
    deferred.before(WRITTEN, CORRECTED)
    fields = {"tool": USED.tool, "arguments": USED.arguments, "session": "s"}
    assert deferred.after(ToolCall(**{**fields, **other}), DONE).text == ""


def test_an_id_tells_a_call_better_than_its_arguments(deferred):
    deferred.before(
        ToolCall("read_file", WRITTEN.arguments, session="s", call_id="c1"), CORRECTED
    )
    ended = ToolCall("read_file", {"path": "/b.md"}, session="s", call_id="c1")
    assert deferred.after(ended, DONE).text == "used b.md"


def test_what_was_kept_for_a_call_that_never_ran_is_not_told_of_a_later_one(deferred):
    deferred.before(WRITTEN, CORRECTED)
    deferred.before(USED, DONE)
    assert deferred.after(USED, DONE).text == ""
    deferred.before(WRITTEN, CORRECTED)
    deferred.prompted(ToolCall("", session="s"))
    assert deferred.after(USED, DONE).text == ""


def test_what_is_kept_is_bounded_and_forgotten_once_the_user_speaks(tmp_path):
    deferred = DeferredMessages(FileStore(str(tmp_path)), "/repo")
    for at in range(MOST_MESSAGES + 5):
        call = ToolCall("read_file", {"file_path": f"{at}.md"}, session="s")
        deferred.before(call, Decision("advise", call.arguments, text=str(at)))
    first = ToolCall("read_file", {"file_path": "0.md"}, session="s")
    assert deferred.after(first, DONE).text == ""
    assert awaits(session_file(str(tmp_path), key("s")))
    deferred.prompted(first)
    assert not awaits(session_file(str(tmp_path), key("s")))
