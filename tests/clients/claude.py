"""How Claude Code is run against the scripted model."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from clients import rig
from clients.script import Turn

from truepath.hosts.claude_code import host as claude_code

PACKAGE = "@anthropic-ai/claude-code"
HOOK = f"'{sys.executable}' -m truepath hook claude-code"
QUIET = {
    "ANTHROPIC_BASE_URL": "{model}",
    "ANTHROPIC_API_KEY": "none",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
}
"""The environment of a run that asks the scripted model, and nobody else."""

ALLOWED = ["Read", "Edit", "Write", "Bash", "Grep", "Glob", "NotebookEdit"]


def run(
    place: Path,
    turns: list[Turn],
    *,
    root: Path | None = None,
    hook: str = HOOK,
    record: bool = True,
    permissions: dict[str, Any] | None = None,
    sources: Path = rig.PROJECT / "src",
    args: tuple[str, ...] = (),
    prompt: str = "go",
    timeout: int = 10,
    environ: dict[str, str] | None = None,
) -> rig.Ran:
    """Run `claude -p` in `root` with `hook` on every event of ours."""
    root = root or rig.make_project(place)
    command = rig.recorded(hook, place) if record else hook
    settings: dict[str, Any] = dict(rig.content(claude_code.setup(command, timeout=timeout)))
    settings["permissions"] = permissions or {"allow": ALLOWED}
    file = place / "settings.json"
    file.write_text(json.dumps(settings))
    env = rig.environment(
        place,
        **QUIET,
        PYTHONPATH=str(sources),
        **(environ or {}),
    )
    command = [str(rig.program("claude")), "-p", prompt, "--settings", str(file), *args]
    return rig.run(command, turns, cwd=root, env=env, place=place)
