"""How Codex is run against the scripted model."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from clients import rig
from clients.script import Turn

from truepath.hosts.codex import host as codex

PACKAGE = "@openai/codex"
HOOK = f"'{sys.executable}' -m truepath hook codex"
TRUST = ("--dangerously-bypass-hook-trust",)
"""Hooks that nobody has reviewed are skipped without a word."""

UNBOUND = ("--dangerously-bypass-approvals-and-sandbox",)

CONFIG = """\
model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 0
stream_max_retries = 0
[projects."{root}"]
trust_level = "trusted"
"""


def run(
    place: Path,
    turns: list[Turn],
    *,
    root: Path | None = None,
    hook: str = HOOK,
    record: bool = True,
    rules: str = "",
    sources: Path = rig.PROJECT / "src",
    args: tuple[str, ...] = UNBOUND,
    prompt: str = "go",
    timeout: int = 10,
    environ: dict[str, str] | None = None,
) -> rig.Ran:
    """Run `codex exec` in `root` with `hook` on every event of ours."""
    root = root or rig.make_project(place)
    command = rig.recorded(hook, place) if record else hook
    settings = rig.content(codex.setup(command, timeout=timeout))
    home = place / "home" / ".codex"
    home.mkdir(parents=True, exist_ok=True)
    (home / "hooks.json").write_text(json.dumps(settings))
    (home / "config.toml").write_text(CONFIG.replace("{root}", str(root)))
    if rules:
        (home / "rules").mkdir(exist_ok=True)
        (home / "rules" / "default.rules").write_text(rules)
    env = rig.environment(
        place,
        CODEX_HOME=str(home),
        OPENAI_API_KEY="none",
        PYTHONPATH=str(sources),
        **(environ or {}),
    )
    model = 'model_providers.scripted.base_url="{model}/v1"'
    words = ["exec", "-c", model, *args, *TRUST, prompt]
    return rig.run([str(rig.program("codex")), *words], turns, cwd=root, env=env, place=place)
