"""The table of programs, `programs.txt`, and how a program's arguments are sorted by
it.

The format is described at the top of that file. The native client reads it too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from truepath.calls.shell.reader import Word
from truepath.records import dataclass, replace
from truepath.types import OPERATION_KINDS, Any, Kind


@dataclass(frozen=True, slots=True)
class Role:
    """What a program does with an argument."""

    name: str
    """An operation, or `text`, `enter`, `program`, `package`, `sub`, `rest`,
    `patch`."""
    kind: Any = ""
    """The kind of path, or `package`, `sent`, `script` or `stem`, as the table
    describes them."""
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
        return self.kind == "script" and not {"/", "\\"} & set(path)


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
    does: str = ""
    """What the program then does, or `away`: it runs in a folder that is not known."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of the table."""

    does: str
    makes: bool
    dashes: str
    heads: tuple[Role, ...]
    each: Role | None
    tails: tuple[Role, ...]
    options: Mapping[str, Option]
    marks: Mapping[str, str]
    """What else the table says of the program; most marks have no value."""
    anything: bool
    single: bool
    cmdlet: bool

    def head(self, place: int) -> str:
        """Return the name of the role of the operand at a position; "" if it has no own
        one.
        """
        return self.heads[place].name if place < len(self.heads) else ""


_KINDS = {"sent": "file", "script": "file", "stem": "any"}
_WHOLE = re.compile(
    r"(?i)\.([cm]?[jt]sx?|json|node|[gx]z|bz2|lzma|zst|z|t[gx]z|zip|jar)$"
)
"""The end of a name to which no program adds one."""

_FLAG = Option()
_OPTION = re.compile(
    r"(-[\w.-]*)(~)?(?:=(?:(stop|module|shell|powershell)|(\d)|([a-z][\w:@?~]*))?())?"
    r"(!)?(\?)?(?:>(\w+))?"
)
_ROLE = re.compile(r"([a-z]+)(?::(\w+))?(?:@(\w+))?(~)?(\?)?")
_STOPS = ("program", "package", "sub")
_LITERAL = ("-literalpath", "-lp")
MARKS = frozenset(
    "* single cmdlet in-shell sourced asks exits feeds script first patch".split()
)
"""The words among the options of a line that are none, as the table describes them."""

_LINK_OPTIONS = ("-L", "-H", "-P")
"""Options of `find` that come before the folders to search."""


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
        own = rule(f"PS {name}")
        if own or name.rstrip("0123456789.") not in _table()[1]["%powershell"].split():
            return name, None if "/" in program else own
    known = rule(name)
    if known is None:
        name = name.rstrip("0123456789.-") or name
        known = rule(name)
    return name, known


