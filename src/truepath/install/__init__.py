"""Making agent programs call us, and making them forget us: their settings, changed and put back.

Knows the tables of the hosts and the disk; no terminal, no engine.
"""

from __future__ import annotations

from truepath.errors import Error


class InstallError(Error):
    """Settings cannot be changed as asked; one line that says which and why. Nothing was lost."""
