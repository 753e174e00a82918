"""When misses in a row are a loop: a count, and the strategy shift.

Pure functions of the misses that a session has kept. Those of one aim (see `likeness`)
count, each turn once: the second of them is told the shift, and from the third on
nothing that changes a missing path runs, until the agent lists or searches. Misses of
any aim are guesses: some turns of them in a row are told the shift, too.
"""

from __future__ import annotations

import re
from os.path import commonprefix

from truepath import TYPE_CHECKING
from truepath.records import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    Likeness = Literal["path", "name", "stem", "series", "invented"]

MISSES = 16
"""Misses that are stored (the last ones), or counted for one call."""
_GUESSES = 3
"""Turns in a row that miss, with any names, until the strategy shift."""
_GUESSES_IN_ONE = 5
"""The same where all of them are in one folder: a list of names in a document, of which
several are not there, is no loop."""
_PROBED = (
    r"(?:.*/)?(?:\.[^/]+|[^/]+\.(?:cfg|ini|toml|lock|config\.\w+)"
    r"|(?:agents|claude|gemini|skill|readme|contributing|changelog|license|security"
    r"|todo)(?:\.\w+)?"
    r"|(?:make|just|docker|proc|gem|rake)file|(?:docker-)?compose\.ya?ml"
    r"|requirements[\w-]*\.txt|setup\.py|conftest\.py|go\.mod"
    r"|(?:package|composer|tsconfig|jsconfig|turbo|lerna|deno)\.json)"
)
"""Usual optional files, which an agent reads just in case, in lower case."""
_TRIED = 8
"""Wrong paths listed for one aim."""
_NUMBER = r"[-_ ]?\d+"
_SHORT = 4
"""Letters of a name, without its extension, from which one of them is a slip."""
_TEST = r"^(?:tests?|spec)(?=[-_ ])|(?<=[-_ ])(?:tests?|spec)$"


@dataclass(frozen=True, slots=True)
class Miss:
    """One missing path."""

    path: str
    turn: str
    count: int = 1
    """Consecutive turns, including this one, that missed on the same aim."""
    call_id: str = ""
    missing_folder: str = ""
    """The outermost folder of the path that does not exist; empty if its folder
    exists."""
    waiting: bool = False
    """Whether the host may still report this miss as a failure."""
    searched: bool = False
    """Whether the agent has listed or searched in this streak."""
    shift: bool = False
    """Whether its answer included the strategy shift."""
    assumed: bool = False
    """Whether the call ran on a likely file."""

    @property
    def is_last_guess(self) -> bool:
        """Whether it was told the shift for the number of guesses."""
        return self.shift and self.count == 1


@dataclass(frozen=True, slots=True)
class Streak:
    """A session's streak after a step."""

    count: int = 0
    """Consecutive turns that missed on one aim."""
    level: int = 0
    """
    - 0: no miss.
    - 1: a first miss.
    - 2: the second in a row, or a later one after listing or searching.
    - 3: a later one without: tools that modify missing paths are refused.
    """
    shift: bool = False
    """Whether the answer includes the strategy shift: once in a streak, at the second
    miss, or at the third whatever the names."""
    tried: tuple[str, ...] = ()
    """The wrong paths of this aim, oldest first."""
    same: bool = True
    """Whether they may be one file; else they are in one missing folder, or differ in
    all."""
    counted: bool = True
    """False for a miss that was counted before: the host reports its refusal as a
    failure."""
    assumed: bool = False
    """Whether the agent was shown a likely file in an earlier turn."""


def longest(streaks: Sequence[Streak]) -> Streak:
    """Return the streak that an answer is about, of those of one call's misses."""
    told = max(streaks, key=lambda streak: (streak.shift, streak.level), default=None)
    return told or Streak()


def counted_before(misses: Sequence[Miss], miss: Miss) -> Miss | None:
    """Return the counted miss that another one is: the host reports its refusal as a
    failure.
    """
    for other in reversed(misses):
        has_ids = miss.call_id and other.call_id
        is_reported = other.waiting and not miss.waiting
        is_same = miss.call_id == other.call_id if has_ids else is_reported
        if is_same and miss.path == other.path:
            return other
    return None


def counted(misses: Sequence[Miss], miss: Miss, *, asks: bool) -> Miss:
    """Return a new miss with its count after some misses, and whether it is told the
    shift. With `asks` its call only lists, and to list another folder is no loop.
    """
    # After the agent has looked around, only the same path counts, too.
    earlier = [
        other
        for other in misses
        if (like := alike(miss, other)) == "path"
        or (like and not (other.searched or asks))
    ]
    before = [other.count for other in earlier if other.turn != miss.turn]
    # In its own turn it counts as the others of its aim.
    count = max([1 + max(before, default=0), *(other.count for other in earlier)])
    is_told = any(other.is_last_guess and not other.searched for other in misses)
    is_second = count > 1 and all(other.count == 1 for other in earlier)
    searched = any(other.searched for other in earlier)
    shift = is_second and not is_told
    miss = replace(miss, count=count, searched=searched, shift=shift)
    is_last = not asks and _is_last_guess((*misses, miss)[-MISSES:])
    return replace(miss, shift=miss.shift or is_last)


