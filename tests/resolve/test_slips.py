from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.project.names import Names
from truepath.resolve.folder_typos import find_slip

PROJECT = Names(
    [
        ".claude/projects/roadmap/notes.md",
        ".claude/settings.json",
        ".github/workflows/ci.yml",
        "src/components/button.tsx",
        "src/components/dialog.tsx",
        "src/containers/checkout.tsx",
        "src/search/index.ts",
        "docs/v1/install.md",
        "docs/v2/install.md",
        "docs/step-02/task.md",
        "dynamedex/protocol.ts",
        "testcases/work/fs.py",
        "testcases/python/fs.py",
        "Sources/App/main.swift",
        "alphas/a.txt",
        "alphat/a.txt",
        "app/a.txt",
    ]
)


def folders(path: str) -> list[str]:
    return [child[:-1] for child in PROJECT.children(path) if child.endswith("/")]


@pytest.mark.parametrize(
    ("written", "meant", "evidence"),
    [
        ("dynamedx/codec.ts", "dynamedex/codec.ts", "one-letter"),
        ("src/compnents/card.tsx", "src/components/card.tsx", "one-letter"),
        ("src/serach/rank.ts", "src/search/rank.ts", "one-letter"),
        ("src/Components/card.tsx", "src/components/card.tsx", "case"),
        ("sources/App/view.swift", "Sources/App/view.swift", "case"),
        ("testcases/w/net.py", "testcases/work/net.py", "cut-off"),
        (".knife/projects/roadmap/x.md", ".claude/projects/roadmap/x.md", "same-below"),
        (".githab/workflows/x.yml", ".github/workflows/x.yml", "one-letter"),
    ],
)
def test_a_new_folder_that_looks_like_a_sibling_is_a_slip_of_it(written, meant, evidence):
    slip = find_slip(written, folders, last_is_folder=False)

    assert slip is not None
    assert (slip.path, slip.evidence) == (meant, evidence)
    assert written.startswith(slip.made)
    assert meant.startswith(slip.meant)


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("src/components/card.tsx", "the folder is there"),
        ("card.tsx", "no folder is made"),
        ("telemetry/spans.ts", "a name like no other"),
        ("docs/v3/install.md", "the next of a series"),
        ("docs/step-03/task.md", "the next of a series in words"),
        ("src/components/forms/input.tsx", "a new folder in one without any"),
        ("src/component-tests/card.tsx", "a word more is another name"),
        ("alpha/a.txt", "two siblings are as near"),
        ("api/routes.ts", "one letter of three makes another word: `app` stays where it is"),
        ("projects/roadmap/x.md", "what lies below is no reason unless both are hidden"),
    ],
)
def test_a_new_folder_of_its_own_name_is_none(written, reason):
    assert find_slip(written, folders, last_is_folder=False) is None, reason


def test_the_last_segment_counts_when_it_is_a_folder_too():
    assert find_slip("src/compnents", folders, last_is_folder=False) is None
    slip = find_slip("src/compnents", folders, last_is_folder=True)

    assert slip is not None
    assert slip.path == slip.meant == "src/components"


def test_only_the_first_new_folder_is_looked_at():
    slip = find_slip("testcases/wrk/pyhton/a.py", folders, last_is_folder=False)

    assert slip is not None
    assert slip.path == "testcases/work/pyhton/a.py"


@given(path=st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=4).map("/".join))
def test_what_is_meant_is_there_and_was_not_written(path):
    slip = find_slip(path, folders, last_is_folder=False)

    if slip is not None:
        assert slip.meant in PROJECT.folders
        assert slip.made not in PROJECT.folders
