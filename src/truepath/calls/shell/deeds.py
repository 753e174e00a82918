"""What a command does, beyond the paths it names: to the folder it runs in, to what it is fed."""

from __future__ import annotations

from typing import NamedTuple

from truepath.types import Operation

_RANK: dict[Operation, int] = {
    "read": 0, "list": 0, "search": 0, "copy": 1, "execute": 2,
    "edit": 3, "write": 3, "mkdir": 3, "move": 4, "delete": 5,
}  # fmt: skip
"""From what only looks to what cannot be undone."""


class Deed(NamedTuple):
    """The strictest operation of one or more commands."""

    operation: Operation = "list"
    certain: bool = True
    """False where nobody can name what it touches: a wildcard, a whole tree, an unknown program."""

    @property
    def looks(self) -> bool:
        """Whether it leaves everything as it is, and passes nothing on."""
        return _RANK[self.operation] == 0

    def with_(self, other: Deed) -> Deed:
        """Return the stricter of the two."""
        if other is LOOK:  # nearly every one
            return self
        mine, theirs = _RANK[self.operation], _RANK[other.operation]
        operation = other.operation if theirs > mine else self.operation
        return Deed(operation, self.certain and other.certain)


LOOK = Deed()
EXECUTE = Deed("execute")
UNKNOWN = Deed("delete", certain=False)
"""What cannot be known may delete."""


def deed_of(operation: Operation, *, certain: bool = True) -> Deed:
    """Return the deed of an operation on a path; to make a file is to edit its folder."""
    known: Operation = "edit" if operation in ("write", "mkdir") else operation
    return LOOK if _RANK[known] == 0 else Deed(known, certain)
