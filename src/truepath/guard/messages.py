"""Every text that an agent reads; those of a check are in its row of `checks`.

Texts are short, with the answer in the first line and names quoted and escaped, because
file names are hostile. Candidates are in the order of their ranking, each with its
reason; the payload has the same paths in the same order. The plugins' fallback for
machines without Python (`plugins/claude-code/bin/guide.sh`) gives the same advice on
searching.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from posixpath import basename

from truepath.paths import LONGEST as LONGEST_PATH
from truepath.paths import fold
from truepath.quoting import shown
from truepath.records import dataclass
from truepath.types import (
    NOT_SEARCHED,
    Action,
    Any,
    Candidate,
    Cause,
    Decision,
    Resolution,
)

SCHEMA = 1
"""The version of the payload; new keys do not change it."""

NOT_FOUND = "PATH_NOT_FOUND"
"""The path does not exist; candidates are named if there are any."""
CORRECTED = "PATH_CORRECTED"
"""The path does not exist; the call runs with the one that is named."""
ASSUMED = "PATH_ASSUMED"
"""The path does not exist; the call only reads, and runs with the likely file that is
named."""
NOT_A_FILE = "PATH_IS_NOT_A_FILE"
"""It is a folder."""
NOT_A_FOLDER = "PATH_IS_NOT_A_FOLDER"
"""It is a file."""
LOOKS_WRONG = "PATH_LOOKS_WRONG"
"""A path that is about to be created looks like one that exists or has moved."""
OTHER_CHECKOUT = "PATH_IN_OTHER_CHECKOUT"
"""It is in another checkout of the same repository."""
SHIFT = "STRATEGY_SHIFT"
"""Before another answer, in texts only: the agent keeps missing paths."""
UNSEEN = "LOOK_FIRST"
"""The path is not created during a loop of misses."""

READ_IN_PART = "FILE_READ_IN_PART"
"""The file is larger than the agent program reads at once; the call reads the lines
named."""
TOO_LARGE = "FILE_TOO_LARGE"
"""The same, and nothing was read; an outline may follow."""
TEXT_NOT_FOUND = "TEXT_NOT_FOUND"
"""The text to be replaced is not in the file; the lines that are meant follow as they
are."""
SEVERAL_PLACES = "TEXT_IN_SEVERAL_PLACES"
"""The text to be replaced is in the file several times."""
ALREADY_MADE = "EDIT_ALREADY_MADE"
"""The text to be replaced is not in the file, and the new text is."""

WRONG_FOLDER = "WRONG_FOLDER"
"""What a command needs is in another folder; those that have it are named."""

SHOWN = 3
"""Candidates in the text, at most: a long list prolongs an agent's loop."""

LIKELY = 0.3
"""The sum of the named candidates' confidences below which the nearest folder is listed
too."""

FOLDERS = 5
"""Folders that have what a command needs, at most."""

LISTED = 8
"""Entries of the nearest folder in the text, at most."""

LONGEST = 1900
"""Characters of a whole answer; hosts truncate or drop long ones."""

MORE = "More paths of this call that did not exist and were replaced: {}."

CAUSES: Mapping[Cause, str] = {
    "empty": "the path is empty",
    "nul": "the path contains a NUL byte",
    "too-long": f"the path is over {LONGEST_PATH:,} characters",
    "exists": "exists",
    "protected": "protected",
    "hidden": "it cannot be looked at",
    "file": "file",
    "folder": "folder",
    "dangling": "a link that leads nowhere",
    "pattern": "a pattern, not a path",
    "kept": "git has it, and the disk does not",
    "several": "several paths in one: give each by itself",
    "blanks": "it has blanks: put it in quotes",
    "backslashes": "a shell removes its backslashes",
    "ignored": "git ignores it: it may not be made yet",
    "ignored-unknown": "whether git ignores it is not known",
    "other-repository": "not in this repository",
}
"""Cause of a resolution -> words. The others have words of their own, in its `note`."""

_MAKING = ("write", "mkdir")
_NEXT = "Next: "

_PATTERN = 120
"""Characters of a name in a pattern; a `*` replaces the rest."""


@dataclass(frozen=True, slots=True)
class Near:
    """What is near a missing path, and how to write paths for this agent."""

    folder: str = ""
    """The nearest folder that exists, root-relative, `""` for the root."""
    entries: Sequence[str] = ()
    """The entries of that folder; folders end in `/`."""
    spell: Callable[[str], str] = str
    """Writes a root-relative path as this agent can use it."""

    def shown(self, candidate: Candidate) -> str:
        """Return a candidate's path, quoted, with its reason."""
        path = self.spell(candidate.path)
        path = path.rstrip("/") + "/" if candidate.folder else path
        return shown(path) + _bracketed(candidate.why)


