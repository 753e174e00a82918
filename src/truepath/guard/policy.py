"""What to do about a call. Everything that decides it is here, in the order in which it is asked.

For each path:

1. `_rule`: the rule that the path is under, if any.
2. `decide`: what the rule does about the resolution.
3. `_possible`: what of that this call and this host allow; `_assumes`: whether a file that is
   merely likely may be shown.

For the call:

4. `block_repeats`: a path like those that the session keeps missing is not made.
5. `decide_call`: the strongest action of its paths wins.
6. `_corrected`: corrections that get in each other's way are refused.
7. `Caller.others`: other hooks and the host's own rules may refuse a correction, or let the call
   run as it came.
8. `_confirmed`: what the agent asks for again after a warning is let through.

How sure is sure enough is settled by the resolution. This module has no numbers and no words.
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
from truepath.types import DANGLING, READS, Action, Any, Operation, Resolution, ToolCall

QUIET = ("exists", "outside")
"""Statuses that are no miss."""

PASSIVE = ("guide", "observe")
"""Rules under which nothing is ever refused."""

MAKING = ("write", "mkdir")

_STRONGEST_FIRST: Sequence[Action] = ("refuse", "advise", "rewrite", "allow")
"""The paths of one call share one action: all of them are corrected, or none."""

_MOST_FIRST: Sequence[Rule] = ("assume", "recover", "correct", "refuse", "guide", "observe")
"""What a rule does to a call, the most first."""

_WITHOUT_REWRITES: Mapping[Rule, Rule] = {
    **dict.fromkeys(("assume", "recover", "correct"), "refuse"),
    "repair": "protect",
}

_USES_IT: Mapping[str, Sequence[Rule]] = {
    "corrected": ("assume", "recover", "correct"),
    "recover": ("recover",),
    "assumed": ("assume",),
}
"""What the table of reasons permits with the first candidate -> the rules that do so."""

_BLOCKS = 3
"""The level of a streak from which on nothing like its misses is made."""

TURN_GAP_S = 0.3
"""Seconds between one call's answer and the start of the next within which both belong to one model
turn, where the program does not tell: parallel calls follow in tens of milliseconds, and a model's
next answer takes a second as a rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The program around a guard; by default one that lives long and can do everything."""

    refuses: bool = True
    """Whether it can keep a call from running; where not, the call is advised upon."""
    rewrites: bool = True
    """Whether it can change a call; where not, the call is refused with the right path."""
    notes: bool = True
    """Whether the agent reads the text of a decision beside the result of a call that runs; where
    not, no file is assumed."""
    others: Callable[[ToolCall, Mapping[str, Any]], Action] | None = None
    """What others make of a call with other arguments, asked before a correction: other hooks, or
    the host's own rules. It returns rewrite, allow or refuse."""
    turn_gap_s: float = 0.0
    """Seconds after an answer within which a call belongs to the same model turn."""
    began: float | None = None
    """When the process began, seconds since the epoch, where it serves one call and ends."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One path of a call: what is true of it, and what to do about it."""

    mention: Mention
    resolution: Resolution
    action: Action
    rule: Rule | None = None
    """The rule that it is under; None where nothing is to be said of the path."""
    held: bool = False
    """Whether it is refused for nothing but the loop that the session is in."""
    cwd: str | None = None
    """The agent's working directory when it uses the path, as `Workspace.resolve` takes it."""

    @property
    def makes(self) -> bool:
        """Whether it would make what is not there yet."""
        new = self.resolution.status in ("absent", "ambiguous")
        return new and self.resolution.operation in MAKING

    @property
    def is_slip(self) -> bool:
        """Whether it would make what looks like something that is there."""
        return self.makes and self.resolution.status == "ambiguous"

    @property
    def is_miss(self) -> bool:
        """Whether a path that had to be there is not, or a new one is a slip."""
        return self.resolution.status not in QUIET and (self.is_slip or not self.makes)

    @property
    def assumed(self) -> bool:
        """Whether the call runs on a file that is merely likely, for the agent to judge."""
        return self.action == "rewrite" and self.resolution.permits == "assumed"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do about a call, before it has words."""

    action: Action
    chosen: Sequence[Finding] = ()
    """The paths that the answer is about, if there is an answer."""
    arguments: Mapping[str, Any] | None = None
    """What a corrected call runs with."""
    used: Sequence[str] = ()
    """For a corrected call, the path in place of each chosen one, as the agent would write it."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of one project, and what the host and the session add to them."""

    workspace: Workspace
    rules: Mapping[Operation, Rule]
    caller: Caller
    session: Session
    mentions: Mentions
    """The paths of the call."""
    notes: bool = True
    """Whether the agent reads what is said beside the result of this call."""

    def finding(
        self,
        mention: Mention,
        resolution: Resolution,
        before: Sequence[Finding],
        cwd: str | None,
    ) -> Finding:
        """Decide on a path that a call mentions after those `before`, and uses in `cwd`."""
        if resolution.status == "exists":  # as nearly all do
            return Finding(mention, resolution, "allow", self.rules[resolution.operation], cwd=cwd)
        # Nothing can be said of a path below a folder that does not exist.
        entered = [before[at] for at in mention.entered]
        lost = any(folder.is_miss and folder.action != "rewrite" for folder in entered)
        rule = None if lost else self._rule(mention, resolution)
        if rule is None:
            return Finding(mention, resolution, "allow", cwd=cwd)
        action = decide(rule, resolution)
        guesses = action == "rewrite" and resolution.permits == "assumed"
        if guesses and not self._assumes(mention, resolution):
            action = "refuse"
        # What the user typed is an order and no guess: it is only advised upon.
        if action != "allow" and is_ordered(self.mentions.call.prompt, resolution):
            action = "advise"
        action = self._possible(action, mention, resolution, before)
        return Finding(mention, resolution, action, rule, cwd=cwd)

    def block_repeats(self, findings: Sequence[Finding]) -> Sequence[Finding]:
        """Refuse to make a path like those that the session keeps missing, until it has looked: to
        look in the same call is to look.
        """
        if not self.caller.refuses or self.mentions.discovers:
            return findings
        return [
            replace(found, action="refuse", held=True) if self._repeats(found) else found
            for found in findings
        ]

    def decide_call(self, findings: Sequence[Finding]) -> Verdict:
        """Decide on a call whose paths are decided upon."""
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
                # A refused agent makes the call anew, for every hook to see.
                return self._refused(chosen) if said == "refuse" else Verdict(said, chosen)
        return Verdict("allow") if self._confirmed(verdict) else verdict

    def _rule(self, mention: Mention, resolution: Resolution) -> Rule | None:
        """Return the rule of a path: of what must exist, that of the strictest thing which the
        whole call does. None where the path may be missing, leads nowhere as a link, or is denied
        by somebody else's rule.
        """
        # A word that is like no file here may be a branch.
        asks_git = mention.in_git == "history" or (
            mention.in_git
            and (self.workspace.tree.names().kind(resolution.target) or not resolution.candidates)
        )
        if mention.optional or asks_git or resolution.note in (PROTECTED, DANGLING):
            return None
        rule = self.rules[resolution.operation]
        if resolution.operation not in MAKING and mention.strictest != resolution.operation:
            rule = max(rule, self.rules[mention.strictest], key=_MOST_FIRST.index)
        keeps = self.mentions.call.approved or not self.caller.rewrites
        return _WITHOUT_REWRITES.get(rule, rule) if keeps else rule

    def _possible(
        self, action: Action, mention: Mention, resolution: Resolution, before: Sequence[Finding]
    ) -> Action:
        made = resolution.operation in MAKING
        if made and action != "allow" and _takes_over(before, resolution):
            return "allow"
        if action == "rewrite":
            kind = self.workspace.tree.kind(replacement(resolution) or "")
            # Nothing is overwritten in place of a new path, and no whole tree deleted.
            never = (made and kind) or (resolution.operation == "delete" and kind == "folder")
            action = "rewrite" if mention.rewritable and not never else "refuse"
        held_back = action == "refuse" and not self._refuses(mention)
        return "advise" if held_back else action

    def _refused(self, chosen: Sequence[Finding]) -> Verdict:
        """Return what becomes of a call whose paths are not to be corrected."""
        refuses = any(self._refuses(found.mention) for found in chosen)
        return Verdict("refuse" if refuses else "advise", chosen)

    def _refuses(self, mention: Mention) -> bool:
        """Whether a call is refused for a path: to refuse a read would refuse the rest as well."""
        operation = mention.argument.operation
        looks = operation in READS or (operation == "execute" and not mention.enters)
        return self.caller.refuses and (mention.alone or not looks)

    def _assumes(self, mention: Mention, resolution: Resolution) -> bool:
        """Whether a likely file may be shown in place of the written one.

        All of the call only looks, and the agent is told. A shell stays in the folder that it
        enters, and a second guess in a row is a loop.
        """
        if not self.notes or mention.enters or not self._only_looks():
            return False
        folder = made_up(self.workspace, resolution)
        return not self.session.standing(resolution.target, folder).assumed

    def _only_looks(self) -> bool:
        return all(mention.strictest in READS for mention in self.mentions.each)

    def _repeats(self, found: Finding) -> bool:
        passive = found.action == "rewrite" or found.rule in (*PASSIVE, None)
        if not found.makes or passive or is_ordered(self.mentions.call.prompt, found.resolution):
            return False
        folder = made_up(self.workspace, found.resolution)
        return self.session.standing(found.resolution.target, folder).level >= _BLOCKS

    def _corrected(self, findings: Sequence[Finding]) -> Verdict:
        """Return the corrected call; a refusal where its paths would get in each other's way."""
        changes: dict[int, str] = {}
        for at, found in enumerate(findings):
            path = replacement(found.resolution)
            if found.action == "rewrite" and path is not None:
                new = self.workspace.spell(path, found.mention.written, cwd=found.cwd)
                # An agent that enters the folder it is in thinks that it is elsewhere.
                changes[at] = os.path.join(self.workspace.root, path) if new == "." else new
        chosen = [findings[at] for at in changes]
        looks = self._only_looks()
        meet = any(_meets_another(found, findings, looks=looks) for found in chosen)
        arguments = None if meet else self.mentions.rewritten(changes)
        if arguments is None:
            return self._refused(chosen)
        return Verdict("rewrite", chosen, arguments, [*changes.values()])

    def _confirmed(self, verdict: Verdict) -> bool:
        """Whether the agent was warned of just these slips before: then it means them."""
        slips = [f"slip:{found.resolution.target}" for found in verdict.chosen]
        meant = all(found.is_slip and not found.held for found in verdict.chosen)
        return verdict.arguments is None and meant and not self.session.once(*slips)


