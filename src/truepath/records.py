"""`dataclass`, `field` and `replace` as the standard library has them, without generated code.

`dataclasses` compiles six functions for each class when its module is imported. That is 0.7 ms a
class, and 11 ms for the module itself: half of the time of a hook that answers a miss. Here the
functions are written once and look the fields of their class up. For the type checker they are
the standard ones, whose `fields`, `asdict` and `replace` take these classes too.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from dataclasses import dataclass, field, replace
    from typing import Any

__all__ = ["dataclass", "defaults", "field", "replace"]

_FIELDS = "__record__"
"""The class attribute that has the fields of a record, and what each is by default."""


class _Factory:
    """A default that is made anew for each instance."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


class _Needed:
    """The default of a field that has none."""


def defaults(record: type | object) -> Mapping[str, Any]:
    """Return the default of each field of a dataclass of this module that has a plain one."""
    fields: Mapping[str, Any] = getattr(record, _FIELDS)
    return {
        name: value
        for name, value in fields.items()
        if value is not _Needed and not isinstance(value, _Factory)
    }


def _field(*, default_factory: Callable[[], Any]) -> Any:
    """Return what stands for a field whose default is made anew for each instance."""
    return _Factory(default_factory)


def _replace(record: Any, /, **changes: Any) -> Any:
    """Return a copy of a record, with other values for some of its fields."""
    return type(record)(**{**_values(record), **changes})


def _dataclass(
    *,
    frozen: bool = False,
    slots: bool = False,
    kw_only: bool = False,
    eq: bool = True,
    repr: bool = True,  # noqa: A002  the standard name
) -> Callable[[type], type]:
    """Return the decorator that makes a class a record of the fields it annotates.

    The arguments mean what they mean to `dataclasses.dataclass`. A record inherits no fields.
    """

    def made(cls: type) -> type:
        own = vars(cls)
        fields = {name: own.get(name, _Needed) for name in cls.__annotations__}
        cleans = "__post_init__" in own
        added: dict[str, Any] = {
            _FIELDS: fields,
            "__match_args__": () if kw_only else tuple(fields),
            "__getstate__": _values,
            "__setstate__": _set_state,
            "__replace__": _replace,
            "__dataclass_fields__": _Standard("__dataclass_fields__", frozen, kw_only),
            "__dataclass_params__": _Standard("__dataclass_params__", frozen, kw_only),
        }
        if repr:
            added["__repr__"] = _repr
        if eq:
            added.update(__eq__=_eq, __hash__=_hash if frozen else None)
        if frozen:
            added.update(__setattr__=_refuse_to_set, __delattr__=_refuse_to_delete)
        record = _with_slots(cls, added) if slots else _with(cls, added)
        return _with(record, {"__init__": _init(record, kw_only=kw_only, cleans=cleans)})

    return made


def _with(cls: type, added: Mapping[str, Any]) -> type:
    for name, value in added.items():
        setattr(cls, name, value)
    return cls


def _with_slots(cls: type, added: Mapping[str, Any]) -> type:
    """Return the class anew: slots can only be given to one that is not made yet."""
    fields = added[_FIELDS]
    left = {"__dict__", "__weakref__", *fields}
    kept = {name: value for name, value in vars(cls).items() if name not in left}
    return type(cls)(cls.__name__, cls.__bases__, {**kept, **added, "__slots__": tuple(fields)})


def _init(record: type, *, kw_only: bool, cleans: bool) -> Callable[..., None]:
    """Return the `__init__` of a record."""
    fields: Mapping[str, Any] = getattr(record, _FIELDS)
    parts = [(name, _setter(record, name), default) for name, default in fields.items()]
    setters, count = [put for _, put, _ in parts], len(parts)

    def __init__(self: Any, /, *values: Any, **named: Any) -> None:  # noqa: N807
        for put, value in zip(setters, values):  # noqa: B905  others are asked below
            put(self, value)
        if len(values) != count or named or kw_only:
            if len(values) > count or (values and kw_only):
                raise _misfit(record)
            for name, put, default in parts[len(values) :]:
                value = named.pop(name, default) if named else default
                if value is _Needed:
                    raise TypeError(f"{record.__qualname__}() needs {name}")
                put(self, value.make() if type(value) is _Factory else value)
            if named:
                raise _misfit(record)
        if cleans:
            self.__post_init__()

    return __init__


def _setter(record: type, name: str) -> Callable[[Any, Any], None]:
    """Return what sets a field, of a frozen record too: its slot, where it has one."""
    if name in getattr(record, "__slots__", ()):
        slot: Callable[[Any, Any], None] = vars(record)[name].__set__
        return slot
    return lambda self, value: object.__setattr__(self, name, value)


def _misfit(record: type) -> TypeError:
    return TypeError(f"{record.__qualname__}() takes {', '.join(getattr(record, _FIELDS))}")


def _values(self: Any) -> dict[str, Any]:
    """Return the values of a record by field."""
    return {name: getattr(self, name) for name in getattr(self, _FIELDS)}


def _set_state(self: Any, state: Mapping[str, Any]) -> None:
    for name, value in state.items():
        object.__setattr__(self, name, value)


def _eq(self: Any, other: object) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    return _values(self) == _values(other)


def _hash(self: Any) -> int:
    return hash(tuple(_values(self).values()))


def _repr(self: Any) -> str:
    inner = ", ".join(f"{name}={value!r}" for name, value in _values(self).items())
    return f"{type(self).__qualname__}({inner})"


def _refuse_to_set(_: object, name: str, __: object) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_: object, name: str) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


class _Standard:
    """What the functions of the standard module read of a class, made when they first do."""

    def __init__(self, name: str, frozen: bool, kw_only: bool) -> None:
        self.name, self.frozen, self.kw_only = name, frozen, kw_only

    def __get__(self, _: object, cls: type) -> Any:
        from dataclasses import field, make_dataclass

        fields = []
        for name, value in getattr(cls, _FIELDS).items():
            if value is _Needed:
                default = field()
            elif isinstance(value, _Factory):
                default = field(default_factory=value.make)
            else:
                default = field(default=value)
            fields.append((name, cls.__annotations__[name], default))
        twin = make_dataclass(cls.__name__, fields, frozen=self.frozen, kw_only=self.kw_only)
        return getattr(twin, self.name)


if not TYPE_CHECKING:
    dataclass, field, replace = _dataclass, _field, _replace