def named(resolution: Resolution) -> Sequence[Candidate]:
    """Return the candidates that an answer names, best first."""
    found = resolution.candidates
    if resolution.status in ("resolved", "outside") or resolution.operation in _MAKING:
        return found[:1]
    return found[:SHOWN]


def corrected(resolution: Resolution, written: str, used: str) -> str:
    """Return the text for a call that runs with `used`, the right path, instead of
    `written`.
    """
    why = _bracketed(resolution.candidates[0].why) if resolution.candidates else ""
    return f"{CORRECTED}: {_gone(resolution, written)}; using {shown(used)}{why}."


def assumed(resolution: Resolution, written: str, used: str, near: Near) -> str:
    """Return the text for a call that shows `used`, a likely file, instead of
    `written`.
    """
    best, *others = named(resolution)
    noun = "folder" if best.folder else "file"
    text = f"{ASSUMED}: {_gone(resolution, written)}; showing the likely {noun}, {shown(used)}"
    rest = ", ".join(map(near.shown, others))
    return f"{text}{_bracketed(best.why)}." + (
        f" Other candidates: {rest}." if rest else ""
    )


def missing(
    resolution: Resolution,
    action: Action,
    near: Near,
    *,
    listing: bool = False,
    guide: bool = False,
    tools: Sequence[str] = (),
) -> str:
    """Return the text for a missing path or one of the wrong kind, with what exists
    instead.

    `listing` says whether the nearest folder is always listed, `guide` whether the next
    step says how to search. `tools` are the agent's known search tools.
    """
    found = named(resolution)
    if resolution.status == "directory":
        kind = (
            "a file, not a folder"
            if resolution.cause == "file"
            else "a folder, not a file"
        )
        first = f"{code(resolution)}: {shown(resolution.written)} is {kind}."
        first += _did_you_mean(resolution, near)
        lists, last = resolution.cause != "file", ""
    elif resolution.operation in _MAKING:
        return _looks_wrong(resolution, near, action)
    else:
        first = _not_there(resolution, near)
        search = search_for(resolution, tools) if guide else ""
        likely = sum(each.confidence for each in found) >= LIKELY
        lists = listing or not (likely or search)
        how = f" ({', '.join(tools)})" if tools else ""
        last = search or ("" if found else f"{_NEXT}search{how}; do not guess.")
        last = _brought_back(resolution, near) if resolution.cause == "kept" else last
    return joined([first, *(_listing(near, found) if lists else [])], last)


def other_checkout(resolution: Resolution, top: str, near: Near) -> str:
    """Return the text for a path in another checkout of the repository, which begins at
    `top`.
    """
    written, here = shown(resolution.written), near.shown(resolution.candidates[0])
    first = f"{OTHER_CHECKOUT}: {written} is in another checkout of this repository, {shown(top)}."
    return f"{first} In this project it is {here}."


def wrong_folder(
    file: str,
    items: Sequence[str],
    folders: Sequence[str],
    *,
    above: bool,
    line: str,
    again: bool,
) -> str:
    """Return the text for a command that needs a file, or some items in it, which other
    folders have.

    Args:
        file: The file, relative to the agent's folder.
        items: The scripts or targets that it lacks; none if there is no such file.
        folders: Those that have what is needed, likewise relative.
        above: Whether a folder above would do.
        line: The command as it would run in one of them; "" if it names its folder.
        again: Whether the same call would run.
    """
    from shlex import quote

    lacking = " and ".join(map(shown, items))
    nor = ", nor above it" if above else ""
    text = f"{WRONG_FOLDER}: {shown(file)} "
    text += f"has no {lacking}." if items else f"does not exist{nor}."
    if again:
        text += " If it is meant, send the same call again."
    names = ", ".join(shown(f"{folder}/") for folder in folders[:FOLDERS])
    more = len(folders) - FOLDERS
    names += f" and {more} more" if more > 0 else ""
    if len(folders) > 1:
        return f"{text} These folders have it: {names}."
    if not line:
        return f"{text}\n{_NEXT}use {names}, which has it."
    return f"{text}\n{_NEXT}{shown(f'cd {quote(folders[0])} && {line}', longest=480)}"


def in_the_way(decision: Decision) -> str:
    """Return the answer to an edit that created a new file at the wrong path."""
    gone = [each for each in decision.resolutions if code(each) == NOT_FOUND]
    names = ", ".join(shown(each.written) for each in gone)
    made = [f"The edit has made a new file, {names}, which is in the way: remove it."]
    return joined([decision.text, *(made if gone else [])])


