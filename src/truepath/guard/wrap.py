"""Put a guard around any Python function that takes paths."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, aclosing
from typing import TYPE_CHECKING, Any, TypeVar, cast

from truepath.errors import (
    ConfigError,
    PathIsFile,
    PathIsFolder,
    PathNotFound,
    PathRefused,
    not_known,
)
from truepath.guard.checked import is_there, stands
from truepath.guard.parameters import recognised
from truepath.pathlike import as_text, like
from truepath.records import dataclass, replace
from truepath.types import Decision, Operation, ToolCall

if TYPE_CHECKING:
    from truepath.resolve.workspace import Workspace
    from truepath.session.turns import Turns

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

_ERRORS = {
    "PATH_NOT_FOUND": PathNotFound,
    "PATH_IS_NOT_A_FILE": PathIsFolder,
    "PATH_IS_NOT_A_FOLDER": PathIsFile,
}
"""What a refusal is raised as; any other one as PathRefused."""


@dataclass(frozen=True, slots=True)
class Wrapping:
    """How a function is to be wrapped; see `Guard.wrap`."""

    before: Callable[..., Decision]
    failing_open: Callable[[ToolCall], AbstractContextManager[object]]
    workspace: Workspace
    turns: Turns
    name: str | None
    operation: Operation | None
    paths: Sequence[str] | None
    session: str
    refusal: str
    note: Callable[[str], object] | None

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
        raise ConfigError(not_known("refusal", how.refusal, ("raise", "return")))
    if how.operation is not None and how.operation not in _NAMES:
        raise ConfigError(not_known("operation", how.operation, _NAMES))
    if isinstance(function, (staticmethod, classmethod)):
        return cast("Tool", type(function)(wrapped(function.__func__, how)))
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
        return check.told(decision, function(*bound.args, **bound.kwargs))

    return run


def _coroutine(function: _Any, check: _Check) -> _Any:
    async def run(*args: Any, **kwargs: Any) -> Any:
        bound, decision = await check.acheck(args, kwargs)
        if decision.action == "refuse":
            return check.refused(decision)
        return check.told(decision, await function(*bound.args, **bound.kwargs))

    return run


def _generator(function: _Any, check: _Check) -> _Any:
    def run(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        bound, decision = check(args, kwargs)
        if decision.action == "refuse":
            yield check.refused(decision)
            return None
        items = function(*bound.args, **bound.kwargs)
        for first in items if decision.text else ():
            yield check.told(decision, first)
            break
        return (yield from items)

    return run


def _async_generator(function: _Any, check: _Check) -> _Any:
    async def run(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        bound, decision = await check.acheck(args, kwargs)
        if decision.action == "refuse":
            yield check.refused(decision)
            return
        async with aclosing(function(*bound.args, **bound.kwargs)) as items:
            first = True
            async for item in items:
                yield check.told(decision, item) if first else item
                first = False

    return run


_KINDS: tuple[tuple[Callable[[Any], bool], Callable[[_Any, Any], _Any]], ...] = (
    (inspect.iscoroutinefunction, _coroutine),
    (inspect.isasyncgenfunction, _async_generator),
    (inspect.isgeneratorfunction, _generator),
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A function's call, and the tool call that it is checked as."""

    bound: inspect.BoundArguments
    values: Mapping[str, Any]
    """All of its arguments, defaults of paths among them."""
    keys: Mapping[str, str]
    """The names of those that are asked about, and the tool call's names for them."""
    call: ToolCall


class _Check:
    """Turns a function's arguments into a tool call, and the decision back into arguments."""

    def __init__(self, function: _Any, how: Wrapping) -> None:
        self._how, self._tool = how, how.tool(function)
        try:
            self._signature = inspect.signature(function)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"{function!r} cannot be wrapped: {error}") from None
        self._found = recognised(self._signature, self._tool, how)
        self._notes = how.note is not None or self._signature.return_annotation in (str, "str")
        self._defaults = {
            name: each.default
            for name, each in self._signature.parameters.items()
            if name in self._found.paths
            and each.default is not each.empty
            and each.default is not None
        }

    def __call__(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[inspect.BoundArguments, Decision]:
        """Return the arguments to run with, and what to do."""
        asked = self._asked(args, kwargs)
        return self._answered(asked, *self._decided(asked))

    async def acheck(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[inspect.BoundArguments, Decision]:
        """Return the same; the event loop goes on while a path is searched for."""
        from truepath.guard.aside import aside

        asked = self._asked(args, kwargs)
        at_once = False
        with self._how.failing_open(asked.call):
            at_once = is_there(self._how.workspace, asked.call)
        decided = self._decided(asked) if at_once else await aside(lambda: self._decided(asked))
        return self._answered(asked, *decided)

    def _asked(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Asked:
        bound = self._signature.bind(*args, **kwargs)
        rest = bound.arguments.get(self._found.rest, {})
        values = {**self._defaults, **rest, **bound.arguments}
        values.pop(self._found.rest, None)
        call = ToolCall(self._tool, session=self._how.session, host="python")
        with self._how.failing_open(call):
            keys = self._found.keys(values)
            given = {keys[name]: as_text(values[name]) for name in keys}
            call = replace(call, arguments=given, turn=self._how.turns.current())
            call = replace(call, cwd=stands(self._how.workspace, call))
            return _Asked(bound, values, keys, call)
        return _Asked(bound, values, {}, call)

    def _decided(self, asked: _Asked) -> tuple[Decision, Mapping[str, Any]]:
        """Return what to do, and the function's arguments that are to change."""
        with self._how.failing_open(asked.call):
            decision = self._how.before(asked.call, notes=self._notes)
            new, given = decision.arguments, asked.call.arguments
            return decision, {
                name: like(asked.values[name], given[key], new[key])
                for name, key in asked.keys.items()
                if new[key] is not given[key]
            }
        return Decision("allow", asked.values), {}

    def _answered(
        self, asked: _Asked, decision: Decision, changed: Mapping[str, Any]
    ) -> tuple[inspect.BoundArguments, Decision]:
        given = asked.bound.arguments
        rest = given.get(self._found.rest, {})
        for name, value in changed.items():
            (rest if name in rest else given)[name] = value
        if decision.text and decision.action != "refuse" and self._how.note is not None:
            self._how.note(decision.text)
        return asked.bound, decision

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
