"""The types that every room shares: tool calls, paths, resolutions, decisions.

It must not know hosts, disks or policies. `Any` is here for annotations, because
importing `typing` would cost a hook 5 ms. Modules that load even if a path exists do
not import this one, nor `collections.abc`: they import both for type checkers alone.
"""

from __future__ import annotations

import sys

from truepath import TYPE_CHECKING
from truepath.records import dataclass, field, values

# In a program that uses the public names, `truepath` has imported `typing`: there the
# closed sets are what they say, for `get_type_hints` and for what makes schemas.
if TYPE_CHECKING or "typing" in sys.modules:
    from collections.abc import Mapping, Sequence
    from typing import Any as Any  # noqa: PLC0414  re-exported
    from typing import Literal

    Operation = Literal[
        "read",
        "list",
        "search",
        "edit",
        "write",
        "copy",
        "move",
        "delete",
        "mkdir",
        "execute",
    ]
    Effect = Literal[
        "look",
        "edit",
        "line-ends",
        "copy",
        "move",
        "make",
        "in-place",
        "run",
        "delete",
        "other",
    ]
    Kind = Literal["file", "folder", "any"]
    EntryKind = Literal["file", "folder"] | None
    Status = Literal[
        "exists", "resolved", "likely", "ambiguous", "absent", "outside", "directory"
    ]
    Action = Literal["allow", "rewrite", "refuse", "advise"]
    Permit = Literal["corrected", "recover", "assumed", "named"]
    Cause = Literal[
        "",
        "empty",
        "nul",
        "too-long",
        "exists",
        "protected",
        "hidden",
        "file",
        "folder",
        "dangling",
        "pattern",
        "kept",
        "sparse",
        "conflict",
        "submodule",
        "not-installed",
        "not-made",
        "beside",
        "several",
        "blanks",
        "backslashes",
        "file-above",
        "null-device",
        "home",
        "history",
        "ignored",
        "ignored-unknown",
        "other-repository",
        "marked-wrong",
    ]
else:
    Any = object
    Operation = Effect = Kind = EntryKind = Status = Action = Permit = Cause = str
"""
- `Operation`: what is done to one path. `copy` and `move` name the source; their
  destination is a `write`.
- `Effect`: what a whole call does, or a part of it; `truepath.guard.effects` has the
  table.
- `Kind`: what the operation needs at the path.
- `EntryKind`: what exists at a path; None for nothing.
- `Status`: see `Resolution.status`.
- `Permit`: what may be done with the first candidate: use it; use it under the policy
  `recover` only; show it to a call that only looks; name it.
- `Cause`: see `Resolution.cause`.
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
"""The kind that an operation needs unless the caller gives one."""

READS: frozenset[Operation] = frozenset({"read", "list", "search"})
"""Operations that only look at a path."""

MAKES: frozenset[Operation] = frozenset({"write", "mkdir"})
"""Operations that may create a path."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call as an agent emits it."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    session: str = ""
    """The id of the conversation; misses are counted per session and agent."""
    agent: str = ""
    """The sub-agent inside the session, where the host names one."""
    cwd: str | None = None
    """The agent's working directory, absolute or relative to the project root."""
    host: str = ""
    """The agent program or framework; recorded, without effect on the decision."""
    call_id: str = ""
    turn: str = ""
    """The id of the model turn, which its parallel calls share."""
    prompt: str = ""
    """What the user typed, if known: a path named there is an instruction, not a
    guess."""
    approved: bool = False
    """Whether a person approved exactly these arguments: a wrong path in them is
    refused with the right one and never corrected, so that the person sees what
    runs."""
    known_as: str = ""
    """The name that the model has for the tool, if it is not `tool`; answers name
    it."""
    search_tools: tuple[str, ...] = ()
    """The names of the tools that the model can list and search with; answers name
    them. Empty if unknown."""


@dataclass(frozen=True, slots=True)
class ReadLimit:
    """How a tool reads a file that is too large for it."""

    whole: int
    """Bytes of the largest file that it reads whole."""
    part: int
    """Bytes, or tokens, of lines that it surely shows of a larger one."""
    argument: str
    """The argument that asks for these: their number, or a `..range`."""
    in_tokens: bool = False
    override: str = ""
    """The argument with which it reads all the same; "" for none."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a tool call."""

    error: str | None = None
    """The tool's error text, or None when it succeeded."""
    output: str | None = None
    declined: bool = False
    """Whether a person refused the call, so that it did not run."""


@dataclass(frozen=True, slots=True)
class PathArgument:
    """One path inside a call's arguments."""

    argument: str
    """The name of the argument, for example `file_path`."""
    written: str
    """The path exactly as the agent wrote it."""
    operation: Operation
    kind: Kind = "any"
    index: int | None = None
    """The position in an argument that is a list of paths."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An existing path that the written one may mean."""

    path: str
    """Relative to the root, with `/`."""
    confidence: float
    """The probability, from 0 to 1, that this path was meant."""
    reason: str = ""
    """Its row in the table of reasons (`truepath.resolve.reasons`)."""
    why: str = ""
    """The reason in words: `other extension`."""
    folder: bool = False


