"""The paths that a written path may mean once its decorations are removed.

Pure text: it knows no disk and no project, so it offers readings and never chooses one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from truepath.paths import INVISIBLE, LONGEST, SPACES, STRAIGHT, Flavour, tighten
from truepath.records import dataclass

MOST = 16
"""Readings of one written path, itself included: each costs the caller a look at the disk."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """One reading of a written path."""

    text: str
    undone: tuple[str, ...] = ()
    """Names of the decorations taken off, outermost first; empty for the path as written."""


def spellings(
    written: str, *, flavour: Flavour = "posix", home: str | None = None
) -> tuple[Spelling, ...]:
    """Return the readings of `written`, most likely first, without duplicates, at most `MOST`.

    The first is `written` itself. Then come the readings that take off one decoration after
    the other, and last the other combinations. A reading is never empty, and ends in a slash
    when what it reads does. A clean path has one reading.

    Args:
        written: The path exactly as the agent wrote it; any text.
        flavour: Whose rules a plain path follows: on Windows a backslash is no decoration.
        home: The user's home folder, for `~` and `$HOME`; without it they stay as they are.
    """
    first = Spelling(written)
    if len(written) > LONGEST or re.fullmatch(_CLEAN, written):
        return (first,)
    place = _Place(flavour, home)
    found = {written: first}
    _peel(found, first, place)
    _combine(found, place)
    return tuple(found.values())


# Patterns are compiled where they are first used: a hook's process seldom needs more than one.
_CLEAN = r"(?a)(?!/?[A-Za-z]/)[\w./+=-]*[\w/+=-]"
"""What no step below changes; most paths, so they cost one match."""


@dataclass(frozen=True, slots=True)
class _Place:
    flavour: Flavour
    home: str | None


_Readings = Iterator[tuple[str, str]]
"""Pairs of a decoration's name and the text without it."""


def _peel(found: dict[str, Spelling], reading: Spelling | None, place: _Place) -> None:
    """Add the line of readings that undoes one decoration after the other."""
    while reading and len(found) < MOST:
        reading = next((new for new in _undo(reading, place) if new.text not in found), None)
        if reading:
            found[reading.text] = reading


def _combine(found: dict[str, Spelling], place: _Place) -> None:
    """Add what undoing any one decoration of any reading gives, up to the limit."""
    queue = list(found.values())
    for reading in queue:
        for new in _undo(reading, place):
            if len(found) == MOST:
                return
            if new.text not in found:
                found[new.text] = new
                queue.append(new)


def _undo(reading: Spelling, place: _Place) -> Iterator[Spelling]:
    """Yield the reading with one decoration more undone, in the order of `_STEPS`."""
    text, done = reading.text, reading.undone
    slash = text.endswith("/")
    present = set(text)
    for signs, step in _STEPS:
        if signs and present.isdisjoint(signs):
            continue
        for name, new in step(text, place):
            if new.strip() and new.endswith("/") >= slash:
                yield Spelling(new, done if name in done else (*done, name))


_QUOTE_MARKS = (
    "\"'\u00b4\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f"
    "\u00ab\u00bb\u2039\u203a\u300c\u300d\u300e\u300f\uff02\uff07"
)
_QUOTED = rf"(?s)\\?[{_QUOTE_MARKS}](.+?)\\?[{_QUOTE_MARKS}][.,;:]?"
_HALF_QUOTED = rf"(?s)\\?[{_QUOTE_MARKS}](?P<a>.+)|(?P<b>.+?)\\?[{_QUOTE_MARKS}]"
_BACKTICKED = r"(`+)([^`]+)\1[.,;:]?|`+([^`]+)|([^`]+)`+"
_TAGGED = r"(?s)(?:<[A-Za-z][\w:-]*>)?(.+?)</[A-Za-z][\w:-]*>?"
_ANSI = r"\x1b\[[0-9;]*[A-Za-z]"


