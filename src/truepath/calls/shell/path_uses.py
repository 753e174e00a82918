"""What a command line does with paths, and what the whole line does.

Each path has its own operation; the line has effects. A program is unknown if it, or
an option of it, is not in `programs.txt`. It may do anything, so nothing in the line
may be rewritten, and no path after it is reported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import accumulate, dropwhile, pairwise
from posixpath import join, normpath

from truepath import TYPE_CHECKING, Late
from truepath.calls.shell import programs
from truepath.calls.shell.dialect import POSIX
from truepath.calls.shell.programs import Arguments, Role, Rule, is_no_path, path_in
from truepath.calls.shell.reader import Line, Redirect, Simple, Word, read
from truepath.calls.shell.scripts import reads
from truepath.records import dataclass, replace
from truepath.types import MAKES, READS, Effect, Kind, Operation

if TYPE_CHECKING:
    from truepath.calls import patch
    from truepath.calls.patch import Hunk
    from truepath.calls.shell import powershell as of_powershell
else:
    patch = Late("truepath.calls.patch")
    of_powershell = Late("truepath.calls.shell.powershell")

_MOST_LEVELS = 10
"""Programs that run others, and lines in words of others, one in another, at most."""
_MOST_NAMES = 40
"""Names of a path with the folders entered before it, at most."""

_BY_FILE = frozenset(
    ("cargo", "make", "gmake", "just", "docker-compose", "docker compose")
)
"""Programs that build what is beside a file that an option names."""

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
    """`index` or `history` if the program asks git for it, not the disk; `revision` if
    it may be one, too; `top` for a path in a patch, which begins at git's top."""
    enters: bool = False
    """Whether what follows runs in this folder."""
    received: str = ""
    """What the program receives if a shell removes backslashes from the path."""
    hunks: tuple[Hunk, ...] = ()
    """What a patch changes in it."""
    tolerated: bool = False
    """Whether it may be missing only because an option says so: `rm -f`."""
    sought: bool = False
    """Whether a shell looks for it in the folders of PATH, too."""
    unreported_by: str = ""
    """The program that says nothing if it is missing, because git is asked for it
    behind `--` or its errors are discarded, where the line does not ask whether it
    exists."""


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
    line = read(text, of_powershell.POWERSHELL if powershell else POSIX)
    if line is None:
        return None
    walk = Walk()
    walk.line(Scope(line))
    effects = walk.effects if walk.understood else [*walk.effects, "other"]
    return Survey(
        tuple(walk.uses),
        frozenset(effects),
        walk.understood,
        walk.commands <= 1,
        walk.powershell,
        line,
    )


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder that something runs in."""

    uses: tuple[int, ...] | None = ()
    """Positions, among the uses, of the folders entered; None if it is not certain."""
    names: tuple[str, ...] | None = ()
    """Those folders as far as they can be guessed, in order; None if they cannot."""

    def into(self, word: Word) -> tuple[str, ...] | None:
        """Return the names with one more folder entered."""
        name = word.path
        if not word.value or word.text[0] in "-+":
            return None
        if name.startswith("/"):
            return (name,)
        if self.names is None or len(self.names) >= _MOST_LEVELS:
            return None
        return (*self.names, name)

    def beside(self, arguments: Arguments) -> tuple[str, ...] | None:
        """Return the names of the folder in which the file is that an option names."""
        files = (word for word, role in arguments.valued if role.name == "read")
        word = next(files, None)
        name = word.text.rpartition("/")[0] if word else ""
        return self.into(replace(word, value=name)) if word and name else self.names


_UNKNOWN = Folder(None, None)


@dataclass(frozen=True, slots=True)
class Scope:
    """Where in a line something is, and what holds for it, as a `Use` has it."""

    line: Line
    """The line, or the one in a word of it."""
    folder: Folder = Folder()
    part: Simple | None = None
    """The command of the line."""
    above: Scope | None = None
    """That of the line in whose word this line is."""
    outer: Word | None = None
    """The word that contains this line, if its text differs from the word's."""
    depth: int = 0
    """How many programs run one another here."""
    optional: bool = False
    tolerated: bool = False
    silent: bool = False
    """Whether paths may be missing only because errors are discarded: nothing asks."""
    unreported_by: str = ""
    """As in `Use`, for a path that git is asked for, or any if it is silent."""
    muted: bool = False
    """Whether which arguments are paths is not known: none is recorded."""


