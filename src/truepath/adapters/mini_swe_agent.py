"""mini-swe-agent: an environment that checks the paths of every command before it runs.

Observed with mini-swe-agent 2.4.6.
"""

from __future__ import annotations

import uuid
from typing import Any

from truepath.guard.guard import Guard
from truepath.types import ToolCall


class GuardedEnvironment:
    """Stands before an environment whose commands run on this machine, in the guard's project.

    `DefaultAgent(model, GuardedEnvironment(LocalEnvironment(), guard))`. A note precedes the
    command's output; a refusal is an output with return code 1. After the commands of a message the
    agent asks for the template variables, so that commands between two such questions are one turn.
    """

    def __init__(self, environment: Any, guard: Guard, *, approved: bool = False) -> None:
        """Check the commands that `environment` gets.

        Args:
            environment: What runs them.
            guard: What checks them.
            approved: Whether a person approves each command, as `InteractiveAgent` asks for in
                its mode `confirm`: none is changed then, and a wrong path is refused with the
                right one.
        """
        self._environment, self._guard, self._approved = environment, guard, approved
        self._session, self._asked = uuid.uuid4().hex, 0

    def __getattr__(self, name: str) -> Any:
        """Return what only the environment has, such as its configuration."""
        return getattr(self._environment, name)

    def get_template_vars(self, **how: Any) -> dict[str, Any]:
        """Return the environment's; what comes next is another turn."""
        self._asked += 1
        given: dict[str, Any] = self._environment.get_template_vars(**how)
        return given

    def execute(self, action: dict[str, Any], cwd: str = "", **how: Any) -> dict[str, Any]:
        """Check a command, then run it."""
        stands = cwd or getattr(self._environment.config, "cwd", "") or None
        call = ToolCall(
            "bash",
            {"command": action.get("command", "")},
            cwd=stands,
            session=self._session,
            host="mini-swe-agent",
            search_tools=("find", "grep", "ls"),
            turn=f"message-{self._asked}" if self._asked else "",
            approved=self._approved,
        )
        checked = self._guard.check(call)
        if checked.refusal:
            return {"output": checked.refusal, "returncode": 1, "exception_info": ""}
        given = {**action, **checked.arguments} if action.get("command") else action
        result: dict[str, Any] = self._environment.execute(given, cwd, **how)
        failed = result.get("returncode")
        note = checked.failed(result.get("output", "")) if failed else checked.note
        return {**result, "output": f"{note}\n{result['output']}"} if note else result
