"""What to do about a resolution: a table of presets, and one function that reads it.

Operation and resolution in, action out. How sure is sure enough was settled by the resolution's
threshold; this module holds no numbers and no words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, cast, get_args

from truepath.call import Action, Operation, Resolution
from truepath.errors import ConfigError, not_known

Policy = Literal["careful", "recover", "suggest", "guide", "observe"]

Rule = Literal["correct", "refuse", "guide", "observe", "protect", "repair"]
"""
- `correct`: rewrite when resolved, else refuse with candidates.
- `refuse`: never rewrite; refuse with candidates.
- `guide`: let it fail, then tell the agent how to search.
- `observe`: let it through, record only.
- `protect`: for what is about to be made: allow, but refuse the slip of an existing folder.
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


def without_rewrites(rules: Mapping[Operation, Rule]) -> Mapping[Operation, Rule]:
    """Return the rules for one who cannot change a call: what would be rewritten is refused."""
    instead: Mapping[Rule, Rule] = {"correct": "refuse", "repair": "protect"}
    return {operation: instead.get(rule, rule) for operation, rule in rules.items()}


def decide(rule: Rule, resolution: Resolution, *, ordered: bool = False) -> Action:
    """Return what to do about one path.

    Args:
        rule: The rule of its operation.
        resolution: What is true of it.
        ordered: Whether the user asked for this path by name: that is an order, not a guess, so
            it is neither refused nor rewritten, only advised upon.
    """
    action = _plain(rule, resolution)
    return "advise" if ordered and action in ("refuse", "rewrite") else action


def _plain(rule: Rule, resolution: Resolution) -> Action:
    status = resolution.status
    if status in ("exists", "outside") or rule in ("guide", "observe"):
        return "allow"
    if rule in ("protect", "repair"):
        return _made(rule, resolution)
    if status == "resolved" and rule == "correct":
        return "rewrite"
    return "refuse"


def _made(rule: Rule, resolution: Resolution) -> Action:
    """Decide on what is about to be made."""
    single = resolution.status == "ambiguous" and len(resolution.candidates) == 1
    if rule == "repair" and single and not resolution.outside:
        return "rewrite"
    return "refuse" if resolution.status in ("ambiguous", "directory") else "allow"
