"""The signs of a shell's language, as data for `reader`."""

from __future__ import annotations

import re

from truepath.records import dataclass

_NONE = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Dialect:
    escape: str
    ends: str
    """What ends a word. With a comma, several words may be one list: `a, b`."""
    bare: re.Pattern[str]
    """What is literal outside quotes."""
    single: re.Pattern[str]
    """A text in single quotes; two of them within are one."""
    double: re.Pattern[str]
    """What is literal in double quotes."""
    escaped: str
    """What the escape makes literal there."""
    variable: re.Pattern[str]
    redirect: re.Pattern[str]
    command: re.Pattern[str]
    """The start of every first word that is a command."""
    unclear: re.Pattern[str]
    """What makes any line unclear."""
    assignment: re.Pattern[str] = _NONE
    wild: str = "*?[{"
    message: re.Pattern[str] = _NONE
    """The start of a here-document that is a word."""
    values: dict[str, str] | None = None
    """The only variables that are understood, with their values; None if all are,
    without one."""
    powershell: bool = False
    """Whether backslashes separate names, other escapes are unclear, and a closing
    quote ends a word that it began."""


_RESERVED = (
    "! { } [[ ]] if then elif else fi for while until do done case esac function "
    "select coproc in eval exec trap alias"
)
"""Words that make a line more than simple commands, or change the meaning of later
words."""

POSIX = Dialect(
    escape="\\",
    ends=" \t\n;&|<>",
    bare=re.compile(r"[^\x00-\x20\x7f\\'\"$`*?\[{()<>&;|]+"),
    single=re.compile(r"'([^']*)'"),
    double=re.compile(r'(?:[^"\\$`\x00]+|\\[^"\\$`\n])+'),
    escaped='$`"\\\n',
    # With quotes or `$` inside the braces, it has a text of its own: `${x:-"a b"}`.
    variable=re.compile(
        r"\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9?#@*!$-]|\{[^{}$`'\"\\()\n]*\})"
    ),
    # Not `<(`, a process substitution; `&>>` before `&>`, and `<<-` before `<<`.
    redirect=re.compile(
        r"([0-9]*(?:<<<|<<-|<<|<&|<|>>|>\||>&|>)|&>>|&>)(?![(>])[ \t]*"
    ),
    assignment=re.compile(r"([A-Za-z_]\w*)=", re.ASCII),
    # A word that only begins like one, such as `find`, is a program.
    command=re.compile(rf"(?!(?:{'|'.join(map(re.escape, _RESERVED.split()))})\Z)"),
    unclear=re.compile(r"\x00"),
    message=re.compile(r"\$\(cat <<(['\"])([A-Za-z_]+)\1\n"),
)
