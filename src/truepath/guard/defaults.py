"""The parts of a guard that the caller does not give: made from settings and the environment."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable

    from truepath.config.settings import Settings
    from truepath.journal.event import Event
    from truepath.session.stores import Store


def load_settings(root: str | os.PathLike[str] | None = None) -> Settings:
    """Return the settings of a project, the user and the environment.

    Raises:
        ConfigError: Something in them cannot be used; one line for each.
    """
    from truepath.config.settings import check

    return check(None if root is None else os.fspath(root), os.environ)


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
    from truepath.journal.journal import JsonlSink, journal_path

    return JsonlSink(journal_path(state_folder(os.environ)))