@cache
def _table() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the line of each program, and the options of each list."""
    with open(
        __file__.rpartition("programs.")[0] + "programs.txt", encoding="utf-8"
    ) as file:
        text = file.read()
    lines: dict[str, str] = {}
    lists: dict[str, str] = {}
    for line in text.replace("\n ", " ").split("\n"):
        names, bar, known = line.partition("|")
        if line.startswith("%"):
            name, _, options = line.partition(" ")
            lists[name] = options
        elif bar and not line.startswith("#"):
            lines.update(dict.fromkeys(map(str.strip, names.split(",")), known))
    return lines, lists


@cache
def _parse(line: str) -> Rule:
    does, operands, known = (*line.split("|"), "", "")[:3]
    words = operands.split()
    dashes = words.pop(0) if words[:1] in (["--"], ["-?"]) else ""
    repeated = next(
        (at for at, word in enumerate(words) if word.endswith("...")), len(words)
    )
    roles = [_role(word.removesuffix("...")) for word in words]
    lists = _table()[1]
    given = [each for word in known.split() for each in lists.get(word, word).split()]
    options = [word for word in given if word.startswith("-")]
    marks = dict(_mark(word) for word in given if not word.startswith("-"))
    return Rule(
        does.strip(" +"),
        makes="+" in does,
        dashes=dashes,
        heads=tuple(roles[:repeated]),
        each=roles[repeated] if repeated < len(roles) else None,
        tails=tuple(roles[repeated + 1 :]),
        options=dict(map(_option, options)),
        marks=marks,
        anything="*" in marks,
        single="single" in marks or "cmdlet" in marks,
        cmdlet="cmdlet" in marks,
    )


def _mark(word: str) -> tuple[str, str]:
    name, _, value = word.partition("=")
    if name not in MARKS:
        raise ValueError(f"not a mark in programs.txt: {word}")
    return name, value


def _role(word: str) -> Role:
    match = _ROLE.fullmatch(word)
    if match is None:
        raise ValueError(f"not a role in programs.txt: {word}")
    name, kind, git, likely, optional = match.groups()
    kind = kind or ("folder" if name == "enter" else OPERATION_KINDS.get(name, "any"))
    return Role(name, kind, git or "", optional=bool(optional), likely=bool(likely))


def _option(word: str) -> tuple[str, Option]:
    match = _OPTION.fullmatch(word)
    if match is None:
        raise ValueError(f"not an option in programs.txt: {word}")
    name, attached, then, count, role, valued, replaces, optional, does = match.groups()
    return name, Option(
        values=int(count or 1) if valued is not None else 0,
        attached=bool(attached),
        role=replace(_role(role), literal=name in _LITERAL) if role else None,
        then=then or "",
        replaces=bool(replaces),
        optional=bool(optional),
        does=does or "",
    )


def has_cmdlet(line: str) -> bool:
    """Return whether a command of the first line is one that only PowerShell has."""
    first = re.sub(r"'[^']*'|\"[^\"]*\"", "''", line.partition("\n")[0])
    names = re.findall(r"(?:^|[|;(=])\s*([A-Za-z]+-[A-Za-z]+)(?![^\s;|)])", first)
    return any(rule(f"PS {name.lower()}") for name in names)


class Arguments:
    """The arguments of a program, sorted by its rule."""

    def __init__(self, rule: Rule, words: Sequence[Word], text: str) -> None:
        self.rule, self.words, self.text = rule, words, text
        self.operands: list[Word] = []
        self.before_dashes: int | None = None
        self.leading: int | None = None
        """The number of operands before the first option."""
        self.valued: list[tuple[Word, Role]] = []
        self.doubtful: set[int] = set()
        """Where operands begin that may be the value of an option that is not in the
        table."""
        self.strange = -1
        """Where the last such option begins."""
        self.texts: list[Word] = []
        """Values that replace the first operand."""
        self.does = rule.does
        self.replaced = self.optional = self.attached = self.away = False
        self.then, self.value = "", Word(0, 0, None)
        self.rest: Sequence[Word] = ()
        """The words of the program that this one runs."""
        self.known = self._sort()
        """Whether every option is in the table."""

    @property
    def hands_on(self) -> bool:
        """Whether the operation is that of the rest."""
        sub = bool(self.rest) and self.rule.head(len(self.operands)) == "sub"
        return sub or self.then in ("shell", "powershell", "module")

    def roles(self) -> list[tuple[Word, Role]]:
        """Return the operands that are paths, each with its role."""
        paired = self._paired()
        revisions = self._revisions()
        git = self._git_of(paired, revisions)
        paths: list[tuple[Word, Role]] = []
        for word, role in paired:
            if role.name in ("text", "rest") or word.start in self.doubtful:
                continue
            if word.start not in revisions:
                paths.append((word, role))
            elif self._is_path(word):
                paths.append((word, replace(role, git=git)))
        return paths

    def _paired(self) -> list[tuple[Word, Role]]:
        """Return the operands, each with the role of its position."""
        heads, tails = list(self.rule.heads), list(self.rule.tails)
        if self.replaced:
            del (heads or tails)[:1]
        if self.doubtful and (heads or tails):
            return []  # which word is which is not known
        paired = list(zip(self.operands, heads, strict=False))
        more = self.operands[len(heads) :]
        if self.rule.each is not None:
            ended = len(tails) if len(more) > len(tails) else 0
            middle = len(more) - ended
            paired += [(word, self.rule.each) for word in more[:middle]]
            paired += zip(more[middle:], tails, strict=False)
        return paired

    def _revisions(self) -> set[int]:
        """Return the starts of the operands that git may read as revisions."""
        if not self.rule.dashes:
            return set()
        return {word.start for word in self.operands[: self.before_dashes]}

    def _git_of(self, paired: Sequence[tuple[Word, Role]], revisions: set[int]) -> str:
        """Return whether git is asked for another revision than the last one: then the
        names on the disk mean nothing.
        """
        for word, role in paired:
            if role.name == "text" or word.start not in revisions:
                continue
            if word.value != "HEAD" and not self._is_path(word):
                return "history"
        return "revision"

    def _is_path(self, word: Word) -> bool:
        # If there is a `--`, git reads every word before it as a revision.
        dashed = self.before_dashes is not None
        return (
            self.rule.dashes != "--" and not dashed and is_file_name(word.value or "")
        )

    def _sort(self) -> bool:
        """Sort the words; return whether every option is in the table."""
        at = 0
        while at < len(self.words):
            if self._begins_rest(self.words[at]):
                self.rest = self.words[at:]
                return True
            taken = self._argument(at)
            if taken is None:
                return False
            at += 1 + taken
            if self.then:
                self.rest = self.words[at:]
                return True
        return True

    def _begins_rest(self, word: Word) -> bool:
        """Return whether a word and all after it belong to what this program runs."""
        head = self.rule.head(len(self.operands))
        if head == "rest":
            return True
        dashed = self.before_dashes is not None
        return head in _STOPS and (dashed or not self._is_option(word))

    def _argument(self, at: int) -> int | None:
        """Take the argument at a position; return how many further words it has, None
        if it is an unknown option.
        """
        word = self.words[at]
        dashed = self.before_dashes is not None
        if not dashed and word.value == "--":
            self.before_dashes = len(self.operands)
            return 0
        if not dashed and self._is_option(word):
            return self._option(word, self.words[at + 1 : at + 2])
        self.operands.append(word)
        if self.words[at - 1].start == self.strange:
            self.doubtful.add(word.start)
        return 0

    def _is_option(self, word: Word) -> bool:
        if word.value is None:  # a variable may hold an option
            raw = self.text[word.start : word.end].lstrip('"')
            return raw.startswith("-") or (
                raw.startswith("$") and not self.rule.anything
            )
        return len(word.value) > 1 and word.value.startswith("-")

    def _option(self, word: Word, after: Sequence[Word]) -> int | None:
        """Take an option; return how many further words it has, None if unknown."""
        sign = ":" if self.rule.cmdlet else "="  # `-Path:a`, in any letter case
        name = (word.value or self.text[word.start : word.end]).partition(sign)[0]
        joined = name != word.value
        if self.rule.cmdlet:
            name = name.lower()
        if self.leading is None and name not in _LINK_OPTIONS:
            self.leading = len(self.operands)
        if name.startswith("--") or self.rule.single or word.value is None:
            return self._named(name, word, after, joined=joined)
        return self._letters(name[1:], word, after, joined=joined)

    def _named(
        self, name: str, word: Word, after: Sequence[Word], *, joined: bool
    ) -> int | None:
        """Take an option with a name; `joined` says whether its value follows in the
        same word.
        """
        option = self.rule.options.get(name)
        if option is not None:
            return self._take(option, word, len(name) if joined else 0, after)
        is_number = name[1:].isdigit()
        attached = self.rule.options.get(name[:2], _FLAG).attached
        if not (is_number or joined or self.rule.cmdlet or attached):
            self.strange = word.start
        return 0 if self.rule.anything or is_number else None

    def _letters(
        self, letters: str, word: Word, after: Sequence[Word], *, joined: bool
    ) -> int | None:
        """Take options of one letter each, in one word: `-lrt`, `-n5`."""
        for place, letter in enumerate(letters, 1):
            option = self._letter(letter, word, joined=joined)
            if option is None:
                return None
            if option.values or option.attached:
                inside = place if len(word.value or "") > place + 1 else 0
                return self._take(option, word, inside, after)
            self._note(option)
        return 0

    def _letter(self, letter: str, word: Word, *, joined: bool) -> Option | None:
        """Return the option that a letter is; None if it is unknown."""
        option = self.rule.options.get(f"-{letter}")
        if option is not None:
            return option
        if letter.isdigit():
            return _FLAG
        if not self.rule.anything:
            return None
        if not joined:
            self.strange = word.start
        return _FLAG

    def _take(
        self, option: Option, word: Word, place: int, after: Sequence[Word]
    ) -> int:
        """Take an option; its value begins after `place` in the word, or is the next
        word (0).
        """
        self._note(option)
        self.attached = self.attached or (option.attached and place > 0)
        if not option.values:
            return 0
        value = after[0] if after else None
        if place:
            value = self._part(word, place + 1)
        if value is not None:
            self._note_value(option, value)
        return 0 if place else option.values

    def _note(self, option: Option) -> None:
        """Note what an option changes for the whole command."""
        if option.does == "away":
            self.away = True
        elif option.does:
            self.does = option.does
        self.optional = self.optional or option.optional
        self.replaced = self.replaced or option.replaces

    def _note_value(self, option: Option, value: Word) -> None:
        if option.role:
            self.valued.append((value, option.role))
        elif option.replaces:
            self.texts.append(value)
        if option.then:
            self.then, self.value = option.then, value

    def _part(self, word: Word, place: int) -> Word:
        """Return the part of a word that begins at a position in its value."""
        value = word.value
        if value is None:
            return Word(word.start, word.end, None)
        exact = self.text.startswith(value[:place], word.start)
        start = word.start + place if exact else word.start
        return Word(start, word.end, value[place:], word.plain and exact)


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

_FILE_NAME = re.compile(r"(?:.*/)?(?!v?[0-9])[^/]*\.[A-Za-z][\w-]*|.*[^/]/")


def is_file_name(value: str) -> bool:
    """Return whether a word that may be a revision, a module or a path looks like a
    path.
    """
    strange = len(value) > LONGEST or ".." in value or set(":^~@{") & set(value)
    return not strange and bool(_FILE_NAME.fullmatch(value))


def path_in(word: Word, role: Role) -> Word:
    """Return the path in an argument that is more than a path."""
    value = word.value
    if value is None:
        return word
    exact = word.plain and word.end - word.start == len(value)
    if role.kind == "sent":  # `curl -d @file`
        return Word(
            word.start + 1, word.end, value[1:] if value[:1] == "@" else "", exact
        )
    if role.kind != "package":
        path, _, test = value.partition("::")  # `pytest tests/test_a.py::test_one`
        is_test = (
            bool(test) and role.name == "execute" and "." in path.rpartition("/")[2]
        )
        return (
            Word(word.start, word.start + len(path), path, exact) if is_test else word
        )
    folder = value.removesuffix("...").rstrip("/")
    local = value.startswith(("./", "../", "/")) or value.endswith(".go")
    local = local and folder not in (".", "..") and "..." not in folder
    return Word(word.start, word.end, folder if local else "", plain=False)


def is_no_path(value: str, *, creates: bool) -> bool:
    """Return whether a word is no path where one may be; what is created has its name
    as it is.
    """
    own = not creates and _OWN_SYNTAX.fullmatch(value)
    return bool(own or len(value) > LONGEST or _NO_PATH.fullmatch(value))
