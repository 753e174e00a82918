"""Hook events as a host sends them, a small project for them, and the hook in this
process.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import uuid
from contextlib import ExitStack, contextmanager
from pathlib import Path

import repos
from rows import read

from truepath.hook import answer as answering
from truepath.hook import client as hook
from truepath.hook.presence import is_quiet
from truepath.hosts import find
from truepath.hosts import table as tables
from truepath.session.keys import mark_of

FILES = {
    "docs/status.md": "STATUS all green\n",
    "docs/zones.md": "ZONES of the plant\n",
    "pkg/one/util.py": "",
    "pkg/two/util.py": "",
    "src/app/settings.py": "",
}


ROOT = Path(__file__).parents[1]
SCRIPT = str(ROOT / "src/truepath/hook/script.py")
PYTHON = (sys.executable, "-I", "-S", SCRIPT, "claude-code")


def clients():
    """Return the commands of the clients that are here."""
    built = [
        ROOT / "native/target" / kind / "truepath-native"
        for kind in ("release", "debug")
    ]
    words = ("claude-code", "--python", sys.executable, "--script", SCRIPT)
    native = [(str(path), *words) for path in built if path.exists()]
    return {"python": PYTHON, **({"native": native[0]} if native else {})}


def make_project(root):
    """Make a git repository at `root` in which `specs/` has become `docs/`."""
    repos.copied(_project, _project, root)
    return root


def _project(root):
    repos.start(
        root, {name.replace("docs/", "specs/"): text for name, text in FILES.items()}
    )
    repos.move_file(root, "specs", "docs")


git = repos.run_git


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


def required(table, event):
    """Return the paths that must exist for an event to pass unchecked, as rows have
    them: the largest size only where there is a limit.
    """
    data = json.dumps(event, separators=(",", ":")).encode()
    needs = tables.required(table, event, data)
    if needs is None:
        return None
    return [[*path] if path[-1] else [*path[:-1]] for path in needs.paths]


def quiet(name, data):
    """Return whether an event of a host needs no thought."""
    host, event = find(name), hook.parsed(data) if data.strip() else None
    return not isinstance(event, dict) or is_quiet(host, event, data, os.environ)


def reply(name, data):
    """Return what the engine answers to an event."""
    event = hook.parsed(data) if data.strip() else None
    if not isinstance(event, dict):
        return b""
    return answering.reply(find(name), event, os.environ, time.time())


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
    """Return what the hook answers, or None; it must exit well and without a word of
    complaint.
    """
    status, out, err = run(data, host)
    assert (status, err) == (0, b"")
    return json.loads(out)["hookSpecificOutput"] if out else None


ENTRIES = {
    "file": ("docs/a.md", ""),
    "folder": ("docs", ""),
    "a link to a file": ("to-file", "docs/a.md"),
    "a link to a folder": ("to-folder", "docs"),
    "a file behind a link": ("to-folder/a.md", ""),
    "a link that leads nowhere": ("to-nothing", "docs/no.md"),
    "a circle of links": ("circle", "circle"),
    "what is behind a circle": ("circle/a.md", ""),
    "nothing": ("docs/no.md", ""),
    "nothing in a folder that is missing": ("no/a.md", ""),
    "what is below a file": ("docs/a.md/b", ""),
    "a folder's name with a slash": ("docs/", ""),
    "a file's name with a slash": ("docs/a.md/", ""),
    "a name that is too long": ("x" * 300, ""),
}
"""What the disk may have at a path -> the path, and the target of a link that is
made."""

FOUND_BY = {
    "file": {"file"},
    "edit": {"file"},
    "folder": {"folder"},
    "any": {"file", "folder"},
    "entry": {"file", "folder"},
}
"""What a path must be, of which every quick look says by itself whether it is -> the
kinds of entries."""


def lay_out_entries(root):
    """Make the entries of `ENTRIES` in a work tree."""
    (root / ".git").mkdir(parents=True)
    (root / "docs").mkdir()
    (root / "docs/a.md").write_text("a\n")
    for name, target in ENTRIES.values():
        if target:
            (root / name).symlink_to(target)


# The cases of `corpus/presence.jsonl`, which both clients are held to, laid out on
# disk. `ROOT` in them is a folder made for the case; `quiet` says whether the event can
# go unanswered.

CASES = read("corpus/presence")

BESIDE = (
    "repo/.git/HEAD",
    "repo/docs/a.md",
    "repo/src/app.py",
    "repo/a b.txt",
    "other/.git/HEAD",
    "other/x.py",
    "plain/y.py",
)

MARKED = "repo/docs/a.md"
"""The file of which a state has the mark as `MARK`."""


def lay_out(case, root):
    """Make what a case needs below `root`; return its event and its environment."""
    folders = {"state": case.get("state", {}), "home": case.get("home", {})}
    files = dict.fromkeys((*BESIDE, *case.get("files", ())), case.get("content", ""))
    files.update(
        {name: "x" * int(size) for name, size in case.get("sizes", {}).items()}
    )
    for folder, inside in folders.items():
        files.update({f"{folder}/{name}": text for name, text in inside.items()})
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("MARK", mark_of(str(root / MARKED))))
    for name, target in case.get("links", {}).items():
        (root / name).symlink_to(target)
    environ = {
        "HOME": "ROOT/home",
        "TRUEPATH_STATE": "ROOT/state",
        **case.get("environ", {}),
    }
    data = json.dumps(case["event"]).replace("ROOT", str(root)).encode()
    return data, {
        name: value.replace("ROOT", str(root)) for name, value in environ.items()
    }
