"""What a session knows of the checkouts of its repository."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from truepath.session.checkouts import about, forgotten, learned
from truepath.session.state import IDLE, SessionState

FACTS = st.lists(
    st.tuples(
        st.sampled_from(["own", "edited", "asked", "meant", "typed", "told"]),
        st.text(max_size=3) | st.just("x" * 2_000),
    ).map(" ".join),
    max_size=100,
)


@given(FACTS)
def test_facts_are_bounded_and_of_some_words_only_the_last_counts(new):
    facts = ()
    for fact in new:
        facts = learned(facts, fact)
        assert len(facts) <= 64
        assert fact in facts or len(fact) > 1_000
    short = [fact for fact in new if len(fact) < 1_000]
    for word in ("own", "edited"):
        last = [fact.partition(" ")[2] for fact in short if fact.startswith(word)][-1:]
        assert about(facts, word) == last
    assert about(forgotten(facts, "own"), "own") == []


def test_whose_checkout_is_whose_outlasts_an_idle_hour():
    state = SessionState(seen=1e9, notes=("x",), checkouts=("own /w",))
    later = state.at(1e9 + IDLE + 1)
    assert (later.notes, later.checkouts) == ((), ("own /w",))
    assert SessionState.from_json(later.to_json()) == later
