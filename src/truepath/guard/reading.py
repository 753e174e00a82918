"""What is known about a call before anything is decided about it: the values that go
down the line of a guard, and how the first of them is read.

    call -> Reading -> Ruling -> Decision

A ruler is a function of a `Reading`, which returns a `Ruling`, or None if it has
nothing to say. It asks the session and the disk by the reading alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from truepath import TYPE_CHECKING, Late
from truepath.calls.paths import Mention, Mentions
from truepath.records import dataclass, field, replace
from truepath.resolve.workspace import Workspace
from truepath.session.led import place_of
from truepath.types import (
    MAKES,
    READS,
    Action,
    Any,
    Candidate,
    Operation,
    ReadLimit,
    Resolution,
    Searched,
    ToolCall,
)

if TYPE_CHECKING:
    from truepath.calls import contents
    from truepath.config.presets import Rule
    from truepath.guard import learnt
    from truepath.guard.located import Seen
    from truepath.session.loops import Streak
    from truepath.session.session import Session
else:
    contents = Late("truepath.calls.contents")
    learnt = Late("truepath.guard.learnt")

QUIET = ("exists", "outside")
"""Statuses that are not misses."""

PASSIVE = ("guide", "observe")
"""Rules under which nothing is ever refused."""

ELSEWHERE = ""
"""The folder of a call whose relative paths begin in this process's folder or at the
root, and these are not the same: see `checked_call.folder_of`."""

_MOST_MISSING = 100
"""Paths of a call that do not exist, at most: a call with more is data, and is left
alone until it has failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The program around a guard; by default a long-lived one that can do
    everything.
    """

    refuses: bool = True
    """Whether it can refuse a call; if not, a refusal becomes advice."""
    rewrites: bool = True
    """Whether it can change a call; if not, the call is refused with the right path."""
    notes: bool = True
    """Whether the agent reads a decision's text with the result of a call that runs; if
    not, no file is assumed."""
    others: Callable[[ToolCall, Mapping[str, Any]], Action] | None = None
    """Asked before a correction: what other hooks or the host's rules allow for the
    call with its new arguments: rewrite, allow or refuse."""
    shown_as_written: Callable[[ToolCall, Mapping[str, Any]], bool] | None = None
    """Asked before a correction: whether the user is asked about the call, and would be
    shown it as it was written."""
    limits: Mapping[str, ReadLimit] | None = None
    """Tool -> the largest file that it reads, and how it reads a part."""
    withheld: Sequence[str] = ()
    """Globs, as in .gitignore, of files of which no line is shown."""
    turn_gap_s: float = 0.0
    """Seconds after an answer within which a call belongs to the same model turn."""
    began: float | None = None
    """When the process began, in seconds since the epoch, if it exists for one call
    only."""
    here: bool = True
    """Whether it runs a call in this process as decided: one that it does not report
    as failed has run."""
    results: Sequence[str] | None = ()
    """The tools of whose every call that ran it reports the end; None for all."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One path of a call: its resolution, and what the tables leave of what its rule
    does.
    """

    mention: Mention
    resolution: Resolution
    action: Action
    rule: Rule | None = None
    """The rule for it; None if nothing is to be told about the path."""
    blocked: bool = False
    """Whether it is refused only because the session is in a loop."""
    cwd: str | None = None
    """The agent's working directory when it uses the path."""
    used: str = ""
    """The path that a corrected call has in its place, as the agent would write it."""

    @property
    def makes(self) -> bool:
        """Whether it would create the path."""
        new = self.resolution.status in ("absent", "ambiguous")
        return new and self.resolution.operation in MAKES

    @property
    def looks_wrong(self) -> bool:
        """Whether it would create a path that looks like an existing one."""
        return self.makes and self.resolution.status == "ambiguous"

    @property
    def is_miss(self) -> bool:
        """Whether a required path is missing, or a new one looks wrong."""
        return self.resolution.status not in QUIET and (
            self.looks_wrong or not self.makes
        )

    @property
    def assumed(self) -> bool:
        """Whether the call runs with a likely file, for the agent to judge."""
        return self.action == "rewrite" and self.resolution.permits == "assumed"


