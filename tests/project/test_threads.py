"""One guard, several threads, one answer: a listing is swapped whole."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import repos

from truepath import Workspace

FILES = {"src/a.py": "", "src/pkg/telemetry.py": "", "docs/status.md": "green\n"}
EMPTY = [f"src/empty_folder_{number}" for number in range(9)]
EMPTY += [f"sub/empty_folder_{number}" for number in range(3)]

# (what is asked, its operation, whether git is there)
ASKED = [
    ("src/empty_foldr_1", "list", True),
    ("src/empty_foldr_1", "list", False),
    ("sub/empty_foldr_2", "list", True),
    ("src/pkg/telemtry.py", "read", True),
    ("src/empty_folder_1/telemetry.py", "read", True),
    ("docs/empty_folder_3", "search", True),
    ("sub/nested/inner.py", "edit", True),
]


@pytest.mark.parametrize(("path", "operation", "with_git"), ASKED)
def test_all_threads_have_one_answer(path, operation, with_git, make_repo):
    repo = make_repo(FILES, git=with_git)
    if with_git:
        repos.start(repo / "sub", {"lib/inner.py": ""})
    for folder in EMPTY:
        os.makedirs(repo / folder)
    space = Workspace(repo, timeout_s=20)

    def asked(number):
        if number % 3 == 0:  # as a call does that may have made or removed a file
            space.changed()
        return space.resolve(path, operation)

    with ThreadPoolExecutor(8) as pool:
        found = {*pool.map(asked, range(80))}
    assert len(found) == 1, found


@pytest.mark.parametrize(
    ("made", "asked"),
    [
        ("lib/made_since.py", "src/made_since.py"),
        ("made_since.py", "lib/made_since.py"),
        ("src/deep/er/made_since.py", "src/made_since.py"),
        ("src/made_since_then.py", "src/made_since_thn.py"),
        ("new_folder/x.md", "new_foldr/x.md"),
    ],
)
def test_a_file_that_was_made_since_the_last_answer_is_found(
    made, asked, make_repo, write, monkeypatch
):
    repo = make_repo(FILES)
    space = Workspace(repo, timeout_s=20)
    assert space.resolve(asked).status == "absent"
    write(repo, {made: ""})
    clock = time.monotonic() + 0.2  # a model's next call is not sooner
    monkeypatch.setattr(time, "monotonic", lambda: clock)
    found = space.resolve(asked)
    assert [each.path for each in found.candidates][:1] == [made]
