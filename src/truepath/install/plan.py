"""Plan and carry out what installing and uninstalling change on disk.

Each file has a record of its contents before and of truepath's entries
(`hook.installed`). Installing removes truepath's entries, records the rest, and adds
those of this installation. Uninstalling restores the recorded contents; if somebody has
changed the file since, it removes only truepath's entries.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import takewhile
from shlex import quote
from typing import Any

from truepath.config.settings import parsed
from truepath.hook.command import client_command, shared_command
from truepath.hook.installed import (
    Record,
    digest,
    forget,
    keep,
    known_as,
    label,
    lines,
    load,
    programs,
)
from truepath.hosts.host import Host
from truepath.install import InstallError, settings
from truepath.install.disk import (
    Change,
    content_of,
    missing_folders,
    put,
    remove_folders,
)


@dataclass(frozen=True, slots=True)
class File:
    """A file that makes a host call truepath."""

    path: str
    content: Mapping[str, Any] | str
    """Entries of settings, or a whole program, or a part of settings in TOML."""
    line: str
    """The shell command that it runs."""
    executable: bool = False

    @property
    def is_program(self) -> bool:
        """Whether it is truepath's whole."""
        return isinstance(self.content, str) and not self.path.endswith(".toml")


def files(host: Host, environ: Mapping[str, str], root: str | None) -> list[File]:
    """Return the files for the project at `root`, or for all of a user's projects
    (None).

    A project's are shared with machines where this installation is elsewhere or
    missing. Raises InstallError if the host has no such files.
    """
    if root:
        client = shared_command(host.NAME)
        folder = root
    else:
        client = client_command(host.NAME)
        folder = os.path.abspath(host.folder(environ))
    line = label(host.hook(client, 1))
    to_install: list[File] = []
    for piece in host.pieces(client):
        name = piece.project if root else piece.user
        if name:
            path = os.path.join(folder, name)
            command = quote(path) if piece.executable else line
            to_install.append(File(path, piece.content, command, piece.executable))
    if not to_install:
        what = "all projects: use --project"
        if root:
            what = "one project: leave out --project"
        raise InstallError(f"{host.NAME} has no settings for {what}")
    return to_install


def installing(file: File, host: Host, state: str) -> Change:
    """Return the change that installs truepath; raise InstallError if that would do
    harm.
    """
    there = content_of(file.path)
    record = load(state, file.path)
    ours = _ours(file, host, record)
    with _about(file.path):
        _check_read(_text(there), file, host)
    by_hand = "" if file.is_program else _with("", file)
    with _about(file.path, by_hand):
        text = _text(there)
        if isinstance(file.content, str):
            is_there = not file.is_program and file.content in text
        else:
            is_there = settings.is_there(settings.opened(text), file.content, ours)
        if is_there:
            return Change(file.path, there, there, record, record)
        base = _without(there, record, file, ours)
        after = _with(base or "", file).encode()
    # The commands and folders of earlier installations are truepath's too.
    lines_before = record.lines if record else ()
    folders_before = record.folders if record else ()
    made = Record(
        path=known_as(file.path),
        host=host.NAME,
        before=base,
        wrote=digest(after),
        lines=tuple(dict.fromkeys((*lines_before, file.line))),
        folders=(*folders_before, *missing_folders(file.path)),
    )
    return Change(file.path, there, after, record, made, file.executable)


def uninstalling(file: File, host: Host, state: str) -> Change:
    """Return the change that removes truepath; raise InstallError if it is not
    recognised.
    """
    there = content_of(file.path)
    record = load(state, file.path)
    if there is None or b"truepath" not in there:
        return Change(file.path, there, there, record)
    with _about(file.path):
        left = _without(there, record, file, _ours(file, host, record))
        if isinstance(file.content, str):
            if record is not None and left is not None and left.encode() == there:
                raise InstallError(
                    "was changed since; delete what truepath wrote there yourself"
                )
        elif record is not None and record.before is None:
            rest = settings.opened(left or "")
            # Settings that truepath made go with it, if they have nothing but what it
            # added to its hooks; of a link, the file that it leads to stays.
            if file.content.items() >= rest.items():
                left = "{}\n" if os.path.islink(file.path) else None
    after = None if left is None else left.encode()
    return Change(file.path, there, after, record)


def carry_out(
    state: str, changes: Sequence[Change], attempt: Callable[[], str] = lambda: ""
) -> list[Change]:
    """Make changes and return those that were needed.

    Args:
        state: The state folder.
        changes: The change of each file.
        attempt: Called after all changes; returns what is wrong, "" for nothing.

    Raises:
        InstallError: A change failed or `attempt` found a problem; then all changes are
            undone.
    """
    done: list[Change] = []
    problem = "it was interrupted"
    try:
        for change in changes:
            if change.is_needed:
                _make(state, change)
                done.append(change)
        problem = attempt()
    finally:
        if problem:
            _undo(state, done)
    if problem:
        raise InstallError(f"the hook does not work, so nothing was changed: {problem}")
    # Only now: until the last file is put back, a failure needs the records.
    for change in reversed(changes):
        if change.record is None and change.old_record is not None:
            forget(state, change.path)
            remove_folders(change.old_record.folders)
    return done


