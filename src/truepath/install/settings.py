"""Add truepath's hooks to a host's settings, and remove them.

A hook is truepath's if its whole command is one of those that the caller gives as
`ours`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from json import dumps, loads
from typing import TYPE_CHECKING, Any, NamedTuple

from truepath.fields import loosely
from truepath.hook.installed import handlers, label
from truepath.install import InstallError

if TYPE_CHECKING:
    from truepath.hosts.table import Table

_HOOKS = "hooks"
_MARK = "\ufeff"
"""A byte order mark, which PowerShell 5.1 writes."""
_COMMENTS = ("//", "/*")
_PIECE = r'(?s)//[^\n]*|/\*.*?\*/|"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s\ufeff{}\[\],:"/]+'
"""A comment, a text, a sign, or another value."""


def opened(text: str) -> dict[str, Any]:
    """Return the settings in a text; empty settings for an empty text.

    Raises:
        InstallError: The text is not a JSON object; one line that says where.
    """
    try:
        value = loosely(text.removeprefix(_MARK))
    except (ValueError, RecursionError) as error:
        raise InstallError(f"is not JSON ({error})") from error
    if not isinstance(value, dict):
        raise InstallError("is not a JSON object")
    # What is written would lose one of the two; Codex 0.171.0 reads no such file, the
    # others the last.
    for key in _keys(text):
        if key.again:
            raise InstallError(f"has the key {key.name!r} again in line {key.line}")
    return value


def unread(text: str, table: Table) -> str:
    """Return the first sign in settings that their program does not read, with its
    line; "" for none. The settings must be JSON with what some programs read in it.
    """
    may = table.SETTINGS_MAY or ()
    if text.startswith(_MARK) and "mark" not in may:
        return "a byte order mark at the beginning"
    previous = ""
    for piece in re.finditer(_PIECE, text):
        sign = piece[0]
        line = _line(text, piece.start())
        if sign.startswith(_COMMENTS):
            if "comment" not in may:
                return f"a comment in line {line} (`{sign[:2]}`)"
            continue  # a comma may precede it
        if previous == "," and sign in ("}", "]") and "comma" not in may:
            return f"a comma before the `{sign}` in line {line}"
        previous = sign
    return _strange_key(text, table.SETTINGS_KEYS)


def _strange_key(text: str, known: Collection[str]) -> str:
    """Return the first key at the top of settings that their program does not know; ""
    for none, and if it takes any.
    """
    strange = (key for key in _keys(text) if key.depth == 1 and key.name not in known)
    key = next(strange, None) if known else None
    return f"the key {key.name!r} in line {key.line}" if key else ""


class _Key(NamedTuple):
    name: str
    line: int
    depth: int
    again: bool
    """Whether its object has it already."""


def _keys(text: str) -> Iterator[_Key]:
    """Yield each key in a text that is JSON."""
    brackets: list[set[str]] = []  # each open one, with its keys
    for piece, following in pairwise(_pieces(text)):
        if piece.sign in ("{", "["):
            brackets.append(set())
        elif piece.sign in ("}", "]"):
            brackets.pop()
        elif following.sign == ":":
            name = loads(text[piece.start : piece.end])
            names = brackets[-1]
            yield _Key(name, _line(text, piece.start), len(brackets), name in names)
            names.add(name)


def _line(text: str, place: int) -> int:
    """Return the line that a place in a text is in."""
    return text.count("\n", 0, place) + 1


def added(text: str, content: Mapping[str, Any]) -> str:
    """Return a text with the entries of `content` in their place, and all else as it
    was.
    """
    like = text
    # One place at a time: between two of them, `changed` would write all anew.
    for event, items in content[_HOOKS].items():
        text = changed(text, with_hooks(opened(text), {_HOOKS: {event: items}}), like)
    return changed(text, with_hooks(opened(text), {**content, _HOOKS: {}}), like)


def changed(text: str, new: Mapping[str, Any], like: str = "") -> str:
    """Return a text that means `new`: as it was before the first difference and after
    the last, and between the two with the indentation and line ends of `like`, by
    default its own.

    Raises:
        InstallError: The text is spelled in a way that truepath does not know.
    """
    spelled = _spelled(new, like or text)
    old = _pieces(text)
    wanted = _pieces(spelled)
    if not old:  # only blanks, or comments
        return text + spelled
    most = min(len(old), len(wanted))
    same_before = _alike(old, wanted, most)
    same_behind = _alike(old[::-1], wanted[::-1], most - same_before)
    if not same_behind:  # all pieces are the same
        return text
    # Between two pieces that stay: those that go, then comments and blanks.
    start = old[same_before - 1].end
    end = old[-same_behind].start
    end_of_gone = max(start, old[-same_behind - 1].end)
    comments = _comments_in(text[start:end_of_gone])
    rest = text[end_of_gone:end].rstrip()
    comments += rest
    blanks = text[end_of_gone + len(rest) : end]
    # Those that come, with their own blanks where the old ones do not fit.
    start_of_new = wanted[same_before - 1].end
    end_of_new = wanted[-same_behind - 1].end
    piece = spelled[start_of_new:end_of_new]
    gap = spelled[end_of_new : wanted[-same_behind].start]
    if "\n" not in blanks or ("\n" not in gap and not comments):
        blanks = gap
    if end_of_gone > start and not comments:
        blanks = _in_one_line(text, old, len(old) - same_behind, start, blanks)
    if "\n" in blanks:
        comments = comments.removesuffix("\n")
    # The comma precedes a comment on the last item, and the new item behind it.
    has_comma = text[start - 1] == ","
    comma = "," if piece.startswith(",") and not has_comma else ""
    piece = piece.removeprefix(",")
    is_added = end_of_gone == start
    between = comments + piece if is_added else piece + comments
    after = text[:start] + comma + between + blanks + text[end:]
    # Whatever was misread above, a user's settings are never written with another
    # meaning.
    if opened(after) != new:
        raise InstallError("is spelled in a way that truepath does not know")
    return after


def _comments_in(text: str) -> str:
    """Return the comments of a text, each with a line end."""
    pieces = [piece[0] for piece in re.finditer(_PIECE, text)]
    return "".join(f" {piece}\n" for piece in pieces if piece.startswith(_COMMENTS))


def _in_one_line(
    text: str, pieces: Sequence[_Piece], closes: int, start: int, blanks: str
) -> str:
    """Return the blanks before a bracket that closes, whose last items go at `start`.

    If what is left is in one line, they are as after the bracket that opens; else they
    stay as they are.
    """
    deeper = {"}": 1, "]": 1, "{": -1, "[": -1}
    depth = 0
    for piece in reversed(pieces[: closes + 1]):
        depth += deeper.get(piece.sign, 0)
        if depth == 0:
            break
    left = text[piece.end : start]
    if depth or "\n" in left:
        return blanks
    return left[: len(left) - len(left.lstrip())]


class _Piece(NamedTuple):
    sign: str
    start: int
    end: int


def _pieces(text: str) -> list[_Piece]:
    """Return the signs and values of JSON, without comments; a comma after the last
    item belongs to that.
    """
    pieces: list[_Piece] = []
    for match in re.finditer(_PIECE, text):
        sign = match[0]
        if sign in ("}", "]") and pieces[-1].sign == ",":
            pieces[-2:] = [pieces[-2]._replace(end=pieces[-1].end)]
        if sign.startswith(_COMMENTS):
            continue
        if sign not in "{}[],:":
            # By its value: `"\u00e9"` and `"é"` are the same.
            sign = f"value {loads(sign)!r}"
        pieces.append(_Piece(sign, *match.span()))
    return pieces


def _alike(one: Sequence[_Piece], other: Sequence[_Piece], most: int) -> int:
    """Return how many pieces at the beginning are the same, at most `most`."""
    for number in range(most):
        if one[number].sign != other[number].sign:
            return number
    return most


def _spelled(value: Any, like: str) -> str:
    """Return a value as JSON, indented and ended as the lines of a text."""
    indented = re.search(r'(?m)^([ \t]+)"', like)
    indent = indented[1] if indented else "  "
    text = dumps(value, indent=indent, ensure_ascii=like.isascii())
    if like.endswith("\n") or not like:
        text += "\n"
    if "\r\n" in like:
        text = text.replace("\n", "\r\n")
    return text


def ours_in(
    settings: Mapping[str, Any], ours: Collection[str]
) -> list[tuple[str, str]]:
    """Return the event and command of each hook that is truepath's."""
    table = settings.get(_HOOKS)
    if not isinstance(table, dict):
        return []
    hooks = []
    for event, entries in table.items():
        for handler in handlers(entries):
            line = label(handler)
            if line in ours:
                hooks.append((event, line))
    return hooks


