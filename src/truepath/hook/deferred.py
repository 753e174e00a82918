"""Messages for hosts that show them only after a call: stored before it, sent after it.

The session stores them, because another process sees the end of the call.
"""

from __future__ import annotations

from time import time

from truepath.fields import digest
from truepath.guard.messages import joined
from truepath.records import replace
from truepath.session.keys import key
from truepath.session.state import SessionState
from truepath.session.stores import MemoryStore, Store
from truepath.types import Decision, ToolCall

MOST_MESSAGES = 16
"""Messages that are stored at once."""


class DeferredMessages:
    """The stored messages of a project's calls."""

    def __init__(self, store: Store, project: str) -> None:
        """Take the store of sessions and the project."""
        self._store = store
        self._project = project

    def before(self, call: ToolCall, decision: Decision) -> bool:
        """Store the message of a call that goes on, in place of one for an equal call
        that never ran; return whether another process will find it.
        """
        # The end of the call has its arguments as they were corrected.
        arguments = {**call.arguments, **decision.arguments}
        mark = _mark(replace(call, arguments=arguments))
        text = ""
        if decision.action in ("rewrite", "advise"):  # a refused call has no end
            text = decision.text

        def stored(state: SessionState) -> tuple[SessionState, None]:
            now = time()
            state = state.at(now)
            owed = [message for message in state.owed if not message.startswith(mark)]
            if text:
                owed.append(mark + text)
                state = replace(state, seen=now)
            return replace(state, owed=tuple(owed[-MOST_MESSAGES:])), None

        name = self._key(call)
        # A session that nobody knows owes nothing, so none is made for that.
        if text or self._store.knows(name):
            self._store.update(name, stored)
        return not (self._store.problem or isinstance(self._store, MemoryStore))

    def after(self, call: ToolCall, decision: Decision) -> Decision:
        """Return the decision at a call's end, with the message stored for it."""
        mark = _mark(call)

        def taken(state: SessionState) -> tuple[SessionState, str]:
            of_call = [message for message in state.owed if message.startswith(mark)]
            if not of_call:
                return state, ""
            owed = tuple(message for message in state.owed if message != of_call[0])
            return replace(state, owed=owed), of_call[0].removeprefix(mark)

        name = self._key(call)
        stored = ""
        if self._store.knows(name):
            stored = self._store.update(name, taken)
        # What was to be said of a correction is not so where it has another end.
        if not stored or decision.end:
            return replace(decision, repeated=False)
        texts = [stored]
        # If the miss was seen before, the failure's text is the stored one.
        if decision.text and not decision.repeated:
            texts.append(decision.text)
        return replace(decision, action="advise", text=joined(texts), repeated=False)

    def prompted(self, call: ToolCall) -> None:
        """Drop all messages: once the user types something, the calls are over."""
        name = self._key(call)
        if self._store.knows(name):
            self._store.update(name, lambda state: (replace(state, owed=()), None))

    def _key(self, call: ToolCall) -> str:
        return key(call.session, call.agent, self._project)


def _mark(call: ToolCall) -> str:
    """Return what identifies a call: its id, or its arguments."""
    arguments = sorted(call.arguments.items())
    return f"{digest(call.call_id or [call.tool, arguments])} "
