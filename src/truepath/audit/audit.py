"""Audit one transcript: what it missed, what that cost, and what truepath would have
done.

It only reads the transcript and the repository, so it can run in any process on any
machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from truepath.audit.aftermath import Aftermath, Place, aftermaths, answers, cost
from truepath.audit.failures import failures
from truepath.audit.misses import named
from truepath.audit.project import EPOCH, Project, project_of
from truepath.audit.record import Row, Rows, call_id, record
from truepath.audit.sources import Source, read
from truepath.audit.transcript import Call, Named, Transcript
from truepath.config.settings import Settings
from truepath.guard.guard import Guard
from truepath.guard.messages import SHOWN
from truepath.guard.policy import replacement
from truepath.types import Decision

_SETTINGS = Settings(store="memory", journal=False)


def audit_transcript(source: Source, *, repo: str = "") -> Rows:
    """Return the record of one transcript; one that cannot be read has a `problem`.

    `repo` is a folder in the project's repository; by default the session's folder, if
    it is on this machine.
    """
    try:
        return _audited(source, repo)
    except Exception as error:  # noqa: BLE001  one transcript must not stop the others
        why = f"{source.path}: {type(error).__name__}"
        if isinstance(error, OSError):
            why = str(error)
        return record({"source": source.path, "part": source.part, "problem": why})


def _audited(source: Source, repo: str) -> Rows:
    transcript = read(source)
    calls = transcript.calls
    for call in calls:
        call.paths = named(call)
    project = project_of(transcript, repo)
    moments = chain.from_iterable((call.time, call.answered) for call in calls)
    # Some formats count from the session's start.
    times = [time for time in moments if time and time > EPOCH]
    # The model that made most of the calls; the last one, if none is known.
    models = Counter(call.model for call in calls if call.model).most_common(1)
    # A resumed session has the same calls again.
    ids = [
        call_id(transcript.format, call.id, call.time, call.tool, call.arguments)
        if call.id
        else call_id(*source, at)
        for at, call in enumerate(calls)
    ]
    session = {
        "source": source.path,
        "part": source.part,
        "format": transcript.format,
        "session": transcript.session,
        "model": models[0][0] if models else transcript.model,
        "project": project.root if calls else "",
        "started": min(times, default=None),
        "ended": max(times, default=None),
        "calls": len(calls),
        "bad_lines": transcript.bad_lines,
        "call_ids": "".join(ids),
    }
    findings = _findings(transcript, project)
    return record(session, [*failures(calls, findings), *findings, *answers(calls)])


def _findings(transcript: Transcript, project: Project) -> list[Row]:
    followed = aftermaths(transcript.calls)
    rows: list[Row] = []
    for at, call in enumerate(transcript.calls):
        if any(path.missed for path in call.paths):
            rows += _misses(transcript, at, followed, project)
        elif project.known:
            # One alarm is a call that would have been stopped, whatever else it made.
            rows += _alarms(call, at, project)[:1]
        # Only now, so that a call is judged by what was there before it.
        project.learn(call.paths)
    return rows


def _misses(
    transcript: Transcript,
    at: int,
    followed: Mapping[Place, Aftermath],
    project: Project,
) -> list[Row]:
    """Return the rows of a call's missed paths; `followed` says what followed each. A
    path that the call names again counts only once.
    """
    call = transcript.calls[at]
    decision = _decision(call, project) if project.known else None
    rows: dict[str, Row] = {}
    for place, path in enumerate(call.paths):
        if not path.missed or path.target in rows:
            continue
        row = _finding("miss", at, call, path, decision, project)
        after = followed[at, place]
        seconds, tokens = cost(transcript.calls, transcript.tokens, at, after.ended)
        rows[path.target] = {
            **row,
            "followed": after.followed,
            "truth": project.shown(after.truth) if after.truth else "",
            "calls_lost": max(1, after.ended - at),
            "seconds_lost": seconds,
            "tokens_lost": tokens,
            "loop": after.loop,
            "verdict": _verdict(row, after, project),
        }
    return [*rows.values()]


def _alarms(call: Call, at: int, project: Project) -> list[Row]:
    """Return the rows of the paths that a call that worked creates, and truepath would
    touch; none if all are known, or one is outside, where nothing is known.
    """
    inside = {path.target: project.inside(path.target) for path in call.paths}
    made = [path for path in call.paths if path.makes]
    new = [path for path in made if path.there]
    if None in inside.values() or all(
        project.has(inside[path.target] or "") for path in new
    ):
        return []
    decision = _decision(call, project)
    rows = [_finding("alarm", at, call, path, decision, project) for path in made]
    return [row for row in rows if row["would"] != "left_alone"]


def _decision(call: Call, project: Project) -> Decision:
    """Return the decision about a call, in its own session, by the names that are known
    so far.
    """
    guard = Guard(workspace=project.workspace(), settings=_SETTINGS, policy="careful")
    return guard.before(call.asked)


def _finding(
    kind: str,
    at: int,
    call: Call,
    path: Named,
    decision: Decision | None,
    project: Project,
) -> Row:
    would, names = _would(decision, path) if decision else ("unknown", ())
    return {
        "kind": kind,
        "at": at,
        "tool": call.tool,
        "operation": path.mention.argument.operation,
        "written": path.mention.argument.written,
        "target": project.shown(path.target),
        "would": would,
        "shown": "\n".join(names),
        "verdict": "wrong" if kind == "alarm" else "unknown",
    }


def _would(decision: Decision, path: Named) -> tuple[str, Sequence[str]]:
    """Return what a decision does about one path, and the paths that it names."""
    written = path.mention.written
    same = (
        resolution
        for resolution in decision.resolutions
        if resolution.written == written
    )
    found = next(same, None)
    if found is None or (decision.action == "allow" and not decision.text):
        return "left_alone", ()
    right = replacement(found)
    if decision.action == "rewrite" and right is not None:
        would = "assumed" if found.status == "likely" else "corrected"
        return would, (right.rstrip("/"),)
    names = tuple(candidate.path.rstrip("/") for candidate in found.candidates[:SHOWN])
    return "named" if names else "refused", names


def _verdict(row: Row, after: Aftermath, project: Project) -> str:
    """Judge a miss by what the agent opened or created later."""
    would = row["would"]
    meant = project.inside(after.truth) if after.truth else ""
    if would in ("left_alone", "unknown"):
        return "unknown"
    if after.followed == "made" or meant is None:  # it meant no file of the project
        return "wrong" if would in ("corrected", "assumed") else "unknown"
    if not meant or not project.has(meant):
        return "unknown"
    return "right" if meant.rstrip("/") in row["shown"].split("\n") else "wrong"
