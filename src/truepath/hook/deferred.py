"""Messages for hosts that show them only after a call: stored before it, sent after it.

The session stores them, because another process sees the end of the call.
"""

from __future__ import annotations

import json
from time import time

from truepath.records import replace
from truepath.session.keys import key
from truepath.session.loops import SessionState, current
from truepath.session.stores import Store
from truepath.types import Decision, ToolCall

MOST_MESSAGES = 16
"""Messages that are stored at once."""


class DeferredMessages:
    """The stored messages of a project's calls."""

    def __init__(self, store: Store, project: str) -> None:
        """Take the store of sessions and the project."""
        self._store, self._project = store, project

    def before(self, call: ToolCall, decision: Decision) -> None:
        """Store the message of a call that goes on, in place of one for an equal call
        that never ran.
        """
        mark = _mark(replace(call, arguments={**call.arguments, **decision.arguments}))
        said = decision.text if decision.action in ("rewrite", "advise") else ""

        def kept(state: SessionState) -> tuple[SessionState, None]:
            now = time()
            state = current(state, now)
            owed = [each for each in state.owed if not each.startswith(mark)]
            owed += [mark + said] if said else []
            return replace(
                state,
                owed=tuple(owed[-MOST_MESSAGES:]),
                seen=now if said else state.seen,
            ), None

        if said or self._store.knows(self._key(call)):
            self._store.update(self._key(call), kept)

    def after(self, call: ToolCall, decision: Decision) -> Decision:
        """Return the decision at a call's end, with the message stored for it."""
        from truepath.guard.messages import joined

        mark = _mark(call)

        def take(state: SessionState) -> tuple[SessionState, str]:
            found = next((each for each in state.owed if each.startswith(mark)), "")
            owed = tuple(each for each in state.owed if each != found)
            return replace(state, owed=owed), found.removeprefix(mark)

        name = self._key(call)
        kept = self._store.update(name, take) if self._store.knows(name) else ""
        if not kept:
            return replace(decision, repeated=False)
        # If the miss was seen before, the failure's text is the stored one.
        new = "" if decision.repeated else decision.text
        text = joined([kept, new] if new else [kept])
        return replace(decision, action="advise", text=text, repeated=False)

    def prompted(self, call: ToolCall) -> None:
        """Drop all messages: once the user types something, the calls are over."""
        if self._store.knows(self._key(call)):
            self._store.update(
                self._key(call), lambda state: (replace(state, owed=()), None)
            )

    def _key(self, call: ToolCall) -> str:
        return key(call.session, call.agent, self._project)


def _mark(call: ToolCall) -> str:
    """Return what identifies a call: its id, or its arguments."""
    from _blake2 import blake2b  # hashlib would load OpenSSL (2 ms)

    own = call.call_id or f"{call.tool} {json.dumps(call.arguments, sort_keys=True)}"
    return (
        f"{blake2b(own.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()} "
    )
