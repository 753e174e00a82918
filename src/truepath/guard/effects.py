"""What follows a decision: the session counts it, the journal keeps it, hints are added."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from truepath.calls.paths import Mention, is_named
from truepath.events.recorder import Recorder, kind_of
from truepath.guard.finding import PASSIVE, Finding, makes_folder
from truepath.records import dataclass, replace
from truepath.resolve import homes
from truepath.resolve.workspace import Workspace
from truepath.session.tracker import Tracker
from truepath.types import Decision, PathArgument, ToolCall

if TYPE_CHECKING:
    from truepath.session.loops import StepKind, Streak

_USED = 8
"""Paths of one call that are told as used, or as searched: among them may be what was suggested."""


@dataclass(frozen=True, slots=True)
class FollowUp:
    """Takes each decision of a guard to the session and to the journal."""

    workspace: Workspace
    tracker: Tracker
    recorder: Recorder

    def record_allowed(
        self, call: ToolCall, findings: Sequence[Finding], decision: Decision, started: float
    ) -> Decision:
        """Take note of a call that goes on as it came."""
        for each in findings:
            # Under `guide` the miss is counted once the call has failed.
            if each.is_miss and each.rule == "observe":
                self._record(call, each, decision, started)
        self._made(call, findings, started)
        if not any(each.will_fail for each in findings):
            self._went_well(call, findings, started)
        return decision

    def prompted(self, call: ToolCall) -> None:
        """Take note that the user spoke: whatever streak there was is over."""
        self._told(call, self.tracker.went_on(call, "prompt"), "user.prompted")

    def record_rewritten(
        self, call: ToolCall, findings: Sequence[Finding], decision: Decision, started: float
    ) -> Decision:
        """Take note of a call that runs with other paths. An assumed one counts as a miss."""
        rewritten = (each for each in findings if each.action == "rewrite")
        used = dict(zip(rewritten, (decision.payload or {}).get("used", ()), strict=False))
        for each, path in used.items():
            if not each.assumed:
                file = each.resolution.path or ""
                streak = self.tracker.went_on(call, "corrected", file, started=started)
                self._record(call, each, decision, started, used=path)
                self._told(call, streak)
        assumed = {each: path for each, path in used.items() if each.assumed}
        if not assumed:
            return decision
        return self.record_missed(call, [*assumed], decision, started, reported=False, used=assumed)

    def checkout_hint(
        self, call: ToolCall, findings: Sequence[Finding], decision: Decision, started: float
    ) -> Decision:
        """Add to a decision, once a session and checkout, that a path lies in another checkout.

        An agent works there on purpose where it is in that checkout, or lists, enters or makes
        it, or where the user names it.
        """
        from truepath.guard import messages
        from truepath.resolve.nearby import around

        kept = self._unexpected(call, findings)
        if not kept:
            return decision
        action = "advise" if decision.action == "allow" else decision.action
        resolutions = [each.resolution for each in kept]
        texts = [
            messages.missing(
                each.resolution, "advise", around(self.workspace, each.resolution, each.cwd)
            )
            for each in kept
        ]
        text = messages.joined([text for text in (decision.text, *texts) if text])
        payload = decision.payload or messages.payload(messages.OTHER_CHECKOUT, resolutions)
        decision = replace(decision, action=action, text=text, payload=payload)
        for each in kept:
            self._record(call, each, decision, started)
        return decision

    def _unexpected(self, call: ToolCall, findings: Sequence[Finding]) -> list[Finding]:
        """Return one path for each other checkout that the agent has not shown to mean."""
        told: dict[str, Finding] = {}
        for each in findings:
            top = each.other_checkout
            if top and top not in told and self.tracker.once(call, f"checkout:{top}"):
                told[top] = each
        entered = {at for each in findings for at in each.mention.entered}
        meant = {
            each.other_checkout
            for at, each in enumerate(findings)
            if at in entered or each.is_about_checkout
        }
        here = os.path.normpath(call.cwd or "") + "/"
        return [
            each
            for top, each in told.items()
            if not (top in meant or here.startswith(top + "/") or is_named(call, top))
        ]

    def home_hint(self, call: ToolCall, decision: Decision, named: str, own: str) -> Decision:
        """Add to a decision, once a session, which home folder is right."""
        from truepath.guard import messages

        if not self.tracker.once(call, f"home:{named}"):
            return decision
        action = "advise" if decision.action == "allow" else decision.action
        text = messages.joined([decision.text, messages.home(named, own)])
        return replace(decision, action=action, text=text.strip())

    def record_missed(
        self,
        call: ToolCall,
        findings: Sequence[Finding],
        decision: Decision,
        started: float,
        *,
        reported: bool,
        used: Mapping[Finding, str] | None = None,
    ) -> Decision:
        """Count the misses; the answer to a second in a row carries the strategy shift.

        `used` has the path in place of each one that is assumed.
        """
        from truepath.resolve.nearby import first_missing_folder

        used = used or {}
        streaks = []
        for each in _by_target(findings):
            made_up = first_missing_folder(self.workspace, each.resolution.target)
            streak = self.tracker.missed(
                call,
                each.resolution,
                missing_folder=made_up,
                reported=reported,
                assumed=each.assumed,
                started=started,
            )
            streaks.append(streak)
            if streak.counted:  # else it has its event
                self._record(call, each, decision, started, streak, used=used.get(each, ""))
        self._watch(call)
        decision = replace(decision, repeated=not any(streak.counted for streak in streaks))
        longest = max(streaks, key=lambda streak: streak.level)
        if not longest.shift:
            return decision
        if any(streak.shift and streak.counted for streak in streaks):
            self.recorder.step("strategy.shift", call, streak=longest.count)
        return self._shifted(call, findings, decision, longest)

    def _shifted(
        self, call: ToolCall, findings: Sequence[Finding], decision: Decision, streak: Streak
    ) -> Decision:
        from truepath.calls.tools import discovery_tools
        from truepath.guard import messages
        from truepath.resolve.named import named

        now = {each.resolution.target for each in findings}
        now |= {one.path for each in findings for one in named(each.resolution)}
        first = findings[0]

        def spelled(paths: Sequence[str]) -> list[str]:
            rest = (path for path in paths if path not in now)
            spell, written = self.workspace.spell, first.mention.written
            return [spell(path, written, cwd=first.cwd) for path in rest]

        text = messages.shift(
            count=streak.count,
            tried=spelled(streak.tried),
            known=spelled(streak.shown),
            named=any(named(each.resolution) for each in findings),
            tools=discovery_tools(call.host),
        )
        if decision.action == "rewrite":  # the file that is shown comes first
            text = messages.joined([decision.text, text])
        else:
            text = messages.shifted(text, decision.text, repeated=streak.again)
        return replace(decision, text=text, shift=True)

    def _made(self, call: ToolCall, findings: Sequence[Finding], started: float) -> None:
        """Record each folder that a call which goes on will make, once."""
        folders = dict.fromkeys(makes_folder(self.workspace, each) for each in findings)
        for each in findings:
            folder = makes_folder(self.workspace, each)
            if folder and folder in folders:
                del folders[folder]
                self.recorder.path(
                    "folder.created",
                    call,
                    replace(each.resolution, path=folder, candidates=()),
                    argument=_placed(each.mention),
                    started=started,
                )

    def _went_well(self, call: ToolCall, findings: Sequence[Finding], started: float) -> None:
        """Take note of a call that looks around, or of which every path is there."""
        from truepath.calls.tools import is_discovery

        found = (each.resolution for each in findings if each.resolution.status == "exists")
        paths = [*dict.fromkeys(each.path or "" for each in found)]
        looks = is_discovery(call)
        if not paths and not looks:
            return
        kind: StepKind = "discovery" if looks else "success"
        streak = self.tracker.went_on(call, kind, paths[0] if paths else "", started=started)
        self._told(call, streak, "agent.searched" if looks else "path.used", paths)

    def _told(
        self, call: ToolCall, streak: Streak | None, event: str = "", paths: Sequence[str] = ()
    ) -> None:
        """Record what the agent made of an earlier answer, and that a streak has ended."""
        self._watch(call)
        if streak is None:
            return
        if streak.followed and event:
            for path in paths[:_USED] or ("",):
                self.recorder.step(event, call, path=path)
        if streak.ended:
            self.recorder.step("streak.ended", call, streak=streak.ended)

    def _watch(self, call: ToolCall) -> None:
        """Say once that sessions are not kept where they should be."""
        if self.tracker.problem:
            self.recorder.failed("store.failed", self.tracker.problem, call)

    def _record(
        self,
        call: ToolCall,
        finding: Finding,
        decision: Decision,
        started: float,
        streak: Streak | None = None,
        *,
        used: str = "",
    ) -> None:
        self.recorder.path(
            kind_of(decision, finding.resolution),
            call,
            finding.resolution,
            argument=_placed(finding.mention),
            used=used,
            streak=streak,
            started=started,
        )


def _by_target(findings: Sequence[Finding]) -> Iterable[Finding]:
    """Return one finding a path: however often one call names it, it is missed once."""
    first: dict[str, Finding] = {}
    for each in findings:
        first.setdefault(each.resolution.target, each)
    return first.values()


def _placed(mention: Mention) -> PathArgument:
    """Return a mention's argument with its position: in a list or, in a command, its offset."""
    argument, operand = mention.argument, mention.operand
    if operand is None or argument.index is not None:
        return argument
    return replace(argument, index=operand.span[0])


def stray_home(workspace: Workspace, findings: Sequence[Finding]) -> tuple[str, str] | None:
    """Return the home folder that a path names and is not there, and the agent's own."""
    frame = workspace.frame()
    for each in findings:
        if each.resolution.status != "exists" and each.rule not in PASSIVE:
            stray = homes.stray(each.mention.written, frame.root, frame.home, workspace.is_folder)
            if stray is not None:
                return stray
    return None
