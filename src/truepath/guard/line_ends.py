"""The line ends of an edit, made those of its file, for a tool that compares bytes.

Of two files that look the same to a model, one ends its lines in CRLF. Most tools find
a text in either. Where one surely does not, and the file has the text exactly as often
as the call asks once its line ends are the file's, the call runs with these.

Pure: texts in, texts out. The caller knows files, tools and sessions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from truepath.calls.contents import Edit
from truepath.records import dataclass

COMPARE_BYTES = frozenset(
    {
        ("strands", "file_editor"),
        ("google-adk", "EditFile"),
    }
)
"""Frameworks and their own tools that take a text's line ends as they are: Strands
1.62.0 does not find it, and Google ADK 2.13.0 finds it and puts the new text in with
the ends that were sent. A tool that reads a file as Python does by default is the
opposite: it finds LF in a file with CRLF, and never CRLF."""

_ENDS = {"CRLF": "\r\n", "LF": "\n", "CR": "\r"}
"""Name of a kind of line end -> the line end."""

_SENT = ("CRLF", "LF")
"""Those that models send; a CR alone is a sign in a text."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """An edit with the line ends of its file."""

    edit: Edit
    """The edit as it was sent."""
    old: str
    new: str
    ends: str
    """What its lines end in now: CRLF, LF or CR."""


def may_differ(edits: Sequence[Edit], *, in_bytes: bool) -> bool:
    """Return whether an edit may be sent with other line ends than its file has, as far
    as the call tells.

    `in_bytes` says whether the tool is known to compare bytes. Of any other, only CRLF
    is a difference: where a file has none, no tool finds it.
    """
    kinds = {_kind_of(edit.old) for edit in edits}
    return "CRLF" in kinds or (in_bytes and "LF" in kinds)


def fitted(text: str, edits: Sequence[Edit], *, in_bytes: bool) -> list[Fitted]:
    """Return those of a call's edits of one file that fit it with other line ends
    alone, as they fit; none if any edit does not fit it in either way.

    `text` is the file as it is, with its line ends.
    """
    # Beside a lone CR, what is put in may make a CRLF of it.
    if "\n" in text and "\r" in text.replace("\r\n", ""):
        return []
    now = text
    changed: list[Fitted] = []
    is_split = False
    for edit in edits:
        if edit.old in text or edit.old in now:
            fit = Fitted(edit, edit.old, edit.new, "")
            starts = _starts(now, edit.old)
            is_split |= not all(_is_whole(now, start, edit.old) for start in starts)
        else:
            found = _fitted(text, edit, in_bytes=in_bytes)
            # An edit before it may have made another place, or changed this one.
            if found is None or _fitted(now, edit, in_bytes=in_bytes) != found:
                return []
            changed.append(found)
            fit = found
        now = now.replace(fit.old, fit.new, -1 if edit.every else 1)
    # The call failed as it was sent: it must not run and leave half of a CRLF.
    return [] if is_split else changed


def _fitted(text: str, edit: Edit, *, in_bytes: bool) -> Fitted | None:
    """Return an edit whose text is in a file as often as it asks with one other kind of
    line ends, and nowhere with several; None if it is not.
    """
    sent = _kind_of(edit.old)
    # Line ends that are to change, or differ within the text, are meant.
    if edit.at is None or sent not in _SENT or _kind_of(edit.new) not in ("", sent):
        return None
    found = [*_with_other_ends(text, edit, sent)]
    if len(found) != 1:
        return None
    fit, count = found[0]
    alike = len([*_starts(_plain(text), _plain(edit.old))])
    is_asked = count == 1 or (edit.every and count == text.count(fit.old))
    if count != alike or not is_asked or fit.old == fit.new:
        return None
    # Where nothing is known of the tool, only a file without CR is as it reads it.
    knows = in_bytes or (fit.ends == "LF" and "\r" not in text)
    return fit if knows else None


def _with_other_ends(text: str, edit: Edit, sent: str) -> Iterator[tuple[Fitted, int]]:
    """Yield an edit with each other kind of line ends that a file has it with, and how
    often a tool finds it, in the middle of a CRLF too.
    """
    for kind, end in _ENDS.items():
        if kind == sent:
            continue
        old, new = (each.replace(_ENDS[sent], end) for each in (edit.old, edit.new))
        starts = [*_starts(text, old)]
        if any(_is_whole(text, start, old) for start in starts):
            yield Fitted(edit, old, new, kind), len(starts)


def _kind_of(text: str) -> str:
    """Return what the lines of a text end in: CRLF, LF or CR; "" if it has no line
    end, `mixed` if it has several kinds.
    """
    windows = text.count("\r\n")
    counts = {
        "CRLF": windows,
        "LF": text.count("\n") - windows,
        "CR": text.count("\r") - windows,
    }
    kinds = [kind for kind, count in counts.items() if count]
    if len(kinds) > 1:
        return "mixed"
    return kinds[0] if kinds else ""


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _starts(text: str, part: str) -> Iterator[int]:
    """Yield where a text is in another, also where it overlaps itself."""
    start = text.find(part)
    while start >= 0:
        yield start
        start = text.find(part, start + 1)


def _is_whole(text: str, start: int, part: str) -> bool:
    """Return whether a part of a text begins and ends beside its CRLF, not in one."""
    end = start + len(part)
    return text[start - 1 : start + 1] != "\r\n" and text[end - 1 : end + 1] != "\r\n"
