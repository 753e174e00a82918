"""`dataclass`, `field` and `replace` with the interface of `dataclasses`, which takes
11 ms to import and 0.7 ms a class; here all records share one base, at a twentieth of
that cost. The standard `fields`, `asdict`, `replace` and `signature` accept records.
Fields are not inherited.
"""

from __future__ import annotations

TYPE_CHECKING = (
    False  # `typing` itself would cost a hook 5 ms; type checkers know the name
)
if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
    from typing import Any

__all__ = ["TYPE_CHECKING", "as_kind", "dataclass", "field", "replace", "values"]
_Field: Any = type(
    "_Field", (dict,), {"__doc__": "Makes a new default for each instance."}
)


class _Standard(str):  # noqa: SLOT000
    """An attribute that the standard library reads: taken from an equal standard
    dataclass.
    """

    def __get__(self, _: Any, cls: Any) -> Any:
        from dataclasses import field, make_dataclass
        from inspect import signature

        known = {
            k: v if type(v) is _Field else {"default": v}
            for k, v in cls.__known__.items()
        }
        fields = [
            (k, v, field(**known.get(k, {}))) for k, v in cls.__annotations__.items()
        ]
        twin: Any = make_dataclass(cls.__name__, fields, kw_only=not cls.__match_args__)
        twin.__signature__ = signature(twin)
        return getattr(twin, self)


def values(record: Any) -> dict[str, Any]:
    """Return the fields of a record by their names; a record in one stays a record."""
    return {name: getattr(record, name) for name in type(record).__annotations__}


class _Record:
    __slots__ = ()
    __dataclass_fields__, __signature__ = map(
        _Standard, ("__dataclass_fields__", "__signature__")
    )

    def __init__(self: Any, /, *values: Any, **named: Any) -> None:
        cls, places = type(self), self.__match_args__[: len(values)]
        given = {**cls.__known__, **named, **dict(zip(places, values))}  # noqa: B905
        wrong = len(places) < len(values) or not named.keys().isdisjoint(places)
        if wrong or given.keys() != cls.__annotations__.keys():
            raise TypeError(
                f"{cls.__qualname__} takes {', '.join(cls.__annotations__)}"
            )
        for name, value in given.items():
            made = value["default_factory"]() if type(value) is _Field else value
            object.__setattr__(self, name, made)
        if hasattr(cls, "__post_init__"):
            self.__post_init__()

    __getstate__ = values

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __replace__(self, /, **changes: Any) -> Any:
        return type(self)(**{**self.__getstate__(), **changes})

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__getstate__() == self.__getstate__()

    def __hash__(self) -> int:
        return hash(tuple(self.__getstate__().values()))

    def __repr__(self) -> str:
        values = ", ".join(
            f"{name}={value!r}" for name, value in self.__getstate__().items()
        )
        return f"{type(self).__qualname__}({values})"

    def __refuse__(self, name: str, _: Any = None) -> None:
        raise __import__("dataclasses").FrozenInstanceError(
            f"cannot change field {name!r}"
        )


def _dataclass(
    *, frozen: bool = False, slots: bool = False, kw_only: bool = False
) -> Any:
    def made(cls: Any) -> Any:
        own = {
            k: v for k, v in vars(cls).items() if k not in ("__dict__", "__weakref__")
        }
        names, refuse = tuple(cls.__annotations__), _Record.__refuse__
        own["__known__"] = {name: own.pop(name) for name in names if name in own}
        own |= {
            "__match_args__": () if kw_only else names,
            "__qualname__": cls.__qualname__,
        }
        own |= {"__slots__": names} if slots else {}
        own |= (
            {"__setattr__": refuse, "__delattr__": refuse}
            if frozen
            else {"__hash__": None}
        )
        return type(cls)(cls.__name__, (_Record,), own)

    return made


if not TYPE_CHECKING:
    dataclass, field, replace = _dataclass, _Field, _Record.__replace__


def as_kind(kind: str, value: Any) -> Any:
    """Return a value from JSON as the type that a field is annotated with.

    Raises:
        TypeError: It has another type, or the annotation is not a string, number,
            boolean or tuple of strings.
    """
    if kind == "tuple[str, ...]" and isinstance(value, list):
        return tuple(as_kind("str", each) for each in value)
    allowed = {"str": str, "bool": bool, "int": int, "float": (int, float)}
    expected: Any = allowed.get(kind.partition(" ")[0], ())
    if not isinstance(value, expected) or (
        expected is not bool and isinstance(value, bool)
    ):
        raise TypeError(f"{value!r:.40} is not of type {kind}")
    return value
