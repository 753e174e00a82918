"""The programs that a command line runs: the folder that each runs in, what it changes,
and whether it does more than look.

It serves a question that is asked of each program, not of the whole line: where does it
act? A line that is not understood is split at its signs, so nothing here is certain
enough to change a line by it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, dropwhile, pairwise

from truepath.calls.shell import programs
from truepath.calls.shell.path_uses import Scope, Walk, role_given
from truepath.calls.shell.programs import Arguments, Role, Rule
from truepath.calls.shell.reader import Line, Redirect, Simple, Word, read
from truepath.records import dataclass, replace
from truepath.types import Operation

CHANGES: Sequence[Operation] = ("edit", "write", "move", "delete", "mkdir", "execute")
"""Operations that change a path, or run it. What is copied stays as it is."""

_RUN: Operation = "execute"
_AT_ITS_PATHS = frozenset({"copy", "move", "delete", "in-place"})
"""Effects that are where the program's paths are, whatever folder it runs in."""

_FED = frozenset({"xargs", "gxargs", "parallel"})
"""Programs whose input names the paths of what they run."""

_IN_COMMON = frozenset(
    f"git {name}"
    for name in "branch bundle config fetch fsck gc ls-remote maintenance notes "
    "pack-refs prune push reflog remote repack tag update-ref worktree".split()
)
"""What git does in the folder that all checkouts of a repository share."""

_IN_SHELL = frozenset("export local declare typeset readonly source .".split())
"""What sets the shell alone; a sourced file is a path of its own."""

_SPOKEN = frozenset("-m -am --message --title --body --notes".split())
"""Options of programs that are not known, whose value is a message."""

_SIGNS = re.compile(r"(&&|\|\||\$\(|[;|&\n(){}`])")
_OUTPUT = re.compile(r"(?<![<>-])\d*&?>{1,2}\|?\s*([^\s;&|<>()]+)")
_WORD = re.compile(r"[^\s'\"]+")
_LISTS = frozenset("for select case function [[".split())
_KEYWORDS = _LISTS | frozenset(
    "if then else elif fi while until do done esac time !".split()
)
_UNKNOWN = frozenset("$*?`")
"""Signs of a word that only the shell knows."""


@dataclass(frozen=True, slots=True)
class Run:
    """One program of a line, or one file that its output goes to."""

    line: str
    """Its name and its words."""
    folders: tuple[str, ...] | None
    """Those entered before it, in order; None if its folder is not known."""
    looks: bool = False
    """Whether it only reads and prints."""
    here: bool = True
    """Whether it may do something in its folder, not only at its paths."""
    changes: tuple[tuple[str, Operation], ...] = ()
    """Paths that it changes or runs, as it receives them, and what is done to each."""
    code: tuple[str, ...] = ()
    """Texts that it may take any path from: a script, the words of a program that is
    not known.
    """


def runs(text: str) -> list[Run]:
    """Return what a line runs, in order."""
    walk = _Guess()
    line = read(text)
    if line is None:
        walk.unread(text, Scope(Line(text, (), {})))
    else:
        walk.line(Scope(line))
    return walk.found


class _Guess(Walk):
    """Finds what a line runs, and walks on through lines that are not understood."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Run] = []

    def runs(
        self,
        name: str,
        words: Sequence[Word],
        arguments: Arguments | None,
        scope: Scope,
    ) -> None:
        if scope.line.powershell:
            return
        folders = scope.folder.names
        texts = _texts(words, scope.line.text)
        if arguments is not None:
            run = _of_row(name, arguments, folders)
        elif name:
            # Behind an option that is not known, the subcommand may be its value.
            value = name.rpartition(" ")[2]
            code = (*([value] if "/" in value else []), *_unspoken(texts))
            # Git's own folder is the same for all checkouts.
            is_here = name not in _IN_COMMON
            run = Run(" ".join([name, *texts]), folders, here=is_here, code=code)
        else:
            path = words[0].path
            changes = ((path, _RUN),) if "/" in path else ()
            code = _unspoken(texts[1:])
            run = Run(" ".join(texts), folders, changes=changes, code=code)
        if not run.looks:
            run = replace(run, code=(*run.code, *_given(scope)))
        self.found.append(run)

    def writes(self, redirect: Redirect, scope: Scope) -> None:
        path = redirect.word.path
        if scope.line.powershell or not path or path in programs.NOWHERE:
            return
        run = Run(
            f"{redirect.sign} {path}",
            scope.folder.names,
            here=False,
            changes=((path, "write"),),
        )
        self.found.append(run)

    def unread(self, text: str, scope: Scope) -> None:
        """Split a line at its signs, those in quotes too, and walk through each
        piece.
        """
        self.understood = False
        folder = scope.folder
        scope = replace(scope, line=Line(text, (), {}), above=scope)
        outer = []
        at = 0
        for piece in _SIGNS.split(text):
            start = at
            at += len(piece)
            if piece in ("(", "$("):
                outer.append(folder)
            elif piece == ")" and outer:
                folder = outer.pop()
            elif not _SIGNS.fullmatch(piece):
                part = _part(piece, start)
                folder = self.part(replace(scope, part=part, folder=folder))


def _part(piece: str, start: int) -> Simple:
    """Return a command of a line that is not understood, which begins at `start`."""
    outputs = [*_OUTPUT.finditer(piece)]
    plain = _OUTPUT.sub(lambda match: " " * len(match[0]), piece)
    read_words = [
        _word(match[0], start + match.start()) for match in _WORD.finditer(plain)
    ]
    # A keyword, or a variable, precedes a program.
    words = [
        *dropwhile(lambda word: word.text in _KEYWORDS or "=" in word.text, read_words)
    ]
    # What follows these is a list, or tests.
    if not _LISTS.isdisjoint(word.text for word in read_words[: -len(words) or None]):
        words = []
    redirects = [
        Redirect(">", _word(match[1], start + match.start(1))) for match in outputs
    ]
    return Simple("", False, tuple(words), tuple(redirects))


def _word(text: str, start: int) -> Word:
    """Return a word of a line that is not understood."""
    is_known = _UNKNOWN.isdisjoint(text)
    home = text.startswith("~/")
    return Word(start, start + len(text), text if is_known else None, home=home)


def _unspoken(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a program that is not known, but for its messages."""
    pairs = pairwise(("", *texts))
    return tuple(word for option, word in pairs if option not in _SPOKEN)


