"""Every word that an agent reads.

Short, the answer in the first line, names quoted and escaped: a file name is hostile text.
"""

from __future__ import annotations

import posixpath
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from truepath.call import NOT_SEARCHED, Action, Candidate, Resolution

SCHEMA = 1
"""The version of the payload; it grows by new keys only."""

NOT_FOUND = "PATH_NOT_FOUND"
CORRECTED = "PATH_CORRECTED"
NOT_A_FILE = "PATH_IS_NOT_A_FILE"
NOT_A_FOLDER = "PATH_IS_NOT_A_FOLDER"
SLIP = "PATH_LOOKS_WRONG"
OTHER_CHECKOUT = "PATH_IN_OTHER_CHECKOUT"
SHIFT = "STRATEGY_SHIFT"
UNSEEN = "LOOK_FIRST"

SHOWN = 3
"""Candidates in the text: forty names fed one agent's loop, three do not."""

LISTED = 12
"""Entries of the nearest folder in the text."""

LONGEST = 1900
"""Characters of a whole answer; hosts cut or drop long ones."""

_LONGEST_NAME = 160
"""Characters of one name in a text."""

_LONGEST_PATH = 320  # the longest in 90 repositories has 246, below the project's own folder

_LONGEST_NOTE = 480  # two names, of which a cut would make a third

_REASONS = {
    "same-name": "same name",
    "look-alike": "the same but for case, spaces or accents",
    "name-case": "same name but for case",
    "folder-case": "same path but for case",
    "same-format": "same name, other extension",
    "sibling-extension": "same name, other extension",
    "other-extension": "same name, other extension",
    "separators": "same name, other separators",
    "plural": "same name but for a plural",
    "test-affix": "same name but for the test prefix",
    "one-edit": "one letter off",
    "two-edits": "two letters off",
    "word-added": "same name and a word more",
    "word-dropped": "same name and a word less",
    "same-words": "same words in another order",
    "close-name": "a similar name",
    "package-file": "the file of the folder of that name",
    "module-file": "the module of that name",
    "same-folder": "same folder",
    "same-parent": "same parent folder",
    "extra-leading": "without the leading folders",
    "missing-leading": "below leading folders that were left out",
    "missing-middle": "one folder deeper",
    "missing-last": "one folder deeper",
    "extra-middle": "a folder less",
    "extra-last": "one folder up",
    "folder-slip": "one folder is spelled differently",
    "folder-words": "one folder has a word more or less",
    "doubled": "with the repeated folder once",
    "other-checkout": "this project's own copy",
    "not-here": "its place in this project, not there yet",
    "from-checkout": "the same path in this project",
    "other-home": "the same path in this project",
    "only-one": "the only one of that name",
    "repeats-cwd": "you already stand in that folder: leave it out",
    "from-root": "relative to the project root",
    "root-name": "the project's own name left out",
    "lost-slash": "with its leading slash",
    "home": "with your home folder written out",
    "home-slip": "in your real home folder",
    "root-slip": "in the real project folder",
    "root-name-elsewhere": "the same path in this project",
    "container-root": "the same path in this project",
    "rooted-at-project": "relative to the project root",
    "case": "differs by case alone",
    "one-letter": "differs by a letter or two",
    "cut-off": "begins with the same letters",
    "same-below": "holds the same folders",
}
"""What each kind of evidence says to a reader; what is not here is not worth a word."""

_SESSION = {
    "read-this-session": "used in this session",
    "not-committed": "changed and not committed yet",
    "same-folder-as-work": "in a folder used in this session",
}
"""What tells equals apart; always told."""


