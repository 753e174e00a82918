"""GitHub Copilot CLI, as observed by running 1.0.102. What an event contains depends on
its spelling in the settings: `PreToolUse` has its name and a sub-agent's id,
`preToolUse` does not. So the former is registered.
"""

from __future__ import annotations

from truepath import TYPE_CHECKING, Late
from truepath.fields import text
from truepath.hosts.host import Host
from truepath.hosts.table import CLAUDE_SETTINGS, LACKS, says_lack

if TYPE_CHECKING:
    from typing import Any

    from truepath import records, types
    from truepath.hosts.protocol import Event
    from truepath.types import Decision, Outcome, ToolCall
else:
    records = Late("truepath.records")
    types = Late("truepath.types")

_PATCH = "apply_patch"
_PATCH_TEXT = "input"
"""OpenAI's models edit with patches: an Edit whose whole input is a text."""

_ENDED = "completed with exit code "
"""Precedes the status in the last line of what a shell command returned."""


class CopilotCLI(Host):
    """A denied call has no further event."""

    NAME = "copilot"
    TITLE = "GitHub Copilot CLI"
    SEARCH_TOOLS = ("glob", "grep", "view")
    EVENTS = {
        "PreToolUse": "before",
        "PostToolUseFailure": "failure",
        "PostToolUse": "failure",
        "UserPromptSubmit": "prompt",
    }
    # The program maps its tools to the names of Claude Code's; arguments keep their
    # own. VS Code, which runs the same hooks, has other names.
    ONLY_TOOLS = ("Read", "Edit", "Write", "Grep", "Glob", "Bash")
    MODEL_TOOLS = {
        "Read": "view",
        "Edit": "edit",
        "Write": "create",
        "Grep": "grep",
        "Glob": "glob",
        "Bash": "bash",
    }
    # Not Grep and Glob: they accept `path` or `paths`, the latter a text or a list.
    PATH_TOOLS = {
        "Read": ("path", "entry"),
        "Edit": ("path", "edit"),
        "Write": ("path", "new"),
    }
    COMMAND_TOOLS = {
        "Bash": ("command", ""),
        "powershell": ("command", ""),  # its shell tool on Windows
    }
    FAILURE_MARKS = {
        "PostToolUse": (*(f"{_ENDED}{digit}" for digit in range(1, 10)), *LACKS)
    }
    READ_LIMITS = {  # by running 1.0.102
        "Read": {
            "whole": 20_480,
            "part": 20_000,
            "argument": "view_range",
            "override": "forceReadLargeFiles",
        }
    }
    UNMET_MARKS = ("no match found",)
    CALL_ID_FIELD = ""
    PROJECT_SOURCES = ("COPILOT_PROJECT_DIR", "")
    # In `hookSpecificOutput`, a text after a failure is lost. Never `allow`, which
    # overrides the user's `--deny-tool`; a rewrite does not need it.
    NESTED_FIELDS = ()
    INPUT_FIELD = "modifiedArgs"
    SAID_AFTER = ("OK",)
    HOME_FOLDER = (".copilot", "COPILOT_HOME")
    OTHER_HOOKS = {
        "settings": (
            (),
            ("hooks/*.json", "settings.json"),
            (
                ".github/hooks/*.json",
                ".github/copilot/settings*.json",
                *CLAUDE_SETTINGS,
            ),
        ),
        "see_corrected": True,  # those that follow ours: hooks run in order
    }
    INSTALL_FILES = ("hooks/truepath.json", ".github/hooks/truepath.json")
    SETTINGS_MAY = ()  # 1.0.102 drops the file without a word
    SETTINGS_HEAD = {"version": 1}
    FLAT_ENTRIES = True
    # Hooks of earlier versions of truepath have no event of another tool's success.
    RESULTS = ("Bash",)

    def call(self, entry: Event, event: Event, cwd: str | None) -> ToolCall:
        """Return a tool call. In 1.0.102 the PreToolUse events of one turn have the
        same timestamp; later events have their own, and no event has a call's id.
        """
        call = super().call(entry, event, cwd)
        if text(event, "hook_event_name") == "PreToolUse":
            call = records.replace(call, turn=text(event, "timestamp"))
        patch = text(entry, "tool_input")
        if not patch:
            return call
        arguments = {_PATCH_TEXT: patch}
        return records.replace(call, tool=_PATCH, known_as="", arguments=arguments)

    def changed(self, call: ToolCall, decision: Decision) -> Any:
        """Return a corrected input; for a patch, 1.0.102 takes a text."""
        whole = super().changed(call, decision)
        if call.tool == _PATCH:
            return whole[_PATCH_TEXT]
        return whole

    def outcome(self, event: Event) -> Outcome | None:
        """Return how a call failed; in 1.0.102 a failed command has a usual
        PostToolUse.
        """
        if text(event, "hook_event_name") == "PostToolUseFailure":
            return super().outcome(event)
        if text(event, "tool_name") != "Bash":
            return None
        result = text(event, "tool_result.text_result_for_llm")
        output, _, status = result.rpartition(_ENDED)
        if status[:1] in tuple("123456789"):
            return types.Outcome(error=output)
        if says_lack(result):
            return types.Outcome(output=result)
        return None

    def hook(self, client: str, timeout: int) -> dict[str, Any]:
        """Return an entry; in 1.0.102 any status but 0 denies the call."""
        usual = super().hook(client, timeout)
        return {"type": "command", "bash": usual["command"], "timeoutSec": timeout}


host = CopilotCLI()
