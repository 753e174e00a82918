"""What a question or a build may cost, whatever it meets, and what is left out to keep to it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest
from disks import read_only
from past import LONG, answer, text

from truepath.project import background
from truepath.project.git import GitError
from truepath.project.history import History
from truepath.project.history.log import read_events
from truepath.project.history.renames import Tracker
from truepath.project.history.repository import GitQuery, locate
from truepath.project.history.sources import IndexSource, bring_up
from truepath.project.history.store import Map

pytestmark = pytest.mark.builds_maps


class Counted(IndexSource):
    """A map that counts its questions, and has too many of them."""

    asked = 0

    def departures(self, path, after=None):
        self.asked += 1
        assert self.asked < 1000
        return super().departures(path, after)


class TestTrails:
    SWAPS = 24

    @pytest.fixture
    def toggled(self, make_repo, git):
        """Return a repository where `a` and `b` were one another's name again and again."""

        def make(*last):
            repo = make_repo({"a": text("a"), "keep": "x"})
            for old, new in [("a", "b"), ("b", "a")] * self.SWAPS + [last]:
                git(repo, *(("mv", old, new) if new else ("rm", "--quiet", old)))
                git(repo, "commit", "--quiet", "--message=swap")
            return repo

        return make

    def test_names_swapped_often_and_gone_are_followed_in_as_many_steps_as_swaps(self, toggled):
        repo = toggled("a", "")
        events = read_events(str(repo), "HEAD", timeout=LONG)
        stored = Counted(Map("", "", events), (), frozenset(), time.monotonic() + LONG)
        exists_now = lambda name: (repo / name).exists()  # noqa: E731
        tracker = Tracker(stored, exists_now, lambda _: False, lambda *_: ())

        assert len(events) == 2 * self.SWAPS + 1
        for name, hops in ("a", 1), ("b", 2):
            trail = tracker.file(name)
            assert (trail.path, len(trail.events)) == (None, hops)
        assert stored.asked < 3 * len(events)
        assert answer(repo, "a") == answer(repo, "b") == ("deleted", None)

    def test_names_swapped_often_lead_to_where_the_last_went(self, toggled):
        repo = toggled("a", "c")

        assert answer(repo, "a") == answer(repo, "b") == ("renamed", "c")

    def test_way_back_after_a_dead_end_is_found(self, make_repo, move, drop, write, commit):
        repo = make_repo({"a": text("a"), "keep": "x"})
        move(repo, "a", "b")
        move(repo, "b", "c")
        write(repo, {"b": text("b")})
        commit(repo)
        move(repo, "b", "living")
        drop(repo, "c")

        assert answer(repo, "a") == ("renamed", "living")

    def test_end_of_time_on_the_way_is_no_answer(self, toggled):
        repo = toggled("a", "c")
        place = locate(str(repo), timeout=LONG)
        events = read_events(str(repo), "HEAD", timeout=LONG)
        source = bring_up(Map("", place.head, events), GitQuery(place, time.monotonic()))
        tracker = Tracker(source, lambda _: False, lambda _: False, lambda *_: ())

        with pytest.raises(GitError) as caught:
            tracker.file("a")
        assert caught.value.timed_out


class TestUntracked:
    """Files that are not tracked are read for the one that has a missing file's contents."""

    def test_only_files_that_may_have_the_contents_are_opened(self, make_repo, write):
        repo = make_repo({"a.py": "x\n" * 50, "keep": "x"})
        os.unlink(repo / "a.py")
        sizes = {"less": 99, "same": 100, "with-returns": 150, "too-large": 201, "huge": 10_000}
        write(repo, {name: "y" * size for name, size in sizes.items()})
        code = (
            "import sys; from truepath.project.history import History; opened = []; "
            "sys.addaudithook(lambda event, words: event == 'open' and opened.append(words[0])); "
            f"History(sys.argv[1]).fate('a.py', deadline={LONG}); "
            "print(*(str(each) for each in opened if str(each).startswith(sys.argv[1])), sep='\\n')"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(repo)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )

        opened = Counter(os.path.relpath(line, repo) for line in done.stdout.splitlines())
        outside_git = {path for path in opened if not path.startswith(".git/")}
        assert outside_git == {"same", "with-returns"}

    def test_file_with_returns_at_each_end_is_recognised(self, make_repo):
        repo = make_repo({"a.py": "\n" * 9, "keep": "x"})
        os.unlink(repo / "a.py")
        (repo / "b.py").write_bytes(b"\r\n" * 9)

        assert answer(repo, "a.py") == ("renamed", "b.py")

    @pytest.mark.timeout(30)
    def test_link_to_a_pipe_is_not_waited_for(self, make_repo, tmp_path):
        repo = make_repo({"a.py": "short\n", "keep": "x"})
        os.unlink(repo / "a.py")
        os.mkfifo(tmp_path / "pipe")
        os.symlink("../pipe", repo / "link")

        assert answer(repo, "a.py") == ("deleted", None)

    def test_link_to_the_same_contents_is_no_twin(self, make_repo, write, tmp_path):
        repo = make_repo({"a.py": "short\n", "keep": "x"})
        os.unlink(repo / "a.py")
        write(tmp_path, {"same": "short\n"})
        os.symlink("../same", repo / "link")

        assert answer(repo, "a.py") == ("deleted", None)

    def test_more_than_can_be_read_in_time_is_no_answer(self, make_repo):
        size = 4_000_000
        repo = make_repo({"a.py": b"\n" * size, "keep": "x"})
        os.unlink(repo / "a.py")
        for number in range(300):
            with open(repo / f"sparse{number}", "wb") as file:
                file.truncate(size)

        fate = History(str(repo)).fate("a.py", deadline=0.5)
        assert (fate.kind, fate.complete) == ("unknown", False)


