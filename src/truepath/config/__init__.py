"""Settings, the files they come from, and the user's private files. Entrance:
`settings.load`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Mapping

SWITCHES = ("TRUEPATH", "CLAUDE_RESOLVE_PATH")
"""Environment variables; either turns truepath off."""

DOCUMENTS = frozenset(
    ("SKILL.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md", "README.md", "CONTRIBUTING.md")
)
"""Files that name paths from their own folder, and are read to act upon them."""


def is_off(environ: Mapping[str, str], variable: str) -> bool:
    """Return whether a variable is set to a word that means no."""
    return environ.get(variable, "").strip().lower() in ("0", "false", "no", "off")


def switched_off(environ: Mapping[str, str]) -> bool:
    """Return whether an environment variable turns truepath off."""
    return any(is_off(environ, name) for name in SWITCHES)
