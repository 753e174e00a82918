"""How GitHub Copilot CLI is run against the scripted model."""

from __future__ import annotations

import sys
from pathlib import Path

from clients import rig
from clients.script import Turn

from truepath.hosts.copilot_cli import host as copilot_cli

PACKAGE = "@github/copilot"
HOOK = f"'{sys.executable}' -m truepath hook copilot"
UNASKED = ("--allow-all-tools",)

WRITES_PATCHES = "gpt-5.5"
"""A model to which the program offers `apply_patch` and not `edit`."""


def run(
    place: Path,
    turns: list[Turn],
    *,
    root: Path | None = None,
    hook: str = HOOK,
    record: bool = True,
    sources: Path = rig.PROJECT / "src",
    args: tuple[str, ...] = UNASKED,
    prompt: str = "go",
    timeout: int = 10,
    model: str = "gpt-4.1",
    environ: dict[str, str] | None = None,
) -> rig.Ran:
    """Run `copilot -p` in `root` with `hook` on every event of ours."""
    root = root or rig.make_project(place)
    command = rig.recorded(hook, place) if record else hook
    [piece] = copilot_cli.setup(command, timeout=timeout).pieces
    file = place / "home" / ".copilot" / piece.user
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(str(piece.content))
    env = rig.environment(
        place,
        COPILOT_PROVIDER_BASE_URL="{model}/v1",
        COPILOT_PROVIDER_TYPE="openai",
        COPILOT_PROVIDER_API_KEY="none",
        COPILOT_MODEL=model,
        COPILOT_OFFLINE="true",
        COPILOT_AUTO_UPDATE="false",
        # The program unpacks 240 MB of itself into it, once.
        XDG_CACHE_HOME=str(rig.PLACE / "cache"),
        PYTHONPATH=str(sources),
        **(environ or {}),
    )
    words = ["-p", prompt, "--no-auto-update", *args]
    return rig.run([str(rig.program("copilot")), *words], turns, cwd=root, env=env, place=place)