def shown(name: str, *, longest: int = _LONGEST_NAME) -> str:
    """Return a name as it may stand in a text: quoted, on one line, cut, nothing left to obey.

    Control, format and unassigned characters (escape codes, newlines, text direction) are
    written as escapes, so a name can neither end its line nor look like one of ours.
    """
    safe = "".join(
        char if char == " " or _is_plain(char) else char.encode("unicode_escape").decode()
        for char in name.replace("`", "'")
    )
    if max(map(len, safe.split("/"))) <= _LONGEST_NAME:
        longest = max(longest, _LONGEST_PATH)
    if len(safe) > longest:
        keep = longest // 2 - 2
        safe = f"{safe[:keep]}...{safe[-keep:]}"
    return f"`{safe}`"


def _is_plain(char: str) -> bool:
    return (char.isascii() and char.isprintable()) or unicodedata.category(char)[0] in "LMNPS"


def named(resolution: Resolution) -> tuple[Candidate, ...]:
    """Return the candidates that an answer may name: none for what is absent, and for what is of
    the wrong kind only what stands next to it.
    """
    if resolution.status == "absent":
        return ()
    if resolution.status != "directory":
        return resolution.candidates
    beside = [each for each in resolution.candidates if "same-folder" in each.evidence]
    return tuple(each for each in beside if each.folder is _is_file(resolution))


def what_stands(resolution: Resolution) -> str:
    """Say what stands at a path where another kind is meant."""
    return "a file, not a folder" if _is_file(resolution) else "a folder, not a file"


def reason(candidate: Candidate) -> str:
    """Say in a few words what speaks for a candidate."""
    if "not-here" in candidate.evidence:
        return _REASONS["not-here"]
    known = [_REASONS[each] for each in candidate.evidence if each in _REASONS]
    used = [_SESSION[each] for each in candidate.evidence if each in _SESSION]
    return ", ".join(dict.fromkeys([*known[:3], *used[:1]]))


def corrected(pairs: Sequence[tuple[Resolution, str, str]]) -> str:
    """Tell of corrections: (resolution, the path as written, the path used)."""
    lines = []
    for resolution, written, used in pairs:
        why = _quoted_note(resolution.note) if _said_by_history(resolution) else ""
        why = why or (reason(resolution.candidates[0]) if resolution.candidates else "")
        because = f" ({why})" if why else ""
        lines.append(
            f"{CORRECTED}: {shown(written)} does not exist; used {shown(used)} "
            f"instead{because}. Use {shown(used)} from now on."
        )
    ends = accumulate(len(line) + 1 for line in lines)
    kept = [line for line, end in zip(lines, ends, strict=True) if end < LONGEST - 80] or lines[:1]
    more = len(lines) - len(kept)
    rest = f"Paths of this call that did not exist and were replaced besides: {more}."
    return "\n".join([*kept, rest] if more else kept)


def missing(
    resolution: Resolution,
    action: Action,
    *,
    folder: str,
    entries: Sequence[str],
    search: str = "",
) -> str:
    """Tell of a path that is not what it should be, and what is there instead.

    Args:
        resolution: The path's resolution.
        action: What was done about it: `refuse`, or `advise` when the call runs all the same.
        folder: The nearest folder that exists, root-relative, `""` for the root.
        entries: What stands in that folder, nearest to the wanted name first.
        search: How to search for it, in place of the next step in our own words.
    """
    lines = [_headline(resolution)]
    lines += _candidate_lines(resolution)
    if resolution.operation not in ("write", "mkdir"):
        lines += _folder_lines(folder, entries)
    lines += search.splitlines() if search else [_next_step(resolution, action)]
    return _fit(lines)


def already(resolution: Resolution, there: str) -> str:
    """Tell that what a path seems to mean is another path of the same call."""
    gone, here = shown(resolution.written), shown(there)
    return f"{NOT_FOUND}: {gone} is not there; it is already at {here}."


def unseen(resolution: Resolution) -> str:
    """Tell that a path is not made now: others of its aim were missed, and nothing looked for."""
    return (
        f"{UNSEEN}: {shown(resolution.written)} was not made: it does not exist, and you have "
        "neither listed nor searched since paths like it were not there.\n"
        "Next: list its folder or search for its name; then, if a new one is meant, send the same "
        "call again."
    )


