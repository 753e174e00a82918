"""What is compared here is as alike as rapidfuzz says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from truepath import likeness

NAMES = st.text("abcd_.é", max_size=12) | st.text(max_size=70)


@given(NAMES, NAMES)
def test_the_ratio_is_that_of_rapidfuzz(one, other):
    assert likeness.ratio(one, other) == fuzz.ratio(one, other)


@given(NAMES, NAMES, st.integers(0, 4))
def test_the_edits_are_those_of_rapidfuzz(one, other, most):
    assert likeness.edits(one, other, most) == OSA.distance(one, other, score_cutoff=most)


@given(NAMES, st.lists(NAMES, max_size=30), st.sampled_from([0.0, 40.0, 60.0, 100.0]))
def test_few_names_are_ranked_as_rapidfuzz_ranks_them(wanted, names, floor):
    expected = process.extract(wanted, names, scorer=fuzz.ratio, score_cutoff=floor, limit=9)
    assert likeness.alike(wanted, names, floor=floor, limit=9) == expected


@pytest.mark.parametrize("count", [10, 6_000])
def test_many_names_are_ranked_as_few_are(count):
    names = [f"module_{at}.py" for at in range(count)]
    best = likeness.alike("modul_7.py", names, floor=60.0, limit=2)
    assert best[0] == ("module_7.py", fuzz.ratio("modul_7.py", "module_7.py"), 7)
