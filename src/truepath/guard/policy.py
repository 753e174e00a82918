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
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truepath.calls.paths import Mention, Mentions, is_ordered
from truepath.config.presets import Rule
from truepath.guard.caller import Caller
from truepath.guard.finding import PASSIVE, QUIET, Finding
from truepath.records import dataclass, replace
from truepath.resolve.workspace import Workspace
from truepath.types import READS, Action, Operation, Resolution, ToolCall

if TYPE_CHECKING:
    from truepath.session.tracker import Tracker

_STRONGEST_FIRST: Sequence[Action] = ("refuse", "advise", "rewrite", "allow")
"""The paths of one call share one action: all of them are corrected, or none."""

_BLOCKS = 3
"""The level of a streak from which on nothing like its misses is made."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do about a call, before it has words."""

    action: Action
    chosen: Sequence[Finding] = ()
    """The paths that the answer is about, if there is an answer."""
    arguments: Mapping[str, Any] | None = None
    """What a corrected call runs with."""
    used: Sequence[str] = ()
    """The path in place of each chosen one, as the agent would write it."""
    twice: Mapping[Resolution, str] | None = None
    """Corrections that would lead to another path of the call, and that path."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of one project, and what the host and the session add to them."""

    workspace: Workspace
    rules: Mapping[Operation, Rule]
    caller: Caller
    tracker: Callable[[], Tracker]
    """The memory of sessions, begun when it is first asked for."""
    notes: bool = True
    """Whether the agent reads what is said beside the result of this call."""

    def finding(
        self,
        mentions: Mentions,
        mention: Mention,
        resolution: Resolution,
        before: Sequence[Finding],
        cwd: str | None,
    ) -> Finding:
        """Decide on one path.

        Args:
            mentions: The call that names it.
            mention: Where the call names it.
            resolution: What is known of it.
            before: The paths that the call names before this one.
            cwd: The working directory in which the call uses it.
        """
        entered = (before[at] for at in mention.entered if at < len(before))
        # Nothing can be said of a path below a folder that does not exist.
        lost = any(folder.is_miss and folder.action != "rewrite" for folder in entered)
        rule = None if lost else self._rule(mentions.call, mention, resolution)
        if rule is None:
            return Finding(mention, resolution, "allow", cwd=cwd)
        action = decide(rule, resolution, ordered=is_ordered(mentions.call, resolution))
        if resolution.status == "likely" and action == "rewrite":
            action = "rewrite" if self._assumes(mentions, mention, resolution) else "refuse"
        action = self._possible(action, mention, resolution, before)
        return Finding(mention, resolution, action, rule, cwd=cwd)

    def block_repeats(self, call: ToolCall, findings: Sequence[Finding]) -> list[Finding]:
        """Refuse to make a path like those that the session keeps missing, until it has looked.

        To look in the same call is to look, and what the user named is an order.
        """
        from truepath.calls.tools import is_discovery

        if (
            not self.caller.refuses
            or not any(found.makes for found in findings)
            or is_discovery(call)
        ):
            return [*findings]
        return [
            replace(found, action="refuse", held=True) if self._repeats(call, found) else found
            for found in findings
        ]

    def decide_call(self, mentions: Mentions, findings: Sequence[Finding]) -> Verdict:
        """Decide on a call whose paths are decided upon."""
        actions: list[Action] = [found.action for found in findings]
        action = min(actions, key=_STRONGEST_FIRST.index) if actions else "allow"
        wrong = [found for found in findings if found.action in (action, "rewrite")]
        verdict = Verdict(action, wrong)
        if action == "rewrite":
            verdict = self._corrected(mentions, findings)
        if verdict.action == "rewrite" and verdict.arguments is not None and self.caller.others:
            said = self.caller.others(mentions.call, verdict.arguments)
            # A refused agent makes the call anew, for every hook to see.
            action = self._refusal if said == "refuse" else said
            verdict = verdict if said == "rewrite" else Verdict(action, verdict.chosen)
        if self._confirmed(mentions.call, counted(findings, verdict.action)):
            return Verdict("allow")
        return verdict

    @property
    def _refusal(self) -> Action:
        return "refuse" if self.caller.refuses else "advise"

    def _rule(self, call: ToolCall, mention: Mention, resolution: Resolution) -> Rule | None:
        """Return the rule of a path; None where the call accepts that it is missing, or where
        somebody else's rule denies it.
        """
        if mention.optional and resolution.status != "outside":
            return None
        if resolution.status not in QUIET:
            if self.workspace.protects(resolution.target):
                return None
            names = self.workspace.names
            if mention.known_to_git(lambda path: names().kind(path), resolution.target):
                return None
        rule = self.rules[resolution.operation]
        keeps = call.approved or not self.caller.rewrites
        return _WITHOUT_REWRITES.get(rule, rule) if keeps else rule

    def _possible(
        self,
        action: Action,
        mention: Mention,
        resolution: Resolution,
        before: Sequence[Finding],
    ) -> Action:
        if action == "rewrite" and (not mention.rewritable or self._misplaces(resolution)):
            action = "refuse"
        looks = resolution.operation in ("read", "list", "search", "execute")
        looks = looks and not (mention.enters and resolution.operation == "execute")
        # To refuse a read would refuse the rest of its command line as well.
        if action == "refuse" and (not self.caller.refuses or (looks and not mention.alone)):
            action = "advise"
        if action != "allow" and resolution.operation in ("write", "mkdir"):
            from truepath.guard.together import takes_over

            action = "allow" if takes_over(before, resolution) else action
        return action

    def _assumes(self, mentions: Mentions, mention: Mention, resolution: Resolution) -> bool:
        """Whether a likely file may be shown in place of the written one.

        All of the call only reads, and the agent is told. A shell stays in the folder that it
        enters, and a second guess in a row is a loop.
        """
        from truepath.guard.together import only_looks
        from truepath.resolve.nearby import first_missing_folder

        if not (self.notes and self.caller.notes) or mention.enters or not only_looks(mentions):
            return False
        made_up = first_missing_folder(self.workspace, resolution.target)
        return not self.tracker().assumed_before(mentions.call, resolution.target, made_up)

    def _misplaces(self, resolution: Resolution) -> bool:
        """Whether a corrected write would overwrite, make a folder beside the one that it mends,
        or make a file with a decorated name.
        """
        if resolution.operation not in ("write", "mkdir") or not resolution.candidates:
            return False
        from truepath.resolve.readings import spellings

        path = resolution.candidates[0].path
        folder = path.rpartition("/")[0]
        placed = self.workspace.names().has_folder(folder) if folder else True
        plain = len(spellings(path)) == 1
        return self.workspace.kind(path) is not None or not placed or not plain

    def _repeats(self, call: ToolCall, found: Finding) -> bool:
        from truepath.resolve.nearby import first_missing_folder

        if not found.makes or found.action == "rewrite" or found.rule in (*PASSIVE, None):
            return False
        if is_ordered(call, found.resolution):
            return False
        target = found.resolution.target
        streak = self.tracker().standing(call, target, first_missing_folder(self.workspace, target))
        return streak is not None and streak.level >= _BLOCKS

    def _corrected(self, mentions: Mentions, findings: Sequence[Finding]) -> Verdict:
        """Return the corrected call; a refusal where its paths would get in each other's way."""
        from truepath.guard.together import already, halves

        changes: dict[int, str] = {}
        for at, found in enumerate(findings):
            path = replacement(found.resolution)
            if found.action == "rewrite" and path is not None:
                new = self.workspace.spell(path, found.mention.written, cwd=found.cwd)
                # An agent that enters the folder it is in thinks that it is elsewhere.
                changes[at] = os.path.join(self.workspace.root, path) if new == "." else new
        if met := already(mentions, findings, changes, self.workspace):
            twice = {findings[at].resolution: there for at, there in met.items()}
            return Verdict(self._refusal, [findings[at] for at in met], twice=twice)
        if made_again := halves(mentions, findings, changes):
            return Verdict(self._refusal, [findings[at] for at in made_again])
        chosen = [findings[at] for at in changes]
        arguments = mentions.rewritten(changes)
        if arguments is None:
            return Verdict(self._refusal, chosen)
        return Verdict("rewrite", chosen, arguments, [*changes.values()])

    def _confirmed(self, call: ToolCall, refused: Sequence[Finding]) -> bool:
        """Whether the agent was warned of just these typos before: then it means them."""
        typos = [found.resolution.target for found in refused if found.is_typo and not found.held]
        return (
            bool(typos) and len(typos) == len(refused) and self.tracker().warned_before(call, typos)
        )


