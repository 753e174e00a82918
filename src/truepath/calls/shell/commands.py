"""How programs read their arguments: the vocabulary of the tables, and looking a program up."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Literal, NamedTuple

from truepath.calls.shell.operand import LookedUp
from truepath.types import Kind, Operation

Form = Literal[
    "plain",
    "pytest",
    "package",
    "program",
    "script",
    "source",
    "local",
    "assigned",
    "jump",
    "sent",
    "field",
]
"""How an argument holds its path.

- `plain`: it is the path.
- `pytest`: the part before `::`.
- `package`: a folder pattern of Go, `./x/...`, or a file `x.go`; import paths are none.
- `program`: without an extension it may be a folder as well, which Python runs by `__main__.py`.
- `script`: a path when it has an extension; else the runtime may add one.
- `source`: a path when it has the extension of a source or text file; else it may be a revision,
  a module or a package.
- `local`: a path when it begins with `.` or `/`; else the name of a package.
- `assigned`: a path unless it is `name=value`.
- `jump`: a path unless it says where to begin, `+20` or `+F`.
- `sent`: a path behind `@`; else it is the text itself.
- `field`: a path behind `name=@`.
"""


class Role(NamedTuple):
    """What a program does with one argument."""

    operation: Operation
    kind: Kind = "any"
    creates: bool = False
    looked_up: LookedUp = "disk"
    form: Form = "plain"
    enters: bool = False
    """The program works in this folder from here on (`git -C`)."""
    rewritable: bool = True


_NONE: Mapping[str, Role] = MappingProxyType({})


class Command(NamedTuple):
    """How one program, or one of its subcommands, reads its arguments.

    Options are written as the program's manual does, separated by spaces. `-n:2` takes two
    values, `-i:0` one that must be attached. Options that are not named here take no value;
    with `flags` set, only those named there are known to take none, and a word after any other
    option is in doubt and left alone.
    """

    operands: Role | None = None
    last: Role | None = None
    """The last operand's role, where it differs: a destination."""
    skip: int = 0
    """Leading operands that are no paths: a pattern, a script, a mode."""
    skip_unless: str = ""
    """Options that bring what `skip` would skip."""
    limit: int | None = None
    """Operands beyond this many are for the program that is run."""
    valued: str = ""
    """Options followed by something that is no path."""
    paths: Mapping[str, Role] = _NONE
    """Options followed by a path."""
    flags: str | None = None
    before_dashes: Literal["", "only", "named", "last"] = ""
    """Operands before `--`: paths all the same; never; when named like a file; the last one."""
    program: str = ""
    """Options whose value is a program; the operands are then its arguments."""
    single_dash: bool = False
    """Long options begin with one dash."""
    backup_suffix: bool = False
    """An empty argument, or `.bak`, belongs to the option before it (`sed -i ''`)."""
    edit_options: str = ""
    """Options with which it changes what it reads without them."""
    nested: bool = False
    """The first operand names a subcommand."""
    may_create: bool = False
    """It may create files that its arguments do not name."""
    does: Operation = "list"
    """What it does beyond its paths, where it runs."""
    compares: bool = False
    """Its answer is whether files are the same."""
    needs_operand: bool = False
    """Without operands it does nothing of that kind: `git branch`."""
    special: str = ""
    """Read by a rule of its own, see `special`."""

    def values(self, option: str) -> int | None:
        """Return how many arguments `option` takes, None when it is not known."""
        return _counts(self.valued).get(option)

    def known(self, option: str) -> bool:
        """Whether `option` certainly takes no value."""
        return self.flags is None or option in _counts(self.flags)


@cache
def _counts(options: str) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for option in options.split():
        name, _, count = option.partition(":")
        counts[name] = int(count or 1)
    return counts


class Prefix(NamedTuple):
    """A program that runs the program named in its arguments."""

    valued: str = ""
    skip: int = 0
    """Arguments of its own before the program: `timeout 5`."""
    paths: Mapping[str, Role] = _NONE
    question: str = ""
    """Options that only ask about the program: `command -v`."""
    appends: bool = False
    """It adds arguments that nobody can see here (`xargs`)."""


def same(names: str, command: Command, of: str = "") -> dict[str, Command]:
    """Return `command` for each program in `names`, or each subcommand `of` one."""
    return {f"{of} {name}".lstrip(): command for name in names.split()}


SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh"))
"""Programs that run the text after `-c`."""

VERSIONED = ("python", "pypy", "pip", "ruby", "perl", "lua", "php", "node", "clang", "gcc", "g++")
"""Programs that may have a version in their name."""

_VERSION = frozenset("0123456789.-")
_VERSIONED = re.compile(rf"({'|'.join(map(re.escape, VERSIONED))})[0-9.\-]*")


def basename(program: str) -> str:
    """Return the name under which the tables know a program: `/usr/bin/python3.11` is `python`."""
    name = program.rsplit("/", 1)[-1]
    if name[-1:] not in _VERSION:
        return name
    match = _VERSIONED.fullmatch(name)
    return match[1] if match else name


@lru_cache(maxsize=1)
def tables() -> tuple[Mapping[str, Command], Mapping[str, Prefix]]:
    """Return every known program, and every known program that runs another."""
    from truepath.calls.shell.tables.git import GIT
    from truepath.calls.shell.tables.languages import LANGUAGES
    from truepath.calls.shell.tables.runners import PREFIXES, RUNNERS
    from truepath.calls.shell.tables.unix import UNIX

    return {**UNIX, **LANGUAGES, **RUNNERS, **GIT}, PREFIXES


UNKNOWN = Command(may_create=True)
"""A program in no table: its arguments mean nothing here, and it may create any file."""


def lookup(name: str) -> Command:
    """Return how the program `name` reads its arguments."""
    return tables()[0].get(name, UNKNOWN)


def subcommand(name: str, words: Sequence[str]) -> tuple[Command, int]:
    """Return how `name`'s subcommand reads its arguments, and how many words name it."""
    for count in (2, 1):
        found = tables()[0].get(" ".join((name, *words[:count])))
        if found is not None and not found.nested and len(words) >= count:
            return found, count
    return UNKNOWN, 1
