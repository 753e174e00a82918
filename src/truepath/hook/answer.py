"""What the engine answers to one event of a host: its JSON, or nothing.

Knows no stdin and no stdout.
"""

from __future__ import annotations

import os

from truepath.guard.caller import Caller
from truepath.guard.guard import Guard
from truepath.hook.deadline import Alarm, left
from truepath.hook.record import recalled
from truepath.records import dataclass, field, replace

TYPE_CHECKING = False  # `typing` itself would cost a hook as much as half an interpreter
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from truepath.hook.late import DeferredMessages
    from truepath.hosts.host import Host
    from truepath.hosts.protocol import Request
    from truepath.hosts.rules import Rules
    from truepath.journal.event import Event
    from truepath.session.stores import Store
    from truepath.types import Action, Decision, Outcome, ToolCall

    Act = Callable[[], None]

WAIT = 1.0
"""Seconds that a miss may wait for names and history, and at most half of what is left of the
hook's: a refusal for want of them costs the agent a turn, which is several seconds."""

LARGEST = 4_000_000
"""Bytes of a file with permission rules; what is larger is nobody's."""

LOCK = 0.2
"""Seconds for a session's lock, which is held for some tenths of a millisecond; after that the call
is answered without what the session remembers."""

TURN_GAP_S = 0.05
"""Seconds between one call's answer and the start of the next call's hook within which both belong
to one model turn, where the host does not tell; no model takes its next turn that fast."""


@dataclass(slots=True)
class Delivery:
    """One answer on its way, and what it leaves behind once it has reached who asked: events, and
    words for later. A hook that gave up, or was ended by its host, has told nothing.
    """

    events: list[Event] = field(default_factory=list)
    """What happened, in order."""
    journal: Callable[[Event], None] | None = None
    """Where events are written down."""
    owed: list[tuple[Act, Act]] = field(default_factory=list)
    """How to keep words for the end of a call, and how to take them back. A host may begin the call
    as soon as it is answered, so they are kept just before."""

    def make(self, answer: bytes, deliver: Callable[[bytes], None]) -> None:
        """Hand an answer over, and record it unless that fails."""
        for keep, _ in self.owed:
            keep()
        try:
            deliver(answer)
        except BaseException:
            for _, take_back in self.owed:
                take_back()
            raise
        if self.journal is not None:
            for event in self.events:
                self.journal(event)


def reply(
    name: str,
    data: bytes,
    environ: Mapping[str, str],
    began: float,
    deliver: Callable[[bytes], None] = lambda _: None,
) -> bytes:
    """Return what the host called `name` is to read about the event in `data`: JSON, or nothing.

    Args:
        name: The host.
        data: The event.
        environ: The agent's environment.
        began: When the hook began, seconds since the epoch.
        deliver: Hands the answer to who asked; what it tells is recorded if that raises nothing.

    Raises:
        LookupError: There is no such host.
        ValueError: The event is no JSON.
    """
    from json import loads

    from truepath.hosts import find

    event = loads(data.removeprefix(b"\xef\xbb\xbf"))
    delivery = Delivery()
    known = isinstance(event, dict)
    said = answer(find(name), event, environ, began, delivery) if known else b""
    delivery.make(said, deliver)
    return said


def answer(
    host: Host,
    event: Mapping[str, Any],
    environ: Mapping[str, str],
    began: float,
    delivery: Delivery,
) -> bytes:
    """Return what `host` is to read about `event`: JSON, or nothing.

    Args:
        host: Who sent it.
        event: The event, parsed.
        environ: The agent's environment.
        began: When the hook began, seconds since the epoch.
        delivery: Gets what is to be done once the answer is there.
    """
    request = host.decode(event, environ)
    asked = request is not None and request.exchanges
    decisions = _decide(host, request, environ, began, delivery) if request and asked else None
    told = host.encode(request, decisions) if request and decisions else None
    return _dump(told) if told else b""


def _decide(
    host: Host, request: Request, environ: Mapping[str, str], began: float, delivery: Delivery
) -> list[Decision] | None:
    from truepath.project.root import find_root

    root = find_root(request.cwd, request.project)
    if root is None:
        return None
    with Alarm(left(began, environ)):
        rules = _rules(host, environ, root)
        guard, store = _guard(host, root, environ, began, rules, request, delivery=delivery)
        if request.phase == "prompt":
            guard.prompted(request.exchanges[0].call)
            return None
        late = _late(store, root) if request.late else None
        calls = [recalled(host, each.call, request.record) for each in request.exchanges]
        return [
            _answered(guard, call, each.outcome, late, delivery)
            for call, each in zip(calls, request.exchanges, strict=True)
        ]


