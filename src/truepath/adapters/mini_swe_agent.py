"""mini-swe-agent: an environment that checks the paths of every command before it runs.

Observed with mini-swe-agent 2.4.6.
"""

from __future__ import annotations

import uuid
from typing import Any

from truepath.guard.guard import Guard
from truepath.types import ToolCall


class GuardedEnvironment:
    """Wraps an environment whose commands run on this machine, in the guard's project.

    `DefaultAgent(model, GuardedEnvironment(LocalEnvironment(), guard))`. A note comes
    before the command's output; a refusal is an output with return code 1. The agent
    asks for the template variables after the commands of each message, so the commands
    in between are one turn.
    """

    def __init__(
        self, environment: Any, guard: Guard, *, approved: bool = False
    ) -> None:
        """Check the commands for `environment`.

        `approved` says whether a person approves each command, as in the mode `confirm`
        of `InteractiveAgent`: a wrong path is then refused with the right one, never
        corrected.
        """
        self._environment = environment
        self._guard = guard
        self._approved = approved
        self._session = uuid.uuid4().hex
        self._messages = 0

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the environment, such as its configuration."""
        return getattr(self._environment, name)

    def get_template_vars(self, **how: Any) -> dict[str, Any]:
        """Return the environment's template variables; a new turn begins."""
        self._messages += 1
        variables: dict[str, Any] = self._environment.get_template_vars(**how)
        return variables

    def execute(
        self, action: dict[str, Any], cwd: str = "", **how: Any
    ) -> dict[str, Any]:
        """Check a command, then run it."""
        folder = cwd or getattr(self._environment.config, "cwd", "") or None
        call = ToolCall(
            "bash",
            {"command": action.get("command", "")},
            cwd=folder,
            session=self._session,
            host="mini-swe-agent",
            search_tools=("find", "grep", "ls"),
            turn=f"message-{self._messages}" if self._messages else "",
            approved=self._approved,
        )
        checked = self._guard.check(call)
        # With the fields of `LocalEnvironment`'s own results (2.4.6).
        if checked.refusal:
            return {"output": checked.refusal, "returncode": 1, "exception_info": ""}
        # Without a command, the environment reports its own error.
        if action.get("command"):
            action = {**action, **checked.arguments}
        result: dict[str, Any] = self._environment.execute(action, cwd, **how)
        failed = result.get("returncode")
        note = checked.failed(result.get("output", "")) if failed else checked.note
        if not note:
            return result
        return {**result, "output": f"{note}\n{result['output']}"}
