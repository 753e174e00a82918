"""Whether an event needs no answer: its paths exist, and its session owes no text.

Every tool call uses this module, so it imports next to nothing. The native client does
the same.
"""

from __future__ import annotations

import os
from stat import S_ISDIR

from truepath import TYPE_CHECKING, Late
from truepath.config.user_dirs import named_state, user_file
from truepath.fields import field, text
from truepath.hosts.table import documents, required, step
from truepath.session.keys import (
    FAILED_BY_SIZE,
    FAILED_EDIT,
    awaits,
    key,
    leave_step,
    mark_of,
    session_file,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from truepath.calls.shell.needs import LookedFor
    from truepath.config import files
    from truepath.hosts.table import RequiredPath, Table
else:
    files = Late("truepath.config.files")

_VARIABLES = ("TRUEPATH_STORE", "TRUEPATH_OTHER_CHECKOUTS")
_SETTINGS = (b"store", b"other_checkouts")
"""Settings for which only the engine knows whether an event needs an answer."""


def is_quiet(
    table: Table, event: Mapping[str, Any], data: bytes, environ: Mapping[str, str]
) -> bool:
    """Return whether a few stats show that an event, received as `data`, needs no
    answer.

    If its session has misses, a line about the event is left beside it, for the next
    one.
    """
    needs = required(table, event, data)
    if needs is None:
        return False
    cwd = field(event, table.CWD_FIELD)
    for path, kind, largest in needs.paths:
        if not _is_present(path, kind, largest, cwd) or _is_elsewhere(path, cwd):
            return False
    if not all(_holds(lookup) for lookup in needs.contents):
        return False
    return not _needs_more(environ) and _is_heard(table, event, needs.paths, environ)


def _holds(lookup: LookedFor) -> bool:
    """Return whether a folder has what a command needs there, or one above has it (see
    `calls.shell.needs`).
    """
    folder = os.path.realpath(lookup.folder)
    paths = [os.path.join(folder, name) for name in lookup.files]
    while not any(map(os.path.lexists, paths)):
        higher = os.path.dirname(folder)
        if not lookup.above or higher == folder:
            return False
        folder = higher
        paths = [os.path.join(folder, name) for name in lookup.files]
    if not lookup.texts:
        return True
    try:
        content = files.read(next(filter(os.path.lexists, paths), ""))
    except OSError:  # the full check says what it finds
        return False
    return all(text.encode() in content for text in lookup.texts)


def _is_present(path: str, kind: str, largest: int, cwd: object) -> bool:
    # The same as `config.files.entry_kind`, which would be an import more.
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return kind in ("new", "target") and _makes_a_file(path, cwd)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return False
    is_folder = S_ISDIR(status.st_mode)
    if largest and not is_folder and status.st_size > largest:
        return False
    if kind in ("any", "entry", "target"):
        return True
    return is_folder == (kind == "folder")


def _makes_a_file(path: str, cwd: object) -> bool:
    """Return whether a missing path would be a new file, in a folder that exists,
    outside the agent's folder and every repository. Inside, a full check looks for
    decorations and twins.
    """
    folder = os.path.dirname(path)
    # A link that leads nowhere is there, though `stat` finds nothing.
    if path.startswith(str(cwd).rstrip("/") + "/") or os.path.lexists(path):
        return False
    try:
        return S_ISDIR(os.stat(folder).st_mode) and _top(folder) is None
    except (OSError, ValueError):
        return False


def _is_elsewhere(path: str, cwd: object) -> bool:
    """Return whether a path may be in another work tree than the agent's. If that is
    another checkout of the same repository, an existing path can be the wrong one.

    After a symbolic link, `..` leads elsewhere than the text suggests, so such a path
    may too.
    """
    if not isinstance(cwd, str) or not cwd or ".." in path.split("/"):
        return True
    if path.startswith(cwd.rstrip("/") + "/"):
        return False
    there = _top(os.path.dirname(path))
    return there is not None and there != _top(cwd)


def _top(folder: str) -> str | None:
    """Return the nearest folder at or above `folder` with a `.git`."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return folder


def _is_heard(
    table: Table,
    event: Mapping[str, Any],
    paths: Sequence[RequiredPath],
    environ: Mapping[str, str],
) -> bool:
    """Return whether the session needs no more than a line about a successful call."""
    session = text(event, table.SESSION_FIELD)
    agent = text(event, table.AGENT_FIELD)
    if not session:
        return False
    # Whether that is the user's is asked of the files that are opened.
    folder = os.path.join(named_state(environ), "sessions")
    file = session_file(folder, key(session, agent))
    names = [os.path.basename(path.rstrip("/")) for path, _, _ in paths]
    large = [path for path, _, largest in paths if largest]
    edited = [path for path, kind, _ in paths if kind == "edit"]
    failed = [f"{FAILED_BY_SIZE}{mark_of(path)}" for path in large]
    failed += [f"{FAILED_EDIT}{mark_of(path)}" for path in edited]
    awaited = awaits(file, names, failed)
    if awaited == "calls":
        return False
    for line in documents(table, event, paths):
        _leave(file, line)  # else an answer says a little less
    if awaited != "steps":
        return True
    # In a loop of misses, a new file may be refused.
    made = [path for path, kind, _ in paths if kind in ("new", "target")]
    if not all(map(os.path.exists, made)):
        return False
    line = step(table, event, named=bool(paths))
    # If that fails, the session itself is told.
    return not line or _leave(file, line)


def _leave(file: str, line: str) -> bool:
    """Leave a line beside a session's state; return whether that worked."""
    try:
        leave_step(file, line)
    except OSError:
        return False
    return True


def _needs_more(environ: Mapping[str, str]) -> bool:
    """Return whether a setting may ask for more than a look: another store than files,
    or what is done in other checkouts.
    """
    if any(environ.get(name, "").strip() for name in _VARIABLES):
        return True

    file = user_file(environ)
    if not os.path.exists(file):
        return False

    # Parsing TOML takes longer than an answer: the word anywhere is enough for a full
    # check.
    try:
        text = files.read(file)
    except OSError:
        return False
    return any(name in text for name in _SETTINGS)
