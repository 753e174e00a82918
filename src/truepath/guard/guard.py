"""The two doors: `before` a tool call and `after` it.

Paths are found, resolved, decided upon, worded; then the session and the journal have their part.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from truepath.calls.paths import Mention, Mentions, find, find_failed
from truepath.config import presets
from truepath.guard import answers, defaults
from truepath.guard.caller import Caller
from truepath.guard.effects import FollowUp, stray_home
from truepath.guard.finding import Finding, makes_folder
from truepath.guard.policy import Policy, counted
from truepath.guard.wrapping import Wraps
from truepath.pathlike import in_kind, text_call
from truepath.records import replace
from truepath.resolve.workspace import TIMEOUT_S, Workspace
from truepath.session.recent import Recent
from truepath.types import Decision, Outcome, Resolution, ToolCall

if TYPE_CHECKING:
    from truepath.config.settings import Settings
    from truepath.events.event import Event
    from truepath.events.recorder import FailingOpen, Recorder
    from truepath.session.stores import Store
    from truepath.session.tracker import Tracker
    from truepath.session.turns import Turns


class Guard(Wraps):
    """Stands between an agent and its file tools, for one project.

    `before` and `after` are safe to call from several threads.
    """

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        *,
        policy: presets.Policy | None = None,
        workspace: Workspace | None = None,
        settings: Settings | None = None,
        store: Store | None = None,
        on_event: Callable[[Event], None] | None = None,
        timeout_s: float = TIMEOUT_S,
        caller: Caller | None = None,
    ) -> None:
        """Guard a project.

        Args:
            root: The project's folder; not needed with `workspace`.
            policy: A preset: careful (default), recover, suggest, guide or observe.
            workspace: The project, where it is not a plain folder.
            settings: Loaded settings; by default those of the project and the environment.
            store: Where sessions are remembered; by default in this process.
            on_event: Called with every interception, in place of the journal; may raise.
            timeout_s: Seconds a miss waits for history and for names git does not track yet.
            caller: What the program around the guard can do; everything, by default.

        Raises:
            ConfigError: `policy` names no preset, or neither root nor workspace is given.
            WorkspaceError: `root` is not a folder.
        """
        self.settings = settings or defaults.settings_of(root)
        self.workspace = workspace or defaults.workspace_of(root, self.settings, timeout_s)
        self._preset = policy or self.settings.policy
        self._caller = caller or Caller()
        rules = presets.table(self._preset, self.settings.rules)
        self._policy = Policy(self.workspace, rules, self._caller, lambda: self._tracker)
        self._given_store, self._on_event, self._recent = store, on_event, Recent()

    def before(self, call: ToolCall, *, notes: bool = True) -> Decision:
        """Decide on a call that has not run yet.

        Args:
            call: The call.
            notes: Whether the agent reads the decision's text beside the result of a call that
                runs. Without it no file is assumed.

        Raises:
            SandboxError: The workspace is in a sandbox that gives no answer; `check` and `wrap`
                let the call run as it came.
        """
        if not self.settings.enabled:
            return Decision("allow", call.arguments)
        if (plain := text_call(call)) is not call:
            return in_kind(call, plain, self.before(plain, notes=notes))
        started = self._started()
        policy = self._policy if notes else replace(self._policy, notes=False)
        mentions = find(call)
        findings = self._findings(mentions, policy)
        if self._remembers:
            findings = policy.block_repeats(call, findings)
        verdict = policy.decide_call(mentions, findings)
        lists = self._preset == "suggest"
        decision = answers.decision(verdict, self.workspace, call, findings, lists=lists)
        decision = self._followed_up(call, findings, decision, started)
        if decision.action != "refuse":
            known = [each for each in decision.resolutions if each.status != "likely"]
            self._recent.note(call, known)
            if not findings or not all(each.only_looks for each in findings):
                self.workspace.changed()
        if any(each.other_checkout for each in findings) and decision.action != "refuse":
            decision = self._follow_up.checkout_hint(call, findings, decision, started)
        stray = stray_home(self.workspace, findings)
        return self._follow_up.home_hint(call, decision, *stray) if stray else decision

    def after(self, call: ToolCall, outcome: Outcome) -> Decision:
        """Add what is known to a call that has failed; silent when it did not fail on a path."""
        if (plain := text_call(call)) is not call:
            return in_kind(call, plain, self.after(plain, outcome))
        allow = Decision("allow", call.arguments)
        if not self.settings.enabled or not outcome.error or not self._speaks(outcome.error):
            return allow
        started = self._started()
        self.workspace.changed()  # what failed may have been there a moment ago
        findings = [
            finding
            for finding in self._findings(find_failed(call, outcome.error), self._policy)
            if finding.is_miss and finding.rule not in (None, "observe")
        ]
        if not findings:
            return allow
        lists = self._preset == "suggest"
        decision = answers.missed("advise", self.workspace, call, findings, lists=lists)
        return self._follow_up.record_missed(call, findings, decision, started, reported=True)

    def prompted(self, call: ToolCall) -> None:
        """Take note that the user spoke: whatever streak there was is over."""
        if self.settings.enabled:
            self._follow_up.prompted(call)

    def _started(self) -> float:
        """Return when what the user waits for began, on `time.perf_counter`: the hook's process,
        or this call of the guard.
        """
        now, began = time.perf_counter(), self._caller.began
        return now if began is None else now - max(0.0, time.time() - began)

    def failing_open(self, call: ToolCall) -> FailingOpen:
        """Return a context in which an error of truepath is recorded, and ends there.

        An adapter puts it around `before` and `after` and nothing else: the tool's own errors pass.
        """
        from truepath.events.recorder import FailingOpen

        return FailingOpen(lambda: self._recorder, call)

    def _speaks(self, error: str) -> bool:
        from truepath.calls.error_texts import already_suggested, is_missing
        from truepath.guard.messages import is_answer

        return is_missing(error) and not is_answer(error) and not already_suggested(error)

    def _findings(self, mentions: Mentions, policy: Policy) -> list[Finding]:
        found: list[Finding] = []
        for mention in mentions.each:
            entered = [found[at] for at in mention.entered if at < len(found)]
            cwd = self._place(mentions, entered)
            resolution = self._resolve(mentions.call, mention, cwd)
            if resolution.status in ("ambiguous", "likely"):
                resolution = self._weighed(mentions.call, resolution)
            found.append(policy.finding(mentions, mention, resolution, found, cwd))
        return found

    def _weighed(self, call: ToolCall, resolution: Resolution) -> Resolution:
        """Name first, of equals, what the agent works with.

        That can leave nothing clearly ahead. It makes nothing likely that was not.
        """
        from truepath.resolve.likely import marked, unmarked
        from truepath.session.recent import uncommitted, weighed

        known = {*self._recent.known(call), *self._tracker.known(call)}
        root, on_disk = self.workspace.root, self.workspace.on_disk
        found = weighed(
            unmarked(resolution), known, lambda paths: uncommitted(root, paths) if on_disk else ()
        )
        again = marked(found) if resolution.status == "likely" else found
        return again if again.path == resolution.path else unmarked(again)

    def _place(self, mentions: Mentions, entered: Sequence[Finding]) -> str | None:
        """Return the agent's folder after those it entered, corrected ones included."""
        from truepath.resolve.likely import unmarked

        cwd = mentions.cwd
        for finding in entered:
            path = unmarked(finding.resolution).path
            if path is not None:
                cwd = os.path.join(self.workspace.root, path)
            else:
                cwd = os.path.join(cwd or self.workspace.root, finding.mention.written)
        return cwd

    def _resolve(self, call: ToolCall, mention: Mention, cwd: str | None) -> Resolution:
        from truepath.calls.contents import contents

        argument = mention.argument
        if mention.operand is not None and mention.operand.home and not self.workspace.on_disk:
            # Where the home folder of a sandbox is, is not known: what is in it is let be.
            return Resolution(
                argument.written, "outside", argument.operation, note="exists", outside=True
            )
        return self.workspace.resolve(
            mention.written,
            argument.operation,
            cwd=cwd,
            kind=argument.kind,
            threshold=self.settings.thresholds.get(argument.operation),
            contents=contents(call, mention),
        )

    def _followed_up(
        self, call: ToolCall, findings: Sequence[Finding], decision: Decision, started: float
    ) -> Decision:
        """Let the session and the journal have their part."""
        if decision.action == "allow" and self._nothing_to_note(findings):
            return decision
        follow = self._follow_up
        if decision.action == "allow":
            return follow.record_allowed(call, findings, decision, started)
        if decision.action == "rewrite":
            return follow.record_rewritten(call, findings, decision, started)
        missed = counted(findings, decision.action)
        return follow.record_missed(call, missed, decision, started, reported=False)

    @property
    def _remembers(self) -> bool:
        """Whether there may be anything to remember of any session, from other guards too."""
        kept = self._given_store is not None or defaults.outlives(self.settings)
        return kept or self._takes_states or "_follow_up" in self.__dict__

    def _nothing_to_note(self, findings: Sequence[Finding]) -> bool:
        """Return whether an allowed call needs no session: none was begun, and nothing is amiss."""
        return not self._remembers and not any(
            each.is_miss or makes_folder(self.workspace, each) for each in findings
        )

    @cached_property
    def _tracker(self) -> Tracker:
        from truepath.session.tracker import Tracker

        store = self._given_store or defaults.store_of(self.settings)
        tracker = Tracker(
            store, self.workspace.root, turn_gap_s=self._caller.turn_gap_s, began=self._caller.began
        )
        # Two threads may be here at once, and both must count in one store.
        kept: Tracker = self.__dict__.setdefault("_tracker", tracker)
        return kept

    @cached_property
    def _follow_up(self) -> FollowUp:
        return FollowUp(self.workspace, self._tracker, self._recorder)

    @cached_property
    def _turns(self) -> Turns:
        from truepath.session.turns import Turns

        return Turns()

    @cached_property
    def _recorder(self) -> Recorder:
        from truepath.events.recorder import Recorder

        return Recorder(
            defaults.journal_of(self.settings),
            project=self.workspace.root,
            policy=self._preset,
            callback=self._on_event,
        )
