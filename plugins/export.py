"""Write the hooks of the plugin, for each program, from the table of hosts, and the
script in Gemini CLI's extension, a copy: the program copies its folder alone.

python plugins/export.py
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from truepath.hook.command import PLUGINS
from truepath.hosts import find

ROOT = Path(__file__).resolve().parents[1]

SHIPPED = {
    "claude-code": "plugins/truepath/hooks/hooks.json",
    "codex": "plugins/truepath/hooks/codex.json",
    "copilot": "plugins/truepath/hooks/copilot.json",
    "gemini": "plugins/gemini-cli/hooks/hooks.json",
    "qwen": "plugins/truepath/hooks/qwen.json",
}

TOLD = {"description": "Correct wrong paths, or say what is there."}
"""What a program shows beside the hooks."""

SHOW_IT = ("claude-code", "gemini")

SCRIPT = "bin/truepath-hook.sh"


def files() -> Iterator[tuple[Path, str]]:
    """Yield each file and its text."""
    for host, client in PLUGINS.items():
        [piece] = find(host).pieces(client)
        assert not isinstance(piece.content, str)
        told = TOLD if host in SHOW_IT else {}
        text = json.dumps({**told, **piece.content}, indent=2)
        yield ROOT / SHIPPED[host], text + "\n"
    script = (ROOT / "plugins/truepath" / SCRIPT).read_text("utf-8")
    yield ROOT / "plugins/gemini-cli" / SCRIPT, script


if __name__ == "__main__":
    for file, text in files():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