@pytest.fixture
def late(make_repo, write, commit, git):
    """Return a repository with a late `old/d.py` on `main`, and `new` for `old` on `topic`."""
    repo = make_repo({f"old/{name}.py": text(name) for name in "abc"})
    git(repo, "checkout", "--quiet", "-b", "topic")
    git(repo, "mv", "old", "new")
    commit(repo)
    git(repo, "checkout", "--quiet", "main")
    write(repo, {"old/d.py": text("d")})
    commit(repo)
    return repo


def merge(repo, git, into, other):
    git(repo, "checkout", "--quiet", into)
    git(repo, "-c", "merge.directoryRenames=true", "merge", "--quiet", "--no-edit", other)
    assert (repo / "new/d.py").exists()


class TestWhatMergesDropped:
    PLAIN = frozenset({"old/a.py", "old/b.py", "old/c.py"})

    @pytest.fixture
    def merged(self, late, git):
        merge(late, git, "topic", "main")
        return str(late)

    def read(self, repo, timeout=LONG, words=100):
        events = read_events(repo, "HEAD", timeout=timeout, dropped=words)
        return {event.old for event in events}

    def test_what_a_merge_alone_moved_is_known_to_the_map(self, merged):
        history = History(merged)

        assert history.build()
        assert history.fate("old/d.py", deadline=LONG).path == "new/d.py"
        names = history.departed("x.py", deadline=LONG)
        assert names is not None
        assert "old/d.py" in names.files

    @pytest.mark.parametrize(("words", "known"), [(0, False), (2, False), (100, True)])
    def test_merges_that_dropped_too_much_tell_nothing_and_the_rest_is_told(
        self, merged, words, known
    ):
        old = self.read(merged, words=words)

        assert old >= self.PLAIN
        assert ("old/d.py" in old) is known

    def test_it_is_told_where_there_is_time(self, merged):
        assert self.read(merged) == {*self.PLAIN, "old/d.py"}

    @pytest.mark.parametrize(
        "step",
        [
            "*--diff-filter=A*",
            "*ls-tree*",
            "*--date-order\\ -m\\ *",
            "*log\\ -1\\ -m\\ --root*",
        ],
    )
    def test_what_fails_on_the_way_leaves_the_rest(self, merged, git_that, step):
        git_that(step, "echo failed >&2; exit 128")

        assert self.read(merged) == self.PLAIN

    @pytest.mark.heavy
    @pytest.mark.parametrize("step", ["*--diff-filter=A*", "*--date-order\\ -m\\ *"])
    def test_what_is_too_slow_leaves_the_rest(self, merged, git_that, step):
        git_that(step, "exec sleep 60")

        assert self.read(merged, timeout=4.0) == self.PLAIN

    @pytest.mark.parametrize("built_at", ["main~", "main", "topic"])
    @pytest.mark.parametrize("into", ["main", "topic"])
    def test_a_map_that_grows_knows_it_too(self, late, git, built_at, into):
        history = History(str(late))
        git(late, "checkout", "--quiet", "--detach", built_at)
        assert history.build()
        merge(late, git, into, {"main": "topic", "topic": "main"}[into])

        def departed():
            history.fate("x.py", deadline=LONG)  # a look-up begins with it
            return {*history.departed("x.py", deadline=LONG).files}

        assert "old/d.py" not in departed(), "a look-up has no time for it"
        assert history.build()
        git(late, "commit", "--quiet", "--allow-empty", "--message=next")
        assert departed() == {*self.PLAIN, "old/d.py"}
        assert history.fate("old/d.py", deadline=LONG).evidence[0] == "renamed"


