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
    Sub-agents have their own middleware: add this one to the specification of each,
    `general-purpose` included.
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
        # The backend is the user's code; if it raises, the call is not checked.
        has_it = self._backend is not None
        with self.guard.failing_open(call):
            has_it = any(map(self._only_backend_has, paths))
        # Without arguments nothing is checked, and the call counts all the same.
        return self.guard.check(replace(call, arguments={}) if has_it else call)

    async def acheck(self, request: ToolCallRequest) -> CheckedCall:
        """Return the same without blocking the event loop."""
        if self._backend is None:
            return await super().acheck(request)
        return await in_thread(lambda: self.check(request))

    def _only_backend_has(self, path: object) -> bool:
        if self._backend is None or not isinstance(path, str):
            return False
        # Most often: a file of the project needs no question to the backend.
        if os.path.lexists(f"{self.guard.workspace.root}/{path}"):
            return False
        folder, _, name = path.rstrip("/").rpartition("/")
        # `entries` is None where the folder cannot be listed (0.7.32).
        entries = self._backend.ls(f"/{folder}").entries or ()
        names = (entry["path"].rstrip("/").rpartition("/")[2] for entry in entries)
        return name in names

    def call(self, request: ToolCallRequest) -> ToolCall:
        """Return the call, with its paths relative to the root."""
        call = super().call(request)
        arguments = dict(call.arguments)
        for name in _PATHS & arguments.keys():
            path = arguments[name]
            if isinstance(path, str):
                arguments[name] = path.lstrip("/") or "."
        return replace(
            call,
            arguments=arguments,
            cwd=self.guard.workspace.root,
            host="deepagents",
            search_tools=("glob", "grep", "ls"),
        )

    def corrected(
        self, request: ToolCallRequest, checked: CheckedCall
    ) -> ToolCallRequest:
        """Return the request to run, with paths as the file tools take them."""
        written = checked.call.arguments
        given = checked.arguments
        changed = {name for name in _PATHS & {*given} if given[name] != written[name]}
        if not changed:
            return request
        # What was not corrected stays as the model wrote it.
        virtual = {name: self._virtual(given[name]) for name in changed}
        arguments = {**request.tool_call["args"], **virtual}
        return request.override(tool_call={**request.tool_call, "args": arguments})

    def _virtual(self, path: str) -> str:
        root = self.guard.workspace.root
        relative = os.path.relpath(os.path.join(root, path), root).replace(os.sep, "/")
        return "/" if relative == "." else f"/{relative}"
