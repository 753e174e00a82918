"""The agent programs: how each is run against the scripted model, and what its tools
are called.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from clients import rig
from clients.script import Turn, call
from clients.terminal import Step

from truepath.hosts import find
from truepath.hosts.protocol import Piece

SOURCES = rig.PROJECT / "src"

OLD, NEW = "DEBUG = False", "DEBUG = True"
"""What an edit replaces, and with what."""

REPORT = Turn("nothing of that name is in this project. " * 10)
"""What ends a sub-agent; Kimi Code asks for more where it is short."""

WRITTEN_FIRST = ("sh", "-c", 'printf %s "$1" > "$2"; shift 2; exec "$@"', "sh")
"""Writes a file before a command runs: where the model listens is not known earlier."""


class Program:
    """One agent program, with the hook of this checkout on every event."""

    NAME = ""
    """As `truepath hook` has it."""
    COMMAND = ""
    PACKAGE = ""
    BEFORE: tuple[str, ...] = ()
    """What precedes its name."""
    NODE = ""
    """The Node that runs it, where the system's may be too old for it."""
    CORRECTS: tuple[str, ...] = ("read", "shell", "edit")
    """What is run on the right file; the rest is refused with it."""
    TELLS: tuple[str, ...] = (
        "other-words",
        "made-already",
        "several-places",
        "other-blanks",
    )
    """Of which failed edits the model reads what the file has; the rest the program
    makes, or answers itself. """
    LISTS_FOLDERS = False
    """Whether its read tool lists a folder."""
    LARGEST = 0
    """The bytes of the largest file that it reads whole; 0 for any, cut by itself."""
    ADVISES = True
    """Whether the model reads what a hook says of a call that has failed."""
    LOOKS_WITH = ""
    """The tools to search with, as a strategy shift names them."""
    AGENT: tuple[Turn, ...] = ()
    """A turn that starts a sub-agent and waits for it, and the one that ends it."""
    LINE: tuple[str, ...] = ("ARGS", "{prompt}")
    """What follows the program's name; `ARGS` is the options."""
    SCREEN: tuple[str, ...] = ("{prompt}",)
    """The same in a terminal, where it asks before it changes or runs anything."""
    ARGS: tuple[str, ...] = ()
    FILE: tuple[str, Mapping[str, Any]] | None = None
    """A file below the home, and the JSON in it: some take the model's address from one
    alone."""
    PROMPT = "go"
    HANG_S = 60
    """How long a hook hangs in a test; the program goes on after its timeout."""
    ENVIRON: Mapping[str, str] = {}
    KEYS: frozenset[str] = frozenset({"hookSpecificOutput"})
    """What a hook's answer may hold."""

    @property
    def hook(self) -> str:
        script = SOURCES / "truepath/hook/script.py"
        return f"'{sys.executable}' -I -S '{script}' {self.NAME}"

    def run(
        self,
        place: Path,
        turns: list[Turn],
        *,
        root: Path | None = None,
        cwd: str = "",
        hook: str | None = None,
        pieces: Sequence[Piece] = (),
        record: bool = True,
        args: tuple[str, ...] | None = None,
        prompt: str = "",
        timeout: int = 10,
        environ: Mapping[str, str] | None = None,
        first: Sequence[Sequence[str]] = (),
        steps: Sequence[Step] = (),
        spelled: Callable[[str], str] | None = None,
        **own: Any,
    ) -> rig.Ran:
        """Run the program in a folder `cwd` of `root`.

        Args:
            place: A folder for the home and all that is made.
            turns: What the model does.
            root: The project; by default one is made.
            cwd: Where the program is started, relative to the root.
            hook: The command on every event; by default the hook of this checkout.
            pieces: What calls it; by default what `truepath install` would write.
            record: Whether what the hook is given and answers is kept.
            args: The program's options, in place of the usual ones.
            prompt: What the user typed.
            timeout: Seconds that the program gives the hook.
            environ: More of the environment.
            first: Commands of the program that come before, as one that installs.
            steps: What a person sees and types: then it runs in a terminal.
            spelled: Spells the user's settings, indented JSON, in another way.
            own: What only this program has, as rules.
        """
        root = root or rig.make_project(place)
        command = self.hook if hook is None else hook
        command = rig.recorded(command, place) if record else command
        pieces = pieces or find(self.NAME).pieces(command, timeout=timeout)
        env = rig.environment(
            place, **{"PYTHONPATH": str(SOURCES), **self.ENVIRON, **(environ or {})}
        )
        env |= self.prepare(place, root, pieces, **own) or {}
        if steps:
            self.met(place, root)
        if spelled:
            settings = self.folder(place) / pieces[0].user
            text = json.dumps(json.loads(settings.read_text()), indent=2)
            settings.write_text(spelled(f"{text}\n"))
        rig.note(self.NAME, pieces, self.folder(place), place / "home")
        words = [str(rig.program(self.COMMAND))]
        if self.NODE:
            words = [str(rig.program(self.NODE) or self.NODE), *words]
        words = [*self.BEFORE, *words]
        for command in first:
            rig.done([*words, *command], cwd=root, env=env)
        if self.FILE:
            name, told = self.FILE
            file = place / "home" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            words = [*WRITTEN_FIRST, json.dumps(told), str(file), *words]
        for word in self.SCREEN if steps else self.LINE:
            given = self.ARGS if args is None else args
            words += given if word == "ARGS" else [word.replace("{place}", str(place))]
        words = [
            prompt or self.PROMPT if word == "{prompt}" else word for word in words
        ]
        return rig.run(words, turns, cwd=root / cwd, env=env, place=place, steps=steps)

    def folder(self, place: Path) -> Path:
        """Return the program's own folder below its user's home."""
        return place / "home" / find(self.NAME).HOME_FOLDER[0]

    def prepare(
        self, place: Path, root: Path, pieces: Sequence[Piece]
    ) -> Mapping[str, str] | None:
        """Write the program's settings; return what is needed in its environment."""
        rig.put(pieces, self.folder(place))

    def met(self, place: Path, root: Path) -> None:
        """Write what the program has noted of a user who has met it: it asks nothing
        first.
        """

    def approves(self, answer: Mapping[str, Any]) -> bool:
        """Whether an answer gives the call a permission that the user has not given."""
        inner = answer.get("hookSpecificOutput", answer)
        decided = inner.get("permissionDecision", answer.get("decision", "deny"))
        return decided != "deny"

    def read(self, path: object) -> Turn:
        raise NotImplementedError

    def edit(self, path: object, old: str = OLD, new: str = NEW) -> Turn:
        raise NotImplementedError

    def shell(self, command: str) -> Turn:
        return call("bash", command=command, description="work")