class TestRest:
    """How long after a build none is started; see `background`."""

    @pytest.fixture
    def repo(self, make_repo, move):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        move(repo, "a.py", "b.py")
        return repo

    def rests(self, store):
        (lock,) = store.glob("*.lock")
        return lock.stat().st_mtime - time.time()

    def test_after_a_build_it_is_a_minute(self, repo, tmp_path):
        store = tmp_path / "store"
        assert History(str(repo), store=str(store)).build()
        assert 0 < self.rests(store) <= 60

    @pytest.mark.heavy
    def test_after_a_failure_it_is_a_minute_and_twenty_times_as_long(
        self, repo, tmp_path, git_that
    ):
        git_that("*--name-status*", "sleep 0.5; exit 128")
        store = tmp_path / "store"
        began = time.monotonic()
        assert not History(str(repo), store=str(store)).build()
        took = time.monotonic() - began
        assert 65 < self.rests(store) < 61 + 20 * took

    def test_after_an_error_it_is_as_long(self, tmp_path):
        lock = tmp_path / "x.lock"

        def fail():
            time.sleep(0.5)
            raise MemoryError

        with background.only_one(str(lock)), pytest.raises(MemoryError):
            background.attempt(str(lock), fail)
        assert self.rests(tmp_path) > 65

    def test_while_it_lasts_none_is_started(self, repo, tmp_path):
        lock = tmp_path / "x.lock"
        lock.touch()
        ahead = time.time() + 600
        os.utime(lock, (ahead, ahead))
        assert not background.start("truepath.project.history", str(repo), str(tmp_path), str(lock))

    def test_it_begins_with_the_start(self, repo, tmp_path):
        history = History(str(repo), store=str(tmp_path / "store"))
        assert history.build_in_background()
        assert not history.build_in_background()

    def test_where_the_store_cannot_be_written_none_is_started(self, repo, tmp_path):
        store = tmp_path / "store"
        store.mkdir()
        with read_only(store):
            assert not History(str(repo), store=str(store)).build_in_background()

    def test_where_the_lock_cannot_be_made_none_is_started(self, repo, tmp_path):
        lock = tmp_path / "x.lock"
        os.symlink("nowhere/x.lock", lock)
        assert not background.start("truepath.project.history", str(repo), str(tmp_path), str(lock))


def test_user_s_log_follow_does_not_hide_a_deletion(make_repo, drop, git, tmp_path, monkeypatch):
    repo = make_repo({"a.py": text("a"), "s.py": text("s"), "m.py": text("m"), "keep": "x"})
    deletion = drop(repo, "a.py")
    git(repo, "checkout", "--quiet", "-b", "side")
    drop(repo, "s.py")
    git(repo, "checkout", "--quiet", "main")
    drop(repo, "m.py")
    git(repo, "merge", "--quiet", "--no-edit", "side")
    (tmp_path / "config").write_text("[log]\n\tfollow = true\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))

    fate = History(str(repo)).fate("a.py", deadline=LONG)
    assert (fate.kind, fate.commit) == ("deleted", deletion)


def test_path_with_a_line_break_is_not_known(make_repo, drop):
    repo = make_repo({"a\nb": text("a"), "keep": "x"})
    drop(repo, "a\nb")
    history = History(str(repo))

    for _ in "asked", "mapped":
        fate = history.fate("a\nb", deadline=LONG)
        assert (fate.kind, fate.complete) == ("unknown", False)
        assert history.build()


def test_two_that_ask_what_departed_get_their_own(make_repo, drop, tmp_path):
    root = tmp_path / "root"
    for name in ("one", "two"):
        repo = make_repo({f"{name}.py": text(name), "keep": "x"})
        drop(repo, f"{name}.py")
        root.mkdir(exist_ok=True)
        repo.rename(root / name)
    history = History(str(root))
    got = {}

    def ask(name):
        got[name] = [*history.departed(f"{name}/x.py", deadline=LONG).files]

    def run(target, *arguments):
        thread = threading.Thread(target=target, args=arguments)
        thread.start()
        thread.join()

    def interrupt(frame, event, _argument):
        if event == "line" and history._departed is not None and "two" not in got:
            got["two"] = []
            run(ask, "two")
        return interrupt if frame.f_code is History.departed.__code__ else None

    def interrupted():
        sys.settrace(interrupt)
        ask("one")

    run(interrupted)
    assert got == {"one": ["one/one.py"], "two": ["two/two.py"]}
