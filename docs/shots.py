"""Take the pictures that Chromium draws: `make picture`.

They are the icon of the plugin, from the logo (the programs that list a plugin take a
square PNG of 512 pixels or more, and no SVG), and the page of an audit: that of the
README, of this repository's transcripts.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from truepath.cli import scenes

ROOT = Path(__file__).resolve().parents[1]
LOGO = ROOT / "docs/images/logo-light.svg"
ICON = ROOT / "plugins/truepath/.claude-plugin/icon.png"
AUDIT = ROOT / "docs/images/audit.png"

SIDE, MARGIN = 512, 48
"""Of the icon, in pixels."""

WIDTH, HEIGHT = 900, 1100
"""Of the audit's page: to the end of the missed paths."""

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


def audit_page(folder: Path) -> Path:
    """Audit the transcripts beside the demo's project; return the page's file."""
    project, page = folder / "orders", folder / "audit.html"
    project.mkdir()
    scenes.build(str(project))
    command = [
        sys.executable,
        "-m",
        "truepath",
        "audit",
        str(ROOT / "tests/transcripts"),
    ]
    options = ["--repo", str(project), "--html", str(page)]
    environ = {**os.environ, "TRUEPATH_STATE": str(folder / "state")}
    subprocess.run([*command, *options], env=environ, check=True, capture_output=True)
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
        needed = "the icon and the audit's page need chromium"
        sys.exit(f"make picture: {needed} (Debian: apt install chromium)")
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        shoot(chromium, icon_page(folder), ICON, SIDE, SIDE)
        shoot(chromium, audit_page(folder), AUDIT, WIDTH, HEIGHT)


if __name__ == "__main__":
    main()
