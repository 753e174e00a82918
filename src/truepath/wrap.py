"""Put a guard around any Python function that takes paths."""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import AsyncIterator, Callable, Generator, Mapping
from contextlib import AbstractContextManager, aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from truepath.call import Decision, Operation, ToolCall
from truepath.errors import ConfigError, PathNotFound

if TYPE_CHECKING:
    from truepath.turns import Turns
    from truepath.workspace import Workspace

Tool = TypeVar("Tool", bound=Callable[..., Any])
_Any = Callable[..., Any]

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

_PATH_TYPES = re.compile(r"\b(?:Pure)?(?:Posix|Windows)?Path(?:Like)?\b")


@dataclass(frozen=True, slots=True)
class Wrapping:
    """How a function is to be wrapped; see `Guard.wrap`."""

    before: Callable[[ToolCall], Decision]
    failing_open: Callable[[ToolCall], AbstractContextManager[object]]
    workspace: Workspace
    turns: Turns
    name: str | None
    operation: Operation | None
    session: str
    refusal: str

    def tool(self, function: _Any) -> str:
        """Return the tool name under which the function's calls are checked."""
        if self.operation:
            return _NAMES[self.operation]
        while isinstance(function, functools.partial):
            function = function.func
        return self.name or str(getattr(function, "__name__", "tool"))


def wrapped(function: Tool, how: Wrapping) -> Tool:
    """Return `function` with its paths checked before it runs; signature and kind are kept."""
    if how.refusal not in ("raise", "return"):
        raise ConfigError(f"refusal is 'raise' or 'return', not {how.refusal!r}")
    check = _Check(function, how)
    for is_kind, around in _KINDS:
        # An object that is called is of the kind that its method is.
        if is_kind(function) or is_kind(getattr(type(function), "__call__", None)):  # noqa: B004
            return cast("Tool", functools.wraps(function)(around(function, check)))
    return cast("Tool", functools.wraps(function)(_plain(function, check)))


def _plain(function: _Any, check: _Check) -> _Any:
    def run(*args: Any, **kwargs: Any) -> Any:
        bound, decision = check(args, kwargs)
        if decision.action == "refuse":
            return check.refused(decision)
        return _told(decision, function(*bound.args, **bound.kwargs))

    return run


def _coroutine(function: _Any, check: _Check) -> _Any:
    async def run(*args: Any, **kwargs: Any) -> Any:
        bound, decision = check(args, kwargs)
        if decision.action == "refuse":
            return check.refused(decision)
        return _told(decision, await function(*bound.args, **bound.kwargs))

    return run


