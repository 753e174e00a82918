"""What to do about a call. Everything that decides it is here, in the order in which it
is asked.

For each path:

1. `decide`: what the rule of its operation does about the resolution.
2. `PATH_VETOES`: what the call and the host leave of that, a row each; the first of
   them asks the table of what may be changed (`effects`).

For the call:

3. `block_repeats`: a path like those that the session keeps missing is not made.
4. `decide_call`: the strongest action of its paths wins.
5. `CALL_VETOES`: what the whole call leaves of a correction, a row each.

How sure is sure enough is settled by the resolution. This module has no numbers and no
words for agents.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from truepath.calls.paths import Mention, Mentions
from truepath.config.presets import Rule
from truepath.guard.effects import effects, keeping
from truepath.records import dataclass, replace
from truepath.resolve.vetoes import ASSUMED_FROM
from truepath.resolve.workspace import Workspace
from truepath.session.tracker import Session
from truepath.types import (
    MAKES,
    READS,
    Action,
    Any,
    Operation,
    ReadLimit,
    Resolution,
    ToolCall,
)

QUIET = ("exists", "outside")
"""Statuses that are not misses."""

PASSIVE = ("guide", "observe")
"""Rules under which nothing is ever refused."""

_STRONGEST_FIRST: Sequence[Action] = ("refuse", "advise", "rewrite", "allow")
"""Actions; the first one among its paths is that of the call."""

_USES_IT: Mapping[str, Sequence[Rule]] = {
    "corrected": ("assume", "recover", "correct"),
    "recover": ("recover",),
    "assumed": ("assume",),
}
"""Permit of the first candidate -> the rules that use it."""

ELSEWHERE = ""
"""The folder of a call whose relative paths begin in this process's folder or at the
root, and these are not the same: see `checked_call.folder_of`."""

_BLOCKS = 3
"""The level of a streak from which similar paths are not created."""


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


@dataclass(frozen=True, slots=True)
class Finding:
    """One path of a call: its resolution, and what to do about it."""

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
class Verdict:
    """What to do about a call, without its text."""

    action: Action
    chosen: Sequence[Finding] = ()
    """The paths that the answer is about."""
    arguments: Mapping[str, Any] | None = None
    """The arguments of a corrected call."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of one project, with the host and the session."""

    workspace: Workspace
    rules: Mapping[Operation, Rule]
    caller: Caller
    session: Session
    mentions: Mentions
    """The paths of the call."""
    notes: bool = True
    """Whether the agent reads a text with the result of this call."""

    def finding(
        self,
        mention: Mention,
        resolution: Resolution,
        before: Sequence[Finding],
        cwd: str | None,
    ) -> Finding:
        """Decide about a path that a call mentions after those `before`, and uses in
        `cwd`.
        """
        if resolution.status == "exists":  # as nearly all do
            rule = self.rules[resolution.operation]
            return Finding(mention, resolution, "allow", rule, cwd=cwd)
        question = PathInCall(self, mention, resolution, before, cwd)
        rule = self.rules[resolution.operation]
        action = decide(rule, resolution)
        held_back = [*resolution.held_back]
        for veto in PATH_VETOES:
            if action not in veto.turns or not veto.applies(question):
                continue
            action = veto.turns[action]
            held_back.append(veto.name)
            if veto.silences:
                return Finding(mention, resolution, "allow", cwd=cwd)
        if len(held_back) > len(resolution.held_back):
            resolution = replace(resolution, held_back=tuple(held_back))
        return Finding(mention, resolution, action, rule, cwd=cwd)

    def block_repeats(self, findings: Sequence[Finding]) -> Sequence[Finding]:
        """Refuse to create a path similar to those that the session keeps missing,
        until the agent has looked, which may be in the same call.
        """
        if not self.caller.refuses or self.mentions.discovers:
            return findings
        return [self._blocked(finding) for finding in findings]

    def _blocked(self, finding: Finding) -> Finding:
        """Return a finding that is refused if it must not be made before a look."""
        if not self._repeats_misses(finding):
            return finding
        held_back = _held_back(finding, LOOK_FIRST)
        return replace(held_back, action="refuse", blocked=True)

    def _repeats_misses(self, finding: Finding) -> bool:
        resolution = finding.resolution
        if not finding.makes or finding.rule in (*PASSIVE, None):
            return False
        if finding.action == "rewrite":  # then it is made where the folder exists
            return False
        if is_ordered(self.mentions.call.prompt, resolution):
            return False
        folder = first_missing_folder(self.workspace, resolution)
        return self.session.streak_of(resolution.target, folder).level >= _BLOCKS

    def decide_call(self, findings: Sequence[Finding]) -> Verdict:
        """Decide about a call from the findings on its paths."""
        chosen = [finding for finding in findings if finding.action != "allow"]
        if not chosen:
            return Verdict("allow")
        actions = [finding.action for finding in chosen]
        action = min(actions, key=_STRONGEST_FIRST.index)
        verdict = Verdict(action, chosen)
        if action == "rewrite":
            verdict = self._corrected(findings)
            for veto in CALL_VETOES:
                if verdict.action == "rewrite":
                    verdict = self._after(verdict, veto, findings)
        # An agent that sends the same new path again after a warning means it.
        if verdict.action != "allow" and self._is_confirmed(verdict):
            return Verdict("allow")
        return verdict

    def _corrected(self, findings: Sequence[Finding]) -> Verdict:
        """Return the corrected call; its arguments are None if they cannot be."""
        changes: dict[int, str] = {}
        for index, finding in enumerate(findings):
            path = replacement(finding.resolution)
            if finding.action == "rewrite" and path is not None:
                changes[index] = self._spelled(path, finding)
        chosen = [replace(findings[index], used=new) for index, new in changes.items()]
        return Verdict("rewrite", chosen, self.mentions.rewritten(changes))

    def _spelled(self, path: str, finding: Finding) -> str:
        """Return a corrected path as the call uses it."""
        new = self.workspace.spell(path, finding.mention.written, cwd=finding.cwd)
        whole = os.path.join(self.workspace.root, path)
        # An agent that enters its own folder believes that it is elsewhere.
        if new == ".":
            return whole
        # A tool in this process may open a relative path in the process's folder.
        if finding.cwd == ELSEWHERE:
            return whole
        return new

    def _after(
        self, verdict: Verdict, veto: CallVeto, findings: Sequence[Finding]
    ) -> Verdict:
        """Return what a row of `CALL_VETOES` leaves of a correction."""
        left = veto.leaves(self, verdict, findings)
        if left == "rewrite":
            return verdict
        return self.withdrawn(verdict, veto.name, left)

    def withdrawn(
        self, verdict: Verdict, row: str, action: Action = "refuse"
    ) -> Verdict:
        """Return what is left of a correction that a row holds back."""
        chosen = [
            replace(_held_back(finding, row), used="") for finding in verdict.chosen
        ]
        # The paths' row `stops-others` weakens refusals; this was a correction.
        refuses = any(self.refuses(finding.mention) for finding in chosen)
        if action == "refuse" and not refuses:
            action = "advise"
        return Verdict(action, chosen)

    def refuses(self, mention: Mention) -> bool:
        """Return whether a call is refused for a path: refusing a read would stop the
        rest too.
        """
        if not self.caller.refuses:
            return False
        operation = mention.argument.operation
        # A script that is missing fails by itself, as a read does; after `cd` into a
        # missing folder, the rest would run in the wrong one.
        looks = operation in READS or (operation == "execute" and not mention.enters)
        return mention.stops_nothing_else or not looks

    def may_change(self) -> bool:
        """Return whether what the whole call does lets truepath change it."""
        return keeping(self.mentions, self.rules) is None

    def _is_confirmed(self, verdict: Verdict) -> bool:
        """Return whether the agent was warned about exactly these paths before."""
        if verdict.arguments is not None:
            return False
        for finding in verdict.chosen:
            # In a loop, a repetition is what an agent does, not what it means.
            if not finding.looks_wrong or finding.blocked:
                return False
        warnings = [f"wrong:{self._warned_of(finding)}" for finding in verdict.chosen]
        return not self.session.note_once(*warnings)

    def _warned_of(self, finding: Finding) -> str:
        """Return what an answer about a new path is about: the folder that would be
        made, so that one question is asked about all files in it; else the path.
        """
        resolution = finding.resolution
        reasons = {candidate.reason for candidate in resolution.candidates[:1]}
        folder = ""
        if reasons & {"folder-misspelt", "folder-number"}:
            folder = first_missing_folder(self.workspace, resolution)
        return folder or resolution.target


