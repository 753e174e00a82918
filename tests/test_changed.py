"""What `make check` runs: the tests of what differs from `main`."""

from __future__ import annotations

import os

import changed
import pytest
from rows import check_each

PROJECT = changed.ROOT
CHECKS = [
    (["src/truepath/guard/policy.py"], ["tests/guard/"]),
    (["src/truepath/calls/shell/uses.py", "src/truepath/calls/patch.py"], ["tests/calls/"]),
    (["src/truepath/resolve/likelihood.json"], ["tests/resolve/"]),
    (["src/truepath/project/git.py", "src/truepath/guard/wrap.py"],
     ["tests/guard/", "tests/project/"]),
    (["src/truepath/types.py"], ["tests/e2e/"]),
    (["src/truepath/unknown/new.py"], ["tests/e2e/"]),
    (["tests/cli/test_log.py"], ["tests/cli/test_log.py"]),
    (["tests/cli/test_log.py", "src/truepath/cli/log.py"], ["tests/cli/"]),
    (["tests/cli/test_that_is_gone.py"], []),
    (["tests/conftest.py"], ["tests/e2e/"]),
    (["docs/cli.md", "README.md"], ["tests/test_docs.py"]),
    (["native/src/main.rs"], ["tests/hook/test_native.py"]),
    (["plugins/claude-code/hooks/hooks.json"], ["tests/hosts/test_plugin.py"]),
    (["Makefile", ".ci/run", "benchmarks/latency.py"], []),
    ([], []),
]  # fmt: skip


def test_what_changed_names_its_tests_and_fast_rooms_come_first():
    def check(row):
        files, tests = row
        assert changed.paths_for(files) == tests

    check_each(CHECKS, check)


def test_what_tests_share_names_those_that_use_it():
    assert "tests/cli/test_log.py" in changed.paths_for(["tests/commandline.py"])
    assert "tests/cli/test_audit.py" in changed.paths_for(["tests/transcripts/pi.jsonl"])
    assert "tests/adapters/test_suite.py" not in changed.paths_for(["tests/commandline.py"])


def test_every_room_with_tests_is_known():
    rooms = {room.name for room in (PROJECT / "src/truepath").iterdir() if room.is_dir()}
    tested = rooms.intersection(os.listdir(PROJECT / "tests")) - {"__pycache__"}
    assert set(changed.ROOMS) == tested


def test_commits_of_the_branch_edits_and_new_files_are_all_changes(make_repo, git, write):
    repo = make_repo({"a.py": "", "b.py": "", "c.py": ""})
    git(repo, "checkout", "--quiet", "-b", "topic")
    write(repo, {"a.py": "1"})
    git(repo, "commit", "--quiet", "--all", "--message=topic")
    git(repo, "checkout", "--quiet", "main")
    write(repo, {"c.py": "1"})
    git(repo, "commit", "--quiet", "--all", "--message=main")
    git(repo, "checkout", "--quiet", "topic")
    write(repo, {"b.py": "1", "new one.py": ""})

    assert changed.changed(repo) == {"a.py", "b.py", "new one.py"}


@pytest.mark.parametrize("args", [("checkout", "--quiet", "--detach"), ("branch", "-m", "work")])
def test_without_a_main_the_last_commit_counts(make_repo, git, write, args):
    repo = make_repo({"a.py": ""})
    git(repo, *args)
    write(repo, {"a.py": "1"})

    assert changed.changed(repo) == {"a.py"}
