"""The errors that a caller can handle. Each is an `Error` and, where one fits, a
builtin error. `suppress` is for errors that nobody need handle.
"""

from __future__ import annotations

import errno
import os

from truepath import TYPE_CHECKING, Late

if TYPE_CHECKING:
    import difflib
    from collections.abc import Iterable, Mapping

    from truepath.types import Any, Decision
else:
    difflib = Late("difflib")


class Error(Exception):
    """Anything truepath raises on purpose."""


class ConfigError(Error, ValueError):
    """A setting is malformed; the message says which, where and what to do."""


class EventError(Error, ValueError):
    """What a hook received is no event: no JSON, or too much of it."""


class WorkspaceError(Error, OSError):
    """A workspace root cannot be used."""


class SandboxError(Error):
    """A runner fails or its answer is incomplete: its project is not known."""


class PathRefused(Error, OSError):  # noqa: N818  named after the codes agents read
    """A wrapped tool's call is refused; the message is the answer for the agent."""

    _number: int | None = None

    def __init__(self, text: str, decision: Decision) -> None:
        """Take the answer and the decision that it belongs to."""
        super().__init__(text)
        self.decision = decision
        if self._number is not None:
            self.errno = self._number
            self.strerror = os.strerror(self._number)
        if decision.resolutions:
            self.filename = decision.resolutions[0].written

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the decision too, so that another process gets the path."""
        return type(self), (*self.args, self.decision)

    def __str__(self) -> str:
        """Return the answer for the agent."""
        return str(self.args[0])

    @property
    def payload(self) -> Mapping[str, Any]:
        """The answer as data, as `Decision.payload`, which each refusal has."""
        return self.decision.payload or {}


class PathNotFound(PathRefused, FileNotFoundError):  # noqa: N818
    """A wrapped tool's path does not exist."""

    _number = errno.ENOENT


class PathIsFolder(PathRefused, IsADirectoryError):  # noqa: N818
    """A wrapped tool needs a file and finds a folder."""

    _number = errno.EISDIR


class PathIsFile(PathRefused, NotADirectoryError):  # noqa: N818
    """A wrapped tool needs a folder and finds a file."""

    _number = errno.ENOTDIR


class OutOfPatienceError(BaseException):
    """An answer takes too long; the message says what it had. Not an Exception, so that
    no other code catches it.
    """


class suppress:  # noqa: N801
    """The same as that of `contextlib`, which would cost a hook 0.5 ms to import."""

    def __init__(self, *errors: type[BaseException]) -> None:
        self._errors = errors

    def __enter__(self) -> None:
        """Begin the block."""

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        """End the block; return whether its error is one to suppress."""
        return kind is not None and issubclass(kind, self._errors)


def not_known(what: str, name: object, names: Iterable[str], listed: str = "") -> str:
    """Return the message for an unknown name, with the closest known one; `listed` says
    where the names are, else they follow.
    """
    choices = [*names]
    close = difflib.get_close_matches(str(name), choices, n=1)
    meant = f" (did you mean {close[0]!r}?)" if close else ""
    told = listed or f"use one of {', '.join(choices)}"
    return f"{what} {name!r} is not known{meant}; {told}"
