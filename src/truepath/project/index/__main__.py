"""Build the index of one project: `python -m truepath.project.index ROOT STORE`."""

from __future__ import annotations

import sys

from truepath.project.background import lower_priority
from truepath.project.index.build import build
from truepath.project.kept import kept_in


def main(arguments: list[str]) -> int:
    """Build; return 0 when there is an index now, 1 when not, 2 when asked wrongly."""
    if len(arguments) != 2:
        return 2
    lower_priority()
    root, store = arguments
    built = build(root, store)
    for kept in kept_in(store):
        if kept.is_gone:
            kept.remove()
    return 0 if built else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