def shift(
    *, count: int, tried: Sequence[str], known: Sequence[str], tools: Sequence[str], refusing: bool
) -> str:
    """Tell a session that keeps missing to stop and to look first.

    Args:
        count: Turns in a row that missed.
        tried: The wrong paths so far.
        known: Candidates named so far.
        tools: The host's own listing and searching tools.
        refusing: Whether changing tools are refused on missing paths until something was listed.
    """
    names = ", ".join(tools) or "a listing or search tool"
    first = f"{SHIFT}: {count} misses in a row on the same aim."
    stop = "Stop: change nothing, guess no further path."
    lines = [f"{first} {stop} Look first, with {names}; then use a path that you have seen."]
    if tried:
        lines.append("Tried in vain: " + ", ".join(shown(path) for path in tried[-5:]))
    if known:
        lines.append("Known to exist: " + ", ".join(shown(path) for path in known[:5]))
    if refusing:
        lines.append("Until you have listed or searched, changes to paths like these are refused.")
    return "\n".join(lines)


def shifted(shift: str, answer: str) -> str:
    """Put a strategy shift before an answer, of which the first lines then give way."""
    return _fit([*shift.split("\n"), *answer.split("\n")])


def joined(texts: Sequence[str]) -> str:
    """Join answers into one that no host cuts; the first is always whole."""
    kept: list[str] = []
    room = LONGEST
    for text in texts:
        if kept and len(text) + 2 > room:
            break
        kept.append(text)
        room -= len(text) + 2
    return "\n\n".join(kept)


def home(named: str, own: str) -> str:
    """Tell of a home folder that is not there, and of the agent's own."""
    return f"HOME: there is no {shown(named)}; the home folder here is {shown(own)}."


def is_ours(text: str) -> bool:
    """Return whether a text is an answer of ours that a host hands back."""
    return any(code in text for code in (NOT_FOUND, NOT_A_FILE, NOT_A_FOLDER, SLIP, SHIFT, UNSEEN))


def _headline(resolution: Resolution) -> str:
    written = shown(resolution.written)
    if resolution.status == "outside":
        return f"{OTHER_CHECKOUT}: {written} {_checkout_clause(resolution)}."
    if resolution.operation in ("write", "mkdir") and resolution.status != "directory":
        return f"{SLIP}: {written} would make a new folder that looks like a slip of another."
    if resolution.status == "directory":
        return f"{code(resolution)}: {written} is {what_stands(resolution)}."
    if resolution.status != "absent":
        why = f" ({_quoted_note(resolution.note)})" if _said_by_history(resolution) else ""
        return f"{NOT_FOUND}: {written} does not exist{why}."
    why = f" ({_quoted_note(resolution.note)})" if resolution.note else ""
    return f"{NOT_FOUND}: file not found: {written}{why}. {_scope(resolution)}".rstrip()


def _checkout_clause(resolution: Resolution) -> str:
    """Say in which other checkout a path lies."""
    mapped = resolution.candidates[0].path if resolution.candidates else ""
    top = resolution.target.removesuffix("/" + mapped)
    return f"lies in another checkout of this repository ({shown(top)}), not in this project"


def _said_by_history(resolution: Resolution) -> bool:
    best = resolution.candidates[0].evidence if resolution.candidates else ()
    return not _FROM_HISTORY.isdisjoint(best)


_FROM_HISTORY = frozenset(
    {"renamed", "folder-renamed", "renamed-uncommitted", "moved-uncommitted", "like-gone"}
)


def _quoted_note(note: str) -> str:
    """Return a note as it may stand in a text: it can hold names as they are on disk."""
    return shown(note, longest=_LONGEST_NOTE)[1:-1]


