"""What a command line or a patch says about one path: a record, and nothing that finds it."""

from __future__ import annotations

from typing import Literal

from truepath.records import dataclass
from truepath.types import Kind, Operation

LookedUp = Literal["disk", "index", "history"]
"""Where the program looks for the path: git knows files that no longer lie on disk."""


@dataclass(frozen=True, slots=True)
class Operand:
    """One path inside a text that an agent wants to run or apply."""

    written: str
    """The path as the program would receive it: quotes and escapes undone."""
    operation: Operation
    """The strictest of what the command does to it: of a folder it enters, all that it does in
    there; of a file it reads, what is done with the contents."""
    kind: Kind
    span: tuple[int, int]
    """Byte offsets, in the text's UTF-8, of the word that holds the path, or of the path's part
    of the word (`--file=x`, `a.py::test`)."""
    rewritable: bool = True
    """False where a rewrite is never allowed, however sure the answer: recursive deletion,
    destructive commands that also hold a wildcard, discarding changes."""
    cwd: tuple[int, ...] = ()
    """Indices, into the tuple this operand came in, of the folders the command has entered by
    then, outermost first; join them to know what a relative path is relative to."""
    creates: bool = False
    """The command makes this path: that it is missing is no mistake."""
    optional: bool = False
    """The command itself accepts that the path is missing: never refuse for it."""
    looked_up: LookedUp = "disk"
    """With `index` or `history` a path that git knows is right even when it is not on disk."""
    enters: bool = False
    """The command works in this folder from here on."""
    home: bool = False
    """The shell replaces a leading `~` by the home folder; test that, not the written text."""
    quote: Literal["", "'", '"', "\n"] = ""
    """The quotes that are open at the span's start, when the span is a part of a quoted word;
    a line break where the span is plain text up to the end of its line, as in a patch."""
    inside: str = ""
    """The quotes around the program text that holds this operand (`bash -c '...'`)."""
