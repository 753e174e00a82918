"""The ruler of paths that do not exist, are of the wrong kind, or would be new; and
the tables by which it rules.

For each path, `judged`:

1. `decide`: what the rule of its operation does about the resolution.
2. `PATH_VETOES`: what the call and the host leave of that, a row each; the first of
   them asks the table of what may be changed (`effects`).

For the call, `wrong_paths`:

3. `_blocked`: a path like those that the session keeps missing is not made.
4. The strongest action of its paths wins.
5. `CALL_VETOES`: what the whole call leaves of a correction, a row each; then its
   file must fit what the program reads (`too_large`).
6. `_warnings`: a new path that the agent was asked about is made.

How sure is sure enough is settled by the resolution.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence

from truepath.calls.paths import find
from truepath.config.presets import Rule
from truepath.guard.effects import effects, keeping
from truepath.guard.reading import (
    ELSEWHERE,
    PASSIVE,
    QUIET,
    Finding,
    PathInCall,
    Reading,
    Ruling,
    read,
)
from truepath.guard.too_large import fails_by_size, too_large
from truepath.records import dataclass, replace
from truepath.resolve.facts import UNREAD
from truepath.resolve.vetoes import ASSUMED_FROM
from truepath.types import MAKES, Action, Resolution

_STRONGEST_FIRST: Sequence[Action] = ("refuse", "advise", "rewrite", "allow")
"""Actions; the first one among its paths is that of the call."""

_USES_IT: Mapping[str, Sequence[Rule]] = {
    "corrected": ("assume", "recover", "correct"),
    "recover": ("recover",),
    "assumed": ("assume",),
}
"""Permit of the first candidate -> the rules that use it."""

_BLOCKS = 3
"""The level of a streak from which similar paths are not created."""


def judged(path: PathInCall) -> Finding:
    """Return what may be done with a path of a call."""
    resolution = path.resolution
    rule = path.reading.rules[resolution.operation]
    if resolution.status == "exists":  # as nearly all do
        return Finding(path.mention, resolution, "allow", rule, cwd=path.cwd)
    action = decide(rule, resolution)
    held_back = [*resolution.held_back]
    for veto in PATH_VETOES:
        if action not in veto.turns or not veto.applies(path):
            continue
        action = veto.turns[action]
        held_back.append(veto.name)
        if veto.silences:
            return Finding(path.mention, resolution, "allow", cwd=path.cwd)
    if len(held_back) > len(resolution.held_back):
        resolution = replace(resolution, held_back=tuple(held_back))
    return Finding(path.mention, resolution, action, rule, cwd=path.cwd)


def wrong_paths(reading: Reading) -> Ruling | None:
    """Rule about a call of which a path does not exist, is of the wrong kind, or would
    be new; None if all exist.
    """
    if reading.exists:
        return None
    ruling = _ruling(reading)
    elsewhere = _elsewhere(reading)
    notes = (*ruling.notes, *map(_checkout_note, elsewhere))
    about = ruling.about
    if any(finding.resolution.note.startswith(UNREAD) for finding in about):
        # It is so for each of the first misses in a large history, and said once.
        if reading.known.noted(UNREAD):
            about = [
                replace(each, resolution=replace(each.resolution, cause="", note=""))
                if each.resolution.note.startswith(UNREAD)
                else each
                for each in about
            ]
        notes = (*notes, UNREAD)
    return replace(ruling, about=about, elsewhere=elsewhere, notes=notes)


def _ruling(reading: Reading) -> Ruling:
    findings = [_blocked(finding, reading) for finding in reading.findings]
    chosen = [finding for finding in findings if finding.action != "allow"]
    if not chosen:
        return Ruling("allow")
    actions = [finding.action for finding in chosen]
    ruling = Ruling(min(actions, key=_STRONGEST_FIRST.index), chosen)
    if ruling.action == "rewrite":
        ruling = _corrected(reading)
    if ruling.action in ("rewrite", "allow"):
        return ruling
    warned = _warnings(reading, ruling)
    # An agent that sends the same new path again after a warning means it.
    if warned and all(map(reading.known.noted, warned)):
        return Ruling("allow")
    return replace(ruling, notes=warned)


def _blocked(finding: Finding, reading: Reading) -> Finding:
    """Return a finding that is refused if its path is like those that the session keeps
    missing, and must not be made until the agent has looked, which may be in the same
    call.
    """
    resolution = finding.resolution
    if not finding.makes or finding.rule in (*PASSIVE, None):
        return finding
    # A corrected one is made where the folder exists.
    if finding.action == "rewrite" or is_ordered(reading.call.prompt, resolution):
        return finding
    if not reading.caller.refuses or reading.mentions.discovers:
        return finding
    if reading.streak_of(resolution).level < _BLOCKS:
        return finding
    return replace(_held_back(finding, LOOK_FIRST), action="refuse", blocked=True)


def _corrected(reading: Reading) -> Ruling:
    """Return what is left of a call's correction."""
    space = reading.space
    changes: dict[int, str] = {}
    chosen: list[Finding] = []
    for index, finding in enumerate(reading.findings):
        path = replacement(finding.resolution)
        if finding.action == "rewrite" and path is not None:
            new = space.spell(path, finding.mention.written, cwd=finding.cwd)
            # An agent that enters its own folder believes that it is elsewhere. A tool
            # in this process may open a relative path in the process's folder.
            is_whole = new == "." or finding.cwd == ELSEWHERE
            changes[index] = os.path.join(space.root, path) if is_whole else new
            chosen.append(replace(finding, used=changes[index]))
    ruling = Ruling("rewrite", chosen, reading.mentions.rewritten(changes))
    for veto in CALL_VETOES:
        left = veto.leaves(reading, ruling)
        if left != "rewrite":
            return _withdrawn(reading, ruling, veto.name, left)
    return _fitting(reading, ruling)


