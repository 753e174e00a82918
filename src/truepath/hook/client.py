"""`truepath-hook HOST`: a hook event on stdin, an answer or nothing on stdout, always
status 0.

This is where hooks fail open: on any error, the agent's call goes on unchanged. An
event whose paths exist gets no answer before anything else is imported, unless its
session missed a path recently. The rest goes to the engine.
"""

from __future__ import annotations

import gc
import os
import sys
from time import time

from truepath import TYPE_CHECKING, Late
from truepath.config import switched_off

if TYPE_CHECKING:
    import site
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec

    from truepath import errors, fields, hosts
    from truepath.hook import answer, deadline, failures, presence
else:
    answer = Late("truepath.hook.answer")
    deadline = Late("truepath.hook.deadline")
    errors = Late("truepath.errors")
    failures = Late("truepath.hook.failures")
    fields = Late("truepath.fields")
    hosts = Late("truepath.hosts")
    presence = Late("truepath.hook.presence")
    site = Late("site")

LARGEST_EVENT = 4_000_000
"""Bytes of an event: ten times the largest file that a model writes in one call. A
larger one gets no answer."""


def run() -> None:
    """Run the command `truepath-hook`.

    It exits without the interpreter's cleanup, which takes as long as its start.
    """
    os._exit(main(sys.argv[1:], alone=True))


def main(args: Sequence[str], *, alone: bool = False) -> int:
    """Answer the event on stdin for the host in `args`; return the status, which is
    always 0.

    Args:
        args: The host, and `--began SECONDS` from another client that began before this
            one.
        alone: Whether this process exists only for this event, and ends when its time
            is over.
    """
    try:
        began = min(time(), float(args[args.index("--began") + 1]))
    except (ValueError, IndexError):
        began = time()
    try:
        if alone:
            began = min(began, deadline.started())
            deadline.keep(began, os.environ)
        data = _read()
        name = args[0] if args else ""
        if data.strip() and not switched_off(os.environ):  # empty if tried by hand
            _answer(name, data, began, alone=alone)
    # Nothing of truepath may block the agent's call: to a program, any other status, or
    # text on stdout, can be a refusal. Even an exit, Ctrl-C or the alarm's
    # OutOfPatienceError, which are no Exception.
    except BaseException as error:  # noqa: BLE001
        _report(args, error)
    return 0


def _answer(name: str, data: bytes, began: float, *, alone: bool) -> None:
    host = hosts.find(name)
    event = parsed(data)
    if not isinstance(event, dict) or presence.is_quiet(host, event, data, os.environ):
        return
    if alone:
        gc.disable()  # the process ends soon
    _find_packages()
    try:
        answer.reply(host, event, os.environ, began, _write)
    finally:
        # `run` exits without cleanup: a git that hangs would outlive this process.
        if alone:
            deadline.end_programs()


class _Packages:
    """Finds installed packages in an interpreter that was started without `site` (see
    `script`), which takes a third of Python's start and is needed by few misses.
    """

    @classmethod
    def find_spec(cls, name: str, path: object = None, *_: object) -> ModuleSpec | None:
        if path is not None:  # a submodule of a package that was found
            return None
        sys.meta_path.remove(cls)
        site.main()  # which adds the folders of packages to the path
        for finder in sys.meta_path:
            spec = finder.find_spec(name, None, None)
            if spec is not None:
                return spec
        return None


def _find_packages() -> None:
    if (
        sys.flags.no_site
        and "site" not in sys.modules
        and _Packages not in sys.meta_path
    ):
        sys.meta_path.append(_Packages)


def parsed(data: bytes) -> object:
    """Return the JSON value in `data`; raise EventError if it is not valid."""
    try:
        return fields.loads(data.removeprefix(b"\xef\xbb\xbf").decode())
    except ValueError as error:
        raise errors.EventError(f"the event is no JSON: {error}") from None


def _read() -> bytes:
    """Return the event on stdin; raise EventError if it is too large.

    Even then it is read to its end: a host may take a closed pipe for a failure.
    """
    parts = []
    size = 0
    while part := os.read(0, 1 << 16):  # the capacity of a pipe
        size += len(part)
        if size <= LARGEST_EVENT:
            parts.append(part)
    if size > LARGEST_EVENT:
        raise errors.EventError(f"the event has more than {LARGEST_EVENT:,} bytes")
    return b"".join(parts)


def _write(data: bytes) -> None:
    # Not sys.stdout: if the reader is gone, the status at exit would be 120.
    while data:
        data = data[os.write(1, data) :]


def _report(args: Sequence[str], error: BaseException) -> None:
    """Print and record a failure of truepath; if that fails too, do nothing."""
    from contextlib import suppress  # the rest may be what failed

    host = args[0] if args else ""
    with suppress(Exception):  # standard error may be closed
        what = str(error).partition("\n")[0] or "no message"
        who = f"truepath hook {host}".rstrip()
        # A person reads it: the message of what is expected says all.
        is_expected = isinstance(error, (errors.OutOfPatienceError, errors.Error))
        kind = "" if is_expected else f"{type(error).__name__}: "
        line = f"{who}: {kind}{what}; the call runs as it was\n"
        os.write(2, line.encode("utf-8", "backslashreplace"))
    with suppress(Exception):  # what failed may fail again: settings, the disk
        _find_packages()
        failures.record(host, error)
