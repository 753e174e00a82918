"""Which paths a call named, and which of them existed by the tool's answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from truepath.audit.transcript import Call, Named
from truepath.calls.error_texts import is_missing, missing_paths
from truepath.calls.paths import Mention, find
from truepath.calls.tools import runs_commands
from truepath.guard.messages import is_answer
from truepath.paths import Flavour, is_absolute, join, normalise

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


def flavour_of(folder: str) -> Flavour:
    """Return the flavour of the paths of an agent in this folder."""
    return "windows" if re.match(r"[A-Za-z]:|\\\\", folder) else "posix"


def named(call: Call) -> list[Named]:
    """Return the paths that a call named, in order."""
    asked = call.asked
    mentions = find(asked).paths
    if not mentions:
        return []
    targets = _targets(mentions, call.cwd)
    gone = _gone(call, mentions, targets, commands=runs_commands(asked))
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
    """Return where each path points, on the agent's machine."""
    flavour = flavour_of(base)
    home = _HOME.match(base)
    targets: list[str] = []
    for mention in mentions:
        written = mention.argument.written
        if mention.home and home is None:
            targets.append(written)  # `~/a`: whose home that was is not known
            continue
        if mention.home and home:
            written = home[0] + written[1:]
        # A folder that the line entered before is itself one of the paths.
        entered = [targets[at] for at in mention.entered if at < len(targets)]
        targets.append(join([base, *entered][-1], written, flavour))
    return targets


def _gone(
    call: Call, mentions: Sequence[Mention], targets: Sequence[str], *, commands: bool
) -> set[str]:
    """Return the targets that the answer reports as missing."""
    answer = call.answer or ""
    if not commands and not _is_error(call, answer):
        return set()
    flavour = flavour_of(call.cwd)
    gone = set()
    for path in missing_paths(answer):
        plain = normalise(path, flavour)
        whole = plain if is_absolute(plain, flavour) else join(call.cwd, plain, flavour)
        for mention, target in zip(mentions, targets, strict=True):
            # A program may repeat the path as written, or say where it points.
            if whole == target or plain == normalise(mention.argument.written, flavour):
                gone.add(target)
    # A file tool that names no path means its only one.
    if not gone and not commands and len(targets) == 1:
        gone.add(targets[0])
    return gone


def _is_error(call: Call, answer: str) -> bool:
    """Return whether a file tool's answer reports a missing path."""
    if call.failed is False:
        return False
    # Where the program does not tell, the answer may be a file that quotes an error.
    start = answer if call.failed else answer[:_OPENING]
    if _NOT_STARTED.search(start):
        return False
    return is_missing(start) or is_answer(start)


def _there(call: Call, mention: Mention, others_gone: bool) -> bool:
    if call.answer is None or mention.optional:
        return False
    if mention.text is None:  # not in a command
        return call.failed is not True
    if _QUIET in mention.text.text:
        return False
    # What changes files is done after all its paths were found, or not at all.
    if mention.argument.operation in ("write", "mkdir", "delete", "move"):
        return not others_gone and _succeeded(call)
    return others_gone or _succeeded(call)


def has_failed(call: Call) -> bool:
    """Return whether a call failed, as its program tells, or else the exit code in its
    answer.
    """
    if call.failed is not None:
        return call.failed
    if runs_commands(call.asked):
        return not _succeeded(call)
    code = _EXIT.match(call.answer or "")
    return code is not None and code[1] != "0"


def _succeeded(call: Call) -> bool:
    answer = call.answer or ""
    code = _EXIT.search(answer[:_OPENING]) or _EXIT.search(answer[-_OPENING:])
    return code[1] == "0" if code else call.failed is not True
