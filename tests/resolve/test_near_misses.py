"""In trees of real projects: no near miss, and no file that is gone, changes another
file.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from rows import check_each

from truepath import Workspace

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
CHANGES = ("edit", "move", "copy", "execute", "delete")


def cut(word, at):
    return word[:at] + word[at + 1 :]


IN_A_WORD = (
    cut,
    lambda word, at: word[:at] + word[at : at + 1] + word[at:],
    lambda word, at: (
        word[:at] + word[at + 1 : at + 2] + word[at : at + 1] + word[at + 2 :]
    ),
    lambda word, _: word.translate(str.maketrans("0123456789", "1234567890")),
    lambda word, _: word.removesuffix("s") if word.endswith("s") else f"{word}s",
    lambda word, _: word.swapcase(),
)


def near(path, chance):
    """Yield paths like one: a letter, number or case off, a folder more, less or
    another.
    """
    parts = path.split("/")
    at = chance.randrange(len(parts))
    for change in IN_A_WORD:
        for place in {at, len(parts) - 1}:
            word = change(parts[place], chance.randrange(len(parts[place])))
            yield "/".join([*parts[:place], word, *parts[place + 1 :]])
    yield "/".join(parts[1:])
    yield "/".join(cut(parts, at))
    yield "/".join([*parts[:at], "extra", *parts[at:]])
    yield f"{path.rpartition('.')[0]}.txt"
    yield f"old/{parts[-1]}"


@pytest.fixture
def trees(monkeypatch):
    """The names of each project of which an agent missed a path, but for the
    largest.
    """
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import cases

    found = sorted(
        {each.tree for name in ("first", "second") for each in cases.load(name)} - {""}
    )
    named = ((tree, [*cases.tree_names(tree)]) for tree in found)
    return [(tree, names) for tree, names in named if 50 < len(names) < 4000]


def test_what_changes_is_led_to_the_file_that_was_meant_or_to_none(trees):
    def check(row):
        tree, names = row
        chance = random.Random(tree)
        [path, gone] = chance.sample(names, 2)
        project = Workspace.from_names(names)
        for written in near(path, chance):
            found = project.resolve(written or ".", chance.choice(CHANGES))
            assert found.permits != "corrected" or found.path == path, (
                written,
                path,
                found,
            )
        without = Workspace.from_names([name for name in names if name != gone])
        for operation in CHANGES:
            assert without.resolve(gone, operation).permits != "corrected", gone

    assert len(trees) > 80
    check_each(trees, check, lambda row: row[0])