def is_there(
    settings: Mapping[str, Any], content: Mapping[str, Any], ours: Collection[str]
) -> bool:
    """Return whether settings have all entries of `content` and no other hook of
    truepath.
    """
    # One more hook of truepath, such as an older version's, must go.
    if sorted(ours_in(settings, ours)) != sorted(ours_in(content, ours)):
        return False
    table = settings[_HOOKS]
    for event, items in content[_HOOKS].items():
        if not all(item in table[event] for item in items):
            return False
    return True


def with_hooks(
    settings: Mapping[str, Any], content: Mapping[str, Any]
) -> dict[str, Any]:
    """Return settings with the entries of `content` appended.

    Raises:
        InstallError: The settings have something else in their place.
    """
    table = dict(_checked(settings, _HOOKS, dict))
    for event, items in content[_HOOKS].items():
        table[event] = [*_checked(table, event, list), *items]
    new = {**settings, _HOOKS: table}
    for key, wanted in content.items():
        if key != _HOOKS and new.setdefault(key, wanted) != wanted:
            raise InstallError(
                f"{key!r} is {new[key]!r}, but only {wanted!r} is supported"
            )
    return new


def freed(settings: Mapping[str, Any], ours: Collection[str]) -> dict[str, Any]:
    """Return settings without truepath's hooks and what they leave empty."""
    new = dict(settings)
    table = new.get(_HOOKS)
    if not isinstance(table, dict):
        return new
    kept = {}
    for event, entries in table.items():
        rest = _without(entries, ours)
        # What was empty before is the user's.
        if rest or rest == entries:
            kept[event] = rest
    new[_HOOKS] = kept
    if table and not kept:
        del new[_HOOKS]
    return new


def _without(entries: Any, ours: Collection[str]) -> Any:
    if not isinstance(entries, list):
        return entries
    left = []
    for entry in entries:
        inner = entry.get("hooks") if isinstance(entry, dict) else None
        if isinstance(inner, list):
            # A user may have put a hook of their own into our entry.
            rest = [handler for handler in inner if not _is_ours(handler, ours)]
            if rest or rest == inner:
                left.append({**entry, "hooks": rest})
        elif not _is_ours(entry, ours):
            left.append(entry)
    return left


def _is_ours(handler: Any, ours: Collection[str]) -> bool:
    return isinstance(handler, dict) and label(handler) in ours


def _checked(holder: Mapping[str, Any], key: str, kind: type) -> Any:
    """Return the value of a key; an empty container if there is none."""
    value = holder.get(key, kind())
    if not isinstance(value, kind):
        noun = "an object" if kind is dict else "a list"
        raise InstallError(f"{key!r} is not {noun}")
    return value