def _withdrawn(
    reading: Reading, ruling: Ruling, row: str, left: Action = "refuse"
) -> Ruling:
    """Return what is left of a correction that a row holds back."""
    chosen = [replace(_held_back(finding, row), used="") for finding in ruling.about]
    # The paths' row `stops-others` weakens refusals; this was a correction.
    refuses = any(reading.refuses(finding.mention) for finding in chosen)
    if left == "refuse" and not refuses:
        left = "advise"
    return Ruling(left, chosen)


def _fitting(reading: Reading, ruling: Ruling) -> Ruling:
    """Return what is left of a correction whose file its program does not read whole:
    what is ruled about the corrected call.
    """
    limit = reading.limit
    if limit is None or ruling.arguments is None:
        return ruling
    if not any(fails_by_size(reading, finding, limit) for finding in ruling.about):
        return ruling
    corrected = find(replace(reading.call, arguments=ruling.arguments))
    part = too_large(read(replace(reading, mentions=corrected), judged))
    if part is None or part.action == "allow":
        return ruling
    if part.action == "rewrite":
        return replace(ruling, arguments=part.arguments, part=part)
    return _withdrawn(reading, ruling, OVER_LIMIT)


def _warnings(reading: Reading, ruling: Ruling) -> tuple[str, ...]:
    """Return the notes of a warning about new paths; none of any other ruling."""
    # In a loop, a repetition is what an agent does, not what it means.
    if any(not each.looks_wrong or each.blocked for each in ruling.about):
        return ()
    notes: list[str] = []
    for finding in ruling.about:
        resolution = finding.resolution
        reasons = {candidate.reason for candidate in resolution.candidates[:1]}
        folder = ""
        # One question is asked about all files of a folder that would be made.
        if reasons & {"folder-misspelt", "folder-number"}:
            folder = reading.first_missing_folder(resolution)
        notes.append(f"wrong:{folder or resolution.target}")
    return tuple(notes)


def _elsewhere(reading: Reading) -> Mapping[str, Finding]:
    """Return the other checkouts of the repository that a call names, each with the
    first path in it: once a session for each that the agent is not in.
    """
    others: dict[str, Finding] = {}
    root = reading.space.root
    here = os.path.normpath(reading.call.cwd or "") + "/"
    for finding in reading.findings:
        top = _checkout(finding)
        is_own = reading.seen is not None and top == reading.seen.own
        # The agent is in the checkout, not in the project, which may be below it.
        above = [folder for folder in (root, top) if here.startswith(f"{folder}/")]
        if not top or is_own or max(above, key=len, default="") == top:
            continue
        # Work in two checkouts may be meant, so it is told once and refused never.
        if not reading.known.noted(_checkout_note(top)):
            others.setdefault(top, finding)
    return others


def _checkout_note(top: str) -> str:
    return f"checkout:{top}"


def _checkout(finding: Finding) -> str:
    """Return the top of the other checkout of this repository that a path is in,
    absolute; empty if there is none, no answer is wanted, or the agent lists, searches
    or creates it.
    """
    resolution = finding.resolution
    if resolution.status != "outside" or not resolution.candidates:
        return ""
    if finding.rule in (*PASSIVE, None) or resolution.cause == "protected":
        return ""
    # Another checkout is entered, looked around in or made on purpose.
    if finding.mention.enters or resolution.operation in ("list", "search", "mkdir"):
        return ""
    # The candidate is the same path in this checkout, below its root.
    path = resolution.candidates[0].path.rstrip("/")
    return os.path.normpath(resolution.target).removesuffix(path).rstrip("/")