@dataclass(frozen=True, slots=True)
class PathInCall:
    """A path that does not exist, in its call."""

    policy: Policy
    mention: Mention
    resolution: Resolution
    before: Sequence[Finding]
    """What was decided about the paths that the call mentions before it."""
    cwd: str | None
    """The agent's working directory when it uses the path."""

    @property
    def is_guess(self) -> bool:
        """Whether the file that it may be led to is merely likely."""
        return self.resolution.permits == "assumed"


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


def _is_destination(path: PathInCall) -> bool:
    """Return whether something is copied or moved to a path."""
    is_made = path.resolution.operation in MAKES
    return is_made and not effects(path.policy.mentions).isdisjoint(("copy", "move"))


def _is_below_missing(path: PathInCall) -> bool:
    entered = [path.before[index] for index in path.mention.entered]
    return any(folder.is_miss and folder.action != "rewrite" for folder in entered)


def _may_be_missing(path: PathInCall) -> bool:
    return path.mention.optional


def _is_tolerated(path: PathInCall) -> bool:
    return path.mention.tolerated


def _is_made_anew(path: PathInCall) -> bool:
    """Return whether the line removes a path, if it is there, and makes it again."""
    if path.mention.tolerated:
        removed = path.mention.written
        return any(
            mention.argument.operation in MAKES
            and mention.entered == path.mention.entered
            and _is_in(mention.written, removed)
            for mention in path.policy.mentions.paths
        )
    if path.resolution.operation not in MAKES:
        return False
    target = path.resolution.target
    return any(
        finding.mention.tolerated and _is_in(target, finding.resolution.target)
        for finding in path.before
    )


