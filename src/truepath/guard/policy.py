"""What to do about a call. Everything that decides it is here, in the order in which it
is asked.

For each path:

1. `_rule`: the rule that the path is under, if any.
2. `decide`: what the rule does about the resolution.
3. `_possible`: what of that this call and this host allow; `_assumes`: whether a file
   that is merely likely may be shown.

For the call:

4. `block_repeats`: a path like those that the session keeps missing is not made.
5. `decide_call`: the strongest action of its paths wins.
6. `_corrected`: corrections that get in each other's way are refused.
7. `Caller.others`: other hooks and the host's own rules may refuse a correction, or let
   the call run as it came.
8. `_confirmed`: what the agent asks for again after a warning is let through.

How sure is sure enough is settled by the resolution. This module has no numbers and no
words.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence

from truepath.calls.paths import Mention, Mentions
from truepath.config.presets import Rule
from truepath.records import dataclass, replace
from truepath.resolve.question import PROTECTED
from truepath.resolve.workspace import Workspace
from truepath.session.tracker import Session
from truepath.types import (
    DANGLING,
    MAKES,
    READS,
    Action,
    Any,
    Operation,
    Resolution,
    ToolCall,
)

QUIET = ("exists", "outside")
"""Statuses that are not misses."""

PASSIVE = ("guide", "observe")
"""Rules under which nothing is ever refused."""

_STRONGEST_FIRST: Sequence[Action] = ("refuse", "advise", "rewrite", "allow")
"""Actions; the first one among its paths is that of the call."""

_MOST_FIRST: Sequence[Rule] = (
    "assume",
    "recover",
    "correct",
    "refuse",
    "guide",
    "observe",
)
"""Rules, from the one that changes a call most to the one that does least."""

_WITHOUT_REWRITES: Mapping[Rule, Rule] = {
    **dict.fromkeys(("assume", "recover", "correct"), "refuse"),
    "repair": "protect",
}

_USES_IT: Mapping[str, Sequence[Rule]] = {
    "corrected": ("assume", "recover", "correct"),
    "recover": ("recover",),
    "assumed": ("assume",),
}
"""Permit of the first candidate -> the rules that use it."""

_BLOCKS = 3
"""The level of a streak from which similar paths are not created."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The program around a guard; by default a long-lived one that can do everything."""

    refuses: bool = True
    """Whether it can refuse a call; if not, a refusal becomes advice."""
    rewrites: bool = True
    """Whether it can change a call; if not, the call is refused with the right path."""
    notes: bool = True
    """Whether the agent reads a decision's text with the result of a call that runs; if
    not, no file is assumed."""
    others: Callable[[ToolCall, Mapping[str, Any]], Action] | None = None
    """Asked before a correction: what other hooks or the host's rules allow for the
    call with its
    new arguments: rewrite, allow or refuse."""
    limits: Mapping[str, tuple[int, int, str]] | None = None
    """Tool -> the largest file that it reads, and how a part is read
    (`Table.READ_LIMITS`)."""
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
            return Finding(
                mention, resolution, "allow", self.rules[resolution.operation], cwd=cwd
            )
        # Nothing is known about a path below a missing folder.
        entered = [before[at] for at in mention.entered]
        lost = any(folder.is_miss and folder.action != "rewrite" for folder in entered)
        rule = None if lost else self._rule(mention, resolution, cwd)
        if rule is None:
            return Finding(mention, resolution, "allow", cwd=cwd)
        action = decide(rule, resolution)
        guesses = action == "rewrite" and resolution.permits == "assumed"
        if guesses and not self._assumes(mention, resolution):
            action = "refuse"
        # What the user typed is an instruction, not a guess: only advice is given.
        if action != "allow" and is_ordered(self.mentions.call.prompt, resolution):
            action = "advise"
        action = self._possible(action, mention, resolution, before)
        return Finding(mention, resolution, action, rule, cwd=cwd)

    def block_repeats(self, findings: Sequence[Finding]) -> Sequence[Finding]:
        """Refuse to create a path similar to those that the session keeps missing,
        until the agent has looked, which may be in the same call.
        """
        if not self.caller.refuses or self.mentions.discovers:
            return findings
        return [
            replace(found, action="refuse", blocked=True)
            if self._repeats(found)
            else found
            for found in findings
        ]

    def decide_call(self, findings: Sequence[Finding]) -> Verdict:
        """Decide about a call from the findings on its paths."""
        chosen = [found for found in findings if found.action != "allow"]
        if not chosen:
            return Verdict("allow")
        action = min((found.action for found in chosen), key=_STRONGEST_FIRST.index)
        verdict = Verdict(action, chosen)
        if action == "rewrite":
            verdict = self._corrected(findings)
        if verdict.arguments is not None and self.caller.others:
            said = self.caller.others(self.mentions.call, verdict.arguments)
            if said != "rewrite":
                # After a refusal, the agent repeats the call, and every hook sees the
                # new path.
                return (
                    self._refused(chosen) if said == "refuse" else Verdict(said, chosen)
                )
        return Verdict("allow") if self._confirmed(verdict) else verdict

    def _rule(
        self, mention: Mention, resolution: Resolution, cwd: str | None
    ) -> Rule | None:
        """Return the rule for a path: if it must exist, that of the call's strictest
        operation. None if the path may be missing, is a dangling link, or is protected.
        """
        # A word without ranked candidates may be a branch.
        asks_git = mention.in_git == "history" or (
            mention.in_git
            and (
                self.workspace.tree.names().kind(resolution.target)
                or not any(each.confidence for each in resolution.candidates)
            )
        )
        asks_git = asks_git or (
            mention.in_git == "revision" and self._is_branch(mention, cwd)
        )
        if mention.optional or asks_git or resolution.note in (PROTECTED, DANGLING):
            return None
        rule = self.rules[resolution.operation]
        if (
            resolution.operation not in MAKES
            and mention.strictest != resolution.operation
        ):
            rule = max(rule, self.rules[mention.strictest], key=_MOST_FIRST.index)
        keeps = self.mentions.call.approved or not self.caller.rewrites
        return _WITHOUT_REWRITES.get(rule, rule) if keeps else rule

    def _is_branch(self, mention: Mention, cwd: str | None) -> bool:
        folder = os.path.join(self.workspace.root, cwd or "")
        return self.workspace.tree.is_revision(mention.written, folder)

    def _possible(
        self,
        action: Action,
        mention: Mention,
        resolution: Resolution,
        before: Sequence[Finding],
    ) -> Action:
        made = resolution.operation in MAKES
        if made and action != "allow" and _takes_over(before, resolution):
            return "allow"
        if action == "rewrite":
            kind = self.workspace.tree.kind(replacement(resolution) or "")
            # A new path never becomes an existing one, and a folder is never deleted.
            never = (made and kind) or (
                resolution.operation == "delete" and kind == "folder"
            )
            action = "rewrite" if mention.rewritable and not never else "refuse"
        return "advise" if action == "refuse" and not self.refuses(mention) else action

    def _refused(self, chosen: Sequence[Finding]) -> Verdict:
        """Return the verdict for a call whose paths may not be corrected."""
        refuses = any(self.refuses(found.mention) for found in chosen)
        return Verdict("refuse" if refuses else "advise", chosen)

    def refuses(self, mention: Mention) -> bool:
        """Return whether a call is refused for a path: refusing a read would stop the
        rest too.
        """
        operation = mention.argument.operation
        looks = operation in READS or (operation == "execute" and not mention.enters)
        return self.caller.refuses and (mention.alone or not looks)

    def _assumes(self, mention: Mention, resolution: Resolution) -> bool:
        """Return whether a likely file may be shown in place of the written one.

        The whole call must only look, and the agent must be told. Not for a folder that
        a shell enters, where it would stay, nor twice in a row, which would be a loop.
        """
        if not self.notes or mention.enters or not self.only_looks():
            return False
        folder = made_up(self.workspace, resolution)
        return not self.session.standing(resolution.target, folder).assumed

    def only_looks(self) -> bool:
        return all(mention.strictest in READS for mention in self.mentions.each)

    def _repeats(self, found: Finding) -> bool:
        passive = found.action == "rewrite" or found.rule in (*PASSIVE, None)
        if (
            not found.makes
            or passive
            or is_ordered(self.mentions.call.prompt, found.resolution)
        ):
            return False
        folder = made_up(self.workspace, found.resolution)
        return self.session.standing(found.resolution.target, folder).level >= _BLOCKS

    def _corrected(self, findings: Sequence[Finding]) -> Verdict:
        """Return the corrected call, or a refusal if its corrected paths would
        interfere.
        """
        changes: dict[int, str] = {}
        for at, found in enumerate(findings):
            path = replacement(found.resolution)
            if found.action == "rewrite" and path is not None:
                new = self.workspace.spell(path, found.mention.written, cwd=found.cwd)
                whole = os.path.join(self.workspace.root, path)
                # An agent that enters its own folder believes that it is elsewhere, and
                # a tool may start where this process does.
                other = new == "." or (found.cwd == "" and _is_another(new, whole))
                changes[at] = whole if other else new
        chosen = [findings[at] for at in changes]
        looks = self.only_looks()
        meet = any(_meets_another(found, findings, looks=looks) for found in chosen)
        arguments = None if meet else self.mentions.rewritten(changes)
        if arguments is None:
            return self._refused(chosen)
        used = [replace(findings[at], used=new) for at, new in changes.items()]
        return Verdict("rewrite", used, arguments)

    def _confirmed(self, verdict: Verdict) -> bool:
        """Return whether the agent was warned about exactly these paths before."""
        warnings = [f"wrong:{found.resolution.target}" for found in verdict.chosen]
        meant = all(found.looks_wrong and not found.blocked for found in verdict.chosen)
        return verdict.arguments is None and meant and not self.session.once(*warnings)


