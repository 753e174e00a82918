"""The table of programs, `programs.txt`, and how a program's arguments are sorted by
it.

The format is described at the top of that file. The native client reads it too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from truepath.calls.shell.reader import Word, pieces
from truepath.records import dataclass, replace
from truepath.types import OPERATION_KINDS, Any, Effect, Kind


@dataclass(frozen=True, slots=True)
class Role:
    """What a program does with an argument."""

    name: str
    """An operation, or `text`, `enter`, `program`, `package`, `sub`, `rest`,
    `patch`."""
    kind: Any = ""
    """The kind of path, or `package`, `script` or `stem`, as the table describes
    them."""
    git: str = ""
    optional: bool = False
    likely: bool = False
    literal: bool = False
    """Whether PowerShell takes brackets in it literally."""

    def kind_of(self, path: str) -> Kind:
        """Return the kind that a path must be of."""
        if self.kind == "package":
            return "file" if path.endswith(".go") else "folder"
        kind: Kind = _KINDS.get(self.kind, self.kind)
        return kind

    def may_lack(self, path: str) -> bool:
        """Return whether a path may be missing: the program may find another spelling
        of it.
        """
        return self.optional or (self.kind == "stem" and not _WHOLE.search(path))

    def is_sought(self, path: str) -> bool:
        """Return whether a shell looks for a path in the folders of PATH, too."""
        return self.kind == "script" and {"/", "\\"}.isdisjoint(path)


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a program."""

    values: int = 0
    attached: bool = False
    role: Role | None = None
    then: str = ""
    """`stop`, `module`, `shell` or `powershell`: what its value is; the rest is not
    sorted."""
    replaces: bool = False
    optional: bool = False
    does: Any = ""
    """The effect that the program then has."""
    away: bool = False
    """Whether the program then runs in a folder that is not known."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of the table."""

    does: Effect
    makes: bool
    dashes: str
    heads: tuple[Role, ...]
    """The roles of the first operands."""
    repeated: Role | None
    """The role of the others (`read...`)."""
    tails: tuple[Role, ...]
    """The roles of the last operands, which come after the others."""
    options: Mapping[str, Option]
    marks: Mapping[str, str]
    """What else the table says of the program; most marks have no value."""

    def head(self, place: int) -> str:
        """Return the name of the role of the operand at a position; "" if it has no own
        one.
        """
        return self.heads[place].name if place < len(self.heads) else ""


_KINDS = {"script": "file", "stem": "any"}
_WHOLE = re.compile(
    r"(?i)\.([cm]?[jt]sx?|json|node|[gx]z|bz2|lzma|zst|z|t[gx]z|zip|jar)$"
)
"""The end of a name to which no program adds one."""

EFFECTS: Sequence[Effect] = (
    "look",
    "copy",
    "move",
    "in-place",
    "run",
    "delete",
    "other",
)
"""What the table may say that a program does."""

_FLAG = Option()
_OPTION = re.compile(
    r"(-[\w.-]*)(~)?(?:=(?:(stop|module|shell|powershell)|(\d)|([a-z][\w:@?~]*))?())?"
    r"(!)?(\?)?(?:>([\w-]+))?"
)
_ROLE = re.compile(r"([a-z]+)(?::(\w+))?(?:@(\w+))?(~)?(\?)?")
_STOPS = ("program", "package", "sub")
_LITERAL = ("-literalpath", "-lp")
_LONG = frozenset(("--", "single", "cmdlet"))
"""The beginning, and the marks of programs, of options that are no letters."""
MARKS = frozenset(
    "* single cmdlet in-shell sourced asks exits discovers says script patch".split()
)
"""The words among the options of a line that are none, as the table describes them."""


def rule(name: str) -> Rule | None:
    """Return the rule of a program, or of a subcommand, such as `git log`."""
    line = _table()[0].get(name)
    return None if line is None else _parse(line)


