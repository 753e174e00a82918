"""What installing and uninstalling change on disk, and the doing of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from json import dumps
from typing import Any

from truepath.hook.beside import loosely
from truepath.hosts.setup import Piece, Setup
from truepath.install import InstallError, records
from truepath.install.changes import Change, content_of, make, remove_folders, unmake
from truepath.install.entries import calls, merge, opened, unmerge, written
from truepath.install.records import Record

UNTOUCHED = "; nothing was changed"
"""The end of a message about settings that cannot be read or filled."""

_HEAD = 600
"""Characters at the top of a file in which ours say whose they are."""


@dataclass(frozen=True, slots=True)
class Place:
    """One file that makes a host call us, and what it is to hold."""

    host: str
    path: str
    content: Mapping[str, Any] | str
    executable: bool


@dataclass(frozen=True, slots=True)
class Made:
    """A change that was made, and what is needed to undo it."""

    change: Change
    folders: tuple[str, ...]
    record: Record | None
    """What was remembered of the file before."""


def places(
    host: str, setup: Setup, environ: Mapping[str, str], root: str | None = None
) -> list[Place]:
    """Return the files for a project at `root`, or those for all of a user's projects.

    Raises:
        InstallError: The host has no such settings.
    """
    found = [
        Place(host, _existing(os.path.join(folder, name), piece), piece.content, piece.executable)
        for piece in setup.pieces
        for folder, name in [_where(setup, piece, environ, root)]
        if name
    ]
    if not found:
        what = "one project: leave out --project" if root else "all projects: use --project"
        raise InstallError(f"{host} has no settings for {what}")
    return found


def home_of(setup: Setup, environ: Mapping[str, str]) -> str:
    """Return the host's own folder."""
    home = environ.get("HOME") or os.path.expanduser("~")
    own = environ.get(setup.variable, "") if setup.variable else ""
    if own[:1] == "~":
        own = home + own[1:]
    top, _, rest = setup.home.partition("/")
    configs = environ.get("XDG_CONFIG_HOME", "")
    if not own and top == ".config" and os.path.isabs(configs):
        own = os.path.join(configs, rest)
    return os.path.abspath(own or os.path.join(home, setup.home))


def holds_us(place: Place) -> bool:
    """Whether a file makes the host call us; raises InstallError where that cannot be read."""
    data = content_of(place.path)
    if data is None:
        return False
    if isinstance(place.content, str):
        return _is_our_file(data, None)
    with about(place.path):
        value = looked_at(data)
    return any(True for key in place.content for _ in calls(value.get(key), place.host))


def is_new(place: Place, record: Record | None) -> bool:
    """Whether what is in a file is somebody else's, so that a copy of it must be kept."""
    data = content_of(place.path)
    if data is None or isinstance(place.content, str):
        return record is None or data is None or record.wrote != records.digest(data)
    return not holds_us(place)


def installing(place: Place, record: Record | None) -> Change:
    """Return what makes a host call us; raises InstallError where that would harm."""
    before = content_of(place.path)
    if isinstance(place.content, str):
        after = place.content.encode()
        if before is not None and before != after and not _is_our_file(before, record):
            raise InstallError(f"{place.path}: is there already and not ours; nothing was changed")
        return Change(place.path, before, after, place.executable)
    with about(place.path, place.content):
        text = text_of(before)
        settings = opened(text)
        new = merge(settings, place.content, place.host)
        changed = None if new == settings else written(new, text).encode()
        return Change(place.path, before, changed or before)


def uninstalling(place: Place, record: Record | None) -> Change:
    """Return what makes a host forget us; raises InstallError where that cannot be told."""
    before = content_of(place.path)
    if before is None:
        return Change(place.path, None, None)
    if isinstance(place.content, str):
        return Change(place.path, before, None if _is_our_file(before, record) else before)
    if not holds_us(place):
        return Change(place.path, before, before)
    with about(place.path):
        text = text_of(before)
        was = before_of(record)
        known = None if was is None else opened(was)
        new = unmerge(opened(text), place.content, place.host, known)
        made_by_us = not (record and record.backup) and not os.path.islink(place.path)
        gone = made_by_us and not new
        return Change(place.path, before, None if gone else restored(new, text, was))


