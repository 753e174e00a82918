"""Messages for a model whose host passes them on only after a call: kept before, sent after.

Knows no host and has no words of its own. The session keeps the messages, because another
process sees the end of the call.
"""

from __future__ import annotations

import json
from time import time

from truepath.records import replace
from truepath.session.keys import key
from truepath.session.loops import current

TYPE_CHECKING = False  # `typing` itself would cost a hook as much as half an interpreter
if TYPE_CHECKING:
    from collections.abc import Callable

    from truepath.session.loops import SessionState
    from truepath.session.stores import Store
    from truepath.types import Decision, ToolCall

MOST = 16
"""Calls at once whose words are kept."""


class DeferredMessages:
    """The messages that wait for the end of a project's calls."""

    def __init__(self, store: Store, project: str) -> None:
        """Take where sessions are, and the project that names them."""
        self._store, self._project = store, project
        self._due: list[tuple[ToolCall, str]] = []

    def before(self, call: ToolCall, decision: Decision) -> None:
        """Note the message of a call that goes on."""
        if decision.action in ("rewrite", "advise") and decision.text:
            runs = replace(call, arguments={**call.arguments, **decision.arguments})
            self._due.append((runs, decision.text))

    def told_by(self, answer: bytes, deliver: Callable[[bytes], None]) -> None:
        """Keep what was noted and hand the answer over; of one that is lost nothing is kept.

        A host may begin the call as soon as it is answered, so it is kept before.
        """
        for call, text in self._due:
            self._keep(call, text)
        lost = True
        try:
            deliver(answer)
            lost = False
        finally:
            for call, _ in self._due if lost else ():
                self._taken(call)

    def after(self, call: ToolCall, decision: Decision) -> Decision:
        """Return what to tell at a call's end, with what was kept for it."""
        from truepath.guard.messages import joined

        kept = self._taken(call)
        if not kept:
            return replace(decision, repeated=False)
        # What the failure would be told is what was kept, where the miss was seen before.
        new = "" if decision.repeated else decision.text
        text = joined([kept, new] if new else [kept])
        return replace(decision, action="advise", text=text, repeated=False)

    def _keep(self, call: ToolCall, text: str) -> None:
        turn, mark = _marks(call)

        def kept(state: SessionState) -> tuple[SessionState, None]:
            now = time()
            state = current(state, now)
            owed = (*_of_turn(state.owed, turn), mark + text)
            return replace(state, owed=owed[-MOST:], seen=now), None

        self._store.update(self._key(call), kept)

    def _taken(self, call: ToolCall) -> str:
        turn, mark = _marks(call)

        def take(state: SessionState) -> tuple[SessionState, str]:
            owed = _of_turn(state.owed, turn)
            found = next((each for each in owed if each.startswith(mark)), "")
            if found:
                owed.remove(found)
            return replace(state, owed=tuple(owed)), found.removeprefix(mark)

        name = self._key(call)
        return self._store.update(name, take) if self._store.knows(name) else ""

    def _key(self, call: ToolCall) -> str:
        return key(call.session, call.agent, self._project)


def _marks(call: ToolCall) -> tuple[str, str]:
    """Return the mark of a call's turn, and of the call itself, which begins with it.

    A call without an id is known by what it runs with.
    """
    turn = f"{_digest(call.turn)}."
    own = call.call_id or f"{call.tool} {json.dumps(call.arguments, sort_keys=True)}"
    return turn, f"{turn}{_digest(own)} "


def _of_turn(owed: tuple[str, ...], turn: str) -> list[str]:
    """Return what is owed within one turn: a call of another is over, told or not."""
    return [each for each in owed if each.startswith(turn)]


def _digest(text: str) -> str:
    from _blake2 import blake2b  # hashlib itself would load OpenSSL, 2 ms

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
