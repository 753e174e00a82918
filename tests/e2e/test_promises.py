"""Promises that no room keeps alone: nothing is sent, and nothing is written but a
hook's state.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import hooks
import pytest

HERE = Path(__file__).parents[1]
TRANSCRIPTS = str(HERE / "transcripts")

WATCHED = f"""
import os, sys
sys.path.insert(0, {str(HERE.parent / "src")!r})
def hear(event, args):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.sendto") or (
        event == "socket.connect" and not isinstance(args[1], (str, bytes))
    ):
        os.write(2, b"it asks the network\\n")
        os._exit(77)
sys.addaudithook(hear)
from truepath.__main__ import main
if __name__ == "__main__":
    sys.exit(main())
"""


def tree(folder):
    """Return what is in a folder: each file's content by its path."""
    files = (each for each in Path(folder).rglob("*") if each.is_file())
    return {str(each): each.read_bytes() for each in files}


EDIT = {
    "tool": "Edit",
    "tool_input": {"file_path": "specs/status.md", "old_string": "STATUS all"},
}
FAILED = {
    "name": "PostToolUseFailure",
    "path": "lib/util.py",
    "error": "File does not exist.",
}

# (what is run, the event that a hook gets, whether something is kept beside the
# project)
DOORS = {
    "a hook, a read": (["hook", "claude-code"], {}, True),
    "a hook, an edit": (["hook", "claude-code"], EDIT, True),
    "a hook, after a failure": (["hook", "claude-code"], FAILED, True),
    "a question": (["resolve", "specs/status.md", "lib/util.py"], None, None),
    "a command": (["check", "--", "cat specs/status.md"], None, None),
    "an audit of transcripts": (["audit", TRANSCRIPTS], None, False),
    "an audit of the project": (["audit", "--repo", ".", TRANSCRIPTS], None, False),
}


@pytest.mark.parametrize(("words", "event", "keeps"), DOORS.values(), ids=DOORS)
def test_nothing_is_sent_and_nothing_written_but_the_state(
    tmp_path, words, event, keeps
):
    repo = hooks.make_project(tmp_path / "repo")
    before = tree(repo), tree(TRANSCRIPTS)
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *words],
        input=json.dumps(hooks.event(repo, **event)).encode()
        if event is not None
        else b"",
        cwd=repo,
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout
    assert (tree(repo), tree(TRANSCRIPTS)) == before
    kept = tree(os.environ["XDG_STATE_HOME"])
    assert keeps is None or bool(kept) is keeps
    assert not [
        path for path, data in kept.items() if b"all green" in data or b"STATUS" in data
    ]
