"""The record of one interception: its fields, its JSON, and what it must never contain.

It must not know files or hosts. docs/events.md has the docstrings of kinds and fields.
"""

from __future__ import annotations

import math
import os
import re
import time as clock

from truepath import TYPE_CHECKING, Late, __version__
from truepath.errors import OutOfPatienceError
from truepath.fields import dumps, loads
from truepath.records import as_kind, dataclass
from truepath.types import Any, Decision, PathArgument, Resolution, ToolCall

if TYPE_CHECKING:
    import datetime as dt
else:
    dt = Late("datetime")

SCHEMA = 2
"""Increased when a field is removed or changes its meaning, not for a new field."""

KINDS = (
    "path.corrected path.assumed path.refused path.absent path.advised path.observed "
    "path.ended path.followed "
    "check.ranged check.corrected check.refused check.advised check.observed "
    "strategy.shift store.failed guard.failed journal.tried"
).split()
"""Every kind of event, and when it is written.

- `path.corrected`: a call was answered with another path in place of a wrong one; how
it ended is in a `path.ended`
- `path.assumed`: the same with the likely file, for a call that only reads, with a note
- `path.refused`: the call was refused, with candidates or the cause
- `path.absent`: the call was refused without candidates
- `path.advised`: the call went on, or had failed, and the agent was told where to look
- `path.observed`: a path was missing, and nothing was told
- `path.ended`: how a call ended that was corrected: `end` and `of`
- `path.followed`: what the next call on that name was about, after an answer that named
one file: `end` and `of`
- `check.ranged`: a file was larger than its program reads at once, and a part of it was
read
- `check.corrected`: an edit ran with the line ends of its file
- `check.refused`: the same, and the call was refused; or a command whose folder lacks
what it needs
- `check.advised`: a call had failed on the contents or the size of a file, or on what
its folder lacks, and the agent was told
- `check.observed`: the same, and nothing was told
- `strategy.shift`: the agent was told to stop and look first
- `store.failed`: the store of sessions cannot be used
- `guard.failed`: an error in truepath or in `on_event`, or an answer that took too
long; the call went on unchanged
- `journal.tried`: `truepath doctor` wrote this event and read it back
"""

_LONGEST_NAME = 200
_LONGEST_PATH = 1024
_LAST = 16_725_225_600.0
"""The year 2500, in seconds since the epoch; later times count as invalid."""
_MOST_PATHS = 16
"""Paths in one list."""

# Not compiled, because hardly any text has one of the marks.
_SECRETS = (
    r"(?<=://)[^/@\s]+(?=@)"
    r"|(?<![A-Za-z0-9])(?:sk-[A-Za-z0-9]{20,}|sk-(?:ant|proj|svcacct)-[\w-]{16,}"
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"
    r"|xox[abprs]-[\w-]{10,}"
    r"|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"
    r"|(?i:(?<=token=)|(?<=secret=)|(?<=password=)|(?<=passwd=)|(?<=key=)"
    r"|(?<=bearer ))[^/&\s]+"
)
"""Credentials in URLs, tokens by their issuers' published prefixes, and named
values."""
_SECRET_MARKS = (
    "://",
    "=",
    "bearer ",
    "sk-",
    *(f"gh{kind}_" for kind in "pousr"),
    "github_pat_",
    "glpat-",
    "xox",
    "akia",
    "aiza",
    "eyj",
)
"""One of them is in every text with a secret, in lower case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One interception.

    Texts are cleaned: names are one short line; paths end at a line break (what follows
    is content) and have credentials masked.
    """

    event: str
    """One of `KINDS`."""
    time: float
    """Seconds since the epoch; in JSON UTC with milliseconds,
    `2026-11-21T20:51:03.120Z`."""
    id: str = ""
    """Unique, and sorts by time; made from it when not given."""
    host: str = ""
    """The agent program or framework."""
    project: str = ""
    """The root, absolute."""
    session: str = ""
    """The conversation."""
    agent: str = ""
    """The sub-agent, if there is one."""
    turn: str = ""
    """The model's turn, if the host names it; for wrapped async functions, parallel
    calls."""
    call_id: str = ""
    """The host's identifier of the call."""
    tool: str = ""
    """The tool's name, as the agent called it."""
    operation: str = ""
    """What was to be done to the path: read, list, search, edit, write, copy, move,
    delete, ..."""
    argument: str = ""
    """The name of the argument that held the path."""
    index: int | None = None
    """Its position in an argument that is a list; its offset in a command."""
    requested: str = ""
    """The path as the agent wrote it."""
    replacement: str = ""
    """The path that replaced it."""
    target: str = ""
    """Where the written path points, relative to the root if inside it; what was
    used."""
    resolved: str = ""
    """The file that was meant, relative to the root."""
    status: str = ""
    """Of the resolution: exists, resolved, likely, ambiguous, absent, outside or
    directory."""
    policy: str = ""
    """The policy in force."""
    of: str = ""
    """The id of the event that this one ends."""
    end: str = ""
    """How a corrected call ended: ran, failed (on the new path), dropped (it ran as
    written), declined (by the person); without it, that is not known. Of what followed:
    took (the file that was named), other (one that is there), again (one that is
    missing)."""
    confidence: float | None = None
    """The probability, from 0 to 1, that the best candidate was meant."""
    reason: str = ""
    """Why it is a candidate: a row of the table of reasons; of a `check`, its row."""
    held_back: tuple[str, ...] = ()
    """The rows that held the best candidate back, of the tables of what holds one
    back."""
    candidates: tuple[str, ...] = ()
    """The candidates that were named, best first."""
    streak: int = 0
    """Consecutive turns that missed on one aim, including this one."""
    level: int = 0
    """1: a first miss; 2: the answer says to look first; 3: changes are refused until
    it does."""
    elapsed_us: int | None = None
    """How long the call waited for truepath, in microseconds; for a hook, since its
    start."""
    names: int | None = None
    """How many names were searched."""
    history: bool = False
    """Whether the repository's history was searched."""
    cut_short: bool = False
    """Whether a limit stopped the search."""
    error: str = ""
    """For an error, its type and place in the code; for a store, its place and the
    error."""
    version: str = ""
    """For an error, the version of truepath."""

    def __post_init__(self) -> None:
        """Clean every text, so that no secrets are recorded."""
        put = object.__setattr__
        for name, kind in Event.__annotations__.items():
            if kind == "str" and (given := getattr(self, name)):
                text = redacted(given)
                put(self, name, text if name in _PATHS else text[:_LONGEST_NAME])
        put(self, "candidates", tuple(map(redacted, self.candidates[:_MOST_PATHS])))
        # Milliseconds, so that ids sort; 48 random bits, so that processes do not
        # collide.
        new_id = f"{max(0, int(self.time * 1000)):011x}{os.urandom(6).hex()}"
        put(self, "id", self.id or new_id)

    def to_json(self) -> str:
        """Return the event as one line of ASCII JSON, without fields that have their
        default.
        """
        data: dict[str, Any] = {"schema": SCHEMA, "id": self.id, "event": self.event}
        data["time"] = _stamp(self.time)
        for name in Event.__annotations__:
            value = getattr(self, name)
            if isinstance(value, float):
                # JSON has no infinity, and `jq` rejects what Python writes for it.
                value = round(value, 4) if math.isfinite(value) else None
            if name not in data and value != getattr(_BLANK, name):
                data[name] = value
        return dumps(data)

    @classmethod
    def from_json(cls, text: str | bytes) -> Event:
        """Return the event of a line that `to_json` wrote; unknown fields are ignored.

        Raises:
            ValueError: The line is not an event, or has a later schema.
        """
        try:
            data = loads(text.decode() if isinstance(text, bytes) else text)
            if not 0 < data["schema"] <= SCHEMA:
                raise ValueError(f"an event of schema {data['schema']!r}, not {SCHEMA}")
            fields: dict[str, Any] = {
                name: as_kind(kind, data[name])
                for name, kind in cls.__annotations__.items()
                if name in data and name != "time"
            }
            return cls(**fields, time=_moment(data["time"]))
        except (KeyError, TypeError, RecursionError, OverflowError) as error:
            raise ValueError(f"not an event: {error}") from error


