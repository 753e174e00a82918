"""The guard of a project: `before` and `after` a tool call.

Paths are found, resolved, decided upon and answered; then the session and the journal
are updated.
"""

from __future__ import annotations

import os
import time
from functools import partial

from truepath.calls.paths import Mention, Mentions, find, find_failed
from truepath.calls.tools import runs_commands
from truepath.config import presets
from truepath.config.settings import Settings, load
from truepath.config.user_dirs import projects_folder, state_folder
from truepath.errors import ConfigError, OutOfPatienceError
from truepath.guard import messages, texts
from truepath.guard.bookkeeping import Bookkeeping, surroundings_of
from truepath.guard.policy import (
    ELSEWHERE,
    OVER_LIMIT,
    QUIET,
    Caller,
    Finding,
    Policy,
    Verdict,
)
from truepath.journal.event import Event, failure_of
from truepath.journal.journal import Recorder, sink_of
from truepath.patience import CLOCK_S, CPU_S, Patience, is_limited
from truepath.records import TYPE_CHECKING, replace
from truepath.resolve.workspace import Workspace
from truepath.session.stores import Store, usable_store
from truepath.session.tracker import Session, session_of
from truepath.types import (
    MAKES,
    Action,
    Decision,
    Operation,
    Outcome,
    Resolution,
    ToolCall,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import Any, Literal, TypeVar, overload

    from typing_extensions import Unpack

    from truepath.guard.checked_call import CheckedCall
    from truepath.guard.wrap import How
    from truepath.types import ReadLimit

    Tool = TypeVar("Tool", bound=Callable[..., Any])

_MOST_MISSING = 100
"""Paths of a call that do not exist, at most: a call with more is data, and is left
alone until it has failed."""


class Guard:
    """Stands between an agent and its file tools, for one project. Thread-safe."""

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        *,
        policy: presets.Policy | None = None,
        workspace: Workspace | None = None,
        settings: Settings | None = None,
        store: Store | None = None,
        on_event: Callable[[Event], None] | None = None,
        journal: bool = False,
        cwd: str | os.PathLike[str] | None = None,
        timeout_s: float = CLOCK_S,
        cpu_s: float = CPU_S,
        caller: Caller | None = None,
    ) -> None:
        """Guard a project.

        Args:
            root: The project's folder; not needed with `workspace`.
            policy: A preset: careful (default), recover, suggest, guide or observe.
            workspace: The project, if it is not a plain folder.
            settings: Loaded settings; by default those of the project and the
                environment.
            store: Where sessions are stored; by default in this process.
            on_event: Called with every event; may raise.
            journal: Whether events go to the user's journal too.
            cwd: Where the relative paths of `check` and `wrap` begin: the root, for
                functions that join them to it. By default in this process's working
                directory, or at the root.
            timeout_s: Seconds by the clock for one answer, for a git or a disk that
                hangs: after that, the call runs unchanged. In a sandbox its own count.
            cpu_s: Seconds of CPU for one answer, those of git included.
            caller: What the program around the guard can do; by default everything.

        Raises:
            ConfigError, WorkspaceError: No such preset; no root and no workspace; no
                such folder.
        """
        project = os.fspath(root) if root else None
        self.settings = settings or load(project, os.environ)
        self.workspace = workspace or self._open_workspace(root, timeout_s)
        self._cwd = None if cwd is None else os.path.abspath(cwd)
        clock_s = timeout_s if self.workspace.on_disk else float("inf")
        self._limits_s = cpu_s, clock_s
        self._preset = policy or self.settings.policy
        self._caller = caller or Caller()
        self._rules = presets.table(self._preset, self.settings.rules)
        self._limits: Mapping[str, ReadLimit] = {}
        if self.settings.preconditions:
            self._limits = self._caller.limits or {}
        # The sessions of a long-lived process need no file: the next call is here too.
        state = state_folder(os.environ)
        self._store = store or usable_store(self.settings.store, state, lasting=False)
        sink = sink_of(self.settings) if journal else None
        self._recorder = Recorder(self.workspace.root, self._preset, sink, on_event)

    def before(self, call: ToolCall, *, notes: bool = True) -> Decision:
        """Decide about a call that has not run yet.

        Args:
            call: The call.
            notes: Whether the agent reads the decision's text with the result of a call
                that runs; if not, no file is assumed.

        Raises:
            SandboxError: The workspace is in a sandbox that gives no answer; `check`
                and `wrap` let the call run unchanged.
        """
        if not self.settings.enabled:
            return Decision("allow", call.arguments)
        return self._in_time(call, lambda: self._before(call, notes=notes))

    def _before(self, call: ToolCall, *, notes: bool) -> Decision:
        mentions = find(call)
        books, policy = self._deciders(mentions, notes=notes)
        findings: Sequence[Finding] = self._findings(policy)
        quiet = all(finding.resolution.status == "exists" for finding in findings)
        if any(finding.makes for finding in findings):
            findings = policy.block_repeats(findings)
        verdict, part = self._fit_to_limit(books, policy.decide_call(findings), policy)
        # Without findings it is not known what the call does to the disk.
        looks = bool(findings) and mentions.looks
        if verdict.action != "refuse" and not looks:
            self.workspace.changed()
        if quiet:
            unmet = self._unmet_condition(books, policy, findings)
            if unmet is not None:
                return unmet
        decision = self._decision(call, findings, verdict)
        if part:
            decision = replace(decision, text=f"{decision.text}\n{part}")
        decision = _record(books, findings, verdict, decision)
        if quiet:  # as nearly all calls are: none of their paths is in a checkout
            return decision
        return books.with_checkouts(findings, decision)

    def after(self, call: ToolCall, outcome: Outcome) -> Decision:
        """Explain a call that failed; allow if it did not fail because of a path."""
        text = outcome.error or outcome.output
        # Hosts pass a refusal of truepath back as its call's error.
        if not self.settings.enabled or not text or messages.is_answer(text):
            return Decision("allow", call.arguments)
        return self._in_time(call, lambda: self._after(call, outcome, text))

    def _in_time(self, call: ToolCall, work: Callable[[], Decision]) -> Decision:
        """Return what some work decides about a call; if it takes too long, record that
        and let the call run.
        """
        if is_limited():  # by a hook, which is what gives up
            return work()
        try:
            with Patience(*self._limits_s):
                return work()
        except OutOfPatienceError as error:
            self._recorder.record("guard.failed", call, error=failure_of(error))
        return Decision("allow", call.arguments)

    def _after(self, call: ToolCall, outcome: Outcome, text: str) -> Decision:
        allow = Decision("allow", call.arguments)
        from truepath.calls.error_texts import (
            already_suggested,
            is_missing,
            unmet_conditions,
        )

        about = unmet_conditions(text) if self.settings.preconditions else frozenset()
        if "need" in about:
            answer = self._explain_need(call)
            if answer is not None:
                return answer
        error = outcome.error
        if not error:  # behind a pipe, a command that failed ends like one that worked
            return allow
        # "Did you mean ..." of a program that looked itself: another answer would only
        # make the text longer.
        missing = is_missing(error) and not already_suggested(error)
        if not missing and not about - {"need"}:
            return allow
        return self._explain_by_paths(call, error, about, missing=missing) or allow

    def _explain_by_paths(
        self, call: ToolCall, error: str, about: Collection[str], *, missing: bool
    ) -> Decision | None:
        """Return the answer to a call that failed on its paths or on what is in its
        file; None if the disk shows nothing of that.
        """
        self.workspace.changed()  # the path may have just been removed
        mentions = find_failed(call, error)
        books, policy = self._deciders(mentions)
        # A function may have looked in this process's folder for what is at the root.
        if "absolute" in about or (missing and call.cwd == ELSEWHERE):
            from truepath.guard import preconditions

            answer = preconditions.not_absolute(
                books, self._findings(policy), here="absolute" not in about
            )
            if answer:
                return answer
        if self._is_checked(mentions, about):
            from truepath.guard import preconditions

            findings = self._findings(policy)
            answer = preconditions.after(books, policy, findings, about, error)
            if answer is not None:
                return answer
        # An error about sizes or texts says nothing of the other paths of the call.
        if not missing and "folder" not in about:
            return None
        return self._explain_misses(books, policy)

    def _explain_need(self, call: ToolCall) -> Decision | None:
        """Return the answer to a command whose folder lacked what it needs."""
        from truepath.guard import needs

        return needs.after(*self._deciders(find(call)))

    def _explain_misses(self, books: Bookkeeping, policy: Policy) -> Decision | None:
        """Return the answer to a call that failed on its paths; None if they exist."""
        misses = [
            finding
            for finding in self._findings(policy, some=True)
            if finding.is_miss and finding.rule not in (None, "observe")
        ]
        if not misses:
            return None
        dropped = books.explain_dropped(misses)
        if dropped is not None:
            return dropped
        decision = self._decision(
            books.mentions.call, misses, Verdict("advise", misses)
        )
        return books.record_misses(misses, decision, reported=True)

    def _unmet_condition(
        self, books: Bookkeeping, policy: Policy, findings: Sequence[Finding]
    ) -> Decision | None:
        """Return the answer to a call that would fail though its paths exist."""
        call = books.mentions.call
        if findings and call.tool in self._limits:
            from truepath.guard import preconditions

            # A tool with a limit has one path.
            return preconditions.before(books, policy, findings[0])
        if self.settings.preconditions and runs_commands(call):
            from truepath.guard import needs

            return needs.before(books, policy)
        return None

    def _fit_to_limit(
        self, books: Bookkeeping, verdict: Verdict, policy: Policy
    ) -> tuple[Verdict, str]:
        """Return a verdict as it is left where it corrects a read to a file that its
        program does not read whole, and a note on the part that is read.
        """
        call = books.mentions.call
        limit = self._limits.get(call.tool)
        if verdict.arguments is None or limit is None:
            return verdict, ""
        chosen = verdict.chosen
        if not any(books.is_too_large(finding, limit.whole) for finding in chosen):
            return verdict, ""
        from truepath.guard import preconditions

        corrected = replace(call, arguments=verdict.arguments)
        books, then = self._deciders(find(corrected))
        part = preconditions.in_part(books, then, self._findings(then)[0])
        if part is None or part.action == "allow":
            return verdict, ""
        if part.action == "rewrite":
            return replace(verdict, arguments=part.arguments), part.text
        return policy.withdrawn(verdict, OVER_LIMIT), ""

    def _is_checked(self, mentions: Mentions, about: Collection[str]) -> bool:
        """Return whether a failed call may have failed on the contents of a file that
        exists; `about` is what its error may be about.
        """
        if "size" in about:
            return True
        from truepath.calls.contents import replaces_text

        return "text" in about and replaces_text(mentions)

    def prompted(self, call: ToolCall) -> None:
        """Record that the user typed something, or that another agent goes on, which
        ends a streak of misses.
        """
        if self.settings.enabled:
            books, _ = self._deciders(Mentions(call, ()))
            books.record_step("prompt")

    def failing_open(self, call: ToolCall) -> AbstractContextManager[None]:
        """Record an error of truepath in the block and suppress it.

        For `before` and `after` only, so that the tool's own errors propagate.
        """
        from truepath.guard.checked_call import failing_open

        return failing_open(self._recorder, call)

    def check(self, call: ToolCall, *, notes: bool = True) -> CheckedCall:
        """Decide about a call of a tool in this process, as `before` does, for an
        adapter.

        On an error of truepath, the call runs unchanged. If the call names no turn,
        parallel calls of the tasks of one event loop are one turn. If it names no
        folder, a relative path starts at the process's working directory or the root.
        """
        from truepath.guard.checked_call import CheckedCall

        decision = Decision("allow", call.arguments)
        with self.failing_open(call):
            call = self.placed(call)
            decision = self.before(call, notes=notes)
        return CheckedCall(call, decision, self._explain)

    async def acheck(self, call: ToolCall, *, notes: bool = True) -> CheckedCall:
        """Do the same as `check` without blocking the event loop."""
        from truepath.guard.checked_call import in_thread

        # Here, not in the thread: only the task's own thread knows its event loop.
        with self.failing_open(call):
            call = self.placed(call)
        return await in_thread(lambda: self.check(call, notes=notes))

    def _explain(self, call: ToolCall, error: str) -> Decision:
        """Explain a call that failed, as `after` does; on our own error, say
        nothing.
        """
        with self.failing_open(call):
            return self.after(call, Outcome(error=error))
        return Decision("allow", call.arguments)

    def placed(self, call: ToolCall) -> ToolCall:
        """Return a call of this process with the folder of its relative paths, and its
        turn.
        """
        from truepath.guard.checked_call import folder_of, turn_now

        folder = call.cwd if call.cwd is not None else self._cwd
        if folder is None:
            folder = folder_of(self.workspace, call)
        turn = call.turn or turn_now()
        return replace(call, cwd=folder, turn=turn)

    if TYPE_CHECKING:

        @overload
        def wrap(self, tool: Tool, **how: Unpack[How]) -> Tool: ...
        @overload
        def wrap(
            self, tool: None = ..., **how: Unpack[How]
        ) -> Callable[[Tool], Tool]: ...

    def wrap(
        self,
        tool: Callable[..., Any] | None = None,
        *,
        name: str | None = None,
        operation: Operation | None = None,
        paths: Sequence[str] | None = None,
        edit: Sequence[str] | None = None,
        session: str = "",
        refusal: Literal["raise", "return"] = "raise",
        note: Callable[[str], object] | None = None,
    ) -> Callable[..., Any]:
        """Return `tool` with its paths checked before it runs; without a tool, a
        decorator.

        Raises ConfigError if nothing would be checked.

        Args:
            tool: A function, plain or async. Parameters named like a path are checked,
                defaults included.
            name: The tool's name; by default the function's.
            operation: What the tool does to its paths, if its name does not tell.
            paths: The names of the parameters that are paths; for a move, the source
                first.
            edit: The names of the parameters with the text that an edit replaces, and
                with the new one, if they do not tell. What the agent should know of an
                edit that fails is added to an error that is a text.
            session: The id of the conversation.
            refusal: `raise` raises PathRefused; `return` returns the answer as the
                result.
            note: Called with the text of a correction, which is then not added to a
                result that is text. A likely file is shown only with it, or by a tool
                annotated to return `str`.
        """
        from truepath.guard.wrap import How, wrapped

        how = How(
            name=name,
            operation=operation,
            paths=paths,
            edit=edit,
            session=session,
            refusal=refusal,
            note=note,
        )
        decorate = partial(wrapped, how=how, check=self.check, acheck=self.acheck)
        return decorate if tool is None else decorate(tool)

    def _open_workspace(
        self, root: str | os.PathLike[str] | None, timeout_s: float
    ) -> Workspace:
        if root is None:
            raise ConfigError("a guard needs a project: give root or workspace")
        store = projects_folder(os.environ)
        return Workspace(
            root, deny=self.settings.deny, timeout_s=timeout_s, store=store
        )

    def _deciders(
        self, mentions: Mentions, *, notes: bool = True
    ) -> tuple[Bookkeeping, Policy]:
        """Return what decides about a call and what records it.

        The time that the user waits begins with the hook's process, or with this call.
        """
        notes = notes and self._caller.notes
        session = session_of(
            mentions.call,
            self._store,
            self.workspace.root,
            started=self._caller.began or time.time(),
            turn_gap_s=self._caller.turn_gap_s,
        )
        books = Bookkeeping(self.workspace, session, self._recorder, mentions)
        policy = Policy(
            self.workspace, self._rules, self._caller, session, mentions, notes
        )
        return books, policy

    def _findings(self, policy: Policy, *, some: bool = False) -> list[Finding]:
        """Return what is decided about each path of a call, in the order of the call,
        because a folder that it enters is the start of later paths.

        Of a call with too many that are missing, none, or only the first if `some`.
        """
        call = policy.mentions.call
        findings: list[Finding] = []
        missing = 0
        for mention in policy.mentions.paths:
            cwd = call.cwd
            for index in mention.entered:
                cwd = self._folder_entered(findings[index], cwd)
            resolution = self._resolve(call, mention, cwd)
            if resolution.status not in QUIET and resolution.operation not in MAKES:
                resolution = self._with_moved(resolution, policy.session)
            judged = self._as_judged(mention, cwd)
            findings.append(policy.finding(judged, resolution, findings, cwd))
            if resolution.status != "exists":
                missing += 1
            if missing > _MOST_MISSING:
                return findings if some else []
        return findings

    def _as_judged(self, mention: Mention, cwd: str | None) -> Mention:
        """Return a mention that may be missing if only git knows where its path begins:
        below its top, git guesses that for the paths of a patch.
        """
        if mention.in_git != "top":
            return mention
        if self.workspace.frame(cwd).cwd == self.workspace.root:
            return mention
        return replace(mention, optional=True)

    def _with_moved(self, resolution: Resolution, session: Session) -> Resolution:
        """Return a resolution with where the session has moved the path itself."""
        if resolution.outside:
            return resolution
        place = session.place_of(resolution.target)
        if not place:
            return resolution
        from truepath.guard.moves import with_moved

        return with_moved(resolution, place, self.workspace.tree)

    def _folder_entered(self, finding: Finding, cwd: str | None) -> str:
        """Return the agent's folder after it has entered one, the corrected one if the
        call is corrected.
        """
        path = finding.resolution.path
        if path is not None and finding.action in ("allow", "rewrite"):
            return os.path.join(self.workspace.root, path)
        # A refused or advised call runs as it was written, if it runs.
        return os.path.join(cwd or self.workspace.root, finding.mention.written)

    def _resolve(self, call: ToolCall, mention: Mention, cwd: str | None) -> Resolution:
        argument = mention.argument
        if mention.home and (mention.received or not self.workspace.on_disk):
            # The home folder of a sandbox is not known.
            return Resolution(
                argument.written, "outside", argument.operation, outside=True
            )
        old_texts: tuple[str, ...] = ()
        if argument.operation == "edit":
            from truepath.calls import contents

            old_texts = contents.old_texts(call, mention)
        resolution = self.workspace.resolve(
            mention.written,
            argument.operation,
            cwd=cwd,
            kind=argument.kind,
            texts=old_texts,
            received=mention.received,
        )
        word = getattr(mention.use, "word", None)
        if resolution.status in QUIET or not mention.text or not word:
            return resolution
        # In a shell, a missing word may be the beginning of a name with blanks.
        blanks = self.workspace.with_blanks(
            mention.text.text, word.start, word.end, argument.operation, cwd
        )
        return blanks or resolution

    def _decision(
        self, call: ToolCall, findings: Sequence[Finding], verdict: Verdict
    ) -> Decision:
        """Return a verdict as a decision, with its text and payload."""
        if verdict.action == "allow":
            everything = tuple(finding.resolution for finding in findings)
            return Decision("allow", call.arguments, resolutions=everything)
        resolutions = tuple(finding.resolution for finding in verdict.chosen)
        if verdict.arguments is None:
            text = self._refusal(call, verdict)
            code = _refusal_code(verdict.chosen[0])
            payload = messages.payload(code, resolutions)
        else:
            notes = [self._note(call, finding) for finding in verdict.chosen]
            text = messages.joined(notes, counts=True)
            used = [finding.used for finding in verdict.chosen]
            # One file that is merely likely makes the whole call one to judge.
            assumes = any(finding.assumed for finding in verdict.chosen)
            code = texts.ASSUMED if assumes else texts.CORRECTED
            payload = messages.payload(code, resolutions, used=used)
        return Decision(
            verdict.action,
            verdict.arguments or call.arguments,
            text=text,
            payload=payload,
            resolutions=resolutions,
        )

    def _note(self, call: ToolCall, finding: Finding) -> str:
        """Return the text for a path that was replaced."""
        resolution = finding.resolution
        written = finding.mention.argument.written
        if finding.assumed:
            around = surroundings_of(self.workspace, finding, call)
            return messages.assumed(resolution, written, finding.used, around)
        return messages.corrected(resolution, written, finding.used)

    def _refusal(self, call: ToolCall, verdict: Verdict) -> str:
        """Return the text for a call that does not run, or has failed."""
        answers = [
            self._answer(call, verdict.action, finding)
            for finding in verdict.chosen[: messages.SHOWN]
        ]
        # A line that names a path twice is answered once.
        return messages.joined([*dict.fromkeys(answers)])

    def _answer(self, call: ToolCall, action: Action, finding: Finding) -> str:
        if finding.blocked:
            return messages.unseen(finding.resolution)
        return messages.missing(
            finding.resolution,
            action,
            surroundings_of(self.workspace, finding, call),
            guide=finding.rule == "guide",
            tools=call.search_tools,
        )


def _refusal_code(finding: Finding) -> str:
    if finding.blocked:
        return texts.UNSEEN
    return messages.code(finding.resolution)


def _record(
    books: Bookkeeping,
    findings: Sequence[Finding],
    verdict: Verdict,
    decision: Decision,
) -> Decision:
    """Return a decision once the session and the journal have it."""
    if decision.action in ("allow", "rewrite"):
        books.record_moves(findings)
    if decision.action == "allow":
        books.record_allowed(findings, decision)
        return decision
    if decision.action == "rewrite":
        return books.record_corrected(verdict.chosen, decision)
    return books.record_misses(verdict.chosen, decision)