class ClaudeCode(Program):
    NAME, COMMAND, PACKAGE = "claude-code", "claude", "@anthropic-ai/claude-code"
    CORRECTS = ("read", "shell")
    LARGEST = 262_144
    LOOKS_WITH = "Bash (find, grep, ls)"
    KEYS = frozenset({"hookSpecificOutput", "systemMessage"})
    ENVIRON = {
        "ANTHROPIC_BASE_URL": "{model}",
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    ALLOWED = ("Read", "Edit", "Write", "Bash", "Grep", "Glob", "NotebookEdit")

    AGENT = (
        call(
            "Agent",
            description="look",
            prompt="look for it",
            subagent_type="general-purpose",
            run_in_background=False,
        ),
        REPORT,
    )
    LINE = ("-p", "{prompt}", "--settings", "{place}/settings.json", "ARGS")
    SCREEN = ("--settings", "{place}/settings.json", "{prompt}")

    def met(self, place, root):
        known = {
            "hasCompletedOnboarding": True,
            "customApiKeyResponses": {"approved": ["none"]},
            "projects": {str(root): {"hasTrustDialogAccepted": True}},
        }
        (place / "home/.claude.json").write_text(json.dumps(known))

    def prepare(self, place, root, pieces, *, permissions=None, at_home=False):
        given = {"permissions": permissions or {"allow": [*self.ALLOWED]}}
        if at_home:
            rig.put(pieces, self.folder(place))
        else:
            given |= rig.content(pieces)
        (place / "settings.json").write_text(json.dumps(given))

    def read(self, path):
        return call("Read", file_path=str(path))

    def edit(self, path, old=OLD, new=NEW):
        return call("Edit", file_path=str(path), old_string=old, new_string=new)

    def shell(self, command):
        return call("Bash", command=command, description="work")


class ClaudeInEditor(ClaudeCode):
    """Claude Code behind an editor, by npm's adapter for the Agent Client Protocol."""

    COMMAND, PACKAGE = "claude-agent-acp", "@agentclientprotocol/claude-agent-acp"
    BEFORE = (sys.executable, str(Path(__file__).with_name("acp_session.py")), "go")
    NODE = "node"
    LINE = ()

    def prepare(self, place, root, pieces):
        permissions = {"defaultMode": "default"}
        rig.put(pieces, self.folder(place), permissions=permissions)
        self.met(place, root)
        # The pinned Claude Code, not the one that comes with the adapter.
        pinned = rig.program(ClaudeCode.COMMAND)
        return {"CLAUDE_CODE_EXECUTABLE": str(pinned and pinned.resolve())}


class Cline(Program):
    NAME, COMMAND, PACKAGE = "cline", "cline", "cline"
    LOOKS_WITH = "search_codebase, run_commands (ls, find)"
    PROMPT = "please go now"
    KEYS = frozenset({"overrideInput", "contextModification"})
    ENVIRON = {
        "CLINE_TELEMETRY_DISABLED": "1",
        "POSTHOG_TELEMETRY_ENABLED": "false",
        "CLINE_NO_AUTO_UPDATE": "1",
    }
    KIND = "openai-compatible"

    AGENT = (call("spawn_agent", task="look for it", systemPrompt="you look"), REPORT)
    LINE = ("-P", KIND, "-m", "scripted", "ARGS", "{prompt}")
    SCREEN = ("-i", "--auto-approve", "false", *LINE[:4], "{prompt}")
    SETTINGS = {
        "provider": KIND,
        "apiKey": "none",
        "model": "scripted",
        "baseUrl": "{model}/v1",
    }
    PROVIDER = {
        "settings": SETTINGS,
        "updatedAt": "2026-01-01T00:00:00.000Z",
        "tokenSource": "manual",
    }
    FILE = (
        ".cline/data/settings/providers.json",
        {"version": 1, "lastUsedProvider": KIND, "providers": {KIND: PROVIDER}},
    )

    def read(self, path):
        return call("read_files", files=[{"path": str(path)}])

    def edit(self, path, old=OLD, new=NEW):
        return call("editor", path=str(path), old_text=old, new_text=new)

    def shell(self, command):
        return call("run_commands", commands=[command])


class Codex(Program):
    NAME, COMMAND, PACKAGE = "codex", "codex", "@openai/codex"
    TELLS = ()
    LOOKS_WITH = "rg --files, find, ls"
    TRUST = ("--dangerously-bypass-hook-trust",)
    """Hooks that nobody has reviewed are skipped without a word."""
    ARGS = ("--dangerously-bypass-approvals-and-sandbox", *TRUST)
    KEYS = frozenset({"hookSpecificOutput", "systemMessage"})
    ENVIRON = {"OPENAI_API_KEY": "none"}
    CONFIG = """\
model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 0
stream_max_retries = 0
[projects."{root}"]
trust_level = "trusted"
"""

    LINE = (
        "exec",
        "-c",
        'model_providers.scripted.base_url="{model}/v1"',
        "ARGS",
        "{prompt}",
    )
    SCREEN = (*LINE[1:3], *TRUST, "-s", "read-only", "{prompt}")

    def prepare(self, place, root, pieces, *, rules=""):
        home = place / "home/.codex"
        rig.put(pieces, self.folder(place))
        (home / "rules").mkdir(exist_ok=True)
        (home / "config.toml").write_text(self.CONFIG.replace("{root}", str(root)))
        (home / "rules/default.rules").write_text(rules)

    def approves(self, answer):
        # A rewrite without the decision would be lost; rules and the sandbox still hold
        # for it.
        inner = answer["hookSpecificOutput"]
        return ("updatedInput" in inner) != (inner.get("permissionDecision") == "allow")

    def read(self, path):
        return self.shell(f"cat {path}")

    def edit(self, path, old=OLD, new=NEW, header="Update File"):
        lines, signs = [f"*** {header}: {path}"], zip("-+", (old, new), strict=True)
        hunk = [f"{sign}{line}" for sign, text in signs for line in text.splitlines()]
        lines += ["@@", *hunk] if header == "Update File" else []
        text = "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])
        return call("apply_patch", input=text)

    def shell(self, command, **more):
        return call("exec_command", cmd=command, **more)


class Copilot(Program):
    NAME, COMMAND, PACKAGE = "copilot", "copilot", "@github/copilot"
    # It shows several places itself.
    TELLS = ("other-words", "made-already")
    LISTS_FOLDERS, LARGEST = True, 20_480
    LOOKS_WITH = "search (glob, grep, view)"
    ARGS = ("--allow-all-tools",)
    KEYS = frozenset(
        (
            "modifiedArgs",
            "additionalContext",
            "permissionDecision",
            "permissionDecisionReason",
        )
    )
    ENVIRON = {
        "COPILOT_PROVIDER_BASE_URL": "{model}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": "none",
        "COPILOT_MODEL": "gpt-4.1",
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        # The program unpacks 240 MB of itself into it, once.
        "XDG_CACHE_HOME": str(rig.PLACE / "cache"),
    }

    AGENT = (
        call(
            "task",
            description="look",
            prompt="look for it",
            agent_type="general-purpose",
            name="look",
        ),
        REPORT,
    )
    LINE = ("-p", "{prompt}", "--no-auto-update", "ARGS")
    SCREEN = ("-i", "{prompt}", "--no-auto-update")

    def met(self, place, root):
        known = {"trusted_folders": [str(root)], "banner": "never"}
        file = self.folder(place) / "config.json"
        file.write_text(json.dumps(known))

    def read(self, path):
        return call("view", path=str(path))

    def edit(self, path, old=OLD, new=NEW):
        return call("edit", path=str(path), old_str=old, new_str=new)


class Gemini(Program):
    NAME, COMMAND, PACKAGE = "gemini", "gemini", "@google/gemini-cli"
    TELLS = ("other-words", "made-already", "several-places")
    LOOKS_WITH = "glob, grep_search, list_directory"
    NODE = "node"
    HANG_S = 5  # past its timeout, it waits for what the hook has started
    ARGS = ("--approval-mode", "yolo")
    KEYS = frozenset({"hookSpecificOutput", "decision", "reason", "systemMessage"})
    ENVIRON = {
        "GOOGLE_GEMINI_BASE_URL": "{model}",
        "GEMINI_API_KEY": "none",
        "GEMINI_TELEMETRY_ENABLED": "false",
        # It would start itself once more, for a larger heap.
        "GEMINI_CLI_NO_RELAUNCH": "1",
    }
    AUTH, UPDATES = "gemini-api-key", {"enableAutoUpdate": False}
    AGENT = (
        call("invoke_agent", agent_name="generalist", prompt="look for it"),
        call("complete_task", result={"response": "nothing of that name"}),
    )
    LINE = ("-m", "gemini-2.5-flash", "ARGS", "-p", "{prompt}")
    SCREEN = ("-m", "gemini-2.5-flash", "-i", "{prompt}")

    def settings(self):
        return {
            "security": {
                "auth": {"selectedType": self.AUTH},
                "folderTrust": {"enabled": False},
            },
            "telemetry": {"enabled": False},
            "privacy": {"usageStatisticsEnabled": False},
            "general": self.UPDATES,
        }

    def prepare(self, place, root, pieces, *, rules="", permissions=None):
        more = {
            **self.settings(),
            **({"permissions": permissions} if permissions else {}),
        }
        rig.put(pieces, self.folder(place), **more)
        if rules:
            (place / "home/.gemini/policies").mkdir()
            (place / "home/.gemini/policies/rules.toml").write_text(rules)

    def read(self, path, **more):
        return call("read_file", file_path=str(path), **more)

    def edit(self, path, old=OLD, new=NEW):
        texts = {"old_string": old, "new_string": new}
        return call("replace", file_path=str(path), instruction="debug", **texts)

    def shell(self, command, **more):
        return call("run_shell_command", command=command, **more)


class Qwen(Gemini):
    NAME, COMMAND, PACKAGE = "qwen", "qwen", "@qwen-code/qwen-code"
    CORRECTS, TELLS = (), Program.TELLS
    LOOKS_WITH = "glob, grep_search, run_shell_command (ls)"
    KEYS = Program.KEYS
    ENVIRON = {
        "OPENAI_BASE_URL": "{model}/v1",
        "OPENAI_API_KEY": "none",
        "OPENAI_MODEL": "scripted",
        "QWEN_TELEMETRY_ENABLED": "false",
        "QWEN_CODE_NO_RELAUNCH": "1",
    }
    AUTH, UPDATES = "openai", {"disableAutoUpdate": True, "enableAutoUpdate": False}
    AGENT = (
        call(
            "agent",
            description="look",
            prompt="look for it",
            subagent_type="general-purpose",
            run_in_background=False,
        ),
        REPORT,
    )
    LINE = ("--auth-type", "openai", "ARGS", "-p", "{prompt}")
    SCREEN = ("--approval-mode", "default", "--auth-type", "openai", "-i", "{prompt}")

    def edit(self, path, old=OLD, new=NEW):
        return call("edit", file_path=str(path), old_string=old, new_string=new)

    def shell(self, command):
        return call("run_shell_command", command=command, is_background=False)


class Kimi(Program):
    NAME, COMMAND, PACKAGE = "kimi", "kimi", "@moonshot-ai/kimi-code"
    NODE = "node"
    CORRECTS = ()
    TELLS, ADVISES = (), False
    LOOKS_WITH = "Glob, Grep, Bash (ls)"
    ENVIRON = {
        "KIMI_CODE_NO_AUTO_UPDATE": "1",
        "KIMI_MODEL_API_KEY": "none",
        "KIMI_MODEL_BASE_URL": "{model}/v1",
        "KIMI_MODEL_MAX_CONTEXT_SIZE": "100000",
        "KIMI_MODEL_NAME": "scripted",
        "KIMI_MODEL_PROVIDER_TYPE": "openai",
    }
    AGENT = (call("Agent", description="look", prompt="look for it"), REPORT)
    LINE = ("ARGS", "-p", "{prompt}")
    SCREEN = ()  # a prompt is typed

    def read(self, path):
        return call("Read", path=str(path))

    def edit(self, path, old=OLD, new=NEW):
        return call("Edit", path=str(path), old_string=old, new_string=new)

    def shell(self, command):
        return call("Bash", command=command)


class OpenCode(Program):
    NAME, COMMAND, PACKAGE = "opencode", "opencode", "opencode-ai"
    TELLS, LISTS_FOLDERS = ("other-words", "made-already", "several-places"), True
    LOOKS_WITH = "search (glob, grep, bash (ls))"
    KEYS = frozenset({"arguments", "refuse", "text", "notice"})
    ENVIRON = {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        # OpenCode fetches a package of types beside a plugin; from here it gets none,
        # at once.
        "npm_config_registry": "{model}/npm/",
        "npm_config_fetch_retries": "0",
    }

    AGENT = (
        call("task", description="look", prompt="look for it", subagent_type="general"),
        REPORT,
    )
    LINE = ("run", "--model", "scripted/scripted", "ARGS", "{prompt}")
    SCREEN = ("--model", "scripted/scripted", "--prompt", "{prompt}")

    def prepare(self, place, root, pieces, *, permission=None):
        rig.put(pieces, self.folder(place))
        limit = {"context": 100_000, "output": 4_000}
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "scripted",
            "options": {"baseURL": "{model}/v1", "apiKey": "none"},
            "models": {
                "scripted": {"name": "scripted", "tool_call": True, "limit": limit}
            },
        }
        config = {
            "autoupdate": False,
            "share": "disabled",
            "snapshot": False,
            "small_model": "scripted/scripted",
            "enabled_providers": ["scripted"],
            "provider": {"scripted": provider},
            "permission": permission or {},
        }
        return {"OPENCODE_CONFIG_CONTENT": json.dumps(config)}

    def read(self, path, **more):
        return call("read", filePath=str(path), **more)

    def edit(self, path, old=OLD, new=NEW):
        return call("edit", filePath=str(path), oldString=old, newString=new)


class Pi(Program):
    NAME, COMMAND, PACKAGE = "pi", "pi", "@earendil-works/pi-coding-agent"
    NODE = "node"
    LOOKS_WITH = "search (find, grep, ls)"
    ARGS = ("--tools", "read,edit,write,bash,grep,find,ls")
    """The last three are off by default."""
    KEYS = OpenCode.KEYS
    ENVIRON = {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"}

    LINE = ("-p", "--provider", "scripted", "--model", "scripted", "ARGS", "{prompt}")
    SCREEN = LINE[1:]
    PROVIDER = {
        "baseUrl": "{model}/v1",
        "api": "openai-completions",
        "apiKey": "none",
        "models": [{"id": "scripted"}],
    }
    FILE = (".pi/agent/models.json", {"providers": {"scripted": PROVIDER}})

    def read(self, path):
        return call("read", path=str(path))

    def edit(self, path, old=OLD, new=NEW):
        return call("edit", path=str(path), edits=[{"oldText": old, "newText": new}])

    def shell(self, command):
        return call("bash", command=command)


PROGRAMS = {
    each.NAME: each()
    for each in (ClaudeCode, Cline, Codex, Copilot, Gemini, Kimi, OpenCode, Pi, Qwen)
}
