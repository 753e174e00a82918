"""Reads the events of all hosts and writes the answers, by what a host's table says.

A host is one file with one subclass of `Host`: its attributes are the table (see `Table`), and a
method that it overrides is a quirk of its program. A host reads no disk and no clock, decides
nothing and words nothing.
"""

from __future__ import annotations

import os

from truepath.hosts.fields import field, table, text
from truepath.hosts.table import Table

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from truepath.hosts import protocol
    from truepath.hosts.protocol import Environ, Event, Exchange, Phase, Piece, Request
    from truepath.hosts.rules import Rules
    from truepath.hosts.table import Scopes
    from truepath.types import Decision, Outcome, ToolCall

LIMIT = 9_000
"""Characters of an answer's text. Above 10,000 Claude Code writes it to a file, Codex cuts it and
Cursor drops it; the other programs were seen to take more, or their documents name no limit."""


class Host(Table):
    """An agent program with hooks."""

    def decode(self, event: Event, environ: Environ) -> Request | None:
        """Return the event as a `Request`, or None for one that truepath does not answer."""
        from truepath.hosts.protocol import Request

        name = text(event, self.EVENT)
        phase = self.EVENTS.get(name)
        if phase is None or event.get("is_interrupt") or self.ignores(event, environ):
            return None
        cwd = self.cwd(event, environ)
        exchanges = tuple(self.exchanges(event, phase, cwd))
        if not exchanges:
            return None
        return Request(
            phase=phase,
            event=name,
            exchanges=exchanges,
            project=self.project(event, environ),
            cwd=cwd,
        )

    def ignores(self, event: Event, environ: Environ) -> bool:  # noqa: ARG002
        """Whether an event is not ours to answer, such as one that another program sent."""
        return False

    def project(self, event: Event, environ: Environ) -> str | None:
        """Return the project's folder as the host names it, absolute."""
        variable, name = self.PROJECT
        return environ.get(variable) or text(event, name) or None

    def cwd(self, event: Event, environ: Environ) -> str | None:
        """Return the agent's working directory, absolute; by default the project."""
        return text(event, self.CWD) or self.project(event, environ)

    def exchanges(self, event: Event, phase: Phase, cwd: str | None) -> Iterator[Exchange]:
        """Yield what of an event is to be looked at: one call, or those of a batch."""
        from truepath.hosts.protocol import Exchange

        tool = text(event, self.TOOL)
        if phase == "batch":
            yield from (
                Exchange(self.call(each, event, cwd), came) for each, came in self.batch(event)
            )
        elif phase == "prompt" or (tool in self.TOOLS if self.TOOLS else tool):
            outcome = self.outcome(event) if phase == "failure" else None
            if outcome is not None or phase != "failure":
                yield Exchange(self.call(event, event, cwd), outcome)

    def call(self, entry: Event, event: Event, cwd: str | None) -> ToolCall:
        """Return a tool call; its part of the event is `entry`, which may be all of it."""
        from truepath.types import ToolCall

        turn = field(event, self.TURN)
        return ToolCall(
            tool=text(entry, self.TOOL),
            arguments=table(entry, self.ARGUMENTS),
            session=text(event, self.SESSION),
            agent=text(event, self.AGENT),
            cwd=cwd,
            host=self.NAME,
            call_id=text(entry, self.CALL_ID),
            turn=str(turn) if isinstance(turn, (str, int)) else "",
            prompt=text(event, self.PROMPT),
            search_tools=self.SEARCH,
        )

    def outcome(self, event: Event) -> Outcome | None:
        """Return what came of a call that has run; None where nothing is to be said of it."""
        from truepath.types import Outcome

        error = text(event, self.ERROR)
        return Outcome(error=error) if error else None

    def batch(self, event: Event) -> Iterable[tuple[Event, Outcome | None]]:  # noqa: ARG002
        """Return the calls of a batch that no other event showed, and what came of them."""
        return ()

    def encode(self, request: Request, decisions: Sequence[Decision]) -> dict[str, Any] | None:
        """Return the host's JSON for one decision an exchange, in order; None to say nothing.

        It never holds a permission that the host does not insist on: that would lift the user's own
        rules.
        """
        if request.phase == "prompt":
            return None
        before = request.phase == "before"
        said = self.before(request, decisions[0]) if before else self.after(request, decisions)
        inner = {name: said.pop(name) for name in self.NESTED if name in said}
        if inner:
            said["hookSpecificOutput"] = {"hookEventName": request.event, **inner}
        return said or None

    def before(self, request: Request, decision: Decision) -> dict[str, Any]:
        """Return the fields of an answer before a call runs; none to say nothing."""
        words = decision.text[:LIMIT]
        if decision.action == "refuse" and words and self.REFUSES:
            return {**self.REFUSAL, self.REASON: words}
        context = {self.WORDS: words} if words and not self.LATE else {}
        if decision.action != "rewrite" or not self.REWRITES:
            return context
        changed = self.changed(request.exchanges[0].call, decision)
        return {**self.APPROVAL, self.INPUT: changed, **context} if changed else context

    def changed(self, call: ToolCall, decision: Decision) -> Any:
        """Return a corrected input. It takes the place of the whole: none may be left out."""
        return {**call.arguments, **decision.arguments}

    def after(self, request: Request, decisions: Sequence[Decision]) -> dict[str, Any]:  # noqa: ARG002
        """Return the fields of an answer after calls have run; none to say nothing."""
        told: list[str] = []
        for decision in decisions:
            room = LIMIT - sum(map(len, told))
            wanted = decision.text and not decision.repeated
            if wanted and (not told or len(decision.text) <= room):
                told.append(decision.text[:room])
        return {self.WORDS: "\n\n".join(told)} if told else {}

    def rules(self, files: Mapping[str, str], environ: Environ, root: str) -> Rules:  # noqa: ARG002
        """Return what the host's rules for a project deny; `files` holds the text of each of the
        `rule_files` that is there.
        """
        from truepath.hosts.rules import Rules

        return Rules()

    def hook(self, client: str, timeout: int) -> dict[str, Any]:
        """Return an entry that runs a client and always ends with status 0.

        Status 2 blocks the call in most programs, and 2 is what Python gives for a script that is
        gone; in some any status but 0 does, 127 of a client that is gone among them.
        """
        return {"type": "command", "command": f"{client} || true", "timeout": timeout}

    def tools(self) -> str:
        """Return a pattern for the tools whose calls are looked at."""
        return "|".join(self.TOOLS or (*self.PATHS, *self.COMMANDS))

    def rule_files(self, environ: Environ, root: str) -> Sequence[str]:
        """Return the files, absolute, in which the host keeps permission rules for a project; a `*`
        in a name stands for any text.
        """
        return [os.path.join(*each) for each in self._files(self.RULE_FILES, environ, root)]

    def hooks(self, environ: Environ, root: str) -> protocol.Hooks:
        """Return where other hooks may be that see a call before it runs, the user's above all;
        `root` is that of the project, absolute, or "" for none.
        """
        from truepath.hosts.protocol import Hooks

        found: dict[str, Any] = {"settings": ((), (), ()), **self.BESIDE}
        for name in {"settings", "programs", "plugins"} & {*found}:
            found[name] = tuple(self._files(found[name], environ, root))
        if self.SETTINGS in environ:
            found["settings"] += (os.path.split(environ[self.SETTINGS]),)
        first = [name.lower() for name, phase in self.EVENTS.items() if phase == "before"]
        return Hooks(**{**found, "events": (*first, *found.get("events", ()))})

    def folder(self, environ: Environ) -> str:
        """Return the host's own folder, absolute."""
        folder, variable = self.HOME
        configs = environ.get("XDG_CONFIG_HOME", "")
        if folder.startswith(".config/") and configs[:1] == "/":
            own = f"{configs}/{folder.removeprefix('.config/')}"
        else:
            own = f"{environ.get('HOME', '')}/{folder}".removesuffix("/")
        return environ.get(variable) or own

    def _files(self, scopes: Scopes, environ: Environ, root: str) -> Iterator[protocol.Where]:
        """Yield the files of each scope. A project's own may be in any folder from its root down to
        where the agent was started; without a root there are none.
        """
        from truepath.hosts.rules import folders

        system, user, project = scopes
        for path in system:
            home = environ.get("HOME", "")
            yield (home, path[2:]) if path.startswith("~/") else os.path.split(path)
        yield from ((self.folder(environ), name) for name in user)
        places = folders(root, environ.get(self.START)) if root else []
        yield from ((at, name) for at in places for name in project)

    def pieces(self, client: str, *, timeout: int = 10) -> tuple[Piece, ...]:
        """Return the files that make the host call us, by settings in JSON unless it says else.

        Args:
            client: A shell command that answers the host's events, `/usr/bin/truepath-hook NAME`.
                It may be gone one day, and what the host is told must then block nothing.
            timeout: Seconds until the host is to go on without an answer.
        """
        from truepath.hosts.protocol import Piece

        hook = self.hook(client, timeout)
        entry = hook if self.FLAT else {"hooks": [hook]}
        listed = {}
        for event, phase in self.EVENTS.items():
            usual = f"^({self.tools()})$" if phase in ("before", "failure") else ""
            tools = self.MATCHERS.get(event, usual)
            listed[event] = [{"matcher": tools, **entry} if tools else entry]
        content: Any = {"version": 1, "hooks": listed} if self.FLAT else {"hooks": listed}
        if self.OURS:
            from json import dumps

            content = dumps(content, indent=2) + "\n"
        return (Piece(*self.FILES, content),)