def unseen(resolution: Resolution) -> str:
    """Return the text for a path that was not created, because similar ones were
    missed.
    """
    return (
        f"{UNSEEN}: {shown(resolution.written)} was not made: similar paths did not "
        "exist, and nothing was listed or searched since. List its folder or search "
        "for its name. If a new one is meant, then send the same call again."
    )


def shift(
    *, count: int, same: bool, tried: Sequence[str], named: bool, tools: Sequence[str]
) -> str:
    """Return the text that tells an agent to look first.

    It missed `count` turns in a row, before this with the paths `tried`; `same` says
    whether all may be one file, `named` whether this answer names a candidate.
    """
    before = ", ".join(shown(path) for path in tried[-SHOWN:])
    before = f", before this {before}" if before else ""
    stop = (
        "Use a path that is named here, or look first"
        if named
        else "Stop guessing: look first"
    )
    target = " for the same target" if same else ""
    return f"{SHIFT}: {count} misses in a row{target}{before}. {stop}{_with(tools)}."


def without_step(answer: str) -> str:
    """Return an answer without its next step."""
    return "\n".join(line for line in answer.split("\n") if not line.startswith(_NEXT))


def joined(texts: Sequence[str], last: str = "") -> str:
    """Join the texts that fit into one that no host truncates; the first is always
    whole.

    `last` is added at the end; `MORE` only if texts are left out, with their number.
    Only the last next step is kept.
    """
    steps = [
        line for text in texts for line in text.split("\n") if line.startswith(_NEXT)
    ]
    if len(steps) > 1:
        texts, last = [*map(without_step, texts)], steps[-1]
    kept: list[str] = []
    room = LONGEST - len(last) - 8  # digits and line breaks
    for text in texts:
        if kept and len(text) >= room:
            break
        kept.append(text)
        room -= len(text) + 1
    left = len(texts) - len(kept)
    if last == MORE:
        last = MORE.format(left) if left else ""
    return "\n".join([*kept, last] if last else kept)


def is_answer(text: str) -> bool:
    """Return whether a text is an answer of truepath that a host passes back."""
    ours = (
        NOT_FOUND,
        NOT_A_FILE,
        NOT_A_FOLDER,
        LOOKS_WRONG,
        OTHER_CHECKOUT,
        SHIFT,
        UNSEEN,
        WRONG_FOLDER,
    )
    return any(code in text for code in (*ours, TOO_LARGE))


def code(resolution: Resolution) -> str:
    """Return the code that begins the answer to a resolution."""
    if resolution.status == "directory":
        return NOT_A_FOLDER if resolution.cause == "file" else NOT_A_FILE
    if resolution.status == "outside":
        return OTHER_CHECKOUT
    return LOOKS_WRONG if resolution.operation in _MAKING else NOT_FOUND


def payload(
    code: str, resolutions: Sequence[Resolution], **more: Any
) -> Mapping[str, Any]:
    """Return the answer as data: the same content, with every candidate."""
    paths = [as_data(resolution) for resolution in resolutions]
    return {"schema": SCHEMA, "code": code, "paths": paths, **more}


def as_data(resolution: Resolution) -> dict[str, Any]:
    """Return a resolution as JSON-ready data, its cause in words too."""
    return {**resolution.to_dict(), "note": note_of(resolution)}


def note_of(resolution: Resolution) -> str:
    """Return the cause of a resolution in words; empty for none."""
    return resolution.note or CAUSES.get(resolution.cause, "")


def _looks_wrong(resolution: Resolution, near: Near, action: Action) -> str:
    """Return the text for a path that is about to be created and looks like an existing
    one.
    """
    meant = _did_you_mean(resolution, near)
    again = f" If {'not' if meant else 'it is meant'}, send the same call again."
    again = "" if action == "advise" else again
    return f"{LOOKS_WRONG}: {_gone(resolution, resolution.written)}.{meant}{again}"


def _not_there(resolution: Resolution, near: Near) -> str:
    """Return the text for a path that has to exist and does not."""
    found, absent = named(resolution), resolution.status == "absent"
    cut_short = resolution.searched.cut_short
    says_so = "file not found: " if absent and not cut_short else ""
    first = f"{NOT_FOUND}: {says_so}{shown(resolution.written)}"
    first += f"{_bracketed(note_of(resolution))}."
    if resolution.status == "resolved" and found:
        first += f" Use {near.shown(found[0])} instead."
    else:
        scope = "" if cut_short else _scope(resolution, near)
        first += scope if absent else _did_you_mean(resolution, near)
    rest = "others may exist" if found else "it may be elsewhere"
    return first + (f" The search was cut short, so {rest}." if cut_short else "")


