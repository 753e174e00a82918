"""OpenCode, through a plugin of truepath.

Every statement about the program was observed by running 1.18.33.
"""

from __future__ import annotations

import os

from truepath.hosts.fields import line_of, text
from truepath.hosts.plugin import Plugin, plugin_schema, script

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from truepath.hosts.protocol import Environ, Hooks
    from truepath.hosts.rules import Rules
    from truepath.hosts.setup import Setup

    Rule = tuple[str, str, str]
    """A permission, a pattern of what is asked for under it, and what is done then."""

_PATHLESS = ("invalid", "question", "skill", "task", "todoread", "todowrite", "webfetch")

_PERMISSIONS = {"write": "edit", "apply_patch": "edit", "multiedit": "edit", "patch": "edit"}
"""Tool -> the permission it is asked for, where that has another name."""

_RULES = "TRUEPATH_HOST_RULES"
"""The plugin gives the client OpenCode's permission settings in this variable, merged from all
places by OpenCode itself: a list of them, the general first, then those of each agent."""


class OpenCode(Plugin):
    """A plugin sees what those that were loaded before it have made of a call."""

    NAME = "opencode"
    TITLE = "OpenCode"
    EVENT_SCHEMA = plugin_schema(
        {
            "read": ("filePath", "any"),
            "edit": ("filePath", "file"),
            "write": ("filePath", "new"),
            "glob": ("path", "folder"),
            "grep": ("path", "any"),
            "list": ("path", "folder"),
        },
        {"bash": ("command", "workdir")},
    )
    HOME = (".config/opencode", "OPENCODE_CONFIG_DIR")
    HOOK_FILES = ((), ("opencode.json*",), (".opencode/opencode.json*", "opencode.json*"))

    def rules(self, files: Mapping[str, str], environ: Environ, root: str) -> Rules:  # noqa: ARG002
        """Return what OpenCode's permissions deny (see `Host`); no file has them all.

        OpenCode asks for the path that a plugin has put in place, so a rule on the one before is
        lost.
        """
        from truepath.hosts.rules import Rules

        listed = line_of(f'{{"all":{environ.get(_RULES, "[]")}}}').get("all")
        every = [[*_ruleset(each)] for each in listed] if isinstance(listed, list) else []
        general = every[0] if every else []
        whole = [general, *(general + own for own in every[1:])]
        hidden = dict.fromkeys(glob for each in every for glob in _hidden(each))

        def forbids(tool: str, arguments: Mapping[str, Any]) -> bool:
            asked = [*_asked(tool, arguments, root)]
            name = _PERMISSIONS.get(tool, tool)
            return any(_stands_in(each, name, what) for each in whole for what in asked)

        return Rules(tuple(hidden), forbids)

    def hooks(self, environ: Environ, root: str) -> Hooks:
        """Return where other hooks may be that see a call before it runs (see `Host`)."""
        from truepath.hosts.protocol import IMPORTS
        from truepath.records import replace

        found = super().hooks(environ, root)
        named = os.path.split(environ.get("OPENCODE_CONFIG", ""))
        return replace(
            found,
            settings=(named, *found.settings),
            programs=((self.folder(environ), "plugin*/*"), (root, ".opencode/plugin*/*")),
            marks=("tool.execute.before", *IMPORTS),
            lists=("plugin",),
        )

    def setup(self, client: str, *, timeout: int = 10) -> Setup:
        """Return what makes OpenCode call us (see `Host`)."""
        from truepath.hosts.setup import Piece, Setup

        text = script("opencode.js", self.EVENT_SCHEMA, client, timeout=timeout, pathless=_PATHLESS)
        piece = Piece("plugins/truepath.js", ".opencode/plugins/truepath.js", text)
        return Setup(*self.HOME, (piece,))


def _ruleset(permission: object) -> Iterator[Rule]:
    """Yield the rules of one setting: `"deny"`, `{"edit": "deny"}`, `{"edit": {"a/*": "deny"}}`."""
    if isinstance(permission, str):
        yield "*", "*", permission
    if not isinstance(permission, dict):
        return
    for name, value in permission.items():
        patterns = value if isinstance(value, dict) else {"*": value}
        for pattern, action in patterns.items():
            if isinstance(action, str):
                yield name, pattern, action


def _asked(tool: str, arguments: Mapping[str, Any], root: str) -> Iterator[str]:
    """Yield what permission is asked for: paths from the root on, commands one by one."""
    if tool in OpenCode.EVENT_SCHEMA["commands"]:
        from truepath.hosts.rules import programs_in

        yield from programs_in(text(arguments, OpenCode.EVENT_SCHEMA["commands"][tool][0]))
    elif tool in OpenCode.EVENT_SCHEMA["paths"]:
        written = text(arguments, OpenCode.EVENT_SCHEMA["paths"][tool][0])
        yield written.removeprefix("./")
        yield written.removeprefix(f"{root.rstrip('/')}/")
    else:
        from truepath.calls.paths import find
        from truepath.types import ToolCall

        yield from (each.written for each in find(ToolCall(tool, arguments)).each)


def _stands_in(rules: Sequence[Rule], permission: str, what: str) -> bool:
    """Return whether the rule that decides (the last that fits) denies or asks, and does so for
    this in particular: one for everything holds for what is corrected too.
    """
    for name, pattern, action in reversed(rules):
        if _matches(name, permission) and _matches(pattern, what):
            return action != "allow" and pattern != "*"
    return False


def _matches(pattern: str, what: str) -> bool:
    """Return whether OpenCode's pattern fits: `*` is any text, `/` too; `?` is one character."""
    import re

    shape = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    if shape.endswith(r"\ .*"):
        shape = shape.removesuffix(r"\ .*") + r"(\ .*)?"
    return re.fullmatch(shape, what, re.DOTALL) is not None


def _hidden(rules: Sequence[Rule]) -> Iterator[str]:
    """Yield the patterns of files that must not be read, in the manner of .gitignore."""
    for name, pattern, action in rules:
        if name == "read" and action == "deny" and pattern != "*":
            yield pattern if pattern.startswith(("*", "/")) else f"/{pattern}"


host = OpenCode()