_WITHOUT_REWRITES: Mapping[Rule, Rule] = {"correct": "refuse", "repair": "protect"}


def decide(rule: Rule, resolution: Resolution, *, ordered: bool = False) -> Action:
    """Return what a rule does about one path.

    Args:
        rule: The rule of its operation.
        resolution: What is known of it.
        ordered: Whether the user asked for this path by name. That is an order and no guess: the
            path is neither refused nor rewritten, only advised upon.
    """
    action = _plain(rule, resolution)
    return "advise" if ordered and action in ("refuse", "rewrite") else action


def replacement(resolution: Resolution) -> str | None:
    """Return the path that a correction uses; for a write, the place that was meant."""
    if resolution.path is None and resolution.operation in ("write", "mkdir"):
        return resolution.candidates[0].path if resolution.candidates else None
    return resolution.path


def _plain(rule: Rule, resolution: Resolution) -> Action:
    status = resolution.status
    if status in QUIET or rule in PASSIVE:
        return "allow"
    if rule in ("protect", "repair"):
        return _of_new_path(rule, resolution)
    shown = status == "likely" and resolution.operation in READS
    if rule == "correct" and (status == "resolved" or shown):
        return "rewrite"
    return "refuse"


def _of_new_path(rule: Rule, resolution: Resolution) -> Action:
    single = resolution.status == "ambiguous" and len(resolution.candidates) == 1
    # What a note says, such as that the folder moved, is for the agent to decide.
    if rule == "repair" and single and not resolution.outside and not resolution.note:
        return "rewrite"
    return "refuse" if resolution.status in ("ambiguous", "directory") else "allow"


def counted(findings: Sequence[Finding], action: Action) -> list[Finding]:
    """Return the paths that a refused or advised call misses; none of a call that runs."""
    if action not in ("refuse", "advise"):
        return []
    strongest = [found for found in findings if found.action == action]
    return strongest or [found for found in findings if found.action == "rewrite"]
