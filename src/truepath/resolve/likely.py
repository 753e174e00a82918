"""Whether one candidate is clearly ahead: enough to show it to a call that only reads.

It permits nothing else: `permission` decides what may be changed.
"""

from __future__ import annotations

from truepath.records import replace
from truepath.resolve.named import NEVER
from truepath.types import READS, Candidate, Kind, Resolution

LEAST = 0.55
"""The lowest likelihood (0 to 1) of a file that is shown; `benchmarks/turns.py` prints what it
costs and gains."""

AHEAD = 2.0
"""How many times as likely as the next candidate it must be."""

ANOTHER = frozenset({"another-word", "opposite", "renumbered", "into-edition", "package-stands"})
"""Evidence of another thing: another word (`reader.py` for `writer.py`), another number (`lesson-2`
for `lesson-3`), an archived or example copy, a namesake of a module that is a package by now.
It is named, for the agent to choose, and not shown in place of what it wrote."""

_OTHER_FOLDER = frozenset({"folder-replaced", "moved", "missing-last", "extra-last"})
"""Evidence that a candidate lies directly in another folder than the path that was written."""


def marked(resolution: Resolution, kind: Kind = "any") -> Resolution:
    """Return an ambiguous resolution as `likely`, with its path, where one candidate is clearly
    ahead; any other resolution as it is.

    Args:
        resolution: One whose candidates are sorted, best first.
        kind: What the path must be.
    """
    if resolution.status != "ambiguous" or resolution.operation not in READS:
        return resolution
    # What became of a path that once existed is the agent's to judge.
    existed = resolution.note not in ("", NEVER)
    if resolution.outside or existed or resolution.searched.cut_short:
        return resolution
    first, second = ([*(one.confidence for one in resolution.candidates[:2]), 0.0, 0.0])[:2]
    if first < LEAST or first < AHEAD * second or not _fits(resolution.candidates[0], kind):
        return resolution
    known = set(resolution.candidates[0].evidence)
    # A folder's `tox.ini` is not that of a root that never had one.
    optional = bool(resolution.note) and "settings-at-root" in known
    if optional or _is_of_its_folder(resolution.written, known) or not ANOTHER.isdisjoint(known):
        return resolution
    return replace(resolution, status="likely", path=resolution.candidates[0].path)


def _is_of_its_folder(written: str, known: set[str]) -> bool:
    """Return whether a candidate of a generic name, such as an `__init__.py`, is another folder's
    own. The only one of a name is not, where folders were written as well.
    """
    generic = "generic-name" in known and not _OTHER_FOLDER.isdisjoint(known)
    return generic and ("only-one" not in known or "/" not in written)


def unmarked(resolution: Resolution) -> Resolution:
    """Return a likely resolution as the ambiguous one that it is made of."""
    if resolution.status != "likely":
        return resolution
    return replace(resolution, status="ambiguous", path=None)


def _fits(candidate: Candidate, kind: Kind) -> bool:
    return kind in ("any", "folder" if candidate.folder else "file")
