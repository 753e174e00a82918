"""What is to be told only once a call is over: by its own end, once, and by no other call's."""

from __future__ import annotations

import pytest

from truepath.hook.late import MOST, DeferredMessages
from truepath.session.keys import has_pending, key
from truepath.session.stores import FileStore, MemoryStore
from truepath.types import Decision, ToolCall

WRITTEN = ToolCall("read_file", {"file_path": "a.md"}, session="s", turn="t1")
USED = ToolCall("read_file", {"file_path": "b.md"}, session="s", turn="t1")
CORRECTED = Decision("rewrite", {"file_path": "b.md"}, text="used b.md")
DONE = Decision("allow", USED.arguments)


def before(late, call, decision, deliver=lambda _: None):
    """Answer a call, in a hook of its own."""
    hook = DeferredMessages(late._store, late._project)
    hook.before(call, decision)
    hook.told_by(b"{}", deliver)


@pytest.fixture
def late():
    return DeferredMessages(MemoryStore(), "/repo")


def test_a_correction_is_told_when_the_corrected_call_is_over_and_then_no_more(late):
    before(late, WRITTEN, CORRECTED)
    assert late.after(WRITTEN, DONE).text == ""
    told = late.after(USED, DONE)
    assert (told.action, told.text) == ("advise", "used b.md")
    assert late.after(USED, DONE).text == ""


@pytest.mark.parametrize("action", ["allow", "refuse"])
def test_what_is_told_at_once_or_not_at_all_is_not_kept(late, action):
    before(late, WRITTEN, Decision(action, WRITTEN.arguments, text="words"))
    assert late.after(WRITTEN, DONE).text == ""


def test_advice_is_told_at_the_end_of_the_call_as_it_came(late):
    before(late, WRITTEN, Decision("advise", WRITTEN.arguments, text="see b.md"))
    assert late.after(WRITTEN, DONE).text == "see b.md"


def test_what_a_failure_adds_follows_unless_it_is_the_same_again(late):
    failed = Decision("advise", USED.arguments, text="see c.md")
    before(late, WRITTEN, CORRECTED)
    assert late.after(USED, failed).text == "used b.md\nsee c.md"
    before(late, WRITTEN, CORRECTED)
    again = Decision("advise", USED.arguments, text="used b.md", repeated=True)
    assert late.after(USED, again).text == "used b.md"


def test_what_was_never_kept_is_told_though_it_was_said_before(late):
    told = late.after(USED, Decision("advise", {}, text="see c.md", repeated=True))
    assert (told.text, told.repeated) == ("see c.md", False)


@pytest.mark.parametrize(
    "other",
    [
        {"turn": "t2"},
        {"session": "s2"},
        {"agent": "a"},
        {"tool": "edit"},
        {"arguments": {"file_path": "b.md", "limit": 1}},
        {"call_id": "c2"},
    ],
)
def test_another_call_is_not_told_of_it(late, other):
    fields = {"tool": USED.tool, "arguments": USED.arguments, "session": "s", "turn": "t1"}
    before(late, WRITTEN, CORRECTED)
    assert late.after(ToolCall(**{**fields, **other}), DONE).text == ""


def test_an_id_tells_a_call_better_than_its_arguments(late):
    before(late, ToolCall("read_file", WRITTEN.arguments, session="s", call_id="c1"), CORRECTED)
    ended = ToolCall("read_file", {"path": "/b.md"}, session="s", call_id="c1")
    assert late.after(ended, DONE).text == "used b.md"


def test_the_same_correction_twice_in_one_turn_is_told_twice(late):
    for _ in range(2):
        before(late, WRITTEN, CORRECTED)
    assert [late.after(USED, DONE).text for _ in range(3)] == ["used b.md", "used b.md", ""]


def test_what_was_kept_in_an_earlier_turn_is_forgotten_and_the_rest_is_bounded(tmp_path):
    late = DeferredMessages(FileStore(str(tmp_path)), "/repo")
    for at in range(MOST + 5):
        call = ToolCall("read_file", {"file_path": f"{at}.md"}, session="s", turn="t1")
        before(late, call, Decision("advise", call.arguments, text=str(at)))
    first = ToolCall("read_file", {"file_path": "0.md"}, session="s", turn="t1")
    assert late.after(first, DONE).text == ""
    assert has_pending(str(tmp_path), key("s"))
    late.after(ToolCall("read_file", {}, session="s", turn="t2"), DONE)
    assert not has_pending(str(tmp_path), key("s"))


def test_what_did_not_reach_the_host_is_not_told_later(late):
    def gone(_):
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        before(late, WRITTEN, CORRECTED, gone)
    assert late.after(USED, DONE).text == ""
    before(late, WRITTEN, CORRECTED)
    assert late.after(USED, DONE).text == "used b.md"
