"""The two doors: `before` a tool call and `after` it.

Paths are found, resolved, decided upon, worded; then the session and the journal have their part.
"""

from __future__ import annotations

import os
import time

from truepath.calls.paths import find, find_failed
from truepath.config import presets
from truepath.config.settings import load
from truepath.config.user_dirs import projects_folder
from truepath.errors import ConfigError
from truepath.guard import defaults
from truepath.guard.caller import Caller
from truepath.guard.follow import FollowUp, near
from truepath.guard.policy import Policy, Verdict
from truepath.journal.recorder import FailingOpen, Recorder
from truepath.pathlike import in_kind, text_call
from truepath.records import replace
from truepath.resolve.workspace import TIMEOUT_S, Workspace
from truepath.session.tracker import Tracker
from truepath.types import READS, Decision, Resolution

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping, Sequence
    from typing import Any, Literal, TypeVar, overload

    from truepath.calls.paths import Mention, Mentions
    from truepath.config.settings import Settings
    from truepath.guard.checked import Checked
    from truepath.guard.policy import Finding
    from truepath.journal.event import Event
    from truepath.session.stores import Store
    from truepath.types import Action, Operation, Outcome, ToolCall

    Tool = TypeVar("Tool", bound=Callable[..., Any])
    State = MutableMapping[str, Any]


