"""Whether a script of `sed` or `awk`, or the tests of `find`, only read and print.

Anything that is not known to do so counts as doing more.
"""

from __future__ import annotations

import re

from truepath.calls.shell.programs import Arguments

_OPERAND = re.compile(r"[A-Za-z_]\w*=", re.ASCII)
_TESTS = ("(", ")", "!", ",")
"""Words among the tests of `find` that are not options."""

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


def reads(arguments: Arguments) -> bool:
    """Return whether the scripts among a program's arguments, if it takes any, only
    read. What is no path leaves its operands.
    """
    marks, operands = arguments.rule.marks, arguments.operands
    first = marks["first"].split(",") if "first" in marks else ()
    if operands and operands[0].value in first:
        del operands[0]
    script = marks.get("script")
    if script is None:
        return True
    if script == "find":
        return _tests_read(arguments)
    if operands and operands[0].value == "":  # `sed -i ''` of BSD
        del operands[0]
    scripts = arguments.texts or operands[:1]
    if script == "awk":  # `awk PROGRAM name=value FILE`
        operands[1:] = [
            word for word in operands[1:] if not _OPERAND.match(word.value or "")
        ]
    check = sed_reads if script == "sed" else awk_reads
    return bool(scripts) and all(
        word.value is not None and check(word.value) for word in scripts
    )


def _tests_read(arguments: Arguments) -> bool:
    """Return whether the tests of `find` are known; only the folders before them stay
    operands.
    """
    folders = arguments.operands
    if arguments.leading is not None:
        folders = folders[: arguments.leading]
    for place, word in enumerate(folders):
        if word.value in _TESTS:
            folders = folders[:place]
            break
    tests = arguments.operands[len(folders) :]
    arguments.operands = folders
    return all(word.value in _TESTS for word in tests)


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
