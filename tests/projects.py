"""The projects that the rows of `decisions.jsonl` are about."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Mapping

import repos

SHOP = {
    "README.md": "# Shop\n",
    "docs/status.md": "green\n",
    "docs/guides/start.md": "",
    "backend/app/main.py": "",
    "backend/app/services/invoice_export.py": "def export(): ...\n",
    "backend/tests/unit/test_cache_simple.py": "def test_get(): ...\n",
    "backend/tests/unit/test_cache.py": "def test_cache(): ...\n",
    "web/src/components/OrderTable.tsx": "export {}\n",
    "pkg/one/totals.py": "TOTAL = 1\n",
    "pkg/two/totals.py": "TOTAL = 2\n",
}
"""One file of most names, two of one."""


def shop(root: pathlib.Path) -> None:
    """Make a repository that never moved a file."""
    repos.start(root, SHOP)


def moved(root: pathlib.Path) -> None:
    """Make a repository in which `specs` became `docs` and a file was deleted."""
    files = {
        ".gitignore": "build/\n",
        "specs/roadmap.md": "a\nb\nc\n",
        "specs/status.md": "all green\nso far\n",
        "specs/old_notes.md": "x\ny\nz\n",
        "docs/other.md": "",
        "summarize/a.py": "",
    }
    repos.start(root, files)
    repos.move_file(root, "specs/roadmap.md", "docs/roadmap.md")
    repos.move_file(root, "specs/status.md", "docs/status.md")
    repos.run_git(root, "rm", "--quiet", "specs/old_notes.md")
    repos.run_git(root, "commit", "--quiet", "--message=delete")
    repos.write_files(root, {".env": "TOKEN=1\n", "build/report.md": ""})


def similar(root: pathlib.Path) -> None:
    """Make a repository whose folders and files differ by little."""
    files = {
        "customers/lehmann/ledger.csv": "1\n",
        "customers/bauer/notes.csv": "2\n",
        "scripts/deploy_staging.sh": "\n".join(f"step {number}" for number in range(30)),
        "run/web/server.pid": "7\n",
        "src/api/panel.ts": "export {}\n",
    }
    repos.start(root, files)
    text = files["scripts/deploy_staging.sh"].replace("step 7", "step seven")
    repos.run_git(root, "rm", "--quiet", "scripts/deploy_staging.sh")
    repos.write_files(root, {"scripts/deploy_prod.sh": text})
    repos.commit_all(root, "prod instead")


PROJECTS: Mapping[str, Callable[[pathlib.Path], None]] = {
    "shop": shop,
    "moved": moved,
    "similar": similar,
}
