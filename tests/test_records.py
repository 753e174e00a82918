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


CALLS = [
    ((), {}),
    ((1, 2, [], 4), {}),
    ((1,), {"x": 2}),
    ((1,), {"z": 2}),
    ((), {"y": 2}),
]


@pytest.mark.parametrize("module", [records, dataclasses], ids=["ours", "standard"])
def test_both_refuse_the_same_and_are_changed_the_same_way(module):
    for values, named in CALLS:
        with pytest.raises(TypeError):
            made(module)(*values, **named)
    with pytest.raises(TypeError):
        made(module, kw_only=True)(1)
    frozen = made(module, frozen=True, slots=True)(1, tags=["a"])
    with pytest.raises(dataclasses.FrozenInstanceError):
        frozen.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del frozen.x
    assert {made(module, frozen=True)(1, tags=()): "a key"}
    assert dataclasses.replace(frozen, y=5) == module.replace(frozen, y=5)
    assert dataclasses.replace(frozen, y=5).y == 5
    one = made(module, slots=True)(1)
    one.x = 5
    assert one.x == 5


def test_a_record_is_copied_and_pickled():
    one = Kept("a", (1, 2))
    assert (
        copy.deepcopy(one) == copy.copy(one) == pickle.loads(pickle.dumps(one)) == one
    )
