"""A host's permission rules, which a correction must not bypass.

A host applies its rules to the corrected call only, not to the one that was written. So
a call that a rule denies is left unchanged.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from posixpath import normpath

from truepath import TYPE_CHECKING, Late, fields
from truepath.calls.paths import find
from truepath.project.secrets import Deny
from truepath.records import dataclass
from truepath.types import Any, ToolCall

if TYPE_CHECKING:
    from truepath.calls.shell import reader
else:
    reader = Late("truepath.calls.shell.reader")

Forbids = Callable[[str, Mapping[str, Any]], bool]

_STARTS = 100
"""Words of a command from which its rest is checked: a wrapper such as `timeout` has
few."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a host's rules deny. Globs are as in .gitignore, relative to the project's
    root.
    """

    hidden: tuple[str, ...] = ()
    """Files that are neither named nor corrected to another."""
    forbids: Forbids = lambda _, __: False
    """Whether a rule may deny a tool with these arguments; may err towards yes."""
    kept: tuple[str, ...] = ()
    """Files that may be named, but neither corrected nor used in place of another."""
    unchanged: tuple[str, ...] = ()
    """Files like the kept ones for what changes or runs them; a call that looks may be
    led to them."""
    asked: tuple[str, ...] = ()
    """Files before whose read the host asks: nothing of their contents is shown."""
    asks: Callable[[ToolCall], bool] = lambda _: False
    """Whether the host asks the user before it runs a call, which it is given as it
    would run; may err towards yes."""
    within: str = ""
    """The folder, absolute, that file tools are limited to; "" for none."""

    def keep(self, call: ToolCall, root: str) -> bool:
        """Return whether `call` names one of the kept files, or changes one that may
        only be looked at.
        """
        if not self.kept and not self.unchanged:
            return False

        kept = Deny(self.kept)
        unchanged = Deny(self.unchanged)
        for path, looks in _paths(call, root):
            name = os.path.relpath(path, root)
            if kept(name):
                return True
            if not looks and unchanged(name):
                return True
        return False

    def names_outside(self, call: ToolCall, root: str) -> bool:
        """Return whether `call` names a path outside the folder that file tools are
        limited to.
        """
        if not self.within:
            return False
        limit = os.path.realpath(self.within)
        for path, _ in _paths(call, root):
            if not _is_within(os.path.realpath(path), limit):
                return True
        return False


def _paths(call: ToolCall, root: str) -> Iterator[tuple[str, bool]]:
    """Yield the paths that a call names, absolute, and whether it only looks."""
    mentions = find(call)
    for mention in mentions.paths:
        entered = [mentions.paths[index].written for index in mention.entered]
        path = os.path.join(root, call.cwd or "", *entered, mention.written)
        yield path, mentions.looks


def folders(root: str, start: str | None) -> list[str]:
    """Return the folders that may have a project's rules: from its root down to the
    folder `start` that the agent was started in, or both if that is outside.
    """
    if not start or not os.path.isabs(start):
        return [root]
    start = os.path.normpath(start)
    if not _is_within(start, root):
        return [root, start]
    below_root = _names(start)[len(_names(root)) :]
    way = [root]
    for name in below_root:
        way.append(os.path.join(way[-1], name))
    return way


def hidden_by(
    pattern: str, environ: Mapping[str, str], root: str, start: str
) -> tuple[str, ...]:
    """Convert a path pattern of Claude Code or Qwen Code for `Rules.hidden`: `//`
    begins at the disk's root, `~/` at the home folder, and others in the folder in the
    variable `start`.
    """
    if pattern.startswith("//"):
        return hidden_below(root, pattern[1:])
    if pattern.startswith("~/"):
        return hidden_below(root, _literal(environ.get("HOME", "")) + pattern[1:])
    if pattern.startswith("./"):  # `/a` is a file there, and `a` one in any folder
        pattern = pattern[1:]
    return hidden_in(environ.get(start) or root, pattern, root)


def ignored(path: str, content: str, root: str) -> Iterator[str]:
    """Yield the patterns of a host's ignore file for `Rules.hidden`, without negated
    ones.
    """
    for line in map(str.strip, content.splitlines()):
        # To name too few files does less harm than to name one too many.
        if line.strip("/") and line[0] not in "#!":
            yield from hidden_in(os.path.dirname(path), line, root)


def hidden_in(folder: str, pattern: str, root: str) -> tuple[str, ...]:
    """Convert a .gitignore pattern relative to a folder for `Rules.hidden`.

    If the folder is unrelated to the project's root, as another work tree is, the
    pattern counts as relative to the root.
    """
    is_related = _is_within(folder, root) or _is_within(root, folder)
    place = _literal(folder if is_related else root).rstrip("/")
    # In a .gitignore, a pattern without a slash matches at any depth.
    deep = "" if "/" in pattern.rstrip("/") else "**/"
    return hidden_below(root, f"{place}/{deep}{pattern.lstrip('/')}")


def hidden_below(root: str, pattern: str) -> tuple[str, ...]:
    """Convert a glob for absolute paths to equivalent ones below the project's root,
    for `Rules.hidden`; none if it matches nothing there.
    """
    single = re.sub(r"(\*\*/)+", "**/", normpath(pattern))
    rest = _rest(_names(root), _names(single))
    if "" in rest:  # the root, or a folder that it lies in
        return ("/**",)
    end = "/" if pattern.endswith("/") else ""  # which `normpath` drops
    return tuple(f"/{glob}{end}" for glob in sorted(rest))


def _rest(names: Sequence[str], parts: Sequence[str]) -> set[str]:
    """Return what remains of a pattern after it has matched some folders, for each way
    to match.
    """
    # The ways are followed side by side: with many `**` there are more of them than
    # could be followed one by one.
    left = {tuple(parts)}
    for name in names:
        left = {rest for pattern in left for rest in _after_name(pattern, name)}
    return {"/".join(pattern) for pattern in left}


def _after_name(parts: tuple[str, ...], name: str) -> Iterator[tuple[str, ...]]:
    """Yield what remains of a pattern after it has matched a folder's name."""
    if not parts:  # it has matched a folder above
        yield ()
        return
    if parts[0] == "**":
        yield parts
        yield from _after_name(parts[1:], name)
        return
    # `fnmatch` knows no backslash before a sign that means itself.
    literally = re.sub(r"\\(.)", r"\1", parts[0])
    if fnmatchcase(name, parts[0]) or name == literally:
        yield parts[1:]


