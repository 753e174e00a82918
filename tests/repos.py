"""Real repositories for tests: how they are made, and those that several tables are
about.

Each is made once in a run and copied for every test that wants it.
"""

from __future__ import annotations

import atexit
import functools
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Hashable, Mapping

Files = Mapping[str, "str | bytes"]

_IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2024-01-02T03:04:05+00:00",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_COMMITTER_DATE": "2024-01-02T03:04:05+00:00",
    "GIT_ALLOW_PROTOCOL": "file",
    "LC_ALL": "C",
}
_COPYABLE = "[core]\n\tcheckStat = minimal\n\ttrustctime = false\n"
"""For git, a copied file is the file that the index knows."""

_made: dict[Hashable, str] = {}


def copied(
    key: Hashable, make: Callable[[pathlib.Path], object], repo: pathlib.Path
) -> None:
    """Make `repo` a copy of what `make` makes in an empty folder; it runs once for each
    key.
    """
    if key not in _made:
        template = pathlib.Path(_folder(), str(len(_made)), "repo")
        template.mkdir(parents=True)
        make(template)
        _made[key] = str(template)
    shutil.copytree(_made[key], repo, symlinks=True, dirs_exist_ok=True)


@functools.cache
def _folder() -> str:
    folder = tempfile.mkdtemp(prefix="repositories-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def run_git(repo: str | os.PathLike[str], *args: str, stdin: str = "") -> str:
    """Run git in `repo` as a fixed person at a fixed time; return what it prints."""
    settings = ("init.defaultBranch=main", "commit.gpgSign=false", "gc.auto=0")
    words = [word for setting in settings for word in ("-c", setting)]
    done = subprocess.run(
        ["git", *words, "-C", os.fspath(repo), *args],
        env={**os.environ, **_IDENTITY},
        input=stdin.encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, os.fsdecode(done.stderr)
    return os.fsdecode(done.stdout)


def write_files(folder: str | os.PathLike[str], files: Files) -> None:
    """Write files by their names relative to `folder`, with the folders they need."""
    for name, content in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)


def start(repo: pathlib.Path, files: Files, *, commit: bool = True) -> None:
    """Write files, make their folder a repository on `main`, and commit them."""
    write_files(repo, files)
    run_git(repo, "init", "--quiet", "--template=")
    with open(os.path.join(repo, ".git/config"), "a", encoding="utf-8") as config:
        config.write(_COPYABLE)
    if commit:
        run_git(repo, "add", "--all")
        run_git(repo, "commit", "--quiet", "--allow-empty", "--message=start")


def commit_all(repo: pathlib.Path, message: str = "next") -> str:
    """Commit all that is not ignored; return the commit."""
    run_git(repo, "add", "--all")
    run_git(repo, "commit", "--quiet", "--allow-empty", f"--message={message}")
    return run_git(repo, "rev-parse", "HEAD").strip()


def move_file(repo: pathlib.Path, old: str, new: str) -> str:
    """Rename in a commit of its own, and return it."""
    os.makedirs(os.path.dirname(repo / new), exist_ok=True)
    run_git(repo, "mv", old, new)
    return commit_all(repo, f"move {old}")


def text(seed: str, lines: int = 40) -> str:
    """Return a file whose lines are like no other seed's; "" for no seed."""
    chosen = random.Random(seed)
    return "".join(
        f"{seed} line {n} {chosen.getrandbits(64):x}\n"
        for n in range(lines if seed else 0)
    )


def edited(content: str, every: int = 7) -> str:
    """Return a file with some of its lines changed."""
    lines = content.splitlines(keepends=True)
    return "".join(
        "changed\n" if n % every == 0 else line for n, line in enumerate(lines)
    )


def step(repo: pathlib.Path, does: Mapping[str, object]) -> str:
    """Do what a step says in one commit, and return it.

    `write` has the seed of a file's text by its path; `move` has pairs, of files or
    folders; `remove` and `edit` have paths."""
    moves: list[tuple[str, str]] = [*does.get("move", ())]
    for old, new in moves:
        (repo / new).parent.mkdir(parents=True, exist_ok=True)
        os.rename(repo / old, repo / new)
    for path in does.get("remove", ()):
        (repo / path).unlink()
    for path in does.get("edit", ()):
        (repo / path).write_text(edited((repo / path).read_text()))
    write_files(
        repo, {path: text(seed) for path, seed in does.get("write", {}).items()}
    )
    return commit_all(repo)


# The projects that the rows of `decisions.jsonl` are about

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
    start(root, SHOP)


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
    start(root, files)
    move_file(root, "specs/roadmap.md", "docs/roadmap.md")
    move_file(root, "specs/status.md", "docs/status.md")
    run_git(root, "rm", "--quiet", "specs/old_notes.md")
    run_git(root, "commit", "--quiet", "--message=delete")
    write_files(root, {".env": "TOKEN=1\n", "build/report.md": ""})


def similar(root: pathlib.Path) -> None:
    """Make a repository whose folders and files differ by little."""
    files = {
        "customers/lehmann/ledger.csv": "1\n",
        "customers/bauer/notes.csv": "2\n",
        "scripts/deploy_staging.sh": "\n".join(
            f"step {number}" for number in range(30)
        ),
        "run/web/server.pid": "7\n",
        "src/api/panel.ts": "export {}\n",
    }
    start(root, files)
    text = files["scripts/deploy_staging.sh"].replace("step 7", "step seven")
    run_git(root, "rm", "--quiet", "scripts/deploy_staging.sh")
    write_files(root, {"scripts/deploy_prod.sh": text})
    commit_all(root, "prod instead")


def cased(root: pathlib.Path) -> None:
    """Make a repository to which a name in another case leads."""
    start(root, {"src/app.js": "x\n", "lib/other.js": "y\n"})


PROJECTS: Mapping[str, Callable[[pathlib.Path], None]] = {
    "shop": shop,
    "moved": moved,
    "similar": similar,
    "cased": cased,
}


def store_history(root, store):
    """Wait until the history of a repository is stored."""
    from truepath.project.history import History

    until = time.monotonic() + 60
    while History(str(root), str(store)).fate("no", until).kind == "unknown":
        assert time.monotonic() < until
