"""A project in a sandbox: all of an answer arrives or an error does, and few commands
run.
"""

from __future__ import annotations

import os
import random
import shutil
import time

import pytest
import repos
from hypothesis import given, settings
from hypothesis import strategies as st
from servers import TREATS, Counted, cut_at

from truepath.errors import SandboxError
from truepath.project.disk import Disk
from truepath.project.remote import sandbox as module
from truepath.project.remote.sandbox import Sandbox, ShellRunner
from truepath.project.remote.tree import RemoteTree

# What a sandbox needs beside a shell: coreutils have it, not every image does.
TOOLS = ("base64", "od", "tr", "wc", "cat")
LACKING = next((tool for tool in TOOLS if shutil.which(tool) is None), "")
pytestmark = pytest.mark.skipif(bool(LACKING), reason=f"no {LACKING} here")

LONG = 20.0
USUAL = {"limit": 1_000, "timeout_s": LONG}
ECHO = 'printf "%s\\0" "$@"'
NOISE = random.Random(1).randbytes(30_000)
WHOLE = {name: treat for name, treat in TREATS.items() if "cut" not in name}


@pytest.mark.parametrize("treat", WHOLE.values(), ids=WHOLE)
def test_all_of_an_answer_arrives(treat, tmp_path):
    (tmp_path / "noise").write_bytes(NOISE)
    assert (
        Sandbox(Counted(treat), LONG).output('cat "$1"', str(tmp_path / "noise"))
        == NOISE
    )


def test_an_answer_that_was_cut_is_an_error(tmp_path):
    (tmp_path / "noise").write_bytes(NOISE)
    with pytest.raises(SandboxError, match="is cut off"):
        Sandbox(Counted(cut_at(9_000)), LONG).output(
            'cat "$1"', str(tmp_path / "noise")
        )


TEXT = st.text(
    st.characters(exclude_characters="\0", exclude_categories=("Cs",))
    | st.sampled_from("'\"$`\\\n;-%*!~ \udcff\udc80"),
    max_size=12,
)


@settings(max_examples=40)
@given(words=st.lists(TEXT, max_size=5))
def test_the_shell_gets_each_argument_as_it_is(words):
    runner = Counted()
    answer = Sandbox(runner, LONG).output(ECHO, *words)
    sent = "".join(f"{word}\0" for word in words).encode("utf-8", "surrogateescape")
    assert answer == (sent or b"\0")
    assert runner.commands[-1].isascii()


@pytest.mark.parametrize("shell", ["dash", "bash", "busybox", "zsh", "ksh", "mksh"])
def test_any_shell_will_do(shell, make_repo):
    program = ("busybox", "sh") if shell == "busybox" else (shell,)
    root = make_repo({"a b.py": "", ".gitignore": "x\n", "x": ""})
    try:
        tree = RemoteTree(ShellRunner(*program), str(root), **USUAL)
        assert [*tree.names()] == [".gitignore", "a b.py"]
    except SandboxError as error:
        if "cannot be started" in str(error):
            pytest.skip(f"no {shell} here")
        raise


def test_without_gzip_it_takes_the_answer_as_it_is(tmp_path):
    for tool in ("sh", "base64", "tr", "wc", "cat"):
        os.symlink(shutil.which(tool), tmp_path / tool)
    runner = Counted()
    bare = Sandbox(
        lambda command, timeout: runner(f"PATH={tmp_path}\n{command}", timeout), LONG
    )
    assert bare.output(ECHO, "a") == b"a\0"


def hang(command, timeout):
    time.sleep(3)
    return b""


def fail(command, timeout):
    raise ConnectionError("no route to\nthe box")


BROKEN = {
    "says nothing": lambda command, timeout: b"",
    "repeats the command": lambda command, timeout: command,
    "answers with an error": lambda command, timeout: "sh: 1: base64: not found",
    "returns a number": lambda command, timeout: 7,
    "raises": fail,
    "does not come back": hang,
}


@pytest.mark.parametrize("runner", BROKEN.values(), ids=BROKEN)
def test_a_broken_runner_is_left_alone_for_a_while(runner, monkeypatch):
    monkeypatch.setattr(module, "_GRACE_S", 0.0)
    calls = []
    box = Sandbox(lambda *args: calls.append(args) or runner(*args), 0.2)
    for _ in range(3):
        with pytest.raises(SandboxError):
            box.output(ECHO, "a")
    assert len(calls) == 1


