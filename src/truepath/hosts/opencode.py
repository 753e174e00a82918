"""OpenCode, through a plugin of truepath, as observed by running 1.18.33."""

from __future__ import annotations

import os

from truepath import TYPE_CHECKING, Late
from truepath.fields import line_of, text
from truepath.hosts.plugin import IMPORTS, Plugin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from truepath import types
    from truepath.calls import paths as call_paths
    from truepath.calls.shell import reader
    from truepath.hosts import rules as host_rules
    from truepath.hosts.protocol import Environ
    from truepath.hosts.rules import Rules
    from truepath.types import ToolCall
else:
    call_paths = Late("truepath.calls.paths")
    reader = Late("truepath.calls.shell.reader")
    host_rules = Late("truepath.hosts.rules")
    types = Late("truepath.types")

Rule = tuple[str, str, str]
"""A permission, a pattern of what it is asked for, and the action."""

_PERMISSIONS = {
    "write": "edit",
    "apply_patch": "edit",
    "multiedit": "edit",
    "patch": "edit",
}
"""Tool -> its permission, if that has another name."""

_DEFAULTS = {
    "*": "allow",
    "external_directory": "ask",
    "read": {
        "*": "allow",
        "*.env": "ask",
        "*.env.*": "ask",
        "*.env.example": "allow",
    },
}
"""The permissions of 1.18.33 that come before those of the settings."""

_PATTERNED = ("glob", "grep")
"""Tools that a permission is asked for by the pattern, not by a path."""

_ENTERS = ("cd", "chdir", "popd", "pushd")
"""Commands of the shell that no permission is asked for."""

_NAMES_FOLDERS = (
    *_ENTERS,
    *("rm", "cp", "mv", "mkdir", "touch", "chmod", "chown", "cat"),
)
"""Commands whose arguments are looked at for folders outside the project."""

_RULES = "TRUEPATH_HOST_RULES"
"""The variable in which the plugin passes OpenCode's merged permission settings: a list
with the general ones first, then those of each agent."""


class OpenCode(Plugin):
    """Its permissions come from several places, so the plugin passes them on."""

    NAME = "opencode"
    TITLE = "OpenCode"
    SEARCH_TOOLS = ("glob", "grep", "bash (ls)")
    PATH_TOOLS = {
        "read": ("filePath", "entry"),
        "edit": ("filePath", "edit"),
        "write": ("filePath", "new"),
        "glob": ("path", "folder"),
        "grep": ("path", "any"),
        "list": ("path", "folder"),
    }
    COMMAND_TOOLS = {"bash": ("command", "workdir")}
    UNMET_MARKS = ("could not find oldstring", "multiple matches for oldstring")
    DECLINED = "the user rejected permission"
    HOME_FOLDER = (".config/opencode", "OPENCODE_CONFIG_DIR")
    OTHER_HOOKS = {
        "settings": (
            (),
            ("opencode.json*",),
            (".opencode/opencode.json*", "opencode.json*"),
        ),
        "programs": ((), ("plugin*/*",), (".opencode/plugin*/*",)),
        "marks": ("tool.execute.before", *IMPORTS),
        "lists": ("plugin",),
    }
    SETTINGS_VARIABLE = "OPENCODE_CONFIG"
    # In 1.18.33 the box of an edit shows its file and the change; those of the others
    # show the part of the conversation, which keeps the call as it was written.
    REFUSALS_SHOWN = False  # 1.18.33 shows the bare call
    CORRECTED_BOXES = ("apply_patch", "edit", "multiedit", "patch", "write")
    INSTALL_FILES = ("plugins/truepath.js", ".opencode/plugins/truepath.js")
    PATHLESS_TOOLS = (
        "invalid",
        "question",
        "skill",
        "task",
        "todoread",
        "todowrite",
        "webfetch",
    )

    def rules(self, files: Mapping[str, str], environ: Environ, root: str) -> Rules:
        """Return what OpenCode's permissions deny or ask about: 1.18.33 applies them to
        the corrected path only, not to the one that was written.
        """
        settings = line_of(f'{{"all":{environ.get(_RULES, "[]")}}}').get("all")
        if not isinstance(settings, list) or not settings:
            return host_rules.Rules()
        home = environ.get("HOME", "")
        general, *of_agents = [[*_ruleset(setting, home)] for setting in settings]
        # Which agent calls is not told, so the rules of each count.
        rulesets = [general, *(general + own for own in of_agents)]
        hidden: dict[str, None] = {}
        for ruleset in (general, *of_agents):
            hidden.update(dict.fromkeys(_hidden(ruleset)))

        def forbids(tool: str, arguments: Mapping[str, Any]) -> bool:
            permission = _PERMISSIONS.get(tool, tool)
            for subject in _subjects(tool, arguments, root):
                if any(_denies(rules, permission, subject) for rules in rulesets):
                    return True
            return False

        def asks(call: ToolCall) -> bool:
            defaults = [*_ruleset(_DEFAULTS, home)]
            wanted = [*_asked_for(call, root, home)]
            return any(_asks(defaults + rules, wanted) for rules in rulesets)

        return host_rules.Rules(tuple(hidden), forbids, asks=asks)


