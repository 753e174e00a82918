"""What a command line does with paths: each path, and the strictest operation of the
line.

A program is unknown if it, or an option of it, is not in `programs.txt`. It may do
anything, so the line counts as one that deletes, nothing in it may be rewritten, and no
path after it is reported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, dropwhile
from posixpath import join, normpath

from truepath.calls.shell import programs
from truepath.calls.shell.dialect import dialect_of
from truepath.calls.shell.programs import Arguments, Role, Rule, is_no_path, path_in
from truepath.calls.shell.reader import Line, Simple, Word, read
from truepath.calls.shell.scripts import reads
from truepath.records import dataclass, replace
from truepath.types import MAKES, STRICTNESS, Kind, Operation, strictest

_DEPTH, _DEEPEST = 10, 40
"""Levels of programs that run others and of lines in words, and names of a path with
the folders entered before it, at most."""

_SYSTEM = ("/bin/", "/usr/", "/opt/")
_ABOVE = re.compile(r"\A(?:~/|(?:\.\./)+)")
_SOURCES, _IN_SHELL = ("source", "."), ("command", "builtin", "time")
"""What runs a file, and what runs a command, in the shell itself: a `cd` there
counts."""
_VARIABLES = re.compile(r"(?:.*/)?(?:activate|\.env(?:\.[\w.-]+)?)")
"""Files that only set variables, by their names."""
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=", re.ASCII)


@dataclass(frozen=True, slots=True)
class Use:
    """One path in a command line, and what is done with it."""

    word: Word
    """The word, or the part of one (`--file=PATH`), that it is."""
    written: str
    """The path as the program receives it, with `~` unexpanded (see `word.home`)."""
    operation: Operation
    kind: Kind
    entered: tuple[int, ...] = ()
    """Positions, among the uses of the line, of the folders entered before it, in
    order."""
    optional: bool = False
    """Whether it may be missing: the line tests for it, handles its absence, or may
    create it."""
    in_git: str = ""
    """`index`, `history` or `revision` if git is asked, not the disk; `top` if below
    git's top."""
    enters: bool = False
    """Whether what follows runs in this folder."""
    received: str = ""
    """What the program receives, if not `written`: `src\\a.py` without its
    backslash."""
    texts: tuple[str, ...] = ()
    """What the file holds, if a patch names it."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What a line does."""

    uses: tuple[Use, ...]
    strictest: Operation
    """`read`, `copy`, `execute`, `move`, `edit` or `delete`: each of its paths is
    judged by it."""
    understood: bool
    """Whether every program is known, so that paths may be rewritten."""
    single: bool
    """Whether it is one command, so that a refusal stops nothing else."""
    powershell: bool
    """Whether it, or a line in it, is PowerShell."""
    line: Line
    """Its words."""


def survey(text: str, *, powershell: bool = False) -> Survey | None:
    """Return what a command line does; None if it cannot be read."""
    line = read(text, dialect_of(powershell=powershell))
    if line is None:
        return None
    walk = _Walk(line)
    walk.line(line)
    strictest: Operation = walk.does if walk.understood else "delete"
    return Survey(
        tuple(walk.uses),
        strictest,
        walk.understood,
        walk.commands <= 1,
        walk.powershell,
        line,
    )


