"""Every word that an agent reads.

Short, the answer in the first line, names quoted and escaped: a file name is hostile text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from truepath.guard.reasons import SESSION, of_contents, reason
from truepath.quoting import shown
from truepath.resolve.named import MAKING, SHOWN, has_sure, named, namesakes
from truepath.resolve.nearby import Around
from truepath.types import NOT_SEARCHED, Action, Candidate, Resolution

SCHEMA = 1
"""The version of the payload; it grows by new keys only."""

NOT_FOUND = "PATH_NOT_FOUND"
CORRECTED = "PATH_CORRECTED"
ASSUMED = "PATH_ASSUMED"
NOT_A_FILE = "PATH_IS_NOT_A_FILE"
NOT_A_FOLDER = "PATH_IS_NOT_A_FOLDER"
LOOKS_WRONG = "PATH_LOOKS_WRONG"
OTHER_CHECKOUT = "PATH_IN_OTHER_CHECKOUT"
SHIFT = "STRATEGY_SHIFT"
UNSEEN = "LOOK_FIRST"
HOME = "HOME"


LIKELY = 0.3
"""The confidence of all candidates together below which the nearest folder is listed as well."""


LISTED = 12
"""Entries of the nearest folder in the text, at most."""

ROOM = 80
"""Characters of those entries, together: the likest come first, and an agent can list the rest."""

LONGEST = 1900
"""Characters of a whole answer; hosts cut or drop long ones."""

_RENAMED = frozenset({"renamed", "folder-renamed", "renamed-uncommitted", "moved-uncommitted"})
"""Evidence of a candidate that history names."""


_NOUNS = {"list": "folder", "mkdir": "folder", "read": "file", "edit": "file", "execute": "file"}


def other_kind(resolution: Resolution) -> str:
    """Name the kind of entry at a path where another kind is meant."""
    return "a file, not a folder" if _is_file(resolution) else "a folder, not a file"


def corrected(resolution: Resolution, written: str, used: str) -> str:
    """Say that a call runs on `used`, the right path, in place of the `written` one."""
    best = resolution.candidates[:1]
    why = f" ({reason})" if best and (reason := _reason(resolution, best[0])) else ""
    return f"{CORRECTED}: {shown(written)} does not exist; using {shown(used)}{why}."


def assumed(resolution: Resolution, written: str, used: str, around: Around | None = None) -> str:
    """Say that a call shows `used`, a likely file, in place of the `written` one, and why.

    Args:
        resolution: The path's resolution; its candidates after the first are named.
        written: The path as the agent wrote it.
        used: The path that the call runs on.
        around: How paths are spelled for this agent.
    """
    best, *others = named(resolution)
    why = f" ({said})" if (said := reason(best)) else ""
    noun = "folder" if best.folder else "file"
    text = f"{ASSUMED}: {shown(written)} does not exist; showing the likely {noun}, {shown(used)}"
    rest = ", ".join(_spelled(each, around or Around()) for each in others[: SHOWN - 1])
    return f"{text}{why}." + (f" Other candidates: {rest}." if rest else "")


def rewritten(lines: Sequence[str]) -> str:
    """Join the lines of a call that runs on other paths; of many, the first and a count."""
    ends = accumulate(len(line) + 1 for line in lines)
    kept = [line for line, end in zip(lines, ends, strict=True) if end < LONGEST - 80] or lines[:1]
    more = len(lines) - len(kept)
    rest = f"More paths of this call that did not exist and were replaced: {more}."
    return "\n".join([*kept, rest] if more else kept)


def missing(
    resolution: Resolution,
    action: Action,
    around: Around | None = None,
    *,
    listing: bool = False,
    search: str = "",
) -> str:
    """Report a path that is not what it should be, and what exists instead.

    Args:
        resolution: The path's resolution.
        action: What was done about it: `refuse`, or `advise` when the call runs all the same.
        around: The entries near it, and how paths are spelled for this agent.
        listing: Whether the nearest folder is listed though a candidate is likely.
        search: How to search for it, in place of the usual next step.
    """
    around = around or Around()
    if resolution.status == "outside":
        lines = [_in_other_checkout(resolution, around)]
    elif resolution.status == "directory":
        lines = _other_kind(resolution, around)
    elif resolution.operation in MAKING:
        lines = [_slip(resolution, around, action)]
    else:
        lines = _not_there(resolution, around, listing=listing, guided=bool(search))
    return _fit([*lines, *search.splitlines()])


def already(resolution: Resolution, there: str) -> str:
    """Report that a path seems to mean another path of the same call."""
    gone, here = shown(resolution.written), shown(there)
    return f"{NOT_FOUND}: {gone} is not there; it is already at {here}."


def unseen(resolution: Resolution) -> str:
    """Report that a path was not made: similar ones were missed, and nothing was searched."""
    return (
        f"{UNSEEN}: {shown(resolution.written)} was not made: similar paths did not exist, and "
        "nothing was listed or searched since. List its folder or search for its name. If a new "
        "one is meant, then send the same call again."
    )


def shift(
    *, count: int, tried: Sequence[str], known: Sequence[str], named: bool, tools: Sequence[str]
) -> str:
    """Tell a session that keeps missing to look first.

    Args:
        count: Turns in a row that missed.
        tried: The wrong paths before those of this answer.
        known: The candidates that were named before, without those of this answer.
        named: Whether this answer names any.
        tools: The host's own listing and searching tools.
    """
    before = f", before this {_row(tried)}" if tried else ""
    how = ", ".join(tools) or "a listing or search tool"
    first = f"{SHIFT}: {count} misses in a row for the same target{before}."
    stop = "Use a path that is named here, or look first" if named else "Stop guessing: look first"
    there = f" Named before: {_row(known)}." if known else ""
    return f"{first} {stop}, with {how}.{there}"


def _row(paths: Sequence[str]) -> str:
    return ", ".join(shown(path) for path in paths[-SHOWN:])


def shifted(shift: str, answer: str, *, repeated: bool = False) -> str:
    """Put a strategy shift before an answer; of one that was given before, the first line."""
    lines = answer.split("\n")
    return _fit([*shift.split("\n"), *(lines[:1] if repeated else lines)])


def joined(texts: Sequence[str]) -> str:
    """Join answers into one that no host cuts; the first is always whole."""
    kept: list[str] = []
    room = LONGEST
    for text in texts:
        if kept and len(text) + 1 > room:
            break
        kept.append(text)
        room -= len(text) + 1
    return "\n".join(kept)


def home(named: str, own: str) -> str:
    """Report a home folder that does not exist, and name the agent's own."""
    return f"{HOME}: there is no {shown(named)}; the home folder here is {shown(own)}."