def _asks(rules: Sequence[Rule], wanted: Sequence[tuple[str, str]]) -> bool:
    """Return whether the rules ask about one of some permissions and subjects."""
    return any(_last(rules, *each)[2] == "ask" for each in wanted)


def _ruleset(permission: object, home: str) -> Iterator[Rule]:
    """Yield the rules of one setting: `"deny"`, `{"edit": "deny"}`, `{"edit": {"a/*":
    "deny"}}`.
    """
    if isinstance(permission, str):
        permission = {"*": permission}
    if not isinstance(permission, dict):
        return
    for name, value in permission.items():
        patterns = value if isinstance(value, dict) else {"*": value}
        for pattern, action in patterns.items():
            if isinstance(action, str):
                yield name, _at_home(pattern, home), action


def _at_home(pattern: str, home: str) -> str:
    """Return a pattern with the user's home in place of `~` or `$HOME`."""
    if pattern == "~" or pattern.startswith("~/"):
        return home + pattern[1:]
    if pattern.startswith("$HOME"):
        return home + pattern[5:]
    return pattern


def _subjects(tool: str, arguments: Mapping[str, Any], root: str) -> Iterator[str]:
    """Yield what a permission is asked for: paths relative to the root, and single
    commands.
    """
    if tool in OpenCode.COMMAND_TOOLS:
        yield from host_rules.runs(text(arguments, OpenCode.COMMAND_TOOLS[tool][0]))
    else:
        for mention in call_paths.find(types.ToolCall(tool, arguments)).paths:
            yield mention.written.removeprefix("./")
            yield mention.written.removeprefix(f"{root.rstrip('/')}/")


def _asked_for(call: ToolCall, root: str, home: str) -> Iterator[tuple[str, str]]:
    """Yield each permission that 1.18.33 asks for before a call, and the subject."""
    if call.tool in OpenCode.COMMAND_TOOLS:
        yield from _asked_for_command(call, root, home)
        return
    permission = _PERMISSIONS.get(call.tool, call.tool)
    if call.tool not in OpenCode.PATH_TOOLS and permission != "edit":
        yield permission, "*"  # a tool of an MCP server
        return

    for mention in call_paths.find(call).paths:
        path = _whole(mention.written, call, root)
        yield from _outside(path, root)
        if call.tool not in _PATTERNED:
            yield permission, os.path.relpath(path, root)
    if call.tool in _PATTERNED:
        yield permission, text(call.arguments, "pattern")


def _asked_for_command(
    call: ToolCall, root: str, home: str
) -> Iterator[tuple[str, str]]:
    """Yield what is asked for a shell command: each simple command in it, and the
    folders outside the project that some of them name.
    """
    command, folder = OpenCode.COMMAND_TOOLS[call.tool]
    entered = _whole(text(call.arguments, folder), call, root)
    yield from _outside(os.path.join(entered, "*"), root)
    for _, piece in reader.pieces(text(call.arguments, command)):
        program, *words = piece.split()
        if program in _NAMES_FOLDERS:
            for word in words:
                named = _at_home(word.strip("\"'"), home)
                path = os.path.normpath(os.path.join(entered, named))
                yield from _outside(path, root)
        if program not in _ENTERS:
            yield call.tool, piece


def _whole(path: str, call: ToolCall, root: str) -> str:
    return os.path.normpath(os.path.join(root, call.cwd or "", path))


def _outside(path: str, root: str) -> Iterator[tuple[str, str]]:
    """Yield the permission that a path outside the project needs, which is its
    folder's.
    """
    if not f"{path}/".startswith(f"{root.rstrip('/')}/"):
        yield "external_directory", os.path.join(os.path.dirname(path), "*")


def _denies(rules: Sequence[Rule], permission: str, what: str) -> bool:
    """Return whether the last rule that matches denies or asks. A rule for `*` does not
    count, because it applies to the corrected call too.
    """
    _, pattern, action = _last(rules, permission, what)
    return action != "allow" and pattern != "*"


def _last(rules: Sequence[Rule], permission: str, what: str) -> Rule:
    """Return the last rule that matches, which is the one that counts; 1.18.33 asks
    about what none matches.
    """
    for rule in reversed(rules):
        name, pattern, _ = rule
        if host_rules.like(permission, name) and host_rules.like(what, pattern):
            return rule
    return permission, "*", "ask"


def _hidden(rules: Sequence[Rule]) -> Iterator[str]:
    """Yield the patterns of files that must not be read, as in .gitignore."""
    for name, pattern, action in rules:
        if name != "read" or action != "deny" or pattern == "*":
            continue
        # OpenCode's patterns begin at the root; in a .gitignore, `a` is in any folder.
        is_anchored = pattern.startswith(("*", "/"))
        yield pattern if is_anchored else f"/{pattern}"


host = OpenCode()
