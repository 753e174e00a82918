"""Real repositories for tests, each made once in a run and copied for every test that wants it."""

from __future__ import annotations

import atexit
import functools
import os
import pathlib
import shutil
import subprocess
import tempfile
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


def copied(key: Hashable, make: Callable[[pathlib.Path], object], repo: pathlib.Path) -> None:
    """Make `repo` a copy of what `make` makes in an empty folder; it runs once for each key."""
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