def _is_tolerated_alone(path: PathInCall) -> bool:
    """Return whether a path may be missing, and nothing is likely to be meant."""
    likely = [
        candidate
        for candidate in path.resolution.candidates
        if candidate.confidence >= ASSUMED_FROM
    ]
    return path.mention.tolerated and not likely


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
    workspace = path.policy.workspace
    if not mention.in_git:
        return False
    if mention.in_git == "history":  # `git log -- gone.md` is right
        return True
    if workspace.tree.names().kind(path.resolution.target):
        return True  # the index has it
    # A word without ranked candidates may be a branch.
    if not any(candidate.confidence for candidate in path.resolution.candidates):
        return True
    if mention.in_git != "revision":
        return False
    folder = os.path.join(workspace.root, path.cwd or "")
    return workspace.tree.is_revision(mention.written, folder)


def _is_not_told(path: PathInCall) -> bool:
    return path.resolution.cause in ("protected", "dangling")


def _is_unread(path: PathInCall) -> bool:
    return path.is_guess and not path.policy.notes


def _is_entered(path: PathInCall) -> bool:
    return path.is_guess and path.mention.enters


def _does_more_than_look(path: PathInCall) -> bool:
    return path.is_guess and not path.policy.mentions.looks


def _was_shown_before(path: PathInCall) -> bool:
    if not path.is_guess:
        return False
    target = path.resolution.target
    folder = first_missing_folder(path.policy.workspace, path.resolution)
    return path.policy.session.streak_of(target, folder).assumed


def _is_users(path: PathInCall) -> bool:
    return is_ordered(path.policy.mentions.call.prompt, path.resolution)


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
    for mention in path.policy.mentions.paths:
        # After another `cd`, its path starts elsewhere, and is not decided yet.
        is_same_folder = mention.entered == path.mention.entered
        if not is_same_folder or mention.argument.operation != "move":
            continue
        source = path.policy.workspace.resolve(mention.written, "move", cwd=path.cwd)
        if source.status == "exists" and _is_in(source.target, folder):
            return True
    return False


_ANY_TO_ALLOW: Mapping[Action, Action] = dict.fromkeys(_STRONGEST_FIRST, "allow")
_REWRITE_TO_REFUSE: Mapping[Action, Action] = {"rewrite": "refuse"}