def carry_out(state: str, changes: Iterable[tuple[Change, bool]]) -> list[Made]:
    """Make changes; all of them or none.

    Args:
        state: The state folder.
        changes: What is to be done, and whether a copy of what is there must be kept first.

    Raises:
        InstallError: One could not be made; all is as before.
    """
    done: list[Made] = []
    try:
        for change, is_new_there in changes:
            done.append(_made(state, change, fresh=is_new_there))
    except BaseException:
        take_back(state, done)
        raise
    return done


def take_back(state: str, done: Sequence[Made]) -> None:
    """Undo changes, the last one first."""
    for made in reversed(done):
        unmake(made.change, made.folders)
        record = records.load(state, made.change.path)
        if made.record is not None:
            records.keep(state, made.record)
        elif record is not None:
            records.forget(state, record, backup=True)


def forget(state: str, made: Made) -> str:
    """Clear up after a file that was freed of us; return the copy that is left, "" for none."""
    record = made.record
    if record is None:
        return ""
    try:
        same = record.original() == made.change.after
    except OSError:
        same = False
    records.forget(state, record, backup=same)
    remove_folders(record.folders)
    records.pass_on(state, [each for each in record.folders if os.path.isdir(each)])
    return "" if same or not record.backup else record.backup


def remembered(state: str, path: str) -> Record | None:
    """Return what is known of a file from before it was changed."""
    return records.load(state, path)


def _made(state: str, change: Change, *, fresh: bool) -> Made:
    known = records.load(state, change.path)
    record = None if fresh else known
    if fresh and change.after is not None:
        record = records.keep(state, Record(change.path), change.before)
    try:
        folders = make(change)
    except BaseException:
        if record is not None and record is not known:
            records.forget(state, record, backup=True)
        raise
    if record is not None and change.after is not None:
        wrote = records.digest(change.after)
        both = (*record.folders, *folders)
        records.keep(state, replace(record, folders=both, wrote=wrote))
    return Made(change, folders, None if fresh else known)


def _where(
    setup: Setup, piece: Piece, environ: Mapping[str, str], root: str | None
) -> tuple[str, str]:
    return (root, piece.project) if root else (home_of(setup, environ), piece.user)


def _existing(path: str, piece: Piece) -> str:
    """Return the path, or the one with comments in its name where only that is there."""
    other = f"{path}c"
    if isinstance(piece.content, str) or not path.endswith(".json") or os.path.lexists(path):
        return path
    return other if os.path.lexists(other) else path


def before_of(record: Record | None) -> str | None:
    """Return the settings from before; "" for none at all, None if that is not known."""
    if record is None:
        return None
    try:
        return text_of(record.original())
    except (OSError, InstallError):
        return None


def restored(value: Mapping[str, Any], text: str, before: str | None) -> bytes:
    """Return settings as they were `before` where they are no others now, else as in `text`."""
    if before is not None and opened(before) == value:
        return before.encode()
    return written(value, text).encode()


def _is_our_file(data: bytes, record: Record | None) -> bool:
    if record is not None and record.wrote == records.digest(data):
        return True
    return "truepath" in data.decode("utf-8", "replace")[:_HEAD]


def text_of(data: bytes | None) -> str:
    """Return the text of settings; raises InstallError where it is none."""
    try:
        return (data or b"").decode()
    except UnicodeDecodeError as error:
        raise InstallError(f"is not UTF-8 (byte {error.start})") from error


def looked_at(data: bytes) -> dict[str, Any]:
    """Return what settings hold, comments left out; raises InstallError where nobody can tell."""
    try:
        value = loosely(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InstallError(f"is no plain JSON ({error})") from error
    return value if isinstance(value, dict) else {}


@contextmanager
def about(path: str, content: Mapping[str, Any] | None = None) -> Iterator[None]:
    """Say in the errors of the block which file they are about, and what belongs into it."""
    try:
        yield
    except InstallError as error:
        by_hand = f"; to be put there by hand: {dumps(content)}" if content else ""
        raise InstallError(f"{path}: {error}{UNTOUCHED}{by_hand}") from error
    except UnicodeEncodeError as error:
        raise InstallError(f"{path}: the path of the client is not UTF-8") from error
