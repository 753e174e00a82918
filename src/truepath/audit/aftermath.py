"""What an agent did after a miss, and what that cost.

The cost is counted from a miss to the call that opened what was meant, or to the next
miss of the same aim, so that the costs of consecutive misses add up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile, zip_longest
from typing import Literal
from unicodedata import normalize

from truepath.audit.misses import flavour_of
from truepath.audit.record import Row
from truepath.audit.transcript import Call, Named
from truepath.calls.tools import commands
from truepath.guard.texts import NOT_FOUND
from truepath.paths import join
from truepath.resolve.likelihood import words
from truepath.resolve.spellings import is_misspelt
from truepath.session.loops import likeness

Followed = Literal["found", "again", "made", "left"]

REACH = 15
"""Calls after a miss in which the agent may find the file: in public transcripts, 71 %
of the agents that found it did so within two."""

_COMMON = frozenset(
    (
        "__init__ __main__ config index layout lib main mod package page readme "
        "route types"
    ).split()
)
"""Names that many folders have: such a file counts only if its folder's name is the
same."""

_PROGRAM = re.compile(
    r"\s*(?:(?:cd|export|set|source|sleep)\b[^&;|\n]*[&;|\n]+\s*)*(\S+)"
)
"""The program that a command is about, after what only prepares for it."""

_LOOPS = ("path", "name", "stem", "series")
"""Likenesses (see `session.loops`) by which two misses have one aim."""

_ANSWER = re.compile(rf"[\s\S]{{0,200}}?\b{NOT_FOUND}: ")
"""An answer of truepath, behind what the agent program puts before it."""

_OFFER = re.compile(
    r"(?:^Next: [\w.-]+ |\bDid you mean (?:one of: )?|\bUse |^)(`.+)", re.MULTILINE
)
"""The files that it names; earlier versions named them in its first line."""

Place = tuple[int, int]
"""Which call, and which of its paths."""


@dataclass(slots=True)
class Aftermath:
    """What followed one miss."""

    followed: Followed = "left"
    """
    - `found`: the agent opened what was meant.
    - `again`: it missed a path with the same aim.
    - `made`: it created the path.
    - `left`: none of these within `REACH` calls and before the user typed something.
    """
    truth: str = ""
    """What was meant, as `Named.target`; for `again`, what was found at the end."""
    ended: int = 0
    """The call that found it or missed again; the miss itself if nothing followed."""
    next: Place | None = None
    """The miss of the same aim that followed."""
    loop: int = 1
    """Consecutive turns that missed this aim, including this one."""


def aftermaths(calls: Sequence[Call]) -> dict[Place, Aftermath]:
    """Return what followed each miss, in order."""
    after_miss = {
        (at, place): _followed(calls, at, path.target)
        for at, call in enumerate(calls)
        for place, path in enumerate(call.paths)
        if path.missed
    }
    # The last miss of a series knows what was found.
    for after in reversed(after_miss.values()):
        if after.next:
            after.truth = after_miss[after.next].truth
    for (at, _), after in after_miss.items():
        if after.next:
            later = after_miss[after.next]
            # Parallel calls that miss one aim are one attempt, and no loop.
            is_later_turn = calls[at].turn != calls[after.next[0]].turn
            later.loop = max(later.loop, after.loop + is_later_turn)
    return after_miss


def _followed(calls: Sequence[Call], at: int, target: str) -> Aftermath:
    for end in (at, *_reach(calls, at)):
        # Calls of one turn are parallel, so none follows from another.
        follows = calls[end].turn != calls[at].turn
        reached = _reaching(target, calls[end].paths, follows=follows)
        if reached is not None and reached.makes:
            return Aftermath("made", ended=at)
        if reached is not None:
            return Aftermath("found", reached.target, end)
        for other, path in enumerate(calls[end].paths):
            if end > at and path.missed and likeness(target, path.target) in _LOOPS:
                return Aftermath("again", ended=end, next=(end, other))
    return Aftermath(ended=at)


def _reaching(target: str, paths: Sequence[Named], *, follows: bool) -> Named | None:
    """Return the first path of a call that created a missed one, or opened what it
    meant, if the call `follows` from the miss.
    """
    for path in paths:
        if not path.there:
            continue
        if path.makes and path.target == target:
            return path
        opened = follows and not path.makes and path.target != target
        if opened and is_meant(target, path.target):
            return path
    return None


def answers(calls: Sequence[Call]) -> Iterator[Row]:
    """Yield a row for each of truepath's own answers that names files: `found` if a
    call after it was about one of them, else `left`.
    """
    for at, call in enumerate(calls):
        offered = _offered(call)
        if not offered:
            continue
        later = (calls[end] for end in _reach(calls, at))
        paths = [
            path for each in later if each.turn != call.turn for path in each.paths
        ]
        followed = "found" if any(path.target in offered for path in paths) else "left"
        yield {"kind": "answer", "at": at, "tool": call.tool, "followed": followed}


def _offered(call: Call) -> set[str]:
    """Return the absolute paths of the files that truepath's answer to a call names."""
    answer = call.answer or ""
    if call.failed is False or not _ANSWER.match(answer):
        return set()
    offers = re.findall("`(.+?)`", "\n".join(_OFFER.findall(answer)))
    return {join(call.cwd, path, flavour_of(call.cwd)) for path in offers}