PATH_VETOES: Sequence[PathVeto] = (
    PathVeto(
        "below-missing",
        _is_below_missing,
        _ANY_TO_ALLOW,
        "the command enters a folder that does not exist: nothing is known below it",
        silences=True,
    ),
    PathVeto(
        "optional",
        _may_be_missing,
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
        _is_tolerated_alone,
        _ANY_TO_ALLOW,
        "an option allows for its absence (`rm -f`), and nothing is likely to be meant",
        silences=True,
    ),
    PathVeto(
        "tolerated",
        _is_tolerated,
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
        _is_not_told,
        _ANY_TO_ALLOW,
        "a rule denies it, it is a secret, or a link that leads nowhere",
        silences=True,
    ),
    PathVeto(
        "effect",
        lambda path: not path.policy.may_change(),
        _REWRITE_TO_REFUSE,
        "the call does something for which it is not changed (the table of what may be "
        "changed)",
    ),
    PathVeto(
        "destination",
        _is_destination,
        _REWRITE_TO_REFUSE,
        "something is copied or moved to it: only the source is corrected",
    ),
    PathVeto(
        "approved",
        lambda path: path.policy.mentions.call.approved,
        _REWRITE_TO_REFUSE,
        "a person approved exactly these arguments",
    ),
    PathVeto(
        "host-cannot-correct",
        lambda path: not path.policy.caller.rewrites,
        _REWRITE_TO_REFUSE,
        "the program cannot change a call",
    ),
    PathVeto(
        "note-unread",
        _is_unread,
        _REWRITE_TO_REFUSE,
        "the file is merely likely, and the agent would not read a note",
    ),
    PathVeto(
        "entered",
        _is_entered,
        _REWRITE_TO_REFUSE,
        "the folder is merely likely, and a shell would stay in it",
    ),
    PathVeto(
        "more-than-looks",
        _does_more_than_look,
        _REWRITE_TO_REFUSE,
        "the file is merely likely, and the call does more than look",
    ),
    PathVeto(
        "shown-before",
        _was_shown_before,
        _REWRITE_TO_REFUSE,
        "the file is merely likely, and one was shown just before for the same target",
    ),
    PathVeto(
        "users-own",
        _is_users,
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
        lambda path: not path.policy.refuses(path.mention),
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
    leaves: Callable[[Policy, Verdict, Sequence[Finding]], Action]
    """Returns what becomes of a correction: rewrite, refuse or allow."""
    sentence: str


def _if_paths_meet(policy: Policy, _: Verdict, findings: Sequence[Finding]) -> Action:
    looks = policy.mentions.looks
    for finding in findings:
        if finding.action != "rewrite":
            continue
        if _meets_another(finding, findings, looks=looks):
            return "refuse"
    return "rewrite"


def _if_not_replaced(_: Policy, verdict: Verdict, __: Sequence[Finding]) -> Action:
    return "refuse" if verdict.arguments is None else "rewrite"


def _if_others_object(policy: Policy, verdict: Verdict, _: Sequence[Finding]) -> Action:
    ask_others = policy.caller.others
    if ask_others is None or verdict.arguments is None:
        return "rewrite"
    # After a refusal, the agent repeats the call, and every hook sees the new path.
    return ask_others(policy.mentions.call, verdict.arguments)


def _if_shown_as_written(
    policy: Policy, verdict: Verdict, _: Sequence[Finding]
) -> Action:
    is_shown = policy.caller.shown_as_written
    if is_shown is None or verdict.arguments is None:
        return "rewrite"
    # What a person approves is what runs.
    shown = is_shown(policy.mentions.call, verdict.arguments)
    return "refuse" if shown else "rewrite"


CALL_VETOES: Sequence[CallVeto] = (
    CallVeto(
        "paths-meet",
        _if_paths_meet,
        "the correction would make two paths of the call the same, or put one in "
        "another",
    ),
    CallVeto(
        "not-replaced",
        _if_not_replaced,
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
"""The row of `Policy.block_repeats`."""

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


def first_missing_folder(workspace: Workspace, resolution: Resolution) -> str:
    """Return the outermost missing folder of a path; "" for none, and for a path
    outside.
    """
    if resolution.outside:
        return ""
    folders = resolution.target.split("/")[:-1]
    for length in range(1, len(folders) + 1):
        folder = "/".join(folders[:length])
        if workspace.tree.kind(folder) is None:
            return folder
    return ""


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


def _meets_another(
    finding: Finding, findings: Sequence[Finding], *, looks: bool
) -> bool:
    """Return whether a corrected path becomes equal to another path of the call, or, if
    the call does more than look, a parent or child of it.
    """
    if finding.mention.enters:  # every later path of the line is in that folder
        return False
    old, new = _targets(finding)
    for other_old, other_new in _targets_of_all(findings):
        # Two that are one as written (the path itself, or used twice) stay one.
        met_before = _overlap(old, other_old, looks=looks)
        if _overlap(new, other_new, looks=looks) and not met_before:
            return True
    return False


def _targets_of_all(findings: Sequence[Finding]) -> Iterator[tuple[str, str]]:
    for finding in findings:
        if not finding.mention.enters:
            yield _targets(finding)


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
