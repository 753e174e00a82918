"""What a command line does with paths, and what the whole line does.

Each path has its own operation; the line has effects. A program is unknown if it, or
an option of it, is not in `programs.txt`. It may do anything, so nothing in the line
may be rewritten, and no path after it is reported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, dropwhile
from posixpath import join, normpath

from truepath.calls.shell import programs
from truepath.calls.shell.dialect import POSIX, Dialect
from truepath.calls.shell.programs import Arguments, Role, Rule, is_no_path, path_in
from truepath.calls.shell.reader import Line, Redirect, Simple, Word, read
from truepath.calls.shell.scripts import reads
from truepath.records import TYPE_CHECKING, dataclass, replace
from truepath.types import MAKES, READS, Effect, Kind, Operation

if TYPE_CHECKING:
    from truepath.calls.patch import Hunk

_MOST_LEVELS = 10
"""Programs that run others, and lines in words of others, one in another, at most."""
_MOST_NAMES = 40
"""Names of a path with the folders entered before it, at most."""

_JOINTS = ("&&", "||", "|")
_SYSTEM = ("/bin/", "/usr/", "/opt/")
_ABOVE = re.compile(r"\A(?:~/|(?:\.\./)+)")
"""The beginning of a path at home, or in a folder above, which may be this one."""
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
    hunks: tuple[Hunk, ...] = ()
    """What a patch changes in it."""
    tolerated: bool = False
    """Whether it may be missing only because an option says so: `rm -f`."""
    sought: bool = False
    """Whether a shell looks for it in the folders of PATH, too."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What a line does."""

    uses: tuple[Use, ...]
    effects: frozenset[Effect]
    """What it does, by all its programs and redirections."""
    understood: bool
    """Whether every program is known, so that paths may be rewritten."""
    single: bool
    """Whether it is one command, so that a refusal stops nothing else."""
    powershell: bool
    """Whether it, or a line in it, is PowerShell."""
    line: Line
    """Its words."""

    @property
    def looks(self) -> bool:
        """Whether it only reads, lists and searches."""
        return self.effects <= {"look"}


def survey(text: str, *, powershell: bool = False) -> Survey | None:
    """Return what a command line does; None if it cannot be read."""
    line = read(text, _dialect(powershell=powershell))
    if line is None:
        return None
    surveyor = _Surveyor(line)
    surveyor.line(line)
    if not surveyor.understood:
        surveyor.effects.add("other")
    return Survey(
        tuple(surveyor.uses),
        frozenset(surveyor.effects),
        surveyor.understood,
        surveyor.commands <= 1,
        surveyor.powershell,
        line,
    )


def _dialect(*, powershell: bool) -> Dialect:
    if not powershell:
        return POSIX
    from truepath.calls.shell.powershell import POWERSHELL

    return POWERSHELL


@dataclass(frozen=True, slots=True)
class _Patches:
    """How a program applies a patch."""

    folder: tuple[int, ...] | None
    """Positions of the folders entered before."""
    from_top: bool
    """Whether the patch's paths begin at git's top."""


