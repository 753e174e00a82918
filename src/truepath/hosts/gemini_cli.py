"""Gemini CLI, as observed by running 0.61.0."""

from __future__ import annotations

from truepath import TYPE_CHECKING, Late
from truepath.fields import table, tables, text
from truepath.hosts.host import LIMIT, Host
from truepath.hosts.table import LACKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from truepath import types
    from truepath.config import settings
    from truepath.hosts import rules as host_rules
    from truepath.hosts.protocol import Environ, Event, Request
    from truepath.hosts.rules import Rules
    from truepath.types import Decision, Outcome
else:
    settings = Late("truepath.config.settings")
    host_rules = Late("truepath.hosts.rules")
    types = Late("truepath.types")

_SHELL = "run_shell_command"

_STATUS = "\nExit Code: "
"""Follows the output in what the shell tool returns, if the status was not 0."""

_SYSTEM = ("/etc/gemini-cli", "/Library/Application Support/GeminiCli")
"""An organisation's rules and settings on Linux and macOS (documented, not run)."""

_HOOKS = (".gemini/settings.json", ".gemini/extensions/*/hooks/hooks.json")
"""Those of extensions and of an organisation are documented, not run."""

_EXTENSIONS = (".gemini/extensions/*/.gemini-extension-install.json",)

_CALL = "exec 3<&0; trap 'kill $!' TERM; {client} <&3 & wait $!; exit 0"
"""Runs the client behind, where a trap can end it; there, standard input would be
empty, so it goes through another number."""


class GeminiCLI(Host):
    """A call that validation refuses (a path outside the workspace, `glob` and
    `grep_search` in a missing folder) has no event, and a denied call has no AfterTool.
    """

    NAME = "gemini"
    TITLE = "Gemini CLI"
    SEARCH_TOOLS = ("glob", "grep_search", "list_directory")
    EVENTS = {"BeforeTool": "before", "AfterTool": "failure", "BeforeAgent": "prompt"}
    PATH_TOOLS = {
        "read_file": ("file_path", "file"),
        "write_file": ("file_path", "new"),
        "replace": ("file_path", "edit"),
        "list_directory": ("dir_path", "folder"),
        "glob": ("dir_path", "folder"),
        "grep_search": ("dir_path", "any"),
    }
    COMMAND_TOOLS = {_SHELL: ("command", "dir_path")}
    # 0.61.0: the events of a sub-agent come between the two of this call, with nothing
    # to tell them by.
    AGENT_TOOLS = ("invoke_agent",)
    # A key of the event (in a text, the quotes would be escaped), and the shell's
    # failure.
    FAILURE_MARKS = {"AfterTool": ('"error":', "exit code: ", *LACKS)}
    CALL_ID_FIELD = ""
    RESULTS = None
    PROJECT_SOURCES = ("GEMINI_PROJECT_DIR", "")
    START_VARIABLE = "GEMINI_PROJECT_DIR"
    # Before a call, only the reason of a denial reaches the model.
    SAID_AFTER = ("OK", "note")
    NESTED_FIELDS = ("tool_input", "additionalContext")
    REFUSAL = {"decision": "deny"}
    REASON_FIELD = "reason"
    # replaces the whole input, though the manual says that it is merged
    INPUT_FIELD = "tool_input"
    # 0.61.0 shows it above the call, and puts it in no request to the model
    USER_FIELD = "systemMessage"
    REFUSALS_SHOWN = False  # 0.61.0 shows nothing of one
    HOME_FOLDER = ("", "GEMINI_CLI_HOME")
    RULE_FILES = (
        tuple(f"{folder}/policies/*.toml" for folder in _SYSTEM),
        (".gemini/policies/*.toml",),
        (".gemini/policies/*.toml", ".geminiignore"),
    )
    OTHER_HOOKS = {
        "settings": (
            tuple(
                f"{folder}/{name}.json"
                for folder in _SYSTEM
                for name in ("settings", "system-defaults")
            ),
            _HOOKS,
            _HOOKS,
        ),
        "plugins": ((), _EXTENSIONS, _EXTENSIONS),
    }
    SETTINGS_VARIABLE = "GEMINI_CLI_SYSTEM_SETTINGS_PATH"
    INSTALL_FILES = (".gemini/settings.json", ".gemini/settings.json")
    SETTINGS_MAY = ("comment",)  # 0.61.0 ends with status 52 at the others

    def outcome(self, event: Event) -> Outcome:
        """Return the result; in 0.61.0 the model reads `output` in any case."""
        response = table(event, "tool_response")
        if "error" in response:
            return types.Outcome(error=text(response, "error.message") or "failed")
        output = text(response, "llmContent")
        if text(event, "tool_name") == _SHELL and _STATUS in output:
            return types.Outcome(error=output.rpartition(_STATUS)[0], output=output)
        return types.Outcome(output=output)

    def after(self, request: Request, decisions: Sequence[Decision]) -> dict[str, Any]:
        """Return the answer after a call: in 0.61.0 only a denial is read after a
        failure, and its reason replaces the tool's error.
        """
        outcome = request.exchanges[0].outcome
        words = decisions[0].text[:LIMIT]
        if not words or outcome is None:
            return {}
        if outcome.output is not None:
            return {self.TEXT_FIELD: words}
        return {**self.REFUSAL, self.REASON_FIELD: f"{outcome.error}\n\n{words}"}

    def rules(self, files: Mapping[str, str], environ: Environ, root: str) -> Rules:
        """Return what policies deny or ask about, and what is ignored.

        In 0.61.0 a policy is applied to the corrected call only, not to the one that
        was written; a call that is corrected to an ignored file, or to a path outside
        the folder that the program was started in, is refused. Priorities of policies
        are not considered.
        """
        policies: list[tuple[Sequence[str], str]] = []
        hidden: list[str] = []
        for path, content in files.items():
            if path.endswith(".toml"):
                policies += _policies(content)
            elif path.endswith("ignore"):
                hidden += host_rules.ignored(path, content, root)
        return host_rules.Rules(
            tuple(hidden),
            host_rules.denying(policies),
            within=environ.get(self.START_VARIABLE, ""),
        )

    def hook(self, client: str, timeout: int) -> dict[str, Any]:
        """Return an entry. In 0.61.0 any status from 2 on blocks the call, and a
        timeout ends only the shell while the call waits for its output to be closed: so
        the client has to end too.
        """
        usual = super().hook(client, timeout * 1000)
        return {"name": "truepath", **usual, "command": _CALL.format(client=client)}


def _policies(content: str) -> Iterator[tuple[Sequence[str], str]]:
    """Yield the tools of each policy that does not allow, and what its commands begin
    with; "" for a policy with a regular expression, and for a file that is not
    understood.

    A policy with neither denies a call as it was written and as it was corrected.
    """
    try:
        policies = tables(settings.parsed(content), "rule")
    except (ValueError, RecursionError):
        yield ("*",), ""
        return
    for policy in policies:
        if policy.get("decision") == "allow":
            continue
        tools = _one_or_more(policy.get("toolName", "*"))
        for prefix in _one_or_more(policy.get("commandPrefix", ())):
            yield tools, f"{prefix} *"
        if text(policy, "commandRegex") or text(policy, "argsPattern"):
            yield tools, ""


def _one_or_more(value: object) -> Sequence[str]:
    """Return the texts of a field that holds one or a list."""
    items = value if isinstance(value, (list, tuple)) else [value]
    return [item for item in items if isinstance(item, str)]


host = GeminiCLI()
