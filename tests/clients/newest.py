"""The newest version of each agent program beside the one that is tested, from npm.

python tests/clients/newest.py
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PINNED = Path(__file__).with_name("package.json")


def main() -> None:
    packages = json.loads(PINNED.read_text("utf-8"))["dependencies"]
    for name, tested in packages.items():
        newest = published(name)
        mark = "" if newest == tested else "  <- newer"
        sys.stdout.write(f"{name:36} {tested:12} {newest}{mark}\n")


def published(name: str) -> str:
    """Return the version of a package that npm installs by default; a question mark
    where it does not answer.
    """
    words = ["npm", "view", name, "version"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "?"


if __name__ == "__main__":
    main()
