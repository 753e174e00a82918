"""Making agent programs call us, and making them forget us: their settings, changed and put back.

Knows the tables of the hosts and the disk; no terminal, no engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from truepath.errors import Error


class InstallError(Error):
    """Settings cannot be changed as asked; one line that says which and why. Nothing was lost."""

    def __init__(self, text: str, by_hand: Mapping[str, Any] | None = None) -> None:
        """Take the line, and the entries that the user can put there by hand."""
        super().__init__(text)
        self.by_hand = by_hand
