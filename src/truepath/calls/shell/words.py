"""A command line split by its text alone: into tokens where it is plain, into pieces where not.

The hook's cheap look reads tokens, and the native client has the same rules for them. Rules of
hosts, and the question whether a command looks around, need pieces. Imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Iterator

    Token = tuple[str, str]
    """`WORD` and its text, `OPERATOR` and its sign, or a redirection's sign and its target."""

WORD, OPERATOR = "word", "operator"
WILD = "\0"
"""Stands for a wildcard in a word: only the shell knows what it makes of that."""

_SPECIAL = "\\'\"$`*?[]{}()<>&;|"
"""Characters with a meaning of their own outside quotes, blanks apart."""

_LEADING = "~#!"
"""Characters with a meaning of their own at the start of a word."""


def tokens(command: str) -> list[Token] | None:
    """Return words, operators (`&&`, `||`, `|`, `;`) and redirections; None for anything else."""
    found: list[Token] = []
    at, end = 0, len(command)
    while at < end:
        char = command[at]
        if char == " ":
            at += 1
        elif char == "\n":
            at += 1
            if found and found[-1][0] != OPERATOR:
                found.append((OPERATOR, ";"))
        elif char in "&|;" and command[at : at + 2] != "&>":
            operator = command[at : at + 2] if command[at : at + 2] in ("&&", "||") else char
            at += len(operator)
            if operator == "&" or command[at : at + 1] in ("&", "|", ";"):
                return None
            found.append((OPERATOR, operator))
        else:
            token, at = _redirection(command, at) or _word(command, at)
            if at < 0 or command[at : at + 1] not in ("", " ", "\n", "&", "|", ";"):
                return None
            found.append(token)
    return None if WILD in command else found


def pieces(command: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a line, each with the sign before it: `|`, `(`, a line break, `2>`.

    Quotes are not heeded, so a text within them is split as well: no command is overlooked.
    """
    from re import split

    parts = split(r"(&&|\|\||\|&|[;|&\n(){}`]|\$\(|[0-9]*[<>]+)", "\n" + command)
    for sign, text in zip(parts[1::2], parts[2::2], strict=True):
        if text.strip():
            yield sign, text.strip()


def _redirection(command: str, at: int) -> tuple[Token, int] | None:
    """Read `2>&1`, `> file`, `2>> file`, `&> file` and `< file`; None where there is none."""
    start = at + (command[at] in "0123456789&")
    sign = command[start : start + 2]
    if sign == ">&" and command[at] != "&":
        number = command[start + 2 : start + 3]
        known = number and number in "0123456789"
        return ((command[at : start + 2], number), start + 3) if known else None
    sign = sign if sign == ">>" else sign[:1]
    if sign not in (">>", ">", "<"):
        return None
    start += len(sign)
    sign = command[at:start]
    while command[start : start + 1] == " ":
        start += 1
    (_, target), end = _word(command, start)
    return (sign, target), end


def _word(command: str, at: int) -> tuple[Token, int]:
    """Read one word, its quotes undone; -1 for the end where it is not plain."""
    text, end = "", len(command)
    if command[at : at + 1] in _LEADING:
        return (WORD, text), -1
    while at < end and command[at] not in " \n&|;":
        char = command[at]
        at += 1
        if char in "'\"":
            inner, at = _quoted(command, at, char)
            if at < 0:
                break
            text += inner
        elif char in "*?":
            text += WILD
        elif char in _SPECIAL or char < " " or char == "\x7f":
            return (WORD, text), -1
        else:
            text += char
    # An empty word is an argument too, and which of them it is differs from program to program.
    return (WORD, text), at if text else -1


def _quoted(command: str, at: int, quote: str) -> tuple[str, int]:
    """Read up to the closing quote; -1 for the end where there is none, or the shell expands."""
    text, end = "", len(command)
    while at < end:
        char = command[at]
        at += 1
        if char == quote:
            return text, at
        if quote == '"' and char in "$`":
            break
        if quote == '"' and char == "\\" and command[at : at + 1] in ("$", "`", '"', "\\", "\n"):
            char = command[at].strip("\n")
            at += 1
        text += char
    return text, -1
