"""What a ruling leaves behind: the session counts it, then the journal records it.

A corrected call is open in the session until it is over, and a file that an answer has
named alone is an offer until the next call on its name: how both end is recorded, too.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from posixpath import basename, join

from truepath.guard import messages
from truepath.guard.reading import Finding, Reading, Ruling
from truepath.journal.event import Event, kind_of, of_path
from truepath.journal.journal import Recorder
from truepath.records import dataclass, replace
from truepath.session import ledger
from truepath.session.led import Move, change_of, new_folder, note_of_document
from truepath.session.ledger import End, Offer, OpenCall
from truepath.session.loops import MISSES, Streak, longest
from truepath.session.session import Session
from truepath.session.state import LONGEST, StepKind
from truepath.types import MAKES, Any, Decision, Outcome, ToolCall

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
        notes = [*ruling.notes, *_documents(reading, ruling)]
        if notes:
            session.note_once(*notes)
        if reading.seen:
            session.learn_checkouts(reading.seen.after(ruling.action, ruling.says))
        if ruling.row:
            return self._count_unmet(ruling)
        changes = _changes(ruling)
        if changes:
            kind = reading.space.tree.kind
            known = session.changes()
            gone = [each for each in known if kind(new_folder(each)) != "folder"]
            session.changed(changes, gone)
        moves = _moves(reading) if ruling.action in ("allow", "rewrite") else []
        short = [each for each in moves if max(len(each.old), len(each.new)) <= LONGEST]
        if moves:
            session.add(moves=short)
        step = _step(reading, ruling)
        if step:
            session.record_step(step)
        # A path counts once, however often the call names it.
        return [
            session.missed(
                finding.resolution.target,
                missing_folder=reading.first_missing_folder(finding.resolution),
                asks=finding.resolution.operation == "list",
                waiting=reading.failure is None,
                assumed=finding.assumed,
            )
            for finding in ruling.missed[:MISSES]
        ]

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
        return [self.session.missed(target, waiting=ruling.action == "refuse")]

    def record(
        self,
        reading: Reading,
        ruling: Ruling,
        streaks: Sequence[Streak],
        decision: Decision,
    ) -> None:
        """Record a ruling in the journal; in the session a call that is corrected, the
        files that an answer has named alone, and what a call has done with those.
        """
        call = reading.call
        answered = [
            (finding, self._record(call, finding, event, **more))
            for finding, event, more in _events(reading, ruling, streaks, decision)
        ]
        if reading.failure is None:
            self._record_followed(reading)
        if not ruling.row:
            opened = _opened(reading, decision, answered)
            turn = self.session.when.turn
            offers = [*_offers(turn, answered)] if decision.text else []
            if opened or offers:
                self.session.add(open=opened, offers=offers)
        self._record_problem(call)
        streak = longest(streaks)
        if decision.shift and not streaks:
            self.recorder.record("strategy.shift", call, reason=ruling.row)
        # The failure of a call that was counted before tells the same shift again.
        if streak.shift and streak.counted:
            self.recorder.record("strategy.shift", call, streak=streak.count)
        for finding in ruling.elsewhere.values():
            self._record(call, finding, kind_of(decision, finding.resolution))

    def _record_followed(self, reading: Reading) -> None:
        """Record what a call does with the files that earlier answers have named."""
        used: dict[str, bool] = {}  # path -> whether it is there
        for finding in reading.findings:
            known = finding.resolution
            is_there = known.status in ("exists", "directory")
            path = known.path if is_there and known.path else known.target
            used[path.rstrip("/")] = is_there
        for offer, follow in self.session.followed(used).items():
            self.recorder.record(
                "path.followed",
                reading.call,
                of=offer.event,
                end=follow,
                resolved=offer.path,
                reason=offer.reason,
                held_back=offer.held_back,
            )
            if follow != "took":
                self.session.passed_by(offer.path)

    def begin(self, call: ToolCall, results: Sequence[str] | None) -> None:
        """Record the corrected calls of earlier turns that had no end, where each call
        of some tools has one (see `Caller.results`).
        """
        if call.turn and results != ():
            over = self.session.left_open(lambda each: each.turn not in ("", call.turn))
            self._record_left(call, over, results)

    def prompted(
        self, call: ToolCall, results: Sequence[str] | None, *, typed: bool
    ) -> None:
        """Record what ends a streak without a ruling; if the user has typed something,
        all corrected calls are over.
        """
        self.session.record_step("prompt")
        self._record_problem(call)
        if typed:
            self._record_left(call, self.session.left_open(lambda _: True), results)

    def _record_left(
        self, call: ToolCall, over: Iterable[OpenCall], results: Sequence[str] | None
    ) -> None:
        """Record calls that are over and had no event: the person refused those of a
        tool whose every call that ran has one.
        """
        for each in over:
            if results is None or each.tool in results:
                own = replace(call, tool=each.tool, call_id=each.call, turn=each.turn)
                self._record_end(own, each, "declined")

    def close(self, call: ToolCall, outcome: Outcome) -> tuple[OpenCall | None, End]:
        """Record how a call ended that is over; return what it was, if it was open."""
        closed = self.session.closed(call.tool, call.arguments)
        if not closed:
            return None, "unknown"
        ((opened, end),) = closed.items()
        if outcome.declined:
            end = "declined"
        elif end == "ran" and outcome.error:
            end = "failed"
        self._record_end(call, opened, end)
        return opened, end

    def _record_end(self, call: ToolCall, opened: OpenCall, end: End) -> None:
        """Record how a call ended; nothing where that cannot be told."""
        paths = zip(opened.events, opened.written, opened.used, strict=True)
        for event, written, used in paths if end != "unknown" else ():
            known = {"requested": written, "replacement": used}
            self.recorder.record("path.ended", call, of=event, end=end, **known)

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
        argument = finding.mention.argument
        word = getattr(finding.mention.use, "word", None)
        if word is not None and argument.index is None:  # its offset in a command
            argument = replace(argument, index=word.start)
        waited = time.time() - self.session.when.started
        return self.recorder.record(
            event,
            call,
            candidates=tuple(each.path for each in messages.named(resolution)),
            elapsed_us=max(0, round(waited * 1e6)),  # the clock may have been set back
            replacement=finding.used,
            **{**of_path(argument, resolution), **more},
        )


def _documents(reading: Reading, ruling: Ruling) -> Iterator[str]:
    """Yield notes of the documents that a call reads."""
    if ruling.action == "allow" and not ruling.row:
        for finding in reading.findings:
            if finding.resolution.operation == "read":
                note = note_of_document(finding.resolution.target)
                if note:
                    yield note


def _changes(ruling: Ruling) -> Mapping[str, bool]:
    """Return which folders a corrected call puts right, and whether that is news to
    other sessions: what git's history proves, it proves to any.
    """
    changes: dict[str, bool] = {}
    for finding in ruling.about if ruling.action == "rewrite" else ():
        resolution = finding.resolution
        changed = change_of(resolution.target, resolution.path or "")
        reasons = [each.reason for each in resolution.candidates[:1]]
        is_new = not finding.assumed and reasons != ["renamed"]
        changes[changed] = changes.get(changed) or is_new
    changes.pop("", None)
    return changes


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
    if ruling.row or ruling.event:
        more = {"reason": ruling.row} if ruling.row else {}
        event = ruling.event or _EVENTS[ruling.action]
        yield from ((finding, event, more) for finding in ruling.about[:1])
        return
    if ruling.action == "allow":
        # Under `guide` the miss is counted once the call has failed.
        seen = filter(lambda each: each.is_miss, reading.findings)
        yield from (
            (each, "path.observed", {}) for each in seen if each.rule == "observe"
        )
        return
    corrected = ruling.action == "rewrite"
    # Unless another event says that it failed.
    end = {"end": "ran"} if corrected and reading.caller.here else {}
    sure = [each for each in ruling.about if corrected and not each.assumed]
    yield from ((each, kind_of(decision, each.resolution), end) for each in sure)
    for finding, streak in zip(ruling.missed, streaks):  # noqa: B905  the first ones
        if streak.counted:  # else it was recorded before
            counted = {"streak": streak.count, "level": streak.level, **end}
            yield finding, kind_of(decision, finding.resolution), counted


def _opened(
    reading: Reading, decision: Decision, answered: Sequence[tuple[Finding, Event]]
) -> list[OpenCall]:
    """Return what is kept of a call that is corrected, if its paths are recorded."""
    if decision.action != "rewrite" or not answered:
        return []
    paths = [
        (event.id, finding.mention.written, finding.used) for finding, event in answered
    ]
    return [ledger.opened(reading.call, decision.arguments, paths)]


def _offers(turn: str, answered: Sequence[tuple[Finding, Event]]) -> Iterator[Offer]:
    """Yield the files that answers have named, where each named one alone."""
    for finding, event in answered:
        resolution = finding.resolution
        named = [each.path for each in messages.named(resolution)]
        if finding.assumed:
            named = [resolution.path or ""]
        is_sure = finding.action == "rewrite" and not finding.assumed
        if len(named) != 1 or is_sure:
            continue
        path = named[0].rstrip("/")
        names = {each.rpartition("/")[2] for each in (path, resolution.target)}
        why = (event.reason, event.held_back)
        yield Offer(event.id, turn, time.time(), path, tuple(sorted(names)), *why)


def _moves(reading: Reading) -> list[Move]:
    """Return the files and folders that a call that runs moves or copies. A copy counts
    once what was copied is gone.
    """
    moves: list[Move] = []
    # In a call, what is moved comes before the place that it is moved to.
    sources: list[str] = []
    for finding in reading.findings:
        resolution = finding.resolution
        place = resolution.path or resolution.target
        operation = "" if resolution.outside else resolution.operation
        is_made = operation in MAKES
        is_folder = is_made and reading.space.tree.kind(place) == "folder"
        into = is_folder or resolution.written.endswith("/")
        moves += [
            Move(source, join(place, basename(source)) if into else place)
            for source in sources
            if is_made
        ]
        sources = [*sources, place] if operation in ("move", "copy") else []
    return moves