def _trim(text: str, _: _Place) -> _Readings:
    inner = text.strip()
    if inner != text:
        tail = text[len(text.rstrip()) :]
        yield ("trailing_newline" if set("\r\n") & set(tail) else "spaces"), inner
    # A newline that was escaped once too often is two characters.
    elif text.endswith("\\n") and (escaped := re.fullmatch(r"(.+\.\w+?)(?:\\r)?\\n", text)):
        yield "trailing_newline", escaped[1]


def _invisible(text: str, _: _Place) -> _Readings:
    if text.isascii() and text.isprintable():
        return
    shown = re.sub(_ANSI, "", text).replace("\0", "").translate(INVISIBLE)
    if shown != text:
        yield "invisible", shown


def _tag(text: str, _: _Place) -> _Readings:
    # The end of the XML in which some models write their tool calls: `a.py</path>`.
    if match := re.fullmatch(_TAGGED, text):
        yield "tag", match[1]
    elif text[:1] == "<" and text[-1:] == ">":
        yield "angle_brackets", text[1:-1]


def _quotes(text: str, _: _Place) -> _Readings:
    if ticks := re.fullmatch(_BACKTICKED, text):
        yield "backticks", ticks[2] or ticks[3] or ticks[4]
    if match := re.fullmatch(_QUOTED, text):
        yield "quotes", match[1]
    elif (half := re.fullmatch(_HALF_QUOTED, text)) and _marks(text) == 1:
        yield "quotes", half["a"] or half["b"]
    # Bold, but not the glob `**/x`.
    if (bold := re.fullmatch(r"\*\*([^*]+)\*\*", text)) and text[2] != "/" != text[-3]:
        yield "bold", bold[1]


def _marks(text: str) -> int:
    return sum(text.count(mark) for mark in _QUOTE_MARKS)


def _json(text: str, _: _Place) -> _Readings:
    # An argument that was filled with all the arguments, or with a list.
    one = re.fullmatch(r'\s*(?:\{\s*"\w+"\s*:\s*|\[\s*)"([^"\\]+)"\s*[]}]\s*', text)
    if one:
        yield "json", one[1]


def _markdown_link(text: str, _: _Place) -> _Readings:
    label, link, target = text.lstrip("!").partition("](")
    if not (link and label.startswith("[") and target.endswith(")")):
        return
    target = re.sub(r"\s[\"'][^\"']*[\"']$", "", target[:-1])  # a title
    if "://" not in target or target.startswith("file:"):
        yield "markdown_link", target
    yield "markdown_link", label[1:]


def _file_url(text: str, place: _Place) -> _Readings:
    match = re.fullmatch(r"(?is)file:(//)?(localhost(?=/))?(.+)", text)
    if not match:
        return
    path = _percent_decoded(match[3])
    if re.match(r"/[A-Za-z]:(/|\\|\Z)", path):
        path = path[1:]
    elif match[1] and not match[2] and place.flavour == "windows" and path[0] not in "/\\":
        yield "file_url", "//" + path  # file://server/share
    yield "file_url", path


def _leading_colon(text: str, _: _Place) -> _Readings:
    if text[:1] == ":" and text[1:2] not in ("", ":"):
        yield "leading_colon", text.lstrip(":")


def _at_sign(text: str, _: _Place) -> _Readings:
    match = re.fullmatch(r"(?s)(?:[@#]file:|@)([^@\s].*)", text)
    if match and match[1] != "/":
        yield "at_sign", match[1]
        if match[1].startswith("/"):
            yield "at_sign", match[1].lstrip("/")  # `@/x` is an alias, of `src` or of the root


def _diff_prefix(text: str, _: _Place) -> _Readings:
    # Git's sides: a/ b/, and i/ w/ c/ o/ with diff.mnemonicPrefix.
    if "/" not in (text[1:2], text[5:6]):
        return
    if match := re.fullmatch(r"(?s)(?:(?:---|\+\+\+) )?[abciow]/([^/].*)", text):
        yield "diff_prefix", match[1]


