"""What became of a path, in repositories made step by step."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import repos
from repos import step
from rows import check_each

from truepath.config import files
from truepath.config.files import Lock
from truepath.project import log as log_module
from truepath.project.history import NEVER, UNKNOWN, History

ROWS = [
    json.loads(line)
    for line in (pathlib.Path(__file__).parent / "history.jsonl")
    .read_text("utf-8")
    .splitlines()
]
LONG = 200.0
CLOCK_S = 0.05
"""Seconds within which the clock of a file system has gone on."""


def ask(repo, path, store=None, seconds=LONG):
    return History(str(repo), store).fate(path, time.monotonic() + seconds)


def made(repo, *steps):
    repo.mkdir()
    repos.start(repo, {}, commit=False)
    for each in steps:
        step(repo, each)
    return repo


def test_what_became_of_a_path(tmp_path):
    def check(row):
        number = next(numbers)
        repo = made(tmp_path / f"{number}", *row["steps"])
        store = str(tmp_path / f"store{number}")
        fates = [
            ask(repo / row.get("root", ""), row["ask"], where)
            for where in (None, store, store)
        ]
        assert fates[0] == fates[1] == fates[2], (
            "the same, first and second time, kept or not"
        )
        if "is" in row:
            assert [fates[0].kind, fates[0].path, fates[0].certain] == row["is"]
        assert fates[0].certain == row.get("certain", fates[0].certain)
        assert [*fates[0].moved_to] == row.get("moved_to", [*fates[0].moved_to])

    numbers = iter(range(len(ROWS)))
    check_each(ROWS, check, name=lambda row: row["why"])


MOVED = ({"write": {"a.py": "a", "b.py": "b"}}, {"move": [["a.py", "x/a.py"]]})


def test_the_commit_is_told(tmp_path, git):
    repo = made(tmp_path / "repo", *MOVED)
    assert ask(repo, "a.py").commit == git(repo, "rev-parse", "HEAD").strip()


def test_what_is_kept_is_continued_from_its_last_commit(tmp_path, git_that):
    repo, store = made(tmp_path / "repo", *MOVED), str(tmp_path / "store")
    assert ask(repo, "a.py", store).path == "x/a.py"
    step(repo, {"move": [["b.py", "y/b.py"]]})
    git_that(
        "*log*", 'case "$*" in *^*|*rev-parse*) exec git_real "$@";; *) exit 1;; esac'
    )
    os.symlink("/usr/bin/git", tmp_path / "bin" / "git_real")
    assert ask(repo, "b.py", store).path == "y/b.py"
    assert ask(repo, "a.py", store).path == "x/a.py"


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ([], "y.py"),
        (["update-index --refresh"], "y.py"),
        (["mv y.py z.py"], "z.py"),
        (["mv y.py b.py"], ""),
        (["reset --quiet --hard"], ""),
        (["reset --quiet --soft HEAD~1"], "y.py"),
        (["commit --quiet -m moved", "mv y.py z.py"], "z.py"),
        (["update-index --split-index", "mv y.py z.py"], "z.py"),
    ],
)
def test_what_is_staged_is_kept_until_the_index_changes(
    changes, path, tmp_path, git, monkeypatch
):
    repo, store = made(tmp_path / "repo", *MOVED), str(tmp_path / "store")
    git(repo, "mv", "b.py", "y.py")
    monkeypatch.setattr(files, "YOUNG_NS", 0)
    time.sleep(CLOCK_S)
    assert ask(repo, "b.py", store).path == "y.py"
    for change in changes:
        git(repo, *change.split())
        time.sleep(CLOCK_S)
    assert ask(repo, "b.py", store).path == path
    assert ask(repo, "b.py", store).path == path


def test_for_what_is_staged_git_is_asked_once(tmp_path, git, git_that, monkeypatch):
    repo, store = made(tmp_path / "repo", *MOVED), str(tmp_path / "store")
    git(repo, "mv", "b.py", "y.py")
    monkeypatch.setattr(files, "YOUNG_NS", 0)
    time.sleep(CLOCK_S)
    assert ask(repo, "b.py", store).path == "y.py"
    git_that("*diff-index*", "exit 1")
    assert ask(repo, "b.py", store).path == "y.py"
    assert ask(repo, "b.py").path == ""


def test_what_was_staged_just_now_is_asked_for_again(
    tmp_path, git, git_that, monkeypatch
):
    monkeypatch.setattr(files, "YOUNG_NS", 10**12)  # however busy the machine is
    repo, store = made(tmp_path / "repo", *MOVED), str(tmp_path / "store")
    git(repo, "mv", "b.py", "y.py")
    assert ask(repo, "b.py", store).path == "y.py"
    git_that("*diff-index*", "exit 1")
    assert ask(repo, "b.py", store).path == ""


def test_what_was_undone_is_not_told(tmp_path, git):
    repo, store = made(tmp_path / "repo", *MOVED), str(tmp_path / "store")
    history = History(str(repo), store)
    assert history.fate("a.py", time.monotonic() + LONG).kind == "renamed"
    git(repo, "reset", "--hard", "--quiet", "HEAD~1")
    step(repo, {"remove": ["b.py"]})
    for asked in (history, History(str(repo), store)):
        assert asked.fate("a.py", time.monotonic() + LONG) == NEVER
        assert asked.fate("b.py", time.monotonic() + LONG).kind == "deleted"


def test_history_that_was_replaced_is_read_anew(tmp_path, git):
    repo, store = made(tmp_path / "repo", *MOVED), str(tmp_path / "store")
    ask(repo, "a.py", store)
    git(repo, "checkout", "--quiet", "--orphan", "new")
    step(repo, {"write": {"c.py": "c"}})
    git(repo, "branch", "-D", "--quiet", "main")
    git(repo, "reflog", "expire", "--expire=all", "--all")
    git(repo, "gc", "--quiet", "--prune=now")
    step(repo, {"move": [["c.py", "z/c.py"]]})
    assert ask(repo, "c.py", store).path == "z/c.py"
    assert ask(repo, "a.py", store) == NEVER


@pytest.mark.parametrize(
    "harm", ["cut", "flipped", "empty", "noise", "folder", "another's"]
)
def test_a_damaged_file_is_made_anew(harm, tmp_path):
    repo, store = made(tmp_path / "repo", *MOVED), tmp_path / "store"
    before = ask(repo, "a.py", str(store))
    (file,) = (file for file in store.iterdir() if not file.suffix)
    data = file.read_bytes()
    harmed = {
        "cut": data[:-3],
        "flipped": data.replace(b"x/a.py", b"x/b.py"),
        "empty": b"",
        "noise": bytes(range(256)) * 9,
        "another's": data.replace(b"history-4 ", b"history-4 0"),
    }
    file.unlink()
    file.mkdir() if harm == "folder" else file.write_bytes(harmed[harm])
    assert ask(repo, "a.py", str(store)) == before


def test_what_is_kept_is_private(tmp_path):
    repo, store = made(tmp_path / "repo", *MOVED), tmp_path / "store"
    ask(repo, "a.py", str(store))
    assert store.stat().st_mode & 0o077 == 0
    assert all(file.stat().st_mode & 0o077 == 0 for file in store.iterdir())


def test_of_a_slow_log_nothing_is_known(tmp_path, git_that, monkeypatch):
    repo = made(tmp_path / "repo", *MOVED, {"remove": ["b.py"]})
    git_that("*log*", 'git_real "$@" | head -c 200; sleep 300')
    os.symlink("/usr/bin/git", tmp_path / "bin" / "git_real")
    assert ask(repo, "b.py", seconds=0.5) == ask(repo, "a.py", seconds=0.5) == UNKNOWN


def test_a_shallow_clone_does_not_say_never(tmp_path, git):
    made(tmp_path / "repo", *MOVED, {"write": {"c.py": "c"}})
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{tmp_path}/repo", "clone")
    assert ask(tmp_path / "clone", "a.py") == UNKNOWN


def test_a_clone_without_contents_fetches_none(tmp_path, git):
    repo = made(
        tmp_path / "repo", *MOVED, {"move": [["b.py", "x/b.py"]], "edit": ["x/b.py"]}
    )
    git(repo, "config", "uploadpack.allowFilter", "true")
    words = (
        "--quiet",
        "--no-checkout",
        "--filter=blob:none",
        f"file://{repo}",
        "clone",
    )
    git(tmp_path, "clone", *words)
    for path in ("a.py", "b.py", "no.py"):
        assert ask(tmp_path / "clone", path).kind in (
            "renamed",
            "deleted",
            "unknown",
            "never",
        )
    assert not [*(tmp_path / "clone/.git/objects/pack").glob("*.pack")][1:]


def test_without_a_commit_nothing_is_known(make_repo):
    assert ask(make_repo({"a.py": ""}, commit=False), "a.py") == UNKNOWN


@pytest.mark.parametrize("path", ["", "/", "a\0b", "..", "../x", "\ud800", "x" * 5000])
def test_any_path_can_be_asked_about(path, tmp_path):
    assert ask(made(tmp_path / "repo", *MOVED), path).kind in (
        "never",
        "unknown",
        "renamed",
    )


@pytest.fixture
def slow_log(tmp_path, git_that):
    """Make git's log busy until there is a file `go`, and note each start."""

    def slow():
        real = shutil.which("git")
        busy = f"echo >> {tmp_path}/logs; while [ ! -e {tmp_path}/go ]; do :; done"
        git_that("*--format=*", f'{busy}; exec {real} "$@"')

    return slow


