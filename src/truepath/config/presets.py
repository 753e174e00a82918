"""The policies a user can choose: which rule each gives to each operation."""

from __future__ import annotations

from truepath.errors import ConfigError, not_known

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from truepath.types import Operation

    Policy = Literal["careful", "recover", "suggest", "guide", "observe"]
    Rule = Literal[
        "assume", "correct", "recover", "refuse", "guide", "observe", "protect", "repair"
    ]
else:
    Policy = Rule = str
"""
What a rule does about a path that does not exist, where the table of grounds permits it
(`truepath.resolve.grounds`):

- `correct`: use the right path; else refuse, and name the candidates.
- `assume`: as `correct`; a call that only looks is shown the likely file, with a note.
- `recover`: as `correct`; the one match is used in rows where `careful` only names it.
- `refuse`: never rewrite; name the candidates.
- `guide`: let it fail, then tell the agent how to search.
- `observe`: let it through, record only.

And about a path that is about to be made:

- `protect`: let it through; refuse, once, what looks like a slip, and name the place.
- `repair`: as `protect`, and put a wrong folder right.
"""

_LOOKS: tuple[Operation, ...] = ("read", "list", "search")
_USES: tuple[Operation, ...] = ("execute", "edit", "copy", "move", "delete")
_MAKES: tuple[Operation, ...] = ("write", "mkdir")

RULES: Mapping[Operation, tuple[Rule, ...]] = {
    **dict.fromkeys(_LOOKS, ("assume", "correct", "refuse", "guide", "observe")),
    **dict.fromkeys(_USES, ("recover", "correct", "refuse", "guide", "observe")),
    **dict.fromkeys(_MAKES, ("repair", "protect", "observe")),
}
"""The rules that an operation may have, from what changes a call most to what lets it run as it
came. A write is never sent to another file, so there is no `correct` for it."""


def _preset(*, looks: Rule, uses: Rule, makes: Rule, delete: Rule) -> Mapping[Operation, Rule]:
    rules: dict[Operation, Rule] = dict.fromkeys(_LOOKS, looks)
    rules.update(dict.fromkeys(_USES, uses))
    rules.update(dict.fromkeys(_MAKES, makes))
    rules["delete"] = delete
    return rules


DEFAULT = "careful"

PRESETS: Mapping[str, Mapping[Operation, Rule]] = {
    "careful": _preset(looks="assume", uses="correct", makes="protect", delete="refuse"),
    "recover": _preset(looks="assume", uses="recover", makes="repair", delete="recover"),
    "suggest": _preset(looks="refuse", uses="refuse", makes="protect", delete="refuse"),
    "guide": _preset(looks="guide", uses="guide", makes="observe", delete="guide"),
    "observe": _preset(looks="observe", uses="observe", makes="observe", delete="observe"),
}
"""The presets. Each operation's rule can be set by itself."""


def table(preset: str, changed: Mapping[Operation, str]) -> Mapping[Operation, Rule]:
    """Return the rule of every operation: a preset's, but for those that are changed.

    Raises:
        ConfigError: There is no such preset, operation or rule.
    """
    if preset not in PRESETS:
        raise ConfigError(not_known("policy", preset, PRESETS))
    rules = {**PRESETS[preset]}
    for operation, name in changed.items():
        if operation not in RULES:
            raise ConfigError(not_known("operation", operation, RULES))
        known = RULES[operation]
        if name not in known:
            raise ConfigError(not_known(f"rule for {operation}", name, known))
        rules[operation] = known[known.index(name)]
    return rules


def less(operation: Operation, one: str, other: str) -> str:
    """Return that of two rules which really does less to calls of an operation."""
    order: tuple[str, ...] = RULES[operation]
    return max(one, other, key=order.index)