def decide(rule: Rule, resolution: Resolution) -> Action:
    """Return what a rule does about a resolved path."""
    if resolution.status in QUIET or rule in PASSIVE:
        return "allow"
    if resolution.operation not in MAKES:
        return "rewrite" if rule in _USES_IT.get(resolution.permits, ()) else "refuse"
    wrong = resolution.status == "ambiguous"
    if (
        wrong
        and rule == "repair"
        and resolution.permits == "recover"
        and not resolution.outside
    ):
        return "rewrite"
    return "refuse" if wrong or resolution.status == "directory" else "allow"


def replacement(resolution: Resolution) -> str | None:
    """Return the path that a correction uses; for a write, the path that was meant."""
    if resolution.path is not None or not resolution.candidates:
        return resolution.path
    return resolution.candidates[0].path if resolution.permits == "recover" else None


def made_up(workspace: Workspace, resolution: Resolution) -> str:
    """Return the outermost missing folder of a path; "" for none, and for a path
    outside.
    """
    parts = [] if resolution.outside else resolution.target.split("/")
    ends = ("/".join(parts[: at + 1]) for at in range(len(parts) - 1))
    return next((end for end in ends if workspace.tree.kind(end) is None), "")


def is_ordered(prompt: str, resolution: Resolution) -> bool:
    """Return whether the user typed this path, as the agent wrote it or relative to the
    root.

    A bare name does not count: it leaves the place to the agent.
    """
    names = {each.rstrip("/") for each in (resolution.written, resolution.target)}
    return any(
        "/" in name.strip("/")
        # Exactly this path: not one that ends with it or continues.
        and re.search(
            rf"(?<![\w./~-])(?:\./)?{re.escape(name)}(?![\w-]|[./]\w)", prompt
        )
        for name in (names if prompt else ())
    )


