"""In which order candidates are named where none is sure."""

from __future__ import annotations

import pytest

from truepath import Workspace
from truepath.resolve.order import likeliest_first, namesakes_first
from truepath.types import Candidate


def candidate(path, confidence, evidence):
    return Candidate(path, confidence, tuple(evidence.split()))


ORDERS = [
    # candidates as (path, confidence, evidence), the order in which they are named, why
    (
        [
            ("tests/test_signals.py", 0.75, "test-affix missing-leading"),
            ("src/flask/signals.py", 0.075, "same-name missing-leading only-one plain-name"),
        ],
        ["src/flask/signals.py", "tests/test_signals.py"],
        "the only one of that very name",
    ),
    (
        [
            ("src/users.py", 0.6, "plural same-folder"),
            ("lib/user.py", 0.1, "same-name folder-replaced"),
            ("old/user.py", 0.2, "same-name folder-replaced"),
        ],
        ["old/user.py", "lib/user.py", "src/users.py"],
        "all of that name, likeliest first",
    ),
    (
        [
            ("src/app/main.py", 0.5, "plural same-folder"),
            ("lib/main.py", 0.01, "same-name moved generic-name"),
        ],
        ["src/app/main.py", "lib/main.py"],
        "a name that stands everywhere says nothing",
    ),
    (
        [
            (".github/release.yaml", 0.8, "same-format same-folder"),
            ("old/release.yml", 0.1, "same-name moved"),
        ],
        [".github/release.yaml", "old/release.yml"],
        "another extension of the format is the same name",
    ),
    (
        [
            ("src/state.md", 0.3, "renamed rewritten"),
            ("lib/status.md", 0.1, "same-name moved"),
        ],
        ["src/state.md", "lib/status.md"],
        "history knows what it was called",
    ),
]


@pytest.mark.parametrize(("found", "order", "why"), ORDERS)
def test_what_has_the_very_name_is_named_before_what_is_near_it(found, order, why):
    candidates = [candidate(*each) for each in found]

    assert [each.path for each in namesakes_first(candidates)] == order, why
    assert likeliest_first(candidates)[0] == max(candidates, key=lambda each: each.confidence)


@pytest.mark.parametrize("written", ["signals.py", "lib/signals.py", "core/signals.py"])
def test_the_only_file_of_a_name_comes_before_its_test(written):
    names = ["tests/test_signals.py", "src/flask/signals.py", "src/flask/app.py", "docs/signal.py"]
    told = Workspace.from_names(names).resolve(written, "edit")

    assert told.path is None
    assert told.candidates[0].path == "src/flask/signals.py"
