"""One transcript in, one record out: what it missed, what that cost, what truepath would have done.

Pure but for the transcript and the repository that it reads; it may run in any process, on any
machine, and gives the same record for the same input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from truepath.audit import cause
from truepath.audit.known import EPOCH, Known, known_at_start
from truepath.audit.misses import Named, call_of, flavour_of, named
from truepath.audit.pursuit import Pursuit, pursue
from truepath.audit.record import Finding, Record, Verdict, Would, encodable
from truepath.audit.sources import Source
from truepath.audit.transcript import Step, Transcript, read
from truepath.config.settings import Settings
from truepath.guard.guard import Guard
from truepath.guard.policy import replacement
from truepath.resolve.workspace import Workspace
from truepath.types import Decision

_SHOWN = 3
"""Candidates that an answer names."""

_SETTINGS = Settings(store="memory", journal=False)


def audit_transcript(source: Source, *, repo: str = "") -> Record:
    """Return the record of one transcript; one that cannot be read has a `problem`.

    Args:
        source: Where it is.
        repo: A folder in the project's repository; by default the session's own folder, if it is
            on this machine.
    """
    try:
        return encodable(_audited(source, repo))
    except (OSError, MemoryError, RecursionError) as error:
        why = str(error) or type(error).__name__
        return encodable(Record(source=source.path, part=source.part, problem=why))


def _audited(source: Source, repo: str) -> Record:
    transcript = read(source)
    about, steps = transcript.about, transcript.steps
    paths = [named(step, about.cwd) for step in steps]
    known = known_at_start(transcript, paths, repo)
    found = _findings(transcript, paths, known)
    times = [
        moment
        for step in steps
        for moment in (step.time, step.answered)
        if moment and moment > EPOCH
    ]
    return Record(
        source=source.path,
        part=source.part,
        format=transcript.format,
        session=about.session,
        agent=about.agent,
        model=about.model,
        project=known.root if steps else "",
        started=min(times, default=None),
        ended=max(times, default=None),
        lines=transcript.lines,
        bad_lines=transcript.bad,
        bad_at=", ".join(map(str, transcript.bad_lines)),
        calls=len(steps),
        path_calls=sum(map(bool, paths)),
        missed_calls=sum(any(path.missed for path in named_here) for named_here in paths),
        tokens=sum(transcript.tokens.values()),
        tree=known.tree,
        findings=tuple(replace(each, place=place) for place, each in enumerate(found)),
    )


def _findings(
    transcript: Transcript, paths: Sequence[Sequence[Named]], known: Known
) -> list[Finding]:
    pursuits = pursue(transcript.steps, paths, transcript.tokens)
    replay = _Replay(known, transcript.about.cwd)
    found: list[Finding] = []
    for at, (step, named_here) in enumerate(zip(transcript.steps, paths, strict=True)):
        missed = [place for place, path in enumerate(named_here) if path.missed]
        if missed:
            decision = replay.ask(step)
            found += [
                _miss(at, step, named_here[place], pursuits[at, place], decision, known)
                for place in missed
            ]
        elif named_here and _may_be_touched(named_here, known):
            found += _alarm(at, step, named_here, replay.ask(step), known)
        known.learn(step, named_here, transcript.about.cwd)
    return found


class _Replay:
    """Asks a guard about steps, each as a session of its own."""

    def __init__(self, known: Known, cwd: str) -> None:
        self._known, self._cwd = known, cwd
        self._space: Workspace | None = None
        self._names = frozenset[str]()

    def ask(self, step: Step) -> Decision:
        """Return what is decided about a step, by the names that are known so far."""
        known = self._known
        if self._space is None or self._names != known.names:
            self._names = frozenset(known.names)
            self._space = Workspace.from_names(
                known.names,
                root=known.root,
                flavour=flavour_of(known.root),
                cut_short=known.tree == "partial",
            )
        guard = Guard(workspace=self._space, settings=_SETTINGS, policy="careful")
        return guard.before(call_of(step, self._cwd))


def _may_be_touched(paths: Sequence[Named], known: Known) -> bool:
    """Whether a call that worked names anything that is not known to be there: what it makes.

    A call that reaches outside the project is left out: nothing is known of what is there.
    """
    if not any(path.makes and path.there for path in paths):
        return False
    inside = [known.inside(path.target) for path in paths]
    if None in inside:
        return False
    pairs = zip(paths, inside, strict=True)
    return any(path.makes and path.there and not known.has(rel or "") for path, rel in pairs)


def _miss(
    at: int, step: Step, path: Named, pursuit: Pursuit, decision: Decision, known: Known
) -> Finding:
    target = _shown(path.target, known)
    truth = _shown(pursuit.truth, known) if pursuit.truth else ""
    made = pursuit.followed == "made"
    outside = known.inside(pursuit.truth) is None
    inside = "" if outside or not known.has(truth) else truth
    would, shown, names = _would(decision, path)
    return Finding(
        kind="miss",
        at=at,
        time=step.time,
        tool=step.tool,
        operation=path.mention.argument.operation,
        written=path.mention.argument.written,
        target=target,
        cause=cause.of_found(target, truth) if truth else cause.of_lost(target, made=made),
        followed=pursuit.followed,
        truth=truth,
        calls_lost=pursuit.calls,
        seconds_lost=pursuit.seconds,
        tokens_lost=pursuit.tokens,
        loop=pursuit.loop,
        would=would,
        shown=shown,
        verdict=_verdict(would, names, inside, elsewhere=made or (bool(truth) and outside)),
    )


def _alarm(
    at: int, step: Step, paths: Sequence[Named], decision: Decision, known: Known
) -> list[Finding]:
    """Return the first path of a call that worked which would have been refused or changed."""
    for path in paths:
        would, shown, _ = _would(decision, path)
        if path.makes and would != "left_alone":
            argument = path.mention.argument
            return [
                Finding(
                    kind="alarm",
                    at=at,
                    time=step.time,
                    tool=step.tool,
                    operation=argument.operation,
                    written=argument.written,
                    target=_shown(path.target, known),
                    would=would,
                    shown=shown,
                    verdict="wrong",
                )
            ]
    return []


def _shown(target: str, known: Known) -> str:
    inside = known.inside(target)
    return target if inside is None else inside


def _would(decision: Decision, path: Named) -> tuple[Would, str, tuple[str, ...]]:
    """Return what is done about one path of a decision, and the paths that are named."""
    written = path.mention.written
    found = next(
        (resolution for resolution in decision.resolutions if resolution.written == written), None
    )
    if found is None or (decision.action == "allow" and not decision.text):
        return "left_alone", "", ()
    names = tuple(candidate.path.rstrip("/") for candidate in found.candidates[:_SHOWN])
    right = replacement(found)
    if decision.action == "rewrite" and right is not None:
        would: Would = "assumed" if found.status == "likely" else "corrected"
        return would, right.rstrip("/"), (right.rstrip("/"),)
    return ("named", names[0], names) if names else ("refused", "", ())


def _verdict(would: Would, names: Sequence[str], truth: str, *, elsewhere: bool) -> Verdict:
    """Judge by what the agent opened later, or made.

    Args:
        would: What would have been done.
        names: The paths that would have been named.
        truth: What was meant; empty where that is not known, or not among the known files.
        elsewhere: Whether no file that was there is meant: the agent made the path, or opened
            one outside the project.
    """
    if would == "left_alone" or not (truth or elsewhere):
        return "unknown"
    if elsewhere:
        return "wrong" if would in ("corrected", "assumed") else "unknown"
    return "right" if truth.rstrip("/") in names else "wrong"


@dataclass(frozen=True, slots=True)
class Auditor:
    """`audit_transcript` with its settings, to be sent to another process."""

    repo: str = ""

    def __call__(self, source: Source) -> Record:
        """Return the record of one transcript."""
        return audit_transcript(source, repo=self.repo)