def is_answer(text: str) -> bool:
    """Return whether a text is an answer of truepath that a host hands back."""
    ours = (NOT_FOUND, NOT_A_FILE, NOT_A_FOLDER, LOOKS_WRONG, OTHER_CHECKOUT, SHIFT, UNSEEN)
    return any(code in text for code in ours)


def _in_other_checkout(resolution: Resolution, around: Around) -> str:
    best = named(resolution)
    top = resolution.target.removesuffix("/" + best[0].path if best else "")
    written = shown(resolution.written)
    first = f"{OTHER_CHECKOUT}: {written} is in another checkout of this repository, {shown(top)}."
    here = ", not there yet" if best and "not-here" in best[0].evidence else ""
    return f"{first} In this project it is {_spelled(best[0], around)}{here}." if best else first


def _other_kind(resolution: Resolution, around: Around) -> list[str]:
    first = f"{code(resolution)}: {shown(resolution.written)} is {other_kind(resolution)}."
    listing = [] if _is_file(resolution) else _folder_lines(around, named(resolution))
    return [first + _did_you_mean(resolution, around), *listing]


def _slip(resolution: Resolution, around: Around, action: Action) -> str:
    """Report a path that is about to be made and looks like an existing one."""
    note = f": {_quoted_note(resolution.note)}" if resolution.note else ""
    said = note or f" {_would_make(resolution, around)}"
    meant = _did_you_mean(resolution, around)
    again = f" If {'not' if meant else 'it is meant'}, send the same call again."
    again = "" if action == "advise" else again
    return f"{LOOKS_WRONG}: {shown(resolution.written)}{said}.{meant}{again}"