_LINE = (
    (":", r"(?s)(.+?):L?\d+(?:[-:,]L?\d+)*(?::.*)?"),
    ("(", r"(?s)(.+?)\(\d+[,:] ?\d+(?:[-,:]\d+)*\)(?::.*)?"),
    ("(", r"(?s)(.+\.\w+)\(\d+\)(?::.*)?"),
    ("line", r"(?:File )?(.+\.\w+[\"'`]?)[:,]? \(?lines? \d+(?:\s?-\s?\d+)?\)?(?:, in .*)?"),
)
"""`a:12:5`, `a(12,5)`, `a.c(12)`, `File "a.py", line 12`; with what a tool printed behind."""
_FRAGMENT = (
    r"(?s)(.+?)(?:\?[\w=&-]*)?#L\d+(?:C\d+)?(?:-L?\d+(?:C\d+)?)?"
    r"|(.+\.\w+)(?:#[\w-]+|\?[\w=&-]+)"
)
_NODE = r"(?s)(.+?\.\w+)::.*"
_SYMBOL = r"(?s)(.+\.[A-Za-z]\w*):[A-Za-z_][\w.]*(?:\(\))?"
_TIME = r"(?:^|/)[^./:]*(?<!\d)[012]?\d:[0-5]\d(?::[0-5]\d)?\Z"
"""A name like `at-12:30`; after a dot (`a.2:30`) the second number is a line."""
_CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<"}
_STOPS = ",;:!?\u3002\uff0c\u3001\uff1b\uff1a\uff09"


def _fragment(text: str, _: _Place) -> _Readings:
    if match := re.fullmatch(_FRAGMENT, text):
        yield "fragment", match[1] or match[2]


def _line_number(text: str, _: _Place) -> _Readings:
    if "::" in text and (match := re.fullmatch(_NODE, text)):
        yield "node_id", match[1]
        return
    if ":" in text and re.search(_TIME, text):
        return
    for sign, pattern in _LINE:
        match = re.fullmatch(pattern, text) if sign in text else None
        if match and len(match[1]) > 1:  # `C:1` is on a drive
            yield "line_number", match[1]
            return


def _revision(text: str, _: _Place) -> _Readings:
    # Git's name of a file as last committed; as of an older commit it is another text.
    if text.startswith("HEAD:") and text[5:6] != ":":
        yield "revision", text[5:]


def _symbol(text: str, _: _Place) -> _Readings:
    if match := re.fullmatch(_SYMBOL, text):
        yield "symbol", match[1]


def _punctuation(text: str, _: _Place) -> _Readings:
    last, rest = text[-1:], text[:-1]
    if not rest.strip(_STOPS):
        return
    opener = _CLOSERS.get(last)
    unbalanced = opener is not None and text.count(last) > text.count(opener)
    full_stop = last == "." and rest[-1] not in "./\\"
    if unbalanced or full_stop or last in _STOPS:
        yield "punctuation", rest


_ESCAPE = r"\\+(?=[ !-/:-@\[\]^_`{|}~])"
_MARKDOWN_ESCAPE = r"\\+(?=[_*#~`\[\]])"
"""What is left of it on Windows, where a backslash before a dot or a space parts two names."""
_OCTAL = r"(?:\\[2-3][0-7]{2})+"
_PERCENT = r"(?:%(?!00)[0-9A-Fa-f]{2})+"
_EATEN = dict(zip(map(ord, "\a\b\t\n\v\f\r"), map("/{}".format, "abtnvfr"), strict=True))
_HOME = (
    r"(?i)(?:~|\$\{?HOME\}?|\$\{?USERPROFILE\}?|%USERPROFILE%|\$env:(?:HOME|USERPROFILE))"
    r"(?=[/\\]|\Z)"
)
_HERE = (
    r"(?:\$\{?PWD\}?|\$\(pwd\)|`pwd`|%CD%|\$\{workspace(?:Folder|Root)\}"
    r"|\$\{?(?:CLAUDE|GEMINI|CURSOR)_PROJECT_DIR\}?)(?=[/\\]|\Z)[/\\]*"
)


def _backslashes(text: str, place: _Place) -> _Readings:
    readings = [*_octal(text), *_separators(text, place)]
    plain = re.sub(_MARKDOWN_ESCAPE if place.flavour == "windows" else _ESCAPE, "", text)
    if plain != text:
        # `Source\_Photos` is an escape for certain only when nothing else is behind a backslash.
        sure = "\\" not in plain
        name = "shell_escape" if re.search(r"\\[ '\"&;$]", text) else "markdown_escape"
        readings.insert(0 if sure else len(readings), (name, plain))
    yield from readings


