"""Write `docs/examples.md`: ten wrong paths, what came of each, and why.

`python docs/examples.py` asks a guard about each, in the repository of `truepath demo`;
the reason is the sentence of the row that decided.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from truepath import Decision, Guard, ToolCall
from truepath.cli import scenes
from truepath.cli.explain import entries
from truepath.config.settings import Settings

PAGE = Path(__file__).with_name("examples.md")

HEAD = """# Ten wrong paths

What an agent asks for, what truepath does, what the agent reads, and why. The project
is that of `truepath demo`: in git, with `specs/` renamed to `docs/`, and
`backend/app/legacy_export.py` deleted. The policy is `careful`, the default. `python
docs/examples.py` asks truepath and writes this page. [How it
decides](how-it-decides.md) has all rules, and `truepath explain NAME` prints one.
"""


@dataclass(frozen=True)
class Example:
    """A call, and what is worth saying of its answer; `before` are calls before it."""

    title: str
    tool: str
    arguments: Mapping[str, str]
    why: str
    before: Sequence[Mapping[str, str]] = ()


EXAMPLES: Sequence[Example] = (
    Example(
        "A file that was moved",
        "read_file",
        {"path": "specs/status.md"},
        "Git records the rename, and nothing else could have been meant.",
    ),
    Example(
        "The same in a command that only looks",
        "bash",
        {"command": "cat specs/status.md | head -n 3"},
        "Every program in the line is a listed reader, and nothing is written.",
    ),
    Example(
        "Folders left out",
        "read_file",
        {"path": "services/invoices.py"},
        "One path ends in all that was written.",
    ),
    Example(
        "A misspelt name",
        "read_file",
        {"path": "docs/roadmaps.md"},
        "A like name proves nothing, but a read of the likely file does no harm: it is "
        "shown, and the note says so. An edit would be refused.",
    ),
    Example(
        "Two files that may be meant",
        "edit_file",
        {"path": "app/config.py", "old_text": "# Config", "new_text": "# Settings"},
        "Both end in the written path, and both hold the text. Nothing is chosen.",
    ),
    Example(
        "A deletion",
        "bash",
        {"command": "rm specs/roadmap.md"},
        "What deletes is never changed by default: the agent is told the right path.",
    ),
    Example(
        "A script that is run",
        "bash",
        {"command": "bash scripts/deploy.sh --all"},
        "What a script does is not known, so another one is not run in its place.",
    ),
    Example(
        "A file that is gone",
        "read_file",
        {"path": "backend/app/legacy_export.py"},
        "Git records the deletion. Nothing in the project takes its place.",
    ),
    Example(
        "A new file in a folder that looks misspelt",
        "write_file",
        {"path": "frontend/src/component/InvoiceTable.tsx", "content": "x"},
        "A new file is never led elsewhere; a likely typo is asked about once.",
    ),
    Example(
        "One guess after another",
        "read_file",
        {"path": "app/payment.py"},
        "Three misses in a row for one target: another guess will not find it.",
        before=({"path": "backend/app/payment.py"}, {"path": "backend/payment.py"}),
    ),
)


def page() -> str:
    """Return the page."""
    with TemporaryDirectory() as folder:
        root = os.path.realpath(folder)
        scenes.build(root)
        guard = Guard(root, settings=Settings(store="memory:"))
        parts = [part for each in EXAMPLES for part in _section(guard, each)]
    return "\n".join([HEAD, *parts])


def _section(guard: Guard, example: Example) -> Iterator[str]:
    for turn, arguments in enumerate((*example.before, example.arguments)):
        call = ToolCall(example.tool, arguments, session=example.title, turn=str(turn))
        decision = guard.before(call)
    asked = ", ".join(f"{name}: {value}" for name, value in example.arguments.items())
    yield f"## {example.title}\n"
    yield f"```text\nasks   {example.tool}  {asked}"
    yield f"gets   {_done(example, decision)}"
    for place, line in enumerate(decision.text.splitlines()):
        yield f"{'' if place else 'reads':7}{line}"
    yield "```\n"
    yield f"{example.why}{_rows(decision)}\n"


def _done(example: Example, decision: Decision) -> str:
    """Return what was done with the call."""
    if decision.action != "rewrite":
        return {"allow": "runs as it is", "refuse": "does not run"}[decision.action]
    changed = [
        str(value)
        for name, value in decision.arguments.items()
        if value != example.arguments[name]
    ]
    return f"runs with  {', '.join(changed)}"


def _rows(decision: Decision) -> str:
    """Return the names of the rows that decided."""
    known = {entry.name for entry in entries()}
    names: list[str] = []
    for resolution in decision.resolutions:
        names += [each.reason for each in resolution.candidates[:1]]
        names += resolution.held_back
    names = [name for name in names if name in known]
    return f" (`{'`, `'.join(dict.fromkeys(names))}`)" if names else ""


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