def _would_make(resolution: Resolution, around: Around) -> str:
    """Name what a call would make, and the existing path that it looks like."""
    best = next(iter(named(resolution)), Candidate("", 0.0))
    if resolution.note and _RENAMED.isdisjoint(best.evidence):
        return f"does not exist ({_quoted_note(resolution.note)})"
    if "repeats-cwd" in best.evidence:
        return "repeats the folder you are in"
    parts, meant = resolution.target.split("/"), best.path.split("/")
    last = len(parts) - (resolution.operation != "mkdir")
    differ = [at for at, pair in enumerate(zip(parts, meant, strict=False)) if len({*pair}) > 1]
    if len(parts) == len(meant) and len(differ) == 1 and differ[0] < last:
        ends = ("/".join(path[: differ[0] + 1]) for path in (parts, meant))
        made, there = (shown(around.spell(end).rstrip("/") + "/") for end in ends)
        return f"would create {made}; {there} exists"
    return "does not exist"


def _not_there(resolution: Resolution, around: Around, *, listing: bool, guided: bool) -> list[str]:
    """Report a path that has to exist and does not."""
    found = named(resolution)
    absent = resolution.status == "absent"
    first = f"{NOT_FOUND}: {'file not found: ' if absent else ''}{shown(resolution.written)}"
    first += f" ({_quoted_note(resolution.note)})." if _tells(resolution) else "."
    if resolution.status == "resolved" and found:
        first += f" Use {_described(resolution, found[0], around)} instead."
    else:
        said = _scope(resolution, around) if absent else _did_you_mean(resolution, around)
        first = f"{first} {said.strip()}".rstrip()
    if resolution.searched.cut_short:
        first += " The search was cut short, so others may exist."
    likely = not absent and sum(each.confidence for each in found) >= LIKELY
    lines = [first, *(_folder_lines(around, found) if listing or not (likely or guided) else [])]
    return lines if found or guided else [*lines, _SEARCH]


_SEARCH = "Next: search (glob or find); do not guess."


def _did_you_mean(resolution: Resolution, around: Around) -> str:
    found = named(resolution)
    if not found:
        return ""
    names = [_described(resolution, each, around) for each in found]
    same = namesakes(resolution)
    more = max(around.namesakes, len(same)) - sum(each in same for each in found)
    rest = f", or one of {more} more of that name" if more > 0 and not has_sure(resolution) else ""
    if len(names) == 1:
        return f" Did you mean {names[0]}{rest}?"
    return f" Did you mean one of: {', '.join(names)}{rest}?"


def _scope(resolution: Resolution, around: Around) -> str:
    """Say where the path was searched and not found."""
    searched, noun = resolution.searched, _NOUNS.get(resolution.operation, "file or folder")
    if not searched.names:
        return "" if resolution.note in NOT_SEARCHED else "Nothing in this project is meant."
    found = [_spelled(each, around) for each in named(resolution)]
    if found:
        return f"No {noun} at that path; with that name elsewhere: {', '.join(found)}."
    if same := max(around.namesakes, len(namesakes(resolution))):
        others = "1 other has" if same == 1 else f"{same} others have"
        return f"No {noun} at that path; {others} that name."
    history = " and the history" if searched.history else ""
    files = "file" if searched.names == 1 else "files"
    files = files if searched.untracked else f"tracked {files}"
    ignored = "" if searched.ignored else ", ignored ones not"
    counted = f"{searched.names:,} {files}{history} searched{ignored}"
    return f"No such {noun} in this project ({counted})."


