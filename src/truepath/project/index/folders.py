"""Whether files were made since a project was last looked through, and which.

A file that is made changes its folder. So the folders of a project are kept with what tells their
state, and what git does not track is known again by a look at each: 4 microseconds a folder, where
git needs as many for each file. It holds as long as no ignore file changes.
"""

from __future__ import annotations

import os
import struct
import time
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from stat import S_ISREG

from truepath.project.git_folder import common_folder, git_folder

_VERSION = b"truepath-folders-1\0"
_HEAD = struct.Struct("=III")

_SETTLED_S = 2.0
"""Seconds after its last change from which the state of a folder tells it from all later ones: file
systems keep times by as little as that."""

State = tuple[int, int]
"""What tells an entry from what it was before: its number, and when it was changed last."""

_ABSENT: State = (0, 0)
_UNSETTLED: State = (0, 1)
"""What may have changed after it was looked at, without a sign of it; no entry has this state."""


class Folders:
    """What was not tracked, and the state of all that would tell of more."""

    __slots__ = ("_folders", "_numbers", "names", "rules", "untracked")

    def __init__(
        self,
        names: str,
        untracked: Sequence[str],
        rules: dict[str, State],
        states: dict[str, State],
    ) -> None:
        """Take what was seen.

        Args:
            names: The file of the tracked names that it goes with.
            untracked: Files that git does not track, and does not ignore.
            rules: Ignore files and settings of git, absolute, with their state.
            states: The folders that are not ignored, with theirs.
        """
        self.names, self.untracked, self.rules = names, untracked, rules
        # An array is read sooner, and takes less memory, than a table of pairs.
        self._folders: Sequence[str] = [*states]
        self._numbers = array("Q", chain.from_iterable(states.values()))

    @property
    def states(self) -> dict[str, State]:
        """The folders that are not ignored, with their states."""
        return dict(zip(self._folders, _pairs(self._numbers), strict=True))

    def has_same_rules(self) -> bool:
        """Return whether no ignore file and no setting of git has changed since."""
        return all(state_of(path) == state for path, state in self.rules.items())

    def changed(self, root: str, ends: float) -> list[str] | None:
        """Return the folders in which files may have been made or removed since, the gone too.

        Returns:
            None where that is not known by `ends`, on the monotonic clock.
        """
        found, prefix, lstat = [], f"{root}/", os.lstat
        states = zip(self._folders, self._numbers[::2], self._numbers[1::2], strict=True)
        for at, (folder, number, changed) in enumerate(states):
            if not at & 0xFF and time.monotonic() >= ends:
                return None
            try:
                now = lstat(prefix + folder)
            except OSError:
                found.append(folder)
                continue
            if now.st_ctime_ns != changed or now.st_ino != number:
                found.append(folder)
        return found

    def is_same(self, root: str, folder: str) -> bool:
        """Return whether nothing was made or removed in a folder since."""
        try:
            now = os.lstat(f"{root}/{folder}")
            at = self._folders.index(folder)
        except (OSError, ValueError):
            return False
        return (now.st_ino, now.st_ctime_ns) == (*self._numbers[2 * at : 2 * at + 2],)

    def pack(self) -> bytes:
        """Return it as the bytes of a file."""
        # No name is empty, so that two NULs part the lists; the root has a slash for this.
        folders = (f"{folder}/" for folder in self._folders)
        lists = ((self.names,), self.untracked, self.rules, folders)
        text = "\0\0".join(map("\0".join, lists)).encode("utf-8", "surrogateescape")
        rules = array("Q", chain.from_iterable(self.rules.values()))
        numbers = (rules + self._numbers).tobytes()
        body = _HEAD.pack(len(text), len(self.rules), len(self._folders)) + text + numbers
        return _VERSION + zlib.crc32(body).to_bytes(4, "big") + body


def unpacked(data: bytes) -> Folders | None:
    """Return what is in the bytes of a file; None where they are damaged or of another version."""
    start = len(_VERSION) + 4
    if len(data) < start + _HEAD.size or not data.startswith(_VERSION):
        return None
    if zlib.crc32(data[start:]).to_bytes(4, "big") != data[start - 4 : start]:
        return None
    length, rules, states = _HEAD.unpack_from(data, start)
    begin = start + _HEAD.size
    text = data[begin : begin + length].decode("utf-8", "surrogateescape")
    numbers = array("Q", data[begin + length :])
    lists = [part.split("\0") if part else [] for part in text.split("\0\0")]
    names, untracked, ruled, seen = lists
    if (len(ruled), len(seen), len(numbers)) != (rules, states, 2 * (rules + states)):
        return None
    pairs = _pairs(numbers[: 2 * rules])
    found = Folders("".join(names), untracked, dict(zip(ruled, pairs, strict=True)), {})
    found._folders = [folder[:-1] for folder in seen]  # noqa: SLF001
    found._numbers = numbers[2 * rules :]  # noqa: SLF001
    return found


def _pairs(numbers: Sequence[int]) -> Iterator[State]:
    return zip(numbers[::2], numbers[1::2], strict=True)


def state_of(path: str) -> State:
    """Return what tells a file from what it was before."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return _ABSENT
    # A device, as `/dev/null` in place of a user's settings, changes without a sense.
    return (found.st_ino, found.st_ctime_ns) if S_ISREG(found.st_mode) else _ABSENT


def settled(state: State, now: float) -> State:
    """Return a state that tells an entry from all later ones.

    Args:
        state: The entry's, before what it holds was looked at.
        now: When that was, in seconds since the epoch.
    """
    return _UNSETTLED if state[1] > (now - _SETTLED_S) * 1e9 else state


def rules_of(root: str, top: str) -> list[str]:
    """Return where git's rules for a project may be that lie outside its folders, there or not.

    Args:
        root: The project's folder.
        top: Where the work tree around it begins; the root itself where none does.
    """
    own, home = git_folder(top), os.path.expanduser("~")
    user = os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"), "git")
    settings = os.environ.get("GIT_CONFIG_GLOBAL") or os.path.join(home, ".gitconfig")
    found = [
        *(settings, "/etc/gitconfig"),
        *(os.path.join(user, "config"), os.path.join(user, "ignore"), *_named(top)),
    ]
    if own is not None:
        common = common_folder(own)
        found += (os.path.join(common, "info", "exclude"), os.path.join(common, "config"))
        found.append(os.path.join(own, "config.worktree"))
    folder = root
    while folder != top and folder.startswith(top):
        folder = os.path.dirname(folder)
        found.append(os.path.join(folder, ".gitignore"))
    return list(dict.fromkeys(found))


def _named(top: str) -> Iterable[str]:
    """Return the ignore file that the user's settings name, and the files these settings are in."""
    from truepath.project.git import GitError, git  # only a build asks

    try:
        printed = git(top, "config", "--path", "--get", "core.excludesFile", ok=(0, 1))
        listed = git(top, "config", "--list", "--show-origin", "--name-only", "-z", ok=(0, 1))
    except GitError:
        return ()
    # One file may include another: git says of each setting where it is from.
    origins = (os.fsdecode(word) for word in dict.fromkeys(listed.split(b"\0")[::2]))
    files = [word[5:] for word in origins if word.startswith("file:")]
    ignored = os.fsdecode(printed).rstrip("\n")
    return [os.path.join(top, path) for path in (ignored, *files) if path]