@dataclass(frozen=True, slots=True)
class Failure:
    """How a call failed."""

    error: str
    """What its tool says; "" if the call ended well, and only its output speaks."""
    is_missing: bool
    """Whether the error says that a path does not exist."""
    about: frozenset[str]
    """What else it may be about: rows of `calls/unmet_texts.txt`."""

    @property
    def is_of_paths(self) -> bool:
        """Whether it may be about the call's paths, or what is in them."""
        return self.is_missing or bool(self.about - {"need"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A call, its paths, and whom to ask about them."""

    mentions: Mentions
    """The paths of the call with their roles."""
    space: Workspace
    known: Session
    """What the session knows; rulers write nothing in it."""
    rules: Mapping[Operation, Rule]
    caller: Caller
    notes: bool = True
    """Whether the agent reads a text with the result of this call."""
    checks: bool = True
    """Whether more is asked than whether paths exist."""
    checkouts: str = "note"
    """What is done about a call in another checkout: `note`, `ask` or `refuse`."""
    failure: Failure | None = None
    """How the call failed; None if it has not run."""
    paths: Sequence[Finding] = ()
    """In the order of the call; the first ones if `is_data`."""
    is_data: bool = False
    """Whether too many of its paths are missing."""
    seen: Seen | None = None
    """Where it acts, if the agent is asked before it acts in another checkout."""

    @property
    def call(self) -> ToolCall:
        """The call."""
        return self.mentions.call

    @property
    def findings(self) -> Sequence[Finding]:
        """Its paths; none of a call that is data."""
        return () if self.is_data else self.paths

    @property
    def exists(self) -> bool:
        """Whether all of its paths exist."""
        return all(finding.resolution.status == "exists" for finding in self.findings)

    @property
    def looks(self) -> bool:
        """Whether the call surely changes nothing."""
        # Without findings it is not known what the call does to the disk.
        return bool(self.findings) and self.mentions.looks

    @property
    def limit(self) -> ReadLimit | None:
        """The limit of a tool that does not read every file whole."""
        limits = self.caller.limits or {}
        return limits.get(self.call.tool) if self.checks else None

    def refuses(self, mention: Mention) -> bool:
        """Return whether the call can be refused for a path: refusing a read would stop
        the rest too.
        """
        if not self.caller.refuses:
            return False
        operation = mention.argument.operation
        # A script that is missing fails by itself, as a read does; after `cd` into a
        # missing folder, the rest would run in the wrong one.
        looks = operation in READS or (operation == "execute" and not mention.enters)
        return mention.stops_nothing_else or not looks

    def first_missing_folder(self, resolution: Resolution) -> str:
        """Return the outermost missing folder of a path; "" for none, and for a path
        outside.
        """
        if resolution.outside:
            return ""
        folders = resolution.target.split("/")[:-1]
        for length in range(1, len(folders) + 1):
            folder = "/".join(folders[:length])
            if self.space.tree.kind(folder) is None:
                return folder
        return ""

    def place_of(self, finding: Finding) -> str:
        """Return where the file of a path is on the disk."""
        return os.path.join(self.space.root, finding.resolution.path or "")

    def streak_of(self, missing: Resolution) -> Streak:
        """Return the streak of misses that a missing path would go on with."""
        folder = self.first_missing_folder(missing)
        return self.known.streak_of(missing.target, folder)


@dataclass(frozen=True, slots=True)
class PathInCall:
    """A path in its call, to be judged."""

    reading: Reading
    """Without paths."""
    mention: Mention
    resolution: Resolution
    before: Sequence[Finding]
    """The paths that the call mentions before it."""
    cwd: str | None
    """The agent's working directory when it uses the path."""

    @property
    def is_guess(self) -> bool:
        """Whether the file that it may be led to is merely likely."""
        return self.resolution.permits == "assumed"


@dataclass(frozen=True, slots=True)
class Ruling:
    """What to do about a call, without words."""

    action: Action
    about: Sequence[Finding] = ()
    """The paths that the answer is about."""
    arguments: Mapping[str, Any] | None = None
    """The arguments of a call that runs with others."""
    row: str = ""
    """The row of `checks`, or of what commands need, that spoke; "" where paths are
    missing."""
    event: str = ""
    """The kind of its event, if that is not told by what is done."""
    says: str = ""
    """The name of its text (`wording.WORDS`, `texts.TEXTS`); "" for that of each
    path."""
    code: str = ""
    """The code of that text; "" for that of the first path."""
    parts: Mapping[str, Any] = field(default_factory=dict)
    """What the text has places for, as data."""
    notes: tuple[str, ...] = ()
    """What the session is to note."""
    text: str = ""
    places: Sequence[tuple[int, int]] = ()
    """The text of a file, and the first and the last of the lines in it that are
    shown."""
    part: Ruling | None = None
    """What is done with a file that a corrected call would not read whole."""
    elsewhere: Mapping[str, Finding] = field(default_factory=dict)
    """Top of another checkout -> a path in it, which is told besides."""

    @property
    def missed(self) -> Sequence[Finding]:
        """The paths that count as misses, one for each target."""
        firsts: dict[str, Finding] = {}
        if self.action == "allow" or self.row or self.event:
            return ()
        for finding in self.about:
            if finding.assumed or self.action != "rewrite":
                firsts.setdefault(finding.resolution.target, finding)
        return [*firsts.values()]


def read(reading: Reading, judged: Callable[[PathInCall], Finding]) -> Reading:
    """Return a reading with its paths, in the order of the call, because a folder that
    it enters is the start of later paths.

    `judged` returns what may be done with each, after those before it.
    """
    space = reading.space
    findings: list[Finding] = []
    missing = 0
    for mention in reading.mentions.paths:
        cwd = reading.call.cwd
        for index in mention.entered:
            cwd = _folder_entered(findings[index], cwd, space.root)
        resolution = _resolve(reading, mention, cwd)
        # Below its top, git guesses where the paths of a patch begin.
        role = mention
        at_top = mention.in_git != "top" or space.frame(cwd).cwd == space.root
        if not at_top:
            role = replace(mention, optional=True)
        findings.append(judged(PathInCall(reading, role, resolution, findings, cwd)))
        if resolution.status != "exists":
            missing += 1
        if missing > _MOST_MISSING:
            break
    return replace(reading, paths=findings, is_data=missing > _MOST_MISSING)


def _folder_entered(finding: Finding, cwd: str | None, root: str) -> str:
    """Return the agent's folder after it has entered one, the corrected one if the call
    is corrected.
    """
    path = finding.resolution.path
    if path is not None and finding.action in ("allow", "rewrite"):
        return os.path.join(root, path)
    # A refused or advised call runs as it was written, if it runs.
    return os.path.join(cwd or root, finding.mention.written)


def _resolve(reading: Reading, mention: Mention, cwd: str | None) -> Resolution:
    resolution = _resolved(reading, mention, cwd)
    if not resolution.candidates or len(reading.mentions.paths) == 1:
        return resolution
    # What the command names besides is not meant a second time.
    others = reading.mentions.beside(mention)
    ends = {other.rstrip("/").rpartition("/")[2] for other in others}
    if not any(each.path.endswith(tuple(ends)) for each in resolution.candidates):
        return resolution
    left = _resolved(reading, mention, cwd, others)
    if left.candidates or left.operation in MAKES:
        return left
    return replace(left, cause="beside", note="", searched=Searched())


def _resolved(
    reading: Reading, mention: Mention, cwd: str | None, others: Sequence[str] = ()
) -> Resolution:
    argument = mention.argument
    space = reading.space
    if mention.home and (mention.received or not space.on_disk):
        # The home folder of a sandbox is not known.
        return Resolution(argument.written, "outside", argument.operation, outside=True)
    old_texts: tuple[str, ...] = ()
    if argument.operation == "edit":
        old_texts = contents.old_texts(reading.call, mention)
    resolution = space.resolve(
        mention.written,
        argument.operation,
        cwd=cwd,
        kind=argument.kind,
        texts=old_texts,
        received=mention.received,
        others=others,
    )
    if resolution.status in QUIET:
        return resolution
    word = getattr(mention.use, "word", None)
    if mention.text and word:
        # In a shell, a missing word may be the beginning of a name with blanks.
        blanks = space.with_blanks(
            mention.text.text, word.start, word.end, argument.operation, cwd
        )
        resolution = blanks or resolution
    if argument.operation in MAKES or resolution.outside:
        return resolution
    return _with_moved(resolution, reading)


def _with_moved(missing: Resolution, reading: Reading) -> Resolution:
    """Return the resolution of a missing path with where the session has moved it."""
    kept = reading.known.kept()
    place = place_of(kept.moves, missing.target)
    if not place or missing.path == place:
        changes = reading.known.changes()
        notes = kept.notes
        if not changes and not notes:
            return missing

        return learnt.with_learnt(missing, changes, notes, reading.space.tree)
    tree = reading.space.tree
    kind = tree.kind(place)
    # It may have been moved on, deleted, or led to already.
    if kind is None or not tree.may_name(place):
        return missing
    moved = Candidate(
        place, 1.0, "near", "moved there in this session", kind == "folder"
    )
    others = [other for other in missing.candidates if other.path != place]
    # A file is shown to a look, never used: no disk or commit proves what a session has
    # done. Where these say another one, it is only named.
    is_shown = kind == "file" and missing.path is None
    return replace(
        missing,
        status="likely" if is_shown else "ambiguous",
        path=place if is_shown else None,
        permits="assumed" if is_shown else "named",
        candidates=(moved, *others),
        cause="",
        note="",
    )
