"""Add truepath's hooks to a host's settings, and remove them.

A hook is truepath's if its whole command is one of those that the caller gives as
`ours`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from json import dumps, loads
from typing import TYPE_CHECKING, Any, NamedTuple

from truepath.hook.installed import handlers, label
from truepath.hook.other_hooks import loosely
from truepath.install import InstallError

if TYPE_CHECKING:
    from truepath.hosts.table import Lenience

_HOOKS = "hooks"
_MARK = "\ufeff"
"""A byte order mark, which PowerShell 5.1 writes."""
_COMMENTS = ("//", "/*")
_PIECE = r'(?s)//[^\n]*|/\*.*?\*/|"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s\ufeff{}\[\],:"/]+'


def opened(text: str) -> dict[str, Any]:
    """Return the settings in a text; empty settings for an empty text.

    Raises:
        InstallError: The text is not a JSON object; one line that says where.
    """
    try:
        value = loosely(text.removeprefix(_MARK), object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise InstallError(f"is not JSON ({error})") from error
    if not isinstance(value, dict):
        raise InstallError("is not a JSON object")
    return value


def unread(text: str, may: Collection[Lenience]) -> str:
    """Return the first sign in settings that their program does not read, with its
    line; "" for none. `may` is what it reads beside JSON.
    """
    if text.startswith(_MARK) and "mark" not in may:
        return "a byte order mark at the beginning"
    before = ""
    for piece in re.finditer(_PIECE, text):
        sign = piece[0]
        line = text.count("\n", 0, piece.start()) + 1
        if sign.startswith(_COMMENTS):
            if "comment" not in may:
                return f"a comment in line {line} (`{sign[:2]}`)"
            continue
        if before == "," and sign in ("}", "]") and "comma" not in may:
            return f"a comma before the `{sign}` in line {line}"
        before = sign
    return ""


def added(text: str, content: Mapping[str, Any]) -> str:
    """Return a text with the entries of `content` in their place, and all else as it
    was.
    """
    like = text
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
    old, wanted = _pieces(text), _pieces(spelled)
    if not old:
        return text + spelled
    most = min(len(old), len(wanted))
    same = _alike(old, wanted, most)
    left = _alike(old[::-1], wanted[::-1], most - same)
    if not left:
        return text
    # Between two pieces that stay: those that go, then comments and blanks.
    start, end = old[same - 1].end, old[-left].start
    gone = max(start, old[-left - 1].end)
    lost = (each[0] for each in re.finditer(_PIECE, text[start:gone]))
    rest = text[gone:end].rstrip()
    comments = (
        "".join(f" {each}\n" for each in lost if each.startswith(_COMMENTS)) + rest
    )
    blanks = text[gone + len(rest) : end]
    # Those that come, with their own blanks where the old ones do not fit.
    piece = spelled[wanted[same - 1].end : wanted[-left - 1].end]
    gap = spelled[wanted[-left - 1].end : wanted[-left].start]
    if "\n" not in blanks or ("\n" not in gap and not comments):
        blanks = gap
    if gone > start and not comments:
        blanks = _in_one_line(text, old, len(old) - left, start, blanks)
    comments = comments.removesuffix("\n") if "\n" in blanks else comments
    comma = "," if piece.startswith(",") and text[start - 1] != "," else ""
    both = (
        comments,
        piece.removeprefix(","),
    )  # an item is added after the comment on the last
    after = text[:start] + comma + "".join(both if gone == start else both[::-1])
    after += blanks + text[end:]
    if opened(after) != new:
        raise InstallError("is spelled in a way that truepath does not know")
    return after


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
    found: list[_Piece] = []
    for each in re.finditer(_PIECE, text):
        sign = each[0]
        if sign in ("}", "]") and found[-1].sign == ",":
            found[-2:] = [found[-2]._replace(end=found[-1].end)]
        if not sign.startswith(_COMMENTS):
            sign = sign if sign in "{}[],:" else f"value {loads(sign)!r}"
            found.append(_Piece(sign, *each.span()))
    return found


def _alike(one: Sequence[_Piece], other: Sequence[_Piece], most: int) -> int:
    """Return how many pieces at the beginning are the same, at most `most`."""
    return next((at for at in range(most) if one[at].sign != other[at].sign), most)


def _spelled(value: Any, like: str) -> str:
    indented = re.search(r'(?m)^([ \t]+)"', like)
    text = dumps(
        value, indent=indented[1] if indented else "  ", ensure_ascii=like.isascii()
    )
    text += "\n" if like.endswith("\n") or not like else ""
    return text.replace("\n", "\r\n") if "\r\n" in like else text


def ours_in(
    settings: Mapping[str, Any], ours: Collection[str]
) -> list[tuple[str, str]]:
    """Return the event and command of each hook that is truepath's."""
    table = settings.get(_HOOKS)
    events = table.items() if isinstance(table, dict) else ()
    found = (
        (event, label(each)) for event, entries in events for each in handlers(entries)
    )
    return [(event, line) for event, line in found if line in ours]


def is_there(
    settings: Mapping[str, Any], content: Mapping[str, Any], ours: Collection[str]
) -> bool:
    """Return whether settings have all entries of `content` and no other hook of
    truepath.
    """
    if sorted(ours_in(settings, ours)) != sorted(ours_in(content, ours)):
        return False
    table = settings[_HOOKS]
    return all(
        each in table[event]
        for event, items in content[_HOOKS].items()
        for each in items
    )


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
    if isinstance(table, dict):
        left = {event: _without(entries, ours) for event, entries in table.items()}
        kept = {
            event: each for event, each in left.items() if each or each == table[event]
        }
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
            rest = [each for each in inner if not _is_ours(each, ours)]
            if rest or rest == inner:
                left.append({**entry, "hooks": rest})
        elif not _is_ours(entry, ours):
            left.append(entry)
    return left


def _is_ours(handler: Any, ours: Collection[str]) -> bool:
    return isinstance(handler, dict) and label(handler) in ours


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"it has the key {twice!r} twice")
    return found


def _checked(holder: Mapping[str, Any], key: str, kind: type) -> Any:
    """Return the value of a key; an empty container if there is none."""
    value = holder.get(key, kind())
    if not isinstance(value, kind):
        raise InstallError(
            f"{key!r} is not {'an object' if kind is dict else 'a list'}"
        )
    return value
