"""The hosts that load a script of truepath: its form of events and answers, and its text.

A plugin is `templates/shim.js`, which looks at the disk and asks the client, and the file that
speaks to its host; `templates/README.md` says what they send and read. Knows no host.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from truepath.hosts.host import Host
from truepath.hosts.protocol import Piece
from truepath.types import Any, Decision, ToolCall

IMPORTS = ('from "./', "from './", 'from "../', "from '../", "require(", "import(")
"""What a plugin in JavaScript holds whose code is in other files too."""


class Plugin(Host):
    """A host that loads a plugin of truepath, which sees what those before it made of a call."""

    EVENTS = {"before": "before", "failure": "failure", "prompt": "prompt"}
    EVENT = "event"
    TOOL = "tool"
    ARGUMENTS = "arguments"
    SESSION = "session"
    AGENT = "agent"
    CALL_ID = "call"
    TURN = "turn"
    PROJECT = ("", "project")
    NESTED = ()
    REFUSAL: Mapping[str, str] = {}
    REASON = "refuse"
    INPUT = "arguments"
    WORDS = "text"
    TEMPLATE = ""
    """The file in `templates` that speaks to the host; to there it is written as `FILES` says."""
    PATHLESS: Sequence[str] = ()
    """Its tools that take no path and no command."""

    def changed(self, call: ToolCall, decision: Decision) -> dict[str, Any]:
        """Return those arguments alone that change: the plugin puts them in place of their
        namesakes, so whatever else the call holds stays as its host made it.
        """
        held, given = call.arguments, decision.arguments.items()
        return {name: value for name, value in given if name not in held or held[name] != value}

    def pieces(self, client: str, *, timeout: int = 10) -> tuple[Piece, ...]:
        """Return the plugin: the host's own first lines, what it is to know, and both scripts."""
        from importlib.resources import files
        from json import dumps

        from truepath.hosts.protocol import Piece

        folder = files("truepath.hosts").joinpath("templates")
        head, body = (
            folder.joinpath(name).read_text("utf-8") for name in (self.TEMPLATE, "shim.js")
        )
        made = {
            "client": client,
            "timeout": timeout * 1000,
            "paths": {tool: [*named] for tool, named in self.PATHS.items()},
            "pathless": [*self.PATHLESS],
        }
        # In ASCII: no character of a command can end a line or a text of the script.
        lines = "".join(f"  {name}: {dumps(value)},\n" for name, value in made.items())
        first, _, rest = head.partition("\n\n")
        script = f"{first}\n\nconst SETUP = {{\n{lines}}};\n\n{body}\n{rest}"
        return (Piece(*self.FILES, script),)
