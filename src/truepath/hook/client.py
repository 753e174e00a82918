"""`truepath-hook HOST`: a hook event on stdin, an answer or nothing on stdout, status 0 always.

The one place where hooks fail open: whatever goes wrong in here, the agent's call goes on as it
came. An event whose paths exist is answered with silence before anything else is imported, unless
its session has missed a path lately. The rest goes to the engine.
"""

from __future__ import annotations

import os
from time import time

from truepath.config import switched_off

TYPE_CHECKING = False  # `typing` itself would cost 8 ms
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec

LARGEST = 4_000_000
"""Bytes of an event: ten times the largest file that a model writes in one call. Of a larger one
nothing is kept and nothing is said."""


def run() -> None:
    """Answer for the command `truepath-hook` and exit.

    At once: all is written by then, and an interpreter that tidies up takes as long as it started.
    """
    import sys

    os._exit(main(sys.argv[1:], alone=True))


def main(args: Sequence[str], *, alone: bool = False) -> int:
    """Answer the event on stdin for the host named in `args`; the status is always 0.

    Args:
        args: The host, and `--began SECONDS` where another client began before this one.
        alone: Whether this process is there for this event only: then it ends when time is over.
    """
    began = _began(args)
    try:
        if alone:
            from truepath.hook import deadline

            began = min(began, deadline.started())
            deadline.keep(began, os.environ)
        data, name = _read(), args[0] if args else ""
        if data.strip() and not switched_off(os.environ):  # else somebody tries it by hand
            _answer(name, data, began, alone=alone)
    except BaseException as error:  # noqa: BLE001  the boundary: not even an exit may get through
        _report(args, error)
    return 0


def _began(args: Sequence[str]) -> float:
    """Return when the hook began, seconds since the epoch."""
    try:
        return min(time(), float(args[args.index("--began") + 1]))
    except (ValueError, IndexError):
        return time()


def _answer(name: str, data: bytes, began: float, *, alone: bool) -> None:
    from truepath.hook.presence import is_quiet
    from truepath.hosts import find

    host, event = find(name), _parse(data)
    if not isinstance(event, dict) or is_quiet(host.EVENT_SCHEMA, event, data, os.environ):
        return
    if alone:
        import gc

        gc.disable()  # the process ends before there is anything worth collecting
    _find_packages()
    from truepath.hook.answer import reply

    try:
        reply(host, event, os.environ, began, _write)
    finally:
        if alone:
            from truepath.hook.deadline import end_programs

            end_programs()


class _Packages:
    """Finds what is installed, in an interpreter that was started without `site` (see `script`):
    that is a third of Python's own start, and few misses need it.
    """

    @classmethod
    def find_spec(cls, name: str, path: object = None, *_: object) -> ModuleSpec | None:
        """Return where a module is that the standard library does not have."""
        import sys

        if path is not None:  # of a package that was found
            return None
        sys.meta_path.remove(cls)
        import site

        site.main()
        found = (finder.find_spec(name, None, None) for finder in sys.meta_path)
        return next(filter(None, found), None)


def _find_packages() -> None:
    """Let packages be found, once one is asked for."""
    import sys

    if sys.flags.no_site and "site" not in sys.modules and _Packages not in sys.meta_path:
        sys.meta_path.append(_Packages)


def _parse(data: bytes) -> object:
    """Return the JSON value in `data`; raises ValueError when there is none."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode().strip(" \t\r\n")
    try:
        # The C scanner alone: the json package brings `re` along, 8 ms against 0.3.
        from _json import make_scanner

        value, end = make_scanner(_Plain())(text, 0)  # type: ignore[arg-type]
    except (ImportError, StopIteration, TypeError, AttributeError, SystemError):
        end = -1
    if end != len(text):
        from json import loads

        value = loads(text)
    return value


class _Plain:
    """How the C scanner is to read JSON: as `json.loads` does by default."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def _read() -> bytes:
    """Return the event on stdin; raises ValueError for one that is too large.

    It is read to its end all the same: a host that is not heard out may take that for a failure.
    """
    parts, size = [], 0
    while part := os.read(0, 1 << 16):  # no pipe gives more at once
        size += len(part)
        if size <= LARGEST:
            parts.append(part)
    if size > LARGEST:
        raise ValueError(f"the event has more than {LARGEST:,} bytes")
    return b"".join(parts)


def _write(data: bytes) -> None:
    # Past sys.stdout: a reader that has gone would otherwise turn the status into 120 at exit.
    while data:
        data = data[os.write(1, data) :]


def _report(args: Sequence[str], error: BaseException) -> None:
    """Say and record a failure of truepath; where that fails too, say nothing."""
    from contextlib import suppress

    host = args[0] if args else ""
    with suppress(Exception):
        what = str(error).partition("\n")[0] or "no message"
        who = f"truepath hook {host}".rstrip()
        line = f"{who}: {type(error).__name__}: {what}; the call goes on\n"
        os.write(2, line.encode("utf-8", "backslashreplace"))
    with suppress(Exception):
        _find_packages()
        from truepath.config.settings import load
        from truepath.config.user_dirs import state_folder
        from truepath.journal.event import Event, failure_of
        from truepath.journal.journal import JsonlSink, journal_path

        if load(None, os.environ).journal:
            event = Event(event="guard.failed", time=time(), host=host, error=failure_of(error))
            JsonlSink(journal_path(state_folder(os.environ)))(event)