def logs(tmp_path):
    return len((tmp_path / "logs").read_text())


def done(tmp_path):
    """Let git write its log, and wait until it has."""
    (tmp_path / "go").touch()
    (log,) = (tmp_path / "store").glob("*.log")
    while b"\0\0end " not in log.read_bytes():
        time.sleep(0.01)


@pytest.mark.skipif(sys.platform == "win32", reason="nothing goes on behind there")
def test_a_log_that_is_late_goes_on_and_a_later_answer_has_it(tmp_path, slow_log):
    repo, store = made(tmp_path / "repo", *MOVED), str(tmp_path / "store")
    slow_log()
    assert [ask(repo, "a.py", store) for _ in range(3)] == [UNKNOWN] * 3
    done(tmp_path)
    assert ask(repo, "a.py", store).path == "x/a.py"
    assert logs(tmp_path) == 1


# (a shell that waits until there is a file `go`, when)
LATE_SHELLS = [
    ('until [ -e GO ]; do :; done; "$0" "$@"', "it has not started git yet"),
    ('"$0" "$@"; until [ -e GO ]; do :; done', "git has ended"),
    ('until [ -e GO ]; do sleep 0.01; done; "$0" "$@"', "it sleeps"),
    ('until [ -e GO ]; do sh -c "exit 0"; done; "$0" "$@"', "it runs other programs"),
    ('"$0" "$@" > GO.all; until [ -e GO ]; do :; done; cat GO.all', "git waits"),
]


