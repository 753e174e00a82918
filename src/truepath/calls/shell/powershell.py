"""PowerShell as a dialect of the reader.

A line with anything but commands, parameters, texts and lists is unclear: script
blocks, subexpressions, call operators, splatting, here-strings, variables without a
value here. A command may be in parentheses, `(Get-Content a).Count`, and its output may
be a variable's value.
"""

from __future__ import annotations

import re

from truepath.calls.shell.dialect import Dialect

_RESERVED = (
    "if else elseif for foreach while do until switch function filter workflow param "
    "begin process end dynamicparam data class enum using try catch finally throw "
    "trap return exit break continue in"
)

_ODD = (
    "\u2013-\u2015\u2018-\u201f"
    "\u0085\u00a0\u1680\u2000-\u200b\u2028-\u202f\u205f\u3000\ufeff"
)
"""Signs that PowerShell reads as dashes, quotes or blanks."""

POWERSHELL = Dialect(
    escape="`",
    ends=" \t\r\n;&|<>,()",
    bare=re.compile(r"[^\x00-\x20\x7f'\"$`*?(){}<>&;|,]+"),
    # Two of them within are one: `'it''s'`.
    single=re.compile(r"'([^'\x00]*(?:''[^'\x00]*)*)'"),
    double=re.compile(r'[^"$`\x00]+'),
    escaped=" $`\"'#&;|,()[]{}<>@*?%!",
    variable=re.compile(r"\$(?:\w+|[^\s\"'|)/\\.,;])"),
    # Only of what a cmdlet puts out: `$x = 5` may change how the line works.
    assignment=re.compile(r"\$(\w+)[ \t]*=[ \t]*(?=\(?[ \t]*[A-Za-z]+-[A-Za-z])"),
    redirect=re.compile(r"([1-6]>&|[*1-6]?>>?)(?![(>&])[ \t]*"),
    command=re.compile(rf"(?i)(?!(?:{_RESERVED.replace(' ', '|')})\Z)[\w.\\/:~-]+\Z"),
    wild="*?",
    # An array or splatting, what is handed on unread (`--%`), a comment in a list.
    unclear=re.compile(rf"[{_ODD}]|(?<![^\s,;|>])(?:@|--%)|,#"),
    values={
        "$pwd": ".",
        "$home": "~",
        "$null": "/dev/null",
        "$true": "$true",
        "$false": "$false",
    },
    powershell=True,
)