class Guard:
    """Stands between an agent and its file tools, for one project.

    `before` and `after` are safe to call from several threads. Their `state` is where an agent
    framework keeps what belongs to a session: what is remembered of it is kept there, under names
    that begin with `truepath`, in place of the guard's own store.
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
            timeout_s: Seconds that a miss waits, in all, for names and history.
            caller: What the program around the guard can do; everything, by default.

        Raises:
            ConfigError: `policy` names no preset, or neither root nor workspace is given.
            WorkspaceError: `root` is not a folder.
        """
        self.settings = settings or load(os.fspath(root) if root else None, os.environ)
        self.workspace = workspace or self._opened(root, timeout_s)
        self._preset = policy or self.settings.policy
        self._rules = presets.table(self._preset, self.settings.rules)
        self._caller = caller or Caller()
        project, began = self.workspace.root, self._caller.began
        kept_in, gap = store or defaults.store_of(self.settings), self._caller.turn_gap_s
        self._tracker = Tracker(kept_in, project, turn_gap_s=gap, began=began)
        journal = defaults.journal_of(self.settings)
        self._recorder = Recorder(journal, project=project, policy=self._preset, callback=on_event)
        self._remembers = store is not None or self.settings.store != ""
        """Whether there may be anything to remember of any session, from other guards too."""

    def before(self, call: ToolCall, *, notes: bool = True, state: State | None = None) -> Decision:
        """Decide on a call that has not run yet.

        Args:
            call: The call.
            notes: Whether the agent reads the decision's text beside the result of a call that
                runs. Without it no file is assumed.
            state: A framework's own.

        Raises:
            SandboxError: The workspace is in a sandbox that gives no answer; `check` and `wrap`
                let the call run as it came.
        """
        if not self.settings.enabled:
            return Decision("allow", call.arguments)
        if (plain := text_call(call)) is not call:
            return in_kind(call, plain, self.before(plain, notes=notes, state=state))
        follow, policy = self._asked(call, state, notes=notes)
        mentions = find(call)
        findings: Sequence[Finding] = self._findings(mentions, policy)
        quiet = all(each.resolution.status == "exists" for each in findings)
        self._remembers = self._remembers or state is not None or not quiet
        if self._remembers:
            findings = policy.block_repeats(call, findings)
        verdict = policy.decide_call(mentions, findings)
        if verdict.action != "refuse" and not (findings and all(map(_only_looks, findings))):
            self.workspace.changed()
        decision = self._worded(call, findings, verdict)
        if decision.action == "allow" and self._remembers:
            follow.allowed(findings, decision)
        elif decision.action == "rewrite":
            decision = follow.rewritten(verdict, decision)
        elif decision.action != "allow":
            decision = follow.missed(verdict.chosen, decision)
        return decision if quiet else follow.noted(findings, decision)

    def after(self, call: ToolCall, outcome: Outcome, *, state: State | None = None) -> Decision:
        """Add what is known to a call that has failed; silent when it did not fail on a path."""
        if (plain := text_call(call)) is not call:
            return in_kind(call, plain, self.after(plain, outcome, state=state))
        allow = Decision("allow", call.arguments)
        if not self.settings.enabled or not outcome.error or not _fails_on_path(outcome.error):
            return allow
        follow, policy = self._asked(call, state, notes=True)
        self.workspace.changed()  # what failed may have been there a moment ago
        findings = [
            finding
            for finding in self._findings(find_failed(call, outcome.error), policy)
            if finding.is_miss and finding.rule not in (None, "observe")
        ]
        if not findings:
            return allow
        self._remembers = True
        decision = self._worded(call, findings, Verdict("advise", findings))
        return follow.missed(findings, decision, reported=True)

    def prompted(self, call: ToolCall, *, state: State | None = None) -> None:
        """Take note that the user spoke: whatever streak there was is over."""
        if self.settings.enabled:
            self._asked(call, state, notes=True)[0].prompted()

    def failing_open(self, call: ToolCall) -> FailingOpen:
        """Return a context in which an error of truepath is recorded, and ends there.

        An adapter puts it around `before` and `after` and nothing else: the tool's own errors pass.
        """
        return FailingOpen(lambda: self._recorder, call)

    def check(self, call: ToolCall, *, notes: bool = True, state: State | None = None) -> Checked:
        """Decide on a call of a tool that runs in this process: `before`, as an adapter needs it.

        An error of truepath lets the call run as it came. Where the call names no turn, calls that
        the tasks of one event loop make at once are one; where it names no folder, a relative path
        starts at the process's working directory or at the root.
        """
        from truepath.guard.checked import Checked

        def explain(call: ToolCall, outcome: Outcome) -> Decision:
            return self.after(call, outcome, state=state)

        decision = Decision("allow", call.arguments)
        with self.failing_open(call):
            call = self.placed(call)
            decision = self.before(call, notes=notes, state=state)
        return Checked(call, decision, explain, self.failing_open)

    async def acheck(
        self, call: ToolCall, *, notes: bool = True, state: State | None = None
    ) -> Checked:
        """Do what `check` does, for an event loop, which goes on while a path is searched for."""
        from truepath.guard.aside import aside

        with self.failing_open(call):
            call = self.placed(call)
        return await aside(lambda: self.check(call, notes=notes, state=state))

    def placed(self, call: ToolCall) -> ToolCall:
        """Return a call of this process with the folder that its paths start from, and its turn."""
        from truepath.guard.checked import TURNS, folder_of

        turn = call.turn or TURNS.current()
        return replace(call, cwd=folder_of(self.workspace, call), turn=turn)

    if TYPE_CHECKING:

        @overload
        def wrap(
            self,
            tool: Tool,
            *,
            name: str | None = ...,
            operation: Operation | None = ...,
            paths: Sequence[str] | None = ...,
            session: str = ...,
            refusal: Literal["raise", "return"] = ...,
            note: Callable[[str], object] | None = ...,
        ) -> Tool: ...

        @overload
        def wrap(
            self,
            tool: None = ...,
            *,
            name: str | None = ...,
            operation: Operation | None = ...,
            paths: Sequence[str] | None = ...,
            session: str = ...,
            refusal: Literal["raise", "return"] = ...,
            note: Callable[[str], object] | None = ...,
        ) -> Callable[[Tool], Tool]: ...

    def wrap(
        self,
        tool: Callable[..., Any] | None = None,
        *,
        name: str | None = None,
        operation: Operation | None = None,
        paths: Sequence[str] | None = None,
        session: str = "",
        refusal: Literal["raise", "return"] = "raise",
        note: Callable[[str], object] | None = None,
    ) -> Callable[..., Any]:
        """Return `tool` with its paths checked before it runs; without a tool, a decorator.

        Raises ConfigError where nothing would be checked.

        Args:
            tool: A function, plain or async. Parameters named like a path or annotated as one are
                checked, defaults included.
            name: The tool's name, where it is not the function's.
            operation: What the tool does to its paths, where its name does not tell.
            paths: The names of the parameters that are paths, of a move the source first.
            session: The conversation that calls belong to.
            refusal: `raise` raises PathRefused; `return` returns the answer as the result.
            note: Told of a correction, in place of a result that is text. A likely file is shown
                only with it, or by a tool annotated to return `str`.
        """
        from truepath.guard.wrap import Wrapping, wrapped

        how = Wrapping(name, operation, paths, session, refusal, note)
        return (lambda tool: wrapped(tool, self, how)) if tool is None else wrapped(tool, self, how)

    def _opened(self, root: str | os.PathLike[str] | None, timeout_s: float) -> Workspace:
        if root is None:
            raise ConfigError("a guard needs a project: give root or workspace")
        settings, store = self.settings, projects_folder(os.environ)
        seconds = min(timeout_s, settings.deadline)
        return Workspace(
            root, deny=settings.deny, limit=settings.limit, timeout_s=seconds, store=store
        )

    def _asked(
        self, call: ToolCall, state: State | None, *, notes: bool
    ) -> tuple[FollowUp, Policy]:
        """Return what decides about a call and what follows.

        What the user waits for began with the hook's process, or with this call of the guard.
        """
        now, began, tracker = time.perf_counter(), self._caller.began, self._tracker.within(state)
        started = now if began is None else now - max(0.0, time.time() - began)
        follow = FollowUp(self.workspace, tracker, self._recorder, call, started)
        notes = notes and self._caller.notes
        return follow, Policy(self.workspace, self._rules, self._caller, tracker, notes)

    def _findings(self, mentions: Mentions, policy: Policy) -> list[Finding]:
        found: list[Finding] = []
        for mention in mentions.each:
            cwd = mentions.cwd
            for at in mention.entered:
                cwd = self._entered(found[at], cwd)
            resolution = self._resolve(mentions.call, mention, cwd)
            found.append(policy.finding(mentions, mention, resolution, found, cwd))
        return found

    def _entered(self, finding: Finding, cwd: str | None) -> str:
        """Return the agent's folder after it has entered one, corrected where that is."""
        path = finding.resolution.path if finding.action in ("allow", "rewrite") else None
        if path is not None:
            return os.path.join(self.workspace.root, path)
        return os.path.join(cwd or self.workspace.root, finding.mention.written)

    def _resolve(self, call: ToolCall, mention: Mention, cwd: str | None) -> Resolution:
        argument, known = mention.argument, None
        if mention.home and not self.workspace.on_disk:
            # Where the home folder of a sandbox is, is not known: what is in it is let be.
            return Resolution(argument.written, "outside", argument.operation, outside=True)
        if argument.operation == "edit":
            from truepath.calls.contents import contents

            known = contents(call, mention)
        return self.workspace.resolve(
            mention.written,
            argument.operation,
            cwd=cwd,
            kind=argument.kind,
            strictest=mention.strictest,
            contents=known,
        )

    def _worded(self, call: ToolCall, findings: Sequence[Finding], verdict: Verdict) -> Decision:
        """Return a verdict as the decision that the caller acts on and the agent reads."""
        if verdict.action == "allow":
            everything = tuple(found.resolution for found in findings)
            return Decision("allow", call.arguments, resolutions=everything)
        from truepath.guard import messages

        if verdict.arguments is None:
            said = verdict.chosen[: messages.SHOWN]
            texts = [self._missing(verdict.action, call, found) for found in said]
            text, used = messages.joined(texts), {}
        else:
            texts = [*map(self._used, verdict.chosen, verdict.used)]
            text, used = messages.joined(texts, messages.MORE), {"used": [*verdict.used]}
        guessed = any(found.assumed for found in verdict.chosen) and used
        code = messages.ASSUMED if guessed else text.partition(":")[0]
        resolutions = tuple(found.resolution for found in verdict.chosen)
        return Decision(
            verdict.action,
            verdict.arguments or call.arguments,
            text=text,
            payload=messages.payload(code, resolutions, **used),
            resolutions=resolutions,
        )

    def _used(self, found: Finding, used: str) -> str:
        from truepath.guard import messages

        written = found.mention.argument.written
        if found.assumed:
            return messages.assumed(found.resolution, written, used, near(self.workspace, found))
        return messages.corrected(found.resolution, written, used)

    def _missing(self, action: Action, call: ToolCall, found: Finding) -> str:
        from truepath.guard import messages

        if found.held:
            return messages.unseen(found.resolution)
        search, tools = "", call.search_tools
        if found.rule == "guide":
            from truepath.guard.guidance import search_for

            search = search_for(found.resolution, tools)
        around, lists = near(self.workspace, found), self._preset == "suggest"
        return messages.missing(
            found.resolution, action, around, listing=lists, search=search, tools=tools
        )


def _only_looks(finding: Finding) -> bool:
    """Return whether a path is only looked at. A command may do more than its paths tell."""
    return finding.mention.text is None and finding.resolution.operation in READS


def _fails_on_path(error: str) -> bool:
    """Return whether an error says that a path is missing, and nothing answers it already."""
    from truepath.calls.error_texts import already_suggested, is_missing
    from truepath.guard.messages import is_answer

    return is_missing(error) and not is_answer(error) and not already_suggested(error)