class _Surveyor:
    """Walks through a line as a shell would, and records the paths."""

    def __init__(self, line: Line) -> None:
        self.here = line
        """The line, or the one in a word of it, that is walked through."""
        self.uses: list[Use] = []
        self.effects: set[Effect] = set()
        """What the line does so far."""
        self.understood = True
        self.commands = 0
        self.depth = 0
        """How many programs run one another here."""
        self.folder: tuple[int, ...] | None = ()
        """Positions of the folders entered; None if the working directory is not
        known."""
        self.made: dict[str, int] = {}
        """What was created, by its place, and the number of the command that did it. A
        place that ends in `/.` is a folder that may have been there before, with other
        files."""
        self.anything = False
        """Whether files with unknown names may have been created."""
        self.optional = False
        """Whether the paths of the current program may be missing."""
        self.tolerated = False
        """Whether they may be only because an option says so."""
        self.muted = False
        """Whether which of its arguments are paths is not known: none is recorded."""
        self.powershell = False
        self.patches: _Patches | None = None
        """How the current program applies the patch in its here-document, if it does.
        """
        self.outer: Word | None = None
        """The word that contains this line, if its text differs from the word's."""

    def line(self, line: Line) -> None:
        """Walk through the commands of a line."""
        self.powershell = self.powershell or line.powershell
        start = 0
        for end in range(1, len(line.parts) + 1):
            goes_on = line.parts[end : end + 1] and line.parts[end].before in _JOINTS
            if not goes_on:
                self.chain(line.parts[start:end])
                start = end

    def chain(self, parts: Sequence[Simple]) -> None:
        """Walk through commands joined by `&&`, `||` and `|`."""
        optional = self.optional
        # `cat a || cat b`: the line has an answer to a failure.
        is_answered = any(
            part.before == "||" and not self.exits(part) for part in parts
        )
        was_tested = False
        entered_perhaps = False
        joints = [*(part.before for part in parts[1:]), ""]
        for part, after in zip(parts, joints, strict=True):
            folder = self.folder
            is_silent = part.silent()
            self.optional = optional or is_answered or was_tested or is_silent
            self.part(part)
            if "|" in (part.before, after) and not self.here.powershell:
                self.folder = folder  # each part of a pipe has its own shell
            may_not_run = self.optional or part.before in ("&&", "||")
            if may_not_run and self.folder is not folder:
                entered_perhaps = True
            # What follows a question, or what may fail in silence, may be missing.
            fails_in_silence = is_silent and after != "|"
            asks = self.has_mark(part, "asks")
            was_tested = was_tested or fails_in_silence or asks
        if entered_perhaps:
            self.folder = None
        self.optional = optional

    def has_mark(self, part: Simple, mark: str) -> bool:
        """Return whether the table gives a mark to the program of a command."""
        if not part.words:
            return False
        program = part.words[0].value or "$"
        rule = programs.rule_of(program, powershell=self.here.powershell)[1]
        return rule is not None and mark in rule.marks

    def exits(self, part: Simple) -> bool:
        """Return whether a command only exits: then it does not handle a failure."""
        # `|| exit 0` does: the failure counts for nothing.
        success = [word.value for word in part.words[1:]] == ["0"]
        return not success and self.has_mark(part, "exits")

    def part(self, part: Simple) -> None:
        """Walk through one command of a chain."""
        before = self.effects
        self.effects = set()
        self.simple(part)
        # What flows into a program that does more than look is not known.
        is_fed = part.before == "|" or any(map(_is_input, part.redirects))
        if is_fed and not self.effects <= {"look"}:
            self.effects.add("other")
        self.effects |= before

    def simple(self, part: Simple) -> None:
        """Walk through one command."""
        self.commands += 1
        folder = self.folder
        anything = self.anything
        self.patches = None
        if part.words:
            if part.assigned:
                self.effects.add("run")  # a variable may make a program run another
            self.program(part.words)
        folder_after = self.folder
        anything_after = self.anything
        # The shell redirects before it runs the program.
        self.folder = folder
        self.anything = anything
        for redirect in part.redirects:
            self.redirect(redirect)
        self.folder = folder_after
        self.anything = self.anything or anything_after

    def redirect(self, redirect: Redirect) -> None:
        """Record the file that an input comes from, or that an output goes to."""
        body = self.here.bodies.get(redirect.word.start)
        if self.patches and body:
            self.patch(redirect.word, self.here.text[slice(*body)])
        sign = redirect.sign.lstrip("0123456789")
        if self.here.powershell and redirect.word.text.lower() == "nul":
            return  # there, it is the null device
        # A text, or another output (`2>&1`), is no file.
        if sign.startswith("<<") or sign.endswith("<&") or sign == ">&":
            return
        if sign != "<":
            self.note_written(redirect.word)
        self.add(redirect.word, _INPUT if sign == "<" else _OUTPUT)

    def note_written(self, word: Word) -> None:
        """Note that an output goes to a file, a device or the network."""
        if word.value is None or not programs.goes_nowhere(word.value):
            self.effects.add("other")

    def program(self, words: Sequence[Word], *, package: bool = False) -> None:
        """Walk through a program and its arguments; a `package` is not a path."""
        count = len(words)
        words = [*dropwhile(lambda word: _ASSIGNMENT.match(word.value or "$"), words)]
        if len(words) < count:  # `time A=b program`
            self.effects.add("run")
        if not words:
            return
        value = words[0].value or "$"  # no program has that name
        name, rule = programs.rule_of(value, powershell=self.here.powershell)
        if rule is not None:
            if _is_own_path(value) and not package:
                self.effects.add("run")
                self.add(words[0], _RUN)
            self.arguments(name, rule, words[1:])
        elif self.is_script(value, package=package):
            # Its own arguments are not known to be paths.
            self.effects.add("run")
            self.add(words[0], _RUN)
            self.anything = True
        else:
            self.understood = False

    def is_script(self, value: str, *, package: bool) -> bool:
        """Return whether a program that is not in the table is a file."""
        if self.here.powershell and not value.lower().endswith(_WINDOWS_SCRIPTS):
            return False  # `.\build` may be `build.cmd`
        if package:  # `npx @biomejs/biome` has a slash too
            return value.endswith(_PACKAGE_SCRIPTS)
        return _is_own_path(value)

    def arguments(self, name: str, rule: Rule, words: Sequence[Word]) -> None:
        """Walk through the arguments of a program."""
        arguments = Arguments(rule, words, self.here.text)
        # What a program that is no cmdlet makes of a list is not known.
        has_list = not rule.cmdlet and any(word.others for word in words)
        if has_list or self.depth == _MOST_LEVELS or not arguments.known:
            self.understood = False
            return
        if not reads(arguments):
            self.understood = False
            return
        folder = self.folder
        made = self.anything
        if not arguments.hands_on:
            self.effects.add(arguments.effect)
        self.paths(arguments)
        self.note_patch(arguments)
        self.depth += 1
        self.what_it_runs(name, arguments)
        self.depth -= 1
        self.note_unnamed(arguments)
        if "sourced" in rule.marks:
            self.after_source(arguments, folder, made=made)
        elif rule.head(0) != "enter" and "in-shell" not in rule.marks:
            self.folder = folder  # it ran in a process of its own: `git -C web`

    def note_patch(self, arguments: Arguments) -> None:
        """Note whether the program applies a patch whose paths are known."""
        needed = arguments.rule.marks.get("patch")
        if needed is None:
            return
        given = {word.value for word in arguments.words}
        # `patch` without `-p1` strips other folders from the paths.
        has_needed = needed in ("", "top") or needed in given
        if has_needed and given <= _PATCH_ARGUMENTS:
            self.patches = _Patches(self.folder, from_top=needed == "top")

    def note_unnamed(self, arguments: Arguments) -> None:
        """Note whether the program may create files that it does not name."""
        copies = arguments.attached and arguments.does == "in-place"  # `sed -i.bak`
        unsure = bool(arguments.doubtful) and arguments.does != "look"
        makes = arguments.rule.makes and not arguments.hands_on
        self.anything = self.anything or copies or unsure or makes

    def after_source(
        self, arguments: Arguments, folder: tuple[int, ...] | None, *, made: bool
    ) -> None:
        """Go on after a file that the shell itself has run."""
        names = [word.text for word in arguments.operands]
        if all(_VARIABLES.fullmatch(name) for name in names):
            self.folder = folder
            self.anything = made
        else:
            self.folder = None
            self.anything = True

    def paths(self, arguments: Arguments) -> None:
        """Record the paths among arguments, folders that are entered first."""
        optional = self.optional
        operands = arguments.roles()
        named = arguments.valued + operands
        # An agent that deletes what is not there believes that it is gone now.
        self.tolerated = arguments.optional and arguments.does == "delete"
        self.optional = optional or (arguments.optional and not self.tolerated)
        # Wherever it is, it counts for all: `make all -C web`.
        for word, role in named:
            if role.name == "enter":
                self.enter(word, role)
        if arguments.away or (arguments.rule.head(0) == "enter" and not operands):
            self.folder = None  # the home folder, or the last one
        into = self.add_all(named, arguments)
        if arguments.rule.tails:
            self.note_copies(arguments.operands, into)
        self.optional = optional
        self.tolerated = False

    def add_all(self, named: list[tuple[Word, Role]], arguments: Arguments) -> Word:
        """Record the paths that are not entered; return the last that is created, or
        the current folder.
        """
        into = Word(0, 0, ".")  # `ln -s docs/a.md` makes `a.md` here
        is_copied = arguments.does in ("copy", "move")
        for first, role in sorted(named, key=lambda pair: pair[0].start):
            if role.name == "enter":
                continue
            for word in (first, *first.others):
                self.add(word, self.role_given(role, arguments))
                if role.name in MAKES:
                    into = word
                if role.name in MAKES and not (is_copied and _is_file(word)):
                    self.note_written(word)
        return into

    def note_copies(self, words: Sequence[Word], into: Word) -> None:
        """Note that what is copied or moved into a folder keeps its name there."""
        for word in words:
            if word is into:
                continue
            name = word.text.rpartition("/")[2]
            places = self.places(f"{into.value}/{name}", home=into.home)
            # What is in `docs/.` may have any name.
            self.note_made(places if name.strip(".") else ())

    def role_given(self, role: Role, arguments: Arguments) -> Role:
        """Return the role of a path, given the options."""
        done = _DONE.get(arguments.does)
        usual = _DONE.get(arguments.rule.does)
        if done is None or done == usual:
            return role
        # `sed -i a` edits the file that it would read; what it writes stays written.
        follows = role.name in READS or role.name == usual
        return replace(role, name=done) if follows else role

    def what_it_runs(self, name: str, arguments: Arguments) -> None:
        """Walk through the command that a program runs."""
        rule = arguments.rule
        rest = arguments.rest
        then = arguments.then
        head = rule.head(len(arguments.operands))
        values = [word.text for word in rest[:2]]
        if then == "powershell" and rest:
            self.understood = False  # the words become one line
        elif then in ("shell", "powershell"):
            self.inner(arguments.value, then)
        elif then == "module":  # the table lists modules as Python runs them
            module = f"python -m {arguments.value.value}"
            self.sub(module, rest, values[:1], rule)
        elif rest and head in ("program", "package"):
            muted = self.muted
            self.inner_program(rest, package=head == "package")
            self.muted = muted
        elif rest and head == "sub":
            # With operands behind `sub`, a subcommand that is not listed may be one.
            others = rule if rule.repeated else None
            self.sub(f"{name} {values[0]}", rest[1:], values[1:], others)

    def inner_program(self, words: Sequence[Word], *, package: bool) -> None:
        """Walk through the program that another one runs, and its arguments."""
        # Of `npm exec a -- -b`, `a` is given `-b`; of `npx a -- -b`, `--` as well.
        if package and [word.value for word in words[1:2]] == ["--"]:
            self.muted = True
            words = [words[0], *words[2:]]
        self.program(words, package=package)

    def sub(
        self, name: str, words: Sequence[Word], values: list[str], others: Rule | None
    ) -> None:
        """Walk through a subcommand, of two words if the table has it; `others` is for
        the rest.
        """
        longer = " ".join([name, *values[:1]])
        rule = programs.rule(longer)
        if values and rule is not None:
            self.arguments(longer, rule, words[1:])
            return
        rule = programs.rule(name)
        if rule is not None:
            self.arguments(name, rule, words)
        elif others is not None:
            self.effects.add(others.does)
            self.anything = True
        else:
            self.understood = False

    def inner(self, word: Word, shell: str) -> None:
        """Walk through a command line that is one word of this one."""
        here = self.here
        outer = self.outer
        folder = self.folder
        line, is_exact = self.inner_line(word, shell)
        if line is None:
            self.understood = False
            return
        if not is_exact:
            self.outer = outer or word
        self.here = line
        self.commands -= 1  # the shell itself
        self.line(line)
        self.here = here
        self.outer = outer
        self.folder = folder

    def inner_line(self, word: Word, shell: str) -> tuple[Line | None, bool]:
        """Return the line that is a word, None if it is not understood, and whether its
        positions are those of this line, so that its paths may be replaced.
        """
        # Languages, by the words of the table (`=powershell`, `cmd`), not programs.
        dialect = _dialect(powershell=shell in ("powershell", "cmd"))
        value = word.text
        if shell == "cmd":
            if _OWN_OF_CMD.search(value):
                return None, False
            # Its plain commands are read as PowerShell's, but it takes no slashes.
            return read(value, dialect), False
        text = self.here.text
        start = word.start + 1
        end = word.end - 1
        # PowerShell 5 takes quotes out of what it hands to a program.
        if self.here.powershell or not word.plain or text[start:end] != value:
            return read(value, dialect), False
        return read(text, dialect, start, end), True

    def patch(self, word: Word, text: str) -> None:
        """Record the files of a patch, which cannot be replaced."""
        from truepath.calls.patch import headers

        before = self.folder
        patches = self.patches or _Patches(before, from_top=False)
        self.folder = patches.folder
        git = "top" if patches.from_top else ""
        # In another folder, which paths below git's top the patch means is not known.
        if not patches.from_top or self.folder == ():
            for header in headers(text, sides=True):
                file = Word(word.start, word.end, header.written, plain=False)
                self.add(file, Role(header.operation, "file", git), header.hunks)
        self.folder = before

    def enter(self, word: Word, role: Role) -> None:
        """Record a folder in which what follows runs."""
        if word.value in (".", "./"):
            return
        count = len(self.uses)
        self.add(word, role)
        # Of one that is not known, or that the line made, nothing inside is known.
        self.folder = None
        if len(self.uses) > count:
            self.folder = (*self.uses[-1].entered, count)

    def add(self, word: Word, role: Role, hunks: tuple[Hunk, ...] = ()) -> None:
        """Record a word if it is a path."""
        if role.name == "patch":
            self.patch(word, word.text)
            return
        if role.name == "cmd":
            self.inner(word, "cmd")
            return
        word = path_in(word, role)
        value = self.value_of(word, role)
        creates = role.name in MAKES
        if value is not None and is_no_path(value, creates=creates):
            return
        if role.likely and not programs.is_file_name(value or ""):
            return
        places = [] if value is None else self.places(value, home=word.home)
        if not places or not self.understood or self.muted:
            self.anything = self.anything or creates
            return
        if not self.is_made(places, creates=creates):
            self.uses.append(self.use(word, role, hunks))
        if creates:
            self.note_made(places, parents=role.name == "mkdir")

    def value_of(self, word: Word, role: Role) -> str | None:
        """Return the path that a word means; None if only the shell knows it."""
        if word.windows:
            return word.windows
        # For PowerShell it is a pattern in quotes, too.
        if self.here.powershell and "[" in word.text and not role.literal:
            return None
        return word.value

    def use(self, word: Word, role: Role, hunks: tuple[Hunk, ...]) -> Use:
        """Return a path, with what is done with it."""
        value = word.text
        is_fixed = word.home or value.startswith("/")
        entered = () if is_fixed else self.folder or ()
        operation: Operation = role.name  # type: ignore[assignment]
        enters = role.name == "enter"
        if enters:
            operation = "list"
        received = word.windows.replace("\\", "")
        if received:
            value = word.windows
            word = replace(word, value=value, plain=True)
        if self.outer is not None:
            start, end = self.outer.start, self.outer.end
            word = Word(start, end, value, plain=False, home=word.home)
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
            hunks=hunks,
            tolerated=self.tolerated,
            sought=role.is_sought(value),
        )

    def places(self, path: str, *, home: bool) -> list[str]:
        """Return where a path is, from the agent's folder (the home folder, or one
        above it, counts as that), or absolute, with its ends, which it may be from
        there; none if that is not known.
        """
        if self.folder is None and not home and not path.startswith("/"):
            return []
        entered = () if home else self.folder or ()
        path = join("", *(self.uses[place].written for place in entered), path)
        if path.count("/") >= _MOST_NAMES:
            return []
        names = _ABOVE.sub("", normpath(path)).split("/")
        is_absolute = names[0] == "" or names[0][1:] == ":"
        if not is_absolute:
            return ["/".join(names)]
        return ["/".join(names[start:]) for start in range(len(names))]

    def note_made(self, places: Sequence[str], *, parents: bool = False) -> None:
        """Note that a path was created; with `parents`, the folders above it too."""
        if not places:
            self.anything = True
        # The ends of an absolute path, which it may be from here, are marked by a star.
        for path in (*places[:1], *(f"*{end}" for end in places[1:])):
            self.made.setdefault(path, self.commands)
            if parents:
                for folder in _parents(path):
                    self.made.setdefault(f"{folder}/.", self.commands)

    def is_made(self, places: Sequence[str], *, creates: bool) -> bool:
        """Return whether a path, or the folder that it is created in, was created
        before.
        """
        # A relative path may be the end of an absolute one; of two absolute ones, none
        # is the end of the other.
        forms = places if len(places) > 1 else [*places, f"*{places[0]}"]
        names: list[str] = []
        for form in forms:
            # In a folder that was created, everything was.
            names += accumulate(form.split("/"), "{}/{}".format)
            folder = form.rpartition("/")[0] if creates else form
            names.append(f"{folder}/.")
        # What a program reads is not what it creates itself: `sort -o a a`.
        now = self.commands + 1 if creates else self.commands
        return any(self.made.get(name, now) < now for name in names)


