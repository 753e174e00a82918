"""The stored map: private, repairable, grown by new commits, built in the background."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from past import LONG, text

from truepath.project import background
from truepath.project.history import History

pytestmark = pytest.mark.builds_maps


class TestMap:
    @pytest.fixture
    def moved(self, make_repo, move, tmp_path):
        repo = make_repo({"a.py": text("a"), "b.py": text("b"), "keep": "x"})
        move(repo, "a.py", "a2.py")
        store = tmp_path / "store"
        assert History(str(repo), store=str(store)).build()
        return repo, store

    def file(self, store):
        (found,) = store.glob("*.map")
        return found

    def fresh(self, repo, store):
        return History(str(repo), store=str(store))

    def test_map_is_private(self, moved):
        _, store = moved
        assert stat.S_IMODE(self.file(store).stat().st_mode) == 0o600
        assert stat.S_IMODE(store.stat().st_mode) == 0o700
        assert not list(store.glob("*.tmp"))

    def test_map_answers_where_git_would_take_too_long(self, moved, monkeypatch):
        repo, store = moved
        assert self.fresh(repo, store).fate("a.py", deadline=LONG).path == "a2.py"

    def test_new_commits_are_added_to_the_answers_at_once(self, moved, move):
        repo, store = moved
        move(repo, "a2.py", "a3.py")
        assert self.fresh(repo, store).fate("a.py", deadline=LONG).path == "a3.py"

    def test_new_commits_are_added_to_the_map(self, moved, move, drop):
        repo, store = moved
        move(repo, "a2.py", "a3.py")
        drop(repo, "b.py")
        assert self.fresh(repo, store).build()
        history = self.fresh(repo, store)
        assert history.fate("a.py", deadline=LONG).path == "a3.py"
        assert history.fate("b.py", deadline=LONG).kind == "deleted"

    def test_other_branch_is_answered_from_the_same_map(self, moved, git, move):
        repo, store = moved
        git(repo, "checkout", "--quiet", "-b", "topic", "HEAD^")
        move(repo, "a.py", "topic.py")
        fate = self.fresh(repo, store).fate("a.py", deadline=LONG)
        assert (fate.kind, fate.path) == ("renamed", "topic.py")
        assert self.fresh(repo, store).build()
        git(repo, "checkout", "--quiet", "main")
        assert self.fresh(repo, store).fate("a.py", deadline=LONG).path == "a2.py"

    def test_rewritten_history_is_built_anew(self, moved, git, move):
        repo, store = moved
        git(repo, "reset", "--quiet", "--hard", "HEAD^")
        move(repo, "a.py", "again.py")
        git(repo, "reflog", "expire", "--expire=now", "--all")
        git(repo, "gc", "--quiet", "--prune=now")
        assert self.fresh(repo, store).fate("a.py", deadline=LONG).path == "again.py"
        assert self.fresh(repo, store).build()
        assert self.fresh(repo, store).fate("a.py", deadline=LONG).path == "again.py"

    @pytest.mark.parametrize(
        "damage",
        [
            lambda data: b"",
            lambda data: b"garbage",
            lambda data: data[: len(data) // 2],
            lambda data: data[:-4] + b"\0\0\0\0",
            lambda data: data[:20] + bytes([data[20] ^ 255]) + data[21:],
        ],
    )
    def test_damaged_map_is_ignored_and_replaced(self, moved, damage):
        repo, store = moved
        file = self.file(store)
        whole = file.read_bytes()
        file.write_bytes(damage(whole))
        assert self.fresh(repo, store).fate("a.py", deadline=LONG).path == "a2.py"
        assert self.fresh(repo, store).build()
        assert file.read_bytes() == whole

    def test_map_of_another_repository_is_ignored(self, moved, make_repo, move, tmp_path):
        repo, store = moved
        other = make_repo({"a.py": text("a"), "keep": "x"})
        move(other, "a.py", "other.py")
        second = tmp_path / "second"
        assert History(str(other), store=str(second)).build()
        shutil.copy(self.file(second), self.file(store))
        assert self.fresh(repo, store).fate("a.py", deadline=LONG).path == "a2.py"

    def test_store_that_cannot_be_written_is_no_error(self, moved, tmp_path):
        repo, _ = moved
        (tmp_path / "file").write_text("x")
        history = History(str(repo), store=str(tmp_path / "file"))
        assert not history.build()
        assert not history.build_in_background()
        assert history.fate("a.py", deadline=LONG).path == "a2.py"

    def test_map_replaced_by_another_process_is_seen(self, moved, move):
        repo, store = moved
        history = self.fresh(repo, store)
        assert history.fate("a.py", deadline=LONG).path == "a2.py"
        move(repo, "a2.py", "a3.py")
        assert self.fresh(repo, store).build()
        assert history.fate("a.py", deadline=LONG).path == "a3.py"


NAMES = ("a.py", "b.py", "d/a.py", "d/b.py", "e/a.py", "e/d/a.py")


@pytest.mark.heavy
@pytest.mark.timeout(300)
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(NAMES), st.sampled_from((*NAMES, None))), min_size=1, max_size=6
    ),
    cut=st.integers(0, 6),
)
def test_map_grown_by_steps_equals_map_built_at_once(make_repo, move, drop, tmp_path, steps, cut):
    repo = make_repo({"a.py": text("a"), "d/b.py": text("b"), "e/d/a.py": text("c"), "keep": "x"})
    grown = History(str(repo), store=str(tmp_path / f"store-{repo.name}"))
    for n, (old, new) in enumerate(steps):
        if n == cut:
            assert grown.build()
        if (repo / old).is_file() and new is None:
            drop(repo, old)
        elif (repo / old).is_file() and not os.path.lexists(repo / new):
            move(repo, old, new)
    before = [grown.fate(name, deadline=LONG) for name in (*NAMES, "d", "e/d")]
    assert grown.build()
    after = [grown.fate(name, deadline=LONG) for name in (*NAMES, "d", "e/d")]
    whole = History(str(repo))
    assert whole.build()
    assert before == after == [whole.fate(name, deadline=LONG) for name in (*NAMES, "d", "e/d")]


class TestBackground:
    def wait_for(self, what, seconds=30.0):
        end = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < end
            time.sleep(0.02)

    @pytest.fixture
    def repo(self, make_repo, move):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        move(repo, "a.py", "b.py")
        return repo

    def test_build_runs_beside_us_and_is_found(self, repo, tmp_path):
        store = tmp_path / "store"
        history = History(str(repo), store=str(store))
        assert history.build_in_background()
        self.wait_for(lambda: list(store.glob("*.map")))
        assert history.fate("a.py", deadline=LONG).path == "b.py"
        assert not history.build_in_background(), "the map is fresh"

    def test_only_one_runs_at_a_time(self, repo, tmp_path):
        store = tmp_path / "store"
        history = History(str(repo), store=str(store))
        assert history.build()
        (lock,) = store.glob("*.lock")
        with background.only_one(str(lock)) as mine:
            assert mine
            assert not history.build()
            os.utime(lock, (0, 0))
            assert not background.start(
                "truepath.project.history", str(repo), str(store), str(lock)
            )

    def test_build_that_has_just_run_is_not_repeated(self, repo, tmp_path):
        store = tmp_path / "store"
        assert History(str(repo), store=str(store)).build()
        assert not History(str(repo), store=str(store)).build_in_background()

    def test_without_a_store_or_a_repository_nothing_starts(self, repo, tmp_path):
        assert not History(str(repo)).build_in_background()
        assert not History(str(tmp_path), store=str(tmp_path / "s")).build_in_background()

    def test_hook_that_starts_it_ends_at_once_with_its_streams_closed(self, repo, tmp_path):
        store = tmp_path / "store"
        code = (
            "import sys; from truepath.project.history import History; "
            "print(History(sys.argv[1], store=sys.argv[2]).build_in_background())"
        )
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code, str(repo), str(store)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert (done.stdout, done.stderr) == ("True\n", "")
        self.wait_for(lambda: list(store.glob("*.map")))

    def test_finished_build_is_no_zombie(self, repo, tmp_path):
        store = tmp_path / "store"
        assert History(str(repo), store=str(store)).build_in_background()
        self.wait_for(lambda: list(store.glob("*.map")))
        self.wait_for(lambda: not self.children())

    @staticmethod
    def children():
        done = subprocess.run(
            ["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())],
            capture_output=True,
            text=True,
            check=False,
        )
        return [line for line in done.stdout.splitlines() if "python" in line or "defunct" in line]

    def test_module_asked_wrongly_says_so(self):
        done = subprocess.run(
            [sys.executable, "-m", "truepath.project.history"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=False,
        )
        assert done.returncode == 2
