"""The history of a project in a sandbox: one log, and git asked there for what it does not tell."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from truepath.errors import SandboxError
from truepath.project.git import GitError, only_reads, zsplit
from truepath.project.history.log import DOUBTFUL, is_id, parse
from truepath.project.history.outcome import UNKNOWN, PathHistory, mapped
from truepath.project.history.query import HistoryQuery
from truepath.project.history.repository import GitQuery, Place
from truepath.project.history.sources import IndexSource
from truepath.project.history.store import Map
from truepath.project.names import Names
from truepath.project.remote.listing import read
from truepath.project.remote.sandbox import Sandbox
from truepath.project.remote.scripts import ASK, IDS, LOG, LOOK
from truepath.records import dataclass, replace

_MOST_COMMITS = 3_000
"""Commits that are looked at, for a call waits for them; of older ones nothing is claimed. All of a
long history take git half a minute (`background.BUILD_SECONDS`)."""


class RemoteHistory:
    """One state of a repository in a sandbox, asked about paths below one root."""

    def __init__(self, sandbox: Sandbox, place: Place) -> None:
        """Take a sandbox and the repository in it; nothing is read yet."""
        self.place = place
        self._sandbox = sandbox
        self._log: _Log | None = None
        self._fates: dict[str, PathHistory] = {}

    def fate(self, path: str, *, deadline: float | None = None) -> PathHistory:
        """Say what became of a path that is not there; see `History.fate`."""
        if path not in self._fates:
            seconds = self._sandbox.timeout_s if deadline is None else deadline
            self._fates[path] = self._asked(path.strip("/"), time.monotonic() + seconds)
        return self._fates[path]

    def departed(self, path: str, *, deadline: float | None = None) -> Names | None:  # noqa: ARG002
        """Return the paths that the repository had and lost; see `History.departed`."""
        log = self._read()
        if log.place.doubtful:
            return None
        inside = len(self.place.prefix)
        gone = (name for name in log.events.paths() if name.startswith(self.place.prefix))
        return Names(name[inside:] for name in gone)

    def has_map(self) -> bool:
        """Return True: the log is in memory."""
        return True

    def _asked(self, path: str, ends: float) -> PathHistory:
        if not path or "\n" in path or ".." in path.split("/"):
            return UNKNOWN
        log, prefix = self._read(), self.place.prefix
        look = _SandboxQuery(self._sandbox, log.place, ends)
        source = IndexSource(log.events, (), frozenset(), ends)
        try:
            found = HistoryQuery(look, source).fate(prefix + path)
        except GitError:
            return UNKNOWN

        def inside(name: str) -> str | None:
            return name[len(prefix) :] if name.startswith(prefix) else None

        return mapped(found, inside) if prefix else found

    def _read(self) -> _Log:
        """Return the log, read once; an empty one that proves nothing where that failed."""
        if self._log is None:
            doubted = replace(self.place, doubtful=True)
            self._log = _Log(Map("", self.place.head, ()), doubted)
            try:
                self._log = _logged(self._sandbox, self.place)
            except (SandboxError, GitError):
                return self._log
        return self._log


@dataclass(frozen=True, slots=True)
class _Log:
    """What the commits took away, and the repository with what that leaves in doubt."""

    events: Map
    place: Place


def _logged(sandbox: Sandbox, place: Place) -> _Log:
    most = str(_MOST_COMMITS + 1)
    said = dict(read(sandbox.output(LOG, place.top, place.head, most, vital=False)))
    if "whole" not in said:
        raise GitError("git in the sandbox has not told its log")
    exact = "exact" in said
    commits = [*parse(said["exact" if exact else "plain"], exact=exact)]
    # A merge says that a path left, and not where to.
    merged = (event for commit in parse(said["merges"]) for event in commit.events)
    plain = [event for commit in commits for event in commit.events]
    events = [*plain, *(replace(event, score=DOUBTFUL) for event in merged)]
    numbered = [replace(event, order=len(events) - n) for n, event in enumerate(events)]
    count = "".join(said["count"])[1:]
    cut = not count.isdigit() or int(count) > _MOST_COMMITS
    place = replace(place, doubtful=place.doubtful or cut or exact)
    return _Log(Map("", place.head, numbered), place)


class _SandboxQuery(GitQuery):
    """Git, asked in the sandbox; no file of this machine is looked at."""

    def __init__(self, sandbox: Sandbox, place: Place, end: float) -> None:
        super().__init__(place, end)
        self._sandbox = sandbox
        self._there: dict[str, bool] = {}
        self._ids: dict[str, str] | None = None

    def ask(
        self,
        *args: str,
        stdin: bytes | None = None,
        ok: tuple[int, ...] = (0,),
        share: float = 1.0,  # noqa: ARG002
    ) -> bytes:
        """Run git in the sandbox; see `GitQuery.ask`."""
        if not self.left():
            raise GitError("out of time", timed_out=True)
        only_reads(args)
        given = (stdin or b"").decode("utf-8", "surrogateescape")
        printed = self._said(ASK, given, self.place.top, *args)
        output, _, code = printed.rpartition(b"\0")
        if not code.isdigit() or int(code) not in ok:
            raise GitError(f"git {args[0]} exited with {code!r} in the sandbox", output=output)
        return output

    def on_disk(self, path: str) -> bool:
        """Return whether the work tree in the sandbox has something at a path."""
        if path not in self._there:
            said = self._said(LOOK, f"{self.place.top}/{path}")
            self._there[path] = not said.startswith(b"-")
        return self._there[path]

    def ids(self, path: str, sizes: Mapping[int, int]) -> Sequence[str]:
        """Return the id of a file in the sandbox; see `GitQuery.ids`. All are asked for at once."""
        if self._ids is None:
            lengths = [str(size) for size in sizes]
            said = zsplit(self._said(IDS, self.place.top, *lengths))
            self._ids = dict(zip(said[::2], said[1::2], strict=False))
        found = self._ids.get(f"./{path}", "")
        return [found] if is_id(found) else []

    def _said(self, script: str, *arguments: str) -> bytes:
        try:
            return self._sandbox.output(script, *arguments, vital=False)
        except SandboxError as error:
            raise GitError(str(error), timed_out=True) from error