def _is_file(word: Word) -> bool:
    """Return whether what is written to a path stays in a file, as far as is known."""
    return word.value is not None and not word.value.startswith("/dev/")


def _is_input(redirect: Redirect) -> bool:
    """Return whether a redirection is a file that a program reads as its input."""
    return redirect.sign.lstrip("0123456789") == "<"


def _is_own_path(program: str) -> bool:
    """Return whether a program is named by its path, and is none of the system's."""
    return "/" in program and not program.startswith(_SYSTEM)


def _parents(path: str) -> list[str]:
    """Return the folders that a path is in."""
    return [path[:end] for end, char in enumerate(path) if char == "/" and end]


_DONE: dict[str, str] = {
    "look": "read",
    "in-place": "edit",
    "copy": "copy",
    "move": "move",
    "delete": "delete",
}
"""Effect of an option -> what is then done to the paths that the program would read, or
to which it would do what it usually does."""

_INPUT = Role("read", "file")
_OUTPUT = Role("write", "file")
_RUN = Role("execute", "file")
_WINDOWS_SCRIPTS = (".ps1", ".bat", ".cmd", ".exe", ".py")
_OWN_OF_CMD = re.compile(r"[%^$'`]|(?:\A|\s)/")
"""What means something else to cmd, or nothing to PowerShell."""
_PACKAGE_SCRIPTS = (".py", ".ts", ".js")
_PATCH_ARGUMENTS = frozenset(
    "-p1 --check --index --3way -3 -v --recount -N - --whitespace=fix "
    "--whitespace=nowarn".split()
)
"""Arguments with which a patch's paths are below the folder, after `a/` and `b/`."""
