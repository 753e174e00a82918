"""How much the first miss of a process does; what it answers is told elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

from truepath import Workspace
from truepath.project.history import History
from truepath.project.names import Names
from truepath.resolve.anchors import Frame, interpret
from truepath.resolve.candidates import gather
from truepath.resolve.workspace import TIMEOUT_S

ROOT = "/home/ada/shop"
MISSES = [
    "pkg3/part2/mod_17.py",
    "pkg3/part2/mode_7.py",
    "src/old/mod_7.py",
    "part2/mod_7.py",
    "pkg3/part22/mod_7.py",
    "lib/no_such_thing.rs",
]


class Paths(list[str]):
    """A list that knows how often somebody has gone through all of it."""

    passes = 0

    def __iter__(self) -> Iterator[str]:
        self.passes += 1
        return super().__iter__()


@pytest.fixture
def paths():
    return Paths(
        sorted(
            f"pkg{one}/part{two}/mod_{name}.py"
            for one in range(5)
            for two in range(5)
            for name in range(9)
        )
    )


def _ask(names, written):
    return gather(interpret(written, Frame(ROOT, ROOT, "posix")), names, "file")


@pytest.mark.parametrize("written", MISSES)
def test_a_first_question_goes_through_the_paths_once(paths, written):
    names = Names(paths, in_order=True)
    names.files = paths
    paths.passes = 0
    _ask(names, written)
    assert paths.passes == 1


def test_later_questions_go_through_the_paths_no_more(paths):
    names = Names(paths, in_order=True)
    names.files = paths
    _ask(names, MISSES[0])
    paths.passes = 0
    for written in MISSES:
        _ask(names, written)
    assert paths.passes == 0


def test_what_stands_where_is_known_without_going_through_the_paths(paths):
    names = Names(paths, in_order=True)
    names.files = paths
    paths.passes = 0
    assert names.kind("pkg3/part2") == "folder"
    assert names.kind("pkg3/part2/mod_7.py") == "file"
    assert names.children("pkg3/part2")
    assert paths.passes == 0


def test_the_same_answers_come_whether_a_question_is_the_first_or_not(paths):
    many = [*paths, *(f"pkg{n}/Mod-{n % 3}.PY" for n in range(700)), "docs/\u212aelvin.md"]
    used = Names(many)
    for written in (*MISSES, "pkg3/mod_1.py", "docs/kelvin.txt"):
        first = Names(many)
        assert _ask(first, written) == _ask(used, written)
        name = written.rpartition("/")[2]
        assert first.similar(name) == used.similar(name)


def test_a_path_in_several_readings_is_compared_with_all_names_once(paths, monkeypatch):
    from truepath.project import names as room

    scans, alike = [], room.alike

    def counted(*arguments, **options):
        scans.append(arguments[0])
        return alike(*arguments, **options)

    monkeypatch.setattr(room, "alike", counted)
    written = "shop/app/app/mod_17.py"
    assert len(interpret(written, Frame(ROOT, ROOT, "posix")).targets) > 1
    _ask(Names(paths), written)
    assert scans == ["mod_17.py"] * 2  # among files, and among folders


def test_candidates_are_looked_at_name_by_name_and_no_more(make_repo, monkeypatch):
    repo = make_repo({f"app/part{n}/deep/er/x.py": "" for n in range(20)})
    looked, lstat = [], os.lstat

    def counted(path, **options):
        looked.append(os.fsdecode(path))
        return lstat(path, **options)

    workspace = Workspace(str(repo))
    workspace.resolve("gone/y.py")
    monkeypatch.setattr(os, "lstat", counted)
    assert len(workspace.resolve("gone/x.py").candidates) == 20
    # Five names each. What listing and history look at themselves depends on how late they are.
    below = os.path.join(workspace.root, "app")
    assert sum(path.startswith(below) for path in looked) == 20 * 5


@pytest.fixture
def large(make_repo, git, move):
    """A repository whose index is that of 25,000 files, with a rename in its past."""
    repo = make_repo({"specs/status.md": "all is well\n" * 9, "keep": "x"})
    move(repo, "specs/status.md", "docs/status.md")
    blob = git(repo, "hash-object", "-w", "keep").strip()
    paths = (f"pkg{n % 50}/with_a_long_name/that_takes_some_room/{n}.c" for n in range(25_000))
    entries = "".join(f"100644 {blob}\t{path}\n" for path in paths)
    git(repo, "update-index", "--index-info", stdin=entries)
    # What is started in it is told apart by the new name.
    return repo.rename(repo.with_name("large"))


_STARTED: list[list[str]] = []


def _hear(event, arguments):
    if event in ("subprocess.Popen", "os.posix_spawn"):
        _STARTED.append([os.fsdecode(word) for word in arguments[1]])


sys.addaudithook(_hear)


def test_a_large_project_lists_its_names_and_asks_its_past_nothing_that_it_has_no_time_for(large):
    answer = Workspace(large, timeout_s=TIMEOUT_S).resolve("specs/status.md")

    # On a slow machine names that are not tracked are already being listed as well.
    started = [words for words in _STARTED if str(large) in words]
    assert started
    assert all("ls-files" in words for words in started)
    assert (answer.candidates[0].path, answer.searched.history) == ("docs/status.md", False)


def test_a_large_project_is_asked_about_its_past_once_there_is_a_map(large, tmp_path, monkeypatch):
    # Too little for a history without a map, and enough for a slow machine with one.
    monkeypatch.setattr("truepath.project.tree.COLD", 60.0)
    store = str(tmp_path / "store")
    without = Workspace(large, timeout_s=20.0).resolve("specs/status.md")
    assert History(str(large), store=store).build()

    answer = Workspace(large, timeout_s=20.0, store=store).resolve("specs/status.md")

    assert (without.note, without.searched.history) == ("", False)
    assert answer.note.startswith("renamed to docs/status.md")


def test_who_waits_for_the_past_of_a_large_project_is_told_it(large):
    answer = Workspace(large, timeout_s=20.0).resolve("specs/status.md")

    assert answer.note.startswith("renamed to docs/status.md")


def test_before_the_first_add_of_a_repository_its_files_are_known(make_repo):
    repo = make_repo({"app/session_store.py": "x", "README.md": "x"}, commit=False)

    resolution = Workspace(repo).resolve("src/app/session_store.py")

    assert resolution.searched.names == 2
    assert resolution.candidates[0].path == "app/session_store.py"
