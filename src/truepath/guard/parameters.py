"""Which parameters of a Python function are paths, and under which names they are asked about."""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_origin

from truepath.calls import tools
from truepath.calls.tool_tables import PATH_NAMES
from truepath.errors import ConfigError
from truepath.records import dataclass
from truepath.types import ToolCall

if TYPE_CHECKING:
    from truepath.guard.wrap import Wrapping

_PATH_TYPES = re.compile(r"\b(?:Pure)?(?:Posix|Windows)?Path(?:Like)?\b")

_ONE = tuple(name for name in PATH_NAMES.split() if not name.endswith("s"))
"""Names of an argument that is one path."""

_SHOWN = "path, file_path, file, directory, source, destination, command, ..."
"""Some of `toolmap_data`'s names, for who has used none of them."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of one function."""

    paths: frozenset[str]
    """Those that are known to be paths before a call."""
    typed: frozenset[str]
    """Those of them that are annotated as a `Path`."""
    rest: str
    """The parameter that takes any other keyword; "" where there is none."""
    named: Mapping[str, str] | None
    """Parameter to the argument it is asked about as, where the caller named the paths."""
    others: frozenset[str]
    """With `named`: parameters that are no paths, whatever they are called."""

    def keys(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Return the argument that each value is asked about as."""
        if self.named is not None:
            return {name: self.named.get(name, name) for name in values if name not in self.others}
        alias = self._alias(values)
        return {name: "path" if name == alias else name for name in values}

    def _alias(self, values: Mapping[str, Any]) -> str:
        """Return the argument that is a path by its type; "" when there are none, or several.

        A lone one is a path whatever it is called. Of several, their names tell.
        """
        given = (name for name, value in values.items() if value is not None)
        paths = [name for name in given if name in self.typed or _holds_path(values[name])]
        return paths[0] if len(paths) == 1 and "path" not in values else ""


def recognised(signature: inspect.Signature, tool: str, how: Wrapping) -> Parameters:
    """Return a function's parameters.

    Raises:
        ConfigError: None of them would be checked, or one that was named is not there.
    """
    parameters = signature.parameters
    rest = next((name for name, each in parameters.items() if each.kind is each.VAR_KEYWORD), "")
    speaking = frozenset(name for name in parameters if _is_checked(tool, name))
    if how.paths is not None:
        named = _named(parameters, how.paths, tool, rest)
        if named and not _is_checked(tool, next(iter(named.values()))):
            raise ConfigError(_nothing(tool))
        others = speaking - {*named}
        return Parameters(frozenset(named), frozenset(), rest, named, others)
    typed = frozenset(name for name, each in parameters.items() if _is_path(each))
    if not _is_checked(tool, "path") and not speaking:
        raise ConfigError(_nothing(tool))
    if not speaking and not typed and not rest:
        raise ConfigError(
            f"no parameter of `{tool}` would be checked: none is named as a path is ({_SHOWN}) or "
            "annotated as a Path; name them with paths=[...], or say paths=[] if it has none"
        )
    return Parameters(speaking | typed, typed, rest, None, frozenset())


def _nothing(tool: str) -> str:
    return (
        f"nothing of `{tool}` would be checked: its name does not say what it does to a path; "
        'give operation="read" (or list, search, edit, write, ...) or name="read_file"'
    )


def _named(
    parameters: Mapping[str, inspect.Parameter],
    paths: Sequence[str],
    tool: str,
    rest: str,
) -> dict[str, str]:
    """Return the argument as which each named parameter is asked about."""
    if isinstance(paths, str):
        raise ConfigError(f"paths is {paths!r}; use a list of names, as in paths=[{paths!r}]")
    for name in paths:
        if name not in parameters and not rest:
            known = ", ".join(parameters)
            raise ConfigError(f"no parameter is called {name!r} (paths); there are {known}")
        if name in parameters and (kind := _other_class(parameters[name].annotation)):
            raise ConfigError(
                f"parameter {name!r} (paths) is no path but {kind}; wrap the function that gets "
                "the path itself"
            )
    found = tools.path_arguments(ToolCall(tool, {"source": "a"}))
    moves = bool(found) and found[0].operation in ("copy", "move")
    names = ("source", "destination") if moves and len(paths) == 2 else _ONE
    if len(paths) > len(names):
        raise ConfigError(f"{len(paths)} paths are too many; `{tool}` may have {len(names)}")
    return dict(zip(paths, names, strict=False))


@functools.cache
def _is_checked(tool: str, name: str) -> bool:
    """Return whether an argument of that name would be looked at: a path, a command or a patch."""
    call = ToolCall(tool, {name: "a"})
    patch = ToolCall(tool, {name: "*** a"})
    return bool(tools.path_arguments(call) or tools.commands(call) or tools.patch_argument(patch))


def _is_path(parameter: inspect.Parameter) -> bool:
    """Return whether a parameter is annotated as a path, an optional one, or a list of them."""
    return _PATH_TYPES.search(inspect.formatannotation(parameter.annotation)) is not None


def _other_class(annotation: Any) -> str:
    """Return the name of a class of which no value is a path or several; "" for what may be one."""
    unknown = (Any, object, inspect.Parameter.empty)
    if not isinstance(annotation, type) or get_origin(annotation) or annotation in unknown:
        return ""
    holders = (str, bytes, os.PathLike, Mapping, Sequence, type(None))
    return "" if issubclass(annotation, holders) else annotation.__name__


def _holds_path(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(isinstance(each, os.PathLike) for each in value)
    return isinstance(value, os.PathLike)