def test_a_program_that_is_not_there_or_too_slow_is_an_error():
    with pytest.raises(SandboxError, match="cannot be started"):
        ShellRunner("no-such-program")("true", 1)
    with pytest.raises(SandboxError, match="took over"):
        ShellRunner("sh")("sleep 300 & sleep 300", 0.3)


# What is there.


@pytest.fixture
def place(make_repo, write, tmp_path):
    repo = make_repo(
        {"src/a.py": "", "b.py": "", "gone.py": "", ".gitignore": "*.log\n"}
    )
    write(tmp_path, {"outside/o.py": ""})
    write(repo, {"x.log": "", "new file\n.py": "", "key.pem": "", "sub/d.py": ""})
    (repo / "gone.py").unlink()
    os.symlink("../outside", repo / "way")
    os.symlink("nowhere", repo / "nil")
    return repo


def test_the_names_are_those_of_the_disk_that_are_there(place):
    names = {*RemoteTree(ShellRunner("sh"), str(place), **USUAL).names()}
    assert names == {*Disk(str(place), **USUAL).names()} - {"gone.py", "way", "nil"}


def test_outside_of_a_repository_they_are_what_git_would_list(make_repo, tmp_path):
    files = {
        "a.py": "",
        "x.log": "",
        "sub/.gitignore": "/y\n!z\n",
        "sub/y": "",
        "y": "",
        "z": "",
    }
    root = make_repo({".gitignore": "*.log\nout/\n", "out/b": "", **files}, git=False)
    repos.write_files(root, {"node_modules/x.js": "", ".venv/y.py": ""})
    os.symlink("a.py", root / "link")
    runner = Counted()
    names = RemoteTree(runner, str(root), **USUAL).names()
    assert [*names] == [".gitignore", "a.py", "sub/.gitignore", "y", "z"]

    def without_git(command, timeout):
        return runner(f"command() {{ return 1; }}\n{command}", timeout)

    names = RemoteTree(without_git, str(root), **USUAL).names()
    assert {"out/b", "x.log", "a.py"} <= {*names}
    assert "link" not in [*names]
    assert not [name for name in names if "node_modules" in name]


def test_what_is_there_is_one_command_and_what_is_not_two(place):
    runner = Counted()
    tree = RemoteTree(runner, str(place), deny=("sub/",), **USUAL)
    assert tree.kind("src/a.py") == "file"
    assert len(runner.commands) == 1
    tree.begin()
    assert tree.kind("src/no.py") is None
    assert [tree.kind(path) for path in ("src", "", "a.py", "src/a.py", "b.py")] == [
        *("folder", "folder", None, "file", "file")
    ]
    assert tree.children("") == [".gitignore", "b.py", "new file\n.py", "src/"]
    assert tree.children("src") == ["a.py"]
    assert tree.names().ends_with("A.PY") == ["src/a.py"]
    assert not tree.may_name("key.pem")
    assert not tree.may_name("sub/d.py")
    assert tree.protects("key.pem")
    assert tree.protects("sub/d.py")
    assert len(runner.commands) == 3
    assert tree.fate("gone.py") is tree.holders(["x"]) is tree.checkout("/x") is None


def test_links_are_followed_and_not_named(place):
    tree = RemoteTree(ShellRunner("sh"), str(place), **USUAL)
    assert tree.kind("way/o.py") == "file"
    assert tree.inside(f"{place}/way/../b.py") is None
    assert tree.inside(f"{place}/src/../b.py") == "b.py"
    assert tree.inside(f"{place}/src") == "src"
    assert tree.broken_link_target("nil") == ""
    assert tree.broken_link_target("b.py") is None
    assert tree.kind("a\0b") is None


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(SandboxError, match="cannot be listed"):
        RemoteTree(ShellRunner("sh"), f"{tmp_path}/no", **USUAL).names()


def test_a_repository_s_programs_are_not_run(place, tmp_path):
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/mark\n")
    evil.chmod(0o755)
    with open(place / ".git/config", "a") as config:
        config.write(f"[core]\n\tfsmonitor = {evil}\n\tpager = {evil}\n")
    assert len(RemoteTree(ShellRunner("sh"), str(place), **USUAL).names())
    assert not (tmp_path / "mark").exists()


def test_a_limit_is_told(place):
    names = RemoteTree(ShellRunner("sh"), str(place), limit=2, timeout_s=LONG).names()
    assert (len(names), names.cut_short) == (2, True)
