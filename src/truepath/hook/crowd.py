"""Few hooks of a user at work at once: the others wait, which costs no time of a processor.

Without that, 64 hooks that begin together share two processors until none of them ends in time.
"""

from __future__ import annotations

import os

from truepath.config.user_dirs import make_private, state_folder

TYPE_CHECKING = False  # `typing` itself would cost a hook as much as half an interpreter
if TYPE_CHECKING:
    from collections.abc import Mapping

EACH = 2
"""Hooks at work for each processor: one waits for git while the other thinks."""


def take_turn(environ: Mapping[str, str]) -> None:
    """Wait until this process may go to work; its turn ends with it, whatever ends it.

    Where the system has no such locks, or the state folder cannot be used, nobody waits.
    """
    try:
        from fcntl import LOCK_EX, LOCK_NB, lockf
    except ImportError:
        return
    folder = state_folder(environ)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        make_private(folder)
        file = os.open(os.path.join(folder, "turns"), flags, 0o600)
        places = EACH * (os.cpu_count() or 1)
        own = os.getpid() % places
        for place in (*range(own, places), *range(own)):
            try:
                lockf(file, LOCK_EX | LOCK_NB, 1, place)
            except BlockingIOError:
                continue
            return
        lockf(file, LOCK_EX, 1, own)
    except OSError:
        return
