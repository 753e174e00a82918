"""What the earlier parts of a command line have done by the time a later part runs."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from truepath.records import dataclass, field


class Place(NamedTuple):
    """Where commands run."""

    chain: tuple[int, ...] | None = ()
    """The operands that lead here; None when nobody can say."""
    folder: str | None = ""
    """The same as text, relative to where the command line starts; None when unknown."""
    through: tuple[int, ...] = ()
    """The operands that lead here, or may."""

    @property
    def known(self) -> bool:
        """Whether a relative path means something here."""
        return self.chain is not None

    def join(self, path: str) -> str | None:
        """Return `path` as seen from the start, None when that cannot be known."""
        if path.startswith(("/", "~")):
            return posixpath.normpath(path)
        return None if self.folder is None else posixpath.normpath(f"{self.folder or '.'}/{path}")


START = Place()
NOWHERE = Place(None, None)


@dataclass(slots=True, eq=False, repr=False)
class State:
    """Where the next command runs, and what may be there by then that is not there now."""

    place: Place = START
    previous: Place = NOWHERE
    stack: list[Place] = field(default_factory=list)
    made: set[str] = field(default_factory=set)
    """Paths that were created or asked about; what lies below them is as new as they are."""
    parents: set[str] = field(default_factory=set)
    """Folders that `mkdir -p` may have created on the way."""
    anything: bool = False
    """A program has run that may have created any file."""
    moved: bool = False
    """The folder has changed at some point."""

    def fork(self) -> State:
        """Return a state that goes its own way from here."""
        return State(
            self.place, self.previous, list(self.stack), set(self.made), set(self.parents),
            self.anything, self.moved,
        )  # fmt: skip

    def make(self, path: str, *, parents: bool = False) -> None:
        """Note that `path` may exist from here on."""
        joined = self.place.join(path)
        if joined is None or joined in (".", "/"):
            self.anything = True
            return
        self.made.add(joined)
        while parents and (joined := posixpath.dirname(joined)) not in ("", "/", "."):
            self.parents.add(joined)

    def may_have(self, path: str) -> bool:
        """Whether `path` may have come to be since the command line started."""
        if self.anything or not (self.made or self.parents):
            return self.anything
        joined = self.place.join(path)
        if joined is None:
            return bool(self.made)
        return joined in self.parents or any(_covers(made, joined) for made in self.made)

    def enter(self, place: Place) -> None:
        """Change the folder; from one that is known to one that is not, all may matter still."""
        if place is NOWHERE:
            place = place._replace(through=self.place.through)
        self.previous, self.place, self.moved = self.place, place, True


UNCHANGED = State()
"""Where nothing has been done; it is only looked at."""


def _covers(made: str, path: str) -> bool:
    """Whether `path` is `made` or lies below it, as far as one can tell.

    Where the command line starts is not known here, so an absolute path is compared with a
    relative one by its end.
    """
    if made.startswith("/") == path.startswith("/"):
        return path == made or path.startswith(made + "/")
    if made.startswith("/"):
        head = path.removeprefix("../").split("/")
        return any(made.endswith("/" + "/".join(head[:count])) for count in range(1, len(head) + 1))
    return f"/{made.removeprefix('../')}/" in path + "/"
