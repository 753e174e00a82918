"""What the demo plays: a small project with a past, and the calls of an agent in it."""

from __future__ import annotations

import os
import time
from subprocess import run

from truepath.project.git import command, environment, git

FILES = """
.gitignore LICENSE README.md specs/roadmap.md specs/status.md
backend/app/__init__.py backend/app/config.py
backend/app/legacy_export.py backend/app/main.py
backend/app/services/__init__.py
backend/app/services/cache.py backend/app/services/invoices.py
backend/tests/api/test_file.py backend/tests/services/test_cache_simple.py
frontend/checks/test_file.py frontend/src/App.tsx frontend/src/components/OrderTable.tsx
scripts/deploy_staging.sh scripts/release/deploy.sh
worker/app/config.py worker/app/retry_queue.py
"""
"""The first commit. The second renames `specs` to `docs`, the third deletes the old
export."""

LEGEND = (
    "In a small git repository, the folder specs/ was renamed to docs/. For each tool "
    "call: what the agent asks for, what truepath does with it, and what the agent "
    "reads then."
)
"""What comes first."""

SCENES = {
    "A path that exists: the call runs as it is": (
        "read_file",
        "path",
        "docs/status.md",
    ),
    "A file that was moved: the path is corrected": (
        "read_file",
        "path",
        "specs/status.md",
    ),
    "A misspelt name: the likely file is shown": (
        "read_file",
        "path",
        "docs/roadmaps.md",
    ),
    "An edit that may mean two files: refused": ("edit_file", "path", "app/config.py"),
    "A path in a shell command": ("bash", "command", "cat specs/status.md | head -n 3"),
    "A deletion is not corrected by default": (
        "bash",
        "command",
        "rm specs/roadmap.md",
    ),
    "One guess after another: the agent is told to look first": (
        *("read_file", "path"),
        *("backend/app/payment.py", "backend/payment.py"),
    ),
}
"""Title of a conversation -> the tool, the argument, and its value in each call."""

_BEGAN = 1_771_848_000
"""When the first commit was made (2026-02-23), the others a day later each: so hashes
are the same everywhere. The sessions in `tests/transcripts` are of the week after."""

_SECONDS = 10.0
"""Seconds that git may take to make the project."""


def build(folder: str) -> None:
    """Make the project in an empty folder: a git repository with three commits.

    Raises:
        GitError: git is not installed.
    """
    start = ""
    for name in FILES.split():
        title = os.path.basename(name).partition(".")[0].capitalize()
        start += f"M 100644 inline {name}\n" + _data(f"# {title}\n")
    commits = {
        "start": start,
        "move the specifications": "R specs docs\n",
        "drop the old export": "D backend/app/legacy_export.py\n",
    }
    stream = ""
    for day, (message, changes) in enumerate(commits.items()):
        who = f"demo <demo@example.org> {_BEGAN + day * 86_400} +0000"
        stream += (
            f"commit refs/heads/main\ncommitter {who}\n{_data(message)}{changes}\n"
        )
    ends = time.monotonic() + _SECONDS
    init = ("-c", "init.defaultObjectFormat=sha1", "init", "--quiet", "--template=")
    git(folder, *init, ends=ends)
    words = command(folder, "fast-import", "--quiet")
    run(words, input=stream.encode(), env=environment(folder), check=True)
    git(folder, "-c", "core.autocrlf=false", "checkout", "--quiet", "main", ends=ends)


def _data(text: str) -> str:
    return f"data {len(text)}\n{text}\n"
