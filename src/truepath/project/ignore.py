"""Which names an ignore file leaves out, as the library pathspec reads its patterns.

For where git cannot be asked. Text in, verdict out; it must not know disks or repositories.
The library reads a few things in another way than git:

- `[[:digit:]]` and its like are no classes; in brackets, a backslash stands for itself and a
  slash ends the name;
- three stars between slashes are one, not two;
- `?` and brackets match one character, not one byte;
- tabs and other blanks at the end of a line are dropped like spaces; an escaped space with
  more spaces after it is not kept;
- a range that runs backwards, as in `[z-a]`, makes its whole pattern match nothing;
- a name that holds a line break may match what it would match without;
- what a `!` takes back it also takes back for all that lies below.

And one thing is read otherwise here, on purpose: see `CHOICES`.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

CHOICES = 2
"""How many stars of a pattern may be gone back on when the rest does not fit; each multiplies
the time by the length of a name. With 2, the worst pattern takes 40 ms over the longest name,
with 3 it takes seconds. Of the 5,214 patterns in GitHub's collection of ignore files, 2 have
more. Those match more than they say: whatever begins as they do. With a `!` they are dropped.
"""

_TOKENS = r"\\.|\[[!^]?\]?[^]]*\]|\*+|/"


class Rules:
    """The patterns of one ignore file. Of those that match a path, the last one decides."""

    def __init__(self, text: str) -> None:
        """Take the text of an ignore file; nothing is compiled before the first question."""
        self._lines = [line for line in text.split("\n") if _says_something(line)]

    def __bool__(self) -> bool:
        return bool(self._lines)

    def verdict(self, path: str, *, folder: bool) -> bool | None:
        """Say whether `path` is ignored: True, False (taken back by a `!`), None (not named).

        `path` is relative to the ignore file's folder. What lies below an ignored folder is
        ignored too, whatever is said of it here: the caller does not ask about it.
        """
        if not self._lines:
            return None
        if not folder:
            return self._spec.check_file(path).include
        # The library judges files alone: asked about a folder, it heeds `*` more than `!*/`.
        path += "/"
        for pattern in reversed(self._spec.patterns):
            if pattern.include is not None and pattern.match_file(path) is not None:
                return pattern.include
        return None

    @cached_property
    def _spec(self) -> GitIgnoreSpec:
        lines = [_bounded(line) for line in self._lines]
        try:
            return _compiled(lines)
        except (ValueError, re.error):
            return _compiled([line for line in lines if _can_match(line)])


def _says_something(line: str) -> bool:
    return not line.startswith("#") and bool(line.strip("!/ \t\r"))


def _compiled(lines: list[str]) -> GitIgnoreSpec:
    import warnings

    from pathspec import GitIgnoreSpec

    with warnings.catch_warnings():
        # Of sets like `[[a]`: they are right for git, and may come to mean another thing in `re`.
        warnings.simplefilter("ignore", FutureWarning)
        # The other engines refuse names that are not UTF-8.
        return GitIgnoreSpec.from_lines(lines, backend="simple")


def _can_match(line: str) -> bool:
    try:
        _compiled([line])
    except (ValueError, re.error):
        return False
    return True


def _bounded(line: str) -> str:
    """Cut a pattern off at the first star that would be one choice too many."""
    choices = stars = 0
    for token in re.finditer(_TOKENS, line):
        if token[0] == "/":
            stars = 0
        elif token[0][0] == "*":
            before = max(stars, 1)
            stars += len(token[0])
            choices += stars - before
            if choices > CHOICES:
                return "" if line.startswith("!") else f"{line[: token.start()]}*"
    return line
