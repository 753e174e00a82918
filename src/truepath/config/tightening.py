"""What a project's settings may change: a repository by somebody else may only restrict truepath.

Knows the order in which rules do less, and no files.
"""

from __future__ import annotations

from truepath.config import presets

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from truepath.types import Operation

USER_ONLY = frozenset({"beside_hooks", "journal", "store"})
"""What a repository must not choose: where a session's data goes and what is recorded, and whether
the user's own hooks are heard."""

DEADLINE = 5.0
"""Seconds; half of what the hook waits for an answer before it lets the call go on."""

LIMIT = 2_000_000
"""Names; twenty times the Linux kernel's."""

Ignored = tuple[tuple[str, ...], str]
"""The name of a setting, with its table, and why it is ignored."""


def tightened(
    ours: Mapping[str, Any], theirs: Mapping[str, Any], ignored: list[Ignored]
) -> dict[str, Any]:
    """Return the user's settings with what a project may change in them.

    Args:
        ours: What the user has set; what is left out has its default.
        theirs: What the project sets, each of it usable by itself.
        ignored: Gets one entry for each setting that the project may not make.
    """
    values = dict(ours)
    only = "only you can set it, in your own file or the environment"
    ignored.extend(((name,), only) for name in theirs if name in USER_ONLY)
    values.update(_rules(ours, theirs, ignored))
    for name, usual in (("deadline", DEADLINE), ("limit", LIMIT)):
        if name in theirs and theirs[name] <= ours.get(name, usual):
            values[name] = theirs[name]
        elif name in theirs:
            ignored.append(((name,), "a project can only lower it"))
    if theirs.get("enabled") is False:
        values["enabled"] = False
    if "deny" in theirs:
        both = (*ours.get("deny", ()), *_denied(theirs["deny"], ignored))
        values["deny"] = tuple(dict.fromkeys(both))
    return values


def _rules(
    ours: Mapping[str, Any], theirs: Mapping[str, Any], ignored: list[Ignored]
) -> dict[str, Any]:
    if "policy" not in theirs and "rules" not in theirs:
        return {}
    preset = ours.get("policy", presets.DEFAULT)
    mine = presets.table(preset, ours.get("rules", {}))
    wanted: dict[Operation, str] = {}
    if "policy" in theirs:
        wanted.update(presets.PRESETS[theirs["policy"]])
        if not any(presets.does_less(each, own, wanted[each]) for each, own in mine.items()):
            preset = theirs["policy"]
        elif not any(presets.does_less(each, wanted[each], own) for each, own in mine.items()):
            ignored.append((("policy",), f"a project can only make yours ({preset}) do less"))
    for each, rule in theirs.get("rules", {}).items():
        wanted[each] = rule
        if presets.does_less(each, mine[each], rule):
            said = f"a project can only make yours ({mine[each]}) do less"
            ignored.append((("rules", each), said))
    less = {
        each: wanted[each] if presets.does_less(each, wanted.get(each, own), own) else own
        for each, own in mine.items()
    }
    apart = {each: rule for each, rule in less.items() if rule != presets.PRESETS[preset][each]}
    return {"policy": preset, "rules": apart}


def _denied(patterns: tuple[str, ...], ignored: list[Ignored]) -> Iterator[str]:
    """Yield what a project hides; what is hidden already it cannot show again."""
    for each in patterns:
        if each.startswith("!"):
            ignored.append((("deny",), f"a project cannot show again what is hidden: {each!a}"))
        else:
            yield each