class Walk:
    """Walks through a line as a shell would, and collects what it does.

    What holds at one place is in its scope. Methods that may enter a folder return the
    one in which the next command runs. `runs`, `writes` and `unread` are for those who
    ask more than what is collected here.
    """

    def __init__(self) -> None:
        self.uses: list[Use] = []
        self.effects: list[Effect] = []
        self.understood = True
        self.powershell = False
        self.commands = 0
        self.made: dict[str, int] = {}
        """What was created, by its place, and the number of the command that did it. A
        place that ends in `/.` is a folder that may have been there before, with other
        files."""
        self.anything = False
        """Whether files with unknown names may have been created."""
        self.patches: tuple[Folder, str] | None = None
        """Where the last program applies the patch in its here-document, if it does,
        and `top` if its paths begin at git's top."""

    def line(self, scope: Scope) -> None:
        """Walk through the commands of a line."""
        parts = scope.line.parts
        self.powershell = self.powershell or scope.line.powershell
        starts = [at for at, part in enumerate(parts) if part.before not in _JOINTS]
        for start, end in pairwise([*starts, len(parts)]):
            folder = self.chain(parts[start:end], scope)
            if folder is not scope.folder:
                scope = replace(scope, folder=folder)

    def chain(self, parts: Sequence[Simple], scope: Scope) -> Folder:
        """Walk through commands joined by `&&`, `||` and `|`."""
        is_posix = not scope.line.powershell
        # `cat a || cat b`: the line has an answer to a failure. `|| exit 1` is none,
        # but `|| exit 0` is: the failure counts for nothing.
        may_fail = scope.optional or any(
            part.before == "||"
            and (
                "exits" not in _marks(part, scope.line)
                or [word.value for word in part.words[1:]] == ["0"]
            )
            for part in parts
        )
        entered_perhaps = False
        asked = scope.optional
        folder = scope.folder
        joints = [*(part.before for part in parts[1:]), ""]
        for place, (part, after) in enumerate(zip(parts, joints, strict=True)):
            is_silent = part.silent()
            silent = _fails_silently(part, parts[place + 1 :], scope.line, asked=asked)
            optional = may_fail or is_silent
            left = self.part(
                replace(
                    scope, part=part, folder=folder, optional=optional, silent=silent
                )
            )
            # In a pipe, each part has a shell of its own.
            if left is not folder and not (is_posix and "|" in (part.before, after)):
                entered_perhaps |= optional or part.before in ("&&", "||")
                folder = left
            # What follows a question, or what may fail in silence, may be missing.
            fails_in_silence = is_silent and after != "|"
            asked |= fails_in_silence or "asks" in _marks(part, scope.line)
            may_fail |= asked
        return replace(folder, uses=None) if entered_perhaps else folder

    def part(self, scope: Scope) -> Folder:
        """Walk through one command of a chain, whose scope has it."""
        part = scope.part
        assert part is not None  # noqa: S101
        first = len(self.effects)
        may_be_made = self.anything
        self.commands += 1
        self.patches = None
        if part.assigned and part.words:
            self.effects.append("run")  # a variable may make a program run another
        folder = self.program(part.words, scope)
        # The shell redirects before it runs the program.
        may_be_made_now = self.anything
        self.anything = may_be_made
        for redirect in part.redirects:
            self.redirect(redirect, scope)
        self.anything |= may_be_made_now
        # What flows into a program that does more than look is not known.
        signs = [redirect.sign.lstrip("0123456789") for redirect in part.redirects]
        is_fed = part.before == "|" or "<" in signs
        if is_fed and not {"look"}.issuperset(self.effects[first:]):
            self.effects.append("other")
        return folder

    def redirect(self, redirect: Redirect, scope: Scope) -> None:
        """Record the file that an input comes from, or that an output goes to."""
        line = scope.line
        body = line.bodies.get(redirect.word.start)
        if self.patches and body:
            self.patch(redirect.word, line.text[slice(*body)], scope)
        sign = redirect.sign.lstrip("0123456789")
        is_null = line.powershell and redirect.word.text.lower() == "nul"
        # A text, or another output (`2>&1`), is no file.
        if is_null or sign.startswith("<<") or sign.endswith("<&") or sign == ">&":
            return
        if sign != "<":
            self.note_written(redirect.word)
            self.writes(redirect, scope)
        self.add(redirect.word, _INPUT if sign == "<" else _OUTPUT, scope)

    def note_written(self, word: Word) -> None:
        """Note that an output goes to a file, a device or the network."""
        if word.value is None or word.value not in programs.NOWHERE:
            self.effects.append("other")

    def program(
        self, words: Sequence[Word], scope: Scope, *, package: bool = False
    ) -> Folder:
        """Walk through a program and its arguments; a `package` is not a path."""
        # Of `npm exec a -- -b`, `a` is given `-b`; of `npx a -- -b`, `--` as well.
        if package and [word.value for word in words[1:2]] == ["--"]:
            scope = replace(scope, muted=True)
            words = [words[0], *words[2:]]
        count = len(words)
        words = [*dropwhile(lambda word: _ASSIGNMENT.match(word.value or "$"), words)]
        if len(words) < count:  # `time A=b program`
            self.effects.append("run")
        if not words:
            return scope.folder
        value = words[0].value or "$"  # no program has that name
        name, rule = programs.rule_of(value, powershell=scope.line.powershell)
        # It is named by its path, and is none of the system's.
        is_own = "/" in value and not value.startswith(_SYSTEM)
        is_file = is_own and not package
        if rule is None and package:  # `npx @biomejs/biome` has a slash too
            is_file = value.endswith(_PACKAGE_SCRIPTS)
        if rule is None and scope.line.powershell:  # `.\build` may be `build.cmd`
            is_file = is_file and value.lower().endswith(_WINDOWS_SCRIPTS)
        if is_file:
            self.effects.append("run")
            self.add(words[0], _RUN, scope)
        if rule is not None:
            return self.arguments(name, rule, words[1:], scope)
        self.runs("", words, None, scope)
        # The arguments of a script are not known to be paths.
        self.anything |= is_file
        self.understood &= is_file
        return scope.folder

    def arguments(
        self, name: str, rule: Rule, words: Sequence[Word], scope: Scope
    ) -> Folder:
        """Walk through the arguments of a program."""
        arguments = Arguments(rule, words, scope.line.text)
        # What a program that is no cmdlet makes of a list is not known.
        has_list = "cmdlet" not in rule.marks and any(word.others for word in words)
        arguments.known &= reads(arguments)
        is_deepest = scope.depth == _MOST_LEVELS
        if has_list or not arguments.known or is_deepest:
            self.understood = False
        elif not arguments.hands_on:
            self.effects.append(arguments.effect)
        if is_deepest:
            return scope.folder
        folder = self.paths(name, arguments, scope)
        inner = replace(scope, folder=folder, depth=scope.depth + 1)
        left = self.what_it_runs(name, arguments, inner)
        if "sourced" in rule.marks:
            names = [word.text for word in arguments.operands]
            if not all(map(_VARIABLES.fullmatch, names)):
                self.anything = True
                return replace(scope.folder, uses=None)
            return scope.folder
        self.anything |= arguments.makes
        # Another program runs in a process of its own: `git -C web`.
        is_in_shell = rule.head(0) == "enter" or "in-shell" in rule.marks
        return left if is_in_shell else scope.folder

    def note_patch(self, arguments: Arguments, folder: Folder) -> None:
        """Note whether the program applies a patch whose paths are known."""
        needed = arguments.rule.marks["patch"]
        given = {word.value for word in arguments.words}
        # `patch` without `-p1` strips other folders from the paths.
        if needed in ("", "top", *given) and given <= _PATCH_ARGUMENTS:
            self.patches = (folder, "top" if needed == "top" else "")

    def paths(self, name: str, arguments: Arguments, scope: Scope) -> Folder:
        """Record the paths among arguments, folders that are entered first."""
        named = arguments.valued + arguments.roles()
        scope = _scope_of(name, arguments, scope)
        folder = scope.folder
        # Wherever it is, it counts for all: `make all -C web`.
        entered = [(word, role) for word, role in named if role.name == "enter"]
        for word, role in entered:
            folder = self.enter(word, role, replace(scope, folder=folder))
        if name in _BY_FILE:
            folder = replace(folder, names=folder.beside(arguments))
        is_one = arguments.known and len(arguments.operands) == 1
        if arguments.rule.head(0) == "enter" and not is_one:
            folder = _UNKNOWN  # the home folder, or the last one; of two, none
        elif arguments.away:
            folder = replace(folder, uses=None) if entered else _UNKNOWN
        if folder is not scope.folder:
            scope = replace(scope, folder=folder)
        into = self.add_all(named, arguments, scope)
        if arguments.rule.tails:
            self.note_copies(arguments.operands, into, scope)
        if "patch" in arguments.rule.marks:
            self.note_patch(arguments, folder)
        return folder

    def add_all(
        self, named: list[tuple[Word, Role]], arguments: Arguments, scope: Scope
    ) -> Word:
        """Record the paths that are not entered; return the last that is created, or
        the current folder.
        """
        into = Word(0, 0, ".")  # `ln -s docs/a.md` makes `a.md` here
        is_copied = arguments.does in ("copy", "move")
        for first, role in sorted(named, key=lambda pair: pair[0].start):
            if role.name == "enter":
                continue
            for word in (first, *first.others):
                self.add(word, role_given(role, arguments), scope)
                if role.name not in MAKES:
                    continue
                into = word
                # What is written to a path stays in a file, as far as is known.
                is_file = word.value and not word.value.startswith("/dev/")
                if not (is_copied and is_file):
                    self.note_written(word)
        return into

    def note_copies(self, words: Sequence[Word], into: Word, scope: Scope) -> None:
        """Note that what is copied or moved into a folder keeps its name there."""
        for word in words:
            name = word.text.rpartition("/")[2]
            places = self.places(f"{into.value}/{name}", scope.folder, home=into.home)
            if word is not into:
                # What is in `docs/.` may have any name.
                self.note_made(places if name.strip(".") else ())

    def what_it_runs(self, name: str, arguments: Arguments, scope: Scope) -> Folder:
        """Walk through the command that a program runs, or record that it runs none."""
        rule = arguments.rule
        rest = arguments.rest
        then = arguments.then
        head = rule.head(len(arguments.operands))
        if then == "shell":
            self.inner(arguments.value, then, scope)
        elif then == "module":  # the table lists modules as Python runs them
            module = f"python -m {arguments.value.value}"
            self.sub(module, rest, rule, scope)
        elif then == "powershell":
            self.runs(name, arguments.words, arguments, scope)
            if rest:
                self.understood = False  # the words become one line
            else:
                self.inner(arguments.value, then, scope)
        elif rest and head in ("program", "package"):
            return self.program(rest, scope, package=head == "package")
        elif rest and head == "sub":
            # With operands behind `sub`, a subcommand that is not listed may be one.
            others = rule if rule.repeated else None
            self.sub(f"{name} {rest[0].text}", rest[1:], others, scope)
        elif rule.head(0) != "enter":
            self.runs(name, arguments.words, arguments, scope)
        return scope.folder

    def sub(
        self, name: str, words: Sequence[Word], others: Rule | None, scope: Scope
    ) -> None:
        """Walk through a subcommand, of two words if the table has it; `others` is for
        the rest.
        """
        longer = " ".join([name, *(word.text for word in words[:1])])
        for known, after in ((longer, words[1:]), (name, words)):
            rule = programs.rule(known)
            if rule is not None:
                self.arguments(known, rule, after, scope)
                return
        self.runs(name, words, None, scope)
        if others is not None:
            self.effects.append(others.does)
            self.anything = True
        else:
            self.understood = False

    def inner(self, word: Word, shell: str, scope: Scope) -> None:
        """Walk through a command line that is one word of this one."""
        # Languages, by the words of the table (`=powershell`, `cmd`), not programs.
        # Plain commands of cmd are read as PowerShell's, but it takes no slashes.
        is_cmd = shell == "cmd"
        dialect = POSIX if shell == "shell" else of_powershell.POWERSHELL
        text = scope.line.text
        span = (word.start + 1, word.end - 1)
        # Only then the paths may be replaced. PowerShell 5 takes quotes out of what it
        # hands to a program.
        is_exact = word.plain and text[slice(*span)] == word.text
        is_exact = is_exact and not (is_cmd or scope.line.powershell)
        line = read(text, dialect, *span) if is_exact else read(word.text, dialect)
        if line is None or (is_cmd and _OWN_OF_CMD.search(word.text)):
            self.understood = False
            if shell == "shell":
                self.unread(word.text, scope)
            return
        self.commands -= 1  # the shell itself
        outer = scope.outer if is_exact else scope.outer or word
        self.line(replace(scope, line=line, above=scope, outer=outer))

    def runs(
        self,
        name: str,
        words: Sequence[Word],
        arguments: Arguments | None,
        scope: Scope,
    ) -> None:
        """Take note of a program that runs no other, with its words, which are sorted
        if the table has it; one without a `name` is the first of them.
        """

    def writes(self, redirect: Redirect, scope: Scope) -> None:
        """Take note of a file that an output goes to."""

    def unread(self, text: str, scope: Scope) -> None:
        """Go on with a line that is not understood, which a shell of Unix runs."""

    def patch(self, word: Word, text: str, scope: Scope) -> None:
        """Record the files of a patch, which cannot be replaced."""
        folder, git = self.patches or (scope.folder, "")
        scope = replace(scope, folder=folder)
        # In another folder, which paths below git's top the patch means is not known.
        if not git or folder.uses == ():
            for header in patch.headers(text, sides=True):
                file = Word(word.start, word.end, header.written, plain=False)
                role = Role(header.operation, "file", git)
                self.add(file, role, scope, header.hunks)

    def enter(self, word: Word, role: Role, scope: Scope) -> Folder:
        """Record a folder in which what follows runs, and return it."""
        if word.value in (".", "./"):
            return scope.folder
        count = len(self.uses)
        self.add(word, role, scope)
        # Of one that is not known, or that the line made, nothing inside is known.
        is_known = len(self.uses) > count
        uses = (*self.uses[-1].entered, count) if is_known else None
        return Folder(uses, scope.folder.into(word))

    def add(
        self, word: Word, role: Role, scope: Scope, hunks: tuple[Hunk, ...] = ()
    ) -> None:
        """Record a word if it is a path."""
        if role.name == "patch":
            self.patch(word, word.text, scope)
            return
        if role.name == "cmd":
            self.inner(word, "cmd", scope)
            return
        word = path_in(word, role)
        # For PowerShell it is a pattern in quotes, too.
        is_pattern = scope.line.powershell and "[" in word.text and not role.literal
        value = None if is_pattern else word.windows or word.value
        creates = role.name in MAKES
        is_unlikely = role.likely and not programs.is_file_name(value or "")
        if is_unlikely or (value is not None and is_no_path(value, creates=creates)):
            return
        is_known = value is not None and self.understood and not scope.muted
        places: Sequence[str] = ()
        if value is not None and is_known:
            places = self.places(value, scope.folder, home=word.home)
        if not places:
            self.anything |= creates
            return
        if not self.is_made(places, creates=creates):
            self.uses.append(self.use(word, role, scope, hunks))
        if creates:
            self.note_made(places, parents=role.name == "mkdir")

    def use(self, word: Word, role: Role, scope: Scope, hunks: tuple[Hunk, ...]) -> Use:
        """Return a path, with what is done with it."""
        value = word.text
        is_fixed = word.home or value.startswith("/")
        entered = () if is_fixed else scope.folder.uses or ()
        operation: Operation = role.name  # type: ignore[assignment]
        enters = role.name == "enter"
        if enters:
            operation = "list"
        received = word.windows.replace("\\", "")
        if received:
            value = word.windows
            word = replace(word, value=value, plain=True)
        is_heard = self.anything or not (scope.silent or role.git == "history")
        outer = scope.outer
        if outer is not None:
            word = Word(outer.start, outer.end, value, plain=False, home=word.home)
        return Use(
            word,
            value,
            operation,
            role.kind_of(value),
            entered,
            optional=scope.optional or role.may_lack(value) or self.anything,
            in_git=role.git,
            enters=enters,
            received=received,
            hunks=hunks,
            tolerated=scope.tolerated,
            sought=role.is_sought(value),
            unreported_by="" if is_heard else scope.unreported_by,
        )

    def places(self, path: str, folder: Folder, *, home: bool) -> list[str]:
        """Return where a path is, from the agent's folder (the home folder, or one
        above it, counts as that), or absolute, with its ends, which it may be from
        there; none if that is not known.
        """
        if folder.uses is None and not home and not path.startswith("/"):
            return []
        entered = () if home else folder.uses or ()
        path = join("", *(self.uses[place].written for place in entered), path)
        if path.count("/") >= _MOST_NAMES:
            return []
        names = _ABOVE.sub("", normpath(path)).split("/")
        is_absolute = names[0] == "" or names[0][1:] == ":"
        starts = range(len(names)) if is_absolute else range(1)
        return ["/".join(names[start:]) for start in starts]

    def note_made(self, places: Sequence[str], *, parents: bool = False) -> None:
        """Note that a path was created; with `parents`, the folders above it too."""
        if not places:
            self.anything = True
        # The ends of an absolute path, which it may be from here, are marked by a star.
        for path in (*places[:1], *(f"*{end}" for end in places[1:])):
            above = accumulate(path.split("/")[:-1], "{}/{}".format) if parents else ()
            for made in (path, *(f"{folder}/." for folder in above if folder)):
                self.made.setdefault(made, self.commands)

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