def _brought_back(resolution: Resolution, near: Near) -> str:
    """Return how git puts a path of its index on the disk."""
    from shlex import quote

    root, path = near.spell("") or ".", resolution.target
    folder = path if resolution.operation == "list" else path.rpartition("/")[0] or path
    git = "git" if root == "." else f"git -C {quote(root)}"
    restore, add = (
        f"{git} restore -- {quote(path)}",
        f"{git} sparse-checkout add {quote(folder)}",
    )
    return f"{_NEXT}in a sparse checkout, {shown(add)} brings it back, else {shown(restore)}."


def _did_you_mean(resolution: Resolution, near: Near) -> str:
    found = named(resolution)
    if not found:
        return ""
    name, others = (
        basename(resolution.target.rstrip("/")),
        resolution.candidates[len(found) :],
    )
    more = any(basename(each.path) == name for each in others)
    rest = ", or another of that name" if more and found[0].confidence < LIKELY else ""
    of = " one of:" if len(found) > 1 and resolution.cause != "several" else ""
    return f" Did you mean{of} {', '.join(map(near.shown, found))}{rest}?"


def _scope(resolution: Resolution, near: Near) -> str:
    """Return where the path was searched and not found, in words."""
    searched = resolution.searched
    if not searched.names:
        return (
            ""
            if resolution.cause in NOT_SEARCHED
            else " Nothing in this project is meant."
        )
    files = "file" if searched.names == 1 else "files"
    history = (
        ", nor in the history" if searched.history and not note_of(resolution) else ""
    )
    missing = resolution.target.removeprefix(f"{near.folder}/").partition("/")[0]
    start = fold(missing).strip("\"'`")[:3]
    listed = any(start and fold(each).startswith(start) for each in near.entries)
    what = "None of that name" if listed else "Nothing like it that may be named"
    return f" {what} among the {searched.names:,} {files} searched{history}."


def _gone(resolution: Resolution, written: str) -> str:
    return f"{shown(written)} does not exist{_bracketed(note_of(resolution))}"


def _bracketed(clause: str) -> str:
    """Return a clause in brackets, bounded so that it can contain two names."""
    return f" ({shown(clause, longest=480)[1:-1]})" if clause else ""


def _listing(near: Near, named_already: Sequence[Candidate]) -> list[str]:
    """Return the line that lists the nearest folder, without the named candidates."""
    paths = {each.path.rstrip("/") for each in named_already}
    prefix = f"{near.folder}/" if near.folder else ""
    entries = [each for each in near.entries if prefix + each.rstrip("/") not in paths]
    if not entries:
        return []
    more = f" and {len(entries) - LISTED} more" if len(entries) > LISTED else ""
    where = near.spell(near.folder)
    here = "the current folder" if near.folder else "the project root"
    place = here if where in ("", ".") else shown(where.rstrip("/") + "/")
    return [f"In {place}: {', '.join(map(shown, entries[:LISTED]))}{more}"]


def search_for(resolution: Resolution, tools: Sequence[str]) -> str:
    """Return how to search for a missing path before giving up, with the known search
    `tools`.
    """
    folder, _, name = resolution.target.rstrip("/").rpartition("/")
    parent = folder.rpartition("/")[2]
    near = f"`**/{pattern(parent)}/{pattern(name)}`, then " if parent else ""
    return (
        f"Search before giving up{_with(tools)}: {near}`**/{pattern(name)}`.\nOne "
        "match: read it. Several: list them and ask the user which is meant. None: "
        "ask the user. Never skip a file that was referred to without saying so."
    )


def rules_for_agents() -> str:
    """Return the rules for a file of instructions, such as `AGENTS.md` or `CLAUDE.md`."""
    with open(f"{os.path.dirname(__file__)}/rules.md", encoding="utf-8") as file:
        return file.read()


def pattern(name: str) -> str:
    """Return a glob that matches a name, with `?` for special characters."""
    plain = " ._-+@=,~%#"
    from unicodedata import category

    safe = "".join(
        char if char.isalnum() or char in plain or category(char)[0] == "M" else "?"
        for char in name
    )
    return f"{safe[:_PATTERN]}*" if len(safe) > _PATTERN else safe


def _with(tools: Sequence[str]) -> str:
    return f", with {', '.join(tools)}" if tools else ""
