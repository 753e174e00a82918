"""Error texts: which paths they say are missing, and whether the host has already helped.

Knows the wording of programs, languages and agent hosts; knows neither calls nor disks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

LONGEST_TEXT = 100_000
"""Characters that are read; hosts cut tool output far below this."""

LONGEST_LINE = 1_000
"""Characters; a longer line is data, not a message."""

MOST_PATHS = 20
"""Paths that are returned; an answer never names more."""

# A path in the quotes of any program (GNU tools use curly ones outside the C locale), or bare.
_OPEN, _CLOSE = "\u2018", "\u2019"
_QUOTED = (
    r"(?:'(?P<a>[^'\n]+)'|\"(?P<b>[^\"\n]+)\"|`(?P<d>[^`'\n]+)[`']"
    rf"|{_OPEN}(?P<c>[^{_CLOSE}\n]+){_CLOSE})"
)
_GONE = r"(?:[Nn]o such file(?: or directory)?|Directory nonexistent|[Nn]ot a directory)"
_PATH = rf"(?:{_QUOTED}|(?P<e>[^\s'\"{_OPEN}`:][^\n]*?))"
_CANNOT = r"(?:[Cc]an ?not|[Cc]an't|[Cc]ould not|[Cc]ouldn't|[Ff]ailed to|[Uu]nable to)"
_DOES_NOT = r"(?:does not|doesn't|do not) exist"


# The first that fits a line wins, so the particular come before the general; only the very
# commonest is tried before all. Compiled one by one, when their turn comes.
_SHAPES = (
    rf"^[\w.-]+: (?P<e>[^\s:'\"`{_OPEN}]+): No such file or directory$",
    # Node, npm, and the hosts written in JavaScript.
    rf"E(?:NOENT|NOTDIR): [a-z ]+, \w+ {_QUOTED}",
    r"Could not edit file: (?P<e>[^\n]+?)\. Error code: ENOENT",
    r"Cannot find module '(?P<a>(?:[A-Za-z]:)?[./\\][^'\n]*)'",
    # Python.
    rf"\[Errno (?:2|20)\] {_GONE}: {_QUOTED}",
    rf"can't open file {_QUOTED}: \[Errno 2\]",
    r"(?:file or directory not found|not found): (?P<e>[^\s:]+(?:::\S+)?)$",
    rf"(?:Path|File|Directory) {_QUOTED} {_DOES_NOT}",
    rf"can't read file {_QUOTED}: {_GONE}",
    rf"^(?P<e>\S+): error: Cannot read file: {_GONE}",
    r"^\s*--> (?P<e>[^\n]+):1:1$",
    # git.
    rf"pathspec {_QUOTED} did not match",
    r"bad source, source=(?P<e>[^\n]+), destination=",
    rf"ambiguous argument {_QUOTED}: unknown revision or path",
    rf"no such path {_PATH} in ",
    rf"path {_QUOTED} (?:does not exist|exists on disk, but not) in ",
    rf"Could not access {_QUOTED}$",
    # Rust, Go, C, Java, Ruby, PHP, .NET, TypeScript and their tools.
    rf"manifest path {_QUOTED} {_DOES_NOT}",
    rf"IO error for operation on (?P<e>[^\n]+?): {_GONE}",
    (
        r"\b(?:open|stat|lstat|chdir|mkdir|unlink|remove|read|fork/exec) "
        rf"(?P<e>[^\s'\"{_OPEN}`]\S*): no such file or directory"
    ),
    r"directory prefix (?P<e>\S+) does not contain",
    r"stat (?P<e>\S+): directory not found",
    r"Unable to access jarfile (?P<e>\S+)",
    rf"(?:FileNotFoundException|NoSuchFileException): (?P<e>(?!Could)[^\n(]+?)(?: \({_GONE}\))?$",
    rf"{_GONE} (?:--|@ \w+ -) (?P<e>[^\n]+?)(?: \((?:LoadError|Errno::ENOENT)\))?$",
    r"Could not open input file: (?P<e>\S+)",
    rf"Could not find (?:file|a part of the path) {_QUOTED}",
    rf"File {_QUOTED} not found",
    rf"specified path does not exist: {_QUOTED}",
    rf"No files matching (?:the pattern )?{_QUOTED} were found",
    rf"No files matching the pattern were found: {_QUOTED}",
    rf"Module not found {_QUOTED}",
    r"ERROR: (?P<e>\S+) is not a valid editable requirement",
    # Shells.
    r"(?:zsh: |cd: |pushd: |source: |:\d+: )?no such file or directory: (?P<e>[^\n]+)$",
    r"can't cd to (?P<e>[^\n]+)$",
    rf"The directory {_QUOTED} {_DOES_NOT}",
    rf"Cannot find path {_QUOTED} because it {_DOES_NOT}",
    r"^\S+: (?:\d+|line \d+): (?P<e>[^\n:]*/[^\n:]*): not found$",
    # Unix tools.
    rf"\brename (?P<e>[^\n]+) to [^\n]+: {_GONE}",
    rf"^(?P<e>[^\n]+?):\d+:\d+: E902 {_GONE}",
    r"cannot find or open (?P<e>[^\n]+?), [^\n]+\.zip or ",
    r"name not matched: (?P<e>[^\n]+)$",
    rf"(?:link_stat|change_dir)(?:#\d)? {_QUOTED} failed: {_GONE}",
    r"^(?P<e>\S+)\s+\[error opening dir\]",
    rf"Search path {_QUOTED} is not a directory",
    rf"^tar: (?P<e>[^\n]+): Cannot \w+: {_GONE}",
    rf"Failed to read file to (?:update|delete) (?P<e>[^\n]+?): {_GONE}",
    rf"{_CANNOT}(?: [a-z]+)+[: ]+{_QUOTED}[^\n]*?[:(] ?{_GONE}",
    (
        rf"{_CANNOT} (?:open|read|access|stat|create|find|change to|remove|touch)(?: input| patch)?"
        rf"(?: file| directory)?[: ]+(?P<e>[^\n]+?)(?: for (?:reading|writing))? ?[:(] ?{_GONE}"
    ),
    # Hosts.
    rf"[Pp]ath {_DOES_NOT} (?P<e>/\S+)$",
    rf"[Ff]ile not found: {_PATH}(?:\.)?$",
    (
        rf"(?:[Ff]ile|[Pp]ath|[Dd]irectory|[Ff]older|[Ss]earch paths?) {_DOES_NOT}: {_PATH}"
        r"(?:\. (?:Note|Use|Please|Did)\b[^\n]*|\.)?$"
    ),
    rf"(?:[Ff]ile|[Pp]ath|[Dd]irectory|[Ff]older) {_PATH} (?:{_DOES_NOT}|not found)",
    # Whatever says it last: `cat: x: No such file or directory`.
    rf"(?:^|: ){_QUOTED}: {_GONE}",
    rf"^(?P<e>[^\n]+): {_GONE}(?: \(os error \d+\))?\.?(?:\s*Stop\.)?$",
)

_KEYWORDS = (
    *("no such", "not exist", "n't exist", "not found", "not match", "enoent", "enotdir"),
    *("nonexistent", "cannot find", "not a directory", "can't cd", "could not", "unable to", "-->"),
    *("destination=", "unknown revision", "not contain", "is not a", "fileexception"),
    *("no files match", "error opening dir", "filenotfound"),
)
"""A line that has none of these, in any letter case, has none of the shapes."""

_WITHOUT_PATH = re.compile(
    r"^(?:<tool_use_error>)?(?:Error: )?"
    r"(?:(?:Notebook )?[Ff]ile does not exist|Path does not exist|Directory does not exist"
    r"|Parent directory does not exist|File not found)(?:[.<\s]|$)"
    r"|no file was found at the specified path|cannot find the (?:file|path) specified"
    r"|\bENOENT\b|FileNotFoundError|\(os error 2\)",
    re.MULTILINE,
)

_SUGGESTED = re.compile(
    r"did you mean\b|perhaps you meant|similar (?:files|paths|names) (?:exist|found|are)"
    r"|not found; resolved to",
    re.IGNORECASE,
)

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def missing_paths(text: str) -> tuple[str, ...]:
    """Return the paths that an error text says are not there, as it spells them, in order.

    At most `MOST_PATHS`, without repetition. Paths that a host names in a wording of its own
    without saying which one is missing are not guessed.
    """
    found: dict[str, None] = {}
    for line in _lines(text):
        path = _missing(line)
        if path:
            found[path] = None
        if len(found) >= MOST_PATHS:
            break
    return tuple(found)


def is_missing(text: str) -> bool:
    """Whether an error text says that some path is not there, named or not."""
    short = text[:LONGEST_TEXT]
    return _WITHOUT_PATH.search(short) is not None or any(map(_missing, _lines(short)))


def already_suggested(text: str) -> bool:
    """Whether the host has itself said which path may be meant."""
    return _SUGGESTED.search(text[:LONGEST_TEXT]) is not None


def _lines(text: str) -> Iterator[str]:
    plain, previous = _ANSI.sub("", text[:LONGEST_TEXT]), ""
    if not _has_keyword(plain):  # nearly every answer of a tool: it need not be parted
        return
    for line in plain.splitlines():
        clean = line.strip().removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")
        # Ruff names the file on the line after the error; elsewhere an arrow means nothing.
        if len(clean) <= LONGEST_LINE and _has_keyword(clean) and _follows(clean, previous):
            yield clean
        previous = clean


def _has_keyword(text: str) -> bool:
    low = text.lower()
    return any(keyword in low for keyword in _KEYWORDS)


def _follows(line: str, previous: str) -> bool:
    return not line.startswith("-->") or previous.startswith("E902 ")


def _missing(line: str) -> str | None:
    for shape in _SHAPES:
        match = _compiled(shape).search(line)
        if match is not None:
            groups = match.groupdict()
            quoted = next((groups[name] for name in "abcd" if groups.get(name)), None)
            return quoted or _bare(groups.get("e"), last=shape is _SHAPES[-1])
    return None


@cache
def _compiled(shape: str) -> re.Pattern[str]:
    return re.compile(shape)


def _bare(text: str | None, *, last: bool) -> str | None:
    """Return a path that no quotes delimit, without who speaks before it."""
    if text is None:
        return None
    if last:
        text = text.rsplit(": ", 1)[-1].removeprefix("*** ")
    return text.strip() or None
