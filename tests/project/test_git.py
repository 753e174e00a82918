from __future__ import annotations

import os
import shutil
import time

import pytest

from truepath.project.git import GitError, Running, _Names, git, zsplit


def test_output_comes_back_as_bytes(make_repo):
    assert git(str(make_repo({"a": ""})), "ls-files") == b"a\n"


def test_standard_input_reaches_git(make_repo):
    assert git(str(make_repo({})), "hash-object", "--stdin", stdin=b"x").startswith(b"c1b0730e")


def test_a_failure_carries_git_s_first_line(tmp_path):
    with pytest.raises(GitError, match="not a git repository"):
        git(str(tmp_path), "ls-files")


def test_an_exit_code_can_be_an_answer(make_repo):
    assert git(str(make_repo({})), "check-ignore", "a", ok=(0, 1)) == b""


def test_missing_git_is_an_error_of_its_own(make_repo, monkeypatch):
    repo = make_repo({})
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(GitError, match="not installed"):
        git(str(repo), "ls-files")
    with pytest.raises(GitError, match="not installed"):
        Running(str(repo), "ls-files")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_mailmap_that_is_a_pipe_is_not_waited_for(make_repo):
    repo = make_repo({"a": ""})
    os.mkfifo(repo / "pipe")
    with open(repo / ".git" / "config", "a") as config:
        config.write(f"[mailmap]\n\tfile = {repo / 'pipe'}\n")
    assert git(str(repo), "log", "--format=%H", timeout=60.0).count(b"\n") == 1


def test_a_git_that_lies_in_the_current_folder_is_not_run(make_repo, monkeypatch):
    repo = make_repo({})
    fake = repo / "git"
    fake.write_text("#!/bin/sh\ntouch ran\n")
    fake.chmod(0o755)
    monkeypatch.chdir(repo)
    for path in ("", ".", os.pathsep):
        monkeypatch.setenv("PATH", path)
        with pytest.raises(GitError):
            git(str(repo), "ls-files")
    assert not (repo / "ran").exists()


@pytest.mark.parametrize(
    "names", [("GIT_DIR",), ("GIT_INDEX_FILE",), ("GIT_WORK_TREE", "GIT_DIR"), ("GIT_PREFIX",)]
)
def test_a_repository_in_the_environment_is_not_asked(make_repo, monkeypatch, names):
    asked, other = make_repo({"asked": ""}), make_repo({"other": ""})
    places = {
        "GIT_DIR": other / ".git",
        "GIT_INDEX_FILE": other / ".git" / "index",
        "GIT_WORK_TREE": other,
        "GIT_PREFIX": "x/",
    }
    for name in names:
        monkeypatch.setenv(name, str(places[name]))
    assert git(str(asked), "ls-files") == b"asked\n"


def test_the_user_s_settings_in_the_environment_hold(make_repo, monkeypatch):
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.nickname")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "ada")
    assert git(str(make_repo({})), "config", "user.nickname") == b"ada\n"


def test_a_monitor_the_repository_names_is_not_run(make_repo, git, tmp_path):
    repo = make_repo({"a": ""})
    script = tmp_path / "monitor"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    script.chmod(0o755)
    git(repo, "config", "core.fsmonitor", str(script))
    with_monitor = Running(str(repo), "ls-files", "-o", "-z")
    assert with_monitor.printed(None).code == 0
    with_monitor.end()
    assert not (tmp_path / "ran").exists()


def test_a_process_that_is_late_gives_what_it_has(make_repo, monkeypatch, tmp_path):
    _slow_git(tmp_path, monkeypatch, "printf 'a\\0b\\0c'\nexec sleep 60")
    late = Running(str(make_repo({}, git=False)), "ls-files")
    printed = late.printed(0.5)
    late.end()
    assert (printed.code, printed.names) == (None, ["a", "b"])


