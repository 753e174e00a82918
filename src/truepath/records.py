"""`dataclass`, `field` and `replace` with the interface of `dataclasses`, which takes
11 ms to import and 0.7 ms a class; here all records share one base, at a twentieth of
that cost. The standard `fields`, `asdict`, `replace` and `signature` accept records.
Fields are not inherited.
"""

from __future__ import annotations

from truepath import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
    from typing import Any

__all__ = ["as_kind", "dataclass", "field", "replace", "values"]
_Field: Any = type(
    "_Field", (dict,), {"__doc__": "Makes a new default for each instance."}
)


class _Standard(str):  # noqa: SLOT000
    """An attribute that the standard library reads: taken from an equal standard
    dataclass.
    """

    def __get__(self, _: Any, cls: Any) -> Any:
        from dataclasses import field, make_dataclass  # takes 11 ms
        from inspect import signature  # no hook asks

        fields: list[tuple[str, Any, Any]] = []
        for name, kind in cls.__annotations__.items():
            default = cls.__given__.get(name, _Field())
            if type(default) is not _Field:
                default = {"default": default}
            fields.append((name, kind, field(**default)))
        twin: Any = make_dataclass(cls.__name__, fields, kw_only=not cls.__match_args__)
        twin.__signature__ = signature(twin)
        return getattr(twin, self)


def values(record: Any) -> dict[str, Any]:
    """Return the fields of a record by their names; a record in one stays a record."""
    return {name: getattr(record, name) for name in type(record).__annotations__}


class _Record:
    """The base of all records. A class has its fields in `__annotations__`, and their
    defaults in `__given__`: as attributes they would collide with its slots.
    """

    __slots__ = ()
    __dataclass_fields__ = _Standard("__dataclass_fields__")
    __signature__ = _Standard("__signature__")
    __post_init__ = None

    def __init__(self: Any, /, *values: Any, **named: Any) -> None:
        cls = type(self)
        fields = {**cls.__given__, **named}
        is_known = True
        if values:
            positional = cls.__match_args__[: len(values)]
            is_twice = named and not named.keys().isdisjoint(positional)
            is_known = len(positional) == len(values) and not is_twice
            fields.update(zip(positional, values))  # noqa: B905
        if not is_known or fields.keys() != cls.__annotations__.keys():
            raise TypeError(
                f"{cls.__qualname__} takes {', '.join(cls.__annotations__)}"
            )
        put = object.__setattr__  # a frozen class refuses its own
        for name, value in fields.items():
            put(
                self,
                name,
                value["default_factory"]() if type(value) is _Field else value,
            )
        if cls.__post_init__ is not None:
            self.__post_init__()

    __getstate__ = values

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __replace__(self, /, **changes: Any) -> Any:
        cls = type(self)
        # A copy of what stays is half as dear as to make the record anew.
        made = object.__new__(cls)
        put = object.__setattr__
        for name in cls.__annotations__:
            value = changes.pop(name) if name in changes else getattr(self, name)
            put(made, name, value)
        if changes:
            raise TypeError(f"{cls.__qualname__} has no {', '.join(changes)}")
        if cls.__post_init__ is not None:
            made.__post_init__()
        return made

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__getstate__() == self.__getstate__()

    def __hash__(self) -> int:
        return hash(tuple(self.__getstate__().values()))

    def __repr__(self) -> str:
        items = self.__getstate__().items()
        fields = ", ".join(f"{name}={value!r}" for name, value in items)
        return f"{type(self).__qualname__}({fields})"

    def __refuse__(self, name: str, _: Any = None) -> None:
        raise __import__("dataclasses").FrozenInstanceError(
            f"cannot change field {name!r}"
        )


def _dataclass(
    *, frozen: bool = False, slots: bool = False, kw_only: bool = False
) -> Any:
    def made(cls: Any) -> Any:
        # The class is made again, because slots cannot be added to one that is there.
        attributes = dict(vars(cls))
        attributes.pop("__dict__", None)
        attributes.pop("__weakref__", None)
        names = tuple(cls.__annotations__)
        attributes["__given__"] = {
            name: attributes.pop(name) for name in names if name in attributes
        }
        attributes["__match_args__"] = () if kw_only else names
        attributes["__qualname__"] = cls.__qualname__
        if slots:
            attributes["__slots__"] = names
        if frozen:
            attributes["__setattr__"] = _Record.__refuse__
            attributes["__delattr__"] = _Record.__refuse__
        else:
            attributes["__hash__"] = None  # what changes cannot be a key
        return type(cls)(cls.__name__, (_Record,), attributes)

    return made


if not TYPE_CHECKING:
    dataclass = _dataclass
    field = _Field
    replace = _Record.__replace__


def as_kind(kind: str, value: Any) -> Any:
    """Return a value from JSON as the type that a field is annotated with.

    Raises:
        TypeError: It has another type, or the annotation is not a string, number,
            boolean or tuple of strings.
    """
    if kind == "tuple[str, ...]" and isinstance(value, list):
        return tuple(as_kind("str", item) for item in value)
    classes = {"str": str, "bool": bool, "int": int, "float": (int, float)}
    expected: Any = classes.get(kind.partition(" ")[0], ())
    # To Python, `true` is an integer too.
    is_number_by_chance = isinstance(value, bool) and expected is not bool
    if is_number_by_chance or not isinstance(value, expected):
        raise TypeError(f"{value!r:.40} is not of type {kind}")
    return value
