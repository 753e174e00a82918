"""deepagents: LangChain's middleware, for file tools whose paths begin at the project's root.

Observed with deepagents 0.7.32.
"""

from __future__ import annotations

import os
from dataclasses import replace

from langchain.agents.middleware.types import ToolCallRequest

from truepath.adapters import langchain
from truepath.guard.checked import Checked
from truepath.types import ToolCall

_PATHS = frozenset({"path", "file_path"})
"""The arguments of the file tools that are paths; `/a` is `a` in the project."""


class PathMiddleware(langchain.PathMiddleware):
    """Checks the paths of an agent's tool calls, sync and async.

    For backends with `virtual_mode=True`. A sub-agent has middleware of its own: name this one in
    the specification of each, of `general-purpose` as well.
    """

    def call(self, request: ToolCallRequest) -> ToolCall:
        """Return the call that is asked for, its paths relative to the root."""
        call = super().call(request)
        real = {
            name: value.lstrip("/") or "." if name in _PATHS and isinstance(value, str) else value
            for name, value in call.arguments.items()
        }
        return replace(call, arguments=real, cwd=self.guard.workspace.root, host="deepagents")

    def corrected(self, request: ToolCallRequest, checked: Checked) -> ToolCallRequest:
        """Return the request to run, its paths as the file tools take them."""
        asked, given = checked.call.arguments, checked.arguments
        changed = {name for name in _PATHS & {*given} if given[name] != asked[name]}
        if not changed:
            return request
        virtual = {name: self._virtual(given[name]) for name in changed}
        arguments = {**request.tool_call["args"], **virtual}
        return request.override(tool_call={**request.tool_call, "args": arguments})

    def _virtual(self, path: str) -> str:
        root = self.guard.workspace.root
        relative = os.path.relpath(os.path.join(root, path), root).replace(os.sep, "/")
        return "/" if relative == "." else f"/{relative}"
