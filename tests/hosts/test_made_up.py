"""A host that nobody has seen: one class of data is all that it takes."""

from __future__ import annotations

import pytest

from truepath.hosts.event_schema import event_schema, required_paths
from truepath.hosts.host import Host
from truepath.hosts.protocol import Exchange, Request
from truepath.hosts.setup import Piece, Setup, harmless, listed
from truepath.types import Decision, Outcome, ToolCall


class MadeUp(Host):
    NAME = "made-up"
    TITLE = "Made Up"
    EVENTS = {"about_to": "before", "went_wrong": "failure"}
    EVENT_SCHEMA = event_schema(
        EVENTS, {"open": ("file", "file")}, {"sh": ("line", "")}, event="what", tool="do.name",
        arguments="do.with", cwd="at", session="talk",
    )  # fmt: skip
    CALL_ID = "do.id"
    PROJECT = START = "MADE_UP_PROJECT"
    NESTED = False
    REFUSAL = {"verdict": "no"}
    REASON = "why"
    INPUT = "with"
    WORDS = "say"
    HOME = (".config/made-up", "MADE_UP_HOME")
    RULE_FILES = (("/etc/made-up.json",), ("rules.json",), (".made-up/rules.json",))
    HOOK_FILES = (("~/.claude/settings.json",), ("hooks.json",), (".made-up/hooks.json",))

    def setup(self, client, *, timeout=10):
        hook = {"run": harmless(client), "seconds": timeout}
        table = listed(hook, {"about_to": self.tools(), "went_wrong": ""}, grouped=False)
        return Setup(*self.HOME, (Piece("hooks.json", ".made-up/hooks.json", {"hooks": table}),))


HOST = MadeUp()
CALL = ToolCall(
    "open", {"file": "a.py", "n": 1}, session="t", cwd="/repo", host="made-up", call_id="7"
)
ENVIRON = {"HOME": "/home/u", "MADE_UP_PROJECT": "/repo/sub"}


def event(what="about_to", **more):
    do = {"name": "open", "with": {"file": "a.py", "n": 1}, "id": "7"}
    return {"what": what, "do": do, "at": "/repo", "talk": "t", **more}


def test_an_event_is_decoded_by_the_names_of_its_fields():
    failed = HOST.decode(event("went_wrong", error="gone"), ENVIRON)
    assert failed.exchanges == (Exchange(CALL, Outcome(error="gone")),)
    assert HOST.decode(event(), ENVIRON) == Request(
        "before", "about_to", (Exchange(CALL),), project="/repo/sub", cwd="/repo"
    )


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, "nothing"),
        (event("stopped"), "of no concern"),
        (event(do={"with": {}}), "no tool"),
        (event(do=7), "no call"),
        (event(is_interrupt=True), "the user broke it off"),
        ({**event(), "what": ["about_to"]}, "no name"),
    ],
)
def test_an_event_that_is_not_ours_is_left_alone(given, why):
    assert HOST.decode(given, {}) is None, why


@pytest.mark.parametrize(
    ("decision", "answer"),
    [
        (Decision("allow", {}), None),
        (Decision("refuse", {}, text="no"), {"verdict": "no", "why": "no"}),
        (Decision("refuse", {}), None),
        (Decision("advise", {}, text="look"), {"say": "look"}),
        (
            Decision("rewrite", {"file": "b.py"}, text="used b.py"),
            {"with": {"file": "b.py", "n": 1}, "say": "used b.py"},
        ),
    ],
)
def test_a_decision_is_encoded_under_the_names_of_its_fields(decision, answer):
    assert HOST.encode(HOST.decode(event(), {}), [decision]) == answer


def test_its_files_are_found_in_every_scope():
    assert [*HOST.rule_files(ENVIRON, "/repo")] == [
        "/etc/made-up.json",
        "/home/u/.config/made-up/rules.json",
        "/repo/.made-up/rules.json",
        "/repo/sub/.made-up/rules.json",
    ]
    hooks = HOST.hooks({**ENVIRON, "MADE_UP_HOME": "/own"}, "/repo")
    assert hooks.events == ("about_to",)
    assert hooks.settings == (
        ("/home/u", ".claude/settings.json"),
        ("/own", "hooks.json"),
        ("/repo", ".made-up/hooks.json"),
        ("/repo/sub", ".made-up/hooks.json"),
    )


def test_what_is_at_stake_and_what_is_installed_follow_from_its_tables():
    assert required_paths(HOST.EVENT_SCHEMA, event(), b"") == [("/repo/a.py", "file")]
    [piece] = HOST.setup("client").pieces
    assert piece.content["hooks"] == {
        "about_to": [{"matcher": "open|sh", "run": "client || true", "seconds": 10}],
        "went_wrong": [{"run": "client || true", "seconds": 10}],
    }


def test_what_a_host_has_no_word_on_is_nothing():
    assert HOST.recall(CALL, b'{"type":"user"}\n') == CALL
    assert HOST.rules({}, {}, "/repo").hidden == ()
