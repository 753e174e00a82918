"""`Guard.wrap`: what it takes, and what it says where that cannot be used.

Light, because every hook imports it with the guard; the work is done in `wrap`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

if TYPE_CHECKING:
    from truepath.resolve.workspace import Workspace
    from truepath.session.turns import Turns
    from truepath.types import Decision, Operation, ToolCall

Tool = TypeVar("Tool", bound=Callable[..., Any])
Refusal = Literal["raise", "return"]


class Wraps:
    """What can put itself around a function."""

    if TYPE_CHECKING:
        workspace: Workspace

        @property
        def _turns(self) -> Turns: ...

        def before(self, call: ToolCall, *, notes: bool = True) -> Decision: ...
        def failing_open(self, call: ToolCall) -> AbstractContextManager[object]: ...

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
