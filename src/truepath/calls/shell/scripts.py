"""Whether a script of `sed` or `awk`, or the tests of `find`, only read and print.

Anything that is not known to do no more counts as doing more.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from truepath.calls.shell.programs import Arguments

_OPERAND = re.compile(r"[A-Za-z_]\w*=", re.ASCII)
_TESTS = ("(", ")", "!", ",")
"""Words among the tests of `find` that are no options."""

_GAP = re.compile(r"[\s;{}]*")
_ADDRESS = re.compile(
    r"(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\.)*/I?)"
    r"(?:,\s*(?:[+~]?\d+|\$|/(?:[^/\\\n]|\\.)*/I?))?\s*!?\s*"
)
_LABEL = re.compile(r"[:btT][ \t]*\w*")
_FLAGS = re.compile(r"[gpiIM0-9]*(?=[\s;}]|\Z)")
_TEXT = re.compile(r"[aic](?:\\.|[^\\])*", re.DOTALL)
"""Text to be added is all that follows; what is behind the line's end is taken for text too."""


def reads(name: str, found: Arguments) -> bool:
    """Whether a script that is an argument only reads, where a program takes one."""
    if name == "find":
        leading = len(found.operands) if found.leading is None else found.leading
        marks = (at for at, word in enumerate(found.operands) if word.value in _TESTS)
        leading = min(leading, next(marks, leading))
        tests, found.operands = found.operands[leading:], found.operands[:leading]
        return all(word.value in _TESTS for word in tests)
    family = name.lstrip("gnm")
    if family not in ("sed", "awk"):
        return True
    if found.operands and found.operands[0].value == "":  # `sed -i ''` of BSD
        del found.operands[0]
    scripts = found.texts or found.operands[:1]
    check = sed_reads if family == "sed" else awk_reads
    if family == "awk":
        start, rest = found.operands[:1], found.operands[1:]
        found.operands = start + [word for word in rest if not _OPERAND.match(word.value or "")]
    return bool(scripts) and all(word.value is not None and check(word.value) for word in scripts)


def sed_reads(script: str) -> bool:
    """Whether a script of sed has addresses and commands that print, delete, add and replace."""
    at = 0
    while True:
        gap = _GAP.match(script, at)
        at = gap.end() if gap else at
        if at >= len(script):
            return True
        address = _ADDRESS.match(script, at)
        at = address.end() if address else at
        after = _command_end(script, at)
        if after is None:
            return False
        at = after


def _command_end(script: str, at: int) -> int | None:
    """Return where a command of sed ends; None for one that may do more than read."""
    letter = script[at : at + 1]
    if letter in ("s", "y"):
        return _replacement_end(script, at)
    if letter in (":", "b", "t", "T"):
        label = _LABEL.match(script, at)
        return label.end() if label else None
    if letter in ("a", "i", "c"):
        text = _TEXT.match(script, at)
        return text.end() if text and "\n" not in script[at:].strip() else None
    return at + 1 if letter and letter in "pPdDqQnNgGhHxl={}" else None


def _replacement_end(script: str, at: int) -> int | None:
    mark = script[at + 1 : at + 2]
    if not mark or mark in "\\\n":
        return None
    place, marks = at + 2, 0
    while place < len(script) and marks < 2:
        char = script[place]
        marks += char == mark
        place += 2 if char == "\\" else 1
    flags = _FLAGS.match(script, place) if marks == 2 else None
    return flags.end() if flags else None


def awk_reads(script: str) -> bool:
    """Whether a script of awk has no way to write, to run or to load anything."""
    return not re.search(r">(?!=)|[|@]|getline|system", script)