@pytest.mark.skipif(sys.platform != "linux", reason="the CPU of a child is not known")
@pytest.mark.parametrize(("shell", "_"), LATE_SHELLS, ids=lambda it: it[:30])
def test_the_machine_may_be_as_busy_as_it_likes(shell, _, tmp_path, monkeypatch):
    """What waits is our own child, far longer than another process's is waited for."""
    repo, store = made(tmp_path / "repo", *MOVED), str(tmp_path / "store")
    go = tmp_path / "go"
    shell = f"{shell.replace('GO', str(go))}; printf '\\0\\0end 000'"
    monkeypatch.setattr(log_module, "_SHELL", shell)
    monkeypatch.setattr(log_module, "_WAIT_S", 0.01)
    later = threading.Timer(0.3, go.touch)
    later.start()
    assert ask(repo, "a.py", store).path == "x/a.py"
    later.join()


def test_questions_of_several_threads_and_processes_at_once_have_one_answer(
    tmp_path, monkeypatch
):
    """However late another process's git is: each waits for it, or has its own."""
    repo, store = made(tmp_path / "repo", *MOVED), str(tmp_path / "store")
    monkeypatch.setattr(log_module, "_WAIT_S", LONG)
    ends = time.monotonic() + LONG
    for _ in range(20):
        shared = History(str(repo), store)
        histories = [shared] * 4 + [History(str(repo), store) for _ in range(12)]
        with ThreadPoolExecutor(len(histories)) as pool:
            fates = pool.map(lambda history: history.fate("a.py", ends), histories)
            paths = [fate.path for fate in fates]
        assert paths == ["x/a.py"] * len(histories)
        step(repo, {"write": {"c.py": str(time.monotonic())}})