def test_a_process_that_prints_too_much_is_ended(make_repo, monkeypatch, tmp_path):
    _slow_git(tmp_path, monkeypatch, "while :; do printf 'name\\0'; done")
    endless = Running(str(make_repo({}, git=False)), "ls-files")
    printed = endless.printed(None, most=1000)
    endless.end()
    assert printed.code is None
    assert 1000 < len(printed.names) < 100_000
    assert set(printed.names) == {"name"}


class TestReadingBeside:
    """How it is read on Windows, which has no `poll` for pipes; it works everywhere."""

    def read(self, timeout=None, most=10**9):
        names, running = _Names(most), Running(os.curdir, "ls-files")
        ends = None if timeout is None else time.monotonic() + timeout
        whole = running._process.read_beside(names.take, ends)
        running.end()
        return whole, names.found

    def test_all_is_read_to_the_end(self, monkeypatch, tmp_path):
        _slow_git(tmp_path, monkeypatch, "printf 'a\\0b\\0'\nsleep 0.1\nprintf 'c\\0'")
        assert self.read(60) == self.read() == self.read(most=3) == (True, ["a", "b", "c"])

    def test_a_process_that_is_late_gives_what_it_has(self, monkeypatch, tmp_path):
        _slow_git(tmp_path, monkeypatch, "printf 'a\\0b\\0c'\nexec sleep 60")
        assert self.read(0.5) == (False, ["a", "b"])

    def test_a_process_that_prints_too_much_is_left(self, monkeypatch, tmp_path):
        _slow_git(tmp_path, monkeypatch, "while :; do printf 'name\\0'; done")
        whole, names = self.read(60, most=1000)
        assert not whole
        assert 1000 < len(names) < 100_000


def test_ending_a_process_leaves_none_behind(make_repo, monkeypatch, tmp_path):
    _slow_git(tmp_path, monkeypatch, f"echo $$ > {tmp_path}/pid\nexec sleep 60")
    running = Running(str(make_repo({}, git=False)), "ls-files")
    running.end()
    running.end()
    pid = tmp_path / "pid"
    if pid.exists() and pid.read_text().strip():
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid.read_text()), 0)


def test_two_processes_run_side_by_side(make_repo):
    repo = str(make_repo({"a": ""}))
    tracked, others = Running(repo, "ls-files", "-z"), Running(repo, "ls-files", "-z", "-o")
    assert (others.printed(None).names, tracked.printed(None).names) == ([], ["a"])
    tracked.end()
    others.end()


@pytest.mark.parametrize(
    ("data", "names"),
    [(b"", []), (b"a\0", ["a"]), (b"a\0b\nc\0", ["a", "b\nc"]), (b"\xff\0", ["\udcff"])],
)
def test_nul_separated_output_is_split(data, names):
    assert zsplit(data) == names


def _slow_git(folder, monkeypatch, body):
    shell = shutil.which("sh")
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    (folder / "bin").mkdir()
    (folder / "bin" / "git").write_text(f"#!{shell}\n{body}\n")
    (folder / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", path)


@pytest.mark.skipif(os.name == "nt", reason="not on Windows: a shell script")
def test_each_lock_on_what_a_repository_may_name_is_there_by_itself(
    make_repo, tmp_path, monkeypatch
):
    """One of them holds where another one fails, such as in a git that does not know it yet."""
    repo, said = make_repo({}), tmp_path / "said"
    shim = tmp_path / "bin" / "git"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\n(env; printf "%s\\n" "$@") > {said}\n')
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(shim.parent), prepend=os.pathsep)
    monkeypatch.setenv("GIT_OPTIONAL_LOCKS", "1")
    git(str(repo), "ls-files")

    locks = {
        *("GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_OPTIONAL_LOCKS=0"),
        *("GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "protocol.allow=never"),
        *("diff.external=", "core.fsmonitor=false", f"core.hooksPath={os.devnull}"),
        *("gpg.program=false", "log.showSignature=false", "--no-pager"),
    }
    assert locks - set(said.read_text().splitlines()) == set()