def decide(rule: Rule, resolution: Resolution) -> Action:
    """Return what a rule does about one path of which that is known."""
    if resolution.status in QUIET or rule in PASSIVE:
        return "allow"
    if resolution.operation not in MAKING:
        return "rewrite" if rule in _USES_IT.get(resolution.permits, ()) else "refuse"
    slip = resolution.status == "ambiguous"
    if slip and rule == "repair" and resolution.permits == "recover" and not resolution.outside:
        return "rewrite"
    return "refuse" if slip or resolution.status == "directory" else "allow"


def replacement(resolution: Resolution) -> str | None:
    """Return the path that a correction uses; for a write, the place that was meant."""
    if resolution.path is not None or not resolution.candidates:
        return resolution.path
    return resolution.candidates[0].path if resolution.permits == "recover" else None


def made_up(workspace: Workspace, resolution: Resolution) -> str:
    """Return the outermost folder of a path that does not exist; "" for none, and outside."""
    parts = [] if resolution.outside else resolution.target.split("/")
    ends = ("/".join(parts[: at + 1]) for at in range(len(parts) - 1))
    return next((end for end in ends if workspace.tree.kind(end) is None), "")


def is_ordered(prompt: str, resolution: Resolution) -> bool:
    """Return whether the user typed this path, as the agent wrote it or from the project's root.

    A bare name is no path: it says what is meant, and leaves it to the agent where that is.
    """
    names = {each.rstrip("/") for each in (resolution.written, resolution.target)}
    return any(
        "/" in name.strip("/")
        # This very path: not one that ends with it, nor one that goes on.
        and re.search(rf"(?<![\w./~-])(?:\./)?{re.escape(name)}(?![\w-]|[./]\w)", prompt)
        for name in (names if prompt else ())
    )


