"""The table of what may be changed: what a whole call does, and the rules under which
truepath changes a call that does so.

A call is changed only if all that it does is in rows that allow it; else the agent is
told the right path. What may be used in place of a path is settled before, by its own
operation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from truepath import TYPE_CHECKING, Late
from truepath.calls.paths import Mentions
from truepath.config.presets import Rule
from truepath.records import dataclass
from truepath.types import Effect, Operation

if TYPE_CHECKING:
    from truepath.calls import contents
else:
    contents = Late("truepath.calls.contents")


@dataclass(frozen=True, slots=True)
class Row:
    """What a call does, and when it is changed."""

    effect: Effect
    sentence: str
    operation: Operation | None
    """The operation whose rule decides; None if that of each path decides for itself,
    and the rest of the call runs as it was written."""
    changed: Sequence[Rule] = ()
    """The rules under which the call is changed; none for never."""

    def allows(self, rules: Mapping[Operation, Rule]) -> bool:
        """Return whether a call that does so may be changed under some rules."""
        return self.operation is None or rules[self.operation] in self.changed


_CORRECTED: Sequence[Rule] = ("correct", "recover")
_RECOVERED: Sequence[Rule] = ("recover",)

LINE_ENDS = Row(
    "line-ends",
    "an edit whose text is in its file with other line ends alone, by a tool that is "
    "known to compare bytes: the line ends of its texts are those of the file",
    "edit",
    _CORRECTED,
)
"""What is changed in a call beside its paths."""

TABLE: Sequence[Row] = (
    Row(
        "look",
        "it only looks: every program is a listed reader with listed options, and "
        "nothing is written but to the null device, a terminal or a standard stream",
        None,
    ),
    Row(
        "make",
        "a tool makes a file or a folder",
        None,
    ),
    Row(
        "edit",
        "an edit by a tool that names the text to be replaced",
        "edit",
        _CORRECTED,
    ),
    LINE_ENDS,
    Row(
        "copy",
        "a plain copy: `cp`, or a tool of that name",
        "copy",
        _CORRECTED,
    ),
    Row(
        "move",
        "a plain move: `mv`, or a tool of that name",
        "move",
        _CORRECTED,
    ),
    Row(
        "in-place",
        "files are changed in place: `sed -i`",
        "edit",
        _RECOVERED,
    ),
    Row(
        "run",
        "a script or tests are run, by an interpreter or test runner that is listed",
        "execute",
        _RECOVERED,
    ),
    Row(
        "delete",
        "`rm`, or a tool that deletes",
        "delete",
        _RECOVERED,
    ),
    Row(
        "other",
        "all else: what a redirection or an option writes, what installs, sends, "
        "deploys or schedules, what feeds a program that does more than read, runs as "
        "another user or elsewhere, or is not in the table of programs",
        "execute",
    ),
)
"""Each thing that a call may do, once. What may be used in place of a path is settled
by its reason; a target is never led to a path that exists."""


_OF_TOOL: Mapping[Operation, Effect] = {
    "read": "look",
    "list": "look",
    "search": "look",
    "write": "make",
    "mkdir": "make",
    "edit": "edit",
    "copy": "copy",
    "move": "move",
    "execute": "run",
    "delete": "delete",
}
"""What a tool does to a path that it is given -> its effect."""


def keeping(mentions: Mentions, rules: Mapping[Operation, Rule]) -> Row | None:
    """Return the first row that keeps a call as it was written under some rules; None
    if it may be changed.
    """
    does = effects(mentions)
    for row in TABLE:
        if row.effect in does and not row.allows(rules):
            return row
    return None


def effects(mentions: Mentions) -> frozenset[Effect]:
    """Return what a call does."""
    if mentions.line_effects is not None:
        return mentions.line_effects
    found: set[Effect] = set()
    for mention in mentions.paths:
        operation = mention.argument.operation
        if operation == "edit" and not contents.old_texts(mentions.call, mention):
            found.add("other")  # a patch without a text, or an insertion, fits any file
        else:
            found.add(_OF_TOOL[operation])
    return frozenset(found)
