"""Build the map of one repository: `python -m truepath.project.history ROOT STORE`."""

from __future__ import annotations

import sys

from truepath.project.background import lower_priority
from truepath.project.history import History


def main(arguments: list[str]) -> int:
    """Build; return 0 when there is a map now, 1 when not, 2 when asked wrongly."""
    if len(arguments) != 2:
        return 2
    lower_priority()
    root, store = arguments
    return 0 if History(root, store=store).build() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
