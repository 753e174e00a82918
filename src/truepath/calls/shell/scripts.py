"""Whether a script of `sed` or `awk`, or the tests of `find`, only read and print.

Anything that is not known to do so counts as doing more.
"""

from __future__ import annotations

import re

from truepath.calls.shell.programs import Arguments

_OPERAND = re.compile(r"[A-Za-z_]\w*=", re.ASCII)
_TESTS = ("(", ")", "!", ",")
"""Words among the tests of `find` that are not options."""

_YQ = ("eval", "e", "eval-all", "ea")
"""Subcommands that may precede the expression of `yq`, without effect."""

_BRACKET = (
    r"\[(?:\^|(?!\^))(?:\]|(?!\]))(?:\[(?!END):\w+:\]|\\[^\]]|(?!END)[^\]\[\\])*\]"
)
_PATTERN = rf"(?:\\.|(?!END)[^\\\[]|{_BRACKET})*END"
"""An expression up to its END; an END in brackets, which does not end it, is not
understood."""

_PLACE = rf"(?:\d+(?:~\d+)?|\$|/{_PATTERN.replace('END', '[/]')}I?)"
_COMMAND = re.compile(
    rf"[\s;{{}}]*(?:{_PLACE}(?:,\s*(?:[+~]\d+|{_PLACE}))?\s*!?\s*)?"
    r"(?:[pPdDqQnNgGhHxl={}]|[:btT][ \t]*\w*|[aic](?:\\[^\n]|[^\\\n])*\s*\Z"
    rf"|[sy]([^\\\n\[\]^]){_PATTERN.replace('END', chr(92) + '1')}"
    r"(?:\\.|(?!\1)[^\\])*\1[gpiIM0-9]*(?=[\s;}]|\Z))[\s;{}]*",
    re.DOTALL,
)
"""A command of sed that prints, deletes, jumps, adds a line or substitutes, with its
address."""


def reads(name: str, found: Arguments) -> bool:
    """Return whether the scripts among a program's arguments, if it takes any, only
    read.
    """
    if name == "find":
        leading = len(found.operands) if found.leading is None else found.leading
        marks = (at for at, word in enumerate(found.operands) if word.value in _TESTS)
        leading = min(leading, next(marks, leading))
        tests, found.operands = found.operands[leading:], found.operands[:leading]
        return all(word.value in _TESTS for word in tests)
    if name == "yq" and found.operands and found.operands[0].value in _YQ:
        del found.operands[0]
    family = name.lstrip("gnm")
    if family not in ("sed", "awk"):
        return True
    if found.operands and found.operands[0].value == "":  # `sed -i ''` of BSD
        del found.operands[0]
    scripts = found.texts or found.operands[:1]
    check = sed_reads if family == "sed" else awk_reads
    if family == "awk":
        start, rest = found.operands[:1], found.operands[1:]
        found.operands = start + [
            word for word in rest if not _OPERAND.match(word.value or "")
        ]
    return bool(scripts) and all(
        word.value is not None and check(word.value) for word in scripts
    )


def sed_reads(script: str) -> bool:
    at = 0
    while at < len(script):
        command = _COMMAND.match(script, at)
        if command is None:
            return False
        at = command.end()
    return True


def awk_reads(script: str) -> bool:
    return not re.search(r">(?!=)|[|@]|getline|system|ARG[CV]", script)