def _of_row(name: str, arguments: Arguments, folders: tuple[str, ...] | None) -> Run:
    """Return a program that runs no other, by its row in the table."""
    rule = arguments.rule
    text = arguments.text
    words = _texts(arguments.words, text)
    line = " ".join([name, *words])
    is_known = arguments.known
    if not is_known and not _only_looks(rule):
        return Run(line, folders, code=words)
    does = arguments.effect if is_known else "look"
    named = [*arguments.valued, *arguments.roles()]
    roles = [(word, role_given(role, arguments)) for word, role in named]
    changed = [
        (more, operation)
        for word, role in roles
        for more in (word, *word.others)
        for operation in CHANGES
        if role.name == operation
    ]
    is_apart = does in ("look", *_AT_ITS_PATHS) or name in _IN_SHELL
    looks = does == "look" and not changed
    code = [*arguments.rest, *([arguments.value] if arguments.then else [])]
    code += [word for word, _ in changed if word.value is None]
    return Run(
        line,
        folders,
        looks=looks or name in _IN_SHELL,
        here=not (is_apart or _only_at(roles, rule)),
        # `tests/test_a.py::test_one`
        changes=tuple(
            (word.path.partition("::")[0], done) for word, done in changed if word.value
        ),
        code=() if looks else _texts(code, text),
    )


def _only_looks(rule: Rule) -> bool:
    """Return whether a program looks whatever option it has that is not listed."""
    may_do_more = any(
        option.does or option.away or (option.role and option.role.name in CHANGES)
        for option in rule.options.values()
    )
    runs_more = rule.head(0) in ("sub", "program", "package", "rest")
    is_plain = "script" not in rule.marks and not (may_do_more or runs_more)
    return rule.does == "look" and is_plain


def _only_at(roles: Sequence[tuple[Word, Role]], rule: Rule) -> bool:
    """Return whether a program does something at its paths alone: `mkdir`, `touch`."""
    names = {role.name for role in (*rule.heads, rule.repeated, *rule.tails) if role}
    is_more = rule.makes or "rest" in names or any(role.git for _, role in roles)
    return bool(roles and names & {"write", "mkdir", "edit"}) and not is_more


def _given(scope: Scope) -> list[str]:
    """Return what a program is given beside its words, and what those are that run it:
    here-documents, variables, what flows into `xargs`.
    """
    above = _given(scope.above) if scope.above else []
    line = scope.line
    part = scope.part
    if part is None or part not in line.parts:
        return above
    texts: list[str] = []
    place = line.parts.index(part)
    before = line.parts[:place]
    name = part.words[0].text.rpartition("/")[2] if part.words else ""
    if name in _FED:
        texts += _fed(line.parts[: place + 1])
    for redirect in part.redirects:
        start, end = line.bodies.get(redirect.word.start, (0, 0))
        texts.append(line.text[start:end])
    if part.assigned and name == "git":  # `GIT_WORK_TREE=/w git add -A`
        ends = [other.words[-1].end for other in before if other.words]
        texts.append(line.text[max(ends, default=0) : part.words[0].start])
    return [*texts, *above]


def _fed(parts: Sequence[Simple]) -> list[str]:
    """Return the words of the commands whose output flows into the last one."""
    first = len(parts) - 1
    while first and parts[first].before == "|":
        first -= 1
    words = chain.from_iterable(part.words[1:] for part in parts[first:-1])
    return [word.path for word in words if word.value]


def _texts(words: Sequence[Word], text: str) -> tuple[str, ...]:
    """Return words as the program receives them, those that only the shell knows as
    they are written.
    """
    return tuple(
        word.path if word.value is not None else text[word.start : word.end]
        for word in words
    )
