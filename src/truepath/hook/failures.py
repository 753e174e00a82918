"""What is recorded of a hook that failed."""

from __future__ import annotations

import os
from time import time

from truepath import __version__
from truepath.config.settings import load
from truepath.config.user_dirs import state_folder
from truepath.journal.event import Event, failure_of
from truepath.journal.journal import JsonlSink, journal_path


def record(host: str, error: BaseException) -> None:
    """Write a failure of truepath into the journal, if the user keeps one."""
    if not load(None, os.environ).journal:
        return
    event = Event(
        event="guard.failed",
        time=time(),
        host=host,
        error=failure_of(error),
        version=__version__,
    )
    JsonlSink(journal_path(state_folder(os.environ)))(event)
