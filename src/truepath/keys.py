"""Under which name a session is kept, and whether there is anything to remember of it.

Every call of a tool asks this, so it imports next to nothing.
"""

from __future__ import annotations

import os

_PARTS = "\0"
_DIGITS = f"0123456789abcdef-{_PARTS}"
_LONGEST = 100
"""Characters of a name that is itself a file's; two UUIDs have 72."""

_LARGEST = 1_000_000
"""Bytes of a state that are read; ours are bounded far below."""

_AT_REST = (b'"awaiting":0,', b'"misses":[]')
"""What a stored state says that no success and no search would change. Inside a text of the state
its quotes would be escaped, so that nothing an agent wrote can look like this."""


def key(session: str, agent: str = "", project: str = "") -> str:
    """Return the name under which a session's state is stored; sub-agents have their own.

    A host that names no session has one for each project.
    """
    return _PARTS.join((session, agent, "" if session else project))


def session_file(folder: str, name: str) -> str:
    """Return the file in `folder` that holds the state stored under `name`.

    A session that is named by a UUID, as with most hosts, is found without a digest, for which
    Python loads a library: 1 ms of a hook's 10.
    """
    if len(name) <= _LONGEST and name[:1] in _DIGITS[:-2] and not name.strip(_DIGITS):
        return os.path.join(folder, f"{name.replace(_PARTS, '_')}.json")
    # Straight from the module that hashlib takes it from: hashlib itself loads OpenSSL, 2 ms.
    from _blake2 import blake2b

    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return os.path.join(folder, f"{digest}.json")


def known(folder: str, name: str) -> bool:
    """Return whether a store of files in `folder` holds a state under `name`; one stat.

    A session without a state has never missed, so its successes need not be recorded.
    """
    return os.path.exists(session_file(folder, name))


def awaits(folder: str, name: str) -> bool:
    """Return whether a success, a search or a prompt may change the state `known` speaks of.

    One failing `open` for a session that never missed; a small file read for one that did.
    """
    try:
        with open(session_file(folder, name), "rb", buffering=0) as file:
            state = file.read(_LARGEST)
    except OSError:
        return False
    return not all(words in state for words in _AT_REST)
