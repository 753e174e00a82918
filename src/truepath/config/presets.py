"""The policies that a user can choose: the rule of each for each operation."""

from __future__ import annotations

import sys

from truepath import TYPE_CHECKING
from truepath.errors import ConfigError, not_known

if TYPE_CHECKING or "typing" in sys.modules:  # as in `truepath.types`
    from collections.abc import Mapping
    from typing import Literal

    from truepath.types import Operation

    Policy = Literal["careful", "recover", "suggest", "guide", "observe"]
    Rule = Literal[
        "assume",
        "correct",
        "recover",
        "refuse",
        "guide",
        "observe",
        "protect",
        "repair",
    ]
else:
    Policy = Rule = str

MEANINGS: Mapping[str, str] = {
    "correct": "corrected where the reason permits it, else refused with candidates",
    "assume": "corrected where the reason permits it; else shown the likely file, "
    "with a note; else refused with candidates",
    "recover": "corrected if the reason permits it or says recover, else refused with "
    "candidates",
    "refuse": "refused with candidates, never corrected",
    "guide": "let through; after a failure, the agent is told where to look",
    "observe": "let through and recorded",
    "protect": "let through; refused once where it looks like a typo of an existing "
    "path",
    "repair": "let through, a wrong folder corrected; refused once if it looks like a "
    "typo",
}
"""What a rule does about a path that does not exist (`truepath.resolve.reasons` has the
reasons); the last two are for a path that is about to be created."""

_LOOKS: tuple[Operation, ...] = ("read", "list", "search")
_USES: tuple[Operation, ...] = ("execute", "edit", "copy", "move", "delete")
_MAKES: tuple[Operation, ...] = ("write", "mkdir")

RULES: Mapping[Operation, tuple[Rule, ...]] = {
    **dict.fromkeys(_LOOKS, ("assume", "correct", "refuse", "guide", "observe")),
    **dict.fromkeys(_USES, ("recover", "correct", "refuse", "guide", "observe")),
    **dict.fromkeys(_MAKES, ("repair", "protect", "observe")),
}
"""The rules that each operation may have, from the one that changes a call most to the
one that lets it run unchanged. A write is never sent to another file, so it has no
`correct`."""


def _preset(looks: Rule, uses: Rule, makes: Rule) -> Mapping[Operation, Rule]:
    rules = {**dict.fromkeys(_LOOKS, looks), **dict.fromkeys(_USES, uses)}
    return {**rules, **dict.fromkeys(_MAKES, makes)}


DEFAULT = "careful"

PRESETS: Mapping[str, Mapping[Operation, Rule]] = {
    "careful": {
        **_preset("assume", "correct", "protect"),
        "execute": "refuse",
        "delete": "refuse",
    },
    "recover": _preset("assume", "recover", "repair"),
    "suggest": _preset("refuse", "refuse", "protect"),
    "guide": _preset("guide", "guide", "observe"),
    "observe": _preset("observe", "observe", "observe"),
}
"""Policy -> the rule of each operation. The setting `rules` changes single ones."""


def table(preset: str, changed: Mapping[Operation, str]) -> Mapping[Operation, Rule]:
    """Return the rule of every operation: the preset's, except for those in `changed`.

    Raises:
        ConfigError: There is no such preset, operation or rule.
    """
    if preset not in PRESETS:
        raise ConfigError(not_known("policy", preset, PRESETS))
    rules = {**PRESETS[preset]}
    for operation, name in changed.items():
        if operation not in RULES:
            raise ConfigError(not_known("operation", operation, RULES))
        choices = RULES[operation]
        if name not in choices:
            raise ConfigError(not_known(f"rule for {operation}", name, choices))
        rules[operation] = choices[choices.index(name)]
    return rules


def less(operation: Operation, one: str, other: str) -> str:
    """Return the one of two rules that changes calls of an operation less."""
    order: tuple[str, ...] = RULES[operation]
    return max(one, other, key=order.index)
