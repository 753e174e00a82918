"""The corrections of one call, seen together with everything else that the call names."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from truepath.calls.paths import Mentions
from truepath.records import dataclass
from truepath.types import READS, Resolution

if TYPE_CHECKING:
    from truepath.calls.shell.command_line import Reading
    from truepath.guard.finding import Finding

_WORD = r"[^\s;&|<>()\"'`=,]+"
_TOKENS = 2000
"""Words of a command that are compared; a longer one is data."""


class Where(Protocol):
    """The project."""

    root: str

    def real(self, absolute: str) -> str:
        """Return an absolute path with links followed."""


@dataclass(frozen=True, slots=True)
class _Path:
    """Where a path leads as it was written, and where it leads now."""

    before: str
    after: str


def already(
    mentions: Mentions, findings: Sequence[Finding], changes: Mapping[int, str], where: Where
) -> dict[int, str]:
    """Return the corrections that lead to, into or around another path of the same call, each
    position with the path that is there already.

    Where all that is done is to look, and nothing is compared, such a meeting does no harm.
    """
    if only_looks(mentions) and not _compares(mentions):
        return {}
    paths = _paths(mentions, findings, changes, where)
    met: dict[int, str] = {}
    for at, path in enumerate(paths):
        if path.before == path.after or mentions.each[at].enters:
            continue
        others = (
            mentions.each[other].argument.written
            for other, there in enumerate(paths)
            if other != at and not mentions.each[other].enters and _meets(path, there)
        )
        found = next(others, "") or _word(mentions, at, path, where)
        if found:
            met[at] = changes.get(at, found)
    return met


def halves(
    mentions: Mentions, findings: Sequence[Finding], changes: Mapping[int, str]
) -> list[int]:
    """Return what a command makes and names again where it is not changed with it."""
    return [
        at
        for at in changes
        if findings[at].resolution.operation in ("write", "mkdir")
        and _named_again(mentions, findings, changes, at)
    ]


def takes_over(found: Sequence[Finding], resolution: Resolution) -> bool:
    """Return whether a new path takes the place of a folder that the same call takes away."""
    return any(
        each.resolution.operation in ("delete", "move")
        and each.resolution.path is not None
        and f"{candidate.path}/".startswith(f"{each.resolution.path}/")
        for each in found
        for candidate in resolution.candidates[:1]
    )


def only_looks(mentions: Mentions) -> bool:
    """Return whether all of a call reads, lists or searches: every path, and every program."""
    if any(mention.argument.operation not in READS for mention in mentions.each):
        return False
    return all(reading.deed.looks for reading in _readings(mentions))


def _compares(mentions: Mentions) -> bool:
    """Return whether a call may compare one path with another, so that they have to differ."""
    readings = _readings(mentions)
    if readings:
        return any(reading.compares for reading in readings)
    return len({one.argument.argument for one in mentions.each if not one.enters}) > 1


def _readings(mentions: Mentions) -> list[Reading]:
    """Return what is known of the shell commands that name paths of a call."""
    texts = {mention.text for mention in mentions.each if mention.text is not None}
    if not texts:
        return []
    from truepath.calls.shell.command_line import read

    return [read(text.text) for text in texts]


def _paths(
    mentions: Mentions, findings: Sequence[Finding], changes: Mapping[int, str], where: Where
) -> list[_Path]:
    paths: list[_Path] = []
    for at, (mention, finding) in enumerate(zip(mentions.each, findings, strict=True)):
        outer = paths[mention.entered[-1]] if mention.entered else None
        start = os.path.join(where.root, mentions.cwd or "")
        before = os.path.join(outer.before if outer else start, mention.written)
        after = os.path.join(outer.after if outer else start, mention.written)
        new = finding.resolution.path
        if at in changes:
            after = os.path.join(where.root, new or finding.resolution.candidates[0].path)
        paths.append(_Path(_real(before, where), _real(after, where)))
    return paths


def _real(path: str, where: Where) -> str:
    """Return a path by which two spellings of one file are the same."""
    return where.real(path).casefold()


def _meets(one: _Path, other: _Path) -> bool:
    now = _relation(one.after, other.after)
    return now != "" and now != _relation(one.before, other.before)


def _relation(one: str, other: str) -> str:
    if one == other:
        return "same"
    if one.startswith(other + os.sep):
        return "directly in" if os.path.dirname(one) == other else "in"
    return "around" if other.startswith(one + os.sep) else ""


def _word(mentions: Mentions, at: int, path: _Path, where: Where) -> str:
    """Return the word of a command that is the corrected path, though no path was seen in it."""
    name, own = os.path.basename(path.after), mentions.each[at].argument.written
    for text in {mention.text for mention in mentions.each if mention.text is not None}:
        for match in islice(re.finditer(_WORD, text.text), _TOKENS):
            if match[0] != own and os.path.basename(match[0]).casefold() == name:
                there = _real(os.path.join(where.root, mentions.cwd or "", match[0]), where)
                if there == path.after != path.before:
                    return match[0]
    return ""


def _named_again(
    mentions: Mentions, findings: Sequence[Finding], changes: Mapping[int, str], at: int
) -> bool:
    text, resolution = mentions.each[at].text, findings[at].resolution
    if text is None or not resolution.candidates:
        return False
    written = resolution.target.split("/")
    meant = resolution.candidates[0].path.split("/")
    wrong = next((old for old, new in zip(written, meant, strict=False) if old != new), written[-1])
    again = re.findall(rf"(?<![\w.-]){re.escape(wrong)}(?![\w.-])", text.text)
    moved = sum(wrong in mentions.each[each].argument.written.split("/") for each in changes)
    return len(again) > moved
