"""The programs that a command line runs: the folder that each runs in, what it changes,
and whether it does more than look.

It serves a question that is asked of each program, not of the whole line: where does it
act? A line that is not understood is split at its signs, so nothing here is certain
enough to change a line by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile
from posixpath import expanduser

from truepath.calls.shell import programs
from truepath.calls.shell.dialect import POSIX
from truepath.calls.shell.programs import Arguments, Role, Rule
from truepath.calls.shell.reader import Line, Redirect, Simple, Word, read
from truepath.calls.shell.scripts import reads
from truepath.records import dataclass, replace
from truepath.types import READS, Operation

CHANGES: Sequence[Operation] = ("edit", "write", "move", "delete", "mkdir", "execute")
"""Operations that change a path, or run it. What is copied stays as it is."""

_DONE = {"in-place": "edit", "move": "move", "delete": "delete"}
"""Effect of an option -> what is then done to the paths that the program would read."""

_AT_ITS_PATHS = frozenset({"copy", "move", "delete", "in-place"})
"""Effects that are where the program's paths are, whatever folder it runs in."""

_MOST_LEVELS = 10
"""Programs that run others, one in another, and folders that are entered so, at
most."""

_FED = frozenset({"xargs", "gxargs", "parallel"})
"""Programs whose input names the paths of what they run."""

_BY_FILE = frozenset("cargo make gmake just docker-compose".split()) | {
    "docker compose"
}
"""Programs that build what is beside a file that an option names."""

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
    line = read(text, POSIX)
    if line is None:
        return [*_of_pieces(text)]
    return [*_of_line(line, (), 0)]


def _of_line(line: Line, folders: tuple[str, ...] | None, depth: int) -> Iterator[Run]:
    """Yield what a line runs that begins in some folders."""
    seen: tuple[str, ...] = ()
    end = 0
    joints = [*(part.before for part in line.parts[1:]), ""]
    for part, after in zip(line.parts, joints, strict=True):
        seen = seen if part.before == "|" else ()
        more = [*(seen if _name(part) in _FED else ()), *_bodies(part, line)]
        if part.assigned and _name(part) == "git":  # `GIT_WORK_TREE=/w git add -A`
            more.append(line.text[end : part.words[0].start])
        for run in _of_program(part.words, folders, line.text, depth):
            yield run if run.looks else replace(run, code=(*run.code, *more))
        for redirect in part.redirects:
            yield from _of_redirect(redirect, folders)
        if _enters(part) and "|" not in (part.before, after):
            folders = _into(folders, part.words[1:])
        seen = (*seen, *_seen(part))
        end = part.words[-1].end if part.words else end


def _bodies(part: Simple, line: Line) -> Iterator[str]:
    """Yield the here-documents of a command."""
    for redirect in part.redirects:
        body = line.bodies.get(redirect.word.start)
        if body:
            yield line.text[slice(*body)]


def _name(part: Simple) -> str:
    return _base(part.words[0].text) if part.words else ""


def _base(program: str) -> str:
    return program.rpartition("/")[2]


def _seen(part: Simple) -> tuple[str, ...]:
    """Return the words of a command, which its output may repeat."""
    return tuple(_path_of(word) for word in part.words[1:] if word.value)


def _path_of(word: Word) -> str:
    """Return a word as the program receives it."""
    return expanduser(word.text) if word.home else word.text


def _enters(part: Simple) -> bool:
    """Return whether a command enters a folder: `cd`."""
    rule = programs.rule(_name(part))
    return rule is not None and rule.head(0) == "enter"


def _into(
    folders: tuple[str, ...] | None, words: Sequence[Word]
) -> tuple[str, ...] | None:
    """Return the folders entered after `cd` with some words; None if that is not
    known.
    """
    operands = [word for word in words if not word.text.startswith("-")]
    if len(operands) != 1 or not operands[0].value or operands[0].text[0] == "+":
        return None
    folder = _path_of(operands[0])
    if folder.startswith("/"):
        return (folder,)
    if folders is None or len(folders) >= _MOST_LEVELS:
        return None
    return (*folders, folder)


