"""Replace paths in a command line, and leave every other byte unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
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
    wanted = _wanted(changes, line)
    if wanted is None:
        return None
    others = [use for use in line.uses if use not in wanted]
    seen = text.replace("\\", "/") if line.powershell else text
    if not line.looks and _folder_is_elsewhere(seen, wanted, line.uses):
        return None
    if _is_elsewhere(seen, wanted, others) or _is_left_behind(wanted, others):
        return None
    return _replaced(text, wanted, line.uses, powershell=powershell)


def _wanted(changes: Mapping[Use, str], line: Survey) -> dict[Use, str] | None:
    """Return the paths as they are to be written; None if one may not be replaced."""
    wanted: dict[Use, str] = {}
    for use, new in changes.items():
        means_contents = use.written.rstrip("/").endswith(("/.", "/.."))
        if use not in line.uses or not use.word.plain or means_contents:
            return None
        # A line break would begin another command.
        if not new or not new.isprintable():
            return None
        # It must not be read as an option, `@arguments` or a program on PATH.
        is_looked_up = use.operation == "execute" and "/" not in new
        wanted[use] = f"./{new}" if is_looked_up or new[0] in "-+@!:" else new
    return wanted


def _replaced(
    text: str, wanted: Mapping[Use, str], uses: Sequence[Use], *, powershell: bool
) -> str | None:
    """Insert each path, last to first, with the first quoting that parses."""
    written = {use: use.written for use in uses}
    for use in sorted(wanted, key=lambda use: -use.word.start):
        written[use] = wanted[use]
        start = use.word.start
        end = use.word.end
        expected = [written[any_use] for any_use in uses]
        quoted = _quoted(text[start:end], wanted[use], home=use.word.home)
        lines = (text[:start] + word + text[end:] for word in quoted)
        new = next(
            (
                line
                for line in lines
                if _reads_as(survey(line, powershell=powershell), uses, expected)
            ),
            None,
        )
        if new is None:
            return None
        text = new
    return text


def _reads_as(
    line: Survey | None, uses: Sequence[Use], expected: Sequence[str]
) -> bool:
    """Return whether a line has the same uses, with the expected paths."""
    if line is None or not line.understood or len(line.uses) != len(uses):
        return False
    for new, old, path in zip(line.uses, uses, expected, strict=True):
        # A quoted `~` is a folder of that name.
        is_home = old.word.home and path.startswith("~/")
        same = replace(new, word=old.word, written=old.written, received=old.received)
        if (new.written, new.word.home, same) != (path, is_home, old):
            return False
    return True


def _quoted(old: str, new: str, *, home: bool) -> Iterator[str]:
    """Yield the ways to quote a path, that of the old word first."""
    lead = "~/" if home and new.startswith("~/") else ""
    rest = new.removeprefix(lead)
    fits_double = _IN_DOUBLE.isdisjoint(rest)
    fits_single = "'" not in rest
    # In quotes, no shell expands a leading `~`.
    if old.startswith('"') and fits_double and not lead:
        yield f'"{rest}"'
    if old.startswith("'") and fits_single and not lead:
        yield f"'{rest}'"
    if _BARE.issuperset(rest):
        yield lead + rest
    if fits_single:
        yield f"{lead}'{rest}'"
    if fits_double:
        yield f'{lead}"{rest}"'


def _is_elsewhere(text: str, wanted: Mapping[Use, str], others: Sequence[Use]) -> bool:
    """Return whether an old path, or one that begins like it, is left, or a new one is
    present.
    """
    places = _outside(text, wanted, others)
    new_paths = {_plain(use.written): _plain(new) for use, new in wanted.items()}
    if any(_is_in(old, places) for old in new_paths):
        return True
    for old, new in new_paths.items():
        # Two paths must not become one: `cp a b` would lose a file.
        named = [_plain(use.written) for use in others]
        named += [path for other, path in new_paths.items() if other != old]
        if any(_ends_in(new, path) or _ends_in(path, new) for path in named):
            return True
    return False


def _ends_in(path: str, end: str) -> bool:
    """Return whether a path ends in all names of another."""
    return f"/{path}".endswith(f"/{end}")


def _folder_is_elsewhere(
    text: str, wanted: Mapping[Use, str], uses: Sequence[Use]
) -> bool:
    """Return whether a folder of an old path is left, except where it is entered before
    it.
    """
    entered: set[Use] = set()
    for use in wanted:
        entered.update(uses[position] for position in use.entered)
    entered.difference_update(wanted)
    others = [use for use in uses if use not in wanted and use not in entered]
    parents = tuple(f"{normpath(use.written)}/" for use in others)
    if any(normpath(use.written).startswith(parents) for use in wanted):
        return True
    texts = _outside(text, (*wanted, *entered), others)
    return any(
        _folder_is_in(_plain(use.written), _plain(new), texts)
        for use, new in wanted.items()
    )


def _folder_is_in(old: str, new: str, texts: Sequence[str]) -> bool:
    """Return whether a folder that `old` is in, and `new` is not, is in a text."""
    parents = [old[:end] for end in range(2, len(old)) if old[end - 1] == "/"]
    # The shortest one is the beginning of the others.
    folder = next((each for each in parents if not new.startswith(each)), "")
    if not folder:
        return False
    # If leading folders were added, the folder may also be in the corrected path.
    lead = new.removesuffix(old)
    return _is_in(
        folder, [text.replace(lead + folder, " ") for text in texts] if lead else texts
    )


def _outside(text: str, uses: Iterable[Use], others: Sequence[Use]) -> list[str]:
    """Return the texts of a line outside some uses."""
    # As they are read too: in the line, they may have escapes.
    texts = [use.written for use in others]
    end = 0
    for use in sorted(uses, key=lambda use: use.word.start):
        texts.append(text[end : use.word.start])
        end = use.word.end
    return [*texts, text[end:]]


def _is_in(path: str, texts: Sequence[str]) -> bool:
    """Return whether a path, or one that begins like it, is in a text."""
    forms = {path, path.translate(_QUOTES)}
    begins = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, forms))})")
    # `'api'/*.json` is a pattern in `api/`.
    seen = chain(texts, (text.translate(_QUOTES) for text in texts))
    return any(map(begins.search, seen))


def _is_left_behind(wanted: Mapping[Use, str], others: Sequence[Use]) -> bool:
    """Return whether something is created in the old folder of a path that moves to
    another.
    """
    made_in = {_parent(use.written) for use in others if use.operation in MAKES}
    for use, new in wanted.items():
        parent, new_parent = _parent(use.written), _parent(new)
        # What is further down is brought up to where the agent believes it to be.
        is_below = parent != "" and new_parent.startswith(f"{parent}/")
        if parent in made_in and new_parent != parent and not is_below:
            return True
    return False


def _parent(path: str) -> str:
    """Return the folder that a path is in, as it is written; "" for none."""
    return _plain(path).rpartition("/")[0]


def _plain(path: str) -> str:
    """Return a path without a leading `./` and trailing slashes."""
    return path.removeprefix("./").rstrip("/")