def _octal(text: str) -> _Readings:
    r"""Yield the text without git's quoting of bytes (`\303\244`), where they are UTF-8."""
    try:
        plain = re.sub(_OCTAL, lambda run: _from_octal(run[0]), text)
    except UnicodeDecodeError:
        return  # folders named by numbers, then
    if plain != text:
        yield "octal_escape", plain


def _from_octal(run: str) -> str:
    return bytes(int(code, 8) for code in run.split("\\")[1:]).decode("utf-8")


def _separators(text: str, place: _Place) -> _Readings:
    if not text.strip("\\/"):
        return
    if place.flavour != "windows":
        yield "backslashes", re.sub(r"\\+", "/", text)
    elif "\\\\" in text[1:] or text.startswith("\\\\\\"):
        yield "doubled_backslashes", text.replace("\\\\", "\\")


def _eaten_escape(text: str, _: _Place) -> _Readings:
    # `C:\temp\new` in a JSON string is `C:`, a tab, `emp`, a newline, `ew`.
    if text.isprintable() or text.strip() != text:
        return
    whole = text.translate(_EATEN)
    if whole != text:
        yield "eaten_escape", whole


def _percent(text: str, _: _Place) -> _Readings:
    plain = _percent_decoded(text)
    if plain != text:
        yield "percent", plain


def _percent_decoded(text: str) -> str:
    return re.sub(
        _PERCENT,
        lambda run: bytes.fromhex(run[0].replace("%", "")).decode("utf-8", "surrogateescape"),
        text,
    )


def _home(text: str, place: _Place) -> _Readings:
    if place.home and (match := re.match(_HOME, text)):
        yield "home", (place.home.rstrip("/\\") + text[match.end() :]) or "/"
    elif match := re.match(_HERE, text):
        yield "working_folder", text[match.end() :] or ("./" if text[-1] in "/\\" else ".")


def _drive(text: str, place: _Place) -> _Readings:
    # Windows as WSL mounts it; on Windows itself such a path is a plain one.
    if place.flavour == "posix" and (match := re.match(r"([A-Za-z]):(?=/)|/([a-z])(?=/)", text)):
        yield "drive", f"/mnt/{(match[1] or match[2]).lower()}{text[match.end() :]}"


def _typography(text: str, _: _Place) -> _Readings:
    if text.isascii():
        return
    for name, table in (("unicode_spaces", SPACES), ("curly_quotes", STRAIGHT)):
        plain = text.translate(table)
        if plain != text:
            yield name, plain


def _cjk_spaces(text: str, _: _Place) -> _Readings:
    tight = tighten(text)
    if tight != text:
        yield "cjk_spaces", tight


def _forms(text: str, _: _Place) -> _Readings:
    if text.isascii():
        return
    from unicodedata import normalize

    for name, form in (("nfc", normalize("NFC", text)), ("nfd", normalize("NFD", text))):
        if form != text:
            yield name, form


_STEPS: tuple[tuple[str, Callable[[str, _Place], _Readings]], ...] = (
    ("", _trim),
    ("", _invisible),
    (_QUOTE_MARKS + "`*", _quotes),
    ("{[", _json),
    ("[", _markdown_link),
    ("<", _tag),
    (":", _file_url),
    (":", _leading_colon),
    ("#?", _fragment),
    (":( ", _line_number),
    ("@#", _at_sign),
    ("~$%`", _home),
    ("\\", _backslashes),
    ("%", _percent),
    ("/", _drive),
    ("", _eaten_escape),
    ("", _typography),
    ("", _cjk_spaces),
    ("/", _diff_prefix),
    (":", _revision),
    (":", _symbol),
    ("", _punctuation),
    ("", _forms),
)
"""Each step with the characters of which a text needs one for it; none: it is always tried.
The order is from the outside in and from the certain to the guessed: each works on what those
before it left, and a full stop or a Unicode form changes a path's meaning more than a quote."""
