"""What a session touched lately: it puts equal candidates in order, and no more.

It can neither make a correction nor prevent one: where a path's own evidence does not tell two
files apart, the one that the agent works with is named first, and the reason with it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from truepath.call import Candidate, Resolution, ToolCall

_PATHS = 64
_SESSIONS = 256
_ASKED = 8

EQUAL = 0.005
"""Two confidences that differ by less are one: they are told with two digits."""

_RANK = {"read-this-session": 4, "not-committed": 2, "same-folder-as-work": 1}

Changed = Callable[[Sequence[str]], Collection[str]]
"""Returns which of some root-relative paths differ from the last commit."""


class Recent:
    """The paths that each session was let through to, in this process. Thread-safe."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._sessions: dict[tuple[str, str], deque[str]] = {}

    def note(self, call: ToolCall, resolutions: Sequence[Resolution]) -> None:
        """Remember the paths of a call that goes through."""
        there = [each.path for each in resolutions if each.path]
        if there:
            key = (call.session, call.agent)
            self._sessions.setdefault(key, deque(maxlen=_PATHS)).extend(there)
            if len(self._sessions) > _SESSIONS:
                self._sessions.pop(next(iter(self._sessions)), None)

    def known(self, call: ToolCall) -> tuple[str, ...]:
        """Return the paths of a call's session, the latest last."""
        return tuple(self._sessions.get((call.session, call.agent), ()))


def ordered(resolution: Resolution, known: Collection[str], changed: Changed) -> Resolution:
    """Return a resolution with its equally likely candidates in the order of this session.

    A path that was used in it comes first, then one that is not committed yet, then one beside
    a path that was used; what is so becomes part of a candidate's evidence.

    Args:
        resolution: One without an answer.
        known: The root-relative paths that this session used.
        changed: Asked once at most, and only when there are equals.
    """
    found = resolution.candidates
    groups = _groups(found)
    if resolution.path is not None or len(set(groups)) == len(groups):
        return resolution
    folders = {path.rpartition("/")[0] for path in known} - {""}
    equal = [one.path for one, group in zip(found, groups, strict=True) if groups.count(group) > 1]
    fresh = changed(equal[:_ASKED])
    said = [_said(one, known, fresh, folders) for one in found]
    order = sorted(
        range(len(found)), key=lambda at: (groups[at], -sum(_RANK[each] for each in said[at]))
    )
    sorted_ = (replace(found[at], evidence=(*found[at].evidence, *said[at])) for at in order)
    return replace(resolution, candidates=tuple(sorted_))


def _groups(candidates: Sequence[Candidate]) -> list[int]:
    """Return the number of the group of equals that each candidate belongs to."""
    groups: list[int] = []
    top = 1.0
    for each in candidates:
        if not groups or top - each.confidence >= EQUAL:
            groups.append(len(set(groups)))
            top = each.confidence
        else:
            groups.append(groups[-1])
    return groups


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


def uncommitted(root: str, paths: Sequence[str], *, seconds: float = 0.05) -> set[str]:
    """Return which of `paths` git says are changed or new; none where it cannot say in time."""
    from truepath.files.git import GitError, git, zsplit

    words = ("status", "--porcelain", "--no-renames", "--untracked-files=all", "-z", "--")
    try:
        out = git(root, "--literal-pathspecs", *words, *paths, timeout=seconds)
    except GitError:
        return set()
    # Git tells paths from the top of the work tree, which may lie above the project.
    told = [line[3:] for line in zsplit(out)]
    return {path for path in paths if any(f"/{each}".endswith(f"/{path}") for each in told)}
