"""Under which name a session is kept, and whether anything in it waits for a call's end.

Every tool call uses this module, so it imports next to nothing. The native client does the same.
"""

from __future__ import annotations

import os

_PARTS = "\0"
_DIGITS = f"0123456789abcdef-{_PARTS}"
_LONGEST = 100
"""Bytes of a name that a file's is made of; two UUIDs have 72. File systems take 255 at least."""

LARGEST = 1_000_000
"""Bytes of a state that are read; ours are bounded far below."""

IDLE_MARKERS = (b'"followed_calls":0,', b'"misses":[]', b'"owed":[]')
"""What a stored state says that no success, no search and no call's end would change. Inside a text
of the state its quotes would be escaped, so that nothing an agent wrote can look like this."""


def key(session: str, agent: str = "", project: str = "") -> str:
    """Return the name under which a session's state is stored; sub-agents have their own.

    A host that names no session has one for each project.
    """
    return _PARTS.join((session, agent, "" if session else project))


def session_file(folder: str, name: str) -> str:
    """Return the file in `folder` that holds the state stored under `name`.

    Nearly every name is found without a digest, for which Python loads a library (1 ms of a hook's
    10) and the native client would need one: a UUID, as most hosts use, is its own file's name, and
    another short name is written in hexadecimal digits.
    """
    if len(name) <= _LONGEST and name[:1] in _DIGITS[:-2] and not name.strip(_DIGITS):
        return os.path.join(folder, f"{name.replace(_PARTS, '_')}.json")
    data = name.rstrip(_PARTS).encode("utf-8", "surrogatepass")
    if len(data) <= _LONGEST:
        # Last digit first: it tells one session from the next, and chooses the lock they share.
        return os.path.join(folder, f"{data.hex()[::-1]}x.json")
    # Straight from the module that hashlib takes it from: hashlib itself loads OpenSSL, 2 ms.
    from _blake2 import blake2b

    return os.path.join(folder, f"{blake2b(data, digest_size=16).hexdigest()}.json")


def has_pending(folder: str, name: str) -> bool:
    """Return whether a success, a search or a prompt may change the state kept under `name`.

    One stat for a session that never missed; a small file read for one that did.
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