def rule_of(program: str, *, powershell: bool = False) -> tuple[str, Rule | None]:
    """Return the plain name of a program and its rule.

    PowerShell has its own commands, and of the others those that no alias of it may
    hide.
    """
    name = program.rpartition("/")[2].removesuffix(".exe")
    if powershell:
        name = name.lower().removesuffix(".exe").removesuffix(".cmd")
        cmdlet = rule(f"PS {name}")
        others = _table()[1]["%powershell"].split()
        if cmdlet or name.rstrip("0123456789.") not in others:
            is_file = "/" in program  # `./gc` is not the alias
            return name, (None if is_file else cmdlet)
    own_rule = rule(name)
    if own_rule is None:
        # Versions are installed beside each other: `python3.12`, `gcc-13`.
        name = name.rstrip("0123456789.-") or name
        own_rule = rule(name)
    return name, own_rule


@cache
def _table() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the line of each program, and the options of each list."""
    path = __file__.rpartition("programs.")[0] + "programs.txt"
    with open(path, encoding="utf-8") as file:
        text = file.read()
    lines: dict[str, str] = {}
    lists: dict[str, str] = {}
    for line in text.replace("\n ", " ").split("\n"):
        names, bar, rest = line.partition("|")
        if line.startswith("%"):
            name, _, options = line.partition(" ")
            lists[name] = options
        elif bar and not line.startswith("#"):
            lines.update(dict.fromkeys(map(str.strip, names.split(",")), rest))
    return lines, lists


@cache
def _parse(line: str) -> Rule:
    """Return the rule that a line of the table describes, its names left out."""
    does, operands, options = (*line.split("|"), "", "")[:3]
    words = operands.split()
    dashes = ""
    if words[:1] in (["--"], ["-?"]):
        dashes = words.pop(0)
    roles = [_role(word.removesuffix("...")) for word in words]
    repeated = [word.endswith("...") for word in words]
    middle = repeated.index(True) if True in repeated else len(words)
    named = [effect for effect in EFFECTS if effect == does.strip(" +")]
    if not named:
        raise ValueError(f"not an effect in programs.txt: {does}")
    lists = _table()[1]
    known: dict[str, Option] = {}
    marks: dict[str, str] = {}
    for word in " ".join(lists.get(word, word) for word in options.split()).split():
        name, _, value = word.partition("=")
        if name in MARKS:
            marks[name] = value
        else:
            name, option = _option(word)
            known[name] = option
    return Rule(
        named[0],
        makes="+" in does,
        dashes=dashes,
        heads=tuple(roles[:middle]),
        repeated=roles[middle] if middle < len(roles) else None,
        tails=tuple(roles[middle + 1 :]),
        options=known,
        marks=marks,
    )


def _role(word: str) -> Role:
    """Return the role that a word of the table describes."""
    match = _ROLE.fullmatch(word)
    if match is None:
        raise ValueError(f"not a role in programs.txt: {word}")
    name, kind, git, likely, optional = match.groups()
    if not kind:
        kind = "folder" if name == "enter" else OPERATION_KINDS.get(name, "any")
    return Role(name, kind, git or "", optional=bool(optional), likely=bool(likely))


def _option(word: str) -> tuple[str, Option]:
    """Return the name of an option that a word of the table describes, and what it is
    for.
    """
    match = _OPTION.fullmatch(word)
    if match is None:
        raise ValueError(f"neither an option nor a mark in programs.txt: {word}")
    name, attached, then, count, role, valued, replaces, optional, does = match.groups()
    own_role = replace(_role(role), literal=name in _LITERAL) if role else None
    return name, Option(
        values=0 if valued is None else int(count or 1),
        attached=bool(attached),
        role=own_role,
        then=then or "",
        replaces=bool(replaces),
        optional=bool(optional),
        does="" if does == "away" else does or "",
        away=does == "away",
    )


def has_cmdlet(line: str) -> bool:
    """Return whether a command of the first line is one that only PowerShell has."""
    # What is in quotes is a text, and behind the first line may be a here-document.
    first = re.sub(r"'[^']*'|\"[^\"]*\"", "''", line.partition("\n")[0])
    names = re.findall(r"(?:^|[|;(=])\s*([A-Za-z]+-[A-Za-z]+)(?![^\s;|)])", first)
    return any(rule(f"PS {name.lower()}") for name in names)


def looks_around(text: str) -> bool:
    """Return whether a line lists or searches, except as the filter of a pipe."""
    for sign, piece in pieces(text):
        words = piece.split()
        # `make | grep error` searches in the output, not in the project.
        is_filter = sign in ("|", "|&")
        is_file = sign[-1] in "<>"
        # With these tests, `find` and `fd` are no search.
        if is_filter or is_file or "-delete" in words or "-exec" in words:
            continue
        # Variables may be set before the program: `LANG=C ls`.
        plain = [word for word in words if "=" not in word]
        program = plain[0].rpartition("/")[2].lower() if plain else ""
        if _discovers(program) or _discovers(" ".join([program, *plain[1:2]])):
            return True
    return False


def _discovers(name: str) -> bool:
    """Return whether a program lists or searches, in any shell."""
    rules = (rule(name), rule(f"PS {name}"))
    return any(known is not None and "discovers" in known.marks for known in rules)


class Arguments:
    """The arguments of a program, sorted by its rule."""

    def __init__(self, rule: Rule, words: Sequence[Word], text: str) -> None:
        self.rule = rule
        self.words = words
        self.text = text
        self.operands: list[Word] = []
        self.before_dashes: int | None = None
        """The number of operands before `--`; None if there is none."""
        self.valued: list[tuple[Word, Role]] = []
        self.doubtful: set[int] = set()
        """Where operands begin that may be the value of an option that is not in the
        table."""
        self.strange = -1
        """Where the last such option begins."""
        self.texts: list[Word] = []
        """Values that replace the first operand."""
        self.does: Effect = rule.does
        """The effect that the program has, with the options that are listed."""
        self.unlisted = False
        """Whether it has an option that is not listed, and may do more."""
        self.replaced = False
        """Whether an option has taken the place of the first operand."""
        self.optional = False
        self.attached = False
        """Whether a value is in the word of its option: `sed -i.bak`."""
        self.away = False
        """Whether it runs in a folder that is not known."""
        self.then = ""
        """As in `Option`: what `value`, the last one, is."""
        self.value = Word(0, 0, None)
        self.rest: Sequence[Word] = ()
        """The words of the program that this one runs."""
        self.known = self._sort()
        """Whether every option is in the table, and scripts only read, if `scripts` has
        looked at them."""

    @property
    def effect(self) -> Effect:
        """What the program does; `other` where that is not known."""
        rest = self.rule.repeated
        # Where no operand is a path (`ps aux`), an option does no more.
        takes_texts = not self.rule.heads and rest is not None and rest.name == "text"
        # An interpreter without a script runs what flows into it.
        script = self.operands[0].value if self.operands else "-"
        is_fed = self.rule.head(0) == "execute" and script == "-"
        is_open = self.unlisted and not takes_texts
        return "other" if is_open or (is_fed and self.does == "run") else self.does

    @property
    def hands_on(self) -> bool:
        """Whether the effect is that of the rest."""
        has_sub = bool(self.rest) and self.rule.head(len(self.operands)) == "sub"
        return has_sub or self.then in ("shell", "powershell", "module")

    @property
    def makes(self) -> bool:
        """Whether it may create files that it does not name."""
        copies = self.attached and self.does == "in-place"  # `sed -i.bak`
        unsure = bool(self.doubtful) and self.does != "look"
        return copies or unsure or (self.rule.makes and not self.hands_on)

    def roles(self) -> list[tuple[Word, Role]]:
        """Return the operands that are paths, each with its role."""
        paired = self._paired()
        revisions: set[int] = set()
        if self.rule.dashes:
            revisions = {word.start for word in self.operands[: self.before_dashes]}
        # Asked for another revision than the last one, git does not ask the disk.
        is_past = any(
            role.name != "text" and word.value != "HEAD" and not self._is_path(word)
            for word, role in paired
            if word.start in revisions
        )
        git = "history" if is_past else "revision"
        paths: list[tuple[Word, Role]] = []
        for word, role in paired:
            if role.name in ("text", "rest") or word.start in self.doubtful:
                continue
            if word.start not in revisions:
                paths.append((word, role))
            elif self._is_path(word):
                # Whether git or the disk has it depends on the other operands.
                paths.append((word, replace(role, git=git)))
        return paths

    def _paired(self) -> list[tuple[Word, Role]]:
        """Return the operands, each with the role of its position."""
        heads, tails = self.rule.heads, self.rule.tails
        if self.replaced:
            heads, tails = (heads[1:], tails) if heads else (heads, tails[1:])
        if self.doubtful and (heads or tails):
            return []  # which word is which is not known
        more = len(self.operands) - len(heads)
        # `cp a` names no destination.
        ends = tails if more > len(tails) else ()
        middle = [self.rule.repeated] * (more - len(ends))
        roles = (*heads, *filter(None, middle), *ends)
        return list(zip(self.operands, roles, strict=False))

    def _is_path(self, word: Word) -> bool:
        """Return whether git reads a word that may be a revision as a path."""
        # If there is a `--`, it reads every word before it as a revision.
        if self.rule.dashes == "--" or self.before_dashes is not None:
            return False
        return is_file_name(word.text)

    def _sort(self) -> bool:
        """Sort the words; return whether every option is in the table."""
        rest = [*self.words]
        before: Word | None = None
        while rest and not self.then:
            is_option = self._is_option(rest[0])
            head = self.rule.head(len(self.operands))
            # It and all after it belong to what this program runs.
            if head == "rest" or (head in _STOPS and not is_option):
                break
            word = rest.pop(0)
            if not is_option:
                self.operands.append(word)
                if before and before.start == self.strange:
                    self.doubtful.add(word.start)
            elif word.value == "--":
                self.before_dashes = len(self.operands)
            elif not self._take_options(word, rest):
                return False
            before = word
        self.rest = rest
        return True

    def _is_option(self, word: Word) -> bool:
        """Return whether a word is an option, or may be one."""
        if self.before_dashes is not None:
            return False
        if word.value is not None:
            # A dash alone is the standard input.
            return len(word.value) > 1 and word.value.startswith("-")
        written = self.text[word.start : word.end].lstrip('"')
        # What a variable holds is not known. With `*`, no option does harm.
        may_hold_one = written.startswith("$") and "*" not in self.rule.marks
        return may_hold_one or written.startswith("-")

    def _take_options(self, word: Word, after: list[Word]) -> bool:
        """Take the options in a word, and their values among the words `after` it;
        return whether all of them are in the table.
        """
        rule = self.rule
        written = word.value or self.text[word.start : word.end]
        # `--file=a`; of a cmdlet, `-Path:a`
        name, sign, _ = written.partition(":" if "cmdlet" in rule.marks else "=")
        # A variable in the word may hold a value, too.
        is_joined = bool(sign) or word.value is None
        # One name, or one letter after another (`-lrt`), each with the place at which
        # its value begins, if it is in this word: `-ofile`.
        names = [(name, len(name) + 1 if is_joined else 0)]
        if word.value is not None and _LONG.isdisjoint((*rule.marks, name[:2])):
            ends = [*range(2, len(written)), 0]
            names = [(f"-{one}", end) for one, end in zip(name[1:], ends, strict=False)]
        for one, place in names:
            option = self._option(one, word, joined=is_joined)
            if option is None:
                return False
            self.does = option.does or self.does
            self.away |= option.away
            self.optional |= option.optional
            self.replaced |= option.replaces
            if option.values or option.attached:
                self._take_value(option, word, place, after)
                break  # all that follows in the word is its value
        return True

    def _option(self, name: str, word: Word, *, joined: bool) -> Option | None:
        """Return the option of a name, or what one is that the table does not have;
        None if that may be anything.
        """
        if "cmdlet" in self.rule.marks:
            name = name.lower()
        option = self.rule.options.get(name)
        if option is not None:
            return option
        if name[1:].isdigit():  # `head -20`, and the rest of `-U5`
            return _FLAG
        # The next word is no value if this one has it: `-Iinclude` of gcc.
        has_value = joined or self.rule.options.get(name[:2], _FLAG).attached
        if not has_value and "cmdlet" not in self.rule.marks:
            self.strange = word.start
        self.unlisted = True
        return _FLAG if "*" in self.rule.marks else None

    def _take_value(
        self, option: Option, word: Word, place: int, after: list[Word]
    ) -> None:
        """Take the value of an option: it begins at `place` in the word, or is the next
        one (0).
        """
        self.attached |= option.attached and place > 0
        if not option.values:
            return
        if place:
            lead = word.text[:place]
            # With quotes or escapes before it, its position is not known.
            is_exact = lead != "" and self.text.startswith(lead, word.start)
            start = word.start + place if is_exact else word.start
            rest = word.value and word.value[place:]
            given = Word(start, word.end, rest, word.plain and is_exact)
        elif after:
            given = after[0]
            del after[: option.values]
        else:
            return
        if option.role:
            self.valued.append((given, option.role))
        elif option.replaces:
            self.texts.append(given)
        if option.then:
            self.then = option.then
            self.value = given


LONGEST = 4_096
"""Characters of a path, as in `paths`, which the quick look does not import."""

# Blanks, standard input and output, URLs, patterns that the program expands,
# placeholders.
_NO_PATH = re.compile(
    r"(?s)\s*|-|\.|/dev/.*|[a-z+]+://.*|\+.*"
    r"|[^*?\x00-\x1f\x7f]*(?:[*?\x00-\x1f\x7f].*|\.\.\.)"
)
_OWN_SYNTAX = re.compile(r"(?s)[@!:].*|.*[+@!]\(.*|.*\{[^{},]*,[^{}]*\}.*")
"""What some programs read in a syntax of their own: `@arguments`, `!excluded`,
`:(top)a`, `{a,b}`. """

NOWHERE = frozenset(
    "/dev/null /dev/zero /dev/full /dev/tty /dev/stdin /dev/stdout /dev/stderr "
    "/dev/fd/0 /dev/fd/1 /dev/fd/2".split()
)
"""Devices to which nothing is written but what a person or the next program reads.
`/dev/ttyUSB0`, `/dev/sda`, `/dev/fd/3` and bash's `/dev/tcp/host/80` are others."""

