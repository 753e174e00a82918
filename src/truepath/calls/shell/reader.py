"""Parse a command line into simple commands: words with spans, redirections, and what
joins them.

It reads what bash, dash and zsh read alike: quotes, escapes, `&&`, `||`, `|`, `;`, line
breaks, redirections, here-documents, comments, and a here-document that is a whole word
(`"$(cat <<'EOF' ... EOF)"`, as in commit messages). A line with anything else is not
understood: other substitutions, subshells, loops, conditions, functions, arithmetic,
background jobs. Variables have no value. The time is linear.

The signs of a language are data (`dialect.py`); PowerShell is read in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from truepath.calls.shell.dialect import POSIX, Dialect
from truepath.records import dataclass, replace

_MOST_WORDS = 2_000
"""Words of a line, at most; more of them are data."""

_TILDE = re.compile(r"~(?=[/ \t\n;&|<>]|\Z)")
_HOME_LATER = re.compile(r"\w+=~")
_NAMES = r"[\w.@+-]+(?:\\[\w.@+-]+)"
_WINDOWS = re.compile(rf"[A-Za-z]:\\{_NAMES}*|{_NAMES}+")
_MESSAGE_END = re.compile(r"\n?[ \t]*\)")
_ALONE = re.compile(r"(?:\{\}|\[)(?=[ \t\n;&|]|\Z)")
_PROVIDER = re.compile(r"\w{2,}:")
_COMMA = re.compile(r"[ \t]*,\s*")
_PROPERTY = re.compile(r"\)(?:\.\w+)*[ \t]*(?=[;|\r\n]|\Z)")

_SACRED = frozenset(
    "PATH IFS HOME PWD OLDPWD CDPATH ENV BASH_ENV SHELLOPTS BASHOPTS".split()
)
"""Variables that change the meaning of all other words."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a line, or the path in it."""

    start: int
    end: int
    """Its span in the text, quotes included."""
    value: str | None
    """What the program receives, with `~` unexpanded; None if only the shell knows it
    (a pattern, a variable)."""
    plain: bool = True
    """Whether it may be replaced."""
    home: bool = False
    """Whether the value begins with a `~` that the shell expands."""
    windows: str = ""
    """The word as written, if it has unquoted backslashes that may be meant as
    separators; the program receives it without them."""
    others: tuple[Word, ...] = ()
    """The further words of a list."""


@dataclass(frozen=True, slots=True)
class Redirect:
    sign: str
    """With its number: `<`, `>`, `>>`, `>|`, `2>`, `&>`, `2>&`, `<&`, `<<`, `<<-`,
    `<<<`."""
    word: Word


@dataclass(frozen=True, slots=True)
class Simple:
    """One program with its arguments."""

    before: str
    """The operator before it: "" for the first, `&&`, `||`, `|`, `;` or a line break.
    """
    assigned: bool
    """Whether it sets variables."""
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]

    def silent(self) -> bool:
        """Return whether its errors are discarded, so that its paths may be missing."""
        output = False
        for redirect in self.redirects:
            null = redirect.word.value == "/dev/null"
            if redirect.sign in ("2>", "2>>", "&>", "&>>") and null:
                return True
            if redirect.sign == "2>&" and output:
                return True
            if redirect.sign in (">", ">>", "1>", "1>>"):
                output = null
        return False


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    parts: tuple[Simple, ...]
    bodies: Mapping[int, tuple[int, int]]
    """The start of a here-document's tag -> the span of its body."""
    powershell: bool = False


class _Unclear(Exception):  # noqa: N818  it never leaves this module
    """The line is not understood."""


