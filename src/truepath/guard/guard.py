"""The two doors: `before` a tool call and `after` it. Orchestration, and nothing else."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from truepath.calls.paths import Mention, Mentions, find, find_failed, is_ordered
from truepath.config import presets
from truepath.guard import defaults
from truepath.guard import policy as policies
from truepath.guard.effects import QUIET, Finding, FollowUp, makes_folder, stray_home
from truepath.guard.wrapping import Wraps
from truepath.pathlike import in_kind, text_call
from truepath.resolve.workspace import PATIENCE, Workspace
from truepath.session.recent import Recent
from truepath.types import Action, Decision, Outcome, Resolution, ToolCall

if TYPE_CHECKING:
    from truepath.config.settings import Settings
    from truepath.events.event import Event
    from truepath.events.recorder import FailingOpen, Recorder
    from truepath.session.stores import Store
    from truepath.session.turns import Turns

_ORDER: Sequence[Action] = ("refuse", "advise", "rewrite", "allow")
"""The strongest wins when the paths of one call disagree: both are corrected, or none."""


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
        patience: float = PATIENCE,
        slack: float = 0.0,
        began: float | None = None,
        refuses: bool = True,
        instead: Callable[[ToolCall, Mapping[str, Any]], Action] | None = None,
    ) -> None:
        """Guard a project.

        Args:
            root: The project's folder; not needed with `workspace`.
            policy: A preset: careful (default), recover, suggest, guide or observe.
            workspace: The project, where it is not a plain folder.
            settings: Loaded settings; by default those of the project and the environment.
            store: Where sessions are remembered; by default in this process.
            on_event: Called with every interception, in place of the journal; may raise.
            patience: Seconds a miss waits for history and for names git does not track yet.
            slack: Seconds after an answer within which a call belongs to the same model turn.
            began: When this process began, seconds since the epoch, where it serves one call.
            refuses: Whether whoever asks can keep a call from running; else it is advised upon.
            instead: What others make of a call with other arguments: rewrite, allow or refuse.

        Raises:
            ConfigError: `policy` names no preset, or neither root nor workspace is given.
            WorkspaceError: `root` is not a folder.
        """
        self.settings = settings or defaults.settings_of(root)
        self.workspace = workspace or defaults.workspace_of(root, self.settings, patience)
        self._rules = presets.table(policy or self.settings.policy, self.settings.rules)
        self._preset = policy or self.settings.policy
        self._given_store, self._on_event, self._recent = store, on_event, Recent()
        self._slack, self._began, self._refuses, self._instead = slack, began, refuses, instead

    def before(self, call: ToolCall) -> Decision:
        """Decide on a call that has not run yet."""
        if not self.settings.enabled:
            return Decision("allow", call.arguments)
        if (plain := text_call(call)) is not call:
            return in_kind(call, plain, self.before(plain))
        started = time.perf_counter()
        mentions = find(call)
        findings = self._findings(mentions)
        if self._remembers and any(each.makes for each in findings):
            findings = self._follow_up.held(call, findings)
        decision = self._decide(mentions, findings)
        decision = self._followed_up(call, findings, decision, started)
        if decision.action != "refuse":
            self._recent.note(call, decision.resolutions)
            if not findings or not all(each.only_looks for each in findings):
                self.workspace.changed()
        if any(each.other_checkout for each in findings) and decision.action != "refuse":
            decision = self._follow_up.elsewhere(call, findings, decision, started)
        stray = stray_home(self.workspace, findings)
        return self._follow_up.at_home(call, decision, *stray) if stray else decision

    def after(self, call: ToolCall, outcome: Outcome) -> Decision:
        """Add what is known to a call that has failed; silent when it did not fail on a path."""
        if (plain := text_call(call)) is not call:
            return in_kind(call, plain, self.after(plain, outcome))
        allow = Decision("allow", call.arguments)
        if not self.settings.enabled or not outcome.error or not self._speaks(outcome.error):
            return allow
        started = time.perf_counter()
        findings = [
            finding
            for finding in self._findings(find_failed(call, outcome.error))
            if finding.is_miss and finding.rule not in (None, "observe")
        ]
        if not findings:
            return allow
        decision = self._answer("advise", call, findings)
        return self._follow_up.missed(call, findings, decision, started, reported=True)

    def prompted(self, call: ToolCall) -> None:
        """Take note that the user spoke: whatever streak there was is over."""
        if self.settings.enabled:
            self._follow_up.prompted(call)

    def failing_open(self, call: ToolCall) -> FailingOpen:
        """Return a context in which an error of truepath is recorded, and ends there.

        It is for the outermost place of whoever calls tools, around nothing but `before` and
        `after`: the tool's own errors are none of ours.
        """
        from truepath.events.recorder import FailingOpen

        return FailingOpen(lambda: self._recorder, call)

    def _speaks(self, error: str) -> bool:
        from truepath.calls.error_texts import already_suggested, is_missing
        from truepath.guard.messages import is_ours

        return is_missing(error) and not is_ours(error) and not already_suggested(error)

    def _findings(self, mentions: Mentions) -> list[Finding]:
        found: list[Finding] = []
        for mention in mentions.each:
            entered = [found[at] for at in mention.entered if at < len(found)]
            cwd = self._place(mentions, entered)
            resolution = self._resolve(mention, cwd)
            if resolution.status == "ambiguous":
                resolution = self._weighed(mentions.call, resolution)
            # Below a folder that is not there, nothing can be said of a path.
            lost = any(each.is_miss and each.action != "rewrite" for each in entered)
            rule = None if lost else self._rule(mention, resolution)
            action = "allow" if rule is None else self._action(rule, mention, resolution, mentions)
            if action != "allow" and resolution.operation in ("write", "mkdir"):
                from truepath.guard.together import takes_over

                action = "allow" if takes_over(found, resolution) else action
            found.append(Finding(mention, resolution, action, rule, cwd=cwd))
        return found

    def _weighed(self, call: ToolCall, resolution: Resolution) -> Resolution:
        """Name first, of equals, what the agent works with."""
        from truepath.session.recent import uncommitted, weighed

        known = {*self._recent.known(call), *self._follow_up.tracker.known(call)}
        return weighed(resolution, known, lambda paths: uncommitted(self.workspace.root, paths))

    def _place(self, mentions: Mentions, entered: Sequence[Finding]) -> str | None:
        """Return where the agent stands after the folders it entered, corrected ones included."""
        cwd = mentions.cwd
        for finding in entered:
            path = finding.resolution.path
            if path is not None:
                cwd = os.path.join(self.workspace.root, path)
            else:
                cwd = os.path.join(cwd or self.workspace.root, finding.mention.written)
        return cwd

    def _resolve(self, mention: Mention, cwd: str | None) -> Resolution:
        argument = mention.argument
        return self.workspace.resolve(
            mention.written,
            argument.operation,
            cwd=cwd,
            kind=argument.kind,
            threshold=self.settings.thresholds.get(argument.operation),
        )

    def _rule(self, mention: Mention, resolution: Resolution) -> presets.Rule | None:
        """Return the rule that a path is under; None where the call accepts that it is missing,
        or where somebody else's rule denies it.
        """
        if mention.optional and resolution.status != "outside":
            return None
        if resolution.status not in QUIET and self.workspace.protects(resolution.target):
            return None
        if resolution.status not in QUIET and mention.known_to_git(
            lambda path: self.workspace.names().kind(path), resolution.target
        ):
            return None
        return self._rules[resolution.operation]

    def _action(
        self, rule: presets.Rule, mention: Mention, resolution: Resolution, mentions: Mentions
    ) -> Action:
        call = mentions.call
        action = policies.decide(rule, resolution, ordered=is_ordered(call, resolution))
        if action == "rewrite" and (not mention.rewritable or self._misplaces(resolution)):
            action = "refuse"
        looks = resolution.operation in ("read", "list", "search", "execute")
        looks = looks and not (mention.enters and resolution.operation == "execute")
        runs = not self._refuses or (looks and not mention.alone)
        return "advise" if action == "refuse" and runs else action

    def _misplaces(self, resolution: Resolution) -> bool:
        """Return whether a corrected write would land on what is there, make a folder beside the
        slip that it mends, or make a file whose name is decorated.
        """
        if resolution.operation not in ("write", "mkdir") or not resolution.candidates:
            return False
        from truepath.resolve.readings import spellings

        path = resolution.candidates[0].path
        folder = path.rpartition("/")[0]
        names = self.workspace.names()
        placed = names.has_folder(folder) if folder else True
        plain = len(spellings(path)) == 1
        return self.workspace.kind(path) is not None or not placed or not plain

    def _decide(self, mentions: Mentions, findings: Sequence[Finding]) -> Decision:
        call = mentions.call
        actions: list[Action] = [each.action for each in findings]
        action = min(actions, key=_ORDER.index) if actions else "allow"
        if action == "rewrite":
            changed = self._rewrite(mentions, findings)
            instead = self._instead(call, changed.arguments) if self._instead else "rewrite"
            if instead == "rewrite" or changed.action != "rewrite":
                return changed
            if instead == "refuse":  # the agent makes the call anew, for all to see
                action = "refuse" if self._refuses else "advise"
                chosen = [each for each in findings if each.action == "rewrite"]
                return self._answer(action, call, chosen)
        if action in ("allow", "rewrite"):
            resolutions = tuple(each.resolution for each in findings)
            return Decision("allow", call.arguments, resolutions=resolutions)
        missed = [each for each in findings if each.action in (action, "rewrite")]
        return self._answer(action, call, missed)

    def _rewrite(self, mentions: Mentions, findings: Sequence[Finding]) -> Decision:
        from truepath.guard import messages
        from truepath.guard.together import already, halves

        changes: dict[int, str] = {}
        for at, finding in enumerate(findings):
            path = _replacement(finding.resolution)
            if finding.action == "rewrite" and path is not None:
                new = self.workspace.spell(path, finding.mention.written, cwd=finding.cwd)
                # Whoever enters the folder that he is in is taken for being elsewhere.
                changes[at] = os.path.join(self.workspace.root, path) if new == "." else new
        if met := already(mentions, findings, changes, self.workspace.root):
            return self._met(mentions.call, {findings[at].resolution: met[at] for at in met})
        made_again = halves(mentions, findings, changes)
        arguments = None if made_again else mentions.rewritten(changes)
        chosen = [findings[at] for at in made_again or changes]
        if arguments is None:
            return self._answer("refuse" if self._refuses else "advise", mentions.call, chosen)
        fixed, used = [each.resolution for each in chosen], [*changes.values()]
        told = [
            (each.resolution, each.mention.argument.written, path)
            for each, path in zip(chosen, used, strict=True)
        ]
        return Decision(
            "rewrite",
            arguments,
            text=messages.corrected(told),
            payload=messages.payload(messages.CORRECTED, fixed, used=used),
            resolutions=tuple(each.resolution for each in findings),
        )

    def _met(self, call: ToolCall, met: Mapping[Resolution, str]) -> Decision:
        """Refuse what would name one file twice."""
        from truepath.guard import messages

        return Decision(
            "refuse" if self._refuses else "advise",
            call.arguments,
            text=messages.joined([messages.already(one, there) for one, there in met.items()]),
            payload=messages.payload(messages.NOT_FOUND, [*met]),
            resolutions=tuple(met),
        )

    def _answer(self, action: Action, call: ToolCall, findings: Sequence[Finding]) -> Decision:
        from truepath.guard import guidance, messages
        from truepath.resolve.named import SHOWN
        from truepath.resolve.nearby import around

        resolutions = [each.resolution for each in findings]
        texts = []
        for each in findings[:SHOWN]:
            one = each.resolution
            if each.held:
                texts.append(messages.unseen(one))
                continue
            how = guidance.search_for(one, call.host) if each.rule == "guide" else ""
            near = around(self.workspace, one, each.cwd)
            lists = self._preset == "suggest"
            texts.append(messages.missing(one, action, near, listing=lists, search=how))
        code = messages.UNSEEN if findings[0].held else messages.code(resolutions[0])
        return Decision(
            action,
            call.arguments,
            text=messages.joined(texts),
            payload=messages.payload(code, resolutions),
            resolutions=tuple(resolutions),
        )

    def _followed_up(
        self, call: ToolCall, findings: Sequence[Finding], decision: Decision, started: float
    ) -> Decision:
        """Let the session and the journal have their part."""
        if decision.action == "allow" and self._nothing_to_note(findings):
            return decision
        follow = self._follow_up
        if decision.action == "allow":
            return follow.allowed(call, findings, decision, started)
        chosen = [each for each in findings if each.action == decision.action]
        if decision.action == "rewrite":
            return follow.corrected(call, chosen, decision, started)
        chosen = chosen or [each for each in findings if each.action == "rewrite"]
        if follow.meant(call, chosen):
            decision = Decision("allow", call.arguments, resolutions=decision.resolutions)
            return follow.allowed(call, findings, decision, started)
        return follow.missed(call, chosen, decision, started, reported=False)

    @property
    def _remembers(self) -> bool:
        """Whether there may be anything to remember of any session, from other guards too."""
        kept = self._given_store is not None or defaults.outlives(self.settings)
        return kept or "_follow_up" in self.__dict__

    def _nothing_to_note(self, findings: Sequence[Finding]) -> bool:
        """Return whether an allowed call needs no session: none was begun, and nothing is amiss."""
        return not self._remembers and not any(
            each.is_miss or makes_folder(self.workspace, each) for each in findings
        )

    @cached_property
    def _follow_up(self) -> FollowUp:
        from truepath.session.tracker import Tracker

        store = self._given_store or defaults.store_of(self.settings)
        tracker = Tracker(store, self.workspace.root, slack=self._slack, began=self._began)
        return FollowUp(self.workspace, tracker, self._recorder, refuses=self._refuses)

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


def _replacement(resolution: Resolution) -> str | None:
    """Return the path that takes the written one's place; for a slip, where it was meant to go."""
    if resolution.path is None and resolution.operation in ("write", "mkdir"):
        return resolution.candidates[0].path if resolution.candidates else None
    return resolution.path
