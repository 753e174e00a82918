"""OpenCode, through a plugin of ours. Pure; knows no disk and no engine.

Every statement about the program was observed by running 1.18.33.
"""

from __future__ import annotations

import os

from truepath.hosts import plugin
from truepath.hosts.fields import line_of, text

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from truepath.hosts.hooks import Hooks
    from truepath.hosts.protocol import Request
    from truepath.hosts.rules import Rules
    from truepath.hosts.setup import Setup
    from truepath.hosts.stakes import Stakes

    Rule = tuple[str, str, str]
    """A permission, a pattern of what is asked for under it, and what is done then."""

NAME = "opencode"
TITLE = "OpenCode"

STAKES: Stakes = plugin.stakes(
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

_PATHLESS = ("invalid", "question", "skill", "task", "todoread", "todowrite", "webfetch")

_PERMISSIONS = {"write": "edit", "apply_patch": "edit", "multiedit": "edit", "patch": "edit"}
"""Tool -> the permission it is asked for, where that has another name."""

_RULES = "TRUEPATH_HOST_RULES"
"""The plugin gives the client OpenCode's permission settings in this variable, merged from all
places by OpenCode itself: a list of them, the general first, then those of each agent."""

encode = plugin.encode


def decode(event: Mapping[str, Any], environ: Mapping[str, str]) -> Request | None:  # noqa: ARG001
    """Return the event in our words, or None for one that is not ours to answer."""
    return plugin.decode(event, NAME)


def rule_files(environ: Mapping[str, str], root: str) -> Sequence[str]:  # noqa: ARG001
    """Return no file: the plugin is given the rules (see `protocol.Host`)."""
    return ()


def rules(files: Mapping[str, str], environ: Mapping[str, str], root: str) -> Rules:  # noqa: ARG001
    """Return what OpenCode's permissions deny (see `protocol.Host`).

    OpenCode asks for the path that a plugin has put in place, so a rule on the one before is lost.
    """
    from truepath.hosts.rules import Rules

    kept = line_of(b'{"all":%s}' % environ.get(_RULES, "[]").encode("utf-8", "replace"))
    listed = kept.get("all")
    every = [[*_ruleset(each)] for each in listed] if isinstance(listed, list) else []
    general = every[0] if every else []
    whole = [general, *(general + own for own in every[1:])]
    hidden = dict.fromkeys(glob for each in every for glob in _hidden(each))

    def forbids(tool: str, arguments: Mapping[str, Any]) -> bool:
        asked = [*_asked(tool, arguments, root)]
        name = _PERMISSIONS.get(tool, tool)
        return any(_stands_in(each, name, what) for each in whole for what in asked)

    return Rules(tuple(hidden), forbids)


def hooks(environ: Mapping[str, str], root: str) -> Hooks:
    """Return where other hooks may be that see a call before it runs (see `protocol.Host`).

    Observed: a plugin sees what those that were loaded before it have made of a call.
    """
    from truepath.hosts.hooks import IMPORTS, Hooks, config_home

    user = environ.get("OPENCODE_CONFIG_DIR") or f"{config_home(environ)}/opencode"
    places = ((user, ""), (root, ".opencode/"), (root, ""))
    named = os.path.split(environ.get("OPENCODE_CONFIG", ""))
    return Hooks(
        settings=(named, *((at, f"{inner}opencode.json*") for at, inner in places)),
        programs=tuple((at, f"{inner}plugin*/*") for at, inner in places[:2]),
        marks=("tool.execute.before", *IMPORTS),
        lists=("plugin",),
    )


def setup(client: str, *, timeout: int = 10) -> Setup:
    """Return what makes OpenCode call us (see `protocol.Host`)."""
    from truepath.hosts.setup import Piece, Setup

    script = plugin.script("opencode.js", STAKES, client, timeout=timeout, pathless=_PATHLESS)
    piece = Piece("plugins/truepath.js", ".opencode/plugins/truepath.js", script)
    return Setup(".config/opencode", "OPENCODE_CONFIG_DIR", (piece,))


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
    if tool in STAKES["commands"]:
        from truepath.hosts.rules import programs_in

        yield from programs_in(text(arguments, STAKES["commands"][tool][0]))
    elif tool in STAKES["paths"]:
        written = text(arguments, STAKES["paths"][tool][0])
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
