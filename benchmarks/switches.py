"""A switch for each row of every table, and for what decides without a row.

`install` puts a switch before the function of each row, in the tables of the modules
as they are: the product knows nothing of it. A switch notes in `SPOKE` that its row
made a difference to what it was asked, and does without it while it is in `OFF`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import GeneratorType
from typing import Any

from truepath.calls import error_texts
from truepath.calls.shell import needs as shell_needs
from truepath.guard import checks, failed_text, needs, nothing_done, policy
from truepath.records import replace
from truepath.resolve import (
    candidates,
    facts,
    likelihood,
    new_paths,
    places,
    question,
    reasons,
    spellings,
    vetoes,
)
from truepath.types import Resolution

OFF: set[str] = set()
"""Rows that are done without."""

SPOKE: set[str] = set()
"""Rows that made a difference since this was cleared."""

ROWS: dict[str, str] = {}
"""Row -> its table."""


def switched(
    row: str, real: Callable[..., Any], off: Callable[..., Any]
) -> Callable[..., Any]:
    """Return the function of a row, behind a switch: `off` is what it does without."""

    def call(*args: Any, **named: Any) -> Any:
        found = _whole(real(*args, **named))
        without = _whole(off(*args, **named))
        if found != without:
            SPOKE.add(row)
        return without if row in OFF else found

    return call


def _whole(found: Any) -> Any:
    return [*found] if isinstance(found, GeneratorType) else found


def swap(old: Any, new: Any) -> None:
    """Put another value in the place of one, in each module that has it by a name."""
    for name, module in [*sys.modules.items()]:
        if not name.startswith("truepath"):
            continue
        for known, value in [*vars(module).items()]:
            if value is old:
                setattr(module, known, new)


def private(module: Any, name: str) -> Any:
    """Return what a module keeps to itself."""
    return vars(module)[name]


def _always(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


def install() -> None:
    """Put the switches in."""
    for table, rows, column, off in (
        ("veto", vetoes.VETOES, "applies", False),
        ("path veto", policy.PATH_VETOES, "applies", False),
        ("call veto", policy.CALL_VETOES, "leaves", "rewrite"),
        ("check", checks.CHECKS, "finds", None),
        ("reason", reasons.REASONS[:-1], "has", False),
    ):
        _install_rows(table, rows, column, off)
    _install_needs()
    _install_spellings()
    _install_places()
    _install_weak_likenesses()
    _install_shapes()
    _install_programs()
    _install_features()
    for mechanism in MECHANISMS:
        _install_mechanism(mechanism)


_FOUND_ELSEWHERE = ("folder", "not-absolute")
"""Checks that a resolution and a ruler make: the unmet texts stand for them."""


def _install_rows(table: str, rows: Sequence[Any], column: str, off: Any) -> None:
    new = []
    for row in rows:
        name = row.name
        if name in _FOUND_ELSEWHERE:
            new.append(row)
            continue
        ROWS[name] = table
        switch = switched(name, getattr(row, column), _always(off))
        new.append(replace(row, **{column: switch}))
    if table == "reason":  # the last one always applies
        new.append(reasons.REASONS[-1])
        swap(reasons.REASONS, tuple(new))
        swap(reasons.ROWS, {row.name: row for row in new})
    else:
        swap(rows, tuple(new))


def _install_needs() -> None:
    new = []
    for need in shell_needs.NEEDS:
        name = f"need: {need.commands.partition(',')[0]}"
        ROWS[name] = "need"
        new.append(replace(need, fits=switched(name, need.fits, _always(False))))
    swap(shell_needs.NEEDS, tuple(new))
    by_name = {name: need for need in new for name in need.commands.split(", ")}
    swap(private(shell_needs, "_ROWS"), by_name)


def _install_spellings() -> None:
    undone = private(spellings, "_undone")

    def name_of(step: Any) -> str:
        if callable(step):
            return f"spelling: {step.__name__.strip('_')}"
        known = vars(spellings).items()
        name = next(name for name, value in known if value is step)
        return f"spelling: {name.strip('_').lower()}"

    def switch(step: Any) -> Callable[..., str]:
        def done(text: str, frame: Any) -> str:
            plain = undone(step, text, frame)
            return "" if plain == text else plain

        ROWS[name_of(step)] = "spelling"
        return switched(name_of(step), done, _always(""))

    all_steps = {
        step: switch(step)
        for step in (*private(spellings, "_STEPS"), *private(spellings, "_PLAIN"))
    }
    for table in (private(spellings, "_STEPS"), private(spellings, "_PLAIN")):
        swap(table, tuple(all_steps[step] for step in table))


_OF_OTHERS = "mapped own-copy contents history in-between beside".split()
"""Kinds of places that the text of a path does not tell."""


def _install_places() -> None:
    read = places.read
    for kind in places.WORDS:
        if kind not in (*places.LITERAL, *_OF_OTHERS):
            ROWS[f"place: {kind}"] = "place"

    def read_places(written: str, frame: Any) -> Any:
        return _kept_places(read(written, frame))

    swap(read, read_places)


def _kept_places(reading: Any) -> Any:
    kept = []
    for place in reading.places:
        row = f"place: {place.kind}"
        if row in ROWS:
            SPOKE.add(row)
        if row not in OFF:
            kept.append(place)
    return replace(reading, places=tuple(kept))


def _install_weak_likenesses() -> None:
    weakly_alike = private(candidates, "_weakly_alike")
    for words in WEAK_LIKENESSES:
        ROWS[f"weak: {words}"] = "weak likeness"

    def kept(*args: Any) -> Iterator[tuple[str, list[str]]]:
        for words, paths in weakly_alike(*args):
            if len(paths) == 1:
                SPOKE.add(f"weak: {words}")
            if f"weak: {words}" not in OFF:
                yield words, paths

    swap(weakly_alike, kept)


WEAK_LIKENESSES = (
    "another extension",
    "one letter or sign different",
    "the same number in front",
    "words in common",
)


class _Pattern:
    """A pattern behind a switch."""

    def __init__(self, row: str, pattern: Any) -> None:
        self.row = row
        self.pattern = pattern

    def search(self, text: str) -> Any:
        match = self.pattern.search(text)
        if match:
            SPOKE.add(self.row)
        return None if self.row in OFF else match


def _install_shapes() -> None:
    compiled = private(error_texts, "_compiled")
    shapes = private(error_texts, "_listed")("error_shapes.txt")
    for at, _ in enumerate(shapes, 1):
        ROWS[f"shape: {at}"] = "error shape"
    rows = {shape: f"shape: {at}" for at, shape in enumerate(shapes, 1)}
    swap(compiled, lambda shape: _Pattern(rows[shape], compiled(shape)))
    unmet: dict[str, _Patterns] = {}
    for at, line in enumerate(private(error_texts, "_listed")("unmet_texts.txt"), 1):
        about, _, text = line.partition(" ")
        row = f"unmet: {at} {about}"
        ROWS[row] = "unmet text"
        unmet.setdefault(about, _Patterns()).append(_Pattern(row, re.compile(text)))
    swap(private(error_texts, "_unmet_patterns"), lambda: unmet)


class _Patterns(list[_Pattern]):
    """Patterns, each behind its own switch: any of them is enough."""

    def search(self, text: str) -> Any:
        found = [pattern.search(text) for pattern in self]
        return next(filter(None, found), None)


class _Programs(dict[str, str]):
    """A table by program, each behind a switch."""

    def __contains__(self, program: object) -> bool:
        if not super().__contains__(program):
            return False
        SPOKE.add(f"done: {program}")
        return f"done: {program}" not in OFF


def _install_programs() -> None:
    for program in nothing_done.DONE:
        ROWS[f"done: {program}"] = "nothing done"
    swap(nothing_done.DONE, _Programs(nothing_done.DONE))


def _install_features() -> None:
    parts = likelihood.parts
    rank = likelihood.rank
    for name in likelihood.weights():
        ROWS[f"feature: {name}"] = "feature"

    def kept(features: Mapping[str, int]) -> dict[str, float]:
        whole = parts(features)
        if not any(row.startswith("feature: ") for row in OFF):
            return whole
        return {name: part for name, part in whole.items() if _is_on(name)}

    def ranked(matches: Any, nothing: Any) -> Any:
        found = rank(matches, nothing)
        for match, _ in found[:2]:
            SPOKE.update(f"feature: {name}" for name in match.features)
        SPOKE.update(f"feature: {name}" for name in nothing)
        return found

    swap(parts, kept)
    swap(rank, ranked)


def _is_on(feature: str) -> bool:
    return f"feature: {feature}" not in OFF


@dataclass(frozen=True)
class Mechanism:
    """What decides without a row: a function, and what stands for it."""

    name: str
    owner: Any
    function: str
    off: Callable[..., Any]


def _nothing(*_: Any, **__: Any) -> Iterator[Any]:
    yield from ()


def _first(first: Any, *_: Any, **__: Any) -> Any:
    return first


def _left_alone(_: Any, written: str, asked: Any) -> Resolution:
    return Resolution(written, "outside", asked.operation, outside=True)


MECHANISMS = (
    Mechanism("in-main-checkout", question, "_in_main_checkout", _nothing),
    Mechanism("several-in-one", question, "_several", _always(())),
    Mechanism("submodule", question, "_in_missing_module", _always(None)),
    Mechanism("backslashes", question, "_separated", _left_alone),
    Mechanism("blanks", question, "with_blanks", _always(None)),
    Mechanism("holders", question, "_holders", _always(None)),
    Mechanism("namesakes-with-text", question, "_namesakes_with_text", _always(())),
    Mechanism("of-contents", question, "_of_contents", _always(())),
    Mechanism("near-search", candidates, "_has_one_to_name", _always(True)),
    Mechanism("beside", candidates, "_beside", _nothing),
    Mechanism("foreign", candidates, "_is_foreign", _always(False)),
    Mechanism("leaves-folder", facts, "leaves_folder", _always(False)),
    Mechanism("new: twins", new_paths, "_twins", _nothing),
    Mechanism("new: siblings", new_paths, "_siblings", _nothing),
    Mechanism("new: home", new_paths, "_makes", _always(False)),
    Mechanism("block-repeats", policy, "_blocked", _first),
    Mechanism("confirmed", policy, "_warnings", _always(())),
    Mechanism("needs", needs, "lacking", _always(None)),
)


def _install_mechanism(mechanism: Mechanism) -> None:
    ROWS[mechanism.name] = "mechanism"
    real = getattr(mechanism.owner, mechanism.function)
    switch = switched(mechanism.name, real, mechanism.off)
    if isinstance(mechanism.owner, type):
        setattr(mechanism.owner, mechanism.function, switch)
    else:
        swap(real, switch)


_ = failed_text  # so that its names are swapped too
