"""Records are the dataclasses of the standard library, but for their cost."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle

import pytest

from truepath import records


def made(module, **how):
    """Return the same class as one module or the other makes it."""

    @module.dataclass(**how)
    class Point:
        x: int
        y: int = 2
        tags: list = module.field(default_factory=list)

        def __post_init__(self):
            object.__setattr__(self, "x", abs(self.x))

    Point.__qualname__ = "Point"
    return Point


@records.dataclass(frozen=True, slots=True)
class Kept:
    """At the top of the module, where pickle finds it."""

    name: str
    numbers: tuple = ()


KINDS = (
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "kw_only": True},
    {"frozen": True},
    {"slots": True},
    {},
)


@pytest.mark.parametrize("how", KINDS, ids=str)
def test_a_record_is_like_a_standard_dataclass(how):
    ours, standard = made(records, **how), made(dataclasses, **how)
    one, other = ours(x=-1), standard(x=-1)
    assert repr(one) == repr(other) == "Point(x=1, y=2, tags=[])"
    assert dataclasses.asdict(one) == dataclasses.asdict(other)
    assert str(inspect.signature(ours)) == str(inspect.signature(standard))
    assert hasattr(one, "__dict__") == hasattr(other, "__dict__")
    assert ours.__match_args__ == standard.__match_args__
    assert (ours.__hash__ is None) == (standard.__hash__ is None)
    assert one == ours(x=1)
    assert one not in (other, ours(x=3), ours(x=1, y=0))
    assert one.tags is not ours(x=1).tags


@pytest.mark.parametrize("module", [records, dataclasses], ids=["ours", "standard"])
class TestBoth:
    @pytest.mark.parametrize(
        ("values", "named"),
        [((), {}), ((1, 2, [], 4), {}), ((1,), {"x": 2}), ((1,), {"z": 2}), ((), {"y": 2})],
    )
    def test_a_call_that_does_not_fit_the_fields_is_refused(self, module, values, named):
        with pytest.raises(TypeError):
            made(module)(*values, **named)
        with pytest.raises(TypeError):
            made(module, kw_only=True)(1)

    def test_a_frozen_one_cannot_be_changed(self, module):
        one = made(module, frozen=True, slots=True)(1)
        with pytest.raises(dataclasses.FrozenInstanceError):
            one.x = 2
        with pytest.raises(dataclasses.FrozenInstanceError):
            del one.x
        assert {made(module, frozen=True)(1, tags=()): "a key"}

    def test_one_that_is_not_frozen_can(self, module):
        one = made(module, slots=True)(1)
        one.x = 5
        assert one.x == 5

    def test_another_is_made_of_it(self, module):
        one = made(module, frozen=True)(1, tags=["a"])
        assert dataclasses.replace(one, y=5) == module.replace(one, y=5)
        assert dataclasses.replace(one, y=5).y == 5


def test_a_record_is_copied_and_pickled():
    one = Kept("a", (1, 2))
    assert copy.deepcopy(one) == copy.copy(one) == pickle.loads(pickle.dumps(one)) == one
