"""Take the picture that Chromium draws: `make picture`.

It is the icon of the plugin, from the logo: the programs that list a plugin take a
square PNG of 512 pixels or more, and no SVG.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
LOGO = ROOT / "docs/images/logo-light.svg"
ICON = ROOT / "plugins/truepath/.claude-plugin/icon.png"

SIDE, MARGIN = 512, 48
"""Of the icon, in pixels."""

ICON_PAGE = """<!doctype html>
<style>
body {{ margin: 0; background: #fff }}
svg {{ display: block; margin: {margin}px; width: {drawn}px; height: {drawn}px }}
</style>
{logo}
"""


def icon_page(folder: Path) -> Path:
    """Write the page that has the logo alone; return its file."""
    page = folder / "icon.html"
    logo = LOGO.read_text(encoding="utf-8")
    html = ICON_PAGE.format(margin=MARGIN, drawn=SIDE - 2 * MARGIN, logo=logo)
    page.write_text(html, encoding="utf-8")
    return page


def shoot(chromium: str, page: Path, picture: Path, width: int, height: int) -> None:
    """Write what Chromium shows of a page."""
    command = [
        chromium,
        "--headless",
        "--no-sandbox",
        "--hide-scrollbars",
        f"--user-data-dir={page.parent}/profile",
        f"--window-size={width},{height}",
        f"--screenshot={picture}",
        page.as_uri(),
    ]
    subprocess.run(command, check=True, capture_output=True)


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("make picture: the icon needs chromium (Debian: apt install chromium)")
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        shoot(chromium, icon_page(folder), ICON, SIDE, SIDE)


if __name__ == "__main__":
    main()
