"""What an agent program is to truepath: a dialect and places as data, read by shared functions.

A host is one file with one subclass of `Host`. Its attributes say where an event holds what, and
how an answer looks; it overrides a method only where its program differs in more than names. The
attributes begin with the shapes of Claude Code, which most programs have taken over. A host reads
no disk and no clock, decides nothing and words nothing.
"""

from __future__ import annotations

import os

from truepath.hosts.fields import text

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from truepath.hosts.event_schema import EventSchema
    from truepath.hosts.protocol import Environ, Event, Exchange, Hooks, Phase, Request
    from truepath.hosts.rules import Rules
    from truepath.hosts.setup import Setup
    from truepath.types import Decision, Outcome, ToolCall

    Scopes = tuple[Sequence[str], Sequence[str], Sequence[str]]
    """Files in three scopes: absolute ones, those below the host's own folder, and those below a
    project. A `*` in the last part stands for any name; `~/` begins the user's home."""

LIMIT = 9_000
"""Characters of an answer's text. Above 10,000 Claude Code writes it to a file, Codex cuts it and
Cursor drops it; the other programs were seen to take more, or their documents name no limit."""

CLAUDE_SETTINGS = (".claude/settings.json", ".claude/settings.local.json")
"""A project's settings of Claude Code, which other programs run the hooks of too."""

_HINT = "Did you mean"
"""How a program's own suggestion begins."""


