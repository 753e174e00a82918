"""The policies a user can choose: which rule each gives to each operation, and the thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, cast, get_args

from truepath.errors import ConfigError, not_known
from truepath.types import Operation

Policy = Literal["careful", "recover", "suggest", "guide", "observe"]

Rule = Literal["correct", "refuse", "guide", "observe", "protect", "repair"]
"""
- `correct`: rewrite when resolved, else refuse with candidates.
- `refuse`: never rewrite; refuse with candidates.
- `guide`: let it fail, then tell the agent how to search.
- `observe`: let it through, record only.
- `protect`: for what is about to be made: allow, but refuse, once, what looks like a slip.
- `repair`: as `protect`, and rewrite a wrong parent folder that has one confident match.
"""

_READERS: tuple[Operation, ...] = ("read", "list", "search", "execute")
_MAKERS: tuple[Operation, ...] = ("write", "mkdir")
_CHANGERS: tuple[Operation, ...] = ("edit", "copy", "move", "delete")


def _preset(
    *, readers: Rule, changers: Rule, makers: Rule, delete: Rule
) -> Mapping[Operation, Rule]:
    rules: dict[Operation, Rule] = dict.fromkeys(_READERS, readers)
    rules.update(dict.fromkeys(_CHANGERS, changers))
    rules.update(dict.fromkeys(_MAKERS, makers))
    rules["delete"] = delete
    return rules


DEFAULT = "careful"

PRESETS: Mapping[str, Mapping[Operation, Rule]] = {
    "careful": _preset(readers="correct", changers="correct", makers="protect", delete="refuse"),
    "recover": _preset(readers="correct", changers="correct", makers="repair", delete="correct"),
    "suggest": _preset(readers="refuse", changers="refuse", makers="protect", delete="refuse"),
    "guide": _preset(readers="guide", changers="guide", makers="observe", delete="guide"),
    "observe": _preset(readers="observe", changers="observe", makers="observe", delete="observe"),
}
"""The presets. Each operation's rule can be set by itself."""


def rule(name: str) -> Rule:
    """Return the rule of that name; raise ConfigError when there is none."""
    if name not in get_args(Rule):
        raise ConfigError(not_known("rule", name, get_args(Rule)))
    return cast("Rule", name)


def table(preset: str, changed: Mapping[Operation, str]) -> Mapping[Operation, Rule]:
    """Return the rule of every operation: a preset's, but for those that are changed.

    Raises:
        ConfigError: There is no such preset, or no such rule.
    """
    if preset not in PRESETS:
        raise ConfigError(not_known("policy", preset, PRESETS))
    return {**PRESETS[preset], **{each: rule(name) for each, name in changed.items()}}


THRESHOLDS: Mapping[Operation, float] = {
    "read": 0.9,
    "list": 0.9,
    "search": 0.9,
    "execute": 0.97,
    "edit": 0.97,
    "copy": 0.97,
    "move": 0.97,
    "delete": 0.99,
    "write": 0.99,
    "mkdir": 0.99,
}
"""The lowest likelihood (0 to 1) at which a path is corrected, by operation, where its grounds
permit that (`resolve.permission`). `benchmarks/fit.py` prints how many of agents' misses that
corrects, and how many of them wrongly."""
