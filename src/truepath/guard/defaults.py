"""The parts of a guard that the caller does not give: made from settings and the environment."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from truepath.errors import ConfigError
from truepath.resolve.workspace import Workspace

if TYPE_CHECKING:
    from truepath.config.settings import Settings
    from truepath.events.event import Event
    from truepath.session.stores import Store


def settings_of(root: str | os.PathLike[str] | None) -> Settings:
    """Return the settings for a project, or those of the user alone."""
    from truepath.config.settings import load

    return load(None if root is None else os.fspath(root), os.environ)


def load_settings(root: str | os.PathLike[str] | None = None) -> Settings:
    """Return the settings of a project, the user and the environment.

    Raises:
        ConfigError: Something in them cannot be used; one line for each.
    """
    from truepath.config.settings import check

    return check(None if root is None else os.fspath(root), os.environ)


def workspace_of(
    root: str | os.PathLike[str] | None, settings: Settings, timeout_s: float
) -> Workspace:
    """Return the project at `root`; raise ConfigError where none is given."""
    if root is None:
        raise ConfigError("a guard needs a project: give root or workspace")
    from truepath.config.user_dirs import projects_folder

    return Workspace(
        root,
        deny=settings.deny,
        limit=settings.limit,
        deadline=settings.deadline,
        timeout_s=timeout_s,
        store=projects_folder(os.environ),
    )


def outlives(settings: Settings) -> bool:
    """Return whether sessions are remembered where other guards remember them too."""
    return settings.store.partition(":")[0] not in ("", "memory")


def store_of(settings: Settings) -> Store:
    """Return where sessions are remembered: in this process, unless something else is set."""
    from truepath.config.user_dirs import state_folder
    from truepath.session.stores import usable_store

    return usable_store(settings.store, state_folder(os.environ), lasting=False)


def journal_of(settings: Settings) -> Callable[[Event], None]:
    """Return what writes events down; it writes none where that is switched off."""
    if not settings.journal:
        return lambda _: None
    from truepath.config.user_dirs import state_folder
    from truepath.events.journal import JsonlSink, journal_path

    return JsonlSink(journal_path(state_folder(os.environ)))