_PATHS = frozenset({"project", "requested", "replacement", "target", "resolved"})


def event_of(kind: str, call: ToolCall, **fields: Any) -> Event:
    """Return the event of a call, without its arguments, which may be secret."""
    names = ("host", "session", "agent", "turn", "call_id", "tool")
    of_call = {name: getattr(call, name) for name in names}
    if kind == "guard.failed":
        fields["version"] = __version__
    return Event(event=kind, time=clock.time(), **of_call, **fields)


def of_path(argument: PathArgument, resolution: Resolution) -> dict[str, Any]:
    """Return the fields for one path of a call."""
    searched = resolution.searched
    # What was used, else what was named first.
    best = next(
        (used for used in resolution.candidates if used.path == resolution.path),
        next(iter(resolution.candidates), None),
    )
    return {
        "argument": argument.argument,
        "index": argument.index,
        "operation": resolution.operation,
        "requested": resolution.written,
        "target": resolution.target,
        "resolved": resolution.path or "",
        "status": resolution.status,
        "reason": best.reason if best else "",
        "confidence": best.confidence if best else None,
        "held_back": resolution.held_back,
        "names": searched.names or None,
        "history": searched.history,
        "cut_short": searched.cut_short,
    }


def kind_of(decision: Decision, resolution: Resolution) -> str:
    """Return the kind of event of a decision about a path."""
    if decision.action == "rewrite":
        return "path.assumed" if resolution.status == "likely" else "path.corrected"
    if decision.action == "refuse":
        return "path.absent" if resolution.status == "absent" else "path.refused"
    return "path.advised" if decision.text else "path.observed"


def failure_of(error: BaseException) -> str:
    """Return an exception's type and place; its message may quote secrets. Of an answer
    that took too long, only what it had is of use.
    """
    if isinstance(error, OutOfPatienceError):
        return str(error)
    place = ""
    trace = error.__traceback__
    while trace is not None:
        name = os.path.basename(trace.tb_frame.f_code.co_filename)
        place = f" at {name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__}{place}"


def redacted(path: str) -> str:
    """Return a path fit for the journal: one line, bounded, credentials masked."""
    line = path.partition("\n")[0].partition("\r")[0]
    lower = line.lower()
    clean = line
    if any(mark in lower for mark in _SECRET_MARKS):
        clean = re.sub(_SECRETS, "***", line)
    if len(clean) > _LONGEST_PATH:
        return clean[: _LONGEST_PATH - 1] + "…"
    return clean if line == path else f"{clean}…"


def is_whole(recorded: str) -> bool:
    """Return whether `redacted` kept all of a path."""
    return "***" not in recorded and not recorded.endswith("…")


def _stamp(now: float) -> str:
    milliseconds = round(now * 1000)
    date = clock.strftime("%Y-%m-%dT%H:%M:%S", clock.gmtime(milliseconds // 1000))
    return f"{date}.{milliseconds % 1000:03d}Z"


def _moment(value: Any) -> float:
    moment = dt.datetime.fromisoformat(
        as_kind("str", value).replace("Z", "+00:00")
    ).timestamp()
    if not 0 <= moment < _LAST:
        raise ValueError("the time is out of range")
    return moment


_BLANK = Event(event="", time=0.0)
"""The defaults of all fields."""
