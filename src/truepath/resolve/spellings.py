"""The texts that a written path may be without its decorations: quotes, line numbers,
escapes; and whether two names are one, spelled in two ways.

Pure functions: they return every reading and choose none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from truepath.paths import INVISIBLE, LONGEST, Flavour, fold, is_absolute, join
from truepath.records import dataclass
from truepath.types import Cause

MOST_SPELLINGS = 16
"""Readings of one written path, including itself; each costs a look at the disk."""

_MOST_NAMES = 256
"""Names in a path that is understood, at most: in 4,096 characters, names of 16. Each
is looked for on the disk with all before it."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What a written path is relative to."""

    root: str
    cwd: str
    """The agent's working directory, absolute; by default the root."""
    flavour: Flavour = "posix"
    home: str | None = None
    inside: Callable[[str], str | None] | None = None
    """Returns an absolute path relative to the root as the kernel follows it, or None;
    where it is not known, `..` is read as text."""


def flaw_of(written: str) -> Cause | None:
    """Return why a text is no path that is understood, "" for one of too many names;
    None if it may be one.
    """
    if not written.strip():
        return "empty"
    if "\0" in written:
        return "nul"
    if len(written) > LONGEST:
        return "too-long"
    has_many = written.count("/") + written.count("\\") > _MOST_NAMES
    return "" if has_many else None


def absolute_of(written: str, frame: Frame) -> str:
    """Return a written path from the agent's folder."""
    if frame.flavour == "windows":  # a rooted path is on the drive of its folder
        return join(frame.cwd, written, frame.flavour)
    # On POSIX `..` stays, so that links are followed as by the tool.
    if is_absolute(written, frame.flavour):
        return written
    return f"{frame.cwd}/{written}"


def spellings(
    written: str, frame: Frame, *, only_plain: bool = False
) -> tuple[str, ...]:
    """Return the readings of `written`, itself first, at most `MOST_SPELLINGS`, without
    duplicates.

    A reading is never empty, and keeps a trailing slash. A clean path has one reading.
    `only_plain` removes only what is no part of any name: quotes, blanks and escapes.
    """
    if len(written) > LONGEST or re.fullmatch(_CLEAN, written):
        return (written,)
    steps = _PLAIN if only_plain else _STEPS
    readings = [written]
    for step in steps * 2:  # what was quoted may have quotes itself
        # A copy, the plainest first: what a step yields waits for the next one.
        for text in readings[::-1]:
            plain = _undone(step, text, frame)
            # A slash at the end says that it is a folder.
            loses_slash = text.endswith("/") and not plain.endswith("/")
            is_new = plain.strip() and plain not in readings
            if is_new and not loses_slash and len(readings) < MOST_SPELLINGS:
                readings.append(plain)
    return tuple(readings)


def split_paths(written: str) -> Iterator[Sequence[str]]:
    """Yield the paths that `written` would be if it were several, for each way to join
    them.
    """
    text = written.strip()
    if text[:1] + text[-1:] in ("[]", "()"):
        text = text[1:-1]  # a list of Python, as one text
    if _JOINING.isdisjoint(text) and len(text.split()) < 2:  # as of nearly all
        return
    for joint in _JOINTS:
        stripped = [part.strip(_BETWEEN) for part in re.split(joint, text)]
        parts = [part for part in stripped if part]
        if len(parts) > 1:
            yield parts[:MOST_SPELLINGS]


def _undone(step: str | Callable[[str, Frame], str], text: str, frame: Frame) -> str:
    """Return a text after one step; "" or the text itself if there is nothing to
    remove.
    """
    if not isinstance(step, str):
        return step(text, frame)
    match = re.fullmatch(step, text)
    if match is None:
        return ""
    return next((part for part in match.groups() if part), "")


# Patterns are compiled at first use: a hook seldom needs more than one.
_CLEAN = r"(?a)(?!/?[ab]/)[\w./+=-]*[\w/+=-]"
"""Paths that no step changes, which most are."""

_MARKS = "\"'`\u00b4\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d"
_QUOTED = (
    rf"(?s)\\?[{_MARKS}]+([^{_MARKS}]+)\\?[{_MARKS}]*[.,;:]?"
    rf"|([^{_MARKS}]+?)\\?[{_MARKS}]+[.,;:]?"
    r"|\*\*([^*]+)\*\*|<([^<>]+)>|([^<>]+)</\w+>|!?\[[^\]]*\]\(([^()\s]+)[^()]*\)"
)
"""In any quotes, or with one of them, in bold, in brackets, as a Markdown link; or
before a stray end tag, which some models leave from the XML of their calls."""

_JOINTS = (
    r"[,;|\n\u3001\uff0c]|\\n|\s(?:and|or|&|[-=]>|\u2192)\s",
    r":",
    r"(?<=\w)[@=]",
    r"\s",
)
_JOINING = frozenset(",;|\\:@=\u3001\uff0c")
"""Signs of which the joints without a blank have one."""
_BETWEEN = f" \t\r\n,{_MARKS}"
"""What joins several paths in one text, and what remains of it at the ends of each."""

