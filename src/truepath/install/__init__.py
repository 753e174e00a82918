"""Install truepath into agent programs' settings, and remove it. It must not know the
terminal.
"""

from __future__ import annotations

from truepath.errors import Error


class InstallError(Error):
    """Settings cannot be changed: one line says which and why. Nothing was lost."""

    def __init__(self, text: str, by_hand: str = "") -> None:
        """Take the line, and the entries that the user can add by hand."""
        super().__init__(text)
        self.by_hand = by_hand
