"""The rules of a host that keep truepath silent about all paths, or all commands."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from json import dumps

from truepath.config.files import matching
from truepath.fields import line_of, table, texts
from truepath.hosts.host import Host
from truepath.hosts.rules import Rules
from truepath.install import InstallError
from truepath.install.disk import content_of
from truepath.project.root import main_checkout
from truepath.project.secrets import Deny

_NAMES = ("truepath-trial", "truepath/trial.md", ".truepath/trial/a.b")
"""Paths that no rule means by name: one that covers them all covers any."""

_COMMAND = "truepath-trial a"
"""A command that no rule means by name."""


def silencing(host: Host, environ: Mapping[str, str], root: str) -> Iterator[str]:
    """Yield a line for each rule that covers every path of the project at `root`, or
    every command: truepath leaves to the host what a rule of the host is about.
    """
    for path in files_with_rules(host, environ, root):
        try:
            content = (content_of(path) or b"").decode("utf-8", "replace")
        except InstallError:  # which is another check's
            continue
        for words, alone in _single_rules(path, content):
            rules = host.rules({path: alone}, environ, root)
            rule = f"`{words}`" if words else "a rule"
            for effect in _effects(host, rules):
                yield f"{rule} in {path} {effect}"


def files_with_rules(
    host: Host, environ: Mapping[str, str], root: str
) -> Iterable[str]:
    """Return the files with a host's rules, for sessions that begin in the project or
    in the current folder, which may be below it.
    """
    paths: list[str] = []
    for folder in dict.fromkeys((root, main_checkout(root), os.getcwd())):
        for pattern in host.rule_files(environ, folder):
            paths += matching(*os.path.split(pattern))
    return dict.fromkeys(paths)


def _single_rules(path: str, content: str) -> Iterator[tuple[str, str]]:
    """Yield each rule of a file in words, and a file with this rule alone; where rules
    cannot be told apart, the whole file, and "" for the words.
    """
    if path.endswith("ignore"):
        for line in content.splitlines():
            yield line.strip(), line
        return
    permissions = table(line_of(content), "permissions")
    if not permissions:  # rules of Codex and policies of Gemini CLI, among others
        yield "", content
    for kind in ("deny", "ask"):
        for rule in texts(permissions, kind):
            yield f"{kind}: {rule}", dumps({"permissions": {kind: [rule]}})


def _effects(host: Host, rules: Rules) -> Iterator[str]:
    """Yield what rules do that cover everything of a kind."""
    if _covers(rules.hidden):
        yield "hides every path here, so truepath says nothing about any"
        return
    if _covers(rules.kept):
        yield f"is about every path, so wrong ones are left to {host.TITLE}"
        return
    if _covers(rules.unchanged):
        yield f"is about every file, so what changes one is left to {host.TITLE}"
    tools = (*host.PATH_TOOLS, *host.COMMAND_TOOLS)
    covered = [tool for tool in tools if rules.forbids(tool, {"command": _COMMAND})]
    if covered:
        yield f"is about every call of {', '.join(covered)}, so these are left alone"


def _covers(globs: Iterable[str]) -> bool:
    """Return whether globs cover every path."""
    covered = Deny(globs)
    return all(covered(name) for name in _NAMES)
