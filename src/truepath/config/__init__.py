"""Settings, the files they come from, and private files of the user.

Entrance: `settings.load`. It knows no project beyond its settings.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Mapping

OFF = ("0", "false", "no", "off")
"""What a variable holds that says no, in any case of letters."""


def is_off(environ: Mapping[str, str], variable: str) -> bool:
    """Return whether a variable is set to one of the words of `OFF`."""
    return environ.get(variable, "").strip().lower() in OFF
