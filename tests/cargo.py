"""Whether cargo builds the native client here; as a program, print why not, with status
1.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile


def why_not() -> str:
    """Return why no cargo runs here; "" if one does.

    One of rustup's does nothing in a home without a toolchain, and makes `~/.rustup`
    there when it is asked, so it is asked with a folder of its own."""
    if shutil.which("cargo") is None:
        return "no cargo here: apt-get install cargo"
    home = os.environ.get("RUSTUP_HOME") or os.path.expanduser("~/.rustup")
    with tempfile.TemporaryDirectory() as folder:
        own = {
            "RUSTUP_HOME": home if os.path.isdir(home) else folder,
            "RUSTUP_AUTO_INSTALL": "0",
        }
        done = subprocess.run(
            ["cargo", "--version"],
            env={**os.environ, **own},
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    said = done.stderr.strip().partition("\n")[0].removeprefix("error: ")
    return f"cargo does not run here: {said}" if done.returncode else ""


if __name__ == "__main__":
    reason = why_not()
    if reason:
        sys.stdout.write(f"the native client is left out: {reason}\n")
    sys.exit(bool(reason))
