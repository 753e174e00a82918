"""Data types of hosts: an event with its calls, where hooks are, and the files to
install.
"""

from __future__ import annotations

from collections.abc import Mapping

from truepath import TYPE_CHECKING
from truepath.records import dataclass, field
from truepath.types import Any, Outcome, ToolCall

if TYPE_CHECKING:
    from typing import Literal

    Phase = Literal["before", "failure", "batch", "prompt", "agent"]
else:
    Phase = str
"""When a hook fires.

- `before`: a tool is about to run.
- `failure`: a tool failed.
- `batch`: all calls of a model turn are done; has those that no other event showed.
- `prompt`: the user typed something.
- `agent`: a sub-agent that no event names begins or has ended: another agent goes on.
"""

Event = Mapping[str, Any]
"""What a host sends, parsed; anything may be missing or have another type."""

Environ = Mapping[str, str]
"""The agent's environment."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A tool call in an event, with its result if it has run."""

    call: ToolCall
    outcome: Outcome | None = None
    """None before the tool ran."""


@dataclass(frozen=True, slots=True)
class Request:
    """One hook event, whatever its host."""

    phase: Phase
    event: str
    """The host's name for the event, which answers repeat."""
    exchanges: tuple[Exchange, ...] = ()
    """For `prompt` and `agent` one, whose call names no path."""
    project: str | None = None
    """The project folder as the host names it, absolute."""
    cwd: str | None = None
    """The agent's working directory, absolute."""


Where = tuple[str, str]
"""A folder, absolute, and a pattern below it; a `*` matches any name."""


@dataclass(frozen=True, slots=True)
class Hooks:
    """Where a host finds hooks, in every scope: managed, user, project, local and
    plugins.
    """

    settings: tuple[Where, ...]
    """JSON or TOML files with a table `hooks`: event -> entries."""
    events: tuple[str, ...] = ()
    """Events before a call, in lower case. The entries of the first have matchers for
    tools."""
    programs: tuple[Where, ...] = ()
    """Files that are hooks: plugins, scripts, and pages with hooks in their front
    matter."""
    marks: tuple[str, ...] = ()
    """What the text of a program that sees calls contains; empty if each one sees
    them."""
    lists: tuple[str, ...] = ()
    """Settings that list programs in other places."""
    plugins: tuple[Where, ...] = ()
    """JSON files that name the folders of installed plugins."""
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Tool -> other names that a matcher finds it by."""
    matchers: bool = True
    """Whether the host applies matchers."""
    see_corrected: bool = False
    """Whether a hook sees a call as earlier hooks changed it, rather than as the model
    wrote it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One file that makes a host call truepath."""

    user: str
    """The file for all of a user's projects, relative to the host's folder."""
    project: str
    """The file for one project, relative to its root."""
    content: Mapping[str, Any] | str
    """A table is merged into the host's settings (JSON); a text is the whole file, or
    in TOML its end."""
    executable: bool = False
