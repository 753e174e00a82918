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
    """A table is merged into the host's own settings (JSON); a text is the whole of a file that is
    ours alone."""
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
