"""Gemini CLI, as observed by running 0.61.0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from truepath.hosts.fields import table, tables, text
from truepath.hosts.host import LIMIT, Host
from truepath.hosts.protocol import Environ, Event, Request
from truepath.hosts.rules import Rules
from truepath.types import Any, Decision, Outcome

_SHELL = "run_shell_command"

_STATUS = "\nExit Code: "
"""Stands in what the shell tool returns, after the output, where the status was not 0."""

_SYSTEM = ("/etc/gemini-cli", "/Library/Application Support/GeminiCli")
"""Where an organisation keeps rules and settings, on Linux and macOS (documented, not run)."""

_HOOKS = (".gemini/settings.json", ".gemini/extensions/*/hooks/hooks.json")
"""Those of extensions and of an organisation are documented, not run."""

_EXTENSIONS = (".gemini/extensions/*/.gemini-extension-install.json",)

_CALL = "exec 3<&0; trap 'kill $!' TERM; {client} <&3 & wait $!; exit 0"


class GeminiCLI(Host):
    """A call that validation refuses (a path outside the workspace, `glob` and `grep_search` where
    no folder is) fires no event, and a call that was denied has no AfterTool.
    """

    NAME = "gemini"
    TITLE = "Gemini CLI"
    SEARCH = ("glob", "grep_search", "list_directory")
    EVENTS = {"BeforeTool": "before", "AfterTool": "failure", "BeforeAgent": "prompt"}
    PATHS = {
        "read_file": ("file_path", "file"),
        "write_file": ("file_path", "new"),
        "replace": ("file_path", "file"),
        "list_directory": ("dir_path", "folder"),
        "glob": ("dir_path", "folder"),
        "grep_search": ("dir_path", "any"),
    }
    COMMANDS = {_SHELL: ("command", "dir_path")}
    # A key of the event, which no text inside it can look like, and the shell's failure.
    MARKS = {"AfterTool": ('"error":', "exit code: ")}
    CALL_ID = ""
    PROJECT = ("GEMINI_PROJECT_DIR", "")
    START = "GEMINI_PROJECT_DIR"
    LATE = True  # before a call, words reach the model as the reason of a denial alone
    NESTED = ("tool_input", "additionalContext")
    REFUSAL = {"decision": "deny"}
    REASON = "reason"
    INPUT = "tool_input"  # in place of the whole input, whatever the manual says of merging
    HOME = ("", "GEMINI_CLI_HOME")
    RULE_FILES = (
        tuple(f"{folder}/policies/*.toml" for folder in _SYSTEM),
        (".gemini/policies/*.toml",),
        (".gemini/policies/*.toml", ".geminiignore"),
    )
    BESIDE = {
        "settings": (
            tuple(
                f"{at}/{file}.json" for at in _SYSTEM for file in ("settings", "system-defaults")
            ),
            _HOOKS,
            _HOOKS,
        ),
        "plugins": ((), _EXTENSIONS, _EXTENSIONS),
    }
    SETTINGS = "GEMINI_CLI_SYSTEM_SETTINGS_PATH"
    FILES = (".gemini/settings.json", ".gemini/settings.json")

    def outcome(self, event: Event) -> Outcome:
        """Return what came of a call; at 0.61.0 the model reads `output` whatever we say."""
        from truepath.types import Outcome

        response = table(event, "tool_response")
        if "error" in response:
            return Outcome(error=text(response, "error.message") or "failed")
        output = text(response, "llmContent")
        failed = text(event, "tool_name") == _SHELL and _STATUS in output
        return Outcome(error=output.rpartition(_STATUS)[0] if failed else None, output=output)

    def after(self, request: Request, decisions: Sequence[Decision]) -> dict[str, Any]:
        """Return the answer after a call: at 0.61.0 only a denial is read after a failure, and its
        reason takes the place of the tool's error.
        """
        outcome, words = request.exchanges[0].outcome, decisions[0].text[:LIMIT]
        if not words or outcome is None:
            return {}
        if outcome.output is not None:
            return {self.WORDS: words}
        return {**self.REFUSAL, self.REASON: f"{outcome.error}\n\n{words}"}

    def rules(self, files: Mapping[str, str], environ: Environ, root: str) -> Rules:
        """Return what policies deny or ask about, and what is ignored.

        At 0.61.0 a policy is applied to the corrected call, and no more to the one that was
        written; a call corrected towards an ignored file is refused, and so is one towards a path
        outside the folder that it was started in. Which of two policies is the stronger is not
        weighed here.
        """
        from truepath.hosts.rules import Rules, ignored, runs_any

        policies = [each for at in files if at.endswith(".toml") for each in _policies(files[at])]
        lists = [path for path in files if path.endswith("ignore")]
        hidden = [glob for path in lists for glob in ignored(path, files[path], root)]

        def forbids(tool: str, arguments: Mapping[str, Any]) -> bool:
            begin = [each for tools, each in policies if tool in tools or "*" in tools]
            return "" in begin or runs_any(text(arguments, "command"), begin)

        return Rules(tuple(hidden), forbids, within=environ.get(self.START, ""))

    def hook(self, client: str, timeout: int) -> dict[str, Any]:
        """Return an entry. At 0.61.0 any status from 2 on blocks the call, and when the time is up
        the shell alone is ended, and the call waits for whoever still holds the shell's output: so
        the client has to end with it.
        """
        usual = super().hook(client, timeout * 1000)
        return {"name": "truepath", **usual, "command": _CALL.format(client=client)}


def _policies(content: str) -> Iterator[tuple[Sequence[str], str]]:
    """Yield the tools of each policy that does not allow, and what its commands begin with; "" for
    one with a pattern, which is not weighed, and for a file that cannot be understood.

    One without any of these denies a call as it was written and as it was corrected alike.
    """
    import sys

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        policies = tables(tomllib.loads(content), "rule")
    except (ValueError, RecursionError):
        yield ("*",), ""
        return
    for policy in policies:
        if policy.get("decision") == "allow":
            continue
        tools = _each(policy.get("toolName", "*"))
        for prefix in _each(policy.get("commandPrefix", ())):
            yield tools, f"{prefix} *"
        if text(policy, "commandRegex") or text(policy, "argsPattern"):
            yield tools, ""


def _each(value: object) -> Sequence[str]:
    """Return the texts of a field that holds one or a list."""
    listed = value if isinstance(value, (list, tuple)) else [value]
    return [each for each in listed if isinstance(each, str)]


host = GeminiCLI()
