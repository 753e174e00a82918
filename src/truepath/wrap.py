"""Put a guard around any Python function that takes paths."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from truepath.call import Decision, Operation, ToolCall
from truepath.errors import ConfigError, PathNotFound

Tool = TypeVar("Tool", bound=Callable[..., Any])

_NAMES: Mapping[Operation, str] = {
    "read": "read_file",
    "list": "list_directory",
    "search": "search_files",
    "edit": "edit_file",
    "write": "write_file",
    "copy": "copy_file",
    "move": "move_file",
    "delete": "delete_file",
    "mkdir": "create_directory",
    "execute": "read_file",
}
"""For a function whose name does not tell: a tool name that says the operation."""


@dataclass(frozen=True, slots=True)
class Wrapping:
    """How a function is to be wrapped; see `Guard.wrap`."""

    before: Callable[[ToolCall], Decision]
    failing_open: Callable[[ToolCall], AbstractContextManager[object]]
    name: str | None
    operation: Operation | None
    session: str
    refusal: str

    def tool(self, function: Callable[..., Any]) -> str:
        """Return the tool name under which the function's calls are checked."""
        if self.operation:
            return _NAMES[self.operation]
        return self.name or str(getattr(function, "__name__", "tool"))


def wrapped(function: Tool, how: Wrapping) -> Tool:
    """Return `function` with its paths checked before it runs; signature and kind are kept."""
    if how.refusal not in ("raise", "return"):
        raise ConfigError(f"refusal is 'raise' or 'return', not {how.refusal!r}")
    check = _Check(function, how)
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def run_async(*args: Any, **kwargs: Any) -> Any:
            bound, decision = check(args, kwargs)
            if decision.action == "refuse":
                return _refused(decision, how.refusal)
            return _told(decision, await function(*bound.args, **bound.kwargs))

        return cast("Tool", run_async)

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        bound, decision = check(args, kwargs)
        if decision.action == "refuse":
            return _refused(decision, how.refusal)
        return _told(decision, function(*bound.args, **bound.kwargs))

    return cast("Tool", run)


class _Check:
    """Turns a function's arguments into a tool call, and the decision back into arguments."""

    def __init__(self, function: Callable[..., Any], how: Wrapping) -> None:
        self._how, self._tool = how, how.tool(function)
        self._signature = inspect.signature(function)
        paths = [name for name, each in self._signature.parameters.items() if _is_path(each)]
        # A lone parameter that is annotated as a path is one, whatever it is called.
        lone = len(paths) == 1 and "path" not in self._signature.parameters
        self._alias = paths[0] if lone else ""

    def __call__(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[inspect.BoundArguments, Decision]:
        bound = self._signature.bind(*args, **kwargs)
        given = {
            "path" if name == self._alias else name: _text(value)
            for name, value in bound.arguments.items()
        }
        call = ToolCall(self._tool, given, session=self._how.session, host="python")
        decision = Decision("allow", given)
        with self._how.failing_open(call):
            decision = self._how.before(call)
        for name, value in decision.arguments.items():
            if value != given[name]:
                own = self._alias if self._alias and name == "path" else name
                bound.arguments[own] = _like(bound.arguments[own], value)
        return bound, decision


def _is_path(parameter: inspect.Parameter) -> bool:
    annotation = parameter.annotation
    name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return name.rpartition(".")[2] in ("Path", "PurePath", "PathLike", "PosixPath")


def _text(value: Any) -> Any:
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _like(old: Any, new: Any) -> Any:
    """Return a corrected path as the type that was given."""
    return cast("Any", type(old))(new) if isinstance(old, os.PathLike) else new


def _refused(decision: Decision, refusal: str) -> str:
    if refusal == "raise":
        raise PathNotFound(decision.text)
    return decision.text


def _told(decision: Decision, result: Any) -> Any:
    """Tell of a correction in front of a text result; any other result goes as it is."""
    if decision.text and isinstance(result, str):
        return f"{decision.text}\n{result}"
    return result
