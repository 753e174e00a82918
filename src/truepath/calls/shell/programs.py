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
        elsewhere = self.kind == "script" and "/" not in path
        return (
            self.optional
            or elsewhere
            or (self.kind == "stem" and not _WHOLE.search(path))
        )


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
    anything: bool
    single: bool
    cmdlet: bool
    patch: bool

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
    r"(-[\w.-]*)(~)?(?:=(?:(stop|module|shell|powershell)|(\d)|([a-z][\w:@?~]*))?())?(!)?(\?)?(?:>(\w+))?"
)
_ROLE = re.compile(r"([a-z]+)(?::(\w+))?(?:@(\w+))?(~)?(\?)?")
_STOPS = ("program", "package", "sub")
_LITERAL = ("-literalpath", "-lp")
_SIGNS = ("*", "single", "cmdlet", "patch")


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
    """Return the line of each program, without its names, and the options of each list."""
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
    return Rule(
        does.strip(" +"),
        makes="+" in does,
        dashes=dashes,
        heads=tuple(roles[:repeated]),
        each=roles[repeated] if repeated < len(roles) else None,
        tails=tuple(roles[repeated + 1 :]),
        options=dict(map(_option, (each for each in given if each not in _SIGNS))),
        anything="*" in given,
        single="single" in given or "cmdlet" in given,
        cmdlet="cmdlet" in given,
        patch="patch" in given,
    )


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
        rule, words = self.rule, self.operands
        heads, tails = list(rule.heads), list(rule.tails)
        if self.replaced:
            del (heads or tails)[:1]
        found = list(zip(words, heads, strict=False))
        more = words[len(heads) :]
        if rule.each is not None:
            last = len(tails) if len(more) > len(tails) else 0
            found += [(word, rule.each) for word in more[: len(more) - last]]
            found += zip(more[len(more) - last :], tails, strict=False)
        if self.doubtful and (heads or tails):
            return []  # which word is which is not known
        before = len(words) if self.before_dashes is None else self.before_dashes
        revisions = {word.start for word in words[:before]} if rule.dashes else ()
        # In another revision than the last one, the disk's names mean nothing.
        rest = (
            word
            for word, role in found
            if role.name != "text" and word.start in revisions
        )
        named = any(word.value != "HEAD" and not self._is_path(word) for word in rest)
        git = "history" if named else "revision"
        return [
            (word, replace(role, git=git) if word.start in revisions else role)
            for word, role in found
            if role.name not in ("text", "rest")
            and word.start not in self.doubtful
            and (word.start not in revisions or self._is_path(word))
        ]

    def _is_path(self, word: Word) -> bool:
        # If there is a `--`, git reads every word before it as a revision.
        dashed = self.before_dashes is not None
        return (
            self.rule.dashes != "--" and not dashed and is_file_name(word.value or "")
        )

    def _sort(self) -> bool:
        at = 0
        while at < len(self.words):
            word = self.words[at]
            head = self.rule.head(len(self.operands))
            dashed = self.before_dashes is not None
            if head == "rest" or (
                head in _STOPS and (dashed or not self._is_option(word))
            ):
                self.rest = self.words[at:]
                return True
            if not dashed and word.value == "--":
                self.before_dashes = len(self.operands)
            elif dashed or not self._is_option(word):
                self.operands.append(word)
                if self.words[at - 1].start == self.strange:
                    self.doubtful.add(word.start)
            else:
                taken = self._option(word, self.words[at + 1 : at + 2])
                if taken is None:
                    return False
                at += taken
                if self.then:
                    self.rest = self.words[at + 1 :]
                    return True
            at += 1
        return True

    def _is_option(self, word: Word) -> bool:
        if word.value is None:  # a variable may hold an option
            raw = self.text[word.start : word.end].lstrip('"')
            return raw.startswith("-") or (
                raw.startswith("$") and not self.rule.anything
            )
        return len(word.value) > 1 and word.value.startswith("-")

    def _option(self, word: Word, after: Sequence[Word]) -> int | None:
        """Take an option; return how many further words it has, None if it is unknown."""
        cmdlet = self.rule.cmdlet  # `-Path:a`, in any letter case
        sign = ":" if cmdlet else "="
        name = (word.value or self.text[word.start : word.end]).partition(sign)[0]
        within = name != word.value
        name = name.lower() if cmdlet else name
        if self.leading is None and name not in ("-L", "-H", "-P"):
            self.leading = len(self.operands)
        if name.startswith("--") or self.rule.single or word.value is None:
            option = self.rule.options.get(name)
            if option is None:
                joined = (
                    within or cmdlet or self.rule.options.get(name[:2], _FLAG).attached
                )
                self.strange = (
                    self.strange if joined or name[1:].isdigit() else word.start
                )
                return 0 if self.rule.anything or name[1:].isdigit() else None
            return self._take(option, word, len(name) if within else 0, after)
        for place, letter in enumerate(name[1:], 1):
            option = self.rule.options.get(f"-{letter}")
            if option is None and not (self.rule.anything or letter.isdigit()):
                return None
            if option is not None and (option.values or option.attached):
                inside = place if len(word.value) > place + 1 else 0
                return self._take(option, word, inside, after)
            if not (option or letter.isdigit() or within):
                self.strange = word.start
            self._take(option or _FLAG, word, 0, ())
        return 0

    def _take(
        self, option: Option, word: Word, place: int, after: Sequence[Word]
    ) -> int:
        """Take an option; its value begins after `place` in the word, or is the next
        word (0).
        """
        self.away = self.away or option.does == "away"
        self.does = option.does if option.does not in ("", "away") else self.does
        self.optional = self.optional or option.optional
        self.replaced = self.replaced or option.replaces
        self.attached = self.attached or (option.attached and place > 0)
        if not option.values:
            return 0
        value = self._part(word, place + 1) if place else after[0] if after else None
        if value is not None and option.role:
            self.valued.append((value, option.role))
        elif value is not None and option.replaces:
            self.texts.append(value)
        if option.then and value is not None:
            self.then, self.value = option.then, value
        return 0 if place else option.values

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
    r"(?s)\s*|-|\.|/dev/.*|[a-z+]+://.*|\+.*|[^*?\x00-\x1f\x7f]*(?:[*?\x00-\x1f\x7f].*|\.\.\.)"
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
