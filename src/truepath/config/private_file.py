"""Replace a file of the user's own, whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Iterable

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""Under the name of the new file there may be a link, or a pipe that would be waited for."""


def write(path: str, data: bytes | Iterable[bytes], *, lasting: bool = False) -> None:
    """Put `data` in the place of what the file at `path` holds; only its owner may read it.

    Args:
        path: The file, which need not be there; its folder must be.
        data: What it is to hold, whole or in parts.
        lasting: Whether it must outlive a loss of power the moment this returns.

    Raises:
        OSError: It cannot be written; then the file is as it was.
    """
    new = f"{path}.{os.getpid()}.tmp"
    try:
        with open(os.open(new, _FLAGS | _SAFE, 0o600), "wb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
            if lasting:
                file.flush()
                os.fsync(file.fileno())
        os.replace(new, path)
    except OSError:
        with suppress(OSError):
            os.unlink(new)
        raise
