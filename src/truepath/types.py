"""The words everything else speaks: tool calls, paths, resolutions, decisions.

Types only. This module imports nothing of truepath and must not know hosts, disks or policies.
"""

from __future__ import annotations

from truepath.records import dataclass, field

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    Operation = Literal[
        "read", "list", "search", "edit", "write", "copy", "move", "delete", "mkdir", "execute"
    ]
    Kind = Literal["file", "folder", "any"]
    EntryKind = Literal["file", "folder"] | None
    Status = Literal["exists", "resolved", "likely", "ambiguous", "absent", "outside", "directory"]
    Action = Literal["allow", "rewrite", "refuse", "advise"]
    Permit = Literal["corrected", "recover", "assumed", "named"]
else:
    Operation = Kind = EntryKind = Status = Action = Permit = str
"""
- `Operation`: what is done to one path. `copy` and `move` name the source; their destination is a
  `write`.
- `Kind`: what a path must be for the operation to make sense.
- `EntryKind`: what exists at a path; None where nothing does.
- `Status`: what is true of a written path (see `Resolution.status`).
- `Permit`: what may be done with the first candidate: use it; use it under the policy `recover`;
  show it to a call that only looks; name it.
"""

OPERATION_KINDS: Mapping[str, Kind] = {
    "read": "file",
    "list": "folder",
    "search": "any",
    "edit": "file",
    "write": "file",
    "copy": "any",
    "move": "any",
    "delete": "any",
    "mkdir": "folder",
    "execute": "file",
}
"""The kind an operation expects when the caller does not say."""

READS: frozenset[Operation] = frozenset({"read", "list", "search"})
"""Operations that look at a path and do nothing else."""

STRICTNESS: Mapping[str, int] = {
    **dict.fromkeys(("read", "list", "search"), 0),
    "copy": 1,
    "execute": 2,
    "move": 3,
    **dict.fromkeys(("edit", "write", "mkdir"), 4),
    "delete": 5,
}
"""How strict each operation is, from what only looks to what cannot be undone."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool as an agent emits it."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    session: str = ""
    """The conversation; misses are counted per session and agent."""
    agent: str = ""
    """The sub-agent inside the session, where the host names one."""
    cwd: str | None = None
    """The agent's working directory, absolute or relative to the project root."""
    host: str = ""
    """Who asks: an agent program or a framework; recorded, never decided on."""
    call_id: str = ""
    turn: str = ""
    """The model turn; parallel calls of one turn share it."""
    prompt: str = ""
    """What the user typed, where known: a path named there is an order, not a guess."""
    approved: bool = False
    """Whether a person has approved these very arguments: a wrong path in them is refused with the
    right one, never corrected, so that the person sees what runs."""
    search_tools: tuple[str, ...] = ()
    """What the model can list and search with, by the names that it knows: answers name
    them. None where that is not known."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a tool call."""

    error: str | None = None
    """The tool's error text, or None when it succeeded."""
    output: str | None = None


@dataclass(frozen=True, slots=True)
class PathArgument:
    """One path inside a call's arguments."""

    argument: str
    """The argument's name, for example `file_path`."""
    written: str
    """The path exactly as the agent wrote it."""
    operation: Operation
    kind: Kind = "any"
    index: int | None = None
    """The position, when the argument is a list of paths."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a tool call says about the contents of a file that it names."""

    texts: tuple[str, ...] = ()
    """Texts that the file holds, such as the text that an edit replaces. They are compared line by
    line, without indentation."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An existing path that may be meant."""

    path: str
    """Relative to the project root, with `/`."""
    confidence: float
    """The probability, 0 to 1, that this path was meant."""
    reason: str = ""
    """The name of its row in the table of reasons (`truepath.resolve.reasons`)."""
    why: str = ""
    """Why it may be meant, a clause for people: `same name, other extension, same folder`."""
    folder: bool = False


DANGLING = "a link that leads nowhere"
PATTERN = "a pattern, which is no path"
NOT_SEARCHED = frozenset({DANGLING, PATTERN})
"""Notes on a path that is absent for a plain reason, so that nothing was searched for it."""


@dataclass(frozen=True, slots=True)
class Searched:
    """How far a search went."""

    names: int = 0
    """How many names were looked at."""
    history: bool = False
    """Whether the history of the repository was read in time."""
    cut_short: bool = False
    """Whether a limit stopped the search: then nothing is unique and nothing is absent."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """What is true of one written path."""

    written: str
    status: Status
    """
    - `exists`: it is there as written.
    - `resolved`: one candidate, which may be used in its place.
    - `likely`: one candidate, which may be shown to a call that only looks.
    - `ambiguous`: there are candidates, and none may be used under the default policy.
    - `absent`: nothing in the searched names is what was asked for.
    - `outside`: it lies outside the project, and nothing inside is meant.
    - `directory`: a folder exists where a file is meant, or the reverse.
    """
    operation: Operation
    path: str | None = None
    """Relative to the root with `/`; set when the status is `exists`, `resolved` or `likely`."""
    candidates: tuple[Candidate, ...] = ()
    """Best first: those of 0.05 or more; where none has it, those of the very name."""
    searched: Searched = Searched()
    target: str = ""
    """Where the written path points, relative to the root where inside it, else absolute."""
    note: str = ""
    """One clause of plain fact, for example `deleted in 1a2b3c4`; of a `directory` the kind
    that exists, `file` or `folder`."""
    outside: bool = False
    """Whether the written path points outside the project: then what lies inside may be looked at
    in its place, and is never changed, run or made."""
    permits: Permit = "named"
    """What may be done with the first candidate."""

    def to_dict(self) -> dict[str, Any]:
        """Return the resolution as JSON-ready data."""
        candidates = [_values(each) for each in self.candidates]
        return {**_values(self), "candidates": candidates, "searched": _values(self.searched)}


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do with a tool call."""

    action: Action
    arguments: Mapping[str, Any]
    """The whole arguments to run with: rewritten, or as they came."""
    text: str = ""
    """What the agent should read; empty means say nothing."""
    payload: Mapping[str, Any] | None = None
    """The same as data, with a versioned schema; None when there is nothing to say."""
    shift: bool = False
    """Whether the text carries a strategy shift."""
    repeated: bool = False
    """Whether the text was the answer before this same call ran: a host that passed it on then
    need not say it again."""
    resolutions: Sequence[Resolution] = ()


def _values(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in type(record).__annotations__}
