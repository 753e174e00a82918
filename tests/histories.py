"""Repositories with a history that rows of tests lay out in steps."""

from __future__ import annotations

import subprocess

from repos import commit_all, move_file, run_git, start, write_files

from truepath import Workspace

LONG = "".join(
    f"line {number} of a text that tells this file apart\n" for number in range(9)
)


def started(tmp_path):
    """Return a new repository with a few files that are told apart by their texts."""
    folder = tmp_path / "acme"
    folder.mkdir()
    start(
        folder,
        {
            "specs/plan_of_work.md": LONG,
            "src/api/panel_of_users.ts": "panel\n" + LONG,
            "src/web/app.ts": "app\n" + LONG,
            "src/web/page.ts": "page\n" + LONG,
            "docs/guide.md": "guide\n" + LONG,
        },
    )
    return folder


def project(repo, tmp_path, **more):
    return Workspace(repo, store=str(tmp_path / "store"), timeout_s=20, **more)


def lay_out(repo, does):
    """Do a step of a row, in this order; LONG stands for the text of that name."""
    texts = does.get("write", {}).items()
    write_files(repo, {path: text.replace("LONG", LONG) for path, text in texts})
    for old, new in does.get("move", {}).items():
        move_file(repo, old, new)
    for old, new in does.get("rename", {}).items():
        (repo / new).parent.mkdir(parents=True, exist_ok=True)
        (repo / old).rename(repo / new)
    for path in does.get("unlink", ()):
        (repo / path).unlink()
    for path in does.get("rmdir", ()):
        (repo / path).rmdir()
    for path, target in does.get("link", {}).items():
        (repo / path).symlink_to(target)
    if "merge" in does:
        # It ends in a conflict.
        me = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        merge = ["git", *me, "merge", does["merge"]]
        assert subprocess.run(
            merge, cwd=repo, check=False, capture_output=True
        ).returncode
    if "git" in does:
        run_git(repo, *does["git"])
    if "commit" in does:
        commit_all(repo)