_FILE_NAME = re.compile(r"(?:.*/)?(?!v?[0-9])[^/]*\.[A-Za-z][\w-]*|.*[^/]/")
"""A name with an extension, or a folder with a slash; `v1.2.rc` is a version."""


def is_file_name(value: str) -> bool:
    """Return whether a word that may be a revision, a module or a path looks like a
    path.
    """
    # `main..next`, `HEAD:a.py`, `HEAD^`, `HEAD~2`, `react@18.2`, `stash@{1}`
    if len(value) > LONGEST or ".." in value or not set(":^~@{").isdisjoint(value):
        return False
    return _FILE_NAME.fullmatch(value) is not None


def path_in(word: Word, role: Role) -> Word:
    """Return the path in an argument that is more than a path."""
    value = word.value
    if value is None:
        return word
    # A part of a word can be replaced only where it is written as it is read.
    is_exact = word.plain and word.end - word.start == len(value)
    if role.kind == "package":
        is_local = value.startswith(("./", "../", "/")) or value.endswith(".go")
        folder = value.removesuffix("...").rstrip("/") if is_local else ""
        # `./...` is everything here, and `./a/.../b` a pattern.
        is_path = folder not in (".", "..") and "..." not in folder
        return Word(word.start, word.end, folder if is_path else "", plain=False)
    path, _, test = value.partition("::")  # `pytest tests/test_a.py::test_one`
    # `host.org::files` is a module of rsync.
    has_extension = "." in path.rpartition("/")[2]
    if test and role.name == "execute" and has_extension:
        return Word(word.start, word.start + len(path), path, is_exact)
    return word


def is_no_path(value: str, *, creates: bool) -> bool:
    """Return whether a word is no path where one may be; what is created has its name
    as it is.
    """
    if len(value) > LONGEST or _NO_PATH.fullmatch(value):
        return True
    return not creates and _OWN_SYNTAX.fullmatch(value) is not None
