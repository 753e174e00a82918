"""Where the transcripts are: those of the agent programs on this machine, and in what is given."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from glob import iglob

from truepath.audit import stores
from truepath.audit.known import top_of
from truepath.audit.sources import Source, parts
from truepath.project.git import GitError, git, zsplit

_HOMES: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "claude-code": (
        *("CLAUDE_CONFIG_DIR", "~/.claude"),
        ("projects/*/*.jsonl", "projects/*/*/subagents/*.jsonl"),
    ),
    "codex": (
        *("CODEX_HOME", "~/.codex"),
        ("sessions/**/*.jsonl", "archived_sessions/*.jsonl"),
    ),
    "gemini-cli": (
        *("", "~/.gemini"),
        ("tmp/*/chats/session-*.json*", "tmp/*/chats/*/*.jsonl"),
    ),
    "qwen-code": ("QWEN_HOME", "~/.qwen", ("projects/*/chats/**/*.jsonl",)),
    "opencode": (
        *("XDG_DATA_HOME", "~/.local/share"),
        ("opencode/opencode.db", "opencode/storage/session/*/*.json"),
    ),
    "copilot-cli": (
        *("COPILOT_HOME", "~/.copilot"),
        ("session-state/*/events.jsonl", "session-state/*.jsonl"),
    ),
    "pi": ("PI_CODING_AGENT_DIR", "~/.pi/agent", ("sessions/**/*.jsonl",)),
    "cline": (
        "CLINE_DIR",
        "~/.cline",
        ("data/tasks/*/api_*.json", "data/sessions/*/*.messages.json"),
    ),
    "cline in VS Code": (
        *("", "~/.config/Code/User/globalStorage/saoudrizwan.claude-dev"),
        ("tasks/*/api_conversation_history.json",),
    ),
    "cline in VS Code on macOS": (
        "",
        "~/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev",
        ("tasks/*/api_conversation_history.json",),
    ),
    "openhands": ("", "~/.openhands", ("conversations/*/events", "sessions/*/events")),
}
"""Where each program keeps its transcripts: the variable that moves its folder, the folder, and
the files below it."""

_SUFFIXES = (".jsonl", ".json", ".traj", ".eval")

_SKIPPED = frozenset((".git", "node_modules", ".venv", "__pycache__"))

_BRANCHES = ("refs/heads/entire/checkpoints/v1", "refs/remotes/origin/entire/checkpoints/v1")
"""Where Entire keeps transcripts beside the code: `ab/cdef.../full.jsonl`, and since its sessions
are numbered `ab/cdef.../N/full.jsonl`."""


def on_this_machine(environ: Mapping[str, str]) -> Iterator[Source]:
    """Yield the transcripts of every agent program whose folder is known."""
    for variable, default, patterns in _HOMES.values():
        home = environ.get(variable) if variable else ""
        folder = home or os.path.expanduser(default)
        for pattern in patterns:
            for path in iglob(pattern, root_dir=folder, recursive=True):
                yield from _parts(os.path.join(folder, path))


def below(path: str) -> Iterator[Source]:
    """Yield the transcripts in a file, in a folder, or on a repository's branch of checkpoints.

    Raises:
        OSError: there is nothing at `path`.
    """
    if not stores.is_folder(path):
        stores.size(path)  # an error where nothing is
        yield from parts(path)
        return
    yield from _checkpoints(path)
    for folder, folders, files in stores.walk(path):
        folders[:] = sorted(set(folders) - _SKIPPED)
        if _holds_events(folder, files):
            yield Source(folder)
            continue
        for name in sorted(files):
            if name.endswith(_SUFFIXES) or name == "opencode.db":
                yield from _parts(stores.inside(folder, name))


def stamp(source: Source) -> str:
    """Return what changes when a transcript does: sizes and times, or a commit; "" for none."""
    try:
        if source.part and os.path.isdir(source.path):
            ref = source.part.partition(":")[0]
            return os.fsdecode(git(source.path, "rev-parse", ref)).strip()
        count = len(stores.names(source.path)) if stores.is_folder(source.path) else 0
        log = f"{source.path}-wal"  # what SQLite has not yet put into the database
        count += os.stat(log).st_mtime_ns if os.path.exists(log) else 0
        return f"{stores.mark(source.path)} {count}"
    except (OSError, GitError):
        return ""


def changed_at(source: Source) -> float:
    """Return when a transcript was last written, in seconds since the epoch; now for one in git."""
    try:
        in_git = source.part and os.path.isdir(source.path)
        return float("inf") if in_git else stores.changed_at(source.path)
    except OSError:
        return float("inf")


def _parts(path: str) -> Iterator[Source]:
    """Yield the parts of a file; where it cannot be read, the file, whose record says why."""
    if stores.is_folder(path):
        yield Source(path)
        return
    try:
        yield from parts(path)
    except OSError:
        yield Source(path)


def _holds_events(folder: str, files: Sequence[str]) -> bool:
    """Tell whether a folder is one session of OpenHands: `event-00001-ID.json`, once `1.json`."""
    if any(name.startswith("event-") for name in files):
        return True
    return os.path.basename(folder) == "events" and any(name[:1].isdecimal() for name in files)


def _checkpoints(path: str) -> Iterator[Source]:
    top = "" if stores.is_url(path) else top_of(path)
    if not top or not os.path.samefile(top, path):
        return
    for ref in _BRANCHES:
        try:
            listed = git(path, "ls-tree", "-r", "-z", "--full-tree", "--name-only", ref, timeout=60)
        except GitError:
            continue
        names = [name for name in zsplit(listed) if name.endswith("/full.jsonl")]
        yield from (Source(path, f"{ref}:{name}") for name in names)
        return