@pytest.mark.skipif(sys.platform == "win32", reason="nothing goes on behind there")
def test_of_two_questions_that_wait_for_the_lock_one_starts_git(
    tmp_path, slow_log, monkeypatch
):
    repo, store = made(tmp_path / "repo", *MOVED), str(tmp_path / "store")
    ask(repo, "a.py", store)
    (log,) = pathlib.Path(store).glob("*.log")
    step(repo, {"move": [["b.py", "x/b.py"]]})
    slow_log()
    monkeypatch.setattr(log_module, "_LOCK_S", LONG)
    with ThreadPoolExecutor(2) as pool:
        with Lock(f"{log}.lock", wait=0):
            asked = [pool.submit(ask, repo, "b.py", store) for _ in range(2)]
            time.sleep(0.2)
        assert {question.result().kind for question in asked} == {"unknown"}
    done(tmp_path)
    assert logs(tmp_path) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="nothing goes on behind there")
def test_a_suspended_process_that_was_about_to_ask_git_delays_no_answer(tmp_path):
    repo, store = made(tmp_path / "repo", *MOVED), str(tmp_path / "store")
    ask(repo, "a.py", store)
    (log,) = pathlib.Path(store).glob("*.log")
    step(repo, {"move": [["b.py", "x/b.py"]]})
    with Lock(f"{log}.lock", wait=0):
        assert ask(repo, "b.py", store).path == "x/b.py"


@pytest.mark.skipif(sys.platform == "win32", reason="nothing goes on behind there")
def test_a_log_that_is_late_outlives_the_process_that_asked(
    tmp_path, slow_log, monkeypatch
):
    repo, store = made(tmp_path / "repo", *MOVED), str(tmp_path / "store")
    slow_log()
    (repo / "truepath").mkdir()
    (repo / "truepath/__init__.py").write_text(
        "raise SystemExit('the repository was imported')"
    )
    monkeypatch.chdir(repo)
    code = f"import sys; sys.path[:0] = {sys.path!r}"
    code += "; from truepath.project.history import History"
    code += f"; History({str(repo)!r}, {store!r}).begin()"
    command = [sys.executable, "-I", "-c", code]
    subprocess.run(command, check=True)
    done(tmp_path)
    assert ask(repo, "a.py", store).path == "x/a.py"
    assert logs(tmp_path) == 1


def test_a_log_without_end_fills_no_disk(tmp_path, git_that, monkeypatch):
    monkeypatch.setattr(log_module, "MOST_BYTES", 1 << 16)
    repo, store = made(tmp_path / "repo", *MOVED), tmp_path / "store"
    git_that("*log*", "while :; do echo y; done")
    assert ask(repo, "a.py", str(store), seconds=0.5) == UNKNOWN
    (file,) = store.glob("*.log")
    ends = time.monotonic() + 60
    while file.stat().st_size < 1 << 16 and time.monotonic() < ends:
        time.sleep(0.02)
    time.sleep(0.2)
    assert file.stat().st_size == 1 << 16


def test_a_log_that_fails_is_asked_for_once_for_each_commit(tmp_path, git_that):
    repo, store = made(tmp_path / "repo", *MOVED), str(tmp_path / "store")
    git_that("*--format=*", f"echo >> {tmp_path}/logs; exit 128")
    assert [ask(repo, path, store) for path in ("a.py", "b.py", "a.py")] == [
        UNKNOWN
    ] * 3
    assert logs(tmp_path) == 1
    step(repo, {"write": {"c.py": "c"}})
    assert [ask(repo, "a.py", store) for _ in range(2)] == [UNKNOWN] * 2
    assert logs(tmp_path) == 2


def test_a_log_that_was_killed_is_asked_for_again(tmp_path, git_that):
    repo, store = made(tmp_path / "repo", *MOVED), str(tmp_path / "store")
    git_that("*--format=*", "kill -9 $PPID")
    assert ask(repo, "a.py", store, seconds=0.3) == UNKNOWN
    (tmp_path / "bin/git").unlink()
    assert ask(repo, "a.py", store) == UNKNOWN, "it may still run"
    (log,) = pathlib.Path(store).glob("*.log")
    os.utime(log, (1e9, 1e9))
    assert ask(repo, "a.py", store).path == "x/a.py"


def test_where_nothing_can_be_stored_the_history_is_read_all_the_same(tmp_path):
    repo = made(tmp_path / "repo", *MOVED)
    (tmp_path / "file").write_text("")
    assert ask(repo, "a.py", str(tmp_path / "file/store")).path == "x/a.py"