_PART = (
    r"(?s)(?:File )?(.+?)(?:(?:\?[\w=&-]+)?#L\d+.*|:L?\d+(?:[-:,]L?\d+)*(?::.*)?"
    r"|[:,]? \(?lines? \d+.*)"
    r"|(.+?\.\w+)(?:::.*|#[\w-]+|\?[\w=&%-]*|\*|\(\d+(?:[,:] ?\d+)*\)(?::.*)?)"
    r"|(.+?\.(?:py|[jt]sx?|go|rs|rb|java|kt|cs|cpp|php|swift)):[A-Za-z_][\w.]*(?:\(\))?"
)
"""`a:12:5`, `a#L3-L9`, `a(12,5)`, `a, line 12`; `a.py::test`, `a.md#title`,
`a.py:Name.method`; `a.md?raw`, `run.sh*` (of `ls -F`)."""

_FRONT = (
    r"(?s)(?:#{1,6}|[-*+>\u2022]) +(\S.*)|(?:[@#]file:|@|:)([^@\s:].*)"
    r"|(?:---|\+\+\+) ([ab]/.+)"
)
"""As a heading or an item of a list, as a mention, as a diff names its files."""

_SIDE = r"(?s)[ab]/([^/].*)"
"""The sides of a diff in git."""

_FILE_URL = r"(?is)file:(?://)?(?:localhost(?=/))?(.+)"
_PERCENT = r"(?:%(?!00)[0-9A-Fa-f]{2})+"
HOME = r"(?i)(?:~|\$\{?HOME\}?|\$\{?USERPROFILE\}?|%USERPROFILE%)(?=[/\\]|\Z)"
_HERE = (
    r"(?:\$\{?PWD\}?|\$\(pwd\)|`pwd`|%CD%|\$\{workspace(?:Folder|Root)\}"
    r"|\$\{?(?:CLAUDE|GEMINI|CURSOR)_PROJECT_DIR\}?)[/\\]+"
)
_ESCAPED = r"(?<!\\)\\+(?=[ !-/:-@\[\]^_`{|}~])"
"""From its first backslash: else each of a thousand is tried with all that follow."""
_IN_QUOTES = r"(?s)(.*[/\\])([\"'])([^\"']+)\2([/\\].*)?"
"""A folder, and names in quotes: `/repo/"a b.md"`."""

_WRAPPED = (
    r"(?s)!?\[[^\]]*\]\((?!\w+://)([^()\s]+)(?:\s[^()]*)?\)"
    r"|!?\[([^\]]+)\]\([^()]*\)"
    r"|[`*]+([^`*]+)[`*]+|<(?:path>|file>)?([^<>]+)>|<\w+>([^<>]+)</\w+>"
    r"|\((.+\.\w+)\)|\{(.+\.\w+)\}"
)
"""A path as a text for people has it. Of a link to a page, its words are the path. In
round brackets, only a file: `(group)/` is a folder."""

_OCTETS = r"(?:\\[23][0-7]{2})+"
"""Letters as git prints them."""
_STOPS = ",;:!?\u3002\uff0c\u3001\uff1b\uff1a"
_CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<"}


def _trimmed(text: str, _: Frame) -> str:
    """Return a text without blanks, colours and signs that are not seen."""
    shown = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text).translate(INVISIBLE)
    # `src / a.py`, as a text that was broken there.
    shown = re.sub(r"(?:(?<!\s)\s+)?/\s*", "/", shown.strip())
    return re.sub(r"(\.\w+?)(?:\\r)?\\n\Z", r"\1", shown)  # a newline escaped twice


def _decoded(text: str, _: Frame) -> str:
    """Return the path of a `file:` URL, or a text that is encoded like one, or that has
    letters as git prints them.
    """
    match = re.fullmatch(_FILE_URL, text)
    plain = re.sub(
        _PERCENT,
        lambda run: _as_name(bytes.fromhex(run[0].replace("%", ""))),
        match[1] if match else text,
    )
    if match and re.match(r"/[A-Za-z]:", plain):  # `file:///C:/a.py`
        plain = plain[1:]

    return re.sub(
        _OCTETS,
        lambda run: _as_name(bytes(int(octet, 8) for octet in run[0].split("\\")[1:])),
        plain,
    )


def _as_name(octets: bytes) -> str:
    """Return bytes as text: a name may be any bytes."""
    return octets.decode("utf-8", "surrogateescape")


def _at_home(text: str, frame: Frame) -> str:
    """Return a path with the variable at its beginning expanded: nothing did so."""
    here = re.match(_HERE, text)
    if here:
        return text[here.end() :]
    home = re.match(HOME, text)
    if home is None or not frame.home:
        return ""
    return f"{frame.home}{text[home.end() :]}"


def _unescaped(text: str, frame: Frame) -> str:
    """Return a text without the escapes of Markdown and of a shell."""
    # On Windows, `mode\__init__.py` has no escaped `_`; but no name begins with a
    # blank.
    escaped = r"(?<!\\)\\+(?= )" if frame.flavour == "windows" else _ESCAPED
    return re.sub(escaped, "", text)


