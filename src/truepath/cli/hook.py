"""`truepath hook HOST`: a hook event on stdin, an answer or nothing on stdout, status 0 always.

The one place where hooks fail open: whatever goes wrong in here, the agent's call goes on as it
came. An event whose paths exist is answered (with silence) before anything else is imported.
"""

from __future__ import annotations

import os
from stat import S_ISDIR

TYPE_CHECKING = False  # `typing` itself would cost 8 ms
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from truepath.call import Decision, Kind
    from truepath.guard import Guard
    from truepath.hosts.protocol import Exchange, Request

PATIENCE = 10.0
"""Seconds after which the call goes on unanswered; the shortest default of a host is 30."""

WAIT = 1.0
"""Seconds that a miss may wait for the history: a refusal for want of it costs the agent a turn,
which is several seconds."""

SLACK = 0.25
"""Seconds within which the hooks of one model turn's parallel calls end one after another; no
model takes its next turn that fast."""

_SWITCHES = ("TRUEPATH", "CLAUDE_RESOLVE_PATH")
_OFF = ("0", "false", "no", "off")


def main(args: Sequence[str]) -> int:
    """Answer the event on stdin for the host named in `args`; the status is always 0."""
    try:
        data = _read()
        if not switched_off(os.environ):
            answer = reply(args[0], data)
            if answer:
                _write(answer)
    except BaseException as error:  # noqa: BLE001  the boundary: not even an exit may get through
        _report(args, error)
    return 0


def switched_off(environ: Mapping[str, str]) -> bool:
    """Whether the user has switched everything off, by `TRUEPATH=0` or `CLAUDE_RESOLVE_PATH=0`."""
    return any(environ.get(name, "").strip().lower() in _OFF for name in _SWITCHES)


def reply(name: str, data: bytes) -> bytes:
    """Return the answer of the host called `name` to the event in `data`: JSON, or nothing."""
    from truepath.hosts import find

    host = find(name)
    event = _parse(data)
    if not isinstance(event, dict):
        return b""
    stakes = host.at_stake(event)
    if stakes is not None and all(_present(path, kind) for path, kind in stakes):
        return b""
    request = host.decode(event, os.environ)
    decisions = _decide(request) if request and request.exchanges else None
    answer = host.encode(request, decisions) if request and decisions else None
    return _dump(answer) if answer else b""


def _decide(request: Request) -> list[Decision] | None:
    from truepath.hosts.project import find_root

    root = find_root(request.cwd, request.project)
    if root is None:
        return None
    with _Patience(PATIENCE):
        guard = _guard(root)
        if request.phase == "prompt":
            guard.prompted(request.exchanges[0].call)
            return None
        return [_sayable(each.call.arguments, _ask(guard, each)) for each in request.exchanges]


def _guard(root: str) -> Guard:
    from truepath.config import load, state_folder
    from truepath.guard import Guard
    from truepath.stores import open_store

    settings = load(root, os.environ)
    # In files by default: the next event of this session is another process.
    store = open_store(settings.store or None, state_folder(os.environ))
    return Guard(root, settings=settings, store=store, patience=WAIT, slack=SLACK)


def _ask(guard: Guard, exchange: Exchange) -> Decision:
    if exchange.outcome is None:
        return guard.before(exchange.call)
    return guard.after(exchange.call, exchange.outcome)


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
    import time

    from truepath.config import load, state_folder
    from truepath.events import Event, failure_of
    from truepath.journal import JsonlSink, journal_path

    if load(None, os.environ).journal:
        keep = JsonlSink(journal_path(state_folder(os.environ)))
        failure = failure_of(error)
        keep(Event(event="guard.failed", time=time.time(), host=host, error=failure))