def _spelled(candidate: Candidate, around: Around) -> str:
    path = around.spell(candidate.path)
    return shown(path.rstrip("/") + "/" if candidate.folder else path)


def _described(resolution: Resolution, candidate: Candidate, around: Around) -> str:
    why = _reason(resolution, candidate)
    return _spelled(candidate, around) + (f" ({why})" if why else "")


def _reason(resolution: Resolution, candidate: Candidate) -> str:
    """Return the reason for a candidate that its name does not show."""
    if resolution.operation in MAKING and resolution.note:
        return ""  # told before
    if not _RENAMED.isdisjoint(candidate.evidence) and candidate == resolution.candidates[0]:
        return _quoted_note(resolution.note.replace(f" to {candidate.path}", "", 1))
    if said := of_contents(candidate):
        return said
    if "look-alike" in candidate.evidence:
        case = resolution.target.casefold() == candidate.path.casefold()
        return "different case" if case else "different spaces or accents"
    return next((SESSION[each] for each in candidate.evidence if each in SESSION), "")


def _tells(resolution: Resolution) -> bool:
    """Return whether a note says something of the written path, and not of a candidate."""
    if resolution.status == "absent":
        return bool(resolution.note)
    best = resolution.candidates[0].evidence if resolution.candidates else ()
    return "like-gone" in best and not any(
        f" to {each.path} " in resolution.note for each in named(resolution)
    )


def _quoted_note(note: str) -> str:
    """Return a note fit for a text: it can hold two names, and no cut makes a third."""
    return shown(note, longest=480)[1:-1]


def _is_file(resolution: Resolution) -> bool:
    """Return whether a file exists where a folder is meant, and not the reverse."""
    return resolution.note == "file"


def _folder_lines(around: Around, named_already: Sequence[Candidate] = ()) -> list[str]:
    """List the nearest folder, without the candidates that are named already."""
    paths = {each.path.rstrip("/") for each in named_already}
    prefix = f"{around.folder}/" if around.folder else ""
    entries = [each for each in around.entries if prefix + each.rstrip("/") not in paths]
    if not entries:
        return []
    told, room = [shown(entries[0])], ROOM - len(entries[0])
    for entry in entries[1:LISTED]:
        room -= len(entry)
        if room < 0:
            break
        told.append(shown(entry))
    more = f" and {len(entries) - len(told)} more" if len(entries) > len(told) else ""
    where = around.spell(around.folder)
    here = "the current folder" if around.folder else "the project root"
    place = here if where in ("", ".") else shown(where.rstrip("/") + "/")
    return [f"In {place}: {', '.join(told)}{more}"]


def _fit(lines: Sequence[str]) -> str:
    """Join the lines that fit; the first and the last always do."""
    first, *rest = lines
    room = LONGEST - len(first) - (len(rest[-1]) + 1 if rest else 0)
    kept = []
    for line in rest[:-1]:
        if room < len(line) + 1:
            continue
        kept.append(line)
        room -= len(line) + 1
    return "\n".join([first, *kept, *rest[-1:]])


def code(resolution: Resolution) -> str:
    """Return the code that begins the answer to a resolution."""
    if resolution.status == "directory":
        return NOT_A_FOLDER if _is_file(resolution) else NOT_A_FILE
    if resolution.status == "outside":
        return OTHER_CHECKOUT
    return LOOKS_WRONG if resolution.operation in MAKING else NOT_FOUND


def payload(code: str, resolutions: Sequence[Resolution], **more: Any) -> Mapping[str, Any]:
    """Return the answer as data: the same content, with every candidate."""
    return {
        "schema": SCHEMA,
        "code": code,
        "paths": [resolution.to_dict() for resolution in resolutions],
        **more,
    }
