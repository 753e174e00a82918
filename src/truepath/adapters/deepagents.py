"""deepagents: LangChain's middleware, for file tools with paths relative to the
project's root.

Observed with deepagents 0.7.32.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from langchain.agents.middleware.types import ToolCallRequest

from truepath.adapters import langchain
from truepath.guard.checked_call import CheckedCall, in_thread
from truepath.guard.guard import Guard
from truepath.types import ToolCall

_PATHS = frozenset({"path", "file_path"})
"""The arguments of the file tools that are paths; a virtual `/a` is `a` in the
project."""


class PathMiddleware(langchain.PathMiddleware):
    """Checks the paths of an agent's tool calls, sync and async.

    For a `FilesystemBackend` with `virtual_mode=True` in the guard's project.
    Sub-agents have their
    own middleware: add this one to the specification of each, `general-purpose`
    included.
    """

    def __init__(
        self, guard: Guard, *, approved: Collection[str] = (), backend: Any = None
    ) -> None:
        """Check calls with `guard`.

        Args:
            guard: The project's guard.
            approved: Tools whose calls a person approves, as in `interrupt_on`.
            backend: The agent's, if some files are not in the project's folder (a
                `CompositeBackend`): paths that it lists are not checked.
        """
        super().__init__(guard, approved=approved)
        self._backend = backend

    def check(self, request: ToolCallRequest) -> CheckedCall:
        """Return the call, checked unless only the backend has its file."""
        call = self.call(request)
        paths = [call.arguments[name] for name in _PATHS & {*call.arguments}]
        elsewhere = self._backend is not None
        with self.guard.failing_open(call):
            elsewhere = elsewhere and any(map(self._elsewhere, paths))
        return self.guard.check(replace(call, arguments={}) if elsewhere else call)

    async def acheck(self, request: ToolCallRequest) -> CheckedCall:
        """Return the same without blocking the event loop."""
        if self._backend is None:
            return await super().acheck(request)
        return await in_thread(lambda: self.check(request))

    def _elsewhere(self, path: object) -> bool:
        if not isinstance(path, str) or os.path.lexists(
            f"{self.guard.workspace.root}/{path}"
        ):
            return False
        folder, _, name = path.rstrip("/").rpartition("/")
        entries = self._backend.ls(f"/{folder}").entries or ()
        return any(
            each["path"].rstrip("/").rpartition("/")[2] == name for each in entries
        )

    def call(self, request: ToolCallRequest) -> ToolCall:
        """Return the call, with its paths relative to the root."""
        call = super().call(request)
        root, search = self.guard.workspace.root, ("glob", "grep", "ls")
        own = {
            name: value.lstrip("/") or "."
            if name in _PATHS and isinstance(value, str)
            else value
            for name, value in call.arguments.items()
        }
        return replace(
            call, arguments=own, cwd=root, host="deepagents", search_tools=search
        )

    def corrected(
        self, request: ToolCallRequest, checked: CheckedCall
    ) -> ToolCallRequest:
        """Return the request to run, with paths as the file tools take them."""
        written, given = checked.call.arguments, checked.arguments
        changed = {name for name in _PATHS & {*given} if given[name] != written[name]}
        if not changed:
            return request
        virtual = {name: self._virtual(given[name]) for name in changed}
        arguments = {**request.tool_call["args"], **virtual}
        return request.override(tool_call={**request.tool_call, "args": arguments})

    def _virtual(self, path: str) -> str:
        root = self.guard.workspace.root
        relative = os.path.relpath(os.path.join(root, path), root).replace(os.sep, "/")
        return "/" if relative == "." else f"/{relative}"
