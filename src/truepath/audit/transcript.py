"""A transcript as a list of tool calls with their answers, and helpers that readers
share.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import IO, TYPE_CHECKING, Any

from truepath.calls.paths import Mention
from truepath.config.files import opener
from truepath.fields import field as field_of
from truepath.fields import line_of, table, tables, text
from truepath.types import ToolCall

if TYPE_CHECKING:  # a Python may lack it
    from sqlite3 import Connection

Record = Mapping[str, Any]
"""A JSON object of a transcript; a list becomes one with `messages`."""

Records = Iterable[Record]

Homes = tuple[tuple[str, str, str], ...]
"""Where a program keeps transcripts: the variable that overrides its folder or "", the
folder, and a pattern of files below it."""

LONGEST_LINE = 1 << 26
"""Bytes of a line or of a message in a database, at most; a line with several
screenshots has a tenth of that."""

LARGEST_VALUE = 1 << 28
"""Bytes of a file that is one JSON value, at most."""

BAD = object()
"""The value for invalid JSON."""

LONGEST_ANSWER = 100_000
"""Characters of an answer that are kept, as in `error_texts`."""


@dataclass(frozen=True, slots=True)
class Named:
    """One path that a call named."""

    mention: Mention
    target: str
    """Where it points on the agent's machine: normalised, absolute if that is known."""
    missed: bool
    there: bool
    """Whether the answer shows that it exists or was created."""

    @property
    def makes(self) -> bool:
        """Whether the call creates it."""
        return self.mention.argument.operation in ("write", "mkdir")


@dataclass(slots=True, kw_only=True)
class Call:
    """One tool call and its result."""

    id: str
    """The program's id; empty if the format has none."""
    tool: str
    arguments: Mapping[str, Any]
    cwd: str = ""
    """The agent's working directory, absolute; empty if unknown."""
    turn: int
    """The number of the model's turn, from 1; parallel calls share it."""
    time: float | None = None
    """Seconds since the epoch, or since the session's start if a format has no
    dates."""
    answered: float | None = None
    answer: str | None = None
    """The tool's answer; None if the transcript has none."""
    failed: bool | None = None
    """Whether the call failed according to the program; None if it does not tell."""
    model: str = ""
    content: str | None = None
    """The whole text of the call's file after it, if the program recorded that."""
    prompted: bool = False
    """Whether the user typed something since the call before."""
    paths: Sequence[Named] = ()
    """What `misses.named` found in it."""

    @property
    def asked(self) -> ToolCall:
        """The call as the guard would see it."""
        return ToolCall(self.tool, self.arguments, cwd=self.cwd or None)