def _guard(
    host: Host,
    root: str,
    environ: Mapping[str, str],
    began: float,
    rules: Rules,
    request: Request,
    *,
    delivery: Delivery,
) -> tuple[Guard, Store]:
    from truepath.config.settings import load
    from truepath.config.user_dirs import mend, state_folder
    from truepath.guard.defaults import journal_of
    from truepath.session.stores import usable_store

    mend(environ)
    settings = load(root, environ)
    settings = replace(settings, deny=(*settings.deny, *rules.hidden))
    # In files by default: the next event of this session is another process.
    store = usable_store(settings.store, state_folder(environ), lasting=True, wait=LOCK)
    delivery.journal = journal_of(settings)
    others = _others(host, environ, root, rules, heeds=settings.beside_hooks == "refuse")
    caller = Caller(
        refuses=request.refuses,
        rewrites=request.rewrites,
        notes=request.notes,
        others=others,
        turn_gap_s=TURN_GAP_S,
        began=began,
    )
    guard = Guard(
        root,
        settings=settings,
        on_event=delivery.events.append,
        store=store,
        timeout_s=min(WAIT, left(began, environ) / 2),
        caller=caller,
    )
    return guard, store


def _others(
    host: Host, environ: Mapping[str, str], root: str, rules: Rules, *, heeds: bool
) -> Callable[[ToolCall, Mapping[str, Any]], Action]:
    """Return what becomes of a call that would be made with other arguments.

    What the host's rules deny, as it was written or as corrected, is left to them. What other hooks
    have a say in is refused with the right path: they see a call only as its model wrote it.
    """

    def others(call: ToolCall, changed: Mapping[str, Any]) -> Action:
        for each in (call, replace(call, arguments=changed)):
            if rules.keep(each, root) or rules.forbids(each.tool, each.arguments):
                return "allow"
        if not heeds:
            return "rewrite"
        from truepath.hook.beside import passed_by

        return "refuse" if passed_by(host, environ, root, call.tool) else "rewrite"

    return others


def _late(store: Store, root: str) -> DeferredMessages:
    from truepath.hook.late import DeferredMessages

    return DeferredMessages(store, root)


def _rules(host: Host, environ: Mapping[str, str], root: str) -> Rules:
    """Return what the host's own rules deny."""
    from truepath.project.root import main_checkout, matching

    places = dict.fromkeys((root, main_checkout(root)))
    patterns = dict.fromkeys(each for at in places for each in host.rule_files(environ, at))
    found = (path for pattern in patterns for path in matching(*os.path.split(pattern)))
    return host.rules({path: _text(path) for path in found}, environ, root)


def _text(path: str) -> str:
    """Return what a file holds; nothing where it is no regular file of sane size."""
    from truepath.config.regular_file import read

    try:
        return read(path, LARGEST).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


def _answered(
    guard: Guard,
    call: ToolCall,
    outcome: Outcome | None,
    late: DeferredMessages | None,
    delivery: Delivery,
) -> Decision:
    if outcome is None:
        decision = _sayable(call.arguments, guard.before(call))
        if late:
            delivery.owed.append(late.owing(call, decision))
        return decision
    decision = _sayable(call.arguments, guard.after(call, outcome))
    return late.after(call, decision) if late else decision


def _sayable(arguments: Mapping[str, Any], decision: Decision) -> Decision:
    """Return `decision` fit for JSON: a name that is not UTF-8 can be shown, not passed on."""
    changed = [value for key, value in decision.arguments.items() if arguments.get(key) != value]
    if decision.action == "rewrite" and not all(map(_is_utf8, changed)):
        decision = replace(decision, action="advise", arguments=arguments)
    return replace(decision, text=decision.text.encode("utf-8", "replace").decode())


def _is_utf8(value: object) -> bool:
    try:
        str(value).encode()
    except UnicodeEncodeError:
        return False
    return True


def _dump(answer: Mapping[str, Any]) -> bytes:
    from json import dumps

    # Not a number is not JSON: such an input cannot be given back, so its call goes on as it came.
    return dumps(answer, allow_nan=False, separators=(",", ":")).encode("ascii")
