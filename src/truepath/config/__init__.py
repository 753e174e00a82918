"""Settings, the files they come from, and private files of the user.

Entrance: `settings.load`. It knows no project beyond its settings.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Mapping

SWITCHES = ("TRUEPATH", "CLAUDE_RESOLVE_PATH")
"""Variables of which either switches everything off."""


def is_off(environ: Mapping[str, str], variable: str) -> bool:
    """Return whether a variable is set to a word that says no."""
    return environ.get(variable, "").strip().lower() in ("0", "false", "no", "off")


def switched_off(environ: Mapping[str, str]) -> bool:
    """Return whether the user has switched everything off by a variable."""
    return any(is_off(environ, name) for name in SWITCHES)
