"""A host's own permission rules, as far as a correction must not lead around them. Pure.

A host checks a corrected call like any other, but one that it would have refused as it was written
it no longer sees. So what a rule denies is left as it came.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from truepath.records import dataclass
from truepath.types import Any, ToolCall

Forbids = Callable[[str, Mapping[str, Any]], bool]

_STARTS = 100
"""Words of a command from which on it is looked at; what runs another has few of its own."""


def _nothing(tool: str, arguments: Mapping[str, Any]) -> bool:  # noqa: ARG001
    return False


@dataclass(frozen=True, slots=True)
class Rules:
    """What a host's rules deny. Globs are in the manner of .gitignore, relative to the project's
    root.
    """

    hidden: tuple[str, ...] = ()
    """Files that are neither named nor, where they are missing, replaced by others."""
    forbids: Forbids = _nothing
    """Whether they are in the way of a tool called with these arguments; may err towards yes."""
    kept: tuple[str, ...] = ()
    """Files that may be named, and neither replace others nor are replaced."""
    within: str = ""
    """The folder, absolute, outside which the file tools run on no path; "" for none."""

    def keep(self, call: ToolCall, root: str) -> bool:
        """Whether `call` names one of those that are kept."""
        if not self.kept:
            return False
        from truepath.project.secrets import Deny

        kept = Deny(self.kept)
        return any(kept(os.path.relpath(path, root)) for path in _paths(call, root))

    def leaves(self, call: ToolCall, root: str) -> bool:
        """Whether `call` names a path outside the one folder that file tools are kept to."""
        from os.path import realpath

        paths = _paths(call, root) if self.within else ()
        return any(not _is_within(realpath(path), realpath(self.within)) for path in paths)


def _paths(call: ToolCall, root: str) -> Iterator[str]:
    """Yield the paths that a call names, absolute."""
    from truepath.calls.paths import find

    each = find(call).each
    for mention in each:
        entered = [each[at].written for at in mention.entered if at < len(each)]
        yield os.path.join(root, call.cwd or "", *entered, mention.written)


def folders(root: str, start: str | None) -> list[str]:
    """Return where a host may keep rules for a project: its root, and the folders below it down to
    the one where the agent was started; also that one where it lies elsewhere.

    Args:
        root: The project's root, absolute.
        start: Where the agent was started, absolute; None where that is not known.
    """
    start = os.path.normpath(start) if start and os.path.isabs(start) else root
    if not _is_within(start, root):
        return [root, start]
    found = [root]
    for name in _names(start)[len(_names(root)) :]:
        found.append(os.path.join(found[-1], name))
    return found


def hidden_by(pattern: str, environ: Mapping[str, str], root: str, start: str) -> tuple[str, ...]:
    """Return the pattern of a rule for paths as Claude Code and Qwen Code write it, for
    `Rules.hidden`: `//` begins at the disk's root, `~/` at the home folder, and all others where
    the agent was started, which the variable `start` says.
    """
    if pattern.startswith("//"):
        return hidden_below(root, pattern[1:])
    if pattern.startswith("~/"):
        return hidden_below(root, _literal(environ.get("HOME", "")) + pattern[1:])
    here = pattern[1:] if pattern.startswith("./") else pattern
    return hidden_in(environ.get(start) or root, here, root)


def ignored(path: str, content: str, root: str) -> Iterator[str]:
    """Yield what an ignore file of a host lists, for `Rules.hidden`; what it takes back stays."""
    for line in map(str.strip, content.splitlines()):
        if line.strip("/") and line[0] not in "#!":
            yield from hidden_in(os.path.dirname(path), line, root)


def hidden_in(folder: str, pattern: str, root: str) -> tuple[str, ...]:
    """Return a pattern of .gitignore's syntax that counts from a folder, for `Rules.hidden`.

    From one that has nothing to do with the project's root, such as another work tree of the
    repository, it counts as from the root.
    """
    related = _is_within(folder, root) or _is_within(root, folder)
    place = _literal(folder if related else root).rstrip("/")
    deep = "" if "/" in pattern.rstrip("/") else "**/"
    return hidden_below(root, f"{place}/{deep}{pattern.lstrip('/')}")


def hidden_below(root: str, pattern: str) -> tuple[str, ...]:
    """Return a pattern for absolute paths as those for `Rules.hidden` that come to the same below
    the project's root: none where it lies elsewhere.

    Args:
        root: The project's root, absolute.
        pattern: A glob for absolute paths.
    """
    single = re.sub(r"(\*\*/)+", "**/", pattern)
    rest = {*_rest(_names(root), _names(single))}
    if "" in rest:  # the root, or a folder that it lies in
        return ("/**",)
    end = "/" if pattern.endswith("/") else ""
    return tuple(f"/{each}{end}" for each in sorted(rest))


def _rest(names: Sequence[str], parts: Sequence[str]) -> Iterator[str]:
    """Yield what is left of a pattern once folders are taken from it, in each way to take them."""
    if not names or not parts:
        yield "/".join(parts)
    elif parts[0] == "**":
        yield from _rest(names, parts[1:])
        yield from _rest(names[1:], parts)
    elif fnmatchcase(names[0], parts[0]) or names[0] == re.sub(r"\\(.)", r"\1", parts[0]):
        yield from _rest(names[1:], parts[1:])


def caseless(pattern: str) -> str:
    """Return a glob that fits whatever the case of its letters; sets in brackets stay."""
    found = re.compile(r"(\\.|\[[!^]?\]?[^]]*\])|([^\W\d_])")
    return found.sub(lambda one: one[1] or f"[{one[2].lower()}{one[2].upper()}]", pattern)


def like(text: str, glob: str) -> bool:
    """Whether a text is like a glob, in which `*` stands for any text and `?` for one character,
    and what ends in ` *` for the same with nothing behind it.
    """
    plain = glob.replace("[", "[[]")
    return fnmatchcase(text, plain) or fnmatchcase(text, plain.removesuffix(" *"))


def runs_any(command: str, globs: Iterable[str]) -> bool:
    """Whether a shell command, or what it runs, is like one of some globs (see `like`)."""
    wanted = [glob.replace("\\*", "*") for glob in globs]
    return bool(wanted) and any(like(each, glob) for each in runs(command) for glob in wanted)


def runs(command: str) -> Iterator[str]:
    """Yield a shell command, each of those it is joined from, and each part without its quotes from
    each of its words on: what is run may be behind others, as in `timeout 5 cat a` and `A=1 cat a`.
    """
    from truepath.calls.shell.reader import pieces

    plain = re.sub(r"[\"'\\]", "", command.replace("\\\n", " "))
    for line in (command, plain):
        for part in (line.strip(), *(piece for _, piece in pieces(line))):
            yield part
            words = part.split()
            for at, first in enumerate(words[:_STARTS]):
                yield " ".join(words[at:])
                if "/" in first:
                    yield " ".join((os.path.basename(first), *words[at + 1 :]))


def _literal(path: str) -> str:
    return re.sub(r"([\\*?\[])", r"\\\1", path)


def _is_within(path: str, folder: str) -> bool:
    return f"{path.rstrip('/')}/".startswith(f"{folder.rstrip('/')}/")


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name]
