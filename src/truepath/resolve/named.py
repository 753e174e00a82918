"""Which candidates an answer names, in order: the likely ones, and files of the very name."""

from __future__ import annotations

from truepath.types import Candidate, Resolution

SHOWN = 3
"""Candidates in the text: forty names fed one agent's loop, three do not."""

NAMESAKES = 5
"""Files of the very name in the text; of more only the likely ones are named, and all counted."""

LEAST = 0.05
"""The confidence of a candidate worth a word: one in twenty."""

SURE = 0.5
"""The confidence from which a candidate comes first whatever its name; others must be likely."""

NEVER = "never in git"
"""What history says of a path it does not know; in place of what has ended nothing is named."""

MAKING = ("write", "mkdir")


def named(resolution: Resolution) -> tuple[Candidate, ...]:
    """Return the candidates that an answer names.

    Of a path that is resolved, or to be made, the one; of a path of the wrong kind what exists
    next to it; else what is likely, and files of the very name before others. Of what is absent,
    and was not deleted, only files of the very name, where they are few.
    """
    found = resolution.candidates
    if resolution.status in ("resolved", "outside") or resolution.operation in MAKING:
        return found[:1]
    if resolution.status == "directory":
        inside = resolution.target + "/"
        beside = [
            each
            for each in found
            if "same-folder" in each.evidence and not each.path.startswith(inside)
        ]
        return tuple(each for each in beside if each.folder is (resolution.note == "file"))[:SHOWN]
    same = namesakes(resolution)
    if resolution.status == "absent":
        gone = resolution.note and not resolution.note.startswith(NEVER)
        return () if gone or len(same) > NAMESAKES else same
    likely = [each for each in found if each.confidence >= LEAST]
    few = 0 if has_sure(resolution) else SHOWN
    if not few or len(same) > NAMESAKES:
        same = tuple(each for each in same if each in likely)[:NAMESAKES] or same[:few]
    first = [each for each in likely[:1] if each.confidence >= SURE]
    order = dict.fromkeys([*first, *same, *likely])
    return tuple(order)[: max(SHOWN, len(same))]


def has_sure(resolution: Resolution) -> bool:
    return any(each.confidence >= SURE for each in resolution.candidates[:1])


def namesakes(resolution: Resolution) -> tuple[Candidate, ...]:
    name = resolution.target.rstrip("/").rpartition("/")[2]
    return tuple(each for each in resolution.candidates if each.path.rpartition("/")[2] == name)