@dataclass(slots=True)
class Transcript:
    """One session as an agent program recorded it; a reader fills it."""

    format: str = ""
    """The reader's name; empty for an unknown format."""
    session: str = ""
    model: str = ""
    cwd: str = ""
    """Where it began; meanwhile, where the agent is."""
    commit: str = ""
    """The commit that was checked out when the session began."""
    calls: list[Call] = field(default_factory=list)
    tokens: dict[int, int] = field(default_factory=dict)
    """Turn -> uncached tokens."""
    bad_lines: int = 0
    """Lines that are not JSON; a truncated last line is normal."""
    _by_id: dict[str, Call] = field(default_factory=dict)
    _turns: dict[str, int] = field(default_factory=dict)
    _turn: tuple[int, str | None] = (0, None)
    _answered: bool = True
    _prompted: bool = False

    def about(
        self, *, session: str = "", model: str = "", cwd: str = "", commit: str = ""
    ) -> None:
        """Set what is not empty."""
        self.session = session or self.session
        self.model = model or self.model
        self.cwd = cwd or self.cwd
        self.commit = commit or self.commit

    def call(
        self,
        call_id: str,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        time: float | None = None,
        turn: str = "",
    ) -> Call:
        """Add a call; a second one with the same id replaces the first.

        If the model's turn has no name, a call after an answer begins a new one.
        """
        earlier = self._by_id.get(call_id) if call_id else None
        if earlier is not None:
            # A program that streams writes a call before its arguments are whole.
            earlier.tool = tool or earlier.tool
            earlier.arguments = arguments or earlier.arguments
            return earlier
        count, last = self._turn
        if turn != last or (not turn and self._answered):
            count += 1
        self._turn = (count, turn)
        self._turns[turn] = count
        call = Call(
            id=call_id,
            tool=tool,
            arguments=arguments,
            cwd=self.cwd,
            turn=count,
            time=time,
            model=self.model,
            prompted=self._prompted,
        )
        self._answered = self._prompted = False
        self.calls.append(call)
        if call_id:
            self._by_id[call_id] = call
        return call

    def answer(
        self,
        of: str | Call,
        said: str,
        *,
        failed: bool | None = None,
        time: float | None = None,
    ) -> None:
        """Add the answer to a call, given by its id or itself; ignore one to an unknown
        call.
        """
        self._answered = True
        call = self._by_id.get(of) if isinstance(of, str) else of
        if call is not None:
            call.answer = said[:LONGEST_ANSWER]
            call.failed = failed
            call.answered = time

    def shown(self, of: str, content: str | None) -> None:
        """Add the text that the file of a call has after it, if it is known and not too
        long to be kept.
        """
        call = self._by_id.get(of)
        if call is not None and len(content or "") <= LONGEST_ANSWER:
            call.content = content

    def forget(self, call_id: str) -> None:
        """Take a call out that was never run; ignore an unknown one."""
        call = self._by_id.pop(call_id, None)
        if call is not None:
            self.calls.remove(call)

    def used(self, tokens: int, turn: str = "") -> None:
        """Count uncached tokens: the last count of a named turn, else the sum. Less
        than 0, where a program counts more as cached than as read, is 0.
        """
        tokens = max(0, tokens)
        if not turn:
            self.tokens[self._turn[0]] = self.tokens.get(self._turn[0], 0) + tokens
        elif turn in self._turns:
            self.tokens[self._turns[turn]] = tokens

    def prompt(self) -> None:
        self._prompted = True

    def uses(
        self, message: Mapping[str, Any], *, turn: str, time: float | None
    ) -> list[Call]:
        """Add the calls among a message's blocks, as in Anthropic's API."""
        return [
            self.call(
                text(block, "id"),
                text(block, "name"),
                table(block, "input"),
                time=time,
                turn=turn,
            )
            for block in tables(message, "content")
            if block.get("type") == "tool_use"
        ]


def results(message: Mapping[str, Any]) -> Iterator[tuple[str, str, bool | None]]:
    """Yield id, text and failure of the answers among a message's blocks (Anthropic's
    API).
    """
    for block in tables(message, "content"):
        if block.get("type") == "tool_result":
            failed = block.get("is_error") is True or None
            yield text(block, "tool_use_id"), plain(block.get("content")), failed


def when(value: object) -> float | None:
    """Convert an ISO date, seconds or milliseconds to seconds since the epoch."""
    if isinstance(value, str):
        try:
            date = datetime.fromisoformat(value.replace("Z", "+00:00"))
            if date.tzinfo is None:
                date = date.replace(tzinfo=timezone.utc)
            return date.timestamp()
        except (ValueError, OverflowError, OSError):
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if not 0 < value < 1e15:
        return None
    # As seconds, 1e11 is the year 5138; as milliseconds, 1973.
    return float(value / 1000 if value > 1e11 else value)


def columns(database: Connection, table: str) -> frozenset[str]:
    """Return the names of a table's columns; none if there is no such table."""
    rows = database.execute("SELECT name FROM pragma_table_info(?)", (table,))
    return frozenset(name for (name,) in rows)


def number(entry: Mapping[str, Any], *keys: str) -> int:
    """Return the sum of the counts under `keys`; anything else counts as 0."""
    counts = (field_of(entry, key) for key in keys)
    return sum(int(n) for n in counts if isinstance(n, (int, float)) and 0 <= n < 1e12)


def plain(content: object) -> str:
    """Return an answer's text: a text, blocks with `text`, or an object's texts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, map(plain, content)))
    if isinstance(content, dict):
        keys = ("error", "output", "text", "content", "result")
        texts = (content.get(key) for key in keys)
        return "\n".join(text for text in texts if isinstance(text, str) and text)
    return ""


def arguments(value: object) -> Mapping[str, Any]:
    """Return a call's arguments, which may be JSON text."""
    if isinstance(value, str):
        return line_of(value)
    return value if isinstance(value, dict) else {}


def json_in(data: bytes) -> Any:
    """Return the JSON value in bytes, or `BAD`."""
    try:
        return json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return BAD


def opened(path: str) -> IO[bytes]:
    """Open a regular file for reading; raise OSError for any other, as a pipe would
    block.
    """
    return open(path, "rb", opener=opener)
