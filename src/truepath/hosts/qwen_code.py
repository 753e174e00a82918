"""Qwen Code's hook protocol.

Every statement about the program was observed by running 0.24.4.
"""

from __future__ import annotations

from truepath.hosts.event_schema import event_schema
from truepath.hosts.fields import line_of, tables, text, texts
from truepath.hosts.host import Host

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from truepath.hosts.protocol import Environ, Event
    from truepath.hosts.rules import Rules
    from truepath.hosts.setup import Setup
    from truepath.types import Outcome, ToolCall

_REFUSED = "invalid_tool_params"
"""The kind of error of a call that validation refused: a relative path, a search in a folder that
is not there. Such a call fires no event but PostToolBatch. All others that failed had their own
before, and our denials have another kind: neither is answered or counted a second time."""

_RELATIVE = "must be absolute"
"""What a refusal says of a relative path, which may be there or not: that is looked up."""

_TYPED = b'"provenance":"real_user"'
"""In a line of the session's record: the user typed it."""

_READS = ("Read", "ReadFile", "read_file")
"""The names in a permission rule for what keeps a file from being read."""

_SYSTEM = ("/etc/qwen-code/settings.json", "/Library/Application Support/QwenCode/settings.json")
"""Where an organisation keeps rules, on Linux and macOS (documented, not run)."""


class QwenCode(Host):
    """Before a call a denial alone is heard: `updatedInput` and context are dropped. After it
    context alone is. Both are read as they are, but for `<` and `>` of the context.
    """

    NAME = "qwen"
    TITLE = "Qwen Code"
    EVENTS = {
        "PreToolUse": "before",
        "PostToolUseFailure": "failure",
        "PostToolBatch": "batch",
        "UserPromptSubmit": "prompt",
    }
    EVENT_SCHEMA = event_schema(
        EVENTS,
        {
            "read_file": ("file_path", "file"),
            "edit": ("file_path", "file"),
            "write_file": ("file_path", "new"),
            "notebook_edit": ("notebook_path", "file"),
            "glob": ("path", "folder"),
            "grep_search": ("path", "any"),
            "list_directory": ("path", "folder"),
        },
        {"run_shell_command": ("command", "directory")},
        marks={"PostToolBatch": (_REFUSED,)},
        agent="agent_id",
    )
    CALL_ID = "tool_call_id"  # the model's own; `tool_use_id` is another one in each kind of event
    PROMPT = "submitted_prompt"
    RECORD = "transcript_path"
    PROJECT = START = "QWEN_PROJECT_DIR"
    REWRITES = False
    LATE = True
    HOME = (".qwen", "QWEN_HOME")
    SERVERS = ("settings.json", ".qwen/settings.json")
    RULE_FILES = (_SYSTEM, ("settings.json",), (".qwen/settings.json", ".qwenignore"))
    HOOK_FILES = ((), ("settings.json",), (".qwen/settings.json",))

    def ignores(self, event: Event, environ: Environ) -> bool:  # noqa: ARG002
        """Whether the program itself "submits" the results of tools; the user typed nothing."""
        return event.get("hook_event_name") == "UserPromptSubmit" and not text(event, self.PROMPT)

    def batch(self, event: Event) -> Iterator[tuple[Event, Outcome]]:
        """Yield the calls of a turn that went well, and those that validation refused."""
        from truepath.types import Outcome

        for entry in tables(event, "tool_calls"):
            if not text(entry, "tool_name"):
                continue
            error = text(entry, "tool_response.error")
            if entry.get("status") == "success":
                yield entry, Outcome()
            elif text(entry, "tool_response.error_type") == _REFUSED:
                unread = "File not found. " if _RELATIVE in error else ""
                yield entry, Outcome(error=unread + error)

    def turn_in(self, line: bytes, call: ToolCall) -> str:
        """Return the id of the answer in which the model made a call; "" in any other line.

        It is recorded before the hooks run, in a line with all its calls. A sub-agent's calls are
        recorded elsewhere.
        """
        if not call.call_id or call.call_id.encode("utf-8", "replace") not in line:
            return ""
        entry = line_of(line)
        made = [text(part, "functionCall.id") for part in tables(entry, "message.parts")]
        return text(entry, "uuid") if call.call_id in made else ""

    def typed_in(self, line: bytes) -> str:
        """Return what the user typed; the files that it refers to follow in parts of their own."""
        entry = line_of(line) if _TYPED in line else {}
        parts = tables(entry, "message.parts")
        return text(parts[0], "text") if parts and entry.get("type") == "user" else ""

    def rules(self, files: Mapping[str, str], environ: Environ, root: str) -> Rules:
        """Return which files are not to be named (see `Host`).

        Rules are applied to a call before its hooks, and no call runs on another path than it came
        with: there is nothing to lead around.
        """
        from truepath.hosts.rules import Rules, hidden_by, ignored

        hidden: list[str] = []
        home, start = environ.get("HOME", ""), environ.get(self.START)
        for path, content in files.items():
            if path.endswith("ignore"):
                hidden += ignored(path, content, root)
                continue
            for rule in texts(line_of(content), "permissions.deny"):
                tool, _, rest = rule.partition("(")
                if tool in _READS and rest.removesuffix(")"):
                    hidden += hidden_by(rest.removesuffix(")"), home, root, start)
        return Rules(tuple(hidden))

    def setup(self, client: str, *, timeout: int = 10) -> Setup:
        """Return what makes Qwen Code call us (see `Host`)."""
        from truepath.hosts.setup import Piece, Setup, harmless, listed

        hook = {
            "name": "truepath",
            "type": "command",
            "command": harmless(client),
            "timeout": min(timeout, 999),  # seconds, but 1000 and above are milliseconds
        }
        tools = f"^({self.tools()})$"
        matchers = {
            "PreToolUse": tools,
            "PostToolUseFailure": tools,
            "PostToolBatch": "",
            "UserPromptSubmit": "",
        }
        content = {"hooks": listed(hook, matchers)}
        settings = Piece("settings.json", ".qwen/settings.json", content)
        return Setup(*self.HOME, (settings,), below=False)


host = QwenCode()
