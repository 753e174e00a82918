"""The name that a session is stored under, what it waits for, and the steps left beside
it.

Every tool call uses this module, so it imports next to nothing. The native client does
the same.
"""

from __future__ import annotations

import os

from truepath import TYPE_CHECKING, Late

if TYPE_CHECKING:
    import _blake2
    from collections.abc import Sequence

    from truepath.config import files, user_dirs
else:
    _blake2 = Late("_blake2")
    files = Late("truepath.config.files")
    user_dirs = Late("truepath.config.user_dirs")

PARTS = "\0"
"""Parts the session, the agent and the project in a key."""
_DIGITS = f"0123456789abcdef-{PARTS}"
_LONGEST_KEY = 100
"""Bytes of a name that is used in a file's name; two UUIDs have 72. File systems allow
255."""

LARGEST_STATE = 1_000_000
"""Bytes of a state, at most; real ones are far smaller."""

STEPS = ".steps"
"""The end of the name of the file with the steps beside a session's file."""

MOST_STEPS = 4096
"""Bytes of steps, at most, half of them for discoveries and documents: one success and
one discovery say all."""

IDLE_MARKERS = (b'"owed":[]', b'"open":[]', b'"offers":[]', b'"misses":[]')
"""Parts of a stored state that owes no text, in which no corrected call is open, which
has offered no file, and that no step changes. Quotes in its texts are escaped, so
nothing that an agent wrote can look like this."""


FAILED_BY_SIZE = "failed-by-size:"
"""The beginning of a note that a file failed for its size, which ends in its mark:
reads of it are then checked by the engine, until it is another."""

FAILED_EDIT = "failed-edit:"
"""The same of an edit that failed on its file, and other edits of it."""


def key(session: str, agent: str = "", project: str = "") -> str:
    """Return the name that a session's state is stored under; sub-agents have their
    own.

    A host that names no session has one for each project.
    """
    return PARTS.join((session, agent, "" if session else project))


def session_file(folder: str, name: str) -> str:
    """Return the file in `folder` that stores the state of `name`.

    A UUID, as most hosts use, is the file's name, and another short name is written in
    hexadecimal digits: only a long one needs a digest, whose library costs a hook 1 ms.
    """
    plain = name[:1] in _DIGITS[:-2] and not name.strip(_DIGITS)
    if plain and len(name) <= _LONGEST_KEY:
        return os.path.join(folder, f"{name.replace(PARTS, '_')}.json")
    data = name.rstrip(PARTS).encode("utf-8", "surrogatepass")
    if len(data) <= _LONGEST_KEY:
        # Reversed, as the native client and earlier versions write it.
        return os.path.join(folder, f"{data.hex()[::-1]}x.json")
    # Not from hashlib, which loads OpenSSL (2 ms).
    digest = _blake2.blake2b(data, digest_size=16).hexdigest()
    return os.path.join(folder, f"{digest}.json")


def mark_of(path: str) -> str:
    """Return what a file has only until it is written or replaced; "" if it cannot be
    looked at, with which any mark begins.
    """
    try:
        found = os.stat(path)
    except OSError:
        return ""
    return f"{found.st_ino}.{found.st_mtime_ns}"


def awaits(file: str, names: Sequence[str] = (), failed: Sequence[str] = ()) -> str:
    """Return what the state in a session's file waits for: `calls` if it owes a text, a
    corrected call is open, or a file was offered that has one of some `names`; `steps`
    if it has misses or has offered others, else "".

    A call is waited for, too, if the session has a note that begins with one of
    `failed`. It costs one stat for a session that never missed, else the read of a
    small file.
    """
    if not os.path.exists(file):
        return ""

    try:
        state = files.read_own(file, LARGEST_STATE)
    except OSError:
        return ""
    if any(f'"{note}'.encode() in state for note in failed):
        return "calls"
    owes_nothing, ended, offered_nothing, missed_nothing = IDLE_MARKERS
    if owes_nothing not in state or ended not in state:
        return "calls"
    offered = offered_nothing not in state
    for name in names if offered else ():
        # One that JSON escapes may be there.
        is_plain = name.isascii() and name.isprintable() and not {*name} & {'"', "\\"}
        if not is_plain or f'"{name}"'.encode() in state:
            return "calls"
    return "steps" if offered or missed_nothing not in state else ""


def leave_step(file: str, step: str) -> None:
    """Append a step, one line, to those that the next change of a state begins with, if
    few are.

    Raises:
        OSError: It cannot be written.
    """
    few = step.startswith(("discovery", "document"))
    most = MOST_STEPS // 2 if few else MOST_STEPS
    if not os.path.isdir(os.path.dirname(file)):
        user_dirs.make_private(os.path.dirname(file))
    with open(file + STEPS, "ab", 0, opener=files.own_opener) as steps:
        if steps.tell() < most:
            steps.write(step.encode("utf-8", "surrogatepass"))
