"""The corrected calls that are open, and the files that answers have named: what is
kept of them, recorded and said. `bookkeeping` writes it.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence

from truepath.guard import messages, texts
from truepath.guard.reading import Finding, Reading, Ruling
from truepath.journal.event import Event
from truepath.journal.journal import Recorder
from truepath.quoting import shown
from truepath.records import replace
from truepath.session import ledger
from truepath.session.ledger import End, Follow, Offer, OpenCall
from truepath.session.stores import Session
from truepath.types import MAKES, Decision, Resolution, ToolCall

_OFTEN = 2
"""Times that a file is named to an agent which does not take it."""

Answered = tuple[Finding, Event]
"""A path that was answered, and its event in the journal."""


def opened(
    call: ToolCall, decision: Decision, answered: Sequence[Answered]
) -> OpenCall | None:
    """Return the entry of a call that is corrected; None if none of its paths is
    recorded.
    """
    paths = [
        (event.id, finding.mention.written, finding.used) for finding, event in answered
    ]
    return ledger.opened(call, decision.arguments, paths) if paths else None


def offers(session: Session, answered: Sequence[Answered]) -> Sequence[Offer]:
    """Return the files that answers have named, where each named one alone."""
    found: list[Offer] = []
    for finding, event in answered:
        resolution = finding.resolution
        named = [each.path for each in messages.named(resolution)]
        if finding.assumed:
            named = [resolution.path or ""]
        is_sure = finding.action == "rewrite" and not finding.assumed
        if len(named) != 1 or is_sure:
            continue
        path = named[0].rstrip("/")
        last = {each.rpartition("/")[2] for each in (path, resolution.target)}
        of_event = (event.reason, event.held_back)
        names = tuple(sorted(last))
        found.append(Offer(event.id, session.turn, time.time(), path, names, *of_event))
    return found


def not_again(reading: Reading, ruling: Ruling) -> Ruling:
    """Return a ruling that names no file which the agent was offered twice and has not
    taken, unless it is proved to be the one.
    """
    if ruling.row or ruling.action not in ("refuse", "advise"):
        return ruling
    before = reading.known.offered()
    passed = {path for path in before if before.count(path) >= _OFTEN}
    if not passed:
        return ruling
    about = [
        replace(finding, resolution=_without(finding.resolution, passed))
        for finding in ruling.about
    ]
    return replace(ruling, about=about)


def _without(resolution: Resolution, passed: Collection[str]) -> Resolution:
    is_weak = resolution.status in ("ambiguous", "likely", "absent")
    left = [each for each in resolution.candidates if each.path not in passed]
    if not is_weak or resolution.operation in MAKES:
        return resolution
    if len(left) == len(resolution.candidates):
        return resolution
    # Not "absent": that nothing is like it is not so.
    return replace(
        resolution,
        candidates=tuple(left),
        status="ambiguous",
        path=None,
        permits="named",
    )


def used(reading: Reading) -> Mapping[str, bool]:
    """Return the paths of a call -> whether they are there."""
    paths: dict[str, bool] = {}
    for finding in reading.findings:
        resolution = finding.resolution
        is_there = resolution.status in ("exists", "directory")
        path = resolution.path if is_there and resolution.path else resolution.target
        paths[path.rstrip("/")] = is_there
    return paths


def record(recorder: Recorder, call: ToolCall, opened: OpenCall, end: End) -> None:
    """Record how a call ended; nothing where that cannot be told."""
    if end == "unknown":
        return
    for event, written, used in zip(
        opened.events, opened.written, opened.used, strict=True
    ):
        known = {"requested": written, "replacement": used}
        recorder.record("path.ended", call, of=event, end=end, **known)


def record_left(
    recorder: Recorder,
    call: ToolCall,
    over: Sequence[OpenCall],
    results: Sequence[str] | None,
) -> None:
    """Record calls that are over and had no event: the person refused those of a tool
    whose every call that ran has one (see `Caller.results`).
    """
    for each in over:
        if results is None or each.tool in results:
            own = replace(call, tool=each.tool, call_id=each.call, turn=each.turn)
            record(recorder, own, each, "declined")


def record_follow(
    recorder: Recorder, call: ToolCall, offer: Offer, follow: Follow
) -> None:
    """Record what a call did with a file that an answer had named."""
    recorder.record(
        "path.followed",
        call,
        of=offer.event,
        end=follow,
        resolved=offer.path,
        reason=offer.reason,
        held_back=offer.held_back,
    )


def told(opened: OpenCall, end: End, call: ToolCall, usual: Decision) -> Decision:
    """Return the answer to the end of a call that was corrected; `usual` is what would
    be said without that.
    """
    if end not in ("failed", "dropped"):
        return usual
    written, used = shown(opened.written[0]), shown(opened.used[0])
    if end == "failed":
        name = "failed" if usual.text else "failed there"
        text = texts.said(name, used=used, written=written)
        return replace(
            usual,
            action="advise",
            text=messages.joined([text, usual.text] if usual.text else [text]),
            payload=usual.payload or messages.payload(texts.CORRECTED, ()),
            repeated=False,
            end=end,
        )
    tool = call.known_as or call.tool
    # In a command or a patch, the path is only a part of what the tool takes.
    is_plain = opened.written[0] in call.arguments.values() and tool.isidentifier()
    first = texts.said("not taken", code=texts.NOT_FOUND, written=written)
    step = texts.said("next", step=tool if is_plain else "use", path=used)
    paths = {"written": opened.written[0], "used": [*opened.used]}
    payload = messages.payload(texts.NOT_FOUND, (), **paths)
    return Decision("advise", call.arguments, f"{first}\n{step}", payload, end=end)
