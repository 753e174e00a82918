"""Put a guard around a Python function that takes paths: plain or async, a method or an object.

`Guard.wrap` is the entrance. A function's arguments become a tool call, and the decision becomes
arguments again.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from truepath.calls import tools
from truepath.calls.tool_tables import ARGUMENTS
from truepath.errors import (
    ConfigError,
    PathIsFile,
    PathIsFolder,
    PathNotFound,
    PathRefused,
    not_known,
)
from truepath.guard.aside import aside
from truepath.pathlike import as_text, like
from truepath.records import dataclass, replace
from truepath.types import OPERATION_KINDS, Decision, ToolCall

if TYPE_CHECKING:
    from truepath.guard.guard import Guard
    from truepath.types import Operation

Tool = TypeVar("Tool", bound=Callable[..., Any])

_ERRORS = {
    "PATH_NOT_FOUND": PathNotFound,
    "PATH_IS_NOT_A_FILE": PathIsFolder,
    "PATH_IS_NOT_A_FOLDER": PathIsFile,
}
"""What a refusal is raised as; any other one as PathRefused."""

_PATH_TYPES = re.compile(r"\b(?:Pure)?(?:Posix|Windows)?Path(?:Like)?\b")

_ONE = tuple(name for name in ARGUMENTS["path"].split() if not name.endswith("s"))
"""Names of an argument that is one path."""

_SHOWN = "path, file_path, file, directory, source, destination, command, ..."
"""Some of the names that are known as paths, for who has used none of them."""


@dataclass(frozen=True, slots=True)
class Wrapping:
    """How a function is to be wrapped; see `Guard.wrap`."""

    name: str | None
    operation: Operation | None
    paths: Sequence[str] | None
    session: str
    refusal: str
    note: Callable[[str], object] | None

    def tool(self, function: Callable[..., Any]) -> str:
        """Return the tool name under which the function's calls are checked."""
        if self.operation:  # a name that says it
            return "mkdir" if self.operation == "mkdir" else f"{self.operation}_path"
        while isinstance(function, functools.partial):
            function = function.func
        return self.name or str(getattr(function, "__name__", "tool"))


def wrapped(function: Tool, guard: Guard, how: Wrapping) -> Tool:
    """Return `function` with its paths checked before it runs; its signature is kept.

    Raises:
        ConfigError: Nothing of it would be checked, or `how` says what cannot be.
    """
    if how.refusal not in ("raise", "return"):
        raise ConfigError(not_known("refusal", how.refusal, ("raise", "return")))
    if how.operation is not None and how.operation not in OPERATION_KINDS:
        raise ConfigError(not_known("operation", how.operation, OPERATION_KINDS))
    if isinstance(function, (staticmethod, classmethod)):
        return cast("Tool", type(function)(wrapped(function.__func__, guard, how)))
    check = _Check(function, guard, how)

    def run(*args: Any, **kwargs: Any) -> Any:
        bound, call = check.asked(args, kwargs)
        decision = check.decided(bound, call)
        if decision.action == "refuse":
            return check.refused(decision)
        return check.told(decision, function(*bound.args, **bound.kwargs))

    async def arun(*args: Any, **kwargs: Any) -> Any:
        bound, call = check.asked(args, kwargs)
        decision = await aside(lambda: check.decided(bound, call))
        if decision.action == "refuse":
            return check.refused(decision)
        return check.told(decision, await function(*bound.args, **bound.kwargs))

    # An object that is called is of the kind that its method is.
    called = (function, getattr(type(function), "__call__", None))  # noqa: B004
    around = arun if any(map(inspect.iscoroutinefunction, called)) else run
    return cast("Tool", functools.wraps(function)(around))


