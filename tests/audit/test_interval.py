"""How sure a rate is: no surer than as many calls that miss on their own would make it,
and less if those of one session or project miss together.
"""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from truepath.audit.figures import limits

COUNTS = st.lists(
    st.integers(0, 50).flatmap(
        lambda calls: st.tuples(st.integers(0, calls), st.just(calls))
    ),
    max_size=12,
)


def _of(counts, projects=99):
    return {(str(at), str(at % projects)): each for at, each in enumerate(counts)}


@given(COUNTS, st.integers(1, 9))
def test_a_rate_is_between_its_limits(counts, projects):
    low, high = limits(_of(counts, projects))
    calls = sum(each for _, each in counts)
    rate = sum(hits for hits, _ in counts) / calls if calls else 0.0
    assert -1e-9 <= low <= rate + 1e-9
    assert rate - 1e-9 <= high <= 1 + 1e-9


def test_calls_that_miss_together_tell_less():
    alone = limits(_of([(1, 10)] * 20))
    together = limits(_of([(10, 10), (10, 10), *[(0, 10)] * 18]))
    of_few_projects = limits(_of([(1, 10)] * 10 + [(0, 10)] * 10, 2))
    assert together[0] < alone[0] < alone[1] < together[1]
    assert alone == limits({("", ""): (20, 200)})
    mixed = {
        (str(at), "a" if at < 10 else "b"): (2 * (at < 10), 10) for at in range(20)
    }
    assert limits(mixed)[1] > of_few_projects[1]


def test_without_calls_nothing_is_known():
    assert limits({}) == limits(_of([(0, 0)])) == (0.0, 1.0)
    assert limits(_of([(0, 100)] * 3))[0] == 0.0
    assert 0.005 < limits(_of([(0, 100)] * 3))[1] < 0.02


def test_limits_hold_the_true_rate_of_sessions_that_differ():
    """In 400 draws of 40 sessions whose own rates differ as 0.5 to 8 % do, about 95 %
    of limits hold the mean.
    """
    draw = random.Random(1)
    held = 0
    for _ in range(400):
        counts = []
        for _ in range(40):
            own = draw.choice((0.005, 0.005, 0.03, 0.08))
            calls = draw.randint(20, 120)
            counts.append((sum(draw.random() < own for _ in range(calls)), calls))
        low, high = limits(_of(counts))
        held += low <= 0.03 <= high
    assert held >= 360
