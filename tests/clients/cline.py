"""How Cline CLI is run against the scripted model."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from clients import rig
from clients.script import Turn

from truepath.hosts.cline import host as cline

PACKAGE = "cline"
HOOK = f"'{sys.executable}' -m truepath hook cline"

_KIND = "openai-compatible"
_SETTINGS = {"provider": _KIND, "apiKey": "none", "model": "scripted", "baseUrl": "{model}/v1"}
PROVIDERS = {
    "version": 1,
    "lastUsedProvider": _KIND,
    "providers": {
        _KIND: {
            "settings": _SETTINGS,
            "updatedAt": "2026-01-01T00:00:00.000Z",
            "tokenSource": "manual",
        }
    },
}

PREPARED = ("sh", "-c", 'printf %s "$1" > "$2"; shift 2; exec "$@"', "sh")
"""Writes a file before a command runs: where the model listens is not known earlier."""


def run(
    place: Path,
    turns: list[Turn],
    *,
    root: Path | None = None,
    cwd: str = "",
    hook: str = HOOK,
    record: bool = True,
    sources: Path = rig.PROJECT / "src",
    args: tuple[str, ...] = (),
    prompt: str = "please go now",
    timeout: int = 10,
    environ: dict[str, str] | None = None,
) -> rig.Ran:
    """Run `cline` in a folder `cwd` of `root` with `hook` on every event of ours."""
    root = root or rig.make_project(place)
    command = rig.recorded(hook, place) if record else hook
    for piece in cline.setup(command, timeout=timeout).pieces:
        file = place / "home" / ".cline" / piece.user
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(str(piece.content))
        file.chmod(0o755)
    env = rig.environment(
        place,
        CLINE_TELEMETRY_DISABLED="1",
        POSTHOG_TELEMETRY_ENABLED="false",
        CLINE_NO_AUTO_UPDATE="1",
        PYTHONPATH=str(sources),
        **(environ or {}),
    )
    file = place / "home/.cline/data/settings/providers.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    words = [*PREPARED, json.dumps(PROVIDERS), str(file), str(rig.program("cline"))]
    words += ["-P", _KIND, "-m", "scripted", *args, prompt]
    return rig.run(words, turns, cwd=root / cwd, env=env, place=place)
