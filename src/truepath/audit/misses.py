"""Which paths a call named, and which of them existed by the tool's answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from truepath.audit.transcript import Call
from truepath.calls.error_texts import is_missing, missing_paths
from truepath.calls.paths import Mention, find
from truepath.calls.tools import runs_commands
from truepath.guard.messages import is_answer
from truepath.paths import Flavour, is_absolute, join, normalise
from truepath.types import ToolCall

_OPENING = 600
"""Characters at the start of an answer that may be an error, if the host does not tell;
the exit code is within so many at either end."""

_QUIET = "2>/dev/null"
"""A command that hides its errors shows nothing about its paths."""

_EXIT = re.compile(
    r"(?:exited with (?:exit )?code|Exit [Cc]ode:|<returncode>)\s*(-?\d+)"
)

_NOT_STARTED = re.compile(r"\bexecvp\b|\bposix_spawnp?\b|\bspawn \S+ ENOENT\b")
"""A sandbox or a tool that could not start its own program; the path of the call is not
the one that is missing."""

_SLASH_COMMAND = re.compile(r"execute /[a-z][\w:-]*")
"""A command of the agent program itself (`/review`), which an agent has given to a
shell."""

_HOME = re.compile(
    r"(?:/(?:home|Users)/[^/]+|/root|[A-Za-z]:[\\/]Users[\\/][^\\/]+)(?=[\\/]|$)"
)


@dataclass(frozen=True, slots=True)
class Named:
    """One path that a call named."""

    mention: Mention
    target: str
    """Where it points on the agent's machine: normalised, absolute if that is known."""
    missed: bool
    there: bool
    """Whether the answer shows that it exists or was created."""

    @property
    def makes(self) -> bool:
        """Whether the call creates it."""
        return self.mention.argument.operation in ("write", "mkdir")


def flavour_of(folder: str) -> Flavour:
    """Return the flavour of the paths of an agent in this folder."""
    return "windows" if re.match(r"[A-Za-z]:|\\\\", folder) else "posix"


def tool_call(call: Call, cwd: str) -> ToolCall:
    """Return a call as the guard would see it."""
    return ToolCall(call.tool, call.arguments, cwd=call.cwd or cwd or None)


def named(call: Call, cwd: str) -> list[Named]:
    """Return the paths that a call named, in order. `cwd` is the default working
    directory.
    """
    the_call = tool_call(call, cwd)
    mentions = find(the_call).each
    if not mentions:
        return []
    base = call.cwd or cwd
    targets = _targets(mentions, base)
    gone = _gone(call, mentions, targets, base, commands=runs_commands(the_call))
    paths = []
    for mention, target in zip(mentions, targets, strict=True):
        argument = mention.argument
        if _SLASH_COMMAND.fullmatch(f"{argument.operation} {argument.written}"):
            continue
        missed = target in gone
        exists = not missed and _there(call, mention, bool(gone))
        paths.append(Named(mention, target, missed, exists))
    return paths


def _targets(mentions: Sequence[Mention], base: str) -> list[str]:
    flavour, home = flavour_of(base), _HOME.match(base)
    found: list[str] = []
    for mention in mentions:
        entered = [found[at] for at in mention.entered if at < len(found)]
        written = mention.argument.written
        if mention.home and home:
            written = home[0] + written[1:]
        rooted = mention.home and not home
        place = entered[-1] if entered else base
        found.append(written if rooted else join(place, written, flavour))
    return found


def _gone(
    call: Call,
    mentions: Sequence[Mention],
    targets: Sequence[str],
    base: str,
    *,
    commands: bool,
) -> frozenset[str]:
    """Return the targets that the answer reports as missing."""
    said = call.answer
    if not said or not (commands or _is_error(call, said)):
        return frozenset()
    pairs = list(zip(mentions, targets, strict=True))
    flavour = flavour_of(base)
    found = set()
    for path in missing_paths(said):
        plain = normalise(path, flavour)
        whole = plain if is_absolute(plain, flavour) else join(base, plain, flavour)
        for mention, target in pairs:
            if whole == target or plain == normalise(mention.argument.written, flavour):
                found.add(target)
    if not found and not commands and len(targets) == 1:
        found.add(targets[0])
    return frozenset(found)


def _is_error(call: Call, said: str) -> bool:
    """Return whether a file tool's answer reports a missing path."""
    if call.failed is False:
        return False
    start = said if call.failed else said[:_OPENING]
    if _NOT_STARTED.search(start):
        return False
    return is_missing(start) or is_answer(start)


def _there(call: Call, mention: Mention, others_gone: bool) -> bool:
    if call.answer is None or mention.optional:
        return False
    if mention.text is None:
        return call.failed is not True
    if _QUIET in mention.text.text:
        return False
    if mention.argument.operation in ("write", "mkdir", "delete", "move"):
        return not others_gone and _succeeded(call)
    return others_gone or _succeeded(call)


def has_failed(call: Call) -> bool:
    """Return whether a call failed, as its program tells, or else the exit code in its
    answer.
    """
    if call.failed is not None:
        return call.failed
    if runs_commands(tool_call(call, "")):
        return not _succeeded(call)
    code = _EXIT.match(call.answer or "")
    return code is not None and code[1] != "0"


def _succeeded(call: Call) -> bool:
    said = call.answer or ""
    code = _EXIT.search(said[:_OPENING]) or _EXIT.search(said[-_OPENING:])
    return code[1] == "0" if code else call.failed is not True
