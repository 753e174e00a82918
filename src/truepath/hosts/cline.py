"""Cline CLI, as observed by running 3.0.65. Its extension for VS Code sends other events from the
same files and takes no corrections; it is left alone.
"""

from __future__ import annotations

from truepath.hosts.fields import field, tables, text
from truepath.hosts.host import Host
from truepath.hosts.protocol import Environ, Event, Piece, Request
from truepath.types import Outcome

_FILES = ("PreToolUse", "PostToolUse", "UserPromptSubmit")
"""What a hook's file is called, less its ending, for each of the events."""

_SCRIPT = """\
#!/bin/sh
# Written by truepath: checks the paths of Cline's tool calls.
# Cline gives a hook two minutes; one that hangs is to hold no call up for that long.
if command -v timeout >/dev/null; then
  timeout {timeout} sh -c {quoted}
else
  {client}
fi
exit 0
"""


class Cline(Host):
    """Nothing can be refused: `cancel` ends the whole run. So the words of a refusal go along with
    the call, and the model reads them beside its result.
    """

    NAME = "cline"
    TITLE = "Cline CLI"
    SEARCH = ("search_codebase", "run_commands (ls, find)")
    EVENTS = {"tool_call": "before", "tool_result": "failure", "prompt_submit": "prompt"}
    PATHS = {
        "read_files": ("files[].path", "file"),
        "editor": ("path", "file"),
        "search_codebase": ("path", "any"),
    }
    COMMANDS = {"run_commands": ("commands[]", "")}
    # A key of the event, which no text inside it can look like.
    MARKS = {"tool_result": ('"error":',)}
    EVENT = "hookName"
    TOOL = "tool_call.name"
    ARGUMENTS = "tool_call.input"
    CWD = "workspaceInfo.rootPath"
    SESSION = "sessionContext.rootSessionId"
    AGENT = "agent_id"
    CALL_ID = "tool_call.id"
    TURN = "iteration"
    PROMPT = "userPromptSubmit.prompt"
    PROJECT = ("", "workspaceInfo.rootPath")  # the top of the work tree
    REFUSES = False
    EDITS_MAKE = ("editor",)
    NESTED = ()
    INPUT = "overrideInput"
    WORDS = "contextModification"
    HOME = (".cline", "CLINE_DIR")
    BESIDE = {
        "programs": (
            ("~/Documents/Cline/Hooks/PreToolUse*",),
            ("hooks/PreToolUse*",),
            (".cline*/hooks/PreToolUse*",),
        )
    }

    def decode(self, event: Event, environ: Environ) -> Request | None:
        """Return the event as a `Request`; at 3.0.65 a result names its call as a call does."""
        call = field(event, text(event, "hookName"))
        return super().decode({**event, "tool_call": call}, environ)

    def outcome(self, event: Event) -> Outcome | None:
        """Return how a call failed: at 3.0.65 each has a `tool_result`, and parts of it may fail
        alone.
        """
        from truepath.types import Outcome

        call, output = field(event, "tool_call"), field(event, "tool_call.output")
        parts = [output] if isinstance(output, dict) else tables(event, "tool_call.output")
        failed = [each for each in (call, *parts) if text(each, "error")]
        said = "\n".join(f"{text(each, 'error')}\n{text(each, 'result')}" for each in failed)
        return Outcome(error=said) if failed else None

    def cwd(self, event: Event, environ: Environ) -> str | None:
        """Return the agent's working directory: 3.0.65 runs hooks there, and no event says so."""
        root, here = self.project(event, environ), environ.get("PWD", "")
        return here if root and f"{here}/".startswith(f"{root.rstrip('/')}/") else root

    def pieces(self, client: str, *, timeout: int = 10) -> tuple[Piece, ...]:
        """Return what makes Cline CLI call us: 3.0.65 runs all files of a name, whatever their
        ending, so `.bash` leaves the others to the user.
        """
        from shlex import quote

        from truepath.hosts.protocol import Piece

        script = _SCRIPT.format(timeout=timeout, client=client, quoted=quote(client))
        names = [f"hooks/{name}.bash" for name in _FILES]
        return tuple(Piece(name, f".cline/{name}", script, executable=True) for name in names)


host = Cline()
