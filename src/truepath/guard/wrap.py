"""Wrap a Python function that takes paths: plain or async, a method or a callable
object.

Entrance: `Guard.wrap`. The function's arguments become a tool call, and the decision
becomes arguments again.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict, TypeVar, cast

from truepath import TYPE_CHECKING, Late
from truepath.calls import tools
from truepath.calls.tool_tables import ARGUMENTS
from truepath.errors import ConfigError, PathNotFound, not_known
from truepath.guard.checked_call import CheckedCall
from truepath.types import OPERATION_KINDS, Operation, ToolCall

if TYPE_CHECKING:
    import logging
else:
    logging = Late("logging")

Tool = TypeVar("Tool", bound=Callable[..., Any])

_SINGLE = tuple(name for name in ARGUMENTS["path"].split() if not name.endswith("s"))
"""Names of an argument that is one path."""

_SHOWN = "path, file_path, file, directory, source, destination, command, ..."
"""Some of the names that count as paths, for an error message."""


class How(TypedDict, total=False):
    """The arguments of `Guard.wrap`, which describes them."""

    name: str | None
    operation: Operation | None
    paths: Sequence[str] | None
    edit: Sequence[str] | None
    session: str
    refusal: Literal["raise", "return"]
    note: Callable[[str], object] | None


def wrapped(
    function: Tool,
    how: How,
    check: Callable[..., CheckedCall],
    acheck: Callable[..., Awaitable[CheckedCall]],
) -> Tool:
    """Return `function` with its paths checked before it runs; its signature is kept.

    `check` and `acheck` are those of a guard.

    Raises:
        ConfigError: Nothing would be checked, or `how` is invalid.
    """
    # Above `@staticmethod`, a decorator receives that, not the function.
    if isinstance(function, (staticmethod, classmethod)):
        inner = wrapped(function.__func__, how, check, acheck)
        return cast("Tool", type(function)(inner))
    arguments = _Arguments(function, how)

    def run(*args: Any, **kwargs: Any) -> Any:
        bound, call = arguments.as_call(args, kwargs)
        checked = check(call, notes=arguments.notes)
        if checked.refusal:
            return arguments.refused(checked)
        arguments.prepare(bound, call, checked)
        try:
            result = function(*bound.args, **bound.kwargs)
        except Exception as error:  # any of the tool's own, which its caller gets
            arguments.explain(error, checked, checked.failed(error))
            raise
        return arguments.told(checked, checked.returned(result), result)

    async def arun(*args: Any, **kwargs: Any) -> Any:
        bound, call = arguments.as_call(args, kwargs)
        checked = await acheck(call, notes=arguments.notes)
        if checked.refusal:
            return arguments.refused(checked)
        arguments.prepare(bound, call, checked)
        try:
            result = await function(*bound.args, **bound.kwargs)
        except Exception as error:  # as in `run`
            arguments.explain(error, checked, await checked.afailed(error))
            raise
        return arguments.told(checked, await checked.areturned(result), result)

    # A callable object is async if its method is.
    called = (function, getattr(type(function), "__call__", None))  # noqa: B004
    is_async = any(map(inspect.iscoroutinefunction, called))
    checking = arun if is_async else run
    return cast("Tool", functools.wraps(function)(checking))


class _Arguments:
    """Turns a function's arguments into a tool call, and the decision back into
    arguments.
    """

    def __init__(self, function: Callable[..., Any], how: How) -> None:
        if how["refusal"] not in ("raise", "return"):
            raise ConfigError(not_known("refusal", how["refusal"], ("raise", "return")))
        if how["operation"] is not None and how["operation"] not in OPERATION_KINDS:
            raise ConfigError(not_known("operation", how["operation"], OPERATION_KINDS))
        operation = how["operation"] or ("edit" if how["edit"] is not None else None)
        named: Any = function
        while isinstance(named, functools.partial):  # it has no name
            named = named.func
        own_name = how["name"] or str(getattr(named, "__name__", "tool"))
        # A name that tells the operation, whatever the function is called.
        of_operation = "mkdir" if operation == "mkdir" else f"{operation}_path"
        self._tool = of_operation if operation else own_name
        self._known_as = "" if own_name == self._tool else own_name
        self._session = how["session"]
        self._refusal = how["refusal"]
        self._note = how["note"]
        try:
            self._signature = inspect.signature(function)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"{function!r} cannot be wrapped: {error}") from None
        parameters = self._signature.parameters
        self._keys = {
            **keys_of(parameters, self._tool, how["paths"]),
            **_texts_of(parameters, how["edit"]),
        }
        self._names = {key: name for name, key in self._keys.items()}
        self._rest = _rest_of(parameters)
        self._names_its_paths = how["paths"] is not None
        returns_text = self._signature.return_annotation in (str, "str")
        self.notes = self._note is not None or returns_text

    def as_call(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[inspect.BoundArguments, ToolCall]:
        """Return a function's arguments, and the tool call to check."""
        bound = self._signature.bind(*args, **kwargs)
        given = bound.arguments
        # A path may be a default: `def read(path="docs/status.md")`.
        for name, parameter in self._signature.parameters.items():
            if isinstance(parameter.default, (str, bytes, os.PathLike)):
                given.setdefault(name, parameter.default)
        named = {key: given[name] for name, key in self._keys.items() if name in given}
        for name, value in given.get(self._rest, {}).items():
            # A keyword that is no parameter is checked as it is called; where the paths
            # were named, one with the name of a path is none.
            is_none = self._names_its_paths and _is_checked(self._tool, name)
            if name in self._keys or not is_none:
                named.setdefault(self._keys.get(name, name), value)
        return bound, ToolCall(
            self._tool,
            named,
            session=self._session,
            host="python",
            known_as=self._known_as,
        )

    def prepare(
        self, bound: inspect.BoundArguments, call: ToolCall, checked: CheckedCall
    ) -> None:
        """Put corrected values into the arguments, and pass the note on."""
        given = bound.arguments
        for key, new in checked.decision.arguments.items():
            old = call.arguments[key]
            if new is not old:
                name = self._names.get(key, key)
                # A keyword that is no parameter is in the dictionary of the others.
                holder = given if name in given else given[self._rest]
                holder[name] = new
        if checked.note and self._note is not None:
            self._note(checked.note)

    def explain(self, error: Exception, checked: CheckedCall, text: str) -> None:
        """Add to an error of the function what the agent should know about it; a
        FileNotFoundError becomes PathNotFound, with both.
        """
        if self._noted(checked, text):
            return
        # Other arguments have a meaning: an OSError has its number first.
        if text and error.args == (str(error),):
            error.args = (f"{error}\n{text}",)
        elif text and type(error) is FileNotFoundError:  # as `open` raises it
            raise PathNotFound(f"{error}\n{text}", checked.decision) from error

    def refused(self, checked: CheckedCall) -> str:
        """Raise a refusal, or return it as the result."""
        if self._refusal == "raise":
            raise checked.error
        return checked.refusal

    def _noted(self, checked: CheckedCall, text: str) -> bool:
        """Return whether notes are passed on, and so this text, without the note of the
        correction, which was before the function ran.
        """
        news = text.removeprefix(checked.note).lstrip("\n")
        if news and self._note is not None:
            self._note(news)
        return self._note is not None

    def told(self, checked: CheckedCall, note: str, result: Any) -> Any:
        """Return a text result with the note before it; log the note for any other
        result.
        """
        if self._noted(checked, note) or not note:
            return result
        if isinstance(result, str):
            return f"{note}\n{result}"

        logging.getLogger("truepath").warning("%s", note)
        return result


