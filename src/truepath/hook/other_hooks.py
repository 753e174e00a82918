"""Which other hooks of a host see a call before it runs; asked before a call is
corrected.

Another hook may deny a path, approve it, or wrap a command. It sees the call as the
model wrote it, so a corrected one would bypass it. In doubt, there is another hook: a
file that cannot be read may have one, and a hook counts as truepath's only if it was
recorded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import filterfalse

from truepath import TYPE_CHECKING, Late
from truepath.config.files import matching, read
from truepath.config.settings import parsed
from truepath.config.user_dirs import state_folder
from truepath.fields import loosely
from truepath.hosts.host import Host
from truepath.hosts.protocol import Hooks, Where
from truepath.project.root import main_checkout
from truepath.records import dataclass
from truepath.types import Any

if TYPE_CHECKING:
    from truepath.hook import installed
else:
    installed = Late("truepath.hook.installed")

_PLUGIN_FILES = ("hooks/hooks.json", ".claude-plugin/plugin.json")
"""The files of a plugin that may hold hooks."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A hook that sees calls before they run."""

    path: str
    event: str
    """The host's name for the event; "" for a program that is a hook itself."""
    command: str
    """What runs; "" if the file cannot be read."""
    owner: str = ""
    """The host that it is truepath's hook for; "" for another hook."""

    @property
    def named(self) -> str:
        """Its name in the setting `harmless_hooks`; "" for a whole file."""
        return self.command if self.event else ""


def passed_by(
    host: Host,
    environ: Mapping[str, str],
    root: str,
    tool: str,
    harmless: Collection[str] = (),
) -> bool:
    """Return whether a corrected call of `tool` would bypass another hook for that
    tool.

    `harmless` are whole commands that, according to the user, only watch.
    """
    if host.hooks(environ, root).see_corrected:
        return False
    for hook in seen(host, environ, root, [tool]):
        # A whole file has no name, so it is never called harmless.
        is_harmless = bool(hook.named) and hook.named in harmless
        if not hook.owner and not is_harmless:
            return True
    return False


def seen(
    host: Host, environ: Mapping[str, str], root: str, tools: Iterable[str]
) -> Iterator[Seen]:
    """Yield the hooks that see calls of any of `tools`, in all settings of a host.

    `root` is the project's root, or "" for the user's settings only. For a linked work
    tree, the main one's settings count too.
    """
    roots = [root]
    if root:
        roots.append(main_checkout(root))
    files = _HookFiles(host, state_folder(environ), [*tools])
    for place in dict.fromkeys(roots):
        yield from files.hooks(host.hooks(environ, place))


