"""Hook events as a host sends them, a small project for them, and the hook in this process."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import uuid
from contextlib import ExitStack, contextmanager

import repos

from truepath.hook import client as hook

FILES = {
    "docs/status.md": "STATUS all green\n",
    "pkg/one/util.py": "",
    "pkg/two/util.py": "",
    "src/app/settings.py": "",
}


def make_project(root):
    """Make a git repository at `root` in which `specs/` has become `docs/`."""
    repos.copied(_project, _project, root)
    return root


def _project(root):
    repos.write_files(root, FILES)
    (root / "docs").rename(root / "specs")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "start")
    git(root, "mv", "specs", "docs")
    git(root, "commit", "-qm", "move")


def git(root, *words):
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", *identity, "-C", str(root), *words], check=True)


def event(repo, path="specs/status.md", tool="Read", name="PreToolUse", **more):
    return {
        "session_id": str(uuid.uuid4()),
        "cwd": str(repo),
        "hook_event_name": name,
        "tool_name": tool,
        "tool_input": {"file_path": os.path.join(repo, path)},
        "tool_use_id": "toolu_0",
        **more,
    }


@contextmanager
def standing_in_for(data):
    """Put `data` on file descriptor 0, and collect what is written to 1 and 2."""
    with ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        files[0].write(data)
        files[0].seek(0)
        kept = [os.dup(number) for number in range(3)]
        try:
            for number, file in enumerate(files):
                os.dup2(file.fileno(), number)
            yield files[1:]
        finally:
            for number, old in enumerate(kept):
                os.dup2(old, number)
                os.close(old)


def run(data, host="claude-code"):
    """Run the hook in this process; return its status, its output and its errors."""
    if not isinstance(data, bytes):
        data = json.dumps(data).encode()
    with standing_in_for(data) as (out, err):
        status = hook.main((host,))
        told = []
        for file in (out, err):
            file.seek(0)
            told.append(file.read())
    return status, *told


def answer(data, host="claude-code"):
    """Return what the hook answers, or None; it must exit well and without a word of complaint."""
    status, out, err = run(data, host)
    assert (status, err) == (0, b"")
    return json.loads(out)["hookSpecificOutput"] if out else None
