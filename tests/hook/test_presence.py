"""Whether an event can go unanswered: the shared cases, and what any event must hold
to.
"""

from __future__ import annotations

import json

import hooks
import pytest

from truepath.config import switched_off
from truepath.hosts import HOSTS

NAMES = ("TRUEPATH", "CLAUDE_RESOLVE_PATH")


@pytest.fixture
def laid_out(tmp_path, monkeypatch):
    def make(case):
        data, environ = hooks.lay_out(case, tmp_path)
        monkeypatch.delenv("XDG_STATE_HOME", raising=False)
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        return data, environ

    return make


@pytest.mark.parametrize("case", hooks.CASES, ids=lambda case: case["reason"])
def test_an_event_is_quiet_where_the_shared_table_says_so(laid_out, case):
    data, environ = laid_out(case)
    if case["host"] not in HOSTS:
        with pytest.raises(LookupError):
            hooks.quiet(case["host"], data)
        return
    quiet = switched_off(environ) or hooks.quiet(case["host"], data)
    assert quiet == case["quiet"]


@pytest.mark.parametrize(
    "case",
    [case for case in hooks.CASES if case["quiet"] and "environ" not in case],
    ids=lambda case: case["reason"],
)
def test_the_engine_has_nothing_to_say_of_a_quiet_event(laid_out, case):
    data, _ = laid_out(case)
    assert hooks.reply(case["host"], data) == b""


def test_every_case_has_a_reason_of_its_own():
    reasons = [case["reason"] for case in hooks.CASES]
    assert len(set(reasons)) == len(reasons)
    assert all(json.dumps(case["event"]) for case in hooks.CASES)
