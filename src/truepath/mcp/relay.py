"""Check the tool calls between an MCP client and a server with file tools, line by
line.

A line that needs no change passes byte for byte.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from threading import Lock
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from truepath.calls.paths import find
from truepath.fields import line_of, table, tables, text
from truepath.guard.checked_call import CheckedCall
from truepath.guard.guard import Guard
from truepath.mcp import messages
from truepath.mcp.messages import Message
from truepath.types import ToolCall

_LATEST = 100
"""Requests that wait for their responses, at most; a cancelled one never gets any."""

_SHOW_WHOLE = ("gemini-cli-mcp-client", "qwen-cli-mcp-client")
"""How clients call themselves whose model reads an error's whole result as JSON, with
`_meta` first: Gemini CLI 0.61.0 and Qwen Code 0.24.4."""

_SEARCH = ("search_files", "list_directory", "directory_tree")
"""Search tools that answers name, if the server has listed them."""


class Passed(NamedTuple):
    """What is sent for a client's line."""

    to_server: bytes = b""
    to_client: bytes = b""


class Relay:
    """The state between one client and one server.

    `from_client` and `from_server` may run in two threads.
    """

    def __init__(
        self,
        roots: Sequence[str],
        guard_of: Callable[[str], Guard],
        *,
        session: str,
        fixed: bool = False,
    ) -> None:
        """Start with the folders of the command line.

        Args:
            roots: The folders that the server serves; without any, nothing is checked
                until some are known.
            guard_of: Makes the guard of a folder, once for each.
            session: The id of the conversation.
            fixed: Whether `roots` stay, whatever folders the client names.
        """
        self.roots = _folders(roots)
        """The folders whose paths are checked."""
        self._fixed = fixed
        self._session = session
        self._guard_of = guard_of
        self._guards: dict[str, Guard] = {}
        self._waiting: dict[str, Callable[[Message], bytes | None]] = {}
        """Request -> a function that takes its response and may return a line to
        replace it."""
        self._roots_requests: set[str] = set()
        self._schemas: dict[str, Mapping[str, object]] = {}
        self._server = ""
        self._shows_whole = False
        self._lock = Lock()

    def from_client(self, line: bytes) -> Passed:
        """Return what the server and the client get for a line of the client.

        Each message of a batch is checked; what is answered here is a batch of its own.
        """
        lines = [messages.write(message) for message in messages.batch(line)]
        if not lines:
            return self._from_client(line)
        answers = [self._from_client(single) for single in lines]
        to_server = [answer.to_server for answer in answers]
        if to_server == lines:
            return Passed(line)
        to_client = messages.batched(answer.to_client for answer in answers)
        return Passed(messages.batched(to_server), to_client)

    def _from_client(self, line: bytes) -> Passed:
        message = line_of(line)
        request = messages.key(message)
        method = message.get("method")
        if request and method == "tools/call":
            return self._call(line, message, request)
        if request and method == "tools/list":
            self._expect(request, self._learn_tools)
        elif request and method == "initialize":
            client = text(table(message, "params"), "clientInfo.name")
            self._shows_whole = client.startswith(_SHOW_WHOLE)
            self._expect(request, self._learn_server)
        elif method is None and request in self._roots_requests:
            # The client's response to a request of the server.
            self._roots_requests.discard(request)
            roots = tables(message, "result.roots")
            folders = _folders(_local(str(root.get("uri"))) for root in roots)
            if folders and not self._fixed:
                self.roots = folders
        return Passed(line)

    def from_server(self, line: bytes) -> bytes:
        """Return what the client gets for a line of the server."""
        lines = [messages.write(message) for message in messages.batch(line)]
        if not lines:
            return self._from_server(line)
        to_client = [self._from_server(single) for single in lines]
        return line if to_client == lines else messages.batched(to_client)

    def _from_server(self, line: bytes) -> bytes:
        message = line_of(line)
        request = messages.key(message)
        method = message.get("method")
        if request and method == "roots/list":
            self._roots_requests.add(request)
        if method is not None:  # no response
            return line
        with self._lock:
            then = self._waiting.pop(request, None)
        changed = then(message) if then else None
        return changed or line

    def _call(self, line: bytes, message: Message, request: str) -> Passed:
        params = table(message, "params")
        tool = str(params.get("name", ""))
        arguments = table(params, "arguments")
        root = self._root_of(tool, arguments)
        if root is None:
            return Passed(line)
        call = ToolCall(
            # As agent programs name it, and so their users' rules.
            f"mcp__{self._server}__{tool}" if self._server else tool,
            arguments,
            session=self._session,
            host="mcp",
            known_as=tool,  # the client's name for the server is not known here
            search_tools=tuple(name for name in _SEARCH if name in self._schemas),
            call_id=request,
        )
        schema = self._schemas.get(tool)
        with self._lock:
            if root not in self._guards:
                self._guards[root] = self._guard_of(root)
            guard = self._guards[root]
        checked = guard.check(call, notes=messages.shows_notes(schema))
        if checked.refusal:
            data = None if self._shows_whole else checked.decision.payload
            result = messages.refusal(checked.refusal, data)
            response = {"jsonrpc": "2.0", "id": message["id"], "result": result}
            return Passed(to_client=messages.write(response))
        self._expect(request, partial(_noted, checked, schema))
        if checked.decision.action != "rewrite":
            return Passed(line)
        changed = {**message, "params": {**params, "arguments": checked.arguments}}
        return Passed(messages.write(changed))

    def _learn_server(self, message: Message) -> None:
        name = table(message, "result.serverInfo").get("name")
        self._server = re.sub(r"[^\w.-]+", "-", name) if isinstance(name, str) else ""

    def _learn_tools(self, message: Message) -> None:
        for tool in tables(message, "result.tools"):
            self._schemas[str(tool.get("name"))] = table(tool, "outputSchema")

    def _expect(self, request: str, then: Callable[[Message], bytes | None]) -> None:
        with self._lock:
            # Taken out first, so that an id used again counts as the latest.
            self._waiting.pop(request, None)
            self._waiting[request] = then
            while len(self._waiting) > _LATEST:
                self._waiting.pop(next(iter(self._waiting)))

    def _root_of(self, tool: str, arguments: Mapping[str, object]) -> str | None:
        """Return the folder whose guard checks a call; None if that is not known.

        With several folders, it is the deepest one that contains an absolute path of
        the call.
        """
        if len(self.roots) < 2:
            return self.roots[0] if self.roots else None
        uses = find(ToolCall(tool, arguments)).paths
        # With a separator at their ends, `/src` is not above `/src-old`.
        named = [os.path.normpath(use.written) + os.sep for use in uses]
        for root in sorted(self.roots, key=len, reverse=True):
            top = root.rstrip(os.sep) + os.sep
            if any(path.startswith(top) for path in named):
                return root
        return None


