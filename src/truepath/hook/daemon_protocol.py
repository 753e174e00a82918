"""What a hook says to the warm process over its socket. Asked by every miss: imports nothing.

One connection is one question: the line `truepath-1 VERSION` and four netstrings
(`LENGTH:BYTES,`): the host's name, when the hook began (seconds since the epoch), the environment
as NUL-separated `NAME=VALUE`, and the event. The answer is the line `ok` and what the host is to
read, up to the end; anything else means "do it yourself".
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Mapping

PROTOCOL = b"truepath-1"
OK = b"ok\n"
SOCKET = "serve.sock"

_LONGEST = 100
"""Bytes of the socket's path; Linux allows 107, macOS 103."""


def socket_path(folder: str) -> str | None:
    """Return the socket in the state folder `folder`; None where its path is too long for one."""
    path = os.path.join(folder, SOCKET)
    return path if len(os.fsencode(path)) <= _LONGEST else None


def question(
    version: str, host: str, began: float, environ: Mapping[str, str], data: bytes
) -> bytes:
    """Return a question as bytes; see the top of this module for what its parts mean."""
    names = [os.fsencode(f"{name}={value}") for name, value in environ.items()]
    parts = (host.encode(), repr(began).encode(), b"\0".join(names), data)
    line = b"%s %s\n" % (PROTOCOL, version.encode())
    return line + b"".join([b"%d:%s," % (len(part), part) for part in parts])
