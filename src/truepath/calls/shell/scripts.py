"""Whether a script of `sed` or `awk`, or the tests of `find`, only read and print.

Anything that is not known to do so counts as doing more.
"""

from __future__ import annotations

import re
from itertools import takewhile

from truepath.calls.shell.programs import Arguments

_OPERAND = re.compile(r"[A-Za-z_]\w*=", re.ASCII)
_TESTS = ("(", ")", "!", ",")
"""Words among the tests of `find` that are not options."""

_LEADING = ("-L", "-H", "-P", "--")
"""Options of `find` that come before the folders to search."""

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
    operands = arguments.operands
    language = arguments.rule.marks.get("script")
    if language is None:
        return True
    if language == "find":
        return _tests_read(arguments)
    if operands and operands[0].value == "":  # `sed -i ''` of BSD
        del operands[0]
    scripts = arguments.texts or operands[:1]
    if language == "awk":  # `awk PROGRAM name=value FILE`
        files = operands[1:]
        operands[1:] = [word for word in files if not _OPERAND.match(word.text)]
    only_reads = {"sed": sed_reads}.get(language, awk_reads)
    # Only the shell knows the text of a variable in one.
    texts = [word.value for word in scripts if word.value is not None]
    # There is none if it is in a file.
    return 0 < len(texts) == len(scripts) and all(map(only_reads, texts))


def _tests_read(arguments: Arguments) -> bool:
    """Return whether the tests of `find` are known; only the folders before them stay
    operands.
    """
    words = [word for word in arguments.words if word.value not in _LEADING]
    pairs = zip(words, arguments.operands, strict=False)
    folders = takewhile(
        lambda pair: pair[0] is pair[1] and pair[0].value not in _TESTS, pairs
    )
    count = len([*folders])
    tests = arguments.operands[count:]
    del arguments.operands[count:]
    return all(word.value in _TESTS for word in tests)


def sed_reads(script: str) -> bool:
    """Return whether a script of sed only prints and edits what it prints."""
    position = 0
    while position < len(script):
        command = _COMMAND.match(script, position)
        if command is None:
            return False
        position = command.end()
    return True


def awk_reads(script: str) -> bool:
    """Return whether a script of awk neither writes nor runs anything."""
    # Its arguments may be more than files: `ARGV[1]`.
    return not re.search(r">(?!=)|[|@]|getline|system|ARG[CV]", script)
