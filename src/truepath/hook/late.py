"""Messages for a model whose host passes them on only after a call: kept before, sent after.

Knows no host and has no words of its own. The session keeps the messages, because another
process sees the end of the call.
"""

from __future__ import annotations

import json
from time import time

from truepath.records import replace
from truepath.session.keys import key
from truepath.session.loops import SessionState, current
from truepath.session.stores import Store
from truepath.types import Decision, ToolCall

MOST = 16
"""Calls at once whose words are kept."""


class DeferredMessages:
    """The messages that wait for the end of a project's calls."""

    def __init__(self, store: Store, project: str) -> None:
        """Take where sessions are, and the project that names them."""
        self._store, self._project = store, project

    def before(self, call: ToolCall, decision: Decision) -> None:
        """Keep the message of a call that goes on; one that was kept for the like of it, which
        then never ran, is dropped.
        """
        mark = _mark(replace(call, arguments={**call.arguments, **decision.arguments}))
        said = decision.text if decision.action in ("rewrite", "advise") else ""

        def kept(state: SessionState) -> tuple[SessionState, None]:
            now = time()
            state = current(state, now)
            owed = [each for each in state.owed if not each.startswith(mark)]
            owed += [mark + said] if said else []
            return replace(state, owed=tuple(owed[-MOST:]), seen=now if said else state.seen), None

        if said or self._store.knows(self._key(call)):
            self._store.update(self._key(call), kept)

    def after(self, call: ToolCall, decision: Decision) -> Decision:
        """Return what to tell at a call's end, with what was kept for it."""
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
        # What the failure would be told is what was kept, where the miss was seen before.
        new = "" if decision.repeated else decision.text
        text = joined([kept, new] if new else [kept])
        return replace(decision, action="advise", text=text, repeated=False)

    def prompted(self, call: ToolCall) -> None:
        """Drop all that is kept: once the user speaks, the calls are over."""
        if self._store.knows(self._key(call)):
            self._store.update(self._key(call), lambda state: (replace(state, owed=()), None))

    def _key(self, call: ToolCall) -> str:
        return key(call.session, call.agent, self._project)


def _mark(call: ToolCall) -> str:
    """Return what tells a call from others: its id, or what it runs with."""
    from _blake2 import blake2b  # hashlib itself would load OpenSSL, 2 ms

    own = call.call_id or f"{call.tool} {json.dumps(call.arguments, sort_keys=True)}"
    return f"{blake2b(own.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()} "
