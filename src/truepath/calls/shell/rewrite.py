"""Replace paths in a command line, and leave every other byte unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from posixpath import normpath

from truepath.calls.shell.path_uses import Survey, Use, survey
from truepath.records import replace
from truepath.types import MAKES

_BARE = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./@%+,:-"
)
_IN_DOUBLE = frozenset('"$`\\!')
_QUOTES = str.maketrans("", "", "\\'\"")


def rewrite(
    text: str, changes: Mapping[Use, str], *, powershell: bool = False
) -> str | None:
    """Return a command line with other paths; None if that is not safe.

    It is not if

    - the line is not understood, or the new line does not parse as the old one with
    those paths;
    - a written path, a path that begins like it, or a folder of it that changes, is
      anywhere else in the line, or the new path is there already;
    - a path means the contents of a folder (`a/.`);
    - something is created in the old folder of a path that moves to another, unless
      that is further down.
    """
    line = survey(text, powershell=powershell)
    if line is None or not line.understood or not changes:
        return None
    wanted = {use: _spelled(use, new) for use, new in changes.items()}
    if not _are_replaceable(wanted, line):
        return None
    others = [use for use in line.uses if use not in wanted]
    entered = {line.uses[place] for use in wanted for place in use.entered}
    entered.difference_update(wanted)
    seen = text.replace("\\", "/") if line.powershell else text
    left = [use for use in others if use not in entered]
    if line.strictest != "read" and _folder_is_elsewhere(seen, wanted, left, entered):
        return None
    if _is_elsewhere(seen, wanted, others) or _is_left_behind(wanted, others):
        return None
    return _replaced(text, wanted, line.uses, powershell=powershell)


def _are_replaceable(wanted: Mapping[Use, str], line: Survey) -> bool:
    """Return whether paths of a line may be replaced by new ones at all."""
    for use, new in wanted.items():
        if use not in line.uses or not use.word.plain:
            return False
        if not new or not new.isprintable():
            return False
        if use.written.rstrip("/").endswith(("/.", "/..")):
            return False
    return True


def _spelled(use: Use, new: str) -> str:
    """Return a path that cannot be read as an option, `@arguments` or a program on
    PATH.
    """
    bare = use.operation == "execute" and "/" not in new
    return f"./{new}" if new and (bare or new[0] in "-+@!:") else new


def _replaced(
    text: str, wanted: Mapping[Use, str], uses: Sequence[Use], *, powershell: bool
) -> str | None:
    """Insert each path, last to first, with the first quoting that parses."""
    done: set[Use] = set()
    for use in sorted(wanted, key=lambda use: -use.word.start):
        done.add(use)
        start, end = use.word.start, use.word.end
        expected = [wanted[it] if it in done else it.written for it in uses]
        for quoted in _quoted(text[start:end], wanted[use], home=use.word.home):
            new = text[:start] + quoted + text[end:]
            if _reads_as(survey(new, powershell=powershell), uses, expected):
                text = new
                break
        else:
            return None
    return text


def _reads_as(now: Survey | None, uses: Sequence[Use], expected: Sequence[str]) -> bool:
    """Return whether a line has the same uses, with the expected paths."""
    if now is None or not now.understood or len(now.uses) != len(uses):
        return False
    return all(
        new.written == path
        and new.word.home == (old.word.home and path.startswith("~/"))
        and replace(new, word=old.word, written=old.written, received=old.received)
        == old
        for new, old, path in zip(now.uses, uses, expected, strict=True)
    )


def _quoted(old: str, new: str, *, home: bool) -> Iterator[str]:
    """Yield the ways to quote a path, that of the old word first."""
    lead = "~/" if home and new.startswith("~/") else ""
    rest = new.removeprefix(lead)
    if old[:1] == '"' and not _IN_DOUBLE & set(rest) and not lead:
        yield f'"{rest}"'
    if old[:1] == "'" and "'" not in rest and not lead:
        yield f"'{rest}'"
    if _BARE.issuperset(rest):
        yield lead + rest
    if "'" not in rest:
        yield f"{lead}'{rest}'"
    if not _IN_DOUBLE & set(rest):
        yield f'{lead}"{rest}"'


def _is_elsewhere(text: str, wanted: Mapping[Use, str], others: Sequence[Use]) -> bool:
    """Return whether an old path, or one that begins like it, is left, or a new one is
    present.
    """
    places = _outside(text, wanted, others)
    if any(_is_in(_plain(use.written), places) for use in wanted):
        return True
    now = {_plain(use.written): _plain(new) for use, new in wanted.items()}
    for old, new in now.items():
        named = [_plain(use.written) for use in others]
        named += [its_new for its_old, its_new in now.items() if its_old != old]
        if any(_ends_in(new, name) or _ends_in(name, new) for name in named):
            return True
    return False


def _ends_in(path: str, end: str) -> bool:
    return f"/{path}".endswith(f"/{end}")


def _folder_is_elsewhere(
    text: str, wanted: Mapping[Use, str], others: Sequence[Use], entered: Iterable[Use]
) -> bool:
    """Return whether a folder of an old path is left, except where it is entered before
    it.
    """
    parents = tuple(f"{normpath(use.written)}/" for use in others)
    if any(normpath(use.written).startswith(parents) for use in wanted):
        return True
    places = _outside(text, (*wanted, *entered), others)
    for use, new in wanted.items():
        old, lead = _plain(use.written), _plain(new).removesuffix(_plain(use.written))
        folder = _first_other(old, _plain(new))
        # If leading folders were added, the folder may also be in the corrected path.
        rest = (
            [place.replace(lead + folder, " ") for place in places] if lead else places
        )
        if folder and _is_in(folder, rest):
            return True
    return False


def _first_other(old: str, new: str) -> str:
    """Return the shortest parent of `old` that `new` does not begin with."""
    ends = (at + 1 for at, letter in enumerate(old) if letter == "/" and at)
    return next((old[:end] for end in ends if not new.startswith(old[:end])), "")


def _outside(text: str, uses: Iterable[Use], others: Sequence[Use]) -> list[str]:
    """Return the texts of a line outside some uses."""
    rest = [use.written for use in others]
    end = 0
    for use in sorted(uses, key=lambda use: use.word.start):
        rest.append(text[end : use.word.start])
        end = use.word.end
    return [*rest, text[end:]]


def _is_in(path: str, places: Iterable[str]) -> bool:
    """Return whether a path, or one that begins like it, is in a text."""
    forms = {path, path.translate(_QUOTES)}
    begins = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, forms))})")
    return any(
        begins.search(place) or begins.search(place.translate(_QUOTES))
        for place in places
    )


def _is_left_behind(wanted: Mapping[Use, str], others: Sequence[Use]) -> bool:
    """Return whether something is created in the old folder of a path that moves to
    another.
    """
    made = {_parent(use.written) for use in others if use.operation in MAKES}
    for use, new in wanted.items():
        parent = _parent(use.written)
        # What is further down is brought up to where the agent believes it to be.
        is_below = parent != "" and _parent(new).startswith(f"{parent}/")
        if parent in made and _parent(new) != parent and not is_below:
            return True
    return False


def _parent(path: str) -> str:
    return _plain(path).rpartition("/")[0]


def _plain(path: str) -> str:
    """Return a path without a leading `./` and trailing slashes."""
    return path.removeprefix("./").rstrip("/")