class _HookFiles:
    """Walks through all files of a host, each once."""

    def __init__(self, host: Host, state: str, tools: list[str]) -> None:
        self._host = host
        self._state = state
        self._tools = tools
        self._done: set[str] = set()

    def hooks(self, hooks: Hooks) -> Iterator[Seen]:
        for path in self._files(hooks.settings):
            value = _value(path)
            if value is None:  # one that cannot be read may have hooks
                yield Seen(path, "", "")
            elif isinstance(value, dict):
                yield from _listed(hooks, path, value)
                yield from self._table(hooks, path, value.get("hooks"))
        for path in self._files(hooks.plugins):
            for folder in _folders(_value(path)):
                files = tuple((folder, name) for name in _PLUGIN_FILES)
                yield from self.hooks(Hooks(files, hooks.events))
        # `*` matches folders too.
        for path in filterfalse(os.path.isdir, self._files(hooks.programs)):
            text = _text(path)
            if _is_hook(path, text, hooks.marks):
                place = (self._host, self._state, path)
                owner = installed.owner_of_file(*place, text or "")
                yield Seen(path, "", os.path.basename(path), owner)

    def _files(self, places: Iterable[Where]) -> Iterator[str]:
        """Yield the files that match patterns, each once."""
        for folder, pattern in places:
            # A plugin names its folder as it likes.
            if not os.path.isabs(folder) or "\0" in folder:
                continue
            for path in matching(folder, pattern):
                if path not in self._done:
                    self._done.add(path)
                    yield path

    def _table(self, hooks: Hooks, path: str, table: Any) -> Iterator[Seen]:
        """Yield the hooks in the setting `hooks`: a table of events, or its files."""
        if isinstance(table, (str, list)):
            # From `.claude-plugin/plugin.json`, they are named below the plugin.
            plugin = os.path.dirname(os.path.dirname(path))
            names = [table] if isinstance(table, str) else table
            texts = (name for name in names if isinstance(name, str))
            files = tuple((plugin, name.removeprefix("./")) for name in texts)
            yield from self.hooks(Hooks(files, hooks.events))
        elif isinstance(table, dict):
            for event, entries in table.items():
                # Lower: programs read `preToolUse` and `PreToolUse`.
                if event.lower() in hooks.events and isinstance(entries, list):
                    yield from self._of_event(hooks, path, event, entries)

    def _of_event(
        self, hooks: Hooks, path: str, event: str, entries: list[Any]
    ) -> Iterator[Seen]:
        """Yield the hooks of an event that see calls of the tools."""
        has_matchers = hooks.matchers and event.lower() == hooks.events[0]
        for entry in entries:
            if has_matchers and not _is_for(entry, self._tools, hooks.aliases):
                continue
            # One that is asynchronous cannot deny or change a call.
            if not isinstance(entry, dict) or entry.get("async") is True:
                continue
            for handler in installed.handlers([entry]):
                command = installed.label(handler)
                if handler.get("async") is True or not command:
                    continue
                owner = installed.owner_of_line(self._host, self._state, path, command)
                yield Seen(path, event, command, owner)


def _text(path: str) -> str | None:
    """Return the text of a regular file; None if it cannot be read or is too large."""
    try:
        return read(path).decode("utf-8-sig")
    except (OSError, ValueError):
        return None


def _value(path: str) -> Any:
    """Return the data in a settings file; None if it is not valid."""
    text = _text(path)
    if text is None:
        return None
    try:
        if not path.endswith(".toml"):
            return loosely(text)
        return parsed(text) if "hooks" in text else {}
    except (ValueError, RecursionError):
        return None


def _listed(hooks: Hooks, path: str, value: Mapping[str, Any]) -> Iterator[Seen]:
    """Yield the programs that settings list, whatever they do."""
    for name in hooks.lists:
        listed = value.get(name)
        if not isinstance(listed, list):
            continue
        for program in listed:
            yield Seen(path, name, program if isinstance(program, str) else name)


def _is_for(
    entry: Any, tools: list[str], aliases: Mapping[str, tuple[str, ...]]
) -> bool:
    """Return whether an entry's matcher, if valid, matches any of the tools."""
    matcher = entry.get("matcher") if isinstance(entry, dict) else None
    if not isinstance(matcher, str) or matcher.strip(" ^$()") in ("", "*"):
        return True
    names = []
    for tool in tools:
        names += [tool, *aliases.get(tool, ())]
    # Claude Code separates names by commas too; in a pattern, a comma is part of it.
    parts = [matcher, *(part.strip() for part in matcher.split(","))]
    try:
        return any(re.search(part, name) for part in parts for name in names)
    except re.error:  # JavaScript's patterns are not all Python's
        return True


def _folders(value: Any) -> Iterator[str]:
    """Yield the folders of plugins, including disabled ones."""
    if isinstance(value, list):
        for item in value:
            yield from _folders(item)
    if isinstance(value, dict):
        for key, inner in value.items():
            # The names of Claude Code's list of plugins, and of Gemini CLI's.
            if key in ("installPath", "source") and isinstance(inner, str):
                yield inner
            else:
                yield from _folders(inner)


def _is_hook(path: str, text: str | None, marks: tuple[str, ...]) -> bool:
    """Return whether a program sees calls; one that cannot be read may."""
    if text is None:
        return True
    if path.endswith(".md"):  # only its front matter counts
        text = text.split("\n---", 1)[0] if text.startswith("---") else ""
    return not marks or any(mark in text for mark in marks)