def _reach(calls: Sequence[Call], at: int) -> Iterator[int]:
    """Yield the calls that may follow from one: up to `REACH`, until the user types."""
    after = range(at + 1, min(len(calls), at + 1 + REACH))
    return takewhile(lambda end: not calls[end].prompted, after)


def is_meant(missed: str, opened: str) -> bool:
    """Return whether an opened path is evidently what a missed one meant."""
    if _package_of(missed, opened) or _package_of(opened, missed):
        return True
    like = likeness(missed, opened)
    folder, _, name = missed.rpartition("/")
    other = opened.rpartition("/")[0]
    if like == "name" and name.partition(".")[0].lower() in _COMMON:
        return folder.rpartition("/")[2] == other.rpartition("/")[2]
    if like in ("path", "name") or (like == "stem" and folder == other):
        return True
    # Else they differ in case, Unicode form or signs, or by a slip in one word.
    slips: list[tuple[str, str]] = []
    parts = zip_longest(_words(missed), _words(opened), fillvalue=["", ""])
    for written, meant in parts:
        # `read_me` and `readme` differ in signs alone.
        if "".join(written) != "".join(meant):
            pairs = zip_longest(written, meant, fillvalue="")
            slips += [pair for pair in pairs if pair[0] != pair[1]]
    return len(slips) < 2 and all(is_misspelt(*slip) for slip in slips)


def _words(path: str) -> list[list[str]]:
    """Return the words of each part of a path."""
    return [words(part) for part in normalize("NFC", path).split("/")]


def until_it_worked(calls: Sequence[Call], failed: Sequence[bool], at: int) -> int:
    """Return after how many calls one with the aim of a failed call succeeded; 1 if
    none did.
    """
    aims = _aims(calls[at])
    for end in _reach(calls, at):
        worked = calls[end].answer is not None and not failed[end]
        if worked and aims & _aims(calls[end]):
            return end - at
    return 1


def _aims(call: Call) -> set[str]:
    """Return what a call is about: the program that it runs first, or its paths."""
    begun = (_PROGRAM.match(command.text) for command in commands(call.asked))
    programs = {f"$ {program[1]}" for program in begun if program}  # which is no path
    return programs or {path.target for path in call.paths}


def cost(
    calls: Sequence[Call], tokens: Mapping[int, int], at: int, end: int
) -> tuple[float | None, int]:
    """Return the seconds and tokens from a miss to the call that ended it; if nothing
    followed, the call's own time and its share of its turn's tokens.
    """
    start = calls[at]
    last = calls[end]
    if end == at:
        # Parallel calls lie beside each other; no turn has as many.
        near = calls[max(0, at - 50) : at + 50]
        parallel = sum(call.turn == start.turn for call in near)
        spent = tokens.get(start.turn, 0) // parallel
        until = start.answered or start.time
    else:
        turns = range(start.turn + 1, last.turn + 1)
        spent = sum(tokens.get(turn, 0) for turn in turns)
        until = last.time
    if start.time is None or until is None:
        return None, spent
    return max(0.0, until - start.time), spent


def _package_of(module: str, package: str) -> bool:
    """Return whether a path is the index file of a package with a module's name."""
    stem = module.rpartition(".")[0]
    folder, _, name = package.rpartition("/")
    is_index = name.partition(".")[0] in ("__init__", "index", "mod")
    return bool(stem) and folder == stem and is_index
