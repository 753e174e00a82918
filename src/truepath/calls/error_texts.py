"""Find the missing paths that an error text names, with the patterns of
`error_shapes.txt`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice

from truepath.calls.missing_words import GIT, GONE, MISSING_WORDS

LONGEST_TEXT = 100_000
"""Characters that are read; hosts cut off tool output far below this."""

LONGEST_LINE = 1_000
"""Characters; a longer line is data, not a message."""

MOST_PATHS = 20
"""Paths that are returned, at most."""

_MOST_ALTERNATIVES = 100
"""Words that braces stand for, at most."""
_LONGEST = 300
"""Characters of a word with braces."""

_WORDS = {
    "QUOTED": r"(?:'(?P<a>[^']+)'|\"(?P<b>[^\"]+)\"|`(?P<d>[^`']+)[`']"
    r"|\u2018(?P<c>[^\u2019]+)\u2019)",
    "BARE": r"(?P<e>.+?)",
    "REST": r"(?P<e>.+)",
    "WORD": r"(?P<e>\S+)",
    "GONE": r"(?:[Nn]o such file(?: or directory)?|Directory nonexistent"
    r"|[Nn]ot a directory|The system cannot find the (?:file|path) specified)",
    "CANNOT": r"(?:[Cc]an ?not|[Cc]an't|[Cc]ould not|[Cc]ouldn't|[Ff]ailed to"
    r"|[Uu]nable to)",
    "DOES_NOT": r"(?:does not|doesn't|do not) exist",
    "PLACE": r"(?:[Ff]ile|[Pp]ath|[Dd]irectory|[Ff]older|[Ss]earch paths?)",
}
"""Word in `error_shapes.txt` -> pattern."""
_WORDS["PATH"] = rf"(?:{_WORDS['QUOTED']}|(?P<e>[^\s'\"\u2018`:].*?))"

_WITHOUT_PATH = (
    r"(?m)^(?:<tool_use_error>)?(?:Error: )?"
    r"(?:(?:Notebook )?[Ff]ile does not exist|Path does not exist"
    r"|Directory does not exist|Parent directory does not exist|File not found)"
    r"(?:[.<\s]|$)"
    r"|no file was found at the specified path|cannot find the (?:file|path) specified"
    r"|FileNotFoundError|\(os error 2\)|\bENOENT\b"
)
_FOLDED = (
    r"Cannot find path\s+(?:'[^']+'|\"[^\"]+\")[^'\".]{1,99}\."
    r"|(?:MSB1009: |E902 |Failed to spawn: |No test files found,)[^\n]{1,200}"
    r"\n+[^\n]{1,200}"
    r"|can't find file to patch(?:[^\n]{0,200}\n){1,8}?\|\+\+\+ [^\n\t]{1,200}"
)
"""What PowerShell folds at the width of a terminal, within words too, and what other
programs say in two lines.
"""

_NO_PATH = r"-|(?!file:)[a-z][a-z\d+-]+://"
"""The beginning of an option and of an address."""

_SUGGESTED = (
    r"(?i)did you mean\b|perhaps you meant"
    r"|similar (?:files|paths|names) (?:exist|found|are)|not found; resolved to"
)


def unmet_conditions(text: str) -> frozenset[str]:
    """Return what an error may be about besides a missing path: `text`, `size`,
    `folder`.
    """
    low = text[:LONGEST_TEXT].lower()
    patterns = _unmet_patterns().items()
    return frozenset(about for about, pattern in patterns if pattern.search(low))


@cache
def _unmet_patterns() -> Mapping[str, re.Pattern[str]]:
    """Return the pattern of each thing that `unmet_texts.txt` names."""
    lines: dict[str, list[str]] = {}
    for line in _listed("unmet_texts.txt"):
        about, _, pattern = line.partition(" ")
        lines.setdefault(about, []).append(pattern)
    return {about: re.compile("|".join(those)) for about, those in lines.items()}


def missing_paths(text: str) -> tuple[str, ...]:
    """Return the paths that an error text reports as missing, as written there, in
    order.

    At most `MOST_PATHS`, without duplicates.
    """
    paths = dict.fromkeys(_missing(line) for line in _lines(text))
    return tuple(path for path in paths if path)[:MOST_PATHS]


def is_missing(text: str) -> bool:
    """Return whether an error text reports a missing path, named or not."""
    short = text[:LONGEST_TEXT]
    if any(map(_missing, _lines(short))):
        return True
    # A program that is not installed does not count: `spawn .../rg ENOENT`.
    spawned = any("spawn" in line and "ENOENT" in line for line in short.splitlines())
    if not spawned and re.search(_WITHOUT_PATH, short):
        return True
    return any(re.search(_ENDING, line) for line in _lines(short))


def word_of(path: str, text: str, folder: str | None) -> str:
    """Return how a call has a path that an error names, "" if the call cannot have
    meant it.

    `text` is the text of the call, `folder` where it ran: many programs put that before
    a path. A path below a folder that the call names too is returned as it is.
    """
    # A name without either may be a program's or a word's: `make: cc: No such file`.
    if not re.search(r"[/\\]|\.[A-Za-z]", path):
        return ""
    text = "\n".join((text, *islice(_in_braces(text), _MOST_ALTERNATIVES)))
    searched = text.replace("\\", "/")  # as long as the text itself
    plain = path.partition("::")[0].removeprefix("file://").replace("\\", "/")
    plain = plain.removeprefix("./").rstrip("/")
    top = (folder or "").replace("\\", "/").rstrip("/") + "/"
    # macOS puts the second before its /tmp and /var.
    tops = (top, f"/private{top}") if folder else ()
    inner = [plain[len(each) :] for each in tops if plain.startswith(each)]
    below = inner[0] if inner else ""
    found = _word(below or plain, searched)
    if found:
        return text[found.start() : found.end()].removesuffix("/...")
    names = below.split("/")
    for at in range(1, len(names)):
        parts = ("/".join(names[:at]), "/".join(names[at:]))
        if all(_word(part, searched) for part in parts):
            return path
    return ""


def _in_braces(text: str) -> Iterator[str]:
    """Yield what a shell makes of `src/{a,b}.md`: `src/a.md`, `src/b.md`."""
    for word in text.split():
        # A longer one is data.
        parts = re.split(r"[{}]", word) if "{" in word and len(word) < _LONGEST else ()
        if len(parts) == 3 and "," in parts[1]:
            before, inside, after = parts
            yield from (f"{before}{each}{after}" for each in inside.split(","))


def _word(path: str, text: str) -> re.Match[str] | None:
    """Return where a path, or one below it, is a word of a text."""
    ends = r"(?![\w-]|\.\w)"
    below = r"(?:/[^\s'\"`;|&<>()=,:]*)?"
    pattern = rf"(?<![\w.~/-])(?:\./)*{re.escape(path)}{below}{ends}"
    return re.search(pattern, text) if path else None


def already_suggested(text: str) -> bool:
    """Return whether the text already suggests another path."""
    return re.search(_SUGGESTED, text[:LONGEST_TEXT]) is not None


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of an error that may report a missing path."""
    # Programs that take the host's pipe for a terminal colour their messages.
    plain = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text[:LONGEST_TEXT])
    plain = re.sub(
        _FOLDED,
        # PowerShell folds within a word, and version 7 puts a `|` before.
        lambda folded: re.sub(
            r"\s*\n[ |\n]*", "" if folded[0].startswith("Cannot") else " ", folded[0]
        ),
        plain,
    )
    if not _has_keyword(plain):  # nearly every tool output: it need not be split
        return
    for line in plain.splitlines():
        # Claude Code puts the errors of its own tools in this tag.
        untagged = line.strip().removeprefix("<tool_use_error>")
        message = untagged.removesuffix("</tool_use_error>")
        if len(message) <= LONGEST_LINE and _has_keyword(message):
            yield message


