"""Which project a command is about, and the guard that answers for it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from truepath.config.presets import PRESETS
from truepath.types import Decision, Operation, Resolution, ToolCall

if TYPE_CHECKING:
    from truepath.config.presets import Policy
    from truepath.config.settings import Settings
    from truepath.guard.guard import Guard
    from truepath.paths import Flavour

Function = TypeVar("Function", bound=Callable[..., Any])

TIMEOUT_S = 2.0
"""Seconds for history and untracked names; a person who asks can wait longer than an agent."""

_CALLS: dict[Operation, tuple[str, str]] = {
    "read": ("read_file", "path"),
    "list": ("list_directory", "path"),
    "search": ("grep_search", "path"),
    "edit": ("edit_file", "path"),
    "write": ("write_file", "path"),
    "copy": ("copy_file", "source"),
    "move": ("move_file", "source"),
    "delete": ("delete_path", "path"),
    "mkdir": ("create_directory", "path"),
}
"""The tool and argument by which an agent would do each operation."""


@dataclass(frozen=True, slots=True)
class Project:
    """A guarded project, and the agent's working directory in it.

    What is asked through it is no interception: it is neither recorded nor counted.
    """

    guard: Guard
    cwd: str | None
    policy: str

    def ask(self, written: str, operation: Operation) -> tuple[Resolution, Decision]:
        """Return what is true of a path, and what an agent would be answered."""
        # A session for each question: they must not add up to a streak.
        call = replace(_call(written, operation, self.cwd), session=written)
        decision = self.guard.before(call)
        if len(decision.resolutions) == 1:
            return decision.resolutions[0], decision
        # Globs and URLs are nothing that a guard looks at; a person asked all the same.
        return self.guard.workspace.resolve(written, operation, cwd=self.cwd), decision


def _call(written: str, operation: Operation, cwd: str | None) -> ToolCall:
    if operation == "execute":
        return ToolCall("bash", {"command": f"bash {shlex.quote(written)}"}, cwd=cwd)
    tool, argument = _CALLS[operation]
    return ToolCall(tool, {argument: written}, cwd=cwd)


def options(function: Function) -> Function:
    """Give a command `--root`, `--cwd` and `--policy`."""
    for option in (
        click.option(
            "--policy",
            type=click.Choice([*PRESETS]),
            help="What to do about a wrong path; by default what the project's settings say.",
        ),
        click.option(
            "--cwd",
            metavar="FOLDER",
            help="The agent's working directory, absolute or relative to the root.",
        ),
        click.option(
            "--root",
            metavar="FOLDER",
            help="The project; by default the one around the current folder.",
        ),
    ):
        function = option(function)
    return function


def open_project(root: str | None, cwd: str | None, policy: str | None) -> Project:
    """Return the project in a folder.

    Args:
        root: Its folder, or None for the one around the current folder.
        cwd: The agent's working directory; by default the current folder, if in the project.
        policy: A preset, where it is not to be the settings'.

    Raises:
        WorkspaceError: `root` is not a folder.
        ConfigError: The settings cannot be used.
        click.UsageError: `cwd` is not a folder.
    """
    from truepath.guard.guard import Guard

    here = _current_folder()
    if root == "":
        raise click.UsageError("--root is empty")
    place = os.path.abspath(root) if root is not None else _around(here)
    settings = _settings(place)
    guard = Guard(
        place, policy=cast("Policy | None", policy), settings=settings, timeout_s=TIMEOUT_S
    )
    return Project(guard, _standing(place, cwd, here), policy or settings.policy)


def named_project(
    names: Sequence[str], root: str | None, cwd: str | None, policy: str | None
) -> Project:
    """Return a project that is known by the names of its files alone."""
    from truepath.guard.guard import Guard
    from truepath.paths import is_absolute
    from truepath.resolve.workspace import Workspace

    place = root or "/workspace"
    windows = is_absolute(place, "windows") and not is_absolute(place, "posix")
    flavour: Flavour = "windows" if windows else "posix"
    inside = [_inside(name, place, flavour) for name in names]
    settings = _settings(None)
    workspace = Workspace.from_names(
        [name for name in inside if name],
        root=place,
        cwd=cwd,
        flavour=flavour,
        deny=settings.deny,
    )
    guard = Guard(workspace=workspace, policy=cast("Policy | None", policy), settings=settings)
    return Project(guard, cwd, policy or settings.policy)


def _inside(name: str, root: str, flavour: Flavour) -> str | None:
    """Return a listed name relative to the root, or None for one that lies outside.

    Programs that list files write `./a/b` or `/root/a/b`, and folders with a slash at the end.
    """
    from truepath.paths import join, relative_to

    if flavour == "posix" and not name.startswith("/"):
        return name.removeprefix("./")
    inside = relative_to(join(root, name, flavour), root, flavour)
    return f"{inside}/" if inside and name.endswith("/") else inside


def _settings(root: str | None) -> Settings:
    from truepath.config.settings import check
    from truepath.hook.client import SWITCHES

    # Switched off it is for agents; who asks here wants an answer.
    environ = {name: value for name, value in os.environ.items() if name not in SWITCHES}
    settings = check(root if root and os.path.isdir(root) else None, environ)
    return replace(settings, journal=False, store="memory:")


def _current_folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it was deleted below us
        return None


def _around(here: str | None) -> str:
    from truepath.project.root import find_root

    root = find_root(here)
    if root is None:
        raise click.UsageError("the current folder does not exist any more; give --root")
    return root


def _standing(root: str, cwd: str | None, here: str | None) -> str | None:
    """Return the agent's working directory, relative to the root where inside it."""
    if cwd is not None:
        if not os.path.isdir(os.path.join(root, cwd)):
            raise click.UsageError(f"--cwd: {os.path.join(root, cwd)!r} is not a folder")
        return cwd
    if here is None:
        return None
    real, top = os.path.realpath(here), os.path.realpath(root)
    if real == top or not real.startswith(top.rstrip(os.sep) + os.sep):
        return None
    return os.path.relpath(real, top)