def _is_last_guess(misses: Sequence[Miss]) -> bool:
    """Return whether the last miss is told the shift for the number of guesses."""
    # Fewer turns have no such number, whatever was missed in them.
    guesses = _guesses(misses) if _turns(misses) >= _GUESSES else []
    folders = {_folded(guess.path).rpartition("/")[0] for guess in guesses}
    enough = _GUESSES if len(folders) > 1 else _GUESSES_IN_ONE
    if misses[-1] not in guesses or _turns(guesses) < enough:
        return False
    # The second of one aim had it; it may be older than the misses that are kept.
    return not any(guess.shift or guess.count > 1 for guess in guesses)


def after(misses: Sequence[Miss], kind: str, turn: str) -> tuple[Miss, ...]:
    """Return what is left of some misses after a step of a turn that is none."""
    if kind == "discovery":
        return tuple(replace(miss, searched=True) for miss in misses)
    # The streak ends. Misses in the same turn as a success remain, as the first of a
    # new one: the calls of a turn have no order.
    left = [miss for miss in misses if miss.turn == turn and kind != "prompt"]
    return tuple(replace(miss, count=1, searched=False, shift=False) for miss in left)


def streak(misses: Sequence[Miss], miss: Miss) -> Streak:
    """Return the streak that one of some misses is in."""
    if miss.is_last_guess:
        run = _guesses(misses)
    else:
        run = [other for other in misses if alike(miss, other)]
    is_one_aim = not miss.is_last_guess
    return Streak(
        count=miss.count if is_one_aim else _turns(run),
        same=is_one_aim and all(likeness(miss.path, other.path) for other in run),
        level=min(miss.count, 2 if miss.searched else 3),
        shift=miss.shift,
        tried=tuple(dict.fromkeys(other.path for other in run))[-_TRIED:],
    )


def _guesses(misses: Sequence[Miss]) -> list[Miss]:
    """Return the guesses since the agent last looked or used a path, whatever their
    names.
    """
    guesses = (miss for miss in misses if not miss.searched and not miss.assumed)
    return [miss for miss in guesses if not re.fullmatch(_PROBED, _folded(miss.path))]


def _turns(misses: Sequence[Miss]) -> int:
    return len({miss.turn for miss in misses})


def alike(miss: Miss, other: Miss) -> Likeness | None:
    """Return why two misses have the same aim; None if they do not."""
    return likeness(miss.path, other.path, (miss.missing_folder, other.missing_folder))


def likeness(
    one: str, other: str, missing_folder: tuple[str, str] = ("", "")
) -> Likeness | None:
    """Return why two missing paths have the same aim; None if they do not.

    - `path`: the same path, ignoring case and the kind of slash.
    - `name`: the same last name in another folder.
    - `stem`: the same name, ignoring extensions, separators and `test`.
    - `series`: the same path, but for numbers in the name (`0365.md`, `0397.md`;
      `zork.py`, `zork2.py`), or for one letter of it.
    - `invented`: both below the same missing folder, the outermost one of each in
      `missing_folder`.

    Files in the root never count as `stem`: asking for `.eslintrc.js` and
    `.eslintrc.json`, or for `compose.yml` and `compose.yaml`, is how an agent finds out
    which one a project has.
    """
    first, second, missing, other_missing = map(_folded, (one, other, *missing_folder))
    if first == second:
        return "path"
    folder, _, name = first.rpartition("/")
    other_folder, _, other_name = second.rpartition("/")
    if name == other_name:
        return "name"
    in_root = not folder and not other_folder
    if _stem(name) == _stem(other_name) and not in_root:
        return "stem"
    if folder == other_folder and _is_series(name, other_name, in_root=in_root):
        return "series"
    return "invented" if missing and missing == other_missing else None


def _is_series(name: str, other: str, *, in_root: bool) -> bool:
    """Return whether two names of a folder differ by numbers or by a letter."""
    if re.sub(_NUMBER, "", name) == re.sub(_NUMBER, "", other):
        return True
    # A short name is another one with each of its letters.
    if in_root or min(len(_stem(name)), len(_stem(other))) < _SHORT:
        return False
    at = len(commonprefix((name, other)))  # noqa: RUF071  letters are compared
    shorter, longer = sorted((name[at:], other[at:]), key=len)
    return longer[1:] in (shorter, shorter[1:])


def _folded(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").casefold()


def _stem(name: str) -> str:
    # `.eslintrc.json` keeps its leading dot; `config.test.ts` and `test_config.py` are
    # `config`.
    bare = name[:1] + name[1:].partition(".")[0]
    return re.sub(r"[-_ ]+", "", re.sub(_TEST, "", bare)) or bare