def _has_keyword(text: str) -> bool:
    low = text.lower()
    return any(keyword in low for keyword in MISSING_WORDS)


def _missing(line: str) -> str | None:
    """Return the path that a line reports as missing, by the first shape that fits."""
    shapes = _listed("error_shapes.txt")
    for shape in shapes:
        match = _compiled(shape).search(line)
        if match:
            groups = match.groupdict()
            bare = groups.get("e") or ""
            if shape is shapes[-1]:  # the name of a program may be before the path
                bare = bare.rsplit(": ", 1)[-1]
            quoted = filter(None, map(groups.get, "abcd"))
            path = next(quoted, bare.removeprefix("*** ").strip())
            return path if path and not re.match(_NO_PATH, path) else None
    return _missing_in_translation(line)


_QUOTES = (
    ("'", "'"),
    ('"', '"'),
    ("`", "'"),
    ("\u2018", "\u2019"),
    ("\u201c", "\u201d"),
    ("\u201e", "\u201c"),
    ("«", "»"),
    ("「", "」"),
)
_PATH_LIKE = re.compile(r"[\w.@~+-]*(?:/[\w.@~+-]*)+|[\w@+-]+\.[A-Za-z]\w*", re.ASCII)
"""ASCII only: Chinese and Japanese have no blanks between a path and the next word."""
_COLON = "\uff1a"
_COMMA = "\uff0c"
"""The wide signs of Chinese and Japanese."""
_OF_GIT = "|".join(map(re.escape, chain(*GIT.values())))
_OF_C = "|".join(map(re.escape, chain(*GONE.values())))
_ENDING = rf"(?::\s+|{_COLON})(?:{_OF_C})[.\u3002]?$"
_CALLS = ("open", "stat")
"""Calls of the system that a message may have in quotes."""