@dataclass(frozen=True, slots=True)
class PathVeto:
    """A row of `PATH_VETOES`."""

    name: str
    applies: Callable[[PathInCall], bool]
    turns: Mapping[Action, Action]
    """Action -> what becomes of it."""
    sentence: str
    silences: bool = False
    """Whether nothing is told about the path, and it counts as no miss."""


def _is_made_anew(path: PathInCall) -> bool:
    """Return whether the line removes a path, if it is there, and makes it again."""
    if path.mention.tolerated:
        removed = path.mention.written
        return any(
            mention.argument.operation in MAKES
            and mention.entered == path.mention.entered
            and _is_in(mention.written, removed)
            for mention in path.reading.mentions.paths
        )
    if path.resolution.operation not in MAKES:
        return False
    target = path.resolution.target
    return any(
        finding.mention.tolerated and _is_in(target, finding.resolution.target)
        for finding in path.before
    )


def _is_in_path(path: PathInCall) -> bool:
    """Return whether a shell finds a script in a folder of PATH, or of those that a
    login adds to it.
    """
    if not path.mention.sought:
        return False
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    folders.append(os.path.expanduser("~/bin"))
    folders.append(os.path.expanduser("~/.local/bin"))
    scripts = (os.path.join(folder, path.mention.written) for folder in folders)
    return any(os.path.isfile(script) for script in scripts)


def _is_asked_of_git(path: PathInCall) -> bool:
    mention = path.mention
    workspace = path.reading.space
    if not mention.in_git:
        return False
    if mention.in_git == "history":  # `git log -- gone.md` is right
        return True
    if workspace.tree.names().kind(path.resolution.target):
        return True  # the index has it
    if mention.in_git == "top":  # a path of a patch is no branch
        return False
    # A word without ranked candidates may be a branch.
    if not any(candidate.confidence for candidate in path.resolution.candidates):
        return True
    if mention.in_git != "revision":
        return False
    folder = os.path.join(workspace.root, path.cwd or "")
    return workspace.tree.is_revision(mention.written, folder)


def _takes_over(path: PathInCall) -> bool:
    """Return whether the call moves or deletes what a new path is like, or names that
    as well.
    """
    candidates = path.resolution.candidates
    if path.resolution.operation not in MAKES or not candidates:
        return False
    meant = candidates[0].path
    for finding in path.before:
        other = finding.resolution.path
        if other == meant:
            return True
        removes = finding.resolution.operation in ("delete", "move")
        if removes and other is not None and _is_in(meant, other):
            return True
    return _moves_out_of(meant, path)


def _moves_out_of(folder: str, path: PathInCall) -> bool:
    """Return whether the call moves something out of a folder, also after the path:
    `mkdir -p old && mv new/a.svg old/`.
    """
    for mention in path.reading.mentions.paths:
        # After another `cd`, its path starts elsewhere, and is not decided yet.
        is_same_folder = mention.entered == path.mention.entered
        if not is_same_folder or mention.argument.operation != "move":
            continue
        source = path.reading.space.resolve(mention.written, "move", cwd=path.cwd)
        if source.status == "exists" and _is_in(source.target, folder):
            return True
    return False


_ANY_TO_ALLOW: Mapping[Action, Action] = dict.fromkeys(_STRONGEST_FIRST, "allow")
_REWRITE_TO_REFUSE: Mapping[Action, Action] = {"rewrite": "refuse"}


