"""What follows a decision: the session counts it, the journal records it, hints are
added.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence

from truepath.calls.paths import Mentions
from truepath.calls.tools import runs_commands
from truepath.guard import messages, texts
from truepath.guard.policy import PASSIVE, Finding, first_missing_folder
from truepath.journal.event import kind_of, of_path
from truepath.journal.journal import Recorder
from truepath.paths import fold
from truepath.records import dataclass, replace
from truepath.resolve.workspace import Workspace
from truepath.session.loops import MISSES, StepKind, Streak
from truepath.session.tracker import Session
from truepath.types import Any, Decision, PathArgument, ToolCall

_LIKE = 3
"""First letters that an entry of a folder must share with the missing name to be listed
first."""


_TOLD = 3
"""Misses of one file in a row from which an answer says only what is new."""

_UNLOOKED = 3
"""The level of such a streak in which the agent has neither listed nor searched."""

_TOOL = r"[\w.-]{1,64}"
"""The name of a tool that a text may contain as it is."""


@dataclass(frozen=True, slots=True)
class Bookkeeping:
    """Records the decision about a call in the session and the journal."""

    workspace: Workspace
    session: Session
    recorder: Recorder
    mentions: Mentions
    """The paths of the call."""

    def allowed(self, findings: Sequence[Finding], decision: Decision) -> None:
        """Record a call that runs unchanged."""
        for each in findings:
            # Under `guide` the miss is counted once the call has failed.
            if each.is_miss and each.rule == "observe":
                self._record(each, decision)
        if any(each.is_miss and each.rule for each in findings):
            return
        if self.mentions.discovers:
            self.record_step("discovery")
        elif any(each.resolution.status == "exists" for each in findings):
            self.record_step("success")

    def took(self, findings: Sequence[Finding]) -> None:
        """Record what a call that runs moves or copies."""
        if not any(each.resolution.operation in ("move", "copy") for each in findings):
            return
        from truepath.guard.moves import moves_of

        moves = moves_of(findings, self.workspace.tree)
        if moves:
            self.session.moved(moves)

    def rewritten(self, findings: Sequence[Finding], decision: Decision) -> Decision:
        """Record a call that runs with other paths. An assumed one counts as a miss."""
        corrections = [_correction(self.mentions.call, each) for each in findings]
        self.session.note_once(*filter(None, corrections))
        assumed = [each for each in findings if each.assumed]
        for each in (each for each in findings if not each.assumed):
            self._record(each, decision)
            self.record_step("success")
        return self.missed(assumed, decision) if assumed else decision

    def dropped(self, findings: Sequence[Finding]) -> Decision | None:
        """Return the answer to a call that failed on a path as it was written, though
        truepath had corrected it; None if it had not.

        Some versions of some programs drop a hook's correction.
        """
        call = self.mentions.call
        for finding in findings:
            correction = _correction(call, finding)
            path = finding.resolution.path
            if path is None or not correction or not self.session.noted(correction):
                continue
            around = surroundings_of(self.workspace, finding, call)
            text = messages.not_taken(finding.resolution, path, around)
            payload = messages.payload(texts.NOT_FOUND, (finding.resolution,))
            decision = Decision(
                "advise",
                call.arguments,
                text=text,
                payload=payload,
                resolutions=(finding.resolution,),
            )
            self._record(finding, decision, "path.dropped")
            return decision
        return None

    def missed(
        self, findings: Sequence[Finding], decision: Decision, *, reported: bool = False
    ) -> Decision:
        """Count the misses; the answer to the second in a row includes the strategy
        shift.

        `reported` says whether the call has run and failed.
        """
        # A path counts once, however often the call names it.
        firsts: dict[str, Finding] = {}
        for finding in findings:
            firsts.setdefault(finding.resolution.target, finding)
        streaks = [
            self._counted(finding, decision, reported=reported)
            for finding in [*firsts.values()][:MISSES]
        ]
        self._watch()
        decision = replace(
            decision, repeated=not any(streak.counted for streak in streaks)
        )
        longest = max(streaks, key=lambda streak: (streak.shift, streak.level))
        if longest.shift:
            if longest.counted:
                self.recorder.record(
                    "strategy.shift", self.mentions.call, streak=longest.count
                )
            return self._shifted(findings, decision, longest)
        if len(streaks) == 1 and self._is_stuck(findings[0], decision, longest):
            around = surroundings_of(self.workspace, findings[0], self.mentions.call)
            text = messages.again(
                findings[0].resolution,
                around,
                longest.count,
                looked=longest.level < _UNLOOKED,
            )
            return replace(decision, text=text)
        return decision

    def _counted(
        self, finding: Finding, decision: Decision, *, reported: bool
    ) -> Streak:
        """Count and record one missing path."""
        resolution = finding.resolution
        streak = self.session.missed(
            resolution.target,
            missing_folder=first_missing_folder(self.workspace, resolution),
            asks=resolution.operation == "list",
            reported=reported,
            assumed=finding.assumed,
        )
        if streak.counted:  # else it was recorded before
            self._record(finding, decision, streak=streak.count, level=streak.level)
        return streak

    def _is_stuck(self, finding: Finding, decision: Decision, streak: Streak) -> bool:
        """Return whether an answer would tell a loop what it was told before."""
        is_missing = messages.code(finding.resolution) == texts.NOT_FOUND
        told = is_missing and streak.same and streak.count >= _TOLD
        return told and decision.action != "rewrite" and not finding.blocked

    def with_checkouts(
        self, findings: Sequence[Finding], decision: Decision
    ) -> Decision:
        """Add to a decision that a path is in another checkout of the repository, once
        a session for each checkout that the agent is not in.
        """
        others: dict[str, Finding] = {}
        for finding in findings:
            top = _checkout(finding)
            if not top or self._is_in(top) or top in others:
                continue
            if self.session.note_once(f"checkout:{top}"):
                others[top] = finding
        if not others:
            return decision
        resolutions = [finding.resolution for finding in others.values()]
        payload = messages.payload(texts.OTHER_CHECKOUT, resolutions)
        answers = [decision.text] if decision.text else []
        for top, finding in others.items():
            around = surroundings_of(self.workspace, finding, self.mentions.call)
            answers.append(messages.other_checkout(finding.resolution, top, around))
        decision = replace(
            decision,
            action="advise" if decision.action == "allow" else decision.action,
            text=messages.joined(answers),
            payload=decision.payload or payload,
        )
        for finding in others.values():
            self._record(finding, decision)
        return decision

    def _is_in(self, top: str) -> bool:
        """Return whether the agent is in a checkout, not in the project, which may be
        below it.
        """
        here = os.path.normpath(self.mentions.call.cwd or "") + "/"
        tops = (self.workspace.root, top)
        around = [folder for folder in tops if here.startswith(f"{folder}/")]
        return max(around, key=len, default="") == top

    def record_check(
        self, finding: Finding, check: str, decision: Decision
    ) -> Decision:
        """Record a check that is not met. From the second time on the same file, it
        counts as a miss of that file, so that a loop is told.
        """
        done = {
            "rewrite": "ranged",
            "refuse": "refused",
            "advise": "advised",
            "allow": "observed",
        }
        self._record(finding, decision, f"check.{done[decision.action]}", reason=check)
        target = finding.resolution.target
        if decision.action == "rewrite":
            self.record_step("success")
        if decision.action in ("rewrite", "allow") or self.session.note_once(
            f"{check}:{target}"
        ):
            return decision
        streak = self.session.missed(target, reported=decision.action != "refuse")
        if not (streak.shift and streak.counted):
            return replace(decision, repeated=not streak.counted)
        self.recorder.record("strategy.shift", self.mentions.call, streak=streak.count)
        again = texts.said(
            "failed again", code=texts.SHIFT, count=f"{streak.count + 1}"
        )
        text = messages.joined([again, decision.text])
        return replace(decision, text=text, shift=True)

    def _shifted(
        self, findings: Sequence[Finding], decision: Decision, streak: Streak
    ) -> Decision:
        first, now = findings[0], {each.resolution.target for each in findings}
        text = messages.shift(
            count=streak.count,
            same=streak.same,
            tried=[
                self.workspace.spell(path, first.mention.written, cwd=first.cwd)
                for path in streak.tried
                if path not in now
            ],
        )
        answers = [text, decision.text]
        if decision.action == "rewrite":  # the shown file comes first
            answers.reverse()
        text = messages.joined(answers)
        return replace(decision, text=text, shift=True)

    def record_step(self, kind: StepKind) -> None:
        """Record what may end a streak."""
        self.session.record_step(kind)
        self._watch()

    def _watch(self) -> None:
        """Record once that sessions cannot be stored."""
        if self.session.store.problem:
            self.recorder.failed(
                "store.failed", self.session.store.problem, self.mentions.call
            )

    def _record(
        self, finding: Finding, decision: Decision, event: str = "", **more: Any
    ) -> None:
        """Record what was done about one path."""
        found, waited = finding.resolution, time.time() - self.session.started
        self.recorder.record(
            event or kind_of(decision, found),
            self.mentions.call,
            candidates=tuple(one.path for one in messages.named(found)),
            elapsed_us=max(0, round(waited * 1e6)),
            replacement=finding.used,
            **{**of_path(_placed(finding), found), **more},
        )


def surroundings_of(
    workspace: Workspace, finding: Finding, call: ToolCall
) -> messages.Surroundings:
    """Return what is near a path, and how to name it to the agent that wrote it."""
    written, resolution = finding.mention.written, finding.resolution
    # In a command, the path is only a part of what the tool takes.
    plain = re.fullmatch(_TOOL, call.tool) and not runs_commands(call)
    step = call.tool if plain and finding.mention.text is None else "use"

    def spell(path: str) -> str:
        return workspace.spell(path, written, cwd=finding.cwd)

    folder, name = resolution.target, ""
    while folder and workspace.tree.kind(folder) != "folder":
        folder, _, name = folder.rpartition("/")
    # Nothing is listed outside the project or in another checkout.
    if (
        resolution.outside
        or workspace.checkout(folder, written, cwd=finding.cwd) != workspace.root
    ):
        return messages.Surroundings(spell=spell, step=step)
    like = fold(name)[:_LIKE]
    entries = workspace.tree.children(folder)
    entries.sort(
        key=lambda entry: (not fold(entry).startswith(like), entry.startswith("."))
    )
    return messages.Surroundings(folder, entries, spell, step)


def _correction(call: ToolCall, finding: Finding) -> str:
    """Return the note of a correction, by which the same call is known when it fails;
    empty where the program gives a call no id.
    """
    if not call.call_id:
        return ""
    return f"corrected:{call.call_id}:{finding.resolution.target}"


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
    place = resolution.candidates[0].path.rstrip("/")
    return os.path.normpath(resolution.target).removesuffix(place).rstrip("/")


def _placed(finding: Finding) -> PathArgument:
    """Return an argument with its position in a list or its offset in a command."""
    argument = finding.mention.argument
    word = getattr(finding.mention.use, "word", None)
    if word is None or argument.index is not None:
        return argument
    return replace(argument, index=word.start)