def keys_of(
    parameters: Mapping[str, inspect.Parameter], tool: str, paths: Sequence[str] | None
) -> Mapping[str, str]:
    """Return parameter -> the name of the argument that it is checked as.

    Paths are those in `paths`, else those with the name of a path.

    Raises:
        ConfigError: Nothing would be checked, or there is no such parameter.
    """
    rest = _rest_of(parameters)
    plain = [name for name in parameters if name != rest]
    checked = [name for name in plain if _is_checked(tool, name)]
    if paths is not None:
        named = _named(parameters, paths, tool)
        others = {name: name for name in plain if name not in checked}
        return {**others, **named}
    if not checked and not _is_checked(tool, "path"):
        raise ConfigError(_nothing(tool))
    if not checked and not rest:
        raise ConfigError(
            f"no parameter of `{tool}` would be checked: none is named as a path is "
            f"({_SHOWN}); name them with paths=[...], or say paths=[] if it has none"
        )
    return {name: name for name in plain}


def _texts_of(
    parameters: Mapping[str, inspect.Parameter], edit: Sequence[str] | None
) -> Mapping[str, str]:
    """Return the parameters of an edit's texts -> the names that they are checked as.

    Raises:
        ConfigError: They are not two parameters.
    """
    if edit is None:
        return {}
    names = [name for name in edit if name in parameters]
    if isinstance(edit, str) or len(edit) != 2 or len(names) != 2:
        choices = ", ".join(parameters)
        raise ConfigError(
            f"edit is {edit!r}; use the names of two parameters, the text to be "
            f"replaced first, as in edit=('old', 'new'); there are {choices}"
        )
    return dict(zip(names, ("old_string", "new_string"), strict=True))


def _rest_of(parameters: Mapping[str, inspect.Parameter]) -> str:
    """Return the parameter that takes any other keyword; "" if there is none."""
    for name, parameter in parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            return name
    return ""


def _nothing(tool: str) -> str:
    return (
        f"nothing of `{tool}` would be checked: its name does not say what it does "
        "to a path; "
        'give operation="read" (or list, search, edit, write, ...) or name="read_file"'
    )


def _named(
    parameters: Mapping[str, inspect.Parameter], paths: Sequence[str], tool: str
) -> dict[str, str]:
    """Return named parameter -> the name of the argument that it is checked as."""
    if isinstance(paths, str):  # whose letters would be taken for names
        raise ConfigError(
            f"paths is {paths!r}; use a list of names, as in paths=[{paths!r}]"
        )
    rest = _rest_of(parameters)
    if rest and rest in paths:
        raise ConfigError(
            f"paths has {rest!r}, which takes every other keyword: name those that are "
            "paths"
        )
    unknown = [name for name in paths if name not in parameters]
    if unknown and not rest:
        choices = ", ".join(parameters)
        raise ConfigError(
            f"no parameter is called {unknown[0]!r} (paths); there are {choices}"
        )
    # What a tool of that name does with a source.
    of_source = tools.path_arguments(ToolCall(tool, {"source": "a"}))[:1]
    moves = any(each.operation in ("copy", "move") for each in of_source)
    names = ("source", "destination") if moves and len(paths) == 2 else _SINGLE
    if len(paths) > len(names):
        raise ConfigError(
            f"{len(paths)} paths are too many; `{tool}` may have {len(names)}"
        )
    named = dict(zip(paths, names, strict=False))
    if named and not _is_checked(tool, names[0]):
        raise ConfigError(_nothing(tool))
    return named


@functools.cache
def _is_checked(tool: str, name: str) -> bool:
    """Return whether an argument of that name is checked: as a path, a command or a
    patch.
    """
    call = ToolCall(tool, {name: "a"})
    patch = ToolCall(tool, {name: "*** a"})
    return bool(
        tools.path_arguments(call) or tools.commands(call) or tools.patch_text(patch)
    )
