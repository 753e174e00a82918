"""What follows a decision: the session counts it, the journal records it, hints are
added.
"""

from __future__ import annotations

import os
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
from truepath.session.keys import FAILED_BY_SIZE
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

_LONGEST_TOOL = 64
"""Characters of a tool's name that a text may contain as it is."""


@dataclass(frozen=True, slots=True)
class Bookkeeping:
    """Records the decision about a call in the session and the journal."""

    workspace: Workspace
    session: Session
    recorder: Recorder
    mentions: Mentions
    """The paths of the call."""

    def record_allowed(self, findings: Sequence[Finding], decision: Decision) -> None:
        """Record a call that runs unchanged."""
        for finding in findings:
            # Under `guide` the miss is counted once the call has failed.
            if finding.is_miss and finding.rule == "observe":
                self._record(finding, decision)
        # A call that will miss ends no streak, whatever else it names.
        if any(finding.is_miss and finding.rule for finding in findings):
            return
        if self.mentions.discovers:
            self.record_step("discovery")
        elif any(finding.resolution.status == "exists" for finding in findings):
            self.record_step("success")

    def is_too_large(self, finding: Finding, largest: int) -> bool:
        """Return whether a file has more than `largest` bytes, or has failed for its
        size in this session, with that size.
        """
        size = self._size(finding)
        return size > largest or self.session.noted(_failed_note(finding, size))

    def note_too_large(self, finding: Finding) -> None:
        """Record that a file has failed for its size, whatever the limit is."""
        self.session.note_once(_failed_note(finding, self._size(finding)))

    def _size(self, finding: Finding) -> int:
        place = os.path.join(self.workspace.root, finding.resolution.path or "")
        try:
            return os.path.getsize(place)
        except OSError:
            return 0

    def record_moves(self, findings: Sequence[Finding]) -> None:
        """Record what a call that runs moves or copies."""
        operations = {finding.resolution.operation for finding in findings}
        if operations.isdisjoint(("move", "copy")):
            return
        from truepath.guard.moves import moves_of

        moves = moves_of(findings, self.workspace.tree)
        if moves:
            self.session.moved(moves)

    def record_corrected(
        self, findings: Sequence[Finding], decision: Decision
    ) -> Decision:
        """Record a call that runs with other paths. An assumed one counts as a miss."""
        call = self.mentions.call
        # If the program drops the correction, the failed call is known by these.
        corrections = [_correction(call, finding) for finding in findings]
        self.session.note_once(*filter(None, corrections))
        assumed: list[Finding] = []
        for finding in findings:
            if finding.assumed:
                assumed.append(finding)
                continue
            self._record(finding, decision)
            self.record_step("success")
        if not assumed:
            return decision
        return self.record_misses(assumed, decision)

    def explain_dropped(self, findings: Sequence[Finding]) -> Decision | None:
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

    def record_misses(
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
        counted = [*firsts.values()][:MISSES]
        streaks = [
            self._count_miss(finding, decision, reported=reported)
            for finding in counted
        ]
        self._record_store_problem()
        is_new = any(streak.counted for streak in streaks)
        decision = replace(decision, repeated=not is_new)
        longest = max(streaks, key=lambda streak: (streak.shift, streak.level))
        if longest.shift:
            # The failure of a call that was counted before tells the same shift again.
            if longest.counted:
                self.recorder.record(
                    "strategy.shift", self.mentions.call, streak=longest.count
                )
            return self._with_shift(findings, decision, longest)
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

    def _count_miss(
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
            # Work in two checkouts may be meant, so it is told once and refused never.
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
        if decision.action == "allow":
            decision = replace(decision, action="advise")
        decision = replace(
            decision,
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
        above = [folder for folder in tops if here.startswith(f"{folder}/")]
        return max(above, key=len, default="") == top

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
        if decision.action in ("rewrite", "allow"):
            return decision
        if self.session.note_once(f"{check}:{target}"):
            return decision
        streak = self.session.missed(target, reported=decision.action != "refuse")
        if not (streak.shift and streak.counted):
            return replace(decision, repeated=not streak.counted)
        self.recorder.record("strategy.shift", self.mentions.call, streak=streak.count)
        # The first failure was noted, not counted.
        count = streak.count + 1
        again = texts.said("failed again", code=texts.SHIFT, count=f"{count}")
        text = messages.joined([again, decision.text])
        return replace(decision, text=text, shift=True)

    def _with_shift(
        self, findings: Sequence[Finding], decision: Decision, streak: Streak
    ) -> Decision:
        first = findings[0]
        # The paths of this call are in its own answer.
        now = {finding.resolution.target for finding in findings}
        tried = [
            self.workspace.spell(path, first.mention.written, cwd=first.cwd)
            for path in streak.tried
            if path not in now
        ]
        text = messages.shift(count=streak.count, same=streak.same, tried=tried)
        answers = [text, decision.text]
        if decision.action == "rewrite":  # the shown file comes first
            answers.reverse()
        text = messages.joined(answers)
        return replace(decision, text=text, shift=True)

    def record_step(self, kind: StepKind) -> None:
        """Record what may end a streak."""
        self.session.record_step(kind)
        self._record_store_problem()

    def _record_store_problem(self) -> None:
        """Record once that sessions cannot be stored."""
        if self.session.store.problem:
            self.recorder.failed(
                "store.failed", self.session.store.problem, self.mentions.call
            )

    def _record(
        self, finding: Finding, decision: Decision, event: str = "", **more: Any
    ) -> None:
        """Record what was done about one path."""
        resolution = finding.resolution
        candidates = [candidate.path for candidate in messages.named(resolution)]
        waited = time.time() - self.session.started
        path = of_path(_with_position(finding), resolution)
        self.recorder.record(
            event or kind_of(decision, resolution),
            self.mentions.call,
            candidates=tuple(candidates),
            elapsed_us=max(0, round(waited * 1e6)),  # the clock may have been set back
            replacement=finding.used,
            **{**path, **more},
        )


def surroundings_of(
    workspace: Workspace, finding: Finding, call: ToolCall
) -> messages.Surroundings:
    """Return what is near a path, and how to name it to the agent that wrote it."""
    resolution = finding.resolution
    written = finding.mention.written
    # In a command, the path is only a part of what the tool takes.
    tool = call.known_as or call.tool
    is_plain = _is_plain(tool) and not runs_commands(call)
    step = tool if is_plain and finding.mention.text is None else "use"

    def spell(path: str) -> str:
        return workspace.spell(path, written, cwd=finding.cwd)

    folder = resolution.target
    missing = ""
    while folder and workspace.tree.kind(folder) != "folder":
        folder, _, missing = folder.rpartition("/")
    # Nothing is listed outside the project or in another checkout.
    outside = messages.Surroundings(spell=spell, step=step)
    if resolution.outside:
        return outside
    if workspace.checkout(folder, written, cwd=finding.cwd) != workspace.root:
        return outside
    beginning = fold(missing)[:_LIKE]

    def rank(entry: str) -> tuple[bool, bool]:
        return not fold(entry).startswith(beginning), entry.startswith(".")

    # Only the first ones are shown: what is like the missing name, hidden ones last.
    entries = sorted(workspace.tree.children(folder), key=rank)
    return messages.Surroundings(folder, entries, spell, step)


def _is_plain(tool: str) -> bool:
    """Return whether a text may contain the name of a tool as it is."""
    is_word = all(char.isalnum() or char in "_.-" for char in tool)
    return is_word and 0 < len(tool) <= _LONGEST_TOOL


def _correction(call: ToolCall, finding: Finding) -> str:
    """Return the note of a correction, by which the same call is known when it fails;
    empty where the program gives a call no id.
    """
    if not call.call_id:
        return ""
    return f"corrected:{call.call_id}:{finding.resolution.target}"


def _failed_note(finding: Finding, size: int) -> str:
    """Return the note of the session that a file failed for its size."""
    return f"{FAILED_BY_SIZE}{finding.resolution.path}:{size}"


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


def _with_position(finding: Finding) -> PathArgument:
    """Return an argument with its position in a list or its offset in a command."""
    argument = finding.mention.argument
    word = getattr(finding.mention.use, "word", None)
    if word is None or argument.index is not None:
        return argument
    return replace(argument, index=word.start)
