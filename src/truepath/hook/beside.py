"""Which other hooks of a host see a call before it runs; read when a call is to be rewritten.

Such a hook may deny a path, approve it, or wrap a command. It sees the call as the model wrote it,
so a corrected one would pass it by. Errs towards another hook: what cannot be read may hold one.
"""

from __future__ import annotations

import os
import re

from truepath.config.regular_file import read
from truepath.hosts.protocol import Hooks
from truepath.project.root import main_checkout, matching
from truepath.records import dataclass

TYPE_CHECKING = False  # `typing` itself would cost a hook as much as half an interpreter
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from truepath.hosts.host import Host
    from truepath.hosts.protocol import Where

LARGEST = 1_000_000
"""Bytes of a file that is read; settings of hosts are a hundredth of it."""

_CLIENT = (
    r"(?:[^\0]*[/\\])?"
    r"(?:truepath\0hook|truepath-(?:hook|native)(?:\.sh)?|truepath[/\\]hook[/\\]script\.py)\0"
)
"""What answers for truepath, with NULs behind its words: the command, a client or a plugin's, and
the file for an interpreter."""

_AROUND = (("exec 3<&0; trap 'kill $!' TERM; ", "<&3 & wait $!; exit 0"), ("", "|| true"))
"""What hosts are told to put before and behind a client."""

_WORD = r"""(?:'[^']*'|"[^"`]*"|[^\s'"`|&;<>()#])+"""

_STARTS = r"-\w+|\w+=.*|(?:.*[/\\])?(?:sh|bash|py|python[\d.]*|pypy[\d.]*)"
"""A word before a client: an option, a variable, an interpreter."""

_OUR_HEAD = r"Written by `?truepath"
"""Stands at the head of a program that `truepath install` wrote."""

_ASIDE = r'(?s)("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])'
"""What some hosts allow in JSON: comments, and a comma after the last item."""

_LABELS = ("command", "bash", "powershell", "exec", "url", "server", "prompt", "type")
"""What tells a hook from others, in the words of any host."""


@dataclass(frozen=True, slots=True)
class Other:
    """A hook of somebody else that sees calls before they run."""

    path: str
    event: str
    """The host's name for it; "" for a program that is a hook itself."""
    command: str
    """What runs; "" where the file cannot be read, so that nobody can tell."""


def calls_truepath(command: str, host: str = "") -> bool:
    """Whether a command calls a hook of truepath and does nothing else.

    Args:
        command: A line for the shell.
        host: The only host that it may answer for; "" for any.
    """
    command = command.strip()
    for before, behind in _AROUND:
        if command.startswith(before) and command.endswith(behind):
            command = command[len(before) : -len(behind)].strip()
    if "$(" in command or not re.fullmatch(rf"{_WORD}(?:[ \t]+{_WORD})*", command):
        return False
    words = [re.sub(r"['\"]", "", word) for word in re.findall(_WORD, command)]
    plain = [word.removesuffix(".exe") for word in words]
    at = 0
    while plain[at:] and re.fullmatch(_STARTS, plain[at]):
        at += 1
    if "-c" in plain[:at]:
        return len(words) == at + 1 and calls_truepath(words[at], host)
    ours = _CLIENT + (rf"{re.escape(host)}\0" if host else "")
    return re.match(ours, "\0".join((*plain[at:], ""))) is not None


def passed_by(host: Host, environ: Mapping[str, str], root: str, tool: str) -> bool:
    """Whether a rewritten call of `tool` would pass by another hook that is for that tool."""
    if host.hooks(environ, root).see_corrected:
        return False
    return any(True for _ in others(host, environ, root, [tool]))


def others(
    host: Host, environ: Mapping[str, str], root: str, tools: Iterable[str]
) -> Iterator[Other]:
    """Yield the other hooks of a host that see calls of any of `tools`, in all its settings.

    Args:
        host: The host.
        environ: The agent's environment.
        root: The project's root; "" for the user's own settings alone. Of a linked work tree the
            main one's settings count too.
        tools: Names of tools, as events have them.
    """
    seen: set[str] = set()
    for place in dict.fromkeys((root, main_checkout(root))) if root else ("",):
        yield from _in(host.hooks(environ, place), [*tools], seen)


def _in(hooks: Hooks, tools: list[str], seen: set[str]) -> Iterator[Other]:
    switched: dict[str, bool] = {}
    for path in _files(hooks.settings, seen):
        value = _value(path)
        if value is None:
            yield Other(path, "", "")
        elif isinstance(value, dict):
            yield from _listed(hooks, path, value)
            yield from _of_table(hooks, path, value.get("hooks"), tools, seen)
            _note(switched, value.get("enabledPlugins"))
    for path in _files(hooks.plugins, seen):
        for folder in _folders(_value(path), switched):
            for name in ("hooks/hooks.json", ".claude-plugin/plugin.json"):
                yield from _in(Hooks(((folder, name),), hooks.events), tools, seen)
    for path in _files(hooks.programs, seen):
        if _is_hook(path, hooks.marks):
            yield Other(path, "", os.path.basename(path))


