"""The files and entries by which a host calls truepath. Data; knows no disk."""

from __future__ import annotations

from truepath.records import dataclass

TYPE_CHECKING = False  # `typing` itself would cost a hook as much as half an interpreter
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


@dataclass(frozen=True, slots=True)
class Piece:
    """One file that tells a host to call us."""

    user: str
    """The file for all of a user's projects, relative to `Setup.home`; "" for none."""
    project: str
    """The file for one project, relative to its root; "" for none."""
    content: Mapping[str, Any] | str
    """A table is merged into the host's own settings (JSON, with comments where the host allows
    them); a text is the whole of a file that is ours alone."""
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Setup:
    """How a host is made to call us."""

    home: str
    """The host's folder, relative to the user's home: `.claude`. One below `.config` is taken from
    `XDG_CONFIG_HOME` where that is set."""
    variable: str
    """The environment variable that stands in for `home`, as the host has it; "" for none."""
    pieces: tuple[Piece, ...]
    after: str = ""
    """What the user still has to do, in one sentence; "" for nothing."""
    below: bool = True
    """Whether a project's file holds for sessions that begin in a folder below its root too."""


def harmless(client: str) -> str:
    """Return a command that always ends with status 0.

    Status 2 blocks the call in most programs, and 2 is what Python gives for a script that is gone;
    in some any status but 0 does, 127 of a client that is gone among them.
    """
    return f"{client} || true"


def listed(
    hook: Mapping[str, Any], matchers: Mapping[str, str], *, grouped: bool = True
) -> dict[str, Any]:
    """Return the table `hooks` of settings: one entry an event.

    Args:
        hook: What is run.
        matchers: Event -> a pattern for tools; "" for none.
        grouped: Whether an entry holds a list of hooks, as in Claude Code, or is the hook.
    """
    entry = {"hooks": [hook]} if grouped else hook
    return {
        event: [{"matcher": tools, **entry} if tools else entry]
        for event, tools in matchers.items()
    }


def document(hooks: Mapping[str, Any]) -> str:
    """Return the text of a file of settings that holds a table `hooks` alone."""
    from json import dumps

    return dumps({"version": 1, "hooks": hooks}, indent=2) + "\n"
