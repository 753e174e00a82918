"""What the demo plays: a small project with a past, and the calls of an agent in it."""

from __future__ import annotations

import os

FILES = """
.gitignore LICENSE README.md specs/roadmap.md specs/status.md
backend/app/__init__.py backend/app/config.py backend/app/legacy_export.py backend/app/main.py
backend/app/services/__init__.py backend/app/services/cache.py backend/app/services/invoices.py
backend/tests/api/test_file.py backend/tests/services/test_cache_simple.py
frontend/checks/test_file.py frontend/src/App.tsx frontend/src/components/OrderTable.tsx
scripts/deploy_staging.sh scripts/release/deploy.sh worker/app/config.py worker/app/retry_queue.py
"""
"""The first commit. The second renames `specs` to `docs`, the third deletes the old export."""

LEGEND = (
    "In a small git repository, the folder specs/ was renamed to docs/. An agent asks for a tool "
    "call, gets truepath's decision, and reads a text."
)
"""What comes first."""

SCENES = {
    "A path that exists: the call runs as it is": ("read_file", "path", "docs/status.md"),
    "A file that was moved: the path is corrected": ("read_file", "path", "specs/status.md"),
    "A misspelt name: the likely file is shown": ("read_file", "path", "docs/roadmaps.md"),
    "An edit that may mean two files: refused": ("edit_file", "path", "app/config.py"),
    "A path in a shell command": ("bash", "command", "cat specs/status.md | head -n 3"),
    "A deletion is never corrected": ("bash", "command", "rm specs/roadmap.md"),
    "One guess after another: the agent is told to look first": (
        *("read_file", "path"),
        *("backend/app/payment.py", "backend/payment.py"),
    ),
}
"""Title of a conversation -> the tool, the argument, and its value in each call."""


def build(folder: str) -> None:
    """Make the project in an empty folder: a git repository with three commits.

    Raises:
        GitError: git is not installed.
    """
    from truepath.project.git import git

    for name in FILES.split():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(f"# {os.path.basename(name).partition('.')[0].capitalize()}\n")
    git(folder, "init", "--quiet", "--template=")
    _commit(folder, "start")
    git(folder, "mv", "specs", "docs")
    _commit(folder, "move the specifications")
    git(folder, "rm", "--quiet", "--", "backend/app/legacy_export.py")
    _commit(folder, "drop the old export")


def _commit(folder: str, message: str) -> None:
    from truepath.project.git import git

    # Nobody's identity and none of their habits: it must work for a user git has never met.
    person = ("user.name=demo", "user.email=demo@example.org", "commit.gpgSign=false")
    settings = [word for setting in (*person, "core.autocrlf=false") for word in ("-c", setting)]
    git(folder, *settings, "add", "--all")
    git(folder, *settings, "commit", "--quiet", "--message", message)
