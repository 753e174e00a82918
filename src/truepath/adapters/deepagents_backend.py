"""deepagents' backends, which sub-agents use too, without the agent's middleware.

Observed with deepagents 0.7.32.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from deepagents.backends.protocol import BackendProtocol, SandboxBackendProtocol

from truepath.guard.checked_call import aside
from truepath.guard.guard import Guard
from truepath.types import Outcome, ToolCall

Backend = TypeVar("Backend", bound=BackendProtocol)

_TOOLS = {name: name for name in ("ls", "grep", "glob", "execute")}
_TOOLS.update({name: f"{name}_file" for name in ("read", "edit", "delete")})
"""Methods whose failures are explained -> the tool that each serves."""

PATHS = frozenset({"path", "file_path"})
"""The arguments of the file tools that are paths; a virtual `/a` is `a` in the project."""


def real(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with virtual paths as paths in the project."""
    return {
        name: value.lstrip("/") or "." if name in PATHS and isinstance(value, str) else value
        for name, value in arguments.items()
    }


def guarded(backend: Backend, guard: Guard) -> Backend:
    """Return a backend whose errors for missing paths name the right ones.

    It has the same class and shares the state of the given one. Each call runs unchanged first,
    because permissions were checked for that path; if it fails, the error names the right path.

    Args:
        backend: One whose files are those of the guard's project; for a `CompositeBackend`, its
            default.
        guard: The guard. Paths of a backend with `virtual_mode` begin at its project's root.
    """
    kind = type(backend)
    methods: dict[str, Any] = {"__slots__": ()}
    for name, tool in _TOOLS.items():
        for method in (name, f"a{name}"):
            own = getattr(kind, method, None)
            if own is not None and own not in _inherited(method):
                methods[method] = _explained(own, backend, _Failure(backend, guard, tool))
    explained: Backend = object.__new__(type(f"Guarded{kind.__name__}", (kind,), methods))
    explained.__dict__ = backend.__dict__
    return explained


def _inherited(method: str) -> tuple[object, ...]:
    return tuple(getattr(one, method, None) for one in (BackendProtocol, SandboxBackendProtocol))


def _explained(own: Callable[..., Any], backend: BackendProtocol, failure: _Failure) -> Any:
    signature = inspect.signature(own)

    # The methods run on the given backend, so calls between them are not checked.
    def run(_: object, *args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(backend, *args, **kwargs)
        return failure.explained(bound.arguments, own(backend, *args, **kwargs))

    async def arun(_: object, *args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(backend, *args, **kwargs)
        result = await own(backend, *args, **kwargs)
        return await aside(lambda: failure.explained(bound.arguments, result))

    return functools.wraps(own)(arun if inspect.iscoroutinefunction(own) else run)


class _Failure:
    """Explains the failures of one method."""

    def __init__(self, backend: BackendProtocol, guard: Guard, tool: str) -> None:
        self._virtual = bool(getattr(backend, "virtual_mode", False))
        self._guard, self._tool = guard, tool

    def explained(self, arguments: Mapping[str, Any], result: Any) -> Any:
        """Return a result with its failure explained, or unchanged."""
        given = {name: value for name, value in arguments.items() if name != "self"}
        given = real(given) if self._virtual else given
        search = ("glob", "grep", "ls")
        call = ToolCall(self._tool, given, host="deepagents", search_tools=search, approved=True)
        with self._guard.failing_open(call):
            if self._tool == "execute":
                return self._shell(call, result)
            named = any(isinstance(given.get(name), str) for name in PATHS)
            if named and (result.error or _is_empty(result)):
                checked = self._guard.check(replace(call, cwd=self._guard.workspace.root))
                if said := checked.refusal:
                    nothing = {"matches": None} if _is_empty(result) else {}
                    return replace(result, error=said, **nothing)
        return result

    def _shell(self, call: ToolCall, result: Any) -> Any:
        if not result.exit_code:
            return result
        said = self._guard.after(call, Outcome(error=result.output)).text
        return replace(result, output=f"{result.output}\n{said}") if said else result


def _is_empty(result: Any) -> bool:
    """Return whether a search found nothing, as it does in a missing folder."""
    return getattr(result, "matches", None) == []
