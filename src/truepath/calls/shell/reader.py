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

import os
import re
from collections.abc import Iterator, Mapping

from truepath.calls.shell.dialect import POSIX, Dialect
from truepath.records import dataclass, replace

_MOST_WORDS = 2_000
"""Words of a line, at most; more of them are data."""

_HOME = re.compile(r"(~(?=[/ \t\n;&|<>]|\Z))|(?:\w+=)?~")
"""The home folder; else another user's, or one that bash expands, and dash does not."""
_NAMES = r"[\w.@+-]+(?:\\[\w.@+-]+)"
_WINDOWS = re.compile(rf"[A-Za-z]:\\{_NAMES}*|{_NAMES}+")
"""A path of Windows without quotes: `C:\\a.py`, `src\\a.py`."""
_MESSAGE_END = re.compile(r"\n?[ \t]*\)")
_CONTINUED = (" \\\n", "\t\\\n", " `\n", "\t`\n")
_JOINT = re.compile(r"(?:&&|\|\||[|;])(?![&|;])")
"""What joins two commands; `&`, a job in the background, `|&` and `;;` are not read."""
_ALONE = re.compile(r"(?:\{\}|\[)(?=[ \t\n;&|]|\Z)")
"""The program `[`, and the `{}` of `find` and `xargs`."""
_PROVIDER = re.compile(r"\w{2,}:")
"""PowerShell's `Env:` or `HKLM:`; a drive has one letter."""
_COMMA = re.compile(r"[ \t]*,\s*")
_PROPERTY = re.compile(r"\)(?:\.\w+)*[ \t]*(?=[;|\r\n]|\Z)")
"""The end of `(COMMAND).Count`."""

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

    @property
    def text(self) -> str:
        """The value; empty if only the shell knows it."""
        return self.value or ""

    @property
    def path(self) -> str:
        """The text as the program receives it, with `~` expanded."""
        return os.path.expanduser(self.text) if self.home else self.text


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
            is_dropped = redirect.sign in ("2>", "2>>", "&>", "&>>") and null
            if is_dropped or (redirect.sign == "2>&" and output):
                return True
            if redirect.sign in (">", ">>", "1>", "1>>"):
                output = null
        return False

    def drops_output(self) -> bool:
        """Return whether its output is not printed: only its end may be of use."""
        signs = [redirect.sign.lstrip("1&") for redirect in self.redirects]
        return ">" in signs or ">>" in signs


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
    if end is None:
        end = len(text)
    try:
        return _Reader(text, start, end, dialect).line()
    except _Unclear:
        return None


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of any line, each with the operator before it: `|`, `(`, `2>`,
    ...

    Quotes are ignored, so quoted text is split too: no command is missed.
    """
    # With a line break before the first one, each command has an operator.
    parts = re.split(_OPERATORS, "\n" + text)
    for sign, piece in zip(parts[1::2], parts[2::2], strict=True):
        if piece.strip():
            yield sign, piece.strip()


_OPERATORS = r"(&&|\|\||\|&|[;|&\n(){}`]|\$\(|(?<![0-9])[0-9]*[<>]+)"


class _Reader:
    """Reads a line from left to right, once; `at` is the position."""

    def __init__(self, text: str, start: int, end: int, dialect: Dialect) -> None:
        self.text = text
        self.at = start
        self.end = end
        self.dialect = dialect
        self.count = 0
        self.parts: list[Simple] = []
        self.before = ""
        self.assigned = False
        self.grouped = False  # whether a parenthesis of PowerShell is open
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
        # A here-document or a command would follow, which is not here.
        if not self.parts or self.pending or self.before in ("&&", "||", "|"):
            raise _Unclear
        return Line(self.text, tuple(self.parts), self.bodies, self.dialect.powershell)

    def token(self, char: str) -> None:
        """Read what begins with a character: a blank, a comment, a sign or a word."""
        text = self.text
        at = self.at
        dialect = self.dialect
        # In bash, a carriage return is a part of the word.
        if char in " \t\r" and char in dialect.ends:
            self.at += 1
        # A line is continued between two words; within one they would be joined.
        elif char == dialect.escape and text[at - 1 : at + 2] in _CONTINUED:
            self.at += 2
        elif char == "#":
            stop = text.find("\n", at, self.end)
            self.at = stop if stop >= 0 else self.end
        elif char == "\n":
            self.at += 1
            self.read_bodies()
            self.close("\n")
        # Before the operators: `&>` begins like `&`.
        elif match := dialect.redirect.match(text, at, self.end):
            self.redirect(match)
        elif match := _JOINT.match(text, at, self.end):
            self.at = match.end()
            self.close(match[0])
        elif not self.words and (match := dialect.assignment.match(text, at, self.end)):
            self.assignment(match)
        elif char in "()" and dialect.powershell:
            self.group(char)
        else:
            self.words.append(self.listed())

    def assignment(self, match: re.Match[str]) -> None:
        """Read a variable that is set before the program."""
        if match[1] in _SACRED:
            raise _Unclear
        self.at = match.end()
        if not self.dialect.powershell:  # there, the value is the command that follows
            self.word(empty=True)
            self.assigned = True

    def group(self, char: str) -> None:
        """Read the beginning or the end of `(COMMAND).Property`."""
        if char == "(":
            # It is a command only where one begins; elsewhere it is an expression.
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

    def close(self, sign: str) -> None:
        """End a simple command at an operator, or at a line break after one."""
        if self.grouped and sign != "|":
            raise _Unclear
        if not (self.words or self.assigned or self.redirects):
            if sign.strip():  # an operator without a command
                raise _Unclear
            return
        first = self.words[0] if self.words else None
        # As it is written: in quotes, `"if"` is a program.
        if first and not self.dialect.command.match(self.text, first.start, first.end):
            raise _Unclear
        words = tuple(self.words)
        redirects = tuple(self.redirects)
        self.parts.append(Simple(self.before, self.assigned, words, redirects))
        self.before = sign
        self.assigned = False
        self.words = []
        self.redirects = []

    def redirect(self, match: re.Match[str]) -> None:
        """Read where an input comes from, or where an output goes."""
        self.at = match.end()
        word = self.word()
        sign = match[1].replace("*", "&")  # PowerShell's `*>`
        # `>& file` is an older form of `&> file`.
        if sign == ">&" and word.value not in ("1", "2", "-"):
            sign = "&>"
        self.redirects.append(Redirect(sign, word))
        if sign.lstrip("0123456789") in ("<<", "<<-"):
            self.pending.append(self.redirects[-1])

    def read_bodies(self) -> None:
        """Skip the here-documents of the line that has just ended."""
        for redirect in self.pending:
            tag = redirect.word
            start = self.at
            end = self.body_end(tag.value, tabs=redirect.sign.endswith("-"))
            self.bodies[tag.start] = (start, end)
            # With a quote in the tag, the body is literal; else commands in it run.
            expands = self.text[tag.start : tag.end] == tag.value
            body = self.text[start:end]
            if expands and ("`" in body or "$(" in body):
                raise _Unclear
        self.pending = []

    def body_end(self, tag: str | None, *, tabs: bool) -> int:
        """Go on after the line that is a tag; return where it begins. With `tabs`, some
        may be before the tag (`<<-`).
        """
        start = self.at
        while start <= self.end:
            stop = self.text.find("\n", start, self.end)
            if stop < 0:
                stop = self.end
            if self.text[start:stop].lstrip("\t" if tabs else "") == tag:
                self.at = min(stop + 1, self.end)
                return start
            start = stop + 1
        raise _Unclear

    def listed(self) -> Word:
        """Read a word, or the words of a list."""
        first = self.word()
        if "," not in self.dialect.ends:
            return first
        others: list[Word] = []
        while match := _COMMA.match(self.text, self.at, self.end):
            self.at = match.end()
            others.append(self.word())
        return replace(first, others=tuple(others)) if others else first

    def word(self, *, empty: bool = False) -> Word:
        """Read one word; with `empty`, it may be empty."""
        text = self.text
        start = self.at
        self.count += 1
        self.made = []
        tilde = _HOME.match(text, start, self.end)
        self.home = tilde is not None and tilde[1] is not None
        self.known = tilde is None or self.home
        if self.home:
            self.at += 1
            self.made.append("~")
        while self.at < self.end and text[self.at] not in self.dialect.ends:
            # In PowerShell, `"a"b` is two words.
            is_second = self.dialect.powershell and self.at > start
            if is_second and text[start] in "\"'":
                raise _Unclear
            self.segment()
        if self.count > _MOST_WORDS or (self.at == start and not empty):
            raise _Unclear
        return self.word_from(start)

    def word_from(self, start: int) -> Word:
        """Return the word that has been read."""
        if not self.known:
            windows = _WINDOWS.fullmatch(self.text, start, self.at)
            written = windows[0] if windows else ""
            return Word(start, self.at, None, plain=False, windows=written)
        value = "".join(self.made)
        if not self.dialect.powershell:
            return Word(start, self.at, value, home=self.home)
        # `Env:x` is no path.
        path = None if _PROVIDER.match(value) else value.replace("\\", "/")
        return Word(start, self.at, path, home=self.home)

    def segment(self) -> None:
        """Read a segment of a word with one kind of quoting."""
        text = self.text
        char = text[self.at]
        if match := self.dialect.bare.match(text, self.at, self.end):
            self.made.append(match[0])
            self.at = match.end()
        elif match := self.dialect.single.match(text, self.at, self.end):
            # Only PowerShell's pattern takes two of them within.
            self.made.append(match[1].replace("''", "'"))
            self.at = match.end()
        elif char == '"':
            self.at += 1
            self.double()
        elif char == self.dialect.escape:
            self.escape()
        elif char == "$":
            self.variable(quoted=False)
        elif char not in self.dialect.wild:
            raise _Unclear
        # A word `[` or `{}` is literal.
        elif not self.made and (match := _ALONE.match(text, self.at, self.end)):
            self.made.append(match[0])
            self.at = match.end()
        else:
            self.known = False
            self.at += 1

    def escape(self) -> None:
        """Read an escape outside quotes."""
        after = self.text[self.at + 1 : self.at + 2]
        if not after or self.at + 1 >= self.end or after == "\n":
            raise _Unclear  # a line continuation within a word
        if self.dialect.powershell and after not in self.dialect.escaped:
            raise _Unclear
        self.made.append(after)
        # A backslash has no effect before these, so a Windows path is meant.
        is_path = after.isalnum() or after in "._-" or after >= "\x80"
        self.known = self.known and not is_path
        self.at += 2

    def double(self) -> None:
        """Read up to the closing double quote."""
        text = self.text
        dialect = self.dialect
        while self.at < self.end:
            char = text[self.at]
            # In PowerShell, two of them within are one.
            if char == '"' and dialect.powershell and text.startswith('""', self.at):
                self.made.append(char)
                self.at += 2
            elif char == '"':
                self.at += 1
                return
            elif match := dialect.double.match(text, self.at, self.end):
                self.made.append(match[0])
                self.at = match.end()
            elif char == dialect.escape and (
                (after := text[self.at + 1 : self.at + 2]) in dialect.escaped
            ):
                # A line break after it is removed with it.
                self.made.append(after.strip("\n"))
                self.at += 2
            elif match := dialect.message.match(text, self.at, self.end):
                self.message(match[2], match.end() - 1)
            elif char == "$":
                self.variable(quoted=True)
            else:
                raise _Unclear
        raise _Unclear

    def message(self, tag: str, at: int) -> None:
        """Skip a commit message: a here-document that is a word; `at` is the line break
        before it.
        """
        stop = self.text.find(f"\n{tag}", at, self.end)
        end = _MESSAGE_END.match(self.text, stop + len(tag) + 1, self.end)
        if stop < 0 or end is None:
            raise _Unclear
        self.known = False
        self.at = end.end()

    def variable(self, *, quoted: bool) -> None:
        """Read a variable, or a literal dollar sign."""
        match = self.dialect.variable.match(self.text, self.at, self.end)
        if match is None:
            after = self.text[self.at + 1 : self.at + 2]
            # `$'a\tb'` has escapes of its own.
            if after and after in ("([{`\\" if quoted else "([{`\\'\""):
                raise _Unclear
            self.made.append("$")
            self.at += 1
            return
        self.at = match.end()
        if self.dialect.values is None:
            self.known = False
            return
        value = self.dialect.values.get(match[0].lower())
        # A folder only where it is the first of a path: `$HOME.Length` is a number.
        ends = '"' if quoted else self.dialect.ends
        is_whole = self.text[self.at : self.at + 1] in f"/\\{ends}"
        if value is None or self.made or not is_whole:
            raise _Unclear
        self.made.append(value)
        self.home = value == "~"
