"""Hosts that load a script of truepath.

A plugin consists of `templates/shim.js`, which looks at the disk and asks the client,
and a file with its host's name. `templates/README.md` describes the events and answers.
"""

from __future__ import annotations

from truepath import TYPE_CHECKING, Late
from truepath.config import DOCUMENTS
from truepath.fields import text
from truepath.hosts.host import Host
from truepath.hosts.table import LACKS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truepath import types
    from truepath.hosts import protocol
    from truepath.hosts.protocol import Event, Piece
    from truepath.types import Outcome
else:
    protocol = Late("truepath.hosts.protocol")
    types = Late("truepath.types")

IMPORTS = ('from "./', "from './", 'from "../', "from '../", "require(", "import(")
"""Code in a JavaScript plugin that loads other files."""


class Plugin(Host):
    """A host that loads a plugin of truepath, which sees a call as earlier plugins
    changed it.
    """

    EVENTS = {"before": "before", "failure": "failure", "prompt": "prompt"}
    EVENT_FIELD = "event"
    TOOL_FIELD = "tool"
    ARGUMENTS_FIELD = "arguments"
    SESSION_FIELD = "session"
    AGENT_FIELD = "agent"
    CALL_ID_FIELD = "call"
    TURN_FIELD = "turn"
    PROJECT_SOURCES = ("", "project")
    NESTED_FIELDS = ()
    REFUSAL: Mapping[str, str] = {}
    REASON_FIELD = "refuse"
    INPUT_FIELD = "arguments"
    MERGES = True
    TEXT_FIELD = "text"
    USER_FIELD = "notice"
    PATHLESS_TOOLS: Sequence[str] = ()
    """Tools without paths or commands."""

    def outcome(self, event: Event) -> Outcome | None:
        """Return how a call ended; the plugin tells what a command printed that seems
        to have worked, and lacked something.
        """
        output = text(event, "output")
        return types.Outcome(output=output) if output else super().outcome(event)

    def pieces(self, client: str, *, timeout: int = 10) -> tuple[Piece, ...]:
        """Return the plugin: the first lines of the host's file, the setup, and both
        scripts.
        """
        from importlib.resources import files  # an installation's alone
        from json import dumps  # the same

        folder = files("truepath.hosts").joinpath("templates")
        own = folder.joinpath(f"{self.NAME}.js").read_text("utf-8")
        shim = folder.joinpath("shim.js").read_text("utf-8")
        setup = {
            "client": client,
            "timeout": timeout * 1000,
            "paths": {tool: [*named] for tool, named in self.PATH_TOOLS.items()},
            "pathless": [*self.PATHLESS_TOOLS],
            "commands": [*self.COMMAND_TOOLS],
            "lacks": [*LACKS],
            "documents": sorted(DOCUMENTS),
        }
        # In ASCII, no character of a command can end a line or a text of the script.
        lines = "".join(f"  {name}: {dumps(value)},\n" for name, value in setup.items())
        first, _, rest = own.partition("\n\n")
        script = f"{first}\n\nconst SETUP = {{\n{lines}}};\n\n{shim}\n{rest}"
        return (protocol.Piece(*self.INSTALL_FILES, script),)