def _of_redirect(redirect: Redirect, folders: tuple[str, ...] | None) -> Iterator[Run]:
    """Yield the file that an output goes to."""
    sign = redirect.sign.lstrip("0123456789")
    path = _path_of(redirect.word)
    is_file = sign not in ("<", ">&") and not sign.startswith("<<")
    if is_file and not sign.endswith("<&") and path and not programs.goes_nowhere(path):
        yield Run(
            f"{redirect.sign} {path}", folders, here=False, changes=((path, "write"),)
        )


def _of_program(
    words: Sequence[Word], folders: tuple[str, ...] | None, text: str, depth: int
) -> Iterator[Run]:
    """Yield a program with its arguments, or those that it runs."""
    if not words or depth > _MOST_LEVELS:
        return
    name, rule = programs.rule_of(words[0].value or "$")  # no program has that name
    if rule is not None:
        yield from _of_rule(name, rule, words[1:], folders, text, depth)
        return
    path = _path_of(words[0])
    yield Run(
        " ".join(_texts(words, text)),
        folders,
        changes=((path, "execute"),) if "/" in path else (),  # a script
        code=_unspoken(words[1:], text),
    )


def _of_rule(
    name: str,
    rule: Rule,
    words: Sequence[Word],
    folders: tuple[str, ...] | None,
    text: str,
    depth: int,
) -> Iterator[Run]:
    """Yield a program of the table, or those that it runs."""
    if rule.head(0) == "enter":
        return
    arguments = Arguments(rule, words, text)
    folders = _folders_of(name, arguments, folders)
    rest = arguments.rest
    head = rule.head(len(arguments.operands))
    if arguments.then == "shell":
        yield from _of_inner(arguments.value.text, folders, depth + 1)
    elif arguments.then == "module":
        module = f"python -m {arguments.value.text}"
        yield from _of_named([(module, rest)], folders, text, depth)
    elif rest and head in ("program", "package"):
        yield from _of_program(rest, folders, text, depth + 1)
    elif rest and head == "sub":
        short = f"{name} {rest[0].text}"
        choices = [(short, rest[1:])]
        if len(rest) > 1:
            choices.insert(0, (f"{short} {rest[1].text}", rest[2:]))
        yield from _of_named(choices, folders, text, depth)
    else:
        yield _run(name, arguments, folders)


def _folders_of(
    name: str, arguments: Arguments, folders: tuple[str, ...] | None
) -> tuple[str, ...] | None:
    """Return the folders that a program runs in: those that its options name, too."""
    entered = [word for word, role in arguments.valued if role.name == "enter"]
    for word in entered:
        folders = _into(folders, [word])
    if name in _BY_FILE:
        files = [word for word, role in arguments.valued if role.name == "read"]
        for word in files[:1]:
            folder = replace(word, value=word.text.rpartition("/")[0])
            folders = _into(folders, [folder]) if folder.value else folders
    return None if arguments.away and not entered else folders


def _of_inner(text: str, folders: tuple[str, ...] | None, depth: int) -> Iterator[Run]:
    """Yield what a line runs that is a word of another one."""
    line = read(text, POSIX)
    if line is not None:
        yield from _of_line(line, folders, depth)
        return
    for run in _of_pieces(text):
        inner = run.folders
        is_known = folders is not None and inner is not None
        yield replace(
            run, folders=(*(folders or ()), *(inner or ())) if is_known else None
        )


def _of_named(
    choices: Sequence[tuple[str, Sequence[Word]]],
    folders: tuple[str, ...] | None,
    text: str,
    depth: int,
) -> Iterator[Run]:
    """Yield the first of some subcommands, or modules, that the table has, each with
    its words.
    """
    for name, words in choices:
        rule = programs.rule(name)
        if rule is not None:
            yield from _of_rule(name, rule, words, folders, text, depth)
            return
    name, words = choices[-1]
    # Behind an option that is not known, the subcommand may be its value.
    value = name.rpartition(" ")[2]
    code = (*([value] if "/" in value else []), *_unspoken(words, text))
    line = " ".join([name, *_texts(words, text)])
    # Git's own folder is the same for all checkouts.
    yield Run(line, folders, here=name not in _IN_COMMON, code=code)


