"""One call of a tool that runs in this process: checked before it runs, explained after it failed.

For adapters of agent frameworks; `Guard.check` makes it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from truepath.calls.paths import find
from truepath.guard.aside import aside
from truepath.records import dataclass, replace
from truepath.session.turns import Turns
from truepath.types import Decision, Outcome, ToolCall

if TYPE_CHECKING:
    from truepath.resolve.workspace import Workspace


TURNS = Turns()
"""The turns of this process's event loops; sessions tell the calls of several guards apart."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A tool call and what to do with it. An error of truepath leaves the call as it came."""

    call: ToolCall
    """The call as the model made it."""
    decision: Decision
    explain: Callable[[ToolCall, Outcome], Decision]
    """`Guard.after`."""
    failing_open: Callable[[ToolCall], AbstractContextManager[object]]
    """`Guard.failing_open`."""

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments to run the tool with."""
        return dict(self.decision.arguments)

    @property
    def refusal(self) -> str:
        """What to answer in place of running the tool; empty where it runs."""
        return self.decision.text if self.decision.action == "refuse" else ""

    @property
    def note(self) -> str:
        """What the model should read with the result of the tool; empty for nothing."""
        return "" if self.decision.action == "refuse" else self.decision.text

    def failed(self, error: object) -> str:
        """Return what the model should read with the error of the tool; empty for nothing.

        Args:
            error: The error's text, or the exception.
        """
        explained = self.decision
        with self.failing_open(self.call):
            call = replace(self.call, arguments=self.decision.arguments)
            explained = self.explain(call, Outcome(error=str(error)))
        told = explained.text if explained.action == "advise" and not explained.repeated else ""
        return "\n".join(text for text in dict.fromkeys((self.note, told)) if text)

    async def afailed(self, error: object) -> str:
        """Do what `failed` does, for an event loop: the loop goes on meanwhile."""
        return await aside(lambda: self.failed(error))


def folder_of(workspace: Workspace, call: ToolCall) -> str | None:
    """Return the folder from which a call's relative paths start; None for the workspace's own.

    A function opens them from the process's working directory, unless it joins them to the root by
    itself: so what is there for one of the two is there. What is at neither is taken to be meant
    from there, if that is in the project.
    """
    root = workspace.root
    if call.cwd is not None or not workspace.on_disk:
        return call.cwd
    try:
        here = os.getcwd()
    except OSError:  # it was removed under the process
        return None
    if here == root or workspace.frame().cwd != root or not os.path.isdir(root):
        return None
    top = os.path.realpath(root)
    inside = os.path.join(here, "").startswith(os.path.join(top, ""))
    here = root + here[len(top) :] if inside else here
    if _all_there(call, here):
        return here
    return here if inside and not _all_there(call, root) else None


def _all_there(call: ToolCall, folder: str) -> bool:
    """Return whether all that has to be there for a call is there, seen from a folder."""
    made = ("write", "mkdir")
    old = [each.written for each in find(call).each if each.argument.operation not in made]
    return bool(old) and all(os.path.exists(os.path.join(folder, path)) for path in old)
