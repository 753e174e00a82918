"""What follows a decision: the session counts it, the journal keeps it, a loop is answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from truepath.call import Action, Decision, Resolution, ToolCall
from truepath.mentions import Mention
from truepath.recording import Recorder, kind_of
from truepath.tracking import Tracker
from truepath.workspace import Workspace

if TYPE_CHECKING:
    from truepath.session import Streak

QUIET = ("exists", "outside")
"""Statuses that are no miss."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One path of a call: what is true of it, and what to do about it."""

    mention: Mention
    resolution: Resolution
    action: Action

    @property
    def is_slip(self) -> bool:
        """Whether it would make a folder that looks like one that is there."""
        makes = self.resolution.operation in ("write", "mkdir")
        return makes and self.resolution.status == "ambiguous"

    @property
    def is_miss(self) -> bool:
        """Whether a path that had to be there is not."""
        makes = self.resolution.operation in ("write", "mkdir")
        return self.resolution.status not in QUIET and not (makes and not self.is_slip)


@dataclass(frozen=True, slots=True)
class FollowUp:
    """Takes each decision of a guard to the session and to the journal."""

    workspace: Workspace
    tracker: Tracker
    recorder: Recorder

    def allowed(
        self, call: ToolCall, findings: Sequence[Finding], decision: Decision, started: float
    ) -> Decision:
        """Take note of a call that goes on as it came."""
        from truepath.toolmap import is_discovery

        for each in findings:
            if each.is_miss and not each.mention.optional:
                self._record(call, each, decision, started)
        there = [each.resolution for each in findings if each.resolution.status == "exists"]
        path = (there[0].path or "") if there else ""
        if is_discovery(call):
            self._went_on(call, self.tracker.went_on(call, "discovery", path), "agent.searched")
        elif there:
            self._went_on(call, self.tracker.went_on(call, "success", path), "path.used", path)
        return decision

    def prompted(self, call: ToolCall) -> None:
        """Take note that the user spoke: whatever streak there was is over."""
        self._went_on(call, self.tracker.went_on(call, "prompt"), "user.prompted")

    def corrected(
        self, call: ToolCall, findings: Sequence[Finding], decision: Decision, started: float
    ) -> Decision:
        """Take note of a call that runs with other paths."""
        used = (decision.payload or {}).get("used", ())
        for each, path in zip(findings, used, strict=False):
            self.tracker.went_on(call, "corrected", each.resolution.path or "")
            self._record(call, each, decision, started, used=path)
        return decision

    def meant(self, call: ToolCall, findings: Sequence[Finding]) -> bool:
        """Return whether these slips were named to the agent before: then it means them."""
        slips = [each.resolution.target for each in findings if each.is_slip]
        return bool(slips) and len(slips) == len(findings) and self.tracker.warned(call, slips)

    def missed(
        self,
        call: ToolCall,
        findings: Sequence[Finding],
        decision: Decision,
        started: float,
        *,
        reported: bool,
    ) -> Decision:
        """Count the misses; the answer to a second in a row carries the strategy shift."""
        from truepath import report
        from truepath.surroundings import invented
        from truepath.toolmap import discovery_tools

        streaks = []
        for each in findings:
            made_up = invented(self.workspace, each.resolution.target)
            streak = self.tracker.missed(call, each.resolution, invented=made_up, reported=reported)
            streaks.append(streak)
            self._record(call, each, decision, started, streak)
        longest = max(streaks, key=lambda streak: streak.level)
        if not longest.shift:
            return decision
        self.recorder.step("strategy.shift", call, streak=longest.count)
        text = report.shift(
            count=longest.count,
            tried=longest.tried,
            known=longest.shown,
            tools=discovery_tools(call.host),
            refusing=longest.level >= 3,
        )
        return replace(decision, text=report.joined([text, decision.text]), shift=True)

    def _went_on(self, call: ToolCall, streak: Streak | None, event: str, path: str = "") -> None:
        if streak is None:
            return
        if streak.followed:
            self.recorder.step(event, call, path=path)
        if streak.ended:
            self.recorder.step("streak.ended", call, streak=streak.ended)

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
            argument=finding.mention.argument,
            used=used,
            streak=streak,
            started=started,
        )
