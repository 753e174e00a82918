"""Which names are one name with letters wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.resolve.typos import edits, in_other_number, slipped, typo
from truepath.resolve.words import is_word


@pytest.mark.parametrize(
    ("wrong", "right", "letters"),
    [
        pytest.param("setings", "settings", 1, id="a letter left out"),
        pytest.param("user_profille", "user_profile", 1, id="a letter twice"),
        pytest.param("ComunityCard", "CommunityCard", 1, id="in one word of several"),
        pytest.param("kail-theme", "kali-theme", 1, id="two letters swapped in a short word"),
        pytest.param("udocket-relam", "udocket-realm", 1, id="two letters swapped"),
        pytest.param("blacklist", "blocklist", 1, id="another letter in the middle of a long word"),
        pytest.param("robbyrussel", "robbyrussell", 1, id="the last letter left out"),
        pytest.param("constrcuted_hostvrs", "constructed_hostvars", 2, id="in two words"),
        pytest.param("transfromatoin", "transformation", 2, id="two in a long word"),
        pytest.param("ModelService", "ModeService", 0, id="a word with a letter more"),
        pytest.param("json-writer", "jsonl-writer", 0, id="the same, in the middle of the name"),
        pytest.param("test_oseries", "test_series", 0, id="the same, before the word"),
        pytest.param("timer_loop", "time_loop", 0, id="an ending"),
        pytest.param("nim_test", "npm_test", 0, id="another short word"),
        pytest.param("FindWolfSSH", "FindWolfSSL", 0, id="the same, of capitals"),
        pytest.param("mergesort", "merge-ort", 0, id="a word is not two with a sign for a letter"),
        pytest.param("lesson-01", "lesson-02", 0, id="another number"),
        pytest.param("fcode-list", "ccode-list", 0, id="another first letter"),
        pytest.param("routes", "router", 0, id="another last letter"),
        pytest.param("user_card", "user-card", 0, id="no letter is wrong"),
        pytest.param("user_profle", "user-profile", 0, id="another sign as well"),
        pytest.param("_request_hanlder", "request_handler", 0, id="a sign more as well"),
        pytest.param("same", "same", 0, id="the same"),
        pytest.param("", "a", 0, id="nothing"),
    ],
)
def test_a_slip_is_a_word_with_letters_wrong_and_no_word_of_its_own(wrong, right, letters):
    assert slipped(wrong, right) == letters


@pytest.mark.parametrize(
    ("wrong", "right", "count"),
    [
        ("tbekolag", "tbekolay", 1),
        ("yaelman", "yaleman", 1),
        ("serch", "search", 1),
        ("scr", "src", 1),
        ("red_team", "red-team", 1),
        ("sesion_stroe", "session_store", 2),
        ("yamlan", "yaelman", 0),
        ("cd", "dc", 0),
        ("fcode", "ccode", 0),
        ("lesson-01", "lesson-02", 0),
        ("frontend", "backend", 0),
        ("same", "same", 0),
        ("", "a", 0),
    ],
)
def test_a_name_long_enough_is_few_edits_away(wrong, right, count):
    assert edits(wrong, right) == edits(right, wrong) == count


NAMES = st.text("abcdefgAB_-.1é月", max_size=14)


@given(name=NAMES, other=NAMES)
def test_any_two_names_can_be_compared(name, other):
    assert slipped(name, other) in (0, 1, 2)
    assert slipped(name, name) == 0


TYPOS = [
    # written, the name that is there, what the first is to the second
    ("comunities", "communities", "misspelt"),
    ("session_stroe", "session_store", "misspelt"),
    ("webClinet", "webClient", "misspelt"),
    ("buttton", "button", "misspelt"),
    ("componets", "components", "misspelt"),
    ("bakend", "backend", "misspelt"),
    ("confg", "config", "misspelt"),
    ("trial", "trail", "another-word"),
    ("from", "form", "another-word"),
    ("causal", "casual", "another-word"),
    ("jon", "john", "another-word"),
    ("marten", "martin", "another-word"),
    ("prizes", "prices", "another-word"),
    ("desert", "dessert", "another-word"),
    ("diary", "dairy", "another-word"),
    ("contact", "contract", "another-word"),
    ("angel", "angle", "another-word"),
    ("device", "devise", "another-word"),
    ("summarise", "summarize", "another-word"),
    ("regex", "regexp", "another-word"),
    ("trial_balance", "trail_balance", "another-word"),
    ("trialBalance", "trailBalance", "another-word"),
    ("formdata", "fromdata", "another-word"),
    ("red_team", "red-team", ""),
]


@pytest.mark.parametrize(("wrong", "right", "told"), TYPOS)
def test_a_typo_is_no_word(wrong, right, told):
    assert typo(wrong, right, is_word) == told


def test_what_a_project_calls_its_own_is_a_word_too():
    assert typo("cirs_frame", "icrs_frame", is_word) == "misspelt"
    assert typo("cirs_frame", "icrs_frame", {"cirs"}.__contains__) == "another-word"


@pytest.mark.parametrize(
    ("one", "other", "so"),
    [
        ("test", "tests", True),
        ("unit_test", "unit_tests", True),
        ("status", "statuses", True),
        ("entity", "entities", True),
        ("TestCase", "TestCases", True),
        ("test", "test", False),
        ("test", "tested", False),
        ("unit_test", "units_tests", False),
        ("js", "jss", False),
        ("test_1", "tests_2", False),
        ("", "s", False),
    ],
)
def test_one_word_may_stand_in_the_wrong_number(one, other, so):
    assert in_other_number(one, other) is in_other_number(other, one) is so


@pytest.mark.parametrize(("name", "other"), [("route", "router"), ("timer", "timers")])
def test_an_ending_makes_another_word(name, other):
    assert slipped(name, other) == 0
