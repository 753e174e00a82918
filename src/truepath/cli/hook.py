"""`truepath hook HOST`: a hook event on stdin, an answer or nothing on stdout, status 0 always.

The one place where hooks fail open: whatever goes wrong in here, the agent's call goes on as it
came. An event whose paths exist is answered (with silence) before anything else is imported,
unless its session has missed a path lately and waits to hear of a success.
"""

from __future__ import annotations

import os
from stat import S_ISDIR, S_ISREG
from time import time

TYPE_CHECKING = False  # `typing` itself would cost 8 ms
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from truepath.call import Decision, Kind
    from truepath.guard import Guard
    from truepath.hosts.protocol import Exchange, Host, Request

PATIENCE = 10.0
"""Seconds after which the call goes on unanswered; the shortest default of a host is 30."""

WAIT = 1.0
"""Seconds that a miss may wait for the history: a refusal for want of it costs the agent a turn,
which is several seconds."""

SLACK = 0.05
"""Seconds between one call's answer and the start of the next call's hook within which both belong
to one model turn, where the host does not tell; no model takes its next turn that fast."""

RECORD = 1_000_000
"""Bytes at the end of a session's record that are read for what the user typed last."""

_SWITCHES = ("TRUEPATH", "CLAUDE_RESOLVE_PATH")
_OFF = ("0", "false", "no", "off")


def main(args: Sequence[str]) -> int:
    """Answer the event on stdin for the host named in `args`; the status is always 0."""
    began = time()
    try:
        data = _read()
        if not switched_off(os.environ):
            answer = reply(args[0], data, began)
            if answer:
                _write(answer)
    except BaseException as error:  # noqa: BLE001  the boundary: not even an exit may get through
        _report(args, error)
    return 0


def switched_off(environ: Mapping[str, str]) -> bool:
    """Whether the user has switched everything off, by `TRUEPATH=0` or `CLAUDE_RESOLVE_PATH=0`."""
    return any(environ.get(name, "").strip().lower() in _OFF for name in _SWITCHES)


def reply(name: str, data: bytes, began: float) -> bytes:
    """Return the answer of the host called `name` to the event in `data`: JSON, or nothing.

    Args:
        name: A host of the table.
        data: The event, as the host wrote it.
        began: When the hook began, seconds since the epoch.
    """
    from truepath.hosts import find

    host = find(name)
    event = _parse(data)
    if not isinstance(event, dict):
        return b""
    stakes = host.at_stake(event)
    well = stakes is not None and all(_present(path, kind) for path, kind in stakes)
    if well and stakes and any(_elsewhere(path, event.get("cwd")) for path, _ in stakes):
        well = False
    if well and not _awaited(*host.session(event)):
        return b""
    request = host.decode(event, os.environ)
    decisions = _decide(host, request, began) if request and request.exchanges else None
    answer = host.encode(request, decisions) if request and decisions else None
    return _dump(answer) if answer else b""


def _elsewhere(path: str, cwd: object) -> bool:
    """Whether a path lies in another work tree than the agent stands in: it may be another checkout
    of the same repository, and there a path that exists can be the wrong one.
    """
    if not isinstance(cwd, str) or not cwd or path.startswith(cwd.rstrip("/") + "/"):
        return False
    there = _top(os.path.dirname(path))
    return there is not None and there != _top(cwd)


def _top(folder: str) -> str | None:
    """Return the nearest folder at or above `folder` that holds a `.git`."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return folder


def _awaited(session: str, agent: str) -> bool:
    """Whether something in the session may change by a call that goes well."""
    from truepath.keys import awaits, key
    from truepath.places import state_folder

    if not session or _stored_elsewhere():
        return True
    return awaits(os.path.join(state_folder(os.environ), "sessions"), key(session, agent))


def _stored_elsewhere() -> bool:
    """Whether sessions may be kept in anything but files: then only the store itself can tell."""
    if os.environ.get("TRUEPATH_STORE", "").strip():
        return True
    from truepath.places import user_file

    try:
        with open(user_file(os.environ), "rb", buffering=0) as file:
            return b"store" in file.readall()
    except OSError:
        return False


def _decide(host: Host, request: Request, began: float) -> list[Decision] | None:
    from truepath.hosts.project import find_root

    root = find_root(request.cwd, request.project)
    if root is None:
        return None
    with _Patience(PATIENCE):
        guard = _guard(root, began)
        if request.phase == "prompt":
            guard.prompted(request.exchanges[0].call)
            return None
        record = _end_of(request.record) if request.record else b""
        return [_answered(guard, host, each, record) for each in request.exchanges]


def _guard(root: str, began: float) -> Guard:
    from truepath.config import load
    from truepath.guard import Guard
    from truepath.places import state_folder
    from truepath.stores import open_store

    settings = load(root, os.environ)
    # In files by default: the next event of this session is another process.
    store = open_store(settings.store or None, state_folder(os.environ))
    return Guard(root, settings=settings, store=store, patience=WAIT, slack=SLACK, began=began)


def _answered(guard: Guard, host: Host, exchange: Exchange, record: bytes) -> Decision:
    call = host.recall(exchange.call, record) if record else exchange.call
    if exchange.outcome is None:
        return _sayable(call.arguments, guard.before(call))
    return _sayable(call.arguments, guard.after(call, exchange.outcome))


def _end_of(path: str) -> bytes:
    """Return the end of a session's record; nothing where it cannot be read."""
    try:
        if not S_ISREG(os.stat(path).st_mode):
            return b""
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - RECORD))
            return file.read(RECORD)
    except (OSError, ValueError):
        return b""