def _noted(
    checked: CheckedCall, schema: Mapping[str, object] | None, message: Message
) -> bytes | None:
    """Return a response with notes for the model as a line; None without notes."""
    result = table(message, "result")
    first = checked.note
    last = ""
    text = "\n".join(messages.texts(result))
    # Some servers do not say that a call failed.
    if result.get("isError") is True or checked.before.proves(text):
        # What failed is explained behind the server's own words.
        first = ""
        last = checked.failed(text)
    if not result or not (first or last):
        return None
    return messages.write(messages.with_notes(message, first, last, schema))


def _folders(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that are folders of this machine, as absolute paths."""
    folders = (os.path.abspath(name) for name in names if name and os.path.isdir(name))
    return tuple(dict.fromkeys(folders))


def _local(uri: str) -> str:
    """Return the path in a `file://` URI; "" for any other."""
    try:
        parts = urlsplit(uri)
    except ValueError:  # half of an IPv6 address
        return ""
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return ""
    path = unquote(parts.path, errors="surrogateescape")
    if os.name == "nt" and re.match(r"/[A-Za-z]:", path):
        return path[1:]  # `file:///C:/work`
    return path


def served(command: Sequence[str]) -> list[str]:
    """Return the folders that a server's command line names, absolute.

    Words that follow an option are left out: `--directory /opt/server` may be the
    server's own code. A word counts only if it is absolute or begins with a dot.
    """
    folders = []
    for before, word in pairwise(command):
        is_path = os.path.isabs(word) or word[:1] == "."
        if is_path and not _takes_value(before) and os.path.isdir(word):
            folders.append(os.path.abspath(word))
    return folders


def _takes_value(option: str) -> bool:
    """Return whether the word after an option may be its value."""
    return option[:1] == "-" and option not in ("--", "-y", "--yes", "-q", "--quiet")