def _unspoken(words: Sequence[Word], text: str) -> tuple[str, ...]:
    """Return the words of a program that is not known, but for its messages."""
    texts = _texts(words, text)
    before = ("", *texts)
    return tuple(
        word
        for word, option in zip(texts, before, strict=False)
        if option not in _SPOKEN
    )


def _run(name: str, arguments: Arguments, folders: tuple[str, ...] | None) -> Run:
    """Return a program that runs no other, by its row."""
    rule = arguments.rule
    text = arguments.text
    words = _texts(arguments.words, text)
    line = " ".join([name, *words])
    is_known = reads(arguments) and arguments.known
    if not is_known and not _only_looks(rule):
        return Run(line, folders, code=words)
    does = arguments.effect if is_known else "look"
    named = [*arguments.valued, *arguments.roles()]
    roles = [(word, _role_given(role, arguments)) for word, role in named]
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
        changes=tuple((_path_of(word), done) for word, done in changed if word.value),
        code=() if looks else _texts(code, text),
    )


def _only_looks(rule: Rule) -> bool:
    """Return whether a program looks whatever option it has that is not listed."""
    may_do_more = any(
        option.does or (option.role and option.role.name in CHANGES)
        for option in rule.options.values()
    )
    runs_more = rule.head(0) in ("sub", "program", "package", "rest")
    is_plain = "script" not in rule.marks and not (may_do_more or runs_more)
    return rule.does == "look" and is_plain


def _role_given(role: Role, arguments: Arguments) -> Role:
    """Return the role of a path, given the options: `sed -i a` edits `a`."""
    done = _DONE.get(arguments.does)
    if done is None or arguments.does == arguments.rule.does:
        return role
    return replace(role, name=done) if role.name in READS else role


def _only_at(roles: Sequence[tuple[Word, Role]], rule: Rule) -> bool:
    """Return whether a program does something at its paths alone: `mkdir`, `touch`."""
    names = {role.name for role in (*rule.heads, rule.repeated, *rule.tails) if role}
    in_git = any(role.git for _, role in roles)
    makes = names & {"write", "mkdir", "edit"}
    return bool(makes and roles) and not (in_git or rule.makes or "rest" in names)


def _texts(words: Sequence[Word], text: str) -> tuple[str, ...]:
    """Return words as the program receives them, those that only the shell knows as
    they are written.
    """
    return tuple(
        _path_of(word) if word.value is not None else text[word.start : word.end]
        for word in words
    )


def _of_pieces(text: str) -> Iterator[Run]:
    """Yield what a line runs that is not understood: it is split at its signs, those in
    quotes too.
    """
    folders: tuple[str, ...] | None = ()
    outer: list[tuple[str, ...] | None] = []
    at = 0
    for piece in _SIGNS.split(text):
        start = at
        at += len(piece)
        if piece in ("(", "$("):
            outer.append(folders)
        elif piece == ")" and outer:
            folders = outer.pop()
        elif not _SIGNS.fullmatch(piece):
            part = _part(piece, start)
            for redirect in part.redirects:
                yield from _of_redirect(redirect, folders)
            yield from _of_program(part.words, folders, text, 0)
            if _enters(part):
                folders = _into(folders, part.words[1:])


def _part(piece: str, start: int) -> Simple:
    """Return a command of a line that is not understood, which begins at `start`."""
    outputs = [*_OUTPUT.finditer(piece)]
    plain = _OUTPUT.sub(lambda match: " " * len(match[0]), piece)
    read_words = [
        _word(match[0], start + match.start()) for match in _WORD.finditer(plain)
    ]
    words = [*dropwhile(_is_no_program, read_words)]
    # What follows these is a list, or tests.
    if not _LISTS.isdisjoint(word.text for word in read_words[: -len(words) or None]):
        words = []
    redirects = [
        Redirect(">", _word(match[1], start + match.start(1))) for match in outputs
    ]
    return Simple("", False, tuple(words), tuple(redirects))


def _is_no_program(word: Word) -> bool:
    """Return whether a word precedes a program: a keyword, or a variable."""
    return word.text in _KEYWORDS or "=" in word.text


def _word(text: str, start: int) -> Word:
    """Return a word of a line that is not understood."""
    is_known = _UNKNOWN.isdisjoint(text)
    home = text.startswith("~/")
    return Word(start, start + len(text), text if is_known else None, home=home)
