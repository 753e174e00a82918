"""What to do about a resolution: operation and resolution in, action out.

How sure is sure enough was settled by the resolution's threshold; this module holds no numbers and
no words.
"""

from __future__ import annotations

from collections.abc import Mapping

from truepath.config.presets import Rule
from truepath.types import Action, Operation, Resolution


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
    # What a note tells of, such as a folder that moved, is the agent's to decide.
    if rule == "repair" and single and not resolution.outside and not resolution.note:
        return "rewrite"
    return "refuse" if resolution.status in ("ambiguous", "directory") else "allow"