def _files(places: Iterable[Where], seen: set[str]) -> Iterator[str]:
    """Yield the files of patterns that are there, each once."""
    for folder, pattern in places:
        if not os.path.isabs(folder) or "\0" in folder:
            continue
        for path in matching(folder, pattern):
            if path not in seen:
                seen.add(path)
                yield path


def _text(path: str) -> str | None:
    """Return what a file holds; None where it cannot be read, or is no plain file of sane size."""
    try:
        return read(path, LARGEST).decode("utf-8-sig")
    except (OSError, ValueError):
        return None


def _value(path: str) -> Any:
    """Return what a file of settings says; None where nobody can tell."""
    text = _text(path)
    if text is None:
        return None
    try:
        return _toml(text) if path.endswith(".toml") else loosely(text)
    except (ValueError, RecursionError):
        return None


def loosely(text: str) -> Any:
    """Return what settings in JSON hold, with comments or without; raises ValueError for others."""
    from json import loads

    try:
        return loads(text) if text.strip() else {}
    except ValueError:
        return loads(re.sub(_ASIDE, lambda found: found[1] or "", text))


def _toml(text: str) -> Any:
    import sys

    if "hooks" not in text:
        return {}
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)


def _of_table(
    hooks: Hooks, path: str, table: Any, tools: list[str], seen: set[str]
) -> Iterator[Other]:
    """Yield what the setting `hooks` holds: a table of events, or files of a plugin with one."""
    if isinstance(table, (str, list)):
        plugin = os.path.dirname(os.path.dirname(path))
        names = [table] if isinstance(table, str) else table
        files = tuple((plugin, name) for name in names if isinstance(name, str))
        yield from _in(Hooks(files, hooks.events), tools, seen)
    for event, entries in table.items() if isinstance(table, dict) else ():
        if event.lower() not in hooks.events or not isinstance(entries, list):
            continue
        heeds = hooks.matchers and event.lower() == hooks.events[0]
        for entry in entries:
            if not heeds or _is_for(entry, tools, hooks.aliases):
                for command in _commands(entry):
                    if not calls_truepath(command):
                        yield Other(path, event, command)


def _listed(hooks: Hooks, path: str, value: Mapping[str, Any]) -> Iterator[Other]:
    """Yield the programs that settings list: what those do is not looked at."""
    for name in hooks.lists:
        listed = value.get(name)
        for each in listed if isinstance(listed, list) else ():
            yield Other(path, name, each if isinstance(each, str) else name)


def _is_for(entry: Any, tools: list[str], aliases: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether an entry's matcher finds any of the tools; one that cannot be understood does."""
    matcher = entry.get("matcher") if isinstance(entry, dict) else None
    if not isinstance(matcher, str) or matcher.strip(" ^$()") in ("", "*"):
        return True
    names = [name for tool in tools for name in (tool, *aliases.get(tool, ()))]
    parts = [part.strip() for part in matcher.split(",")]
    try:
        return any(re.search(part, name) for part in parts for name in names)
    except re.error:
        return True


def _commands(entry: Any) -> Iterator[str]:
    """Yield what each handler of an entry is known by; one that is not waited for has no say."""
    if not isinstance(entry, dict) or entry.get("async") is True:
        return
    inner = entry.get("hooks")
    if isinstance(inner, list):
        for each in inner:
            yield from _commands(each)
        return
    label = next((entry[key] for key in _LABELS if isinstance(entry.get(key), str)), None)
    if label is not None:
        yield label


def _note(switched: dict[str, bool], plugins: Any) -> None:
    for name, on in plugins.items() if isinstance(plugins, dict) else ():
        switched[name] = switched.get(name, False) or on is not False


def _folders(value: Any, switched: Mapping[str, bool], name: str = "") -> Iterator[str]:
    """Yield where plugins are, less those that are switched off."""
    if isinstance(value, list):
        for each in value:
            yield from _folders(each, switched, name)
    for key, inner in value.items() if isinstance(value, dict) else ():
        if key in ("installPath", "source") and isinstance(inner, str):
            if switched.get(name, True):
                yield inner
        else:
            yield from _folders(inner, switched, key)


def _is_hook(path: str, marks: tuple[str, ...]) -> bool:
    """Whether a program sees calls, and is not ours."""
    if os.path.isdir(path):
        return False
    text = _text(path)
    if text is None:
        return True
    if re.search(_OUR_HEAD, text[:600]):
        return False
    if path.endswith(".md"):  # its head has settings, between two lines of dashes
        text = text.split("\n---", 1)[0] if text.startswith("---") else ""
    return not marks or any(mark in text for mark in marks)