def _scope(resolution: Resolution) -> str:
    searched = resolution.searched
    if not searched.names:
        return "" if resolution.note in NOT_SEARCHED else "Nothing in this project is meant."
    history = " and the history" if searched.history else ""
    files = "file" if searched.names == 1 else "files"
    files = files if searched.untracked else f"tracked {files}"
    ignored = "" if searched.ignored else "; ignored files were not searched"
    return f"Searched {searched.names:,} {files}{history}: no such file in this project{ignored}."


def _candidate_lines(resolution: Resolution) -> list[str]:
    found = named(resolution)
    best = found[:SHOWN]
    if not best:
        return []
    lines = ["Candidates, from the project root:" if _is_below_root(resolution) else "Candidates:"]
    for candidate in best:
        why = reason(candidate)
        slash = "/" if candidate.folder else ""
        lines.append(f"- {shown(candidate.path + slash)}" + (f" ({why})" if why else ""))
    more = len(found) - len(best)
    if more > 0 and found[SHOWN].confidence >= best[-1].confidence / 2:
        lines.append(f"- and {more} more, less likely or as likely")
    return lines


def _is_file(resolution: Resolution) -> bool:
    """Return whether a file stands where a folder is meant, and not the reverse."""
    return resolution.note == "file"


def _is_below_root(resolution: Resolution) -> bool:
    """Return whether a path was written relative to a folder below the root."""
    written = posixpath.normpath(resolution.written)
    return written.startswith("../") or not written.endswith(resolution.target)


def _folder_lines(folder: str, entries: Sequence[str]) -> list[str]:
    if not entries:
        return []
    listed = ", ".join(shown(entry) for entry in entries[:LISTED])
    more = f" and {len(entries) - LISTED} more" if len(entries) > LISTED else ""
    where = shown(folder + "/") if folder else "the project root"
    return [f"In {where}: {listed}{more}"]


_NEXT_NAME = {"mkdir": "give the new folder another name", "write": "name a file in it"}


def _next_step(resolution: Resolution, action: Action) -> str:
    if resolution.status == "outside":
        unless = ", unless the other checkout is meant" if action == "advise" else ""
        return f"Next: use the path in this project{unless}."
    if resolution.status == "directory":
        other = "name a folder" if _is_file(resolution) else "list the folder, or name a file in it"
        return f"Next: {_NEXT_NAME.get(resolution.operation, other)}."
    if resolution.operation in ("write", "mkdir"):
        if action == "advise":
            return "Next: use the existing folder, unless the new one is meant."
        return "Next: use the existing folder, or send the same call again if the new one is meant."
    if resolution.searched.cut_short:
        return "The search was cut short, so others may exist. Next: search by name (glob or find)."
    if resolution.status == "resolved":
        which = "this path" if len(resolution.candidates) == 1 else "the first of these"
        return f"Next: use {which}{', from now on' if action == 'advise' else ''}."
    if resolution.status == "ambiguous":
        return "Next: use one of these if it is what you mean; else search by name (glob or find)."
    return "Next: search by name (glob or find) before trying another path; do not guess."


def _fit(lines: Sequence[str]) -> str:
    """Join the lines that fit; the first and the last always do."""
    first, *middle, last = lines
    room = LONGEST - len(first) - len(last) - 2
    kept = []
    for line in middle:
        if room < len(line) + 1:
            continue
        kept.append(line)
        room -= len(line) + 1
    return "\n".join([first, *kept, last])


def code(resolution: Resolution) -> str:
    """Return the code that stands first in the answer to a resolution."""
    if resolution.status == "directory":
        return NOT_A_FOLDER if _is_file(resolution) else NOT_A_FILE
    if resolution.status == "outside":
        return OTHER_CHECKOUT
    return SLIP if resolution.operation in ("write", "mkdir") else NOT_FOUND


def payload(code: str, resolutions: Sequence[Resolution], **more: Any) -> Mapping[str, Any]:
    """Return the answer as data: the same content, with every candidate."""
    return {
        "schema": SCHEMA,
        "code": code,
        "paths": [resolution.to_dict() for resolution in resolutions],
        **more,
    }
