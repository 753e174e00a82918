"""Git is run without what a repository would have it run, and is never waited for."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time

import pytest

from truepath.project import git as runner
from truepath.project.disk import Disk
from truepath.project.git import GitError, environment, git, zsplit
from truepath.project.git_folder import (
    common_folder,
    enclosing,
    git_folder,
    head_of,
    is_checkout,
    named_folder,
)
from truepath.project.history import History

posix = pytest.mark.skipif(
    sys.platform == "win32", reason="not on Windows: shell scripts"
)


def soon() -> float:
    return time.monotonic() + 20


def test_a_hook_s_repository_is_not_asked(make_repo, monkeypatch):
    repo, other = make_repo({"a.py": ""}), make_repo({"b.py": ""})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "0")
    assert zsplit(git(str(repo), "ls-files", "-z", ends=soon())) == ["a.py"]
    assert "GIT_DIR" not in environment(str(repo))
    assert environment(str(repo))["GIT_CONFIG_COUNT"] == "0", (
        "the user's own settings count"
    )


def test_settings_that_move_the_work_tree_do_not(make_repo, git, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other/private.txt").write_text("")
    repo = make_repo({"a.py": ""})
    git(repo, "config", "core.worktree", str(tmp_path / "other"))
    assert [*Disk(str(repo), limit=1_000, timeout_s=20).names()] == ["a.py"]


def rings(*_):
    raise KeyboardInterrupt


# (what happens while git hangs, the seconds it may take, what is raised)
HANGS = [
    (lambda *_: None, 0.5, "GitError('git log was not done in time')"),
    (rings, 300, "KeyboardInterrupt()"),  # as an alarm does, in the middle of a read
    (lambda *_: runner.end_all(), 300, "GitError('git log exited with -9')"),
]


@posix
@pytest.mark.parametrize(("happens", "seconds", "raises"), HANGS)
def test_a_git_that_hangs_is_ended_with_what_it_started(
    happens, seconds, raises, make_repo, git_that, tmp_path
):
    repo, pids = make_repo({"a.py": ""}), tmp_path / "pids"
    hangs = (
        f"sleep 300 & echo $$ $! > {pids}; echo some; sleep 0.2; kill -USR1 $PPID; wait"
    )
    git_that("*log*", hangs)
    before = signal.signal(signal.SIGUSR1, happens)
    try:
        with pytest.raises((GitError, KeyboardInterrupt)) as raised:
            git(str(repo), "log", ends=time.monotonic() + seconds)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert repr(raised.value) == raises
    assert getattr(raised.value, "timed_out", False) == ("time" in raises)
    own, started = map(int, pids.read_text().split())
    with pytest.raises(ProcessLookupError):
        os.kill(own, 0)  # it is reaped
    assert _is_over(started)
    assert not runner._living


def _is_over(pid: int) -> bool:
    for _ in range(6_000):
        try:
            with open(f"/proc/{pid}/stat") as stat:
                if stat.read().rpartition(")")[2].split()[0] == "Z":
                    return True
            os.kill(pid, 0)
        except OSError:
            return True
        time.sleep(0.02)
    return False


@posix
def test_what_git_prints_is_read_whole_and_bounded(make_repo, git_that, monkeypatch):
    repo = make_repo({"a.py": ""})
    git_that("*log*", "head -c 3000000 /dev/zero")
    assert git(str(repo), "log", ends=soon(), before=b"a") == b"a" + bytes(3_000_000)
    monkeypatch.setattr(runner, "MOST_BYTES", 1 << 20)
    with pytest.raises(GitError):
        git(str(repo), "log", ends=soon())


def test_git_s_errors_are_told_apart(tmp_path, monkeypatch):
    with pytest.raises(GitError, match="exited with 128"):
        git(str(tmp_path), "log", ends=soon())
    with pytest.raises(GitError, match="no time"):
        git(str(tmp_path), "log", ends=0.0)
    with pytest.raises(GitError, match="could not be run"):
        git(str(tmp_path), "log", "\0", ends=soon())
    monkeypatch.setenv("PATH", ".:relative")
    with pytest.raises(GitError, match="not installed"):
        git(str(tmp_path), "log", ends=soon())


@pytest.fixture
def ignoring_children():
    """Ignore SIGCHLD, as a parent may that starts this process: the system reaps."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGCHLD, before)


