"""What every test gets: a home of its own, and real repositories to work on."""

from __future__ import annotations

import collections
import itertools
import os
import pathlib
import re
import shutil
from collections.abc import Callable, Iterable, Iterator

import hypothesis
import pytest
import repos
from disks import UNBOUND
from frameworks import absent

# How long an example takes says more of the machine than of us; pytest-timeout ends
# what hangs.
hypothesis.settings.register_profile("default", deadline=None)
hypothesis.settings.load_profile("default")

MOST_EXAMPLES = int(os.environ.get("TRUEPATH_TEST_EXAMPLES", "0"))
"""At most so many examples of a property, whatever it asks for itself; 0: as many as it
asks."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    asked = "_hypothesis_internal_use_settings"
    for test in {
        getattr(item.obj, "__func__", item.obj) for item in items if MOST_EXAMPLES
    }:
        if hypothesis.is_hypothesis_test(test):
            own = getattr(test, asked)
            most = min(own.max_examples, MOST_EXAMPLES)
            setattr(test, asked, hypothesis.settings(own, max_examples=most))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in skipped(terminalreporter.stats.get("skipped", ())):
        terminalreporter.write_line(line)
    asked = terminalreporter.config.args
    if (left_out := absent()) and any("adapters" in each for each in asked):
        terminalreporter.write_line(
            f"adapters not tested, for their frameworks are not installed here: "
            f"{', '.join(left_out)} (make test-adapters installs them)"
        )


def skipped(reports: Iterable[pytest.TestReport]) -> list[str]:
    """Return at most four lines that say how many tests were skipped, and why."""
    said = (str(report.longrepr[2]).removeprefix("Skipped: ") for report in reports)
    reasons = collections.Counter(said)
    absent = {why: re.match(r"no (\S+)(?: that runs)? here", why) for why in reasons}
    programs = sorted({found[1].strip("`") for found in absent.values() if found})
    lines = []
    if programs:
        count = sum(reasons.pop(why) for why, found in absent.items() if found)
        names = ", ".join(programs)
        lines.append(
            f"skipped {count}: not here: {names} (.ci/run installs what Debian has)"
        )
    first, rest = reasons.most_common(2), reasons.most_common()[2:]
    lines += [f"skipped {count}: {why}" for why, count in first]
    if rest:
        count = sum(count for _, count in rest)
        lines.append(
            f"skipped {count}: for {len(rest)} other reasons (make test ARGS=-rs)"
        )
    return lines


_homes = itertools.count()


@pytest.fixture(scope="session")
def people(tmp_path_factory) -> pathlib.Path:
    return tmp_path_factory.mktemp("people")


@pytest.fixture(autouse=True)
def isolated(people, monkeypatch) -> pathlib.Path:
    """Give each test an empty home and no trace of whoever runs it; the home is
    returned.

    It lies beside `tmp_path`, not in it: a project above the home folder is no project.
    """
    home = people / str(next(_homes))
    state = people / f"{home.name}-state"
    home.mkdir()
    state.mkdir()
    for name in [*os.environ]:
        if name.startswith(("GIT_", "TRUEPATH_", "XDG_", "CLAUDE_", "COLUMNS")):
            monkeypatch.delenv(name)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    # Most that may be set: what is tested is seldom how long an answer takes.
    monkeypatch.setenv("TRUEPATH_HOOK_SECONDS", "9")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    return home


@pytest.fixture
def git() -> Callable[..., str]:
    """Return `git(repo, *args)`."""
    return repos.run_git


@pytest.fixture
def make_repo(tmp_path) -> Callable[..., pathlib.Path]:
    """Return `make_repo(files, git=True, commit=True)`, which makes a folder of its own
    each time.

    With `git`, it is a repository on `main`; with `commit`, its files are committed,
    ignored ones excepted."""
    numbers = itertools.count()

    def make(
        files: repos.Files, *, git: bool = True, commit: bool = True
    ) -> pathlib.Path:
        names = (f"repo{number or ''}" for number in numbers)
        repo = next(tmp_path / name for name in names if not (tmp_path / name).exists())
        repo.mkdir()
        if git:
            key = (tuple(files.items()), commit)
            repos.copied(
                key, lambda template: repos.start(template, files, commit=commit), repo
            )
        else:
            repos.write_files(repo, files)
        return repo

    return make


@pytest.fixture
def copy_of(tmp_path) -> Callable[..., pathlib.Path]:
    """Return `copy_of(make)`: a copy of the repository that the function `make` makes
    in a folder.

    `make` runs once for all tests, so it must be one function of a module.
    """

    def copy(make: Callable[[pathlib.Path], object]) -> pathlib.Path:
        repo = tmp_path / "repo"
        repos.copied(make, make, repo)
        return repo

    return copy


@pytest.fixture
def shut() -> Iterator[Callable[[pathlib.Path], None]]:
    """Return `shut(path)`, which takes all rights to `path` away until the test ends.

    It skips where modes do not count: for root, unless `make test` laid its powers
    down."""
    taken: list[pathlib.Path] = []

    def take(path: pathlib.Path) -> None:
        path.chmod(0)
        taken.append(path)
        if os.access(path, os.R_OK):
            pytest.skip(UNBOUND)

    yield take
    for path in taken:
        path.chmod(0o700)


@pytest.fixture
def write() -> Callable[..., None]:
    """Return `write(folder, files)`."""
    return repos.write_files


@pytest.fixture
def commit() -> Callable[..., str]:
    """Return `commit(repo, message)`."""
    return repos.commit_all


@pytest.fixture
def move() -> Callable[..., str]:
    """Return `move(repo, old, new)`: rename in a commit of its own."""
    return repos.move_file


@pytest.fixture
def drop(git, commit):
    def drop(repo, *paths):
        git(repo, "rm", "-r", "--quiet", *paths)
        return commit(repo, "drop")

    return drop


@pytest.fixture
def git_that(tmp_path, monkeypatch):
    """Return `git_that(pattern, does)`: git, but for calls that match `pattern`."""

    def put(pattern, does):
        real, folder = shutil.which("git"), tmp_path / "bin"
        folder.mkdir()
        case = f'case "$*" in {pattern}) {does};; *) exec {real} "$@";; esac'
        (folder / "git").write_text(f"#!/bin/sh\n{case}\n")
        (folder / "git").chmod(0o755)
        monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)

    return put
