"""How pi is run against the scripted model."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from clients import plugins, rig
from clients.script import Turn

from truepath.hosts.pi import host as pi

PACKAGE = "@mariozechner/pi-coding-agent"
HOOK = f"'{sys.executable}' -m truepath hook pi"
TOOLS = "read,edit,write,bash,grep,find,ls"
"""The last three are off by default."""


def run(
    place: Path,
    turns: list[Turn],
    *,
    root: Path | None = None,
    hook: str = HOOK,
    record: bool = True,
    sources: Path = rig.PROJECT / "src",
    tools: str = TOOLS,
    prompt: str = "go",
    timeout: int = 10,
    environ: dict[str, str] | None = None,
) -> rig.Ran:
    """Run `pi -p` in `root` with an extension that asks `hook`."""
    root = root or rig.make_project(place)
    command = rig.recorded(hook, place) if record else hook
    env = rig.environment(
        place,
        PI_OFFLINE="1",
        PI_SKIP_VERSION_CHECK="1",
        PI_TELEMETRY="0",
        PYTHONPATH=str(sources),
        **(environ or {}),
    )
    plugins.put(pi.setup(command, timeout=timeout), place / "home")
    # pi takes the model's address from this file alone, and only `rig.run` knows it.
    models = place / "home/.pi/agent/models.json"
    write = f'printf %s "$MODELS" > \'{models}\' && exec "$@"'
    env["MODELS"] = json.dumps({"providers": {"scripted": _PROVIDER}})
    words = ["-p", "--provider", "scripted", "--model", "scripted", "--tools", tools, prompt]
    command = ["sh", "-c", write, "sh", str(rig.program("pi")), *words]
    return rig.run(command, turns, cwd=root, env=env, place=place)


_PROVIDER = {
    "baseUrl": "{model}/v1",
    "api": "openai-completions",
    "apiKey": "none",
    "models": [{"id": "scripted"}],
}
