"""What the demo plays: a small project with a past, and the mistaken calls of an agent in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from truepath.config.presets import Policy
from truepath.types import ToolCall

FILES: Mapping[str, str] = {
    "README.md": "# Orders\n",
    ".gitignore": "build/\n.env\n",
    "specs/status.md": "# Status\n\nAll 214 tests pass.\n",
    "specs/roadmap.md": "# Roadmap\n",
    "backend/app/__init__.py": "",
    "backend/app/main.py": "from app.services import cache\n",
    "backend/app/config.py": "DEBUG = False\n",
    "backend/app/legacy_export.py": "def export(): ...\n",
    "backend/app/services/__init__.py": "",
    "backend/app/services/cache.py": "CACHE = {}\n",
    "backend/app/services/Invoices.py": "class Invoices: ...\n",
    "backend/tests/api/test_file.py": "def test_upload(): ...\n",
    "backend/tests/services/test_cache_simple.py": "def test_get(): ...\n",
    "frontend/src/App.tsx": "export const App = () => null\n",
    "frontend/src/components/OrderTable.tsx": "export const OrderTable = () => null\n",
    "frontend/checks/test_file.py": "def test_bundle(): ...\n",
    "worker/app/config.py": "QUEUE = 'orders'\n",
    "worker/app/retry_queue.py": "def retry(): ...\n",
    "scripts/deploy_staging.sh": "echo deploying to staging\n",
    "scripts/release/.keep": "",
    "shots/Screen 9.41.00\u202fAM.png": "PNG\n",
}
"""The first commit."""

MOVED = ("specs", "docs")
"""Renamed in the second."""

DELETED = "backend/app/legacy_export.py"
"""Deleted in the third."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One call of the agent."""

    title: str
    tool: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
    policy: Policy = "careful"

    def call(self) -> ToolCall:
        """Return the call; each scene is a conversation of its own."""
        return ToolCall(
            self.tool, self.arguments, session=self.title, cwd=self.cwd or None, host="demo"
        )


SCENES = (
    Scene(
        "The path is right: nothing is said, no name is listed",
        "read_file",
        {"file_path": "docs/status.md"},
    ),
    Scene(
        "A file that was moved: the call goes on with the right one",
        "read_file",
        {"file_path": "specs/status.md"},
    ),
    Scene(
        "An edit, and two folders have a file of that name: both are listed",
        "replace",
        {"file_path": "app/config.py", "old_string": "False", "new_string": "True"},
    ),
    Scene(
        "Folders in common come first",
        "read_file",
        {"file_path": "backend/tests/test_file.py"},
    ),
    Scene(
        "Folders that never were",
        "read_file",
        {
            "file_path": "backend/tests/coverage_improvement/manual/services/test_cache_simple.py",
        },
    ),
    Scene(
        "A likely file: a call that only reads is shown it, and the agent is told",
        "read_file",
        {"file_path": "docs/roadmaps.md"},
    ),
    Scene(
        "The suggest policy never rewrites: the same call as the second one",
        "read_file",
        {"file_path": "specs/status.md"},
        policy="suggest",
    ),
    Scene(
        "Nothing of the kind is there",
        "read_file",
        {"file_path": "backend/app/payment_gateway.py"},
    ),
    Scene(
        "A file that was deleted stays deleted, however alike another one looks",
        "read_file",
        {"file_path": DELETED},
    ),
    Scene(
        "Upper and lower case",
        "read_file",
        {"file_path": "backend/app/services/invoices.py"},
    ),
    Scene(
        "A space that is none: U+202F, which macOS puts into the names of screenshots",
        "view_image",
        {"path": "shots/Screen 9.41.00 AM.png"},
    ),
    Scene(
        "The shell is in that folder already",
        "Read",
        {"file_path": "worker/app/retry_queue.py"},
        cwd="worker",
    ),
    Scene(
        "A folder, not a file: listing it",
        "list_directory",
        {"dir_path": "src/components"},
    ),
    Scene(
        "A new file in a folder that looks like a typo",
        "write_file",
        {"file_path": "bakend/app/metrics.py", "content": "..."},
    ),
    Scene(
        "A new file in a folder that is new on purpose",
        "write_file",
        {"file_path": "infrastructure/main.tf", "content": "..."},
    ),
    Scene(
        "Shell: cat",
        "run_shell_command",
        {"command": "cat specs/status.md | head -n 3"},
    ),
    Scene(
        "Shell: mv",
        "run_shell_command",
        {"command": "mv scripts/Deploy_staging.sh scripts/release/ && ls scripts/release"},
    ),
    Scene(
        "Shell: rm is never corrected by default",
        "run_shell_command",
        {"command": "rm specs/roadmap.md"},
    ),
    Scene(
        "A delete under the policy recover, which undoes what surrounds a path and no more",
        "delete_file",
        {"file_path": "`docs/roadmap.md`"},
        policy="recover",
    ),
    Scene(
        "Shell: a question is no mistake",
        "run_shell_command",
        {"command": "[ -f specs/plan.md ] && cat specs/plan.md || echo no plan yet"},
    ),
)


def build(folder: str) -> None:
    """Make the project in an empty folder: a git repository with three commits.

    Raises:
        GitError: git is not installed.
    """
    from truepath.project.git import git

    for name, content in FILES.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(content)
    git(folder, "init", "--quiet", "--template=")
    _commit(folder, "start")
    git(folder, "mv", *MOVED)
    _commit(folder, "move the specifications")
    git(folder, "rm", "--quiet", "--", DELETED)
    _commit(folder, "drop the old export")


def _commit(folder: str, message: str) -> None:
    from truepath.project.git import git

    # Nobody's identity and none of their habits: it must work for a user git has never met.
    person = ("user.name=demo", "user.email=demo@example.org", "commit.gpgSign=false")
    settings = [word for setting in (*person, "core.autocrlf=false") for word in ("-c", setting)]
    git(folder, *settings, "add", "--all")
    git(folder, *settings, "commit", "--quiet", "--message", message)
