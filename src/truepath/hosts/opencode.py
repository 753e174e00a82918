"""OpenCode, through a plugin of truepath, as observed by running 1.18.33."""

from __future__ import annotations

from truepath.fields import line_of, text
from truepath.hosts.plugin import IMPORTS, Plugin

TYPE_CHECKING = False  # a path that exists loads none of these
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from truepath.hosts.protocol import Environ
    from truepath.hosts.rules import Rules

Rule = tuple[str, str, str]
"""A permission, a pattern of what it is asked for, and the action."""

_PERMISSIONS = {
    "write": "edit",
    "apply_patch": "edit",
    "multiedit": "edit",
    "patch": "edit",
}
"""Tool -> its permission, if that has another name."""

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
        "edit": ("filePath", "file"),
        "write": ("filePath", "new"),
        "glob": ("path", "folder"),
        "grep": ("path", "any"),
        "list": ("path", "folder"),
    }
    COMMAND_TOOLS = {"bash": ("command", "workdir")}
    UNMET_MARKS = ("could not find oldstring", "multiple matches for oldstring")
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
        """Return what OpenCode's permissions deny: 1.18.33 applies them to the
        corrected path only, not to the one that was written.
        """
        from truepath.hosts.rules import Rules

        settings = line_of(f'{{"all":{environ.get(_RULES, "[]")}}}').get("all")
        if not isinstance(settings, list) or not settings:
            return Rules()
        general, *of_agents = [[*_ruleset(setting)] for setting in settings]
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

        return Rules(tuple(hidden), forbids)


def _ruleset(permission: object) -> Iterator[Rule]:
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
                yield name, pattern, action


def _subjects(tool: str, arguments: Mapping[str, Any], root: str) -> Iterator[str]:
    """Yield what a permission is asked for: paths relative to the root, and single
    commands.
    """
    from truepath.calls.paths import find
    from truepath.types import ToolCall

    if tool in OpenCode.COMMAND_TOOLS:
        from truepath.hosts.rules import runs

        yield from runs(text(arguments, OpenCode.COMMAND_TOOLS[tool][0]))
    else:
        for mention in find(ToolCall(tool, arguments)).paths:
            yield mention.written.removeprefix("./")
            yield mention.written.removeprefix(f"{root.rstrip('/')}/")


def _denies(rules: Sequence[Rule], permission: str, what: str) -> bool:
    """Return whether the last rule that matches denies or asks. A rule for `*` does not
    count, because it applies to the corrected call too.
    """
    from truepath.hosts.rules import like

    for name, pattern, action in reversed(rules):
        if like(permission, name) and like(what, pattern):
            return action != "allow" and pattern != "*"
    return False


def _hidden(rules: Sequence[Rule]) -> Iterator[str]:
    """Yield the patterns of files that must not be read, as in .gitignore."""
    for name, pattern, action in rules:
        if name != "read" or action != "deny" or pattern == "*":
            continue
        # OpenCode's patterns begin at the root; in a .gitignore, `a` is in any folder.
        is_anchored = pattern.startswith(("*", "/"))
        yield pattern if is_anchored else f"/{pattern}"


host = OpenCode()
