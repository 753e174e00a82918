"""The name that a session is stored under, and whether it waits for the end of a call.

Every tool call uses this module, so it imports next to nothing. The native client does the same.
"""

from __future__ import annotations

import os

_PARTS = "\0"
_DIGITS = f"0123456789abcdef-{_PARTS}"
_LONGEST = 100
"""Bytes of a name that is used in a file's name; two UUIDs have 72. File systems allow 255."""

LARGEST = 1_000_000
"""Bytes of a state, at most; real ones are far smaller."""

IDLE_MARKERS = (b'"followed_calls":0,', b'"misses":[]', b'"owed":[]')
"""Parts of a stored state that no success, search or end of a call changes. Quotes in its texts are
escaped, so nothing that an agent wrote can look like this."""


def key(session: str, agent: str = "", project: str = "") -> str:
    """Return the name that a session's state is stored under; sub-agents have their own.

    A host that names no session has one for each project.
    """
    return _PARTS.join((session, agent, "" if session else project))


def session_file(folder: str, name: str) -> str:
    """Return the file in `folder` that stores the state of `name`.

    A UUID, as most hosts use, is the file's name, and another short name is written in hexadecimal
    digits: only a long one needs a digest, whose library costs a hook 1 ms.
    """
    if len(name) <= _LONGEST and name[:1] in _DIGITS[:-2] and not name.strip(_DIGITS):
        return os.path.join(folder, f"{name.replace(_PARTS, '_')}.json")
    data = name.rstrip(_PARTS).encode("utf-8", "surrogatepass")
    if len(data) <= _LONGEST:
        # Reversed: the last digit varies most, and the first one of the file chooses the lock.
        return os.path.join(folder, f"{data.hex()[::-1]}x.json")
    # Not from hashlib, which loads OpenSSL (2 ms).
    from _blake2 import blake2b

    return os.path.join(folder, f"{blake2b(data, digest_size=16).hexdigest()}.json")


def has_pending(folder: str, name: str) -> bool:
    """Return whether a success, a search or a prompt may change the state of `name`.

    It costs one stat for a session that never missed, else the read of a small file.
    """
    file = session_file(folder, name)
    if not os.path.exists(file):
        return False
    from truepath.config.files import read

    try:
        state = read(file, LARGEST)
    except OSError:
        return False
    return not all(words in state for words in IDLE_MARKERS)