KEPT: frozenset[Cause] = frozenset({"kept", "sparse", "conflict", "submodule"})
"""Causes of a path that git has and the disk has not."""

NOT_SEARCHED: frozenset[Cause] = KEPT | frozenset(
    {"dangling", "pattern", "not-installed", "not-made", "beside"}
)
"""Causes of an absent path for which nothing was searched."""


@dataclass(frozen=True, slots=True)
class Searched:
    """How far a search went."""

    names: int = 0
    """How many names were searched."""
    history: bool = False
    """Whether the repository's history was read in time, and has no other path of that
    name."""
    cut_short: bool = False
    """Whether a limit stopped the search: then no candidate counts as unique, no path
    as absent."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """What is known about one written path."""

    written: str
    status: Status
    """
    - `exists`: it exists as written.
    - `resolved`: one candidate may be used in its place.
    - `likely`: one candidate may be shown to a call that only looks.
    - `ambiguous`: there are candidates, but none may be used under the default policy.
    - `absent`: there is no candidate.
    - `outside`: it is outside the project, and there is no candidate inside.
    - `directory`: there is a folder where a file is needed, or the reverse.
    """
    operation: Operation
    path: str | None = None
    """Relative to the root, with `/`; set for the statuses `exists`, `resolved` and
    `likely`."""
    candidates: tuple[Candidate, ...] = ()
    """Best first: those with a confidence of at least 0.05, else those with the same
    name; behind them, with 0, what is weakly alike."""
    searched: Searched = Searched()
    target: str = ""
    """Where the written path points: relative to the root if inside it, else
    absolute."""
    cause: Cause = ""
    """What is known about the path besides its candidates; empty for nothing.

    - `empty`, `nul`, `too-long`: it cannot be a path.
    - `exists`: it exists outside the project.
    - `protected`: a rule denies it, or it is a secret; nothing is told about it.
    - `hidden`: it is in a folder that may not be searched, so that the disk does not
      tell whether it exists.
    - `file`, `folder`: the kind that exists, for the status `directory`.
    - `dangling`: it is a link that leads nowhere.
    - `pattern`: it is a pattern, not a path.
    - `kept`: git has it, and the disk does not; `sparse` outside a sparse checkout,
      `conflict` in a merge that is not resolved, `submodule` in one that is not
      checked out.
    - `not-installed`: it is in a package of `node_modules` that is not there.
    - `not-made`: git ignores it, and it is to be deleted or run: nothing that git has
      is meant.
    - `beside`: what is like it is named by the same command.
    - `several`: it is several paths in one; those that exist are its candidates.
    - `blanks`: it is an existing path with blanks, without quotes.
    - `backslashes`: a shell removes its backslashes.
    - `file-above`: a file is where one of its folders would be.
    - `null-device`: it would be a file with the name of Windows' null device.
    - `home`: a new path begins with a home folder that is not expanded.
    - `history`: what git tells about it, or that this is not known.
    - `ignored`, `ignored-unknown`, `other-repository`, `marked-wrong`: the row that
      holds the first candidate back.
    """
    note: str = ""
    """The cause in words, where it names a commit or a path: `deleted in 1a2b3c4`."""
    outside: bool = False
    """Whether the written path points outside the project: then a candidate inside may
    be looked at, but is never changed, run or created."""
    permits: Permit = "named"
    """What may be done with the first candidate."""
    held_back: tuple[str, ...] = ()
    """The rows that hold the first candidate back, of the tables in
    `truepath.resolve.vetoes` and `truepath.guard.policy`; of a new path without
    candidates, `marked-wrong` if the user has said that no other is meant."""

    def to_dict(self) -> dict[str, Any]:
        """Return the resolution as JSON-ready data."""
        candidates = [values(candidate) for candidate in self.candidates]
        return {
            **values(self),
            "candidates": candidates,
            "searched": values(self.searched),
            "held_back": [*self.held_back],
        }


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do with a tool call."""

    action: Action
    arguments: Mapping[str, Any]
    """All arguments to run the call with, rewritten or unchanged."""
    text: str = ""
    """What the agent reads; empty for nothing."""
    payload: Mapping[str, Any] | None = None
    """The same as data, in a versioned schema; None if there is no text."""
    shift: bool = False
    """Whether the text carries a strategy shift."""
    repeated: bool = False
    """Whether the agent was already given this text before the same call ran, so that a
    host need not show it again."""
    end: str = ""
    """How the call ended that was corrected, where the text is about that."""
    resolutions: Sequence[Resolution] = ()
