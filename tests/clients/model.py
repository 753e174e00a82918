"""The scripted model: an HTTP server on loopback that plays turns and keeps what it is
sent.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from clients import completions, generate, messages, responses
from clients.script import Turn

from truepath.session.state import TURN_GAP_S

PAUSE = TURN_GAP_S + 0.1
"""Seconds that a turn takes: any model needs more, and calls in less time are one turn.
"""

WIRES = (messages, responses, completions, generate)
"""The model APIs it speaks; see `messages` for what a wire is."""


class Model:
    """A model that answers each request for a turn with the next one of its script.

    Requests that are no turn are answered "ok"; after the last turn it says "done".
    """

    def __init__(self, turns: Iterable[Turn]) -> None:
        self.told: list[str] = []
        """The texts that the model received after its first turn, each once, in order.
        """
        self.offered: dict[str, list[str]] = {}
        """The tools of the first turn, with the names of their arguments."""
        self.turns = 0
        """How many turns were asked for."""
        self._script = iter(turns)
        self._before: set[str] = set()
        self._lock = threading.Lock()

    def answer(self, path: str, body: dict[str, Any]) -> tuple[str, bytes] | None:
        """Return the content type and bytes for one request; None where no wire serves
        it.
        """
        wire = next((wire for wire in WIRES if wire.serves(path)), None)
        if wire is None:
            return None
        if self.turns and wire.is_turn(path, body):
            time.sleep(PAUSE)
        with self._lock:
            turn = Turn("ok")
            if wire.is_turn(path, body):
                if not self.turns:
                    self.offered = _named(wire.offered(body))
                turn = self._turn(wire.told(body))
            return wire.answer(path, body, turn, self.turns)

    def _turn(self, told: Iterator[str]) -> Turn:
        new = [text for text in told if text not in self._before]
        self._before.update(new)
        if self.turns:
            self.told.extend(new)
        self.turns += 1
        return next(self._script, Turn("done"))


def _named(tools: Iterable[tuple[str, Any]]) -> dict[str, list[str]]:
    """Return the tools by name, each with its arguments: `files[].path` is in each of
    a list.
    """
    return {name: sorted(set(_arguments(schema))) for name, schema in sorted(tools)}


def _arguments(schema: Any) -> Iterator[str]:
    for name, each in (schema or {}).get("properties", {}).items():
        inner = [*_inner(each, name)]
        yield from inner or [name]


def _inner(schema: Any, name: str) -> Iterator[str]:
    """Yield the arguments in an argument, which is an object or a list of them."""
    if not isinstance(schema, dict):
        return
    for choice in ("anyOf", "oneOf", "allOf"):
        for each in schema.get(choice, ()):
            yield from _inner(each, name)
    for each in _arguments(schema):
        yield f"{name}.{each}"
    if "items" in schema:
        yield from _inner(schema["items"], f"{name}[]")


@contextmanager
def serving(turns: Iterable[Turn]) -> Iterator[tuple[Model, str]]:
    """Serve a model while the block runs; give it and its URL."""
    model = Model(turns)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(model))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield model, f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def _handler(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Stay quiet: the output is the test's."""

        def do_POST(self) -> None:
            body = json.loads(self._body() or b"{}")
            found = model.answer(self.path.split("?")[0], body)
            self._send(*found) if found else self._send("application/json", b"{}", 404)

        def do_GET(self) -> None:
            self._send("application/json", b"{}", 404)

        def do_HEAD(self) -> None:
            self.do_GET()

        def _body(self) -> bytes:
            if "chunked" not in self.headers.get("Transfer-Encoding", "").lower():
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            chunks = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                chunks.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(chunks)

        def _send(self, kind: str, data: bytes, status: int = 200) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

    return Handler
