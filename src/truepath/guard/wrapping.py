"""The doors for Python programs: `Guard.wrap` for functions, `Guard.check` for adapters.

Light, because every hook imports it with the guard; `wrap` and `checked` do the work.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

if TYPE_CHECKING:
    from truepath.guard.checked import Checked
    from truepath.resolve.workspace import Workspace
    from truepath.session.turns import Turns
    from truepath.types import Decision, Operation, Outcome, ToolCall

Tool = TypeVar("Tool", bound=Callable[..., Any])
Refusal = Literal["raise", "return"]


class Wraps:
    """What can put itself around a function, and check the call of one."""

    _takes_states = False
    """Whether calls have come with a state: what is in it is not known before it is read."""

    if TYPE_CHECKING:
        workspace: Workspace

        @property
        def _turns(self) -> Turns: ...

        def before(self, call: ToolCall, *, notes: bool = True) -> Decision: ...
        def after(self, call: ToolCall, outcome: Outcome) -> Decision: ...
        def failing_open(self, call: ToolCall) -> AbstractContextManager[object]: ...

    def check(
        self,
        call: ToolCall,
        *,
        notes: bool = True,
        state: MutableMapping[str, Any] | None = None,
    ) -> Checked:
        """Decide on a call of a tool that runs in this process: `before`, as an adapter needs it.

        An error of truepath lets the call run as it came. Calls that the tasks of one event loop
        make at once are one turn, where the call names none; a relative path starts at the
        process's working directory or at the root, where the call names no folder. `notes` is as
        for `before`: whether the model reads the note beside the result. `state` is where the
        framework keeps what belongs to the session; what is remembered of it is kept there, as text
        under names that begin with `truepath`, in place of the guard's own store.
        """
        from truepath.guard.checked import Checked, stands
        from truepath.records import replace
        from truepath.session.stores.mapping import given
        from truepath.types import Decision

        def explain(call: ToolCall, outcome: Outcome) -> Decision:
            with given(state):
                return self.after(call, outcome)

        decision = Decision("allow", call.arguments)
        self._takes_states = self._takes_states or state is not None
        with self.failing_open(call), given(state):
            cwd = stands(self.workspace, call) if call.cwd is None else call.cwd
            call = replace(call, cwd=cwd, turn=call.turn or self._turns.current())
            decision = self.before(call, notes=notes)
        return Checked(call, decision, explain, self.failing_open)

    async def acheck(
        self,
        call: ToolCall,
        *,
        notes: bool = True,
        state: MutableMapping[str, Any] | None = None,
    ) -> Checked:
        """Do what `check` does, for an event loop: the loop goes on while a path is searched for.

        What exists on this machine is answered at once, without a thread.
        """
        from dataclasses import replace
        from functools import partial

        from truepath.guard.aside import aside
        from truepath.guard.checked import is_there

        at_once = False
        with self.failing_open(call):
            call = replace(call, turn=call.turn or self._turns.current())
            at_once = is_there(self.workspace, call)
        check = partial(self.check, call, notes=notes, state=state)
        return check() if at_once else await aside(check)

    @overload
    def wrap(
        self,
        tool: Tool,
        *,
        name: str | None = ...,
        operation: Operation | None = ...,
        paths: Sequence[str] | None = ...,
        session: str = ...,
        refusal: Refusal = ...,
        note: Callable[[str], object] | None = ...,
    ) -> Tool: ...

    @overload
    def wrap(
        self,
        tool: None = ...,
        *,
        name: str | None = ...,
        operation: Operation | None = ...,
        paths: Sequence[str] | None = ...,
        session: str = ...,
        refusal: Refusal = ...,
        note: Callable[[str], object] | None = ...,
    ) -> Callable[[Tool], Tool]: ...

    def wrap(
        self,
        tool: Callable[..., Any] | None = None,
        *,
        name: str | None = None,
        operation: Operation | None = None,
        paths: Sequence[str] | None = None,
        session: str = "",
        refusal: Refusal = "raise",
        note: Callable[[str], object] | None = None,
    ) -> Callable[..., Any]:
        """Return `tool` with its paths checked before it runs; without a tool, a decorator.

        Raises ConfigError where nothing would be checked.

        Args:
            tool: A function, plain or async. Parameters named like a path or annotated as one, and
                values that are a `Path`, are checked, defaults included.
            name: The tool's name, where it is not the function's.
            operation: What the tool does to its paths, where its name does not tell.
            paths: The names of the parameters that are paths, of a move the source first.
            session: The conversation that calls belong to.
            refusal: `raise` raises PathRefused; `return` returns the answer as the result.
            note: Told of a correction, in place of a result that is text. A likely file is shown
                only with it, or by a tool annotated to return `str`.
        """
        from truepath.guard.wrap import Wrapping, wrapped

        how = Wrapping(
            *(self.before, self.failing_open, self.workspace, self._turns),
            name=name,
            operation=operation,
            paths=paths,
            session=session,
            refusal=refusal,
            note=note,
        )
        return (lambda tool: wrapped(tool, how)) if tool is None else wrapped(tool, how)