def _takes_over(before: Sequence[Finding], resolution: Resolution) -> bool:
    """Return whether the call moves or deletes what a new path is like, or names that
    as well.
    """
    meant = resolution.candidates[0].path if resolution.candidates else ""
    return bool(meant) and any(
        path == meant
        or (doing in ("delete", "move") and path is not None and _is_in(meant, path))
        for path, doing in (
            (each.resolution.path, each.resolution.operation) for each in before
        )
    )


def _is_another(path: str, whole: str) -> bool:
    """Return whether there is something else at a path, from this process's folder."""
    return os.path.lexists(path) and os.path.realpath(path) != os.path.realpath(whole)


def _meets_another(found: Finding, findings: Sequence[Finding], *, looks: bool) -> bool:
    """Return whether a corrected path becomes equal to another path of the call, or, if
    the call does more than look, a parent or child of it.
    """
    (old, new), others = (
        _targets(found),
        [each for each in findings if not each.mention.enters],
    )
    return not found.mention.enters and any(
        _overlap(new, now, looks=looks) and not _overlap(old, then, looks=looks)
        for then, now in map(_targets, others)
    )


def _targets(found: Finding) -> tuple[str, str]:
    """Return where a path points as it was written, and as corrected, in lower case."""
    written = found.resolution.target
    new = replacement(found.resolution) if found.action == "rewrite" else None
    return written, (written if new is None else new).casefold()


def _overlap(one: str, other: str, *, looks: bool) -> bool:
    if looks:
        return one.rstrip("/") == other.rstrip("/")
    return _is_in(one, other) or _is_in(other, one)


def _is_in(one: str, other: str) -> bool:
    return f"{one.rstrip('/')}/".startswith(f"{other.rstrip('/')}/")