def _generator(function: _Any, check: _Check) -> _Any:
    def run(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        bound, decision = check(args, kwargs)
        if decision.action == "refuse":
            yield check.refused(decision)
            return None
        items = function(*bound.args, **bound.kwargs)
        for first in items if decision.text else ():
            yield _told(decision, first)
            break
        return (yield from items)

    return run


def _async_generator(function: _Any, check: _Check) -> _Any:
    async def run(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        bound, decision = check(args, kwargs)
        if decision.action == "refuse":
            yield check.refused(decision)
            return
        async with aclosing(function(*bound.args, **bound.kwargs)) as items:
            first = True
            async for item in items:
                yield _told(decision, item) if first else item
                first = False

    return run


_KINDS: tuple[tuple[Callable[[Any], bool], Callable[[_Any, Any], _Any]], ...] = (
    (inspect.iscoroutinefunction, _coroutine),
    (inspect.isasyncgenfunction, _async_generator),
    (inspect.isgeneratorfunction, _generator),
)


class _Check:
    """Turns a function's arguments into a tool call, and the decision back into arguments."""

    def __init__(self, function: _Any, how: Wrapping) -> None:
        self._how, self._tool = how, how.tool(function)
        self._signature = inspect.signature(function)
        parameters = self._signature.parameters
        self._paths = {name for name, each in parameters.items() if _is_path(each)}
        rest = (name for name, each in parameters.items() if each.kind is each.VAR_KEYWORD)
        self._rest = next(rest, "")

    def __call__(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[inspect.BoundArguments, Decision]:
        bound = self._signature.bind(*args, **kwargs)
        rest = bound.arguments.get(self._rest, {})
        values = {**rest, **bound.arguments}
        values.pop(self._rest, None)
        decision = Decision("allow", values)
        call = ToolCall(self._tool, session=self._how.session, host="python")
        with self._how.failing_open(call):
            alias = self._alias(values)
            given = {"path" if name == alias else name: _text(values[name]) for name in values}
            call = replace(call, arguments=given, turn=self._how.turns.current())
            call = replace(call, cwd=_stands(self._how.workspace, call))
            decided = self._how.before(call)
            changed = {
                name: _like(values[name], given[at], decided.arguments[at])
                for name in values
                if decided.arguments[at := "path" if name == alias else name] is not given[at]
            }
            for name, value in changed.items():
                (rest if name in rest else bound.arguments)[name] = value
            decision = decided
        return bound, decision

    def refused(self, decision: Decision) -> str:
        """Return a refusal as the result, unless it is to be raised."""
        if self._how.refusal == "raise":
            raise PathNotFound(decision.text)
        return decision.text

    def _alias(self, values: Mapping[str, Any]) -> str:
        """Return the argument that is a path by its type; "" when there are none, or several.

        A lone one is a path whatever it is called. Of several, their names tell.
        """
        given = (name for name, value in values.items() if value is not None)
        paths = [name for name in given if name in self._paths or _holds_path(values[name])]
        return paths[0] if len(paths) == 1 and "path" not in values else ""


def _is_path(parameter: inspect.Parameter) -> bool:
    """Return whether a parameter is annotated as a path, an optional one, or a list of them."""
    return _PATH_TYPES.search(inspect.formatannotation(parameter.annotation)) is not None


def _holds_path(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(isinstance(each, os.PathLike) for each in value)
    return isinstance(value, os.PathLike)


def _text(value: Any) -> Any:
    """Return a value with the paths in it as text; the same value where there are none."""
    if isinstance(value, (list, tuple)) and _holds_path(value):
        return [_text(each) for each in value]
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _like(old: Any, text: Any, new: Any) -> Any:
    """Return a corrected path, or a list with some, as the type that was given.

    Args:
        old: What was given.
        text: The same as it was asked about.
        new: What takes its place.
    """
    if isinstance(old, (list, tuple)):
        each = [
            one if was is now else _like(one, was, now)
            for one, was, now in zip(old, text, new, strict=True)
        ]
        return tuple(each) if isinstance(old, tuple) else each
    return cast("Any", type(old))(new) if isinstance(old, os.PathLike) else new


def _stands(workspace: Workspace, call: ToolCall) -> str | None:
    """Return the folder from which a call's relative paths start; None for the workspace's own.

    A function opens them from where the process stands, unless it joins them to the root by
    itself: so what is there for one of the two is there. What is at neither is taken to be meant
    from where the process stands, if that is in the project.
    """
    root = workspace.root
    try:
        here = os.getcwd()
    except OSError:  # it was removed under the process
        return None
    if here == root or workspace.frame().cwd != root or not os.path.isdir(root):
        return None
    top = os.path.realpath(root)
    inside = os.path.join(here, "").startswith(os.path.join(top, ""))
    here = root + here[len(top) :] if inside else here
    if _all_there(call, here):
        return here
    return here if inside and not _all_there(call, root) else None


def _all_there(call: ToolCall, folder: str) -> bool:
    """Return whether all that has to be there for a call is there, seen from a folder."""
    from truepath.mentions import find

    made = ("write", "mkdir")
    old = [each.written for each in find(call).each if each.argument.operation not in made]
    return bool(old) and all(os.path.exists(os.path.join(folder, path)) for path in old)


def _told(decision: Decision, result: Any) -> Any:
    """Tell of a correction in front of a text result; any other result goes as it is."""
    if decision.text and isinstance(result, str):
        return f"{decision.text}\n{result}"
    return result