class Host:
    """An agent program with hooks."""

    NAME: str
    """On the command line: `claude-code`."""
    TITLE: str
    """To a reader: `Claude Code`."""

    # Its events. The names of fields may have dots: `tool_call.name`; "" is for none.

    EVENTS: Mapping[str, Phase]
    """The events to answer, and when each of them fires."""
    EVENT_SCHEMA: EventSchema
    """Which events need no thought, and where an event holds a call; the native client's too."""
    TOOLS: Sequence[str] = ()
    """The only tools to look at; none for all."""
    CALL_ID = "tool_use_id"
    TURN = ""
    PROMPT = "prompt"
    """The field with what the user typed."""
    ERROR = "error"
    """The field of a failed call with the error."""
    RECORD = ""
    """The field with the file in which the host records the session."""
    PROJECT = ""
    """The variable with the project's folder, absolute."""
    HINTS = False
    """Whether its own errors may name the right path (see `Exchange.hinted`)."""
    REWRITES = True
    REFUSES = True
    NOTES = True
    LATE = False
    """What `Request` says under these names."""

    # Its answers.

    NESTED = True
    """Whether an answer is put in `hookSpecificOutput`, with the name of the event."""
    REFUSAL: Mapping[str, str] = {"permissionDecision": "deny"}
    APPROVAL: Mapping[str, str] = {}
    """What a corrected input must be given with."""
    REASON = "permissionDecisionReason"
    INPUT = "updatedInput"
    """The field with the whole input of a call."""
    WORDS = "additionalContext"

    # Its places.

    HOME = ("", "")
    """The host's folder below the user's home, and the variable that stands in for it. One below
    `.config` is taken from `XDG_CONFIG_HOME` where that is set."""
    START = ""
    """The variable with the folder that the agent was started in."""
    RULE_FILES: Scopes = ((), (), ())
    """Where the host keeps permission rules."""
    HOOK_FILES: Scopes = ((), (), ())
    """Where settings list hooks (see `Hooks.settings`)."""
    SERVERS = ("", "")
    """Where the host lists MCP servers whose tools no hook of truepath sees, under `mcpServers`: a
    JSON file below its own folder, and one below a project; "" for none."""

    def decode(self, event: Event, environ: Environ) -> Request | None:
        """Return the event as a `Request`, or None for one that truepath does not answer."""
        from truepath.hosts.protocol import Request

        name = text(event, self.EVENT_SCHEMA["event"])
        phase = self.EVENTS.get(name)
        if phase is None or event.get("is_interrupt") or self.ignores(event, environ):
            return None
        cwd = self.cwd(event, environ)
        exchanges = tuple(self.exchanges(event, phase, cwd))
        if not exchanges and phase != "start":
            return None
        return Request(
            phase=phase,
            event=name,
            exchanges=exchanges,
            project=self.project(event, environ),
            cwd=cwd,
            record=self.record(event, environ),
            rewrites=self.REWRITES,
            refuses=self.REFUSES,
            notes=self.NOTES,
            late=self.LATE,
        )

    def ignores(self, event: Event, environ: Environ) -> bool:  # noqa: ARG002
        """Whether an event is not ours to answer, such as one that another program sent."""
        return False

    def project(self, event: Event, environ: Environ) -> str | None:  # noqa: ARG002
        """Return the project's folder as the host names it, absolute."""
        return environ.get(self.PROJECT) or None

    def cwd(self, event: Event, environ: Environ) -> str | None:  # noqa: ARG002
        """Return the agent's working directory, absolute."""
        return text(event, self.EVENT_SCHEMA["cwd"]) or None

    def record(self, event: Event, environ: Environ) -> str | None:  # noqa: ARG002
        """Return the file in which the host records the session."""
        return text(event, self.RECORD) or None

    def exchanges(self, event: Event, phase: Phase, cwd: str | None) -> Iterator[Exchange]:
        """Yield what of an event is to be looked at: one call, or those of a batch."""
        from truepath.hosts.protocol import Exchange

        if phase == "prompt":
            yield Exchange(self.call(event, event, cwd))
        elif phase == "batch":
            for entry, came in self.batch(event):
                yield Exchange(self.call(entry, event, cwd), came, self._is_hinted(came))
        elif phase != "start" and self._is_known(text(event, self.EVENT_SCHEMA["tool"])):
            outcome = self.outcome(event) if phase == "failure" else None
            if outcome or phase == "before":
                hinted = self._is_hinted(outcome)
                yield Exchange(self.call(event, event, cwd), outcome, hinted)

    def call(self, entry: Event, event: Event, cwd: str | None) -> ToolCall:
        """Return a tool call; its part of the event is `entry`, which may be all of it."""
        from truepath.hosts.fields import table
        from truepath.types import ToolCall

        return ToolCall(
            tool=text(entry, self.EVENT_SCHEMA["tool"]),
            arguments=table(entry, self.EVENT_SCHEMA["input"]),
            session=text(event, self.EVENT_SCHEMA["session"]),
            agent=text(event, self.EVENT_SCHEMA["agent"]),
            cwd=cwd,
            host=self.NAME,
            call_id=text(entry, self.CALL_ID),
            turn=text(event, self.TURN),
            prompt=text(event, self.PROMPT),
        )

    def outcome(self, event: Event) -> Outcome | None:
        """Return what came of a call that has run; None where nothing is to be said of it."""
        from truepath.types import Outcome

        return Outcome(error=text(event, self.ERROR))

    def batch(self, event: Event) -> Iterable[tuple[Event, Outcome]]:  # noqa: ARG002
        """Return the calls of a batch that no other event showed, and what came of them."""
        return ()

    def recall(self, call: ToolCall, record: bytes) -> ToolCall:
        """Return `call` with what its event leaves out: the model's turn, what the user typed last.

        Args:
            call: Any call of the session.
            record: The end of the file `Request.record`, cut anywhere and of any content.
        """
        from truepath.records import replace

        turn, typed = "", ""
        for line in reversed(record.splitlines()):
            turn = turn or self.turn_in(line, call)
            typed = self.typed_in(line)
            if typed:
                break
        return replace(call, turn=turn or call.turn, prompt=typed or call.prompt)

    def turn_in(self, line: bytes, call: ToolCall) -> str:  # noqa: ARG002
        """Return the turn of a call where a line of the record tells it, else ""."""
        return ""

    def typed_in(self, line: bytes) -> str:  # noqa: ARG002
        """Return what the user typed where a line of the record tells it, else ""."""
        return ""

    def encode(self, request: Request, decisions: Sequence[Decision]) -> dict[str, Any] | None:
        """Return the host's JSON for one decision an exchange, in order; None to say nothing.

        It never holds a permission that the host does not insist on: that would lift the user's own
        rules.
        """
        if request.phase == "before":
            said = self.before(request, decisions[0])
        elif request.phase in ("failure", "batch"):
            said = self.after(request, decisions)
        else:
            said = {}
        return self.nested(request.event, said) if said else None

    def nested(self, event: str, said: dict[str, Any]) -> dict[str, Any]:
        """Return an answer about an event as the host has it."""
        if not self.NESTED:
            return said
        return {"hookSpecificOutput": {"hookEventName": event, **said}}

    def before(self, request: Request, decision: Decision) -> dict[str, Any]:
        """Return the fields of an answer before a call runs; none to say nothing."""
        words = decision.text[:LIMIT]
        if decision.action == "refuse" and words and self.REFUSES:
            return {**self.REFUSAL, self.REASON: words}
        context = {self.WORDS: words} if words and not self.LATE else {}
        if decision.action != "rewrite" or not request.rewrites:
            return context
        changed = self.changed(request.exchanges[0].call, decision)
        return {**self.APPROVAL, self.INPUT: changed, **context} if changed else context

    def changed(self, call: ToolCall, decision: Decision) -> Any:
        """Return a corrected input. It takes the place of the whole: none may be left out."""
        return {**call.arguments, **decision.arguments}

    def after(self, request: Request, decisions: Sequence[Decision]) -> dict[str, Any]:
        """Return the fields of an answer after calls have run; none to say nothing."""
        told: list[str] = []
        for exchange, decision in zip(request.exchanges, decisions, strict=True):
            room = LIMIT - sum(map(len, told))
            wanted = not decision.repeated and (decision.shift or not exchange.hinted)
            if wanted and decision.text and (not told or len(decision.text) <= room):
                told.append(decision.text[:room])
        return {self.WORDS: "\n\n".join(told)} if told else {}

    def rule_files(self, environ: Environ, root: str) -> Sequence[str]:
        """Return the files, absolute, in which the host keeps permission rules for a project.

        A `*` in the last part stands for any name. Where the root is a linked work tree of git, the
        main one is asked about too.
        """
        return [f"{folder}/{name}" for folder, name in self._in(self.RULE_FILES, environ, root)]

    def rules(self, files: Mapping[str, str], environ: Environ, root: str) -> Rules:  # noqa: ARG002
        """Return what the host's rules deny.

        Args:
            files: The text of each of the `rule_files` that is there.
            environ: The agent's environment.
            root: The project's root, absolute.
        """
        from truepath.hosts.rules import Rules

        return Rules()

    def hooks(self, environ: Environ, root: str) -> Hooks:
        """Return where other hooks may be that see a call before it runs, the user's above all.

        Args:
            environ: The agent's environment.
            root: The project's root, absolute; "" for none.
        """
        from truepath.hosts.protocol import Hooks

        first = [name.lower() for name, phase in self.EVENTS.items() if phase == "before"]
        return Hooks(tuple(self._in(self.HOOK_FILES, environ, root)), events=(*first,))

    def setup(self, client: str, *, timeout: int = 10) -> Setup:
        """Return what makes the host call us.

        Args:
            client: A shell command that answers the host's events, `/usr/bin/truepath-hook NAME`.
                It may be gone one day, and what the host is told must then block nothing.
            timeout: Seconds until the host is to go on without an answer.
        """
        raise NotImplementedError

    def folder(self, environ: Environ) -> str:
        """Return the host's own folder, absolute."""
        below, variable = self.HOME
        configs = environ.get("XDG_CONFIG_HOME", "")
        if below.startswith(".config/") and configs[:1] == "/":
            own = f"{configs}/{below.removeprefix('.config/')}"
        else:
            own = f"{environ.get('HOME', '')}/{below}".removesuffix("/")
        return environ.get(variable) or own

    def places(self, environ: Environ, root: str) -> list[str]:
        """Return the folders that count as a project's own (see `rules.folders`)."""
        from truepath.hosts.rules import folders

        return folders(root, environ.get(self.START))

    def tools(self) -> str:
        """Return a pattern for the tools that STAKES names."""
        return "|".join((*self.EVENT_SCHEMA["paths"], *self.EVENT_SCHEMA["commands"]))

    def _in(self, scopes: Scopes, environ: Environ, root: str) -> Iterator[tuple[str, str]]:
        """Yield the files of each scope, as a folder and a pattern below it."""
        system, user, project = scopes
        for path in system:
            home = environ.get("HOME", "")
            yield (home, path[2:]) if path.startswith("~/") else os.path.split(path)
        yield from ((self.folder(environ), name) for name in user)
        yield from ((at, name) for at in self.places(environ, root) for name in project)

    def _is_known(self, tool: str) -> bool:
        return tool in self.TOOLS if self.TOOLS else bool(tool)

    def _is_hinted(self, outcome: Outcome | None) -> bool:
        return self.HINTS and outcome is not None and _HINT in (outcome.error or "")
