"""The rulers of a call that has failed, in the order in which they are asked."""

from __future__ import annotations

from truepath.calls.error_texts import (
    already_suggested,
    is_missing,
    unmet_conditions,
)
from truepath.guard.command_needs import failed_needs
from truepath.guard.failed_text import failed_text
from truepath.guard.not_absolute import not_absolute
from truepath.guard.reading import Failure, Reading, Ruling
from truepath.guard.repeats import unexplained_edit
from truepath.guard.same_line import same_line
from truepath.types import Outcome


def failed_paths(reading: Reading) -> Ruling | None:
    """Rule about a call that failed on paths that do not exist; None if they do. Its
    texts are those of `wrong_paths`.
    """
    failure = reading.failure
    # An error about sizes or texts says nothing of the other paths of the call.
    if failure is None or not (failure.is_missing or "folder" in failure.about):
        return None
    misses = [
        finding
        for finding in reading.paths
        if finding.is_miss and finding.rule not in (None, "observe")
    ]
    return Ruling("advise", misses) if misses else None


AFTER = (
    failed_needs,
    not_absolute,
    failed_text,
    failed_paths,
    unexplained_edit,
    same_line,
)


def failure_of(outcome: Outcome, text: str, *, checks: bool) -> Failure:
    """Return how a call failed; `text` is its error, else its output, and `checks`
    whether more is asked than whether paths exist.
    """
    about = unmet_conditions(text) if checks else frozenset()
    error = outcome.error
    if not error:  # behind a pipe, a command that failed ends like one that worked
        return Failure("", is_missing=False, about=about & {"need"})
    # "Did you mean ..." of a program that looked itself: another answer would only make
    # the text longer.
    missing = is_missing(error) and not already_suggested(error)
    return Failure(error, missing, about)