PATH_VETOES: Sequence[PathVeto] = (
    PathVeto(
        "below-missing",
        lambda path: any(
            path.before[at].is_miss and path.before[at].action != "rewrite"
            for at in path.mention.entered
        ),
        _ANY_TO_ALLOW,
        "the command enters a folder that does not exist: nothing is known below it",
        silences=True,
    ),
    PathVeto(
        "optional",
        lambda path: path.mention.optional,
        _ANY_TO_ALLOW,
        "the command allows for its absence",
        silences=True,
    ),
    PathVeto(
        "made-anew",
        _is_made_anew,
        _ANY_TO_ALLOW,
        "the line removes it, if it is there, and makes it again",
        silences=True,
    ),
    PathVeto(
        "tolerated-alone",
        lambda path: (
            path.mention.tolerated
            and all(
                candidate.confidence < ASSUMED_FROM
                for candidate in path.resolution.candidates
            )
        ),
        _ANY_TO_ALLOW,
        "an option allows for its absence (`rm -f`), and nothing is likely to be meant",
        silences=True,
    ),
    PathVeto(
        "tolerated",
        lambda path: path.mention.tolerated,
        {"refuse": "advise", "rewrite": "advise"},
        "an option allows for its absence (`rm -f`): the call runs, with a note",
    ),
    PathVeto(
        "in-path",
        _is_in_path,
        _ANY_TO_ALLOW,
        "the shell finds a script of that name in PATH",
        silences=True,
    ),
    PathVeto(
        "asked-of-git",
        _is_asked_of_git,
        _ANY_TO_ALLOW,
        "the program asks git for it, not the disk, or it may be a branch",
        silences=True,
    ),
    PathVeto(
        "not-told",
        lambda path: path.resolution.cause in ("protected", "dangling"),
        _ANY_TO_ALLOW,
        "a rule denies it, it is a secret, or a link that leads nowhere",
        silences=True,
    ),
    PathVeto(
        "effect",
        lambda path: keeping(path.reading.mentions, path.reading.rules) is not None,
        _REWRITE_TO_REFUSE,
        "the call does something for which it is not changed (the table of what may be "
        "changed)",
    ),
    PathVeto(
        "destination",
        lambda path: (
            path.resolution.operation in MAKES
            and not effects(path.reading.mentions).isdisjoint(("copy", "move"))
        ),
        _REWRITE_TO_REFUSE,
        "something is copied or moved to it: only the source is corrected",
    ),
    PathVeto(
        "approved",
        lambda path: path.reading.mentions.call.approved,
        _REWRITE_TO_REFUSE,
        "a person approved exactly these arguments",
    ),
    PathVeto(
        "host-cannot-correct",
        lambda path: not path.reading.caller.rewrites,
        _REWRITE_TO_REFUSE,
        "the program cannot change a call",
    ),
    PathVeto(
        "note-unread",
        lambda path: path.is_guess and not path.reading.notes,
        _REWRITE_TO_REFUSE,
        "the file is merely likely, and the agent would not read a note",
    ),
    PathVeto(
        "entered",
        lambda path: path.is_guess and path.mention.enters,
        _REWRITE_TO_REFUSE,
        "the folder is merely likely, and a shell would stay in it",
    ),
    PathVeto(
        "entered-from-outside",
        lambda path: (
            path.mention.enters
            and path.resolution.outside
            and not path.reading.mentions.looks
        ),
        _REWRITE_TO_REFUSE,
        "a shell would enter the project for a folder outside, and the line does more "
        "than look",
    ),
    PathVeto(
        "more-than-looks",
        lambda path: path.is_guess and not path.reading.mentions.looks,
        _REWRITE_TO_REFUSE,
        "the file is merely likely, and the call does more than look",
    ),
    PathVeto(
        "shown-before",
        lambda path: path.is_guess and path.reading.streak_of(path.resolution).assumed,
        _REWRITE_TO_REFUSE,
        "the file is merely likely, and one was shown just before for the same target",
    ),
    PathVeto(
        "users-own",
        lambda path: is_ordered(path.reading.mentions.call.prompt, path.resolution),
        {"refuse": "advise", "rewrite": "advise"},
        "the user typed this path: it is an instruction, not a guess",
    ),
    PathVeto(
        "taken-over",
        _takes_over,
        _ANY_TO_ALLOW,
        "the call moves or deletes what the new path is like, or names that as well",
    ),
    PathVeto(
        "not-replaceable",
        lambda path: not path.mention.rewritable,
        _REWRITE_TO_REFUSE,
        "the text that it is in cannot be changed safely",
    ),
    PathVeto(
        "stops-others",
        lambda path: not path.reading.refuses(path.mention),
        {"refuse": "advise"},
        "a refusal would stop the rest of the line too, or the program cannot refuse",
    ),
)
"""What the call and the host leave of an action, in this order; every row that applies
counts."""


@dataclass(frozen=True, slots=True)
class CallVeto:
    """A row of `CALL_VETOES`."""

    name: str
    leaves: Callable[[Reading, Ruling], Action]
    """Returns what becomes of a correction: rewrite, refuse or allow."""
    sentence: str


def _if_paths_meet(reading: Reading, _: Ruling) -> Action:
    changed = (each for each in reading.findings if each.action == "rewrite")
    meet = any(_meets_another(finding, reading) for finding in changed)
    return "refuse" if meet else "rewrite"


