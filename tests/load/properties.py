"""What must hold of a run, each checked against what was true at the time."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from hook_calls import GITS, Call
from world import Timeline

from truepath.hook.deadline import SECONDS, by_clock
from truepath.journal.event import Event

MARGIN = 2.0
"""Seconds that a machine may need beyond the deadline, and beyond twice the longest
start of an
interpreter that was seen: the native client's Python starts too."""

_SOON = 0.3
"""Seconds before the deadline at which a hook gives up; it begins after its
interpreter."""


@dataclass(frozen=True)
class Run:
    """All that is known when a run is over."""

    calls: Sequence[Call]
    timeline: Timeline
    events: Sequence[Event]
    torn: int
    """Lines of the journal that are no events."""
    library: str
    """The log of the process that guards for long."""
    sizes: Sequence[tuple[int, int]]
    """Bytes of memory and open files of the same, as the run went on."""
    left: Sequence[str]
    slowest_start: float
    """Seconds that a bare interpreter took at most, beside the calls."""

    @property
    def whole(self) -> list[Call]:
        """The calls that nobody killed."""
        return [call for call in self.calls if not call.was_killed]

    def truth(self, call: Call, path: str) -> str:
        return self.timeline.truth(path, call.began, call.ended)


@dataclass
class Property:
    """One thing that must hold."""

    name: str
    looked_at: int = 0
    broken: list[str] = field(default_factory=list)

    def check(self, holds: bool, example: Callable[[], str]) -> None:
        self.looked_at += 1
        if not holds:
            self.broken.append(example())

    def __str__(self) -> str:
        """Say whether it was kept; with an example where not."""
        if self.broken:
            count = f"{len(self.broken)} of {self.looked_at}"
            return f"FAILED   {self.name}: {count}; {self.broken[0]}"
        if not self.looked_at:
            return f"no case  {self.name}: no such call in this run"
        return f"kept     {self.name} ({self.looked_at:,} looked at)"


def every(run: Run) -> Iterator[Property]:
    """Yield each property with what came of it."""
    yield from _answers(run)
    yield from _library(run)
    yield from _named(run)
    yield _ends_well(run)
    yield _in_time(
        run, "no call longer than the deadline", lambda call: not call.client.where
    )
    for name in GITS:
        yield _in_time(
            run, f"the same, {name}", lambda call, name=name: call.client.where == name
        )
    yield _answered(run)
    yield from _ended(run)
    yield from _growth(run)
    left = Property("no process left behind", 1)
    left.broken += run.left
    yield left
    journal = Property("no torn line in the journal", len(run.events))
    journal.broken += ["a line that is no event"] * run.torn
    yield journal


def _answers(run: Run) -> Iterator[Property]:
    there = Property("no refusal, and no other path, where the path existed throughout")
    used = Property("no correction to a file that was not there")
    right = Property("no correction to another file than the one that is meant")
    for call in run.calls:
        if run.truth(call, call.path) == "present":
            there.check(
                not call.refused and not call.used, lambda call=call: _told(call)
            )
        if call.used:
            is_there = run.truth(call, call.used) != "absent"
            used.check(is_there, lambda call=call: _told(call))
            if call.truth:
                right.check(call.used == call.truth, lambda call=call: _told(call))
    yield from (there, used, right)


def _told(call: Call) -> str:
    where = f", {call.client.where}" if call.client.where else ""
    answer = call.printed.decode("utf-8", "replace")[:300]
    return f"{call.client.name}{where}: {call.path}: {answer} in {call.seconds:.2f} s"


def _library(run: Run) -> Iterator[Property]:
    there = Property(
        "the library refuses no path that existed, and corrects to none that was gone"
    )
    for line in run.library.splitlines():
        began, ended, path, refused, used = json.loads(line)
        is_there = run.timeline.truth(path, began, ended) == "present"
        is_gone = bool(used) and run.timeline.truth(used, began, ended) == "absent"
        there.check(
            not (is_there and (refused or used)) and not is_gone, lambda line=line: line
        )
    yield there


def _named(run: Run) -> Iterator[Property]:
    """Yield what the journal tells of the candidates of each call."""
    gone = Property("no candidate that was gone throughout the call")
    absent = Property("no 'nothing is like it' where the very name is there")
    calls = {call.id: call for call in run.calls}
    for event in run.events:
        call = calls.get(event.call_id)
        if call is None or not event.event.startswith("path."):
            continue
        for path in event.candidates:
            truth = run.truth(call, f"{call.project.root}/{path}")
            gone.check(
                truth != "absent", lambda call=call, path=path: f"{path}: {_told(call)}"
            )
        if call.kind == "moved":
            denied = event.event == "path.absent" and b"file not found" in call.printed
            absent.check(not denied, lambda call=call: _told(call))
    yield from (gone, absent)


def _ends_well(run: Run) -> Property:
    well = Property("status 0, and JSON or nothing")
    for call in run.whole:
        is_json = not call.printed or bool(call.answer)
        well.check(
            call.status == 0 and is_json,
            lambda call=call: f"{call.status}: {_told(call)}",
        )
    return well


def _in_time(run: Run, name: str, among: Callable[[Call], bool]) -> Property:
    within = Property(name)
    # What hangs uses no CPU: only the clock ends it.
    most = by_clock({}) + MARGIN + 2 * run.slowest_start
    for call in filter(among, run.whole):
        within.check(
            call.seconds <= most, lambda call=call: f"over {most:.1f} s: {_told(call)}"
        )
    return within


def _answered(run: Run) -> Property:
    answered = Property(
        "a miss of a file that is surely meant is answered, or its time was over"
    )
    for call in run.whole:
        if call.truth and not call.client.where:
            is_over = call.seconds >= SECONDS - _SOON
            answered.check(bool(call.printed) or is_over, lambda call=call: _told(call))
    return answered


def _ended(run: Run) -> Iterator[Property]:
    """Yield what the journal tells of how the corrected calls ended."""
    once = Property("no corrected call has two ends")
    ran = Property("a corrected call that ran has that end, or its time was over")
    sent: dict[str, str] = {}
    ends: dict[str, list[str]] = {}
    for event in run.events:
        if event.event in ("path.corrected", "path.assumed"):
            sent[event.id] = event.call_id
        elif event.event == "path.ended":
            ends.setdefault(event.of, []).append(event.end)
    calls = {call.id: call for call in run.calls}
    for event_id, call_id in sent.items():
        call, told = calls.get(call_id), ends.get(event_id, [])
        once.check(len(told) < 2, lambda told=told: f"{told}")
        in_time = call is not None and 0 < call.over < SECONDS - _SOON
        if call is not None and call.used and in_time and not call.client.where:
            ran.check(
                told == ["ran"], lambda call=call, told=told: f"{told} {_told(call)}"
            )
    yield from (once, ran)


def _growth(run: Run) -> Iterator[Property]:
    memory = Property("no growth of memory, in the process that stays")
    files = Property("no growth of open files, in the same")
    third = len(run.sizes) // 3
    if third:  # the first is start-up
        early, late = run.sizes[third : 2 * third], run.sizes[2 * third :]
        before, after = (
            statistics.median(size for size, _ in part) for part in (early, late)
        )
        memory.check(
            after <= 1.1 * before + 5e6,
            lambda: f"{before / 1e6:.0f} to {after / 1e6:.0f} MB",
        )
        least, most = (max(count for _, count in part) for part in (early, late))
        files.check(most <= least + 5, lambda: f"{least} to {most}")
    yield from (memory, files)
