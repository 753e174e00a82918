"""What a session touched lately: it shifts confidence between candidates, and no more.

It can neither make a correction nor prevent one: what it makes likelier is named first, and the
reason with it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence

from truepath.config.locks import ThreadLock
from truepath.records import replace
from truepath.types import Candidate, Resolution, ToolCall

_PATHS = 64
"""Paths kept of one session."""
_SESSIONS = 256
"""Sessions kept in one process."""
_ASKED = 8
"""Candidates that git is asked about."""
_SECONDS = 0.05
"""For git's word on them: it changes the order of an answer, and no more."""

Changed = Callable[[Sequence[str]], Collection[str]]
"""Returns which of some root-relative paths differ from the last commit."""


class Recent:
    """The paths that each session was let through to, in this process. Thread-safe."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._sessions: dict[tuple[str, str], deque[str]] = {}
        self._lock = ThreadLock()

    def note(self, call: ToolCall, resolutions: Sequence[Resolution]) -> None:
        """Remember the paths of a call that goes through."""
        there = [each.path for each in resolutions if each.path]
        if there:
            key = (call.session, call.agent)
            with self._lock:
                self._sessions.setdefault(key, deque(maxlen=_PATHS)).extend(there)
                if len(self._sessions) > _SESSIONS:
                    del self._sessions[next(iter(self._sessions))]

    def known(self, call: ToolCall) -> tuple[str, ...]:
        """Return the paths of a call's session, the latest last."""
        with self._lock:
            return tuple(self._sessions.get((call.session, call.agent), ()))


def weighed(resolution: Resolution, known: Collection[str], changed: Changed) -> Resolution:
    """Return a resolution with its candidates weighed by what this session does.

    What they have together stays; how much a path gains by having been used, by not being
    committed yet or by lying beside a path that was used is measured (`Model.session`). None
    rises above what is worth naming, so that none is acted on for this alone.

    Args:
        resolution: One without an answer.
        known: The root-relative paths that this session used.
        changed: Asked once at most, and only when it can change the order.
    """
    from truepath.resolve.model import CEILING, fitted
    from truepath.resolve.order import namesakes_first

    found, weights = resolution.candidates, fitted().session
    rivals = _rivals(found, max(weights.values()))
    if resolution.path is not None or len(rivals) < 2:
        return resolution
    folders = {path.rpartition("/")[0] for path in known} - {""}
    fresh = changed([one.path for one in rivals[:_ASKED] if not one.folder])
    said = [_said(one, known, fresh, folders) for one in found]
    if not any(said):
        return resolution
    heavy = [
        one.confidence * max((weights[each] for each in kinds), default=1.0)
        for one, kinds in zip(found, said, strict=True)
    ]
    scale = sum(one.confidence for one in found) / sum(heavy)
    likeliest = [
        replace(
            one,
            confidence=min(chance * scale, max(one.confidence, CEILING)),
            evidence=(*one.evidence, *kinds),
        )
        for one, chance, kinds in zip(found, heavy, said, strict=True)
    ]
    return replace(resolution, candidates=tuple(namesakes_first(likeliest)))


def _rivals(candidates: Sequence[Candidate], most: float) -> list[Candidate]:
    """Return the candidates that are first, or would be if they weighed `most` times as much."""
    top = max((one.confidence for one in candidates), default=0.0)
    return [one for one in candidates if one.confidence > 0 and one.confidence * most >= top]


def _said(
    candidate: Candidate, known: Collection[str], fresh: Collection[str], folders: Collection[str]
) -> list[str]:
    folder = candidate.path if candidate.folder else candidate.path.rpartition("/")[0]
    kinds = {
        "read-this-session": candidate.path in known,
        "not-committed": candidate.path in fresh,
        "same-folder-as-work": folder in folders,
    }
    return [kind for kind, so in kinds.items() if so]


def uncommitted(root: str, paths: Sequence[str]) -> set[str]:
    """Return which of `paths` are changed or new; none where git cannot say in time."""
    from truepath.project.committed import changed
    from truepath.project.git import GitError

    try:
        return changed(root, paths, timeout=_SECONDS)
    except GitError:
        return set()
