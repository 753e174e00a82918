"""What a session knows of the checkouts of its repository: pure functions of facts.

A fact is a word and what it is about, `own /w/fix`. Only a session that is asked before
it acts in another checkout has any.

- `own`: the top of the checkout that it works in.
- `edited`: the top of the checkout in which it has last changed a file.
- `asked`: a call that was refused, to be sent again if it is meant.
- `meant`: the top of a checkout in which it means to act.
- `typed`: a path that the user has typed.
- `told`: the top of a checkout in which it knows that it runs.
"""

from __future__ import annotations

from collections.abc import Sequence

Facts = tuple[str, ...]

_SINGLE = ("own", "edited")
"""Words of which the newest fact alone counts."""

_MOST = 64
"""Facts, at most; the oldest of the other words are dropped."""

_LENGTH = 1024
"""Characters of a fact, at most: a longer one is not kept."""


def learned(facts: Facts, *new: str) -> Facts:
    """Return facts with new ones, the newest last, and the single ones first."""
    kept = [fact for fact in new if len(fact) <= _LENGTH]
    for fact in kept:
        word = fact.partition(" ")[0]
        facts = forgotten(facts, word) if word in _SINGLE else facts
    everything = dict.fromkeys((*facts, *kept))
    single = [fact for fact in everything if fact.partition(" ")[0] in _SINGLE]
    others = [fact for fact in everything if fact not in single]
    return (*single, *others[len(single) - _MOST :])


def forgotten(facts: Facts, word: str) -> Facts:
    """Return facts without those of a word."""
    return tuple(fact for fact in facts if fact.partition(" ")[0] != word)


def about(facts: Facts, word: str) -> Sequence[str]:
    """Return what the facts of a word are about, the newest last."""
    split = (fact.partition(" ") for fact in facts)
    return [what for first, _, what in split if first == word]
