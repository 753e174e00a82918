"""Draw the icon of the plugin from the logo, with Chromium: `make icon`.

The programs that list a plugin take a square PNG of 512 pixels or more, and no SVG.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

LOGO = Path(__file__).parent / "images/logo-light.svg"
ICON = Path(__file__).parent.parent / "plugins/truepath/.claude-plugin/icon.png"
SIDE, MARGIN = 512, 48
"""In pixels."""

PAGE = """<!doctype html>
<style>
body {{ margin: 0; background: #fff }}
svg {{ display: block; margin: {margin}px; width: {drawn}px; height: {drawn}px }}
</style>
{logo}
"""


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("make icon: needs chromium (Debian: apt install chromium)")
    logo = LOGO.read_text(encoding="utf-8")
    with TemporaryDirectory() as folder:
        page = Path(folder, "icon.html")
        html = PAGE.format(margin=MARGIN, drawn=SIDE - 2 * MARGIN, logo=logo)
        page.write_text(html, encoding="utf-8")
        command = [
            chromium,
            "--headless",
            "--no-sandbox",
            "--hide-scrollbars",
            f"--user-data-dir={folder}/profile",
            f"--window-size={SIDE},{SIDE}",
            f"--screenshot={ICON}",
            page.as_uri(),
        ]
        subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    main()
