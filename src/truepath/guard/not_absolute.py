"""The ruler of a call that failed because its paths were relative: its tool takes
absolute ones only, or looked for them in this process's folder.

Its text: `not absolute`.
"""

from __future__ import annotations

import os

from truepath.guard.reading import ELSEWHERE, Finding, Reading, Ruling
from truepath.guard.texts import NOT_ABSOLUTE
from truepath.paths import is_absolute, join


def not_absolute(reading: Reading) -> Ruling | None:
    """Rule about the relative paths of a failed call; None if none of them exists."""
    failure = reading.failure
    if failure is None:
        return None
    takes_none = "absolute" in failure.about
    # A function may have looked in this process's folder for what is at the root.
    if not takes_none and not (failure.is_missing and reading.call.cwd == ELSEWHERE):
        return None
    tree = reading.space.tree
    relative: list[Finding] = []
    wholes: list[str] = []
    for finding in reading.findings:
        written = finding.mention.written
        if is_absolute(written, tree.flavour):
            continue
        # In a command, it is the program's own word about its options.
        is_right = finding.mention.text is None
        if not takes_none:
            is_right = not os.path.lexists(written)
        path = _meant(reading, finding)
        if is_right and path is not None:
            relative.append(finding)
            wholes.append(join(tree.root, path, tree.flavour))
    if not relative:
        return None
    is_silent = all(finding.rule == "observe" for finding in relative)
    return Ruling(
        "allow" if is_silent else "advise",
        relative,
        row="not-absolute",
        says="not absolute",
        code=NOT_ABSOLUTE,
        parts={"paths": wholes},
    )


def _meant(reading: Reading, finding: Finding) -> str | None:
    """Return the path that a finding surely is about, or that it makes in a folder that
    exists; None if there is none.
    """
    resolution = finding.resolution
    if resolution.status in ("exists", "resolved"):
        return resolution.path
    if not finding.makes or finding.looks_wrong or resolution.outside:
        return None
    folder = resolution.target.rpartition("/")[0]
    if reading.space.tree.kind(folder) != "folder":
        return None
    return resolution.target