def _marks(part: Simple, line: Line) -> Mapping[str, str]:
    """Return what the table says of the program of a command."""
    program = part.words[0].text if part.words else ""
    rule = programs.rule_of(program or "$", powershell=line.powershell)[1]
    return rule.marks if rule else {}


def role_given(role: Role, arguments: Arguments) -> Role:
    """Return the role of a path, given the options of its program."""
    done = _DONE.get(arguments.does)
    usual = _DONE.get(arguments.rule.does)
    if done is None or done == usual:
        return role
    # `sed -i a` edits the file that it would read; what it writes stays written.
    follows = role.name in READS or role.name == usual
    return replace(role, name=done) if follows else role


def _scope_of(name: str, arguments: Arguments, scope: Scope) -> Scope:
    """Return the scope of the paths among arguments."""
    optional = scope.optional
    if arguments.optional:
        # An agent that deletes what is not there believes that it is gone now.
        tolerated = arguments.does == "delete"
        optional = optional or not tolerated
        scope = replace(scope, optional=optional, tolerated=tolerated)
    # Without `--`, git says that a path does not exist.
    in_git = arguments.before_dashes is not None and not optional
    is_heard = not in_git and (arguments.optional or not scope.silent)
    unreported_by = "" if is_heard else name
    if unreported_by == scope.unreported_by:
        return scope
    return replace(scope, unreported_by=unreported_by)


def _fails_silently(
    part: Simple, after: Sequence[Simple], line: Line, *, asked: bool
) -> bool:
    """Return whether nothing tells that a command fails, and what comes after it does
    not ask, as `|| true` does not.
    """
    if asked or not part.silent() or part.drops_output():
        return False
    joined = (other.words for other in after if other.before in ("&&", "||"))
    succeeds = all(
        [word.value for word in words] in (["true"], [":"]) for words in joined
    )
    return succeeds and "$?" not in line.text


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
