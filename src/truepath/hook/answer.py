"""The engine's answer to one event of a host. It must not know standard input or
output.
"""

from __future__ import annotations

import os

from truepath import TYPE_CHECKING, Late
from truepath.config.files import matching, read
from truepath.config.settings import load
from truepath.config.user_dirs import distrust, named_state, state_folder
from truepath.errors import suppress
from truepath.fields import dumps
from truepath.guard.guard import Guard
from truepath.guard.messages import in_the_way, notice
from truepath.guard.reading import Caller
from truepath.guard.texts import CORRECTED
from truepath.hook.deadline import Alarm
from truepath.journal.journal import sink_of
from truepath.project.root import find_root, main_checkout
from truepath.records import replace
from truepath.session.state import TURN_GAP_S
from truepath.session.stores import usable_store
from truepath.types import ReadLimit

if TYPE_CHECKING:
    import json
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from truepath.config.settings import Settings
    from truepath.hook import deferred, other_hooks
    from truepath.hook.deferred import DeferredMessages
    from truepath.hosts.host import Host
    from truepath.hosts.protocol import Exchange, Request
    from truepath.hosts.rules import Rules
    from truepath.journal.event import Event
    from truepath.types import Action, Decision, ToolCall
else:
    json = Late("json")
    deferred = Late("truepath.hook.deferred")
    other_hooks = Late("truepath.hook.other_hooks")

LARGEST_RULES = 4_000_000
"""Bytes of a file with permission rules, at most."""

LOCK = 0.2
"""Seconds to wait for a session's lock; after that, the call is answered without the
session."""


def reply(
    host: Host,
    event: Mapping[str, Any],
    environ: Mapping[str, str],
    began: float,
    deliver: Callable[[bytes], None] = lambda _: None,
) -> bytes:
    """Return the answer to an event: JSON, or nothing.

    `began` is when the hook began, in seconds since the epoch. `deliver` sends the
    answer to the host; the journal's events are recorded unless it raises.
    """
    request = host.decode(event, environ, ended=True)
    if request is None:
        deliver(b"")
        return b""
    answer = _Answer(host, request, environ, began)
    decisions = answer.decisions()
    fields = host.encode(request, decisions) if decisions else None
    said = b""
    if fields:
        notice = answer.notice(decisions) if host.USER_FIELD else ""
        if notice:
            fields[host.USER_FIELD] = notice
        # NaN is not JSON: a call with one cannot be corrected, so it goes on unchanged.
        text = dumps(fields, allow_nan=False)
        said = text.encode("ascii")
    deliver(said)
    is_told = bool(said) or request.phase != "before" or "note" in host.SAID_AFTER
    for recorded in answer.events:
        untold = recorded.event.replace(".advised", ".observed")
        answer.journal(recorded if is_told else replace(recorded, event=untold))
    return said