def caseless(pattern: str) -> str:
    """Return a glob that ignores case, except in sets in brackets."""

    def both_cases(match: re.Match[str]) -> str:
        whole, letter = match.groups()
        return whole or f"[{letter.lower()}{letter.upper()}]"

    return re.sub(r"(\\.|\[[!^]?\]?[^]]*\])|([^\W\d_])", both_cases, pattern)


def like(text: str, glob: str) -> bool:
    """Return whether a text matches a glob with `*` and `?`; ` *` at the end is
    optional.
    """
    plain = glob.replace("[", "[[]")  # where the hosts know no sets, `fnmatch` does
    return fnmatchcase(text, plain) or fnmatchcase(text, plain.removesuffix(" *"))


def denying(policies: Iterable[tuple[Sequence[str], str]]) -> Forbids:
    """Return what policies forbid: calls of some tools, "*" for all, whose shell
    command, or a part of it, matches a glob (see `like`); "" is any call.
    """
    # An escaped star is matched as a wild one: that may forbid more, never less.
    all_policies = [(tools, glob.replace("\\*", "*")) for tools, glob in policies]

    def forbids(tool: str, arguments: Mapping[str, Any]) -> bool:
        globs = [glob for tools, glob in all_policies if tool in tools or "*" in tools]
        if not globs or "" in globs:
            return bool(globs)
        parts = runs(fields.text(arguments, "command"))
        return any(like(part, glob) for part in parts for glob in globs)

    return forbids


def runs(command: str) -> Iterator[str]:
    """Yield a shell command, each of its parts, and each part from each of its words
    on, also without quotes: other words may precede a program, as in `timeout 5 cat a`
    or `A=1 cat a`.
    """
    unquoted = re.sub(r"[\"'\\]", "", command.replace("\\\n", " "))
    for line in (command, unquoted):
        yield from _starts(line.strip())
        for _, part in reader.pieces(line):
            yield from _starts(part)


def _starts(part: str) -> Iterator[str]:
    """Yield a command from each of its first words on, a program without its folder
    too.
    """
    yield part
    words = part.split()
    for number, first in enumerate(words[:_STARTS]):
        yield " ".join(words[number:])
        if "/" in first:
            yield " ".join((os.path.basename(first), *words[number + 1 :]))


def _literal(path: str) -> str:
    """Return a glob that matches this path alone, whatever signs are in it."""
    return re.sub(r"([\\*?\[])", r"\\\1", path)


def _is_within(path: str, folder: str) -> bool:
    return f"{path.rstrip('/')}/".startswith(f"{folder.rstrip('/')}/")


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name]