def _unwrapped(text: str, frame: Frame) -> str:
    """Return a path without the quotes around a part of it, or whose end was wrapped
    before it was made absolute: in `/repo/[a.py](src/a.py)`, Claude Code 2.1 had
    `[a.py](src/a.py)`.
    """
    match = re.fullmatch(_IN_QUOTES, text)
    if match:
        return "".join(match.group(1, 3)) + (match[4] or "")
    for folder in (frame.cwd, frame.root):
        rest = text.removeprefix(f"{folder}/")
        if rest == text or rest[:1].isalnum():
            continue
        inner = _undone(_WRAPPED, rest, frame)
        if inner:
            return inner if inner.startswith("/") else f"{folder}/{inner}"
    return ""


def _slashes(text: str, frame: Frame) -> str:
    """Return a path with slashes for backslashes."""
    if frame.flavour == "windows":  # they are separators; only doubled ones are wrong
        # The first two are those of `\\server\share`.
        return text.replace("\\\\", "\\") if "\\\\" in text[1:] else ""
    return re.sub(r"\\+", "/", text) if text.strip("\\/") else ""


def _without_end(text: str, frame: Frame) -> str:
    """Return a text without a part of the file, or the end of the sentence that it was
    taken from.
    """
    whole = _undone(_PART, text, frame)
    if whole:
        return whole
    last = text[-1:]
    rest = text[:-1]
    opener = _CLOSERS.get(last)
    is_unbalanced = opener is not None and text.count(last) > text.count(opener)
    # `..` and `./` are folders.
    is_full_stop = last == "." and rest[-1:] not in ("", ".", "/", "\\")
    return rest if is_unbalanced or is_full_stop or last in _STOPS else ""


_STEPS: tuple[str | Callable[[str, Frame], str], ...] = (
    _trimmed,
    _FRONT,
    _QUOTED,
    _unwrapped,
    _decoded,
    _without_end,
    _at_home,
    _unescaped,
    _slashes,
    _SIDE,
)
"""From outside to inside, and from certain to guessed: a pattern, or a function of a
text."""

_PLAIN = tuple(step for step in _STEPS if step not in (_FRONT, _without_end, _SIDE))
"""`app.py:Zone.Identifier`, `notes.txt#old` and `plan.md(1)` are names of other
files."""


def common(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the length of the common prefix of two sequences."""
    pairs = zip(left, right)  # noqa: B905  the shorter counts
    same = [one == other for one, other in pairs]
    return same.index(False) if False in same else len(same)


def is_other_spelling(wanted: str, got: str) -> bool:
    """Return whether two folder names differ in number, separators or a few letters
    only.

    Signs around a name have a meaning: `_lib`, `(lib)`, `[lib]`, `.lib` and `lib` are
    different.
    """
    if _signs(wanted) != _signs(got):
        return False
    if plain(fold(wanted)) == plain(fold(got)):
        return True
    if in_other_number(wanted, got):
        return True
    return is_misspelt(wanted, got) or has_swapped_letters(wanted, got)


def _signs(name: str) -> str:
    """Return the signs around the words of a name: `()` of `(lib)`."""
    return re.sub(r"[^\W_]+([-_. ][^\W_]+)*", "", fold(name))


def has_swapped_letters(wanted: str, got: str) -> bool:
    """Return whether two neighbouring letters of a name are swapped, not the first:
    `scr` for `src`.
    """
    left = fold(wanted)
    right = fold(got)
    head = common(left, right)
    # A first letter is seldom wrong, and of two letters one says nothing.
    if len(left) != len(right) or len(left) < 3 or head == 0:
        return False
    swapped = left[head + 1 : head + 2] + left[head : head + 1]
    is_swapped = left[:head] + swapped + left[head + 2 :] == right
    # `lesson-12` and `lesson-21` are two.
    return left != right and is_swapped and left.isalpha()


def in_other_number(wanted: str, got: str) -> bool:
    """Return whether one name is the plural of the other: `test`, `tests`.

    A name without a vowel is not a word: `https` is not the plural of `http`.
    """
    singular, plural = sorted((fold(wanted), fold(got)), key=len)
    if len(singular) < 3 or not re.search("[aeiouy]", singular):
        return False
    if singular.endswith("y") and plural == f"{singular[:-1]}ies":
        return True
    return plural in (f"{singular}s", f"{singular}es")


def is_misspelt(wanted: str, got: str) -> bool:
    """Return whether two names differ in one or two neighbouring letters.

    Names with different first letters or digits are different: `preact`, `lesson-2`.
    """
    left = fold(wanted)
    right = fold(got)
    head = common(left, right)
    tail = common(left[head:][::-1], right[head:][::-1])
    wrong = max(len(left), len(right)) - head - tail
    if head == 0 or not 1 <= wrong <= 2:
        return False
    # A letter of three makes another word: `app`, `api`.
    if min(len(left), len(right)) < 2 * wrong + 2:
        return False
    return re.sub(r"\D", "", left) == re.sub(r"\D", "", right)


def plain(name: str) -> str:
    """Return a folded name without punctuation; itself if it has nothing else."""
    return re.sub(r"[\W_]", "", name) or name
