"""What a ruling leaves behind: the session counts it, then the journal records it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from posixpath import basename

from truepath.guard import ends, messages
from truepath.guard.reading import Finding, Reading, Ruling
from truepath.journal.event import Event, kind_of, of_path
from truepath.journal.journal import Recorder
from truepath.records import dataclass, replace
from truepath.session.led import change_of, new_folder, note_of_document
from truepath.session.ledger import End, OpenCall
from truepath.session.loops import MISSES, Move, StepKind, Streak, longest
from truepath.session.stores import Session
from truepath.types import (
    MAKES,
    Any,
    Decision,
    Outcome,
    PathArgument,
    Resolution,
    ToolCall,
)

_EVENTS = {
    "rewrite": "check.ranged",
    "refuse": "check.refused",
    "advise": "check.advised",
    "allow": "check.observed",
}
"""What is done with a call that would fail though its path exists -> its event."""


@dataclass(frozen=True, slots=True)
class Bookkeeping:
    """Writes what is ruled about a call, in its session and the journal."""

    session: Session
    recorder: Recorder

    def count(self, reading: Reading, ruling: Ruling) -> Sequence[Streak]:
        """Take a ruling into the session; return the streak of each miss."""
        session = self.session
        if ruling.notes:
            session.note_once(*ruling.notes)
        if reading.seen:
            learn = reading.seen.after(ruling.action, ruling.says)
            session.learn_checkouts(learn)
        if ruling.row:
            return self._count_unmet(ruling)
        self._learn(reading, ruling)
        if ruling.action in ("allow", "rewrite"):
            moves = _moves(reading)
            if moves:
                session.moved(moves)
        step = _step(reading, ruling)
        if step:
            session.record_step(step)
        # A path counts once, however often the call names it.
        return [
            session.missed(
                finding.resolution.target,
                missing_folder=reading.first_missing_folder(finding.resolution),
                asks=finding.resolution.operation == "list",
                reported=reading.failure is not None,
                assumed=finding.assumed,
            )
            for finding in ruling.missed[:MISSES]
        ]

    def _learn(self, reading: Reading, ruling: Ruling) -> None:
        """Note what a call tells of folders: which was put right, and documents that
        were read.
        """
        changes: dict[str, bool] = {}
        for finding in ruling.about if ruling.action == "rewrite" else ():
            resolution = finding.resolution
            changed = change_of(resolution.target, resolution.path or "")
            # What git's history proves, it proves to any session.
            reasons = [each.reason for each in resolution.candidates[:1]]
            is_new = not finding.assumed and reasons != ["renamed"]
            changes[changed] = changes.get(changed) or is_new
        changes.pop("", None)
        if changes:
            kind = reading.space.tree.kind
            known = self.session.changes()
            gone = [each for each in known if kind(new_folder(each)) != "folder"]
            self.session.changed(changes, gone)
        documents = [
            note_of_document(finding.resolution.target)
            for finding in reading.findings
            if ruling.action == "allow" and finding.resolution.operation == "read"
        ]
        if any(documents):
            self.session.note_once(*filter(None, documents))

    def _count_unmet(self, ruling: Ruling) -> Sequence[Streak]:
        """Count a check that is not met: from the second time on the same file, it is a
        miss of that file, so that a loop is told.
        """
        if ruling.action == "rewrite":
            self.session.record_step("success")
        if ruling.action in ("rewrite", "allow") or not ruling.about:
            return ()
        target = ruling.about[0].resolution.target
        if self.session.note_once(f"{ruling.row}:{target}"):
            return ()
        return [self.session.missed(target, reported=ruling.action != "refuse")]

    def record(
        self,
        reading: Reading,
        ruling: Ruling,
        streaks: Sequence[Streak],
        decision: Decision,
    ) -> None:
        """Record a ruling in the journal, and what is open after it in the session."""
        call = reading.call
        answered = [
            (finding, self._record(call, finding, event, **more))
            for finding, event, more in _events(reading, ruling, streaks, decision)
        ]
        self._keep(reading, ruling, decision, answered)
        self._record_problem(call)
        if decision.shift and not streaks:
            self.recorder.record("strategy.shift", call, reason=ruling.row)
        streak = longest(streaks)
        # The failure of a call that was counted before tells the same shift again.
        if streak.shift and streak.counted:
            self.recorder.record("strategy.shift", call, streak=streak.count)
        for finding in ruling.elsewhere.values():
            self._record(call, finding, kind_of(decision, finding.resolution))

    def _keep(
        self,
        reading: Reading,
        ruling: Ruling,
        decision: Decision,
        answered: Sequence[ends.Answered],
    ) -> None:
        """Record a call that is corrected, the files that an answer has named alone,
        and what a call has done with those of earlier ones.
        """
        call = reading.call
        if reading.failure is None:
            for offer, follow in self.session.followed(ends.used(reading)).items():
                ends.record_follow(self.recorder, call, offer, follow)
                if follow != "took":
                    self.session.passed_by(offer.path)
        if ruling.row:
            return
        corrected = ruling.action == "rewrite"
        opened = ends.opened(call, decision, answered) if corrected else None
        offers = ends.offers(self.session, answered) if decision.text else ()
        if opened or offers:
            self.session.opened(opened, offers)

    def begin(self, call: ToolCall, results: Sequence[str] | None) -> None:
        """Record the corrected calls of earlier turns that had no end, where each call
        of some tools has one (see `Caller`).
        """
        if call.turn and results != ():
            over = self.session.left_open(lambda each: each.turn not in ("", call.turn))
            ends.record_left(self.recorder, call, over, results)

    def settle(self, call: ToolCall, results: Sequence[str] | None) -> None:
        """Do the same for all of them: the user has typed something."""
        over = self.session.left_open(lambda _: True)
        ends.record_left(self.recorder, call, over, results)

    def close(self, call: ToolCall, outcome: Outcome) -> tuple[OpenCall | None, End]:
        """Record how a call ended that is over; return what it was, if it was open."""
        opened, end = self.session.closed(call.tool, call.arguments)
        if opened is None:
            return None, end
        if outcome.declined:
            end = "declined"
        elif end == "ran" and outcome.error:
            end = "failed"
        ends.record(self.recorder, call, opened, end)
        return opened, end

    def record_step(self, kind: StepKind, call: ToolCall) -> None:
        """Record what ends a streak without a ruling."""
        self.session.record_step(kind)
        self._record_problem(call)

    def _record_problem(self, call: ToolCall) -> None:
        """Record once that sessions cannot be stored."""
        problem = self.session.store.problem
        if problem:
            self.recorder.failed("store.failed", problem, call)

    def _record(
        self, call: ToolCall, finding: Finding, event: str, **more: Any
    ) -> Event:
        """Record what was done about one path."""
        resolution = finding.resolution
        candidates = [candidate.path for candidate in messages.named(resolution)]
        waited = time.time() - self.session.started
        path = of_path(_with_position(finding), resolution)
        return self.recorder.record(
            event,
            call,
            candidates=tuple(candidates),
            elapsed_us=max(0, round(waited * 1e6)),  # the clock may have been set back
            replacement=finding.used,
            **{**path, **more},
        )


def _step(reading: Reading, ruling: Ruling) -> StepKind | None:
    """Return what a call that runs is to a streak of misses."""
    findings = reading.findings
    if ruling.action == "rewrite":
        # An assumed path counts as a miss.
        is_sure = any(not finding.assumed for finding in ruling.about)
        return "success" if is_sure else None
    # A call that will miss ends no streak, whatever else it names.
    if ruling.action != "allow" or any(each.is_miss and each.rule for each in findings):
        return None
    if reading.mentions.discovers:
        return "discovery"
    exists = any(finding.resolution.status == "exists" for finding in findings)
    return "success" if exists else None


def _events(
    reading: Reading, ruling: Ruling, streaks: Sequence[Streak], decision: Decision
) -> Iterator[tuple[Finding, str, Mapping[str, Any]]]:
    """Yield the paths of a ruling that are recorded, each with its event and what else
    is recorded of it.
    """
    if not ruling.about and ruling.row:
        return
    if ruling.row or ruling.event:
        more = {"reason": ruling.row} if ruling.row else {}
        yield ruling.about[0], ruling.event or _EVENTS[ruling.action], more
        return
    ran = ruling.action == "rewrite" and reading.caller.here
    # Unless another event says that it failed.
    end = {"end": "ran"} if ran else {}
    for finding in _uncounted(reading, ruling):
        told = kind_of(decision, finding.resolution)
        yield finding, "path.observed" if ruling.action == "allow" else told, end
    for finding, streak in zip(ruling.missed, streaks):  # noqa: B905  the first ones
        if streak.counted:  # else it was recorded before
            counted = {"streak": streak.count, "level": streak.level, **end}
            yield finding, kind_of(decision, finding.resolution), counted


def _uncounted(reading: Reading, ruling: Ruling) -> Sequence[Finding]:
    """Return the paths that are recorded and are no misses of the session."""
    if ruling.action == "allow":
        # Under `guide` the miss is counted once the call has failed.
        seen = [each for each in reading.findings if each.rule == "observe"]
        return [finding for finding in seen if finding.is_miss]
    return [
        finding
        for finding in ruling.about
        if ruling.action == "rewrite" and not finding.assumed
    ]


def _moves(reading: Reading) -> list[Move]:
    """Return the files and folders that a call that runs moves or copies. A copy counts
    once what was copied is gone.
    """
    moves: list[Move] = []
    # In a call, what is moved comes before the place that it is moved to.
    sources: list[str] = []
    for finding in reading.findings:
        resolution = finding.resolution
        if resolution.outside or resolution.operation not in ("move", "copy", *MAKES):
            sources = []  # of another command
        elif resolution.operation in MAKES:
            is_folder = reading.space.tree.kind(_place(resolution)) == "folder"
            is_into = is_folder or resolution.written.endswith("/")
            moves += [_move(source, resolution, is_into) for source in sources]
            sources = []
        else:
            sources.append(_place(resolution))
    return moves


def _move(source: str, destination: Resolution, is_into: bool) -> Move:
    place = _place(destination)
    new = f"{place}/{basename(source)}" if is_into else place
    return Move(source, new.lstrip("/"))  # the root is ""


def _place(resolution: Resolution) -> str:
    return resolution.path or resolution.target


def _with_position(finding: Finding) -> PathArgument:
    """Return an argument with its position in a list or its offset in a command."""
    argument = finding.mention.argument
    word = getattr(finding.mention.use, "word", None)
    if word is None or argument.index is not None:
        return argument
    return replace(argument, index=word.start)