def _sayable(arguments: Mapping[str, Any], decision: Decision) -> Decision:
    """Return `decision` fit for JSON: a name that is not UTF-8 can be told of, not passed on."""
    from dataclasses import replace

    changed = [value for key, value in decision.arguments.items() if arguments.get(key) != value]
    if decision.action == "rewrite" and not all(map(_is_utf8, changed)):
        decision = replace(decision, action="advise", arguments=arguments)
    return replace(decision, text=decision.text.encode("utf-8", "replace").decode())


def _is_utf8(value: object) -> bool:
    try:
        str(value).encode()
    except UnicodeEncodeError:
        return False
    return True


def _present(path: str, kind: Kind) -> bool:
    try:
        folder = S_ISDIR(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False
    return kind == "any" or folder == (kind == "folder")


def _parse(data: bytes) -> object:
    """Return the JSON value in `data`; raises ValueError when there is none."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode().strip()
    try:
        # The C scanner alone: the json package brings `re` along, 8 ms against 0.3.
        from _json import make_scanner

        value, end = make_scanner(_Plain())(text, 0)  # type: ignore[arg-type]
    except (ImportError, StopIteration, TypeError, AttributeError):
        end = -1
    if end != len(text):
        from json import loads

        value = loads(text)
    return value


class OutOfPatienceError(BaseException):
    """The answer took too long. No Exception, so that no one on the way takes it for theirs."""


class _Patience:
    """Raise OutOfPatienceError in the block after `seconds`, where the system has such an alarm."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __enter__(self) -> None:
        import signal

        if hasattr(signal, "setitimer"):
            self.handler = signal.signal(signal.SIGALRM, self._ring)
            self.timer = signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(self, *_: object) -> None:
        import signal

        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, *self.timer)
            signal.signal(signal.SIGALRM, self.handler)

    def _ring(self, *_: object) -> None:
        raise OutOfPatienceError(f"no answer within {self.seconds:g} s")


class _Plain:
    """How the C scanner is to read JSON: as `json.loads` does by default."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def _dump(answer: Mapping[str, Any]) -> bytes:
    from json import dumps

    # Not a number is not JSON: such an input cannot be given back, so its call goes on as it came.
    return dumps(answer, allow_nan=False, separators=(",", ":")).encode("ascii")


def _read() -> bytes:
    with open(0, "rb", closefd=False) as stdin:
        return stdin.read()


def _write(data: bytes) -> None:
    # Past sys.stdout: a reader that has gone would otherwise turn the status into 120 at exit.
    while data:
        data = data[os.write(1, data) :]


def _report(args: Sequence[str], error: BaseException) -> None:
    """Leave word of a failure of ours; a failure to do so is the last one and goes unsaid."""
    from contextlib import suppress

    host = args[0] if args else ""
    with suppress(Exception):
        what = str(error).partition("\n")[0] or "no message"
        line = f"truepath hook {host}: {type(error).__name__}: {what}; the call goes on\n"
        os.write(2, line.encode("utf-8", "backslashreplace"))
    with suppress(Exception):
        _record(host, error)


def _record(host: str, error: BaseException) -> None:
    from truepath.config import load
    from truepath.events import Event, failure_of
    from truepath.journal import JsonlSink, journal_path
    from truepath.places import state_folder

    if load(None, os.environ).journal:
        keep = JsonlSink(journal_path(state_folder(os.environ)))
        failure = failure_of(error)
        keep(Event(event="guard.failed", time=time(), host=host, error=failure))