def _takes_over(before: Sequence[Finding], resolution: Resolution) -> bool:
    """Return whether a new path takes the place of a folder that the same call takes away."""
    gone = [each.resolution for each in before if each.resolution.operation in ("delete", "move")]
    meant = resolution.candidates[0].path if resolution.candidates else ""
    return any(each.path is not None and _is_in(meant, each.path) for each in gone)


def _meets_another(found: Finding, findings: Sequence[Finding], *, looks: bool) -> bool:
    """Return whether a correction leads to another path of the call, and for calls that do more
    than look, into it or around it.
    """
    (old, new), others = _leads(found), [each for each in findings if not each.mention.enters]
    return not found.mention.enters and any(
        _touch(new, now, looks=looks) and not _touch(old, then, looks=looks)
        for then, now in map(_leads, others)
    )


def _leads(found: Finding) -> tuple[str, str]:
    """Return where a path leads as it was written, and where it leads now."""
    written = found.resolution.target.casefold()
    new = replacement(found.resolution) if found.action == "rewrite" else None
    return written, written if new is None else new.casefold()


def _touch(one: str, other: str, *, looks: bool) -> bool:
    if looks:
        return one.rstrip("/") == other.rstrip("/")
    return _is_in(one, other) or _is_in(other, one)


def _is_in(one: str, other: str) -> bool:
    return f"{one.rstrip('/')}/".startswith(f"{other.rstrip('/')}/")
