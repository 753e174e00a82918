"""A transcript as a list of steps: every tool call with its answer, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import chain
from typing import Any

from truepath.audit.readers import Reader, reader_of
from truepath.audit.readers.items import About, Answer, Call, Item, Prompt, Usage
from truepath.audit.sources import Bad, Source, records
from truepath.audit.stores import inside, opened, parent

HEAD = 200
"""Records that are looked at to recognise a format: summaries and settings may come first."""

LONGEST_ANSWER = 100_000
"""Characters of an answer that are kept, as many as `error_texts` reads."""

_TOLD = 20
"""Bad lines that are told by their number."""


_ABOUT = tuple(column.name for column in fields(About))


@dataclass(slots=True, kw_only=True)
class Step:
    """One tool call and what came of it."""

    id: str
    tool: str
    arguments: Mapping[str, Any]
    cwd: str
    """The agent's working directory, absolute; empty where the format does not tell."""
    turn: int
    """Which of the model's turns made it, counted from 1; parallel calls share it."""
    time: float | None = None
    answered: float | None = None
    answer: str | None = None
    """What the tool said; None where the transcript has no answer."""
    failed: bool | None = None
    prompted: bool = False
    """Whether the user typed something since the call before."""


@dataclass(slots=True, kw_only=True)
class Transcript:
    """One session as an agent program recorded it."""

    format: str = ""
    """The reader's name; empty where no format was recognised."""
    about: About = field(default_factory=About)
    steps: list[Step] = field(default_factory=list)
    tokens: dict[int, int] = field(default_factory=dict)
    """Tokens that came from no cache, by turn."""
    lines: int = 0
    bad: int = 0
    """Lines that are no JSON. That the last one was cut is normal."""
    bad_lines: tuple[int, ...] = ()
    """The numbers of the first of them."""


def read(source: Source) -> Transcript:
    """Read a transcript of any known format.

    Raises:
        OSError: it cannot be read.
    """
    found = Transcript()
    values = _counted(records(source), found)
    head: list[Any] = []
    reader: Reader | None = None
    for value in values:
        head.append(value)
        reader = reader_of(value)
        if reader is not None or len(head) == HEAD:
            break
    if reader is None:
        return found
    found.format = reader.NAME
    _assemble(reader.read(chain(head, values)), found)
    if not found.about.cwd:
        found.about = replace(found.about, cwd=_project_root(source.path))
    return found


def _counted(values: Iterable[Any], found: Transcript) -> Iterator[Any]:
    for value in values:
        found.lines += 1
        if isinstance(value, Bad):
            found.bad += 1
            found.bad_lines = (*found.bad_lines, value.line)[:_TOLD]
        else:
            yield value


def _project_root(path: str) -> str:
    """Return the project that Gemini CLI notes two folders above a session; "" where none is."""
    try:
        with opened(inside(parent(parent(path)), ".project_root")) as file:
            return file.read(4096).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _assemble(items: Iterable[Item], found: Transcript) -> None:
    """Join calls with their answers, and count turns where the format does not."""
    session, last = _Session(found), About()
    for item in items:
        if isinstance(item, Call):
            session.call(item)
        elif isinstance(item, Answer):
            session.answer(item)
        elif isinstance(item, About):
            if item != last:  # most formats say it again with every record
                found.about, last = _joined(found.about, item), item
        elif isinstance(item, Usage):
            session.used(item)
        elif isinstance(item, Prompt):
            session.prompted = True


class _Session:
    """A transcript on the way through its items."""

    def __init__(self, found: Transcript) -> None:
        self.found = found
        self.prompted = False
        self._by_id: dict[str, Step] = {}
        self._turns: dict[str, int] = {}
        self._named: str | None = None
        self._turn = 0
        self._answered = True

    def call(self, call: Call) -> None:
        known = self._by_id.get(call.id) if call.id else None
        if known is not None:
            known.tool, known.arguments = call.tool or known.tool, call.arguments or known.arguments
            return
        step = Step(
            id=call.id,
            tool=call.tool,
            arguments=call.arguments,
            cwd=self.found.about.cwd,
            turn=self._turn_of(call),
            time=call.time,
            prompted=self.prompted,
        )
        self.prompted = False
        self.found.steps.append(step)
        if call.id:
            self._by_id[call.id] = step

    def answer(self, answer: Answer) -> None:
        self._answered = True
        step = self._by_id.get(answer.id)
        if step is not None:
            step.answer = answer.text[:LONGEST_ANSWER]
            step.failed, step.answered = answer.failed, answer.time

    def used(self, usage: Usage) -> None:
        if not usage.turn:
            self.found.tokens[self._turn] = self.found.tokens.get(self._turn, 0) + usage.tokens
        elif usage.turn in self._turns:
            self.found.tokens[self._turns[usage.turn]] = usage.tokens

    def _turn_of(self, call: Call) -> int:
        """Return the call's turn: a call that comes after an answer begins a new one."""
        if call.turn != self._named or (not call.turn and self._answered):
            self._turn += 1
        self._named, self._answered = call.turn, False
        if call.turn:
            self._turns[call.turn] = self._turn
        return self._turn


def _joined(known: About, new: About) -> About:
    given = ((name, getattr(new, name)) for name in _ABOUT)
    changes = {name: value for name, value in given if value and value != getattr(known, name)}
    return replace(known, **changes) if changes else known
