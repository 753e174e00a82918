"""How OpenCode is run against the scripted model."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from clients import plugins, rig
from clients.script import Turn

from truepath.hosts.opencode import host as opencode

PACKAGE = "opencode-ai"
HOOK = f"'{sys.executable}' -m truepath hook opencode"


def run(
    place: Path,
    turns: list[Turn],
    *,
    root: Path | None = None,
    hook: str = HOOK,
    record: bool = True,
    permission: dict[str, Any] | None = None,
    sources: Path = rig.PROJECT / "src",
    prompt: str = "go",
    timeout: int = 10,
    environ: dict[str, str] | None = None,
) -> rig.Ran:
    """Run `opencode run` in `root` with a plugin that asks `hook`."""
    root = root or rig.make_project(place)
    command = rig.recorded(hook, place) if record else hook
    env = rig.environment(
        place,
        OPENCODE_CONFIG_CONTENT=json.dumps(_config(permission or {})),
        OPENCODE_DISABLE_AUTOUPDATE="1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS="1",
        OPENCODE_DISABLE_LSP_DOWNLOAD="1",
        OPENCODE_DISABLE_MODELS_FETCH="1",
        # OpenCode fetches a package of types beside a plugin; from here it gets none, at once.
        npm_config_registry="{model}/npm/",
        npm_config_fetch_retries="0",
        PYTHONPATH=str(sources),
        **(environ or {}),
    )
    plugins.put(opencode.setup(command, timeout=timeout), place / "home")
    words = ["run", "--model", "scripted/scripted", prompt]
    return rig.run([str(rig.program("opencode")), *words], turns, cwd=root, env=env, place=place)


def _config(permission: dict[str, Any]) -> dict[str, Any]:
    model = {"name": "scripted", "tool_call": True, "limit": {"context": 100_000, "output": 4_000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "scripted",
        "options": {"baseURL": "{model}/v1", "apiKey": "none"},
        "models": {"scripted": model},
    }
    return {
        "autoupdate": False,
        "share": "disabled",
        "snapshot": False,
        "small_model": "scripted/scripted",
        "enabled_providers": ["scripted"],
        "provider": {"scripted": provider},
        "permission": permission,
    }
