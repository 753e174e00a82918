"""Draw the picture of the README from a real run: `make picture`.

An agent reads a file that has moved, in the demo's repository, without truepath and
with it. The commands and all that they print are from this run.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap

from truepath import Guard, Workspace
from truepath.cli import scenes
from truepath.config.settings import Settings

IMAGES = Path(__file__).parent / "images"

WITHOUT = (
    "cat specs/status.md",
    "ls specs",
    "find . -name status.md",
    "cat docs/status.md",
)
"""What an agent does that has to find the file by itself. With truepath, the first is
enough."""

WIDTH, MARGIN, LINE, GAP, COLUMNS = 720, 31, 29, 7, 56
"""In the picture's own units: 56 letters a line are 11 pixels high on a phone 400
pixels wide."""

TITLE = "A coding agent reads a file that has moved"

THEMES = {
    "light": ("#ffffff", "#d0d7de", "#1f2328", "#59636e", "#b42318", "#116329"),
    "dark": ("#0d1117", "#3d444d", "#f0f6fc", "#9ea7b3", "#ff8e86", "#56d364"),
}
"""The colours of the paper, its edge, text, what tools print, trouble, and success."""

STYLE = """
rect {{ fill: {}; stroke: {}; stroke-width: 2 }}
text {{ font: 19.5px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace }}
text {{ fill: {} }}
path {{ fill: none; stroke-width: 6; stroke-linecap: round }}
.head {{ font-weight: bold }}
text.printed {{ fill: {} }}
text.bad {{ fill: {bad} }}
path.bad {{ stroke: {bad} }}
text.good {{ fill: {good} }}
path.good {{ stroke: {good} }}
"""


def sessions(root: str) -> dict[str, list[tuple[str, str]]]:
    """Return the commands of both agents, each with what the agent reads."""

    def bash(command: str) -> str:
        shell = ["sh", "-c", command]
        environ = {**os.environ, "LC_ALL": "C"}
        ran = subprocess.run(
            shell, cwd=root, env=environ, capture_output=True, check=False
        )
        return (ran.stdout + ran.stderr).decode()

    settings = Settings(store="memory:", journal=False)
    workspace = Workspace(root, timeout_s=10.0)
    guarded = Guard(workspace=workspace, settings=settings, cwd=root).wrap(bash)
    return {
        "Without truepath": [(command, bash(command)) for command in WITHOUT],
        "With truepath": [(WITHOUT[0], guarded(WITHOUT[0]))],
    }


def drawn(shown: dict[str, list[tuple[str, str]]], colours: tuple[str, ...]) -> str:
    """Return the sessions as SVG, in the colours of a theme."""
    y = MARGIN + 14.0
    parts = [text(TITLE, "head", MARGIN, y)]
    for (title, calls), colour in zip(shown.items(), ("bad", "good"), strict=True):
        y += LINE + 4 * GAP
        top = y
        count = "1 call" if len(calls) == 1 else f"{len(calls)} calls"
        parts.append(text(title, f"{colour} head", MARGIN, y))
        parts.append(text(count, f"{colour} head", WIDTH - MARGIN, y, "end"))
        for line, kind, step in lines(calls):
            y += step
            parts.append(text(line, kind, MARGIN, y))
        parts.append(f'<path class="{colour}" d="M{MARGIN - 15} {top - 14}V{y}"/>')
    height = y + MARGIN
    told = "; ".join(
        f"{title}, {len(calls)}: {', '.join(command for command, _ in calls)}"
        for title, calls in shown.items()
    )
    size = f'viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}"'
    names = 'role="img" aria-labelledby="title desc"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {names}>',
        f'<title id="title">{TITLE}</title>',
        f'<desc id="desc">The calls of an agent. {escape(told)}.</desc>',
        f"<style>{STYLE.format(*colours[:4], bad=colours[4], good=colours[5])}</style>",
        f'<rect x="1" y="1" width="{WIDTH - 2}" height="{height - 2:g}" rx="14"/>',
    )
    return "\n".join((*head, *parts, "</svg>\n"))


def lines(calls: list[tuple[str, str]]) -> Iterator[tuple[str, str, float]]:
    """Yield each line of a session, its class, and how far it is below the last one."""
    for command, answer in calls:
        yield f"$ {command}", "command", LINE + GAP
        for line in answer.splitlines():
            for row in wrap(line, COLUMNS, break_on_hyphens=False):
                yield row, kind_of(line), LINE


def kind_of(line: str) -> str:
    if "No such file" in line:
        return "bad"
    return "good" if line.startswith(("PATH_", "OK: ")) else "printed"


def text(what: str, kind: str, x: float, y: float, anchor: str = "start") -> str:
    """Return one line of text, as text."""
    place = f'class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}"'
    return f"<text {place}>{escape(what, quote=False)}</text>"


def pictures() -> dict[Path, str]:
    """Return the text of each file, the same each time."""
    with TemporaryDirectory() as folder:
        os.environ["TRUEPATH_STATE"] = f"{folder}/state"
        root = f"{folder}/orders"
        os.mkdir(root)
        scenes.build(root)
        shown = sessions(root)
    return {
        IMAGES / f"session-{name}.svg": drawn(shown, THEMES[name]) for name in THEMES
    }


if __name__ == "__main__":
    for file, picture in pictures().items():
        file.write_text(picture, encoding="utf-8", newline="\n")
