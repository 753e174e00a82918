"""Read the events of all hosts and write the answers, according to each host's table.

A host is a module with a subclass of `Host`: its attributes are the table (see
`Table`), and each method that it overrides handles a peculiarity of the program. A host
must not read the disk or a clock, or know decisions or texts.
"""

from __future__ import annotations

import os

from truepath import TYPE_CHECKING, Late
from truepath.fields import field, table, tables, text
from truepath.hosts.table import Table, phase_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from truepath import records, types
    from truepath.hosts import protocol
    from truepath.hosts import rules as host_rules
    from truepath.hosts.protocol import Environ, Event, Exchange, Phase, Piece, Request
    from truepath.hosts.rules import Rules
    from truepath.hosts.table import Scopes
    from truepath.types import Decision, Outcome, ToolCall
else:
    protocol = Late("truepath.hosts.protocol")
    host_rules = Late("truepath.hosts.rules")
    records = Late("truepath.records")
    types = Late("truepath.types")

LIMIT = 9_000
"""Characters of an answer's text. Above 10,000, Claude Code writes it to a file, Codex
truncates it and Cursor drops it; the others accept more, or document no limit."""


class Host(Table):
    """An agent program with hooks."""

    def decode(
        self, event: Event, environ: Environ, *, ended: bool = False
    ) -> Request | None:
        """Return the event as a `Request`; None if truepath does not answer it.

        `ended` says whether calls that ended well are wanted too.
        """
        name = text(event, self.EVENT_FIELD)
        phase = phase_of(self, event)
        # A call that the user interrupted has not failed by itself.
        if phase is None or (event.get("is_interrupt") and not ended):
            return None
        # Qwen Code 0.24.4 submits the results of tools too, without what the user
        # typed.
        if phase == "prompt" and not text(event, self.PROMPT_FIELD):
            return None
        cwd = self.cwd(event, environ)
        exchanges = tuple(self.exchanges(event, phase, cwd, ended=ended))
        if not exchanges:
            return None
        return protocol.Request(
            phase=phase,
            event=name,
            exchanges=exchanges,
            project=self.project(event, environ),
            cwd=cwd,
        )

    def project(self, event: Event, environ: Environ) -> str | None:
        """Return the project's folder as the host names it, absolute."""
        variable, name = self.PROJECT_SOURCES
        return environ.get(variable) or text(event, name) or None

    def cwd(self, event: Event, environ: Environ) -> str | None:
        """Return the agent's working directory, absolute; by default the project."""
        return text(event, self.CWD_FIELD) or self.project(event, environ)

    def exchanges(
        self, event: Event, phase: Phase, cwd: str | None, *, ended: bool
    ) -> Iterator[Exchange]:
        """Yield the calls of an event to check: one, or those of a batch; with `ended`
        those that ended well, of a batch without arguments: it has them as they were
        written, which tells nothing of what ran.
        """
        entries = tables(event, "tool_calls") if phase == "batch" else [event]
        is_about_call = phase not in ("prompt", "agent")
        has_run = phase in ("failure", "batch")
        for entry in entries:
            if is_about_call and not self._checks(text(entry, self.TOOL_FIELD)):
                continue
            outcome = self._outcome(entry) if has_run else None
            # Else it has succeeded, or has another event.
            if outcome is not None or not has_run:
                yield protocol.Exchange(self.call(entry, event, cwd), outcome)
            elif ended and phase == "failure":
                yield protocol.Exchange(self.call(entry, event, cwd), types.Outcome())
            elif ended and self.REWRITES:
                call = self.call(entry, event, cwd)
                yield protocol.Exchange(
                    records.replace(call, arguments={}), types.Outcome()
                )

    def _outcome(self, entry: Event) -> Outcome | None:
        """Return what `outcome` does; None where the user stopped the call."""
        if entry.get("is_interrupt"):
            return None
        outcome = self.outcome(entry)
        said = outcome.error if outcome is not None else None
        if not self.DECLINED or not said or self.DECLINED not in said.lower():
            return outcome

        return types.Outcome(declined=True)

    def _checks(self, tool: str) -> bool:
        """Return whether calls of a tool are checked."""
        if self.ONLY_TOOLS:
            return tool in self.ONLY_TOOLS
        return bool(tool)

    def call(self, entry: Event, event: Event, cwd: str | None) -> ToolCall:
        """Return a tool call; `entry` is its part of the event, or the whole event."""
        turn = field(event, self.TURN_FIELD)
        tool = text(entry, self.TOOL_FIELD)
        return types.ToolCall(
            tool=tool,
            arguments=table(entry, self.ARGUMENTS_FIELD),
            session=text(event, self.SESSION_FIELD),
            agent=text(event, self.AGENT_FIELD),
            cwd=cwd,
            host=self.NAME,
            call_id=text(entry, self.CALL_ID_FIELD),
            turn=str(turn) if isinstance(turn, (str, int)) else "",
            prompt=text(event, self.PROMPT_FIELD),
            known_as=self.MODEL_TOOLS.get(tool, ""),
            search_tools=self.SEARCH_TOOLS,
        )

    def outcome(self, event: Event) -> Outcome | None:
        """Return the result of a call that has run; None if it needs no answer, or had
        another event. Of a call in a batch, `event` is its part.
        """
        error = text(event, self.ERROR_FIELD)
        return types.Outcome(error=error) if error else None

    def encode(
        self, request: Request, decisions: Sequence[Decision]
    ) -> dict[str, Any] | None:
        """Return the host's JSON for one decision for each exchange; None for no
        answer.

        It never grants a permission unless the host requires it: that would override
        the user's rules.
        """
        if request.phase in ("prompt", "agent"):
            return None
        if request.phase == "before":
            fields = self.before(request, decisions[0])
        else:
            fields = self.after(request, decisions)
        nested = [name for name in self.NESTED_FIELDS if name in fields]
        if nested:
            inner = {name: fields.pop(name) for name in nested}
            fields["hookSpecificOutput"] = {"hookEventName": request.event, **inner}
        return fields or None

    def before(self, request: Request, decision: Decision) -> dict[str, Any]:
        """Return the fields of an answer before a call runs; empty for no answer."""
        words = decision.text[:LIMIT]
        # A refusal without a reason would tell the model nothing.
        if decision.action == "refuse" and words and self.REFUSES:
            return {**self.REFUSAL, self.REASON_FIELD: words}
        context = {}
        if words and "note" not in self.SAID_AFTER:
            context[self.TEXT_FIELD] = words
        if decision.action != "rewrite" or not self.REWRITES:
            return context
        changed = self.changed(request.exchanges[0].call, decision)
        if not changed:
            return context
        return {**self.APPROVAL, self.INPUT_FIELD: changed, **context}

    def changed(self, call: ToolCall, decision: Decision) -> Any:
        """Return the whole corrected input, or what changes of it: see `MERGES`."""
        old, new = call.arguments, decision.arguments
        if not self.MERGES:
            return {**old, **new}
        return {
            name: value
            for name, value in new.items()
            if name not in old or old[name] != value
        }

    def after(self, request: Request, decisions: Sequence[Decision]) -> dict[str, Any]:
        """Return the fields of an answer after calls have run; empty for no answer."""
        answers: list[str] = []
        room = LIMIT
        for decision in decisions:
            if not decision.text or decision.repeated:
                continue
            # Only the first may be cut: half an answer about another call misleads.
            if answers and len(decision.text) > room:
                continue
            answers.append(decision.text[:room])
            room -= len(answers[-1])
        if not answers:
            return {}
        return {self.TEXT_FIELD: "\n\n".join(answers)}

    def rules(self, files: Mapping[str, str], environ: Environ, root: str) -> Rules:
        """Return what the host's rules for a project deny; `files` are the texts of the
        existing `rule_files`.
        """
        return host_rules.Rules()

    def takes(self, call: ToolCall, changed: Mapping[str, Any]) -> bool:
        """Return whether the host runs a call with these changed arguments."""
        return True

    def shows_written(self, tool: str) -> bool:
        """Return whether the box that asks the user about a corrected call of `tool`
        shows the call as it was written.
        """
        return self.CORRECTED_BOXES is not None and tool not in self.CORRECTED_BOXES

    def hook(self, client: str, timeout: int) -> dict[str, Any]:
        """Return an entry that runs a client and always exits with status 0.

        In most programs status 2 blocks the call, which is Python's status for a
        missing script; in some any status but 0 does, such as 127 for a missing client.
        """
        return {"type": "command", "command": f"{client} || true", "timeout": timeout}

    def tools(self) -> str:
        """Return a pattern for the tools that are checked, or run a sub-agent."""
        checked = self.ONLY_TOOLS or (*self.PATH_TOOLS, *self.COMMAND_TOOLS)
        return "|".join((*checked, *self.AGENT_TOOLS))

    def rule_files(self, environ: Environ, root: str) -> Sequence[str]:
        """Return the files, absolute, with the host's permission rules for a project; a
        `*` in a name matches any text.
        """
        places = self._files(self.RULE_FILES, environ, root)
        return [os.path.join(folder, name) for folder, name in places]

    def hooks(self, environ: Environ, root: str) -> protocol.Hooks:
        """Return where other hooks that see a call before it runs may be configured;
        `root` is the project's, absolute, or "" for none.
        """
        fields: dict[str, Any] = {"settings": ((), (), ()), **self.OTHER_HOOKS}
        for name in ("settings", "programs", "plugins"):
            if name in fields:
                fields[name] = tuple(self._files(fields[name], environ, root))
        if self.SETTINGS_VARIABLE in environ:
            fields["settings"] += (os.path.split(environ[self.SETTINGS_VARIABLE]),)
        first_event = next(iter(self.EVENTS)).lower()
        fields["events"] = (first_event, *fields.get("events", ()))
        return protocol.Hooks(**fields)

    def folder(self, environ: Environ) -> str:
        """Return the host's own folder, absolute."""
        folder, variable = self.HOME_FOLDER
        chosen = environ.get(variable)
        if chosen:
            return chosen
        configs = environ.get("XDG_CONFIG_HOME", "")
        # The specification of XDG: a relative path is invalid and ignored.
        if folder.startswith(".config/") and configs.startswith("/"):
            return f"{configs}/{folder.removeprefix('.config/')}"
        return f"{environ.get('HOME', '')}/{folder}".removesuffix("/")

    def _files(
        self, scopes: Scopes, environ: Environ, root: str
    ) -> Iterator[protocol.Where]:
        """Yield the files of each scope; those of a project may be in any folder from
        its root down to where the agent was started.
        """
        system, user, project = scopes
        for path in system:
            if path.startswith("~/"):
                yield environ.get("HOME", ""), path[2:]
            else:
                yield os.path.split(path)
        for name in user:
            yield self.folder(environ), name
        if not root:
            return
        for folder in host_rules.folders(root, environ.get(self.START_VARIABLE)):
            for name in project:
                yield folder, name

    def pieces(self, client: str, *, timeout: int = 10) -> tuple[Piece, ...]:
        """Return the files that make the host call truepath; by default JSON settings.

        Args:
            client: A shell command that answers the host's events,
                `/usr/bin/truepath-hook NAME`. If it is removed one day, the files must
                block nothing.
            timeout: Seconds after which the host goes on without an answer.
        """
        hook = self.hook(client, timeout)
        entry = hook if self.FLAT_ENTRIES else {"hooks": [hook]}
        entries = {}
        for event, phase in self.EVENTS.items():
            # A batch and a prompt are of no tool, so a matcher would match nothing.
            usual = f"^({self.tools()})$" if phase in ("before", "failure") else ""
            tools = self.MATCHERS.get(event, usual)
            entries[event] = [{"matcher": tools, **entry} if tools else entry]
        content = {**self.SETTINGS_HEAD, "hooks": entries}
        return (protocol.Piece(*self.INSTALL_FILES, content),)
