"""How Qwen Code is run against the scripted model."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from clients import rig
from clients.script import Turn

from truepath.hosts.qwen_code import host as qwen_code

PACKAGE = "@qwen-code/qwen-code"
HOOK = f"'{sys.executable}' -m truepath hook qwen"
UNBOUND = ("--approval-mode", "yolo")

SETTINGS: dict[str, Any] = {
    "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
}


def run(
    place: Path,
    turns: list[Turn],
    *,
    root: Path | None = None,
    hook: str | list[str] = HOOK,
    record: bool = True,
    permissions: dict[str, Any] | None = None,
    sources: Path = rig.PROJECT / "src",
    args: tuple[str, ...] = UNBOUND,
    prompt: str = "go",
    timeout: int = 10,
    environ: dict[str, str] | None = None,
) -> rig.Ran:
    """Run `qwen -p` in `root` with `hook`, or each of several, on every event of ours."""
    root = root or rig.make_project(place)
    commands = [hook] if isinstance(hook, str) else hook
    hooks: dict[str, list[Any]] = {}
    for each in commands:
        command = rig.recorded(each, place) if record else each
        for event, groups in rig.content(qwen_code.setup(command, timeout=timeout))[
            "hooks"
        ].items():
            hooks.setdefault(event, []).extend(groups)
    settings = {**SETTINGS, "hooks": hooks, "permissions": permissions or {}}
    home = place / "home" / ".qwen"
    home.mkdir(parents=True, exist_ok=True)
    (home / "settings.json").write_text(json.dumps(settings))
    env = rig.environment(
        place,
        OPENAI_BASE_URL="{model}/v1",
        OPENAI_API_KEY="none",
        OPENAI_MODEL="scripted",
        QWEN_TELEMETRY_ENABLED="false",
        PYTHONPATH=str(sources),
        **(environ or {}),
    )
    words = ["--auth-type", "openai", *args, "-p", prompt]
    return rig.run([str(rig.program("qwen")), *words], turns, cwd=root, env=env, place=place)
