"""GitHub Copilot CLI, as observed by running 1.0.102. The spelling of an event in the settings
selects what the program sends: `PreToolUse` comes with its own name and a sub-agent's id,
`preToolUse` without. So we register the former.
"""

from __future__ import annotations

from truepath.hosts.fields import text
from truepath.hosts.host import Host
from truepath.hosts.protocol import Event
from truepath.hosts.table import CLAUDE_SETTINGS
from truepath.types import Any, Decision, Outcome, ToolCall

_PATCH, _PATCH_TEXT = "apply_patch", "input"
"""Models of OpenAI edit with patches: an Edit whose whole input is a text."""

_ENDED = "completed with exit code "
"""Stands before the status in the last line of what a shell command returned."""


class CopilotCLI(Host):
    """A call that was denied has no event but the first."""

    NAME = "copilot"
    TITLE = "GitHub Copilot CLI"
    SEARCH = ("glob", "grep", "view")
    EVENTS = {
        "PreToolUse": "before",
        "PostToolUseFailure": "failure",
        "PostToolUse": "failure",
        "UserPromptSubmit": "prompt",
    }
    # The names of Claude Code's tools are put on those of this program; arguments keep their own.
    # VS Code, which runs the same hooks, has other names.
    TOOLS = ("Read", "Edit", "Write", "Grep", "Glob", "Bash")
    # Not Grep and Glob: they take `path` as well as `paths`, and in that a text or a list.
    PATHS = {"Read": ("path", "any"), "Edit": ("path", "file"), "Write": ("path", "new")}
    COMMANDS = {"Bash": ("command", "")}
    MARKS = {"PostToolUse": tuple(f"{_ENDED}{digit}" for digit in range(1, 10))}
    AGENT = "agent_id"
    CALL_ID = ""
    PROJECT = ("COPILOT_PROJECT_DIR", "")
    # Inside `hookSpecificOutput` what is said after a failure is lost. Never `allow`: it lifts the
    # user's `--deny-tool`. A rewrite needs no decision.
    NESTED = ()
    INPUT = "modifiedArgs"
    HOME = (".copilot", "COPILOT_HOME")
    BESIDE = {
        "settings": (
            (),
            ("hooks/*.json", "settings.json"),
            (".github/hooks/*.json", ".github/copilot/settings*.json", *CLAUDE_SETTINGS),
        ),
        "see_corrected": True,  # those that follow ours: hooks run in order
    }
    FILES = ("hooks/truepath.json", ".github/hooks/truepath.json")
    OURS = FLAT = True
    MATCHERS = {"PostToolUse": "^Bash$"}

    def call(self, entry: Event, event: Event, cwd: str | None) -> ToolCall:
        """Return a tool call. At 1.0.102 calls of one turn are asked about one after another, with
        one time; later events have times of their own, and no event has a call's id.
        """
        from truepath.records import replace

        call = super().call(entry, event, cwd)
        if text(event, "hook_event_name") == "PreToolUse":
            call = replace(call, turn=text(event, "timestamp"))
        patch = text(entry, "tool_input")
        return replace(call, tool=_PATCH, arguments={_PATCH_TEXT: patch}) if patch else call

    def changed(self, call: ToolCall, decision: Decision) -> Any:
        """Return a corrected input; that of a patch is a text at 1.0.102."""
        whole = super().changed(call, decision)
        return whole[_PATCH_TEXT] if call.tool == _PATCH else whole

    def outcome(self, event: Event) -> Outcome | None:
        """Return how a call failed; at 1.0.102 a command that fails has a PostToolUse like any."""
        from truepath.types import Outcome

        if text(event, "hook_event_name") == "PostToolUseFailure":
            return super().outcome(event)
        said = text(event, "tool_result.text_result_for_llm")
        output, ended, status = said.rpartition(_ENDED)
        failed = ended and status[:1] in "123456789" and text(event, "tool_name") == "Bash"
        return Outcome(error=output) if failed else None

    def hook(self, client: str, timeout: int) -> dict[str, Any]:
        """Return an entry; at 1.0.102 any status but 0 denies the call."""
        usual = super().hook(client, timeout)
        return {"type": "command", "bash": usual["command"], "timeoutSec": timeout}


host = CopilotCLI()
