"""What a host tells others: an event with the calls in it, where it has hooks, and the files by
which it calls truepath. Data.
"""

from __future__ import annotations

from collections.abc import Mapping

from truepath.records import dataclass, field
from truepath.types import Any, Outcome, ToolCall

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from typing import Literal

    Phase = Literal["before", "failure", "batch", "prompt"]
else:
    Phase = str
"""When a hook fires.

- `before`: a tool is about to run.
- `failure`: a tool failed.
- `batch`: all calls of a model turn are done; has those that no other event showed.
- `prompt`: the user typed something.
"""

Event = Mapping[str, Any]
"""What a host sends, parsed; anything may be missing or have another type."""

Environ = Mapping[str, str]
"""The agent's environment."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One tool call inside an event, with what came of it where it has run."""

    call: ToolCall
    outcome: Outcome | None = None
    """None before the tool ran."""


@dataclass(frozen=True, slots=True)
class Request:
    """One hook event, whatever its host."""

    phase: Phase
    event: str
    """The host's name for the event; answers must repeat it."""
    exchanges: tuple[Exchange, ...] = ()
    """In the phase `prompt` one, whose call names no tool and holds what the user typed."""
    project: str | None = None
    """The project folder as the host names it, absolute."""
    cwd: str | None = None
    """The agent's working directory, absolute."""


Where = tuple[str, str]
"""A folder, absolute, and a pattern below it; a `*` in the pattern stands for any name."""


@dataclass(frozen=True, slots=True)
class Hooks:
    """Where a host looks for hooks, in every scope: managed, user, project, local and plugins."""

    settings: tuple[Where, ...]
    """JSON or TOML files with a table `hooks`: event -> entries."""
    events: tuple[str, ...] = ()
    """Events before a call, in small letters. The entries of the first have matchers for tools."""
    programs: tuple[Where, ...] = ()
    """Files that are hooks themselves: plugins, scripts, and pages with hooks at their head."""
    marks: tuple[str, ...] = ()
    """What a program holds that sees calls; without any, each of them does."""
    lists: tuple[str, ...] = ()
    """Settings that list programs which are kept elsewhere."""
    plugins: tuple[Where, ...] = ()
    """JSON files that say in which folders plugins are installed."""
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Tool -> other names under which a matcher finds it."""
    matchers: bool = True
    """Whether the host heeds matchers."""
    see_corrected: bool = False
    """Whether a hook sees the call as the ones before it left it. Else each sees the call as the
    model wrote it, and a corrected path is seen by none of them."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One file that tells a host to call us."""

    user: str
    """The file for all of a user's projects, relative to the host's folder."""
    project: str
    """The file for one project, relative to its root."""
    content: Mapping[str, Any] | str
    """A table is merged into the host's own settings (JSON); a text is the whole of a file that is
    ours alone."""
    executable: bool = False
