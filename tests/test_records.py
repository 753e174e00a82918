"""The dataclasses of the hook path are those of the standard library, but for their cost."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import pytest

from truepath import records


def made(module, **how):
    """Return the same class as one module or the other makes it."""

    @module.dataclass(frozen=True, slots=True, **how)
    class Point:
        x: int
        y: int = 2
        tags: list = module.field(default_factory=list)

        def total(self):
            return self.x + self.y

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
    {"slots": True, "eq": False, "repr": False},
    {},
)


@pytest.mark.parametrize("how", KINDS, ids=str)
def test_a_record_has_the_attributes_of_a_standard_dataclass(how):
    def kind(module):
        @module.dataclass(**how)
        class Point:
            x: int
            y: int = 2

            def __post_init__(self):
                object.__setattr__(self, "x", abs(self.x))

        return Point

    ours, standard = kind(records), kind(dataclasses)
    for cls in (ours, standard):
        cls.__qualname__ = "Point"
    one, other = ours(x=-1), standard(x=-1)
    assert (one.x, one.y) == (other.x, other.y) == (1, 2)
    assert hasattr(one, "__dict__") == hasattr(other, "__dict__")
    assert ours.__match_args__ == standard.__match_args__
    assert (one == ours(x=1)) == (other == standard(x=1))
    assert one != other
    assert one != ours(x=3)
    if how.get("repr", True):
        assert repr(one) == repr(other)
    assert (ours.__hash__ is None) == (standard.__hash__ is None)
    for name in ("__dataclass_fields__", "__dataclass_params__"):
        assert repr(getattr(ours, name)).count("frozen") == repr(getattr(standard, name)).count(
            "frozen"
        )


@pytest.mark.parametrize("module", [records, dataclasses], ids=["ours", "standard"])
class TestBoth:
    def test_a_call_that_does_not_fit_the_fields_is_refused(self, module):
        point = made(module)
        for values, named in [
            ((), {}),
            ((1, 2, [], 4), {}),
            ((1,), {"x": 2}),
            ((1,), {"z": 2}),
            ((), {"y": 2}),
        ]:
            with pytest.raises(TypeError):
                point(*values, **named)
        with pytest.raises(TypeError):
            made(module, kw_only=True)(1)

    def test_a_default_that_is_made_is_nobody_elses(self, module):
        point = made(module)
        assert point(1).tags == []
        assert point(1).tags is not point(1).tags

    def test_a_frozen_one_cannot_be_changed(self, module):
        one = made(module)(1)
        with pytest.raises(dataclasses.FrozenInstanceError):
            one.x = 2
        with pytest.raises(dataclasses.FrozenInstanceError):
            del one.x
        assert one.total() == 3

    def test_a_hashable_one_is_a_key(self, module):
        point = made(module)
        assert {point(1, 2, ()), point(1, 2, ())} == {point(1, tags=())}

    def test_the_standard_functions_take_it(self, module):
        one = made(module)(1, tags=["a"])
        assert dataclasses.is_dataclass(one)
        assert [each.name for each in dataclasses.fields(one)] == ["x", "y", "tags"]
        assert dataclasses.asdict(one) == {"x": 1, "y": 2, "tags": ["a"]}
        assert dataclasses.replace(one, y=5) == module.replace(one, y=5)
        assert dataclasses.replace(one, y=5).total() == 6

    def test_a_match_statement_takes_it_apart(self, module):
        match made(module)(1):
            case object(x=1, y=y):
                assert y == 2


def test_a_record_is_copied_and_pickled():
    one = Kept("a", (1, 2))
    assert copy.deepcopy(one) == copy.copy(one) == pickle.loads(pickle.dumps(one)) == one


def test_a_record_knows_its_plain_defaults():
    assert records.defaults(made(records)) == {"y": 2}
    assert records.defaults(Kept("a")) == {"numbers": ()}