class _Answer:
    """The answer to one event, and the journal's events, which are recorded once it is
    delivered: a hook that gave up, or was ended by its host, has answered nothing.
    """

    def __init__(
        self, host: Host, request: Request, environ: Mapping[str, str], began: float
    ) -> None:
        self._host = host
        self._request = request
        self._environ = environ
        self._began = began
        self.events: list[Event] = []
        self.journal: Callable[[Event], None] = lambda _: None
        self._deferred: DeferredMessages | None = None
        self._root = ""
        self._notices = False

    def decisions(self) -> list[Decision]:
        """Decide about each call; none if there is no project."""
        request = self._request
        root = find_root(request.cwd, request.project)
        if root is None:
            return []
        with Alarm(self._began, self._environ):
            guard = self._guard(root)
            if request.phase not in ("prompt", "agent"):
                return [self._decision(guard, each) for each in request.exchanges]
            typed = request.phase == "prompt"
            guard.prompted(request.exchanges[0].call, typed=typed)
            # Beside a call that runs a sub-agent, others may still owe their notes.
            if self._deferred and request.phase == "prompt":
                self._deferred.prompted(request.exchanges[0].call)
        return []

    def notice(self, decisions: Sequence[Decision]) -> str:
        """Return the line that the user is shown of paths that were changed, of a
        change that was dropped, and of refusals that the host does not show; "" for
        none.
        """
        actions = ["rewrite"] if self._host.REFUSALS_SHOWN else ["rewrite", "refuse"]
        shown = [
            decision
            for decision in decisions
            if decision.action in actions or decision.end == "dropped"
        ]
        if not shown or not self._notices:
            return ""
        return notice(shown, self._root)

    def _guard(self, root: str) -> Guard:
        environ = self._environ
        if why := distrust(named_state(environ)):
            os.write(2, f"truepath hook {self._host.NAME}: {why}\n".encode())
        rules = _rules(self._host, environ, root)
        settings = load(root, environ)
        self._root = root
        self._notices = settings.notices
        # What the host would not show is not named either.
        settings = replace(settings, deny=(*settings.deny, *rules.hidden))
        # In files by default, because the next event of this session is another
        # process.
        store = usable_store(
            settings.store, state_folder(environ), lasting=True, wait=LOCK
        )
        self.journal = sink_of(settings)
        if self._host.SAID_AFTER:
            self._deferred = deferred.DeferredMessages(store, root)
        limits = {}
        for tool, fields in self._host.READ_LIMITS.items():
            limits[tool] = ReadLimit(**fields)
        caller = Caller(
            refuses=self._host.REFUSES,
            rewrites=self._host.REWRITES,
            notes=self._host.SHOWS_NOTES,
            limits=limits,
            others=self._others(root, rules, settings),
            shown_as_written=lambda call, changed: (
                self._host.shows_written(call.tool)
                and rules.asks(replace(call, arguments=changed))
            ),
            withheld=rules.asked,
            turn_gap_s=TURN_GAP_S,
            began=self._began,
            here=False,
            results=self._host.RESULTS,
        )
        return Guard(
            root,
            settings=settings,
            on_event=self.events.append,
            store=store,
            caller=caller,
        )

    def _others(
        self, root: str, rules: Rules, settings: Settings
    ) -> Callable[[ToolCall, Mapping[str, Any]], Action]:
        """Return what happens to a call that would be corrected.

        If a rule of the host denies it, as written or as corrected, it is left to the
        host. If the host would not run it on the new path, or cannot be told that, or
        another hook sees it only as it was written, it is refused with the right path.
        """

        def others(call: ToolCall, changed: Mapping[str, Any]) -> Action:
            corrected = replace(call, arguments=changed)
            # Asked of both, because a host applies some rules to one of them only.
            if any(
                rules.keep(each, root) or rules.forbids(each.tool, each.arguments)
                for each in (call, corrected)
            ):
                return "allow"
            takes_path = call.tool in self._host.PATH_TOOLS
            if takes_path and rules.names_outside(corrected, root):
                return "refuse"
            is_json = _is_json(call.arguments, changed)
            if not (is_json and self._host.takes(call, changed)):
                return "refuse"
            if settings.beside_hooks == "rewrite":
                return "rewrite"

            harmless = settings.harmless_hooks
            passes = other_hooks.passed_by(
                self._host, self._environ, root, call.tool, harmless
            )
            return "refuse" if passes else "rewrite"

        return others

    def _decision(self, guard: Guard, exchange: Exchange) -> Decision:
        call = exchange.call
        if exchange.outcome is not None:
            decision = _sayable(guard.after(call, exchange.outcome))
            if self._deferred is None:
                return decision
            told = self._deferred.after(call, decision)
            # Where notes come before a call, what they told is not told again.
            is_owed = "note" in self._host.SAID_AFTER or told.text != decision.text
            return told if is_owed and not exchange.outcome.declined else decision
        decision = _sayable(guard.before(call))
        # The advised call runs, and such a tool makes the file that is missing.
        if decision.action == "advise" and call.tool in self._host.CREATING_TOOLS:
            decision = replace(decision, text=in_the_way(decision))
        code = (decision.payload or {}).get("code")
        said = "OK" if code == CORRECTED else "note"
        if self._deferred is None or said not in self._host.SAID_AFTER:
            return decision
        is_kept = self._deferred.before(call, decision)
        is_said = decision.action == "refuse" or not is_kept
        return decision if is_said else replace(decision, text="")


def _rules(host: Host, environ: Mapping[str, str], root: str) -> Rules:
    """Return the host's rules for a project; for a linked work tree, those of the main
    one count too.
    """
    patterns: dict[str, None] = {}
    for folder in (root, main_checkout(root)):
        patterns.update(dict.fromkeys(host.rule_files(environ, folder)))
    texts: dict[str, str] = {}
    for pattern in patterns:
        for path in matching(*os.path.split(pattern)):
            texts[path] = ""  # of one that cannot be read, or is too large
            with suppress(OSError, ValueError):
                texts[path] = read(path, LARGEST_RULES).decode("utf-8", "replace")
    return host.rules(texts, environ, root)


def _is_json(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Return whether JSON can carry the arguments that differ: a name that is not UTF-8
    can be shown, but not used.
    """
    changed = [value for name, value in new.items() if old.get(name) != value]
    try:
        for value in changed:
            # A path is nearly always a text, for which no encoder is loaded.
            is_text = isinstance(value, str)
            text = value if is_text else json.dumps(value, ensure_ascii=False)
            text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _sayable(decision: Decision) -> Decision:
    """Return a decision whose text is UTF-8."""
    text = decision.text.encode("utf-8", "replace").decode()
    return replace(decision, text=text)
