"""Which names are one name with letters wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.letters import slipped


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


NAMES = st.text("abcdefgAB_-.1é月", max_size=14)


@given(name=NAMES, other=NAMES)
def test_any_two_names_can_be_compared(name, other):
    assert slipped(name, other) in (0, 1, 2)
    assert slipped(name, name) == 0
