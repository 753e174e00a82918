"""How Gemini CLI is run against the scripted model."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from clients import rig
from clients.script import Turn

from truepath.hosts.gemini_cli import host as gemini_cli

PACKAGE = "@google/gemini-cli"
HOOK = f"'{sys.executable}' -m truepath hook gemini"
UNBOUND = ("--approval-mode", "yolo")

SETTINGS: dict[str, Any] = {
    "security": {
        "auth": {"selectedType": "gemini-api-key"},
        "folderTrust": {"enabled": False},
    },
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
}


def run(
    place: Path,
    turns: list[Turn],
    *,
    root: Path | None = None,
    hook: str | list[str] = HOOK,
    record: bool = True,
    rules: str = "",
    sources: Path = rig.PROJECT / "src",
    args: tuple[str, ...] = UNBOUND,
    prompt: str = "go",
    timeout: int = 10,
    environ: dict[str, str] | None = None,
) -> rig.Ran:
    """Run `gemini -p` in `root` with `hook`, or each of several, on every event of ours."""
    root = root or rig.make_project(place)
    commands = [hook] if isinstance(hook, str) else hook
    if record:
        commands = [script(place, rig.recorded(each, place)) for each in commands]
    hooks: dict[str, list[Any]] = {}
    for command in commands:
        for event, groups in rig.content(gemini_cli.setup(command, timeout=timeout))[
            "hooks"
        ].items():
            hooks.setdefault(event, []).extend(groups)
    home = place / "home" / ".gemini"
    home.mkdir(parents=True, exist_ok=True)
    (home / "settings.json").write_text(json.dumps({**SETTINGS, "hooks": hooks}))
    if rules:
        (home / "policies").mkdir()
        (home / "policies" / "rules.toml").write_text(rules)
    words = ["-m", "gemini-2.5-flash", *args, "-p", prompt]
    env = environment(place, sources, **(environ or {}))
    return rig.run([str(rig.program("gemini")), *words], turns, cwd=root, env=env, place=place)


def script(place: Path, line: str) -> str:
    """Return a command of one program, as a client is, that does what `line` says."""
    file = place / "truepath-hook.sh"  # ours by name: beside others nothing is corrected
    file.write_text(f"{line}\n")
    return f"sh '{file}'"


def environment(place: Path, sources: Path = rig.PROJECT / "src", **more: str) -> dict[str, str]:
    return rig.environment(
        place,
        **{
            "GOOGLE_GEMINI_BASE_URL": "{model}",
            "GEMINI_API_KEY": "none",
            "GEMINI_TELEMETRY_ENABLED": "false",
            "PYTHONPATH": str(sources),
            **more,
        },
    )
