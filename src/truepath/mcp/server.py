"""An MCP server with one tool that resolves paths, for clients without hooks.

It implements what a server with tools needs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, cast

from truepath import __version__
from truepath.hosts.fields import line_of, table
from truepath.mcp import messages
from truepath.mcp.messages import Message
from truepath.quoting import shown
from truepath.types import OPERATION_KINDS, Decision, Operation, Resolution

Ask = Callable[[str, Operation], tuple[Resolution, Decision]]
"""Returns what is known about a path, and what an agent would be answered."""

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""The revisions at modelcontextprotocol.io/specification that begin with `initialize`, newest
first; these messages are the same in all of them."""

_UNKNOWN_METHOD, _BAD_ARGUMENTS = -32601, -32602
"""Error codes of JSON-RPC 2.0."""

TOOL = {
    "name": "resolve_path",
    "description": "Check whether a path exists in the project, before it is used or after a tool "
    "has reported it missing. Tells which file is meant, and whether it was renamed or deleted.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "As you would give it to a tool: absolute or in the project.",
            },
            "operation": {
                "type": "string",
                "enum": [*OPERATION_KINDS],
                "description": "What is to be done to it; read by default.",
            },
        },
        "required": ["path"],
    },
    "annotations": {"readOnlyHint": True, "openWorldHint": False},
}


def serve(ask: Ask) -> None:
    """Answer requests on standard input until it ends."""
    for line in sys.stdin.buffer:
        said = respond(ask, line_of(line))
        if said is not None:
            sys.stdout.buffer.write(messages.write(said))
            sys.stdout.buffer.flush()


def respond(ask: Ask, message: Message) -> Message | None:
    """Return the response to a message; None for a notification or a response."""
    if not messages.key(message) or not isinstance(message.get("method"), str):
        return None
    reply = _METHODS.get(message["method"])
    head = {"jsonrpc": "2.0", "id": message["id"]}
    if reply is None:
        return {**head, "error": {"code": _UNKNOWN_METHOD, "message": "there is no such method"}}
    try:
        return {**head, "result": reply(ask, table(message, "params"))}
    except ValueError as error:
        return {**head, "error": {"code": _BAD_ARGUMENTS, "message": str(error)}}


def _initialize(_: Ask, params: Mapping[str, Any]) -> Message:
    wanted = params.get("protocolVersion")
    return {
        "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "truepath", "version": __version__},
    }


def _list(_: Ask, __: Mapping[str, Any]) -> Message:
    return {"tools": [TOOL]}


def _call(ask: Ask, params: Mapping[str, Any]) -> Message:
    arguments = table(params, "arguments")
    tool, path = params.get("name"), arguments.get("path")
    operation = arguments.get("operation", "read")
    if tool != TOOL["name"]:
        raise ValueError(f"there is no tool {tool!r}")
    if not isinstance(path, str):
        raise ValueError("`path` has to be text")  # noqa: TRY004  the client's mistake
    if operation not in OPERATION_KINDS:
        raise ValueError(f"`operation` has to be one of {', '.join(OPERATION_KINDS)}")
    resolution, decision = ask(path, cast("Operation", operation))
    return messages.tool_result(_said(resolution, decision), data=resolution.to_dict())


def _said(resolution: Resolution, decision: Decision) -> str:
    """Return what is known about a path, in words; here nothing is used in its place."""
    path, found = shown(resolution.written), resolution.candidates[:1]
    if decision.action == "rewrite" and found:
        sure = "it is" if resolution.status == "resolved" else "the likeliest is"
        return f"{path} does not exist; {sure} at {shown(found[0].path)} ({found[0].why})."
    if decision.text:
        return decision.text
    if resolution.status == "exists" or resolution.note == "exists":
        return f"{path} exists."
    if resolution.status == "outside":
        return f"{path} is outside the project."
    return f"{path} does not exist yet."


_METHODS: Mapping[str, Callable[[Ask, Mapping[str, Any]], Message]] = {
    "initialize": _initialize,
    "ping": lambda *_: {},
    "tools/list": _list,
    "tools/call": _call,
}