class _Walk:
    """Walks through a line as a shell would, and records the paths."""

    def __init__(self, line: Line) -> None:
        self.here = line
        """The line, or the one in a word of it, that is walked through."""
        self.uses: list[Use] = []
        self.does: Operation = "read"
        self.understood = True
        self.commands = self.depth = 0
        self.folder: tuple[int, ...] | None = ()
        """Positions of the folders entered; None if the working directory is not
        known."""
        self.made: dict[str, int] = {}
        """What was created, by its place, and the number of the command that did it. A
        place that ends in `/.` is a folder that may have been there before, with other
        files."""
        self.anything = False
        """Whether files with unknown names may have been created."""
        self.optional = self.muted = self.powershell = False
        self.applies: tuple[str, tuple[int, ...] | None] | None = None
        """The current program and its folder, if it applies the patch in its
        here-document."""
        self.outer: Word | None = None
        """The word that contains this line, if its text differs from the word's."""

    def line(self, line: Line) -> None:
        self.powershell = self.powershell or line.powershell
        at = 0
        while at < len(line.parts):
            end = at + 1
            while end < len(line.parts) and line.parts[end].before in ("&&", "||", "|"):
                end += 1
            self.list_(line.parts[at:end])
            at = end

    def list_(self, parts: Sequence[Simple]) -> None:
        """Walk through commands joined by `&&`, `||` and `|`."""
        optional, doubt, tested = self.optional, False, False
        answered = any(part.before == "||" and not part.gives_up() for part in parts)
        for part, after in zip(parts, (*parts[1:], None), strict=True):
            folder, silent = self.folder, part.silent()
            self.optional = optional or answered or tested or silent
            self.simple(part)
            piped = after is not None and after.before == "|"
            if (part.before == "|" or piped) and not self.here.powershell:
                self.folder = folder  # each part of a pipe has its own shell
            conditional = self.optional or part.before in ("&&", "||")
            doubt = doubt or (self.folder is not folder and conditional)
            name = part.words[0].value if part.words else ""
            tested = tested or (silent and not piped) or name in _QUESTIONS
        if doubt:
            self.folder = None
        self.optional = optional

    def simple(self, part: Simple) -> None:
        self.commands += 1
        folder, anything, self.applies = self.folder, self.anything, None
        if part.words:
            if part.assigned:
                self.also_does("execute")  # a variable may make a program run another
            self.program(part.words)
        after, self.folder = self.folder, folder
        later, self.anything = self.anything, anything
        bodies = self.here.bodies
        for redirect in part.redirects:
            if self.applies and redirect.word.start in bodies:
                self.patch(
                    redirect.word, self.here.text[slice(*bodies[redirect.word.start])]
                )
            sign = redirect.sign.lstrip("0123456789")
            if not sign.startswith("<<") and not sign.endswith("<&") and sign != ">&":
                self.add(redirect.word, _INPUT if sign == "<" else _OUTPUT)
        self.folder, self.anything = after, self.anything or later

    def also_does(self, operation: str) -> None:
        """Make what the line does at least as strict as an operation."""
        self.does = strictest((operation,), self.does)  # type: ignore[arg-type]

    def program(self, words: Sequence[Word], *, package: bool = False) -> None:
        """Walk through a program and its arguments; a `package` is not a path."""
        given, words = (
            words,
            [*dropwhile(lambda word: _ASSIGNMENT.match(word.value or "$"), words)],
        )
        if len(words) < len(given):  # `env A=b program`
            self.also_does("execute")
        if not words:
            return
        value = words[0].value or "$"
        name, rule = programs.rule_of(value, powershell=self.here.powershell)
        ours = not value.startswith(_SYSTEM)
        script = (
            value.endswith((".py", ".ts", ".js")) if package else "/" in value and ours
        )
        if self.here.powershell and not value.lower().endswith(_WINDOWS_SCRIPTS):
            script = False  # `.\build` may be `build.cmd`
        if script and rule is None:
            self.add(words[0], _RUN)
            self.anything = True
        elif rule is None:
            self.understood = False
        else:
            if "/" in value and ours and not package:
                self.add(words[0], _RUN)
            self.arguments(name, rule, words[1:])

    def arguments(self, name: str, rule: Rule, words: Sequence[Word]) -> None:
        found = Arguments(rule, words, self.here.text)
        lists = not rule.cmdlet and any(word.others for word in words)
        if lists or self.depth == _DEPTH or not found.known or not reads(name, found):
            self.understood = False
            return
        folder, made = self.folder, self.anything
        if not found.hands_on:
            self.also_does("read" if found.does == "look" else found.does)
        self.paths(found)
        given = {word.value for word in words}
        if rule.patch and given <= _APPLIES and (name != "patch" or "-p1" in given):
            self.applies = (name, self.folder)
        self.depth += 1
        self.what_it_runs(name, found)
        self.depth -= 1
        copied = found.attached and found.does == "edit"  # `sed -i.bak`
        unsure = bool(found.doubtful) and found.does != "look"
        self.anything = (
            self.anything or copied or unsure or (rule.makes and not found.hands_on)
        )
        if name in _SOURCES:
            variables = all(
                _VARIABLES.fullmatch(word.value or "") for word in found.operands
            )
            self.folder, self.anything = (folder, made) if variables else (None, True)
        elif rule.head(0) != "enter" and name not in _IN_SHELL:
            self.folder = folder

    def paths(self, found: Arguments) -> None:
        """Record the paths among arguments, folders that are entered first."""
        operands, optional, does = found.roles(), self.optional, self.does
        self.optional = optional or found.optional
        for word, role in found.valued + operands:
            if role.name == "enter":
                self.enter(word, role)
        if found.away or (found.rule.head(0) == "enter" and not operands):
            self.folder = None  # the home folder, or the last one
        into = Word(0, 0, ".")
        for first, role in sorted(
            found.valued + operands, key=lambda pair: pair[0].start
        ):
            for word in (first, *first.others) if role.name != "enter" else ():
                self.add(word, self.as_done(role, found))
                into = word if role.name in MAKES else into
        for word in found.operands if found.rule.tails else ():
            name = (word.value or "").rpartition("/")[2]
            places = self.places(f"{into.value}/{name}", home=into.home)
            if word is not into:  # what is copied or moved into a folder keeps its name
                self.note_made(places if name.strip(".") else ())
        if found.does in ("copy", "move"):
            self.does = does  # its destination does not count as an edit
        self.optional = optional

    def as_done(self, role: Role, found: Arguments) -> Role:
        """Return the role of a path, given the options."""
        usual = STRICTNESS.get(role.name) == 0 or role.name == found.rule.does
        changed = found.does not in (found.rule.does, "look", "execute") and usual
        return replace(role, name=found.does) if changed else role

    def what_it_runs(self, name: str, found: Arguments) -> None:
        """Walk through the command that a program runs."""
        rest, head = found.rest, found.rule.head(len(found.operands))
        values = [word.value or "" for word in rest[:2]]
        if found.then == "powershell" and rest:
            self.understood = False  # the words become one line
        elif found.then in ("shell", "powershell"):
            self.inner(found.value, found.then)
        elif found.then == "module":
            self.sub(f"python -m {found.value.value}", rest, values[:1], found.rule)
        elif rest and head in ("program", "package"):
            # Of `npm exec a -- -b`, `a` is given `-b`; of `npx a -- -b`, `--` as well.
            dashed = head == "package" and values[1:] == ["--"]
            muted, self.muted = self.muted, self.muted or dashed or name == "xargs"
            self.program([*rest[:1], *rest[1 + dashed :]], package=head == "package")
            self.muted = muted
        elif rest and head == "sub":
            others = found.rule if found.rule.each else None
            self.sub(f"{name} {values[0]}", rest[1:], values[1:], others)

    def sub(
        self, name: str, words: Sequence[Word], values: list[str], others: Rule | None
    ) -> None:
        """Walk through a subcommand, of two words if the table has it; `others` is for
        the rest.
        """
        longer = programs.rule(f"{name} {values[0]}") if values else None
        rule = longer or programs.rule(name)
        if rule is not None:
            full = f"{name} {values[0]}" if longer else name
            self.arguments(full, rule, words[1:] if longer else words)
        elif others is not None:
            self.also_does(others.does)
            self.anything = True
        else:
            self.understood = False

    def inner(self, word: Word, shell: str) -> None:
        """Walk through a command line that is one word of this one."""
        dialect = dialect_of(powershell=shell == "powershell")
        here, value, outer, folder = (
            self.here,
            word.value or "",
            self.outer,
            self.folder,
        )
        start, end = word.start + 1, word.end - 1
        # PowerShell 5 takes quotes out of what it hands to a program.
        exact = word.plain and not here.powershell and here.text[start:end] == value
        line = read(here.text, dialect, start, end) if exact else read(value, dialect)
        if line is None:
            self.understood = False
            return
        if not exact:
            self.outer = outer or word
        self.here = line
        self.commands -= 1  # the shell itself
        self.line(line)
        self.here, self.outer, self.folder = here, outer, folder

    def patch(self, word: Word, text: str) -> None:
        """Record the files of a patch, which cannot be replaced."""
        from truepath.calls.patch import headers

        before = self.folder
        name, self.folder = self.applies or ("", before)
        git = "top" if name == "git apply" else ""
        for header in headers(text, sides=True) if not git or self.folder == () else ():
            file = Word(word.start, word.end, header.written, plain=False)
            self.add(file, Role(header.operation, "file", git), header.texts)
        self.folder = before

    def enter(self, word: Word, role: Role) -> None:
        count = len(self.uses)
        if word.value not in (".", "./"):
            self.add(word, role)
            found = len(self.uses) > count
            self.folder = (*self.uses[-1].entered, count) if found else None

    def add(self, word: Word, role: Role, texts: tuple[str, ...] = ()) -> None:
        """Record a word if it is a path."""
        if role.name == "patch":
            self.patch(word, word.value or "")
            return
        word = path_in(word, role)
        value = word.value
        if self.here.powershell and "[" in (value or "") and not role.literal:
            value = None  # a pattern, in quotes too
        if word.windows and role.name not in MAKES:
            value = word.windows
        creates = role.name in MAKES
        if value is not None and is_no_path(value, creates=creates):
            return
        self.also_does("list" if role.name == "enter" else role.name)
        places = [] if value is None else self.places(value, home=word.home)
        doubtful = role.likely and not programs.is_file_name(value or "")
        if not places or not self.understood or self.muted or doubtful:
            self.anything = self.anything or (creates and not doubtful)
            return
        fixed = word.home or (value or "").startswith("/")
        if not self.is_made(places, creates=creates):
            entered = () if fixed else self.folder or ()
            self.uses.append(self.use(word, role, entered, texts))
        if creates:
            self.note_made(places, parents=role.name == "mkdir")

    def use(
        self, word: Word, role: Role, entered: tuple[int, ...], texts: tuple[str, ...]
    ) -> Use:
        enters, value = role.name == "enter", word.value or ""
        operation: Operation = "list" if enters else role.name  # type: ignore[assignment]
        received = word.windows.replace("\\", "")
        if received:
            word, value = replace(word, value=word.windows, plain=True), word.windows
        if self.outer is not None:
            word = Word(
                self.outer.start, self.outer.end, value, plain=False, home=word.home
            )
        return Use(
            word,
            value,
            operation,
            role.kind_of(value),
            entered,
            optional=self.optional or role.may_lack(value) or self.anything,
            in_git=role.git,
            enters=enters,
            received=received,
            texts=texts,
        )

    def places(self, path: str, *, home: bool) -> list[str]:
        """Return where a path is, from the agent's folder (the home folder, or one
        above it, counts as that), or absolute, with its ends, which it may be from
        there; none if that is not known.
        """
        lost = self.folder is None and not home and not path.startswith("/")
        path = join(
            "", *(self.uses[at].written for at in self.folder or () if not home), path
        )
        if lost or path.count("/") >= _DEEPEST:
            return []
        names = _ABOVE.sub("", normpath(path)).split("/")
        absolute = names[0] == "" or names[0][1:] == ":"
        return ["/".join(names[at:]) for at in range(len(names) if absolute else 1)]

    def note_made(self, places: Sequence[str], *, parents: bool = False) -> None:
        self.anything = self.anything or not places
        for path in (*places[:1], *(f"*{end}" for end in places[1:])):
            self.made.setdefault(path, self.commands)
            for at in (
                at for at, letter in enumerate(path) if letter == "/" and at and parents
            ):
                self.made.setdefault(f"{path[:at]}/.", self.commands)

    def is_made(self, places: Sequence[str], *, creates: bool) -> bool:
        """Return whether a path, or the folder that it is created in, was created
        before.
        """
        ways = places if len(places) > 1 else [*places, f"*{places[0]}"]
        names = [
            path for way in ways for path in accumulate(way.split("/"), "{}/{}".format)
        ]
        names += [f"{way.rpartition('/')[0] if creates else way}/." for way in ways]
        now = self.commands + creates
        return any(self.made.get(path, now) < now for path in names)


_INPUT, _OUTPUT = Role("read", "file"), Role("write", "file")
_RUN = Role("execute", "file")
_WINDOWS_SCRIPTS = (".ps1", ".bat", ".cmd", ".exe", ".py")
_APPLIES = frozenset(
    "-p1 --check --index --3way -3 -v --recount -N - --whitespace=fix --whitespace=nowarn".split()
)
"""Arguments with which a patch's paths are below the folder, after `a/` and `b/`."""
_QUESTIONS = ("test", "[", "which", "type", "hash", "command")