def _make(state: str, change: Change) -> None:
    """Record a change, then make it; if it cannot be recorded, it is not made."""
    try:
        if change.record is not None:
            try:
                keep(state, change.record)
            except OSError as error:
                reason = error.strerror or error
                why = f"no copy of {change.path} can be kept there ({reason})"
                raise InstallError(f"{state}: {why}") from error
        is_as_planned = content_of(change.path) == change.before
        if is_as_planned:
            put(
                change.path,
                change.after,
                "cannot be written",
                executable=change.executable,
            )
    # Whatever ends this, Ctrl-C too, the record must not tell of a change that was not
    # made: uninstalling would restore what it has.
    except BaseException:
        _recall(state, change)
        raise
    # Here the record may be that of another `truepath install`, so it stays.
    if not is_as_planned:
        raise InstallError(
            f"{change.path}: was changed by somebody else just now; try again"
        )


def _undo(state: str, changes: Sequence[Change]) -> None:
    """Undo changes, the last one first; raise the first error once all were tried."""
    errors: list[InstallError] = []
    for change in reversed(changes):
        try:
            is_ours = content_of(change.path) == change.after
            if is_ours:
                put(change.path, change.before, "cannot be put back")
        except InstallError as error:
            errors.append(error)
            continue
        if is_ours:
            _recall(state, change)
        else:
            why = "was changed by somebody else just now, and stays"
            errors.append(InstallError(f"{change.path}: {why}"))
    if errors:
        raise errors[0]


def _recall(state: str, change: Change) -> None:
    """Restore the record of a file from before a change that was undone."""
    if change.old_record is None:
        forget(state, change.path)
    else:
        with suppress(OSError):  # the newer record has all of truepath's entries too
            keep(state, change.old_record)
    remove_folders(change.record.folders if change.record else ())


def _ours(file: File, host: Host, record: Record | None) -> set[str]:
    """Return what is truepath's in a file: the commands of entries, recorded ones and
    current ones, or whole texts.
    """
    if isinstance(file.content, str):
        return programs(host)
    recorded = record.lines if record else ()
    return {*recorded, *lines(host), file.line}


def _text(there: bytes | None) -> str:
    """Return a file's text; "" for no file."""
    try:
        return (there or b"").decode()
    except UnicodeDecodeError as error:
        raise InstallError(f"is not UTF-8 (byte {error.start})") from error


def _check_read(text: str, file: File, host: Host) -> None:
    """Raise InstallError if a host runs no hook of a file because of how it is
    spelled.
    """
    if isinstance(file.content, str):
        return
    try:
        settings.opened(text)
    except InstallError:  # no program reads it, which adding to it tells
        return
    sign = settings.unread(text, host)
    if not sign:
        return
    if host.SETTINGS_MAY is None:
        raise InstallError(f"has {sign}, where {host.TITLE} may run none of its hooks")
    raise InstallError(f"has {sign}, so {host.TITLE} runs none of its hooks")


def _with(text: str, file: File) -> str:
    """Return settings with truepath's entries, or its program."""
    content = file.content
    if not isinstance(content, str):
        return settings.added(text, content)
    if file.is_program and text:
        raise InstallError("is there already, and not as truepath wrote it")
    if file.is_program:
        return content
    # TOML: `[[hooks]]` must be able to follow the text.
    plain = text.removeprefix("\ufeff")  # Kimi Code 2.1.0 runs the hooks after one
    if not isinstance(parsed(plain).get("hooks", []), list):
        raise InstallError("has a setting `hooks` that is no list")
    try:
        parsed(plain + content)
    except ValueError as error:
        begins = re.compile(r"\s*[\"']?hooks\b").match
        lines_before = takewhile(lambda line: not begins(line), plain.splitlines())
        items = (item.splitlines() for item in content.split("\n[[hooks]]\n")[1:])
        raise InstallError(
            f"has its hooks in one list, `hooks = [...]` in line "
            f"{len([*lines_before]) + 1}, so the entries belong in that list",
            "".join(f"{{ {', '.join(item)} }},\n" for item in items),
        ) from error
    return text + content


def _without(
    there: bytes | None, record: Record | None, file: File, ours: Collection[str]
) -> str | None:
    """Return a file's text without what is truepath's; None for no file."""
    if there is None:
        return None
    if record is not None and record.wrote == digest(there):
        return record.before
    text = _text(there)
    if isinstance(file.content, str):
        return _without_texts(text, file, ours)
    value = settings.opened(text)
    freed = settings.freed(value, ours)
    if "hooks" not in freed and record is not None:
        # Without hooks, what truepath added for them means nothing: Cursor's `version`.
        before = settings.opened(record.before or "")
        freed = {
            key: value
            for key, value in freed.items()
            if key in before or key not in file.content
        }
    if freed == value:
        return text
    return settings.changed(text, freed)


def _without_texts(text: str, file: File, ours: Collection[str]) -> str | None:
    """Return a text without a whole part that is truepath's; None if it all is."""
    if text in ours:
        return None
    if file.is_program:  # a changed program is not taken apart
        return text
    for part in ours:
        if part in text:
            return text.replace(part, "")
    return text


@contextmanager
def _about(path: str, by_hand: str = "") -> Iterator[None]:
    """Add the file's path to the errors of the block; an error of values is one of
    TOML.
    """
    try:
        yield
    except InstallError as error:
        by_hand = error.by_hand or by_hand
        hint = "; put the entries there by hand" if by_hand else ""
        raise InstallError(
            f"{path}: {error}; nothing was changed{hint}", by_hand
        ) from error
    except UnicodeEncodeError as error:
        raise InstallError(f"{path}: the path of the client is not UTF-8") from error
    except ValueError as error:  # of `config.settings.parsed`
        text = f"{path}: is not TOML ({error}); nothing was changed"
        raise InstallError(f"{text}; put the entries there by hand", by_hand) from error
