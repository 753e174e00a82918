"""The guard of a project for the commands."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, cast

from truepath.cli.options import root_of
from truepath.cli.terminal import show
from truepath.config import SWITCHES
from truepath.config.settings import load_settings
from truepath.config.user_dirs import projects_folder
from truepath.guard.guard import Guard
from truepath.records import replace
from truepath.resolve.workspace import Workspace
from truepath.types import Decision, Operation, Resolution, ToolCall

if TYPE_CHECKING:
    from truepath.config.presets import Policy

_TOOLS = {
    "list": "list_directory",
    "search": "grep_search",
    "mkdir": "create_directory",
}
"""Operation -> the tool to ask about, if it is not called `read_file`, `edit_file` and
so on."""


def open_guard(project: str | None = None, policy: str | None = None) -> Guard:
    """Return the guard of the project in a folder, by default around the working
    directory.

    What it is asked is no interception: it is neither recorded nor counted. The agent's
    working directory is this process's, or the root of a project that is given.

    Raises:
        ConfigError: The settings cannot be used.
        click.UsageError: There is no working directory.
    """
    root = root_of(project)
    # truepath may be turned off for agents, but not for a person's question.
    environ = {
        name: value for name, value in os.environ.items() if name not in SWITCHES
    }
    settings = replace(load_settings(root, environ), journal=False, store="memory:")
    for line in (*settings.problems, *settings.unknown):
        show([(f"warning: {line}",)], err=True)
    settings = replace(settings, policy=cast("Policy", policy or settings.policy))
    workspace = Workspace(
        root,
        cwd=None if project else os.getcwd(),
        deny=settings.deny,
        store=projects_folder(environ),
    )
    # A person waits, or presses Ctrl-C.
    endless = float("inf")
    return Guard(
        workspace=workspace, settings=settings, timeout_s=endless, cpu_s=endless
    )


def ask(
    guard: Guard, written: str, operation: Operation
) -> tuple[Resolution, Decision]:
    """Return what is known about a path, and what an agent would be answered."""
    if operation == "execute":
        tool = "bash"
        arguments = {"command": f"bash {shlex.quote(written)}"}
    else:
        tool = _TOOLS.get(operation, f"{operation}_file")
        arguments = {"source" if operation in ("copy", "move") else "path": written}
    # Each question is a session, so that they are no streak.
    decision = guard.before(ToolCall(tool, arguments, session=written))
    # An edit is asked about without its text, so that the call itself would be told.
    if len(decision.resolutions) == 1 and operation != "edit":
        found = decision.resolutions[0]
    # globs and URLs are nothing that a guard looks at; a person asked all the same
    else:
        found = guard.workspace.resolve(written, operation)
    # What is used or shown comes first, also where the reason and not the likelihood
    # says so.
    ranked = sorted(
        found.candidates, key=lambda candidate: candidate.path != found.path
    )
    return replace(found, candidates=(*ranked,)), decision
