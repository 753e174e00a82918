"""mini-swe-agent: an environment that checks the paths of every command before it runs.

Observed with mini-swe-agent 2.4.6.
"""

from __future__ import annotations

from typing import Any

from truepath.guard.guard import Guard
from truepath.types import ToolCall


class GuardedEnvironment:
    """Stands before an environment whose commands run on this machine, in the guard's project.

    `DefaultAgent(model, GuardedEnvironment(LocalEnvironment(), guard))`. A note precedes the
    command's output; a refusal is an output with return code 1.
    """

    def __init__(self, environment: Any, guard: Guard) -> None:
        """Check the commands that `environment` gets."""
        self._environment, self._guard = environment, guard

    def __getattr__(self, name: str) -> Any:
        """Return what only the environment has: its configuration, its template variables."""
        return getattr(self._environment, name)

    def execute(self, action: dict[str, Any], cwd: str = "", **how: Any) -> dict[str, Any]:
        """Check a command, then run it."""
        stands = cwd or getattr(self._environment.config, "cwd", "") or None
        command = {"command": action.get("command", "")}
        call = ToolCall("bash", command, cwd=stands, session=str(id(self)), host="mini-swe-agent")
        checked = self._guard.check(call)
        if checked.refusal:
            return {"output": checked.refusal, "returncode": 1, "exception_info": ""}
        given = {**action, **checked.arguments} if action.get("command") else action
        result: dict[str, Any] = self._environment.execute(given, cwd, **how)
        failed = result.get("returncode")
        note = checked.failed(result.get("output", "")) if failed else checked.note
        return {**result, "output": f"{note}\n{result['output']}"} if note else result