def _missing_in_translation(line: str) -> str | None:
    """Return the path that a line reports as missing in another language."""
    if re.search(_OF_GIT, line):
        # `fatal: ungültige Quelle, Quelle=a.md, Ziel=b.md`
        source = re.search(rf"[,{_COMMA}]\s?\w+=([^,{_COMMA}]+)[,{_COMMA}]", line)
        return source[1] if source else _quoted(line)
    gone = re.search(_ENDING, line)
    if gone is None:
        return None
    # The nearest part that has a path: `tar: a.tar: Funktion open fehlgeschlagen`.
    parts = re.split(rf":\s+|{_COLON}", line[: gone.start()])
    # The first is the program's name, unless it is all that there is.
    for part in reversed(parts[1:] or parts):
        path = _quoted(part) or _bare(part.strip(" \xa0"))
        if path:
            return path
    return None


def _quoted(text: str) -> str | None:
    """Return the last text in quotes, of any language."""
    quoted: list[re.Match[str]] = []
    for opening, closing in _QUOTES:
        # Behind a letter it is an apostrophe: `l'accès`.
        pattern = rf"(?<!\w){opening}([^{opening}{closing}]+){closing}"
        quoted += [
            match for match in re.finditer(pattern, text) if match[1] not in _CALLS
        ]
    last = max(quoted, key=lambda match: match.start(), default=None)
    # French sets its quotes apart by blanks that do not break.
    return last[1].strip(" \xa0") if last else None


def _bare(text: str) -> str | None:
    """Return a text without blanks, or the only word of a sentence that looks like a
    path.
    """
    # A number is a line's: `Zeile 3: a.sh: ...`.
    if text and not re.search(r"\s", text) and not text.isdecimal():
        return text
    words = _PATH_LIKE.findall(text)
    return words[0] if len(words) == 1 else None


@cache
def _listed(name: str) -> Sequence[str]:
    """Return the lines of a table without its comments and examples."""
    with open(f"{os.path.dirname(__file__)}/{name}", encoding="utf-8") as file:
        lines = file.read().split("\n")
    return [line for line in lines if line and not line.startswith(("#", "+ ", "- "))]


@cache  # one by one: most texts match one of the first
def _compiled(shape: str) -> re.Pattern[str]:
    return re.compile(re.sub("|".join(_WORDS), lambda word: _WORDS[word[0]], shape))