def read(
    text: str, dialect: Dialect = POSIX, start: int = 0, end: int | None = None
) -> Line | None:
    """Return the command line from `start` to `end` of a text; None if it is not
    understood.

    Spans are relative to the text.
    """
    try:
        return _Reader(text, start, len(text) if end is None else end, dialect).line()
    except _Unclear:
        return None


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of any line, each with the operator before it: `|`, `(`, `2>`,
    ...

    Quotes are ignored, so quoted text is split too: no command is missed.
    """
    parts = re.split(
        r"(&&|\|\||\|&|[;|&\n(){}`]|\$\(|(?<![0-9])[0-9]*[<>]+)", "\n" + text
    )
    for sign, piece in zip(parts[1::2], parts[2::2], strict=True):
        if piece.strip():
            yield sign, piece.strip()


def looks_around(text: str) -> bool:
    """Return whether a line lists or searches, except as the filter of a pipe."""
    from truepath.calls.tool_tables import DISCOVERY_COMMANDS

    for sign, piece in pieces(text):
        words = piece.split()
        filters = sign in ("|", "|&") or sign[-1] in "<>"
        if filters or "-delete" in words or "-exec" in words:
            continue
        plain = [word for word in words if "=" not in word]
        program = plain[0].rpartition("/")[2].lower() if plain else ""
        names = (program, " ".join([program, *plain[1:2]]))
        if any(name in DISCOVERY_COMMANDS for name in names):
            return True
    return False


class _Reader:
    def __init__(self, text: str, start: int, end: int, dialect: Dialect) -> None:
        self.text = text
        self.at = start
        self.end = end
        self.dialect = dialect
        self.count = 0
        self.parts: list[Simple] = []
        self.before = ""
        self.assigned = False
        self.grouped = False
        self.words: list[Word] = []
        self.redirects: list[Redirect] = []
        self.pending: list[Redirect] = []  # here-documents that begin after this line
        self.bodies: dict[int, tuple[int, int]] = {}
        self.made: list[str] = []  # the texts of the word that is read

    def line(self) -> Line:
        if self.dialect.unclear.search(self.text, self.at, self.end):
            raise _Unclear
        while self.at < self.end:
            self.token(self.text[self.at])
        self.close("")
        if not self.parts or self.pending or self.before in ("&&", "||", "|"):
            raise _Unclear
        return Line(self.text, tuple(self.parts), self.bodies, self.dialect.powershell)

    def token(self, char: str) -> None:
        text, at, dialect = self.text, self.at, self.dialect
        if char in " \t" or (char == "\r" and dialect.powershell):
            self.at += 1
        elif self.continues():
            self.at += 2
        elif char == "#":
            stop = text.find("\n", at, self.end)
            self.at = self.end if stop < 0 else stop
        elif char == "\n":
            self.at += 1
            self.read_bodies()
            self.close("\n")
        elif match := dialect.redirect.match(text, at, self.end):
            self.redirect(match[1])
        elif char in "&|;":
            self.operator(char)
        elif not self.words and (match := dialect.assignment.match(text, at, self.end)):
            self.assignment(match)
        elif char in "()" and dialect.powershell:
            self.group(char)
        else:
            self.words.append(self.listed())

    def continues(self) -> bool:
        """Return whether the line is continued here, between two words."""
        broken = self.text.startswith(f"{self.dialect.escape}\n", self.at)
        return broken and self.text[self.at - 1 : self.at] in (" ", "\t")

    def assignment(self, match: re.Match[str]) -> None:
        if match[1] in _SACRED:
            raise _Unclear
        self.at = match.end()
        if not self.dialect.powershell:  # there, the value is the command that follows
            self.word(empty=True)
            self.assigned = True

    def group(self, char: str) -> None:
        """Read the beginning or the end of `(COMMAND).Property`."""
        if char == "(":
            if self.words or self.redirects or self.grouped:
                raise _Unclear
            self.at += 1
            self.grouped = True
            return
        match = _PROPERTY.match(self.text, self.at, self.end)
        if match is None or not self.grouped or not self.words:
            raise _Unclear
        self.at = match.end()
        self.grouped = False

    def operator(self, char: str) -> None:
        sign = next(
            (two for two in ("&&", "||") if self.text.startswith(two, self.at)), char
        )
        self.at += len(sign)
        if sign == "&" or self.text[self.at : self.at + 1] in ("&", "|", ";"):
            raise _Unclear
        if not (self.words or self.assigned or self.redirects):
            raise _Unclear
        self.close(sign)

    def close(self, sign: str) -> None:
        """End a simple command at an operator, or at a line break after one."""
        if self.grouped and sign != "|":
            raise _Unclear
        if not (self.words or self.assigned or self.redirects):
            if sign == ";":
                raise _Unclear
            return
        first = self.words[0] if self.words else None
        if first and not self.dialect.command.match(self.text, first.start, first.end):
            raise _Unclear
        part = Simple(
            self.before, self.assigned, tuple(self.words), tuple(self.redirects)
        )
        self.parts.append(part)
        self.before, self.assigned = sign, False
        self.words, self.redirects = [], []

    def redirect(self, sign: str) -> None:
        self.at += len(sign)
        while self.text[self.at : self.at + 1] in (" ", "\t") and self.at < self.end:
            self.at += 1
        word = self.word()
        if sign == ">&" and word.value not in ("1", "2", "-"):
            sign = "&>"
        sign = sign.replace("*", "&")
        self.redirects.append(Redirect(sign, word))
        if sign.lstrip("0123456789") in ("<<", "<<-"):
            self.pending.append(self.redirects[-1])

    def read_bodies(self) -> None:
        """Skip the here-documents of the line that has just ended."""
        for redirect in self.pending:
            tag, start = redirect.word, self.at
            end = self.body_end(tag.value, tabs=redirect.sign.endswith("-"))
            self.bodies[tag.start] = (start, end)
            expands = self.text[tag.start : tag.end] == tag.value
            body = self.text[start:end]
            if expands and ("`" in body or "$(" in body):
                raise _Unclear
        self.pending = []

    def body_end(self, tag: str | None, *, tabs: bool) -> int:
        """Go on after the line that is a tag; return where it begins."""
        start = self.at
        while True:
            stop = self.text.find("\n", start, self.end)
            line = self.text[start : self.end if stop < 0 else stop]
            if (line.lstrip("\t") if tabs else line) == tag:
                self.at = self.end if stop < 0 else stop + 1
                return start
            if stop < 0:
                raise _Unclear
            start = stop + 1

    def listed(self) -> Word:
        """Read a word, or the words of a list."""
        first, others = self.word(), []
        while "," in self.dialect.ends and (
            match := _COMMA.match(self.text, self.at, self.end)
        ):
            self.at = match.end()
            others.append(self.word())
        return replace(first, others=tuple(others)) if others else first

    def word(self, *, empty: bool = False) -> Word:
        """Read one word; with `empty`, it may be empty."""
        self.count += 1
        if self.count > _MOST_WORDS:
            raise _Unclear
        start = self.at
        self.made, self.known, self.home = [], True, False
        self.tilde()
        while self.at < self.end and self.text[self.at] not in self.dialect.ends:
            quoted = self.text[start] in "\"'"
            if quoted and self.at > start and self.dialect.powershell:
                raise _Unclear
            self.segment()
        if self.at == start and not empty:
            raise _Unclear
        return self.word_from(start)

    def tilde(self) -> None:
        """Read the home folder at the start of a word."""
        text, start = self.text, self.at
        if _TILDE.match(text, start, self.end):
            self.home = True
            self.at += 1
            self.made.append("~")
        elif text[start : start + 1] == "~":
            self.known = False  # another user's home
        if _HOME_LATER.match(text, start, self.end):
            self.known = False  # bash expands it, dash does not

    def word_from(self, start: int) -> Word:
        """Return the word that has been read."""
        if not self.known:
            windows = _WINDOWS.fullmatch(self.text, start, self.at)
            written = windows[0] if windows else ""
            return Word(start, self.at, None, plain=False, windows=written)
        value: str | None = "".join(self.made)
        if self.dialect.powershell:
            # `Env:x` is no path.
            provided = _PROVIDER.match(value or "")
            value = None if provided else (value or "").replace("\\", "/")
        return Word(start, self.at, value, home=self.home)

    def segment(self) -> None:
        """Read a segment of a word with one kind of quoting."""
        text, char = self.text, self.text[self.at]
        if match := self.dialect.bare.match(text, self.at, self.end):
            self.made.append(match[0])
            self.at = match.end()
        elif match := self.dialect.single.match(text, self.at, self.end):
            self.made.append(match[1].replace("''", "'"))
            self.at = match.end()
        elif char == '"':
            self.at += 1
            self.double()
        elif char == self.dialect.escape:
            self.escape()
        elif char == "$":
            self.variable(quoted=False)
        elif char in self.dialect.wild:
            self.pattern()
        else:
            raise _Unclear

    def pattern(self) -> None:
        """Skip a wildcard; a word `[` or `{}` is literal."""
        if not self.made and (alone := _ALONE.match(self.text, self.at, self.end)):
            self.made.append(alone[0])
            self.at = alone.end()
        else:
            self.known = False
            self.at += 1

    def escape(self) -> None:
        after = self.text[self.at + 1 : self.at + 2]
        if not after or self.at + 1 >= self.end or after == "\n":
            raise _Unclear  # a line continuation within a word
        if self.dialect.powershell and after not in self.dialect.escaped:
            raise _Unclear
        self.made.append(after)
        # A backslash has no effect before these, so a Windows path is meant.
        path = after.isalnum() or after in "._-" or after >= "\x80"
        self.known = self.known and not path
        self.at += 2

    def double(self) -> None:
        """Read up to the closing double quote."""
        text, dialect = self.text, self.dialect
        while self.at < self.end:
            char = text[self.at]
            if char == '"' and dialect.powershell and text.startswith('""', self.at):
                self.made.append(char)
                self.at += 2
            elif char == '"':
                self.at += 1
                return
            elif match := dialect.double.match(text, self.at, self.end):
                self.made.append(match[0])
                self.at = match.end()
            elif char == dialect.escape:
                self.escape_in_quotes()
            elif char == "$":
                self.dollar_in_quotes()
            else:
                raise _Unclear
        raise _Unclear

    def escape_in_quotes(self) -> None:
        after = self.text[self.at + 1 : self.at + 2]
        escaped = after in self.dialect.escaped
        if self.dialect.powershell and not escaped:
            raise _Unclear
        self.made.append(after.strip("\n") if escaped else self.dialect.escape + after)
        self.at += 2

    def dollar_in_quotes(self) -> None:
        message = self.dialect.message.match(self.text, self.at, self.end)
        if message:
            self.message(message[2], message.end() - 1)
        else:
            self.variable(quoted=True)

    def message(self, tag: str, at: int) -> None:
        stop = self.text.find(f"\n{tag}", at, self.end)
        end = (
            _MESSAGE_END.match(self.text, stop + len(tag) + 1, self.end)
            if stop >= 0
            else None
        )
        if end is None:
            raise _Unclear
        self.known = False
        self.at = end.end()

    def variable(self, *, quoted: bool) -> None:
        """Read a variable, or a literal dollar sign."""
        match = self.dialect.variable.match(self.text, self.at, self.end)
        if match is None:
            after = self.text[self.at + 1 : self.at + 2]
            if after in ("(", "[", "{", "`", "\\") or (
                after in ("'", '"') and not quoted
            ):
                raise _Unclear
            self.made.append("$")
            self.at += 1
            return
        self.at = match.end()
        if self.dialect.values is None:
            self.known = False
            return
        value = self.dialect.values.get(match[0].lower())
        ends = '"' if quoted else self.dialect.ends
        if (
            value is None
            or self.made
            or self.text[self.at : self.at + 1] not in f"/\\{ends}"
        ):
            raise _Unclear
        self.made.append(value)
        self.home = value == "~"