class _Check:
    """Turns a function's arguments into a tool call, and the decision back into arguments."""

    def __init__(self, function: Callable[..., Any], guard: Guard, how: Wrapping) -> None:
        self._guard, self._how, self._tool = guard, how, how.tool(function)
        try:
            self._signature = inspect.signature(function)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"{function!r} cannot be wrapped: {error}") from None
        parameters = self._signature.parameters
        self._keys = keys_of(parameters, self._tool, how.paths)
        self._rest = _rest_of(parameters)
        self._notes = how.note is not None or self._signature.return_annotation in (str, "str")

    def asked(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[inspect.BoundArguments, ToolCall]:
        """Return a function's arguments, and the tool call that they are asked about as."""
        bound = self._signature.bind(*args, **kwargs)
        given = bound.arguments
        for name, each in self._signature.parameters.items():
            if isinstance(each.default, (str, bytes, os.PathLike)):
                given.setdefault(name, each.default)
        call = ToolCall(self._tool, session=self._how.session, host="python")
        with self._guard.failing_open(call):
            named = {key: as_text(given[name]) for name, key in self._keys.items() if name in given}
            rest = {name: as_text(value) for name, value in given.get(self._rest, {}).items()}
            call = self._guard.placed(replace(call, arguments={**named, **rest}))
        return bound, call

    def decided(self, bound: inspect.BoundArguments, call: ToolCall) -> Decision:
        """Return what to do; where a call is corrected, so are the arguments."""
        decision, given = Decision("allow", call.arguments), bound.arguments
        with self._guard.failing_open(call):
            decision = self._guard.before(call, notes=self._notes)
            rest = given.get(self._rest, {})
            for key, new in decision.arguments.items():
                if new is not call.arguments[key]:
                    name = next((name for name, own in self._keys.items() if own == key), key)
                    place = rest if name in rest else given
                    place[name] = like(place[name], call.arguments[key], new)
        if decision.text and decision.action != "refuse" and self._how.note is not None:
            self._how.note(decision.text)
        return decision

    def refused(self, decision: Decision) -> str:
        """Return a refusal as the result, unless it is to be raised."""
        if self._how.refusal == "raise":
            code = str((decision.payload or {}).get("code", ""))
            raise _ERRORS.get(code, PathRefused)(decision.text, decision)
        return decision.text

    def told(self, decision: Decision, result: Any) -> Any:
        """Tell of a correction in front of a text result, of any other one in the log."""
        if not decision.text or self._how.note is not None:
            return result
        if isinstance(result, str):
            return f"{decision.text}\n{result}"
        import logging

        logging.getLogger("truepath").warning("%s", decision.text)
        return result


def keys_of(
    parameters: Mapping[str, inspect.Parameter], tool: str, paths: Sequence[str] | None
) -> Mapping[str, str]:
    """Return the argument as which each parameter is asked about; those that are not are left out.

    Paths are those that the caller names. Else they are known by their names, and a single one that
    is annotated as a path is one whatever it is called.

    Raises:
        ConfigError: Nothing would be checked, or a parameter that was named is not there.
    """
    rest = _rest_of(parameters)
    plain = [name for name in parameters if name != rest]
    speaking = {name for name in plain if _is_checked(tool, name)}
    if paths is not None:
        named = _named(parameters, paths, tool)
        if named and not _is_checked(tool, next(iter(named.values()))):
            raise ConfigError(_nothing(tool))
        return {**{name: name for name in plain if name not in speaking}, **named}
    typed = [name for name in plain if _is_path(parameters[name])]
    alias = typed[0] if len(typed) == 1 and "path" not in plain and typed[0] not in speaking else ""
    if not _is_checked(tool, "path") and not speaking:
        raise ConfigError(_nothing(tool))
    if not speaking and not alias and not rest:
        raise ConfigError(
            f"no parameter of `{tool}` would be checked: none is named as a path is ({_SHOWN}) or "
            "annotated as a Path; name them with paths=[...], or say paths=[] if it has none"
        )
    return {name: "path" if name == alias else name for name in plain}


def _rest_of(parameters: Mapping[str, inspect.Parameter]) -> str:
    """Return the parameter that takes any other keyword; "" where there is none."""
    return next((name for name, each in parameters.items() if each.kind is each.VAR_KEYWORD), "")


def _nothing(tool: str) -> str:
    return (
        f"nothing of `{tool}` would be checked: its name does not say what it does to a path; "
        'give operation="read" (or list, search, edit, write, ...) or name="read_file"'
    )


def _named(
    parameters: Mapping[str, inspect.Parameter], paths: Sequence[str], tool: str
) -> dict[str, str]:
    """Return the argument as which each named parameter is asked about."""
    if isinstance(paths, str):
        raise ConfigError(f"paths is {paths!r}; use a list of names, as in paths=[{paths!r}]")
    unknown = [name for name in paths if name not in parameters and not _rest_of(parameters)]
    if unknown:
        known = ", ".join(parameters)
        raise ConfigError(f"no parameter is called {unknown[0]!r} (paths); there are {known}")
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
    return bool(tools.path_arguments(call) or tools.commands(call) or tools.patch_text(patch))


def _is_path(parameter: inspect.Parameter) -> bool:
    """Return whether a parameter is annotated as a path, an optional one, or a list of them."""
    return _PATH_TYPES.search(inspect.formatannotation(parameter.annotation)) is not None