def _if_others_object(reading: Reading, ruling: Ruling) -> Action:
    others = reading.caller.others
    if others is None or ruling.arguments is None:
        return "rewrite"
    # After a refusal, the agent repeats the call, and every hook sees the new path.
    return others(reading.call, ruling.arguments)


def _if_shown_as_written(reading: Reading, ruling: Ruling) -> Action:
    is_shown = reading.caller.shown_as_written
    if is_shown is None or ruling.arguments is None:
        return "rewrite"
    # What a person approves is what runs.
    return "refuse" if is_shown(reading.call, ruling.arguments) else "rewrite"


CALL_VETOES: Sequence[CallVeto] = (
    CallVeto(
        "paths-meet",
        _if_paths_meet,
        "the correction would make two paths of the call the same, or put one in "
        "another",
    ),
    CallVeto(
        "not-replaced",
        lambda _, ruling: "refuse" if ruling.arguments is None else "rewrite",
        "the path occurs elsewhere in the line, or cannot be replaced in it",
    ),
    CallVeto(
        "others-object",
        _if_others_object,
        "another hook, or a rule of the program, watches the call, or the program "
        "cannot be told the name",
    ),
    CallVeto(
        "shown-as-written",
        _if_shown_as_written,
        "the program asks the user, and would show the call as it was written",
    ),
)
"""What the whole call leaves of a correction, in this order."""


LOOK_FIRST = "look-first"
"""The row of `_blocked`."""

OVER_LIMIT = "over-limit"
"""The row of a correction that would fail on the size of the file."""


def _held_back(finding: Finding, row: str) -> Finding:
    """Return a finding that is held back by one more row."""
    resolution = finding.resolution
    held_back = (*resolution.held_back, row)
    return replace(finding, resolution=replace(resolution, held_back=held_back))


def decide(rule: Rule, resolution: Resolution) -> Action:
    """Return what a rule does about a resolved path."""
    if resolution.status in QUIET or rule in PASSIVE:
        return "allow"
    if resolution.operation not in MAKES:
        uses = rule in _USES_IT.get(resolution.permits, ())
        return "rewrite" if uses else "refuse"
    if resolution.status == "directory":
        return "refuse"
    if resolution.status != "ambiguous":  # a new path that is like no other
        return "allow"
    # Nothing is made in the project for a path that points outside it.
    may_repair = resolution.permits == "recover" and not resolution.outside
    if rule == "repair" and may_repair:
        return "rewrite"
    return "refuse"


def replacement(resolution: Resolution) -> str | None:
    """Return the path that a correction uses; for a write, the path that was meant."""
    if resolution.path is not None or not resolution.candidates:
        return resolution.path
    if resolution.permits != "recover":
        return None
    return resolution.candidates[0].path


def is_ordered(prompt: str, resolution: Resolution) -> bool:
    """Return whether the user typed this path, as the agent wrote it or relative to the
    root.

    A bare name does not count: it leaves the place to the agent.
    """
    if not prompt:
        return False
    for name in {resolution.written.rstrip("/"), resolution.target.rstrip("/")}:
        # Exactly this path: not one that ends with it or continues.
        exactly = rf"(?<![\w./~-])(?:\./)?{re.escape(name)}(?![\w-]|[./]\w)"
        if "/" in name.strip("/") and re.search(exactly, prompt):
            return True
    return False


def _meets_another(finding: Finding, reading: Reading) -> bool:
    """Return whether a corrected path becomes equal to another path of the call, or, if
    the call does more than look, a parent or child of it.
    """
    if finding.mention.enters:  # every later path of the line is in that folder
        return False
    looks = reading.mentions.looks
    old, new = _targets(finding)
    for other in reading.findings:
        if other.mention.enters:
            continue
        other_old, other_new = _targets(other)
        # Two that are one as written (the path itself, or used twice) stay one.
        met_before = _overlap(old, other_old, looks=looks)
        if _overlap(new, other_new, looks=looks) and not met_before:
            return True
    return False


def _targets(finding: Finding) -> tuple[str, str]:
    """Return where a path points as it was written, and as corrected.

    The latter in lower case: on some disks, names that differ in case are one file.
    """
    written = finding.resolution.target
    corrected = None
    if finding.action == "rewrite":
        corrected = replacement(finding.resolution)
    if corrected is None:
        corrected = written
    return written, corrected.casefold()


def _overlap(one: str, other: str, *, looks: bool) -> bool:
    if looks:
        return one.rstrip("/") == other.rstrip("/")
    return _is_in(one, other) or _is_in(other, one)


def _is_in(one: str, other: str) -> bool:
    return f"{one.rstrip('/')}/".startswith(f"{other.rstrip('/')}/")
