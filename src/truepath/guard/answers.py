"""A verdict in words: the decision that the caller acts on and the agent reads."""

from __future__ import annotations

from collections.abc import Sequence

from truepath.guard.finding import Finding
from truepath.guard.policy import Verdict
from truepath.resolve.workspace import Workspace
from truepath.types import Action, Decision, ToolCall


def decision(
    verdict: Verdict,
    workspace: Workspace,
    call: ToolCall,
    findings: Sequence[Finding],
    *,
    lists: bool = False,
) -> Decision:
    """Return the decision on a call.

    Args:
        verdict: What to do about it.
        workspace: The project.
        call: The call.
        findings: All paths of the call.
        lists: Whether a refusal lists the nearest folder though a candidate is likely.
    """
    if verdict.arguments is not None:
        return _rewritten(verdict, workspace, findings)
    if verdict.twice:
        return _twice(verdict, call)
    if verdict.action in ("refuse", "advise"):
        return missed(verdict.action, workspace, call, verdict.chosen, lists=lists)
    everything = tuple(found.resolution for found in findings)
    return Decision("allow", call.arguments, resolutions=everything)


def missed(
    action: Action,
    workspace: Workspace,
    call: ToolCall,
    chosen: Sequence[Finding],
    *,
    lists: bool = False,
) -> Decision:
    """Return the answer to paths that do not exist; `action` is `refuse` or `advise`."""
    from truepath.guard import guidance, messages
    from truepath.resolve.named import SHOWN
    from truepath.resolve.nearby import around

    resolutions = tuple(found.resolution for found in chosen)
    texts = []
    for found in chosen[:SHOWN]:
        resolution = found.resolution
        if found.held:
            texts.append(messages.unseen(resolution))
            continue
        how = guidance.search_for(resolution, call.host) if found.rule == "guide" else ""
        near = around(workspace, resolution, found.cwd)
        texts.append(messages.missing(resolution, action, near, listing=lists, search=how))
    code = messages.UNSEEN if chosen[0].held else messages.code(resolutions[0])
    return Decision(
        action,
        call.arguments,
        text=messages.joined(texts),
        payload=messages.payload(code, resolutions),
        resolutions=resolutions,
    )


def _rewritten(verdict: Verdict, workspace: Workspace, findings: Sequence[Finding]) -> Decision:
    from truepath.guard import messages
    from truepath.resolve.nearby import around

    lines = []
    for found, used in zip(verdict.chosen, verdict.used, strict=True):
        written, resolution = found.mention.argument.written, found.resolution
        if found.assumed:
            near = around(workspace, resolution, found.cwd)
            lines.append(messages.assumed(resolution, written, used, near))
        else:
            lines.append(messages.corrected(resolution, written, used))
    fixed = [found.resolution for found in verdict.chosen]
    is_guess = any(found.assumed for found in verdict.chosen)
    code = messages.ASSUMED if is_guess else messages.CORRECTED
    return Decision(
        "rewrite",
        verdict.arguments or {},
        text=messages.rewritten(lines),
        payload=messages.payload(code, fixed, used=[*verdict.used]),
        resolutions=tuple(found.resolution for found in findings),
    )


def _twice(verdict: Verdict, call: ToolCall) -> Decision:
    """Refuse what would name one file twice."""
    from truepath.guard import messages

    twice = verdict.twice or {}
    return Decision(
        verdict.action,
        call.arguments,
        text=messages.joined([messages.already(path, there) for path, there in twice.items()]),
        payload=messages.payload(messages.NOT_FOUND, [*twice]),
        resolutions=tuple(twice),
    )