@posix
def test_where_the_system_reaps_git_s_failures_are_known(
    ignoring_children, make_repo, tmp_path
):
    repo = make_repo({"a.py": "", "b/c.py": ""})
    for _ in range(3):
        assert zsplit(git(str(repo), "ls-files", "-z", ends=soon())) == [
            "a.py",
            "b/c.py",
        ]
        assert (
            git(str(repo), "rev-parse", "-q", "--verify", "no", ends=soon(), ok=(1,))
            == b""
        )
    with pytest.raises(GitError, match="exited with 128"):
        git(str(tmp_path), "log", ends=soon())
    (repo / ".git/index").write_bytes(b"garbage")
    assert [*Disk(str(repo), limit=100, timeout_s=20).names()] == ["a.py", "b/c.py"]


@posix
def test_where_other_code_reaps_git_s_failures_are_known(make_repo, tmp_path):
    repo = make_repo({"a.py": ""})
    over = threading.Event()

    def reap() -> None:
        while not over.is_set():
            with contextlib.suppress(ChildProcessError):
                os.waitpid(-1, os.WNOHANG)

    reaper = threading.Thread(target=reap)
    reaper.start()
    try:
        for _ in range(20):
            assert git(str(repo), "ls-files", "-z", ends=soon()) == b"a.py\0"
            with pytest.raises(GitError, match="exited with 128"):
                git(str(tmp_path), "log", ends=soon())
    finally:
        over.set()
        reaper.join()


# Where repositories begin.


def test_a_word_is_a_revision_if_git_says_so_or_cannot_be_asked(
    make_repo, git, tmp_path
):
    repo = make_repo({"src/a.py": ""})
    git(repo, "branch", "fix/package.json")
    git(repo, "branch", "old.md")
    git(repo, "pack-refs", "--all")
    git(repo, "tag", "rel.a")
    words = ["fix/package.json", "old.md", "rel.a", "src/a.py", "fix/other.json"]
    known = [True, True, True, False, False]
    tree = Disk(str(repo), limit=1_000, timeout_s=20)
    src = str(repo / "src")
    assert [tree.is_revision(word, src) for word in words] == known
    assert tree.is_revision("x.md", str(tmp_path / "none")), "there is no such folder"
    hurried = Disk(str(repo), limit=1_000, timeout_s=0)
    assert hurried.is_revision("x.md", src), "no time is left"


def test_a_repository_is_found_around_a_folder(make_repo, tmp_path):
    repo = make_repo({"a/b.py": ""})
    assert git_folder(str(repo)) == str(repo / ".git")
    assert git_folder(str(repo / "a")) is enclosing(str(tmp_path)) is None
    assert enclosing(str(repo / "a")) == str(repo)
    assert [is_checkout(str(each)) for each in (repo, repo / "a")] == [True, False]


def test_what_git_does_not_take_for_a_repository_is_none(make_repo):
    repo = make_repo({"a/b.py": "", "c/d.py": ""})
    (repo / "a/.git").mkdir()
    (repo / "c/.git").write_text("gitdir: nowhere\n")
    assert enclosing(str(repo / "a")) == str(repo), "git looks further up"
    assert enclosing(str(repo / "c")) is None, "git does not"
    assert is_checkout(str(repo / "c")), "a project may end there all the same"


@posix
def test_git_is_not_asked_where_it_would_wait_for_ever(make_repo):
    repo = make_repo({"a.py": ""})
    (repo / ".git/index").unlink()
    os.mkfifo(repo / ".git/index")
    assert git_folder(str(repo)) is None
    assert [*Disk(str(repo), limit=1_000, timeout_s=5).names()] == ["a.py"]


def test_linked_work_trees_and_submodules_name_each_other(make_repo, git, tmp_path):
    repo, other = make_repo({"a.py": ""}), make_repo({"b.py": ""})
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"))
    git(
        repo,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        str(other),
        "sub",
    )
    linked, sub = git_folder(str(tmp_path / "tree")), git_folder(str(repo / "sub"))
    assert linked is not None
    assert sub is not None
    assert common_folder(linked) == str(repo / ".git")
    assert named_folder(str(tmp_path / "tree")) == str(repo / ".git/worktrees/tree")
    assert head_of(linked) == git(repo, "rev-parse", "HEAD").strip()
    os.rename(repo / "sub", repo / "moved")
    assert git_folder(str(repo / "moved")) is None, "it names another folder"


def test_what_is_checked_out_is_read_from_files(make_repo, git):
    repo = make_repo({"a.py": ""})
    place, head = str(repo / ".git"), git(repo, "rev-parse", "HEAD").strip()
    assert head_of(place) == head
    git(repo, "checkout", "-q", "--detach")
    assert head_of(place) == head
    git(repo, "checkout", "-q", "main")
    git(repo, "pack-refs", "--all")
    assert head_of(place) is None, "git is asked"
    assert History(str(repo)).fate("no", time.monotonic() + 20).kind == "never"
