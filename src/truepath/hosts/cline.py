"""Cline CLI, as observed by running 3.0.65. The VS Code extension sends other events
from the same files and accepts no corrections; they are ignored.
"""

from __future__ import annotations

from truepath import TYPE_CHECKING, Late
from truepath.fields import field, tables, text
from truepath.hosts.host import Host
from truepath.hosts.table import LACKS, says_lack

if TYPE_CHECKING:
    from truepath import types
    from truepath.hosts import protocol
    from truepath.hosts.protocol import Environ, Event, Piece, Request
    from truepath.types import Outcome
else:
    protocol = Late("truepath.hosts.protocol")
    types = Late("truepath.types")

_FILES = ("PreToolUse", "PostToolUse", "UserPromptSubmit")
"""The names of the hooks' files, without extension."""

_SCRIPT = """\
#!/bin/sh
# Written by truepath: checks the paths of Cline's tool calls.
# Cline allows a hook two minutes, which is too long for one that hangs.
if command -v timeout >/dev/null; then
  timeout {timeout} sh -c {quoted}
else
  {client}
fi
exit 0
"""


class Cline(Host):
    """Nothing can be refused, because `cancel` ends the whole run: the text of a
    refusal is shown with the call's result.
    """

    NAME = "cline"
    TITLE = "Cline CLI"
    SEARCH_TOOLS = ("search_codebase", "run_commands (ls, find)")
    EVENTS = {
        "tool_call": "before",
        "tool_result": "failure",
        "prompt_submit": "prompt",
    }
    PATH_TOOLS = {
        "read_files": ("files[].path", "file"),
        "editor": ("path", "edit"),
        "search_codebase": ("path", "any"),
    }
    COMMAND_TOOLS = {"run_commands": ("commands[]", "")}
    # The first is a key of the event; in a text, the quotes would be escaped.
    FAILURE_MARKS = {"tool_result": ('"error":', *LACKS)}
    EVENT_FIELD = "hookName"
    TOOL_FIELD = "tool_call.name"
    ARGUMENTS_FIELD = "tool_call.input"
    CWD_FIELD = "workspaceInfo.rootPath"
    SESSION_FIELD = "sessionContext.rootSessionId"
    CALL_ID_FIELD = "tool_call.id"
    TURN_FIELD = "iteration"
    PROMPT_FIELD = "userPromptSubmit.prompt"
    PROJECT_SOURCES = ("", "workspaceInfo.rootPath")  # the top of the work tree
    REFUSES = False
    CREATING_TOOLS = ("editor",)
    DECLINED = "this tool call was rejected by the user"
    NESTED_FIELDS = ()
    INPUT_FIELD = "overrideInput"
    TEXT_FIELD = "contextModification"
    SAID_AFTER = ("OK",)
    HOME_FOLDER = (".cline", "CLINE_DIR")
    OTHER_HOOKS = {
        "programs": (
            ("~/Documents/Cline/Hooks/PreToolUse*",),
            ("hooks/PreToolUse*",),
            (".cline*/hooks/PreToolUse*",),
        )
    }

    def decode(
        self, event: Event, environ: Environ, *, ended: bool = False
    ) -> Request | None:
        """Return the event as a `Request`; in 3.0.65 the call is under the name of the
        hook.
        """
        call = field(event, text(event, "hookName"))
        return super().decode({**event, "tool_call": call}, environ, ended=ended)

    def outcome(self, event: Event) -> Outcome | None:
        """Return how a call failed; in 3.0.65 parts of a `tool_result` may fail, and a
        command may only seem to have worked.
        """
        call = field(event, "tool_call")
        output = field(event, "tool_call.output")
        # A tool with a list of paths has an output for each.
        parts = tables(event, "tool_call.output")
        if isinstance(output, dict):
            parts = [output]
        failed = [part for part in (call, *parts) if text(part, "error")]
        if failed:
            errors = (
                f"{text(part, 'error')}\n{text(part, 'result')}" for part in failed
            )
            return types.Outcome(error="\n".join(errors))
        is_command = text(event, self.TOOL_FIELD) in self.COMMAND_TOOLS
        printed = "\n".join(text(part, "result") for part in parts)
        return (
            types.Outcome(output=printed) if is_command and says_lack(printed) else None
        )

    def cwd(self, event: Event, environ: Environ) -> str | None:
        """Return the agent's working directory: 3.0.65 runs hooks in it, and no event
        has it.
        """
        root = self.project(event, environ)
        here = environ.get("PWD", "")
        # Outside the project it is not the agent's.
        if root and f"{here}/".startswith(f"{root.rstrip('/')}/"):
            return here
        return root

    def pieces(self, client: str, *, timeout: int = 10) -> tuple[Piece, ...]:
        """Return the hooks' files: 3.0.65 runs all files of a name, whatever their
        extension, so `.bash` leaves the others to the user.
        """
        from shlex import quote  # an installation's alone

        script = _SCRIPT.format(timeout=timeout, client=client, quoted=quote(client))
        names = [f"hooks/{name}.bash" for name in _FILES]
        return tuple(
            protocol.Piece(name, f".cline/{name}", script, executable=True)
            for name in names
        )


host = Cline()
