"""Check the tool calls that pass between an MCP client and a server with file tools.

Lines in, lines out: it starts no process and opens no stream. What it has no reason to change
passes byte for byte.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from truepath.calls.paths import find
from truepath.guard.checked import Checked
from truepath.guard.guard import Guard
from truepath.mcp import messages
from truepath.mcp.messages import Message
from truepath.types import ToolCall

_LATEST = 100
"""Requests that are remembered until they are answered. Of a call that needs no note the answer is
not looked at, so its entry ends here."""

_FAILED = re.compile(rb'"isError"\s*:\s*true')

_CLIENT_METHODS = (b"tools/call", b"tools/list", b"initialize")
"""What of a client's lines is worth reading. A client may write `/` as `\\/`, and none does."""

_ALLOWED = "list_allowed_directories"
"""A tool of the reference file server, whose answer says which folders it serves, one a line."""


class Passed(NamedTuple):
    """What becomes of a client's line."""

    to_server: bytes = b""
    to_client: bytes = b""


class _Asked(NamedTuple):
    """A request that waits for its response."""

    what: str
    """`call`, `tools`, `allowed` or `server`."""
    checked: Checked | None = None
    in_data: bool = False


class Relay:
    """Everything that is known of one client and one server.

    `from_client` and `from_server` may run at once, in two threads.
    """

    def __init__(
        self,
        roots: Sequence[str],
        guard_of: Callable[[str], Guard],
        *,
        session: str,
        fixed: bool = False,
    ) -> None:
        """Begin with what the command line says.

        Args:
            roots: The folders that the server serves; none checks nothing until some are known.
            guard_of: Makes the guard of a folder, once for each.
            session: Names the conversation.
            fixed: Whether the roots stay as they are, whatever client and server say.
        """
        self._roots = _folders(roots)
        self._fixed, self._session, self._guard_of = fixed, session, guard_of
        self._guards: dict[str, Guard] = {}
        self._asked: dict[str, _Asked] = {}
        self._asked_of_client: set[str] = set()
        self._shows_text: dict[str, bool] = {}
        self._server = ""
        self._lock = Lock()

    @property
    def roots(self) -> tuple[str, ...]:
        """The folders whose paths are checked."""
        return self._roots

    def from_client(self, line: bytes) -> Passed:
        """Return what the server gets for a line of the client, and what the client is answered."""
        if self._asked_of_client and b'"roots"' in line:
            self._learn_client_roots(line)
        if not any(method in line for method in _CLIENT_METHODS):
            return Passed(line)
        message = messages.read(line)
        number = messages.key(message) if message else ""
        if not message or not number:
            return Passed(line)
        method = message.get("method")
        if method == "tools/call":
            return self._call(line, message, number)
        if method in ("tools/list", "initialize"):
            self._expect(number, _Asked("tools" if method == "tools/list" else "server"))
        return Passed(line)

    def from_server(self, line: bytes) -> bytes:
        """Return what the client gets for a line of the server's."""
        if b'"roots/list"' in line:
            asks = messages.read(line) or {}
            if asks.get("method") == "roots/list" and messages.key(asks):
                self._asked_of_client.add(messages.key(asks))
        if not self._asked:
            return line
        waiting = any(asked.what != "call" or _noted(asked) for asked in [*self._asked.values()])
        if not waiting and not _FAILED.search(line):
            return line
        message = messages.read(line)
        number = messages.key(message) if message else ""
        if not message or "method" in message or not number:
            return line
        with self._lock:
            asked = self._asked.pop(number, None)
        return line if asked is None else self._answered(line, message, asked)

    def _call(self, line: bytes, message: Message, number: str) -> Passed:
        params = messages.table(message, "params")
        tool, arguments = params.get("name"), messages.table(params, "arguments")
        if not isinstance(tool, str):
            return Passed(line)
        if tool == _ALLOWED:
            self._expect(number, _Asked("allowed"))
            return Passed(line)
        root = self._root_of(tool, arguments)
        if root is None:
            return Passed(line)
        shows = self._shows_text.get(tool)
        call = ToolCall(
            f"mcp__{self._server}__{tool}" if self._server else tool,
            arguments,
            session=self._session,
            host="mcp",
            search_tools=("search_files", "list_directory", "directory_tree"),
            call_id=number,
        )
        checked = self._guard(root).check(call, notes=bool(shows))
        if checked.refusal:
            result = messages.tool_result(
                [checked.refusal], failed=True, data=checked.decision.payload
            )
            return Passed(to_client=messages.answer(message, result))
        self._expect(number, _Asked("call", checked, in_data=_assumes(checked)))
        if checked.decision.action != "rewrite":
            return Passed(line)
        changed = {**message, "params": {**params, "arguments": checked.arguments}}
        return Passed(messages.write(changed))

    def _answered(self, line: bytes, message: Message, asked: _Asked) -> bytes:
        result = messages.table(message, "result")
        if asked.what == "server":
            name = messages.table(result, "serverInfo").get("name")
            self._server = re.sub(r"[^\w.-]+", "-", name) if isinstance(name, str) else ""
        elif asked.what == "tools":
            for tool in messages.rows(result, "tools"):
                self._shows_text[str(tool.get("name"))] = messages.shows_text(tool)
        elif asked.what == "allowed":
            lines = [each for text in messages.texts(result) for each in text.splitlines()]
            self._learn(filter(os.path.isabs, map(str.strip, lines)))
        elif asked.checked is not None:
            return self._told(line, message, asked, asked.checked)
        return line

    def _told(self, line: bytes, message: Message, asked: _Asked, checked: Checked) -> bytes:
        result = messages.table(message, "result")
        if not result:
            return line
        note, more = checked.note, ""
        if result.get("isError") is True:
            note, more = "", checked.failed("\n".join(messages.texts(result)))
        if not note and not more:
            return line
        return messages.write(messages.with_notes(message, note, more, in_data=asked.in_data))

    def _expect(self, number: str, asked: _Asked) -> None:
        with self._lock:
            self._asked.pop(number, None)
            self._asked[number] = asked
            while len(self._asked) > _LATEST:
                self._asked.pop(next(iter(self._asked)))

    def _root_of(self, tool: str, arguments: Mapping[str, object]) -> str | None:
        """Return the folder whose guard is asked about a call; None where that cannot be told.

        With several folders a relative path says nothing, and the first absolute one decides.
        """
        if len(self._roots) < 2:
            return self._roots[0] if self._roots else None
        named = [each.written for each in find(ToolCall(tool, arguments)).each]
        for root in sorted(self._roots, key=len, reverse=True):
            top = root.rstrip(os.sep) + os.sep
            if any(f"{os.path.normpath(path)}{os.sep}".startswith(top) for path in named):
                return root
        return None

    def _guard(self, root: str) -> Guard:
        with self._lock:
            if root not in self._guards:
                self._guards[root] = self._guard_of(root)
            return self._guards[root]

    def _learn_client_roots(self, line: bytes) -> None:
        message = messages.read(line) or {}
        if messages.key(message) not in self._asked_of_client:
            return
        self._asked_of_client.discard(messages.key(message))
        roots = messages.rows(messages.table(message, "result"), "roots")
        self._learn(_local(str(root.get("uri"))) for root in roots)

    def _learn(self, folders: Iterable[str]) -> None:
        found = _folders(folders)
        if found and not self._fixed:
            self._roots = found


def _folders(names: Iterable[str]) -> tuple[str, ...]:
    """Return those that are folders of this machine, as absolute paths."""
    found = (os.path.abspath(name) for name in names if name and os.path.isdir(name))
    return tuple(dict.fromkeys(found))


def _local(uri: str) -> str:
    """Return the folder that a `file://` URI names; "" for any other."""
    try:
        parts = urlsplit(uri)
    except ValueError:  # half of an IPv6 address
        return ""
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return ""
    path = unquote(parts.path, errors="surrogateescape")
    return path[1:] if re.match(r"/[A-Za-z]:", path) and os.name == "nt" else path


def _assumes(checked: Checked) -> bool:
    return any(each.status == "likely" for each in checked.decision.resolutions)


def _noted(asked: _Asked) -> bool:
    return asked.checked is not None and bool(asked.checked.note)
