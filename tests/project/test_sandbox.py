"""Every byte of a script's answer arrives, or an error does, whatever the runner is like."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import subprocess
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sandboxes import TREATS, Counted, cut_at

from truepath.errors import SandboxError
from truepath.project.remote import sandbox as module
from truepath.project.remote.sandbox import Sandbox
from truepath.project.remote.shell import ShellRunner

LONG = 20.0
ECHO = 'printf "%s\\0" "$@"'
NOISE = random.Random(1).randbytes(30_000)


@pytest.mark.parametrize("treat", TREATS.values(), ids=TREATS)
def test_all_of_an_answer_arrives(treat, tmp_path):
    (tmp_path / "noise").write_bytes(NOISE)

    answer = Sandbox(Counted(treat), LONG).output('cat "$1"', str(tmp_path / "noise"))

    assert answer == NOISE


def test_an_answer_that_is_not_cut_takes_one_command(tmp_path):
    (tmp_path / "noise").write_bytes(NOISE)
    runner = Counted(cut_at(100_000))

    Sandbox(runner, LONG).output('cat "$1"', str(tmp_path / "noise"))

    assert len(runner.commands) == 1


TEXT = st.text(
    st.characters(exclude_characters="\0", exclude_categories=("Cs",))
    | st.sampled_from("'\"$`\\\n;-%*!~ \udcff\udc80"),
    max_size=12,
)


@settings(max_examples=60)
@given(words=st.lists(TEXT, max_size=5))
def test_the_shell_gets_each_argument_as_it_is(words):
    runner = Counted()
    answer = Sandbox(runner, LONG).output(ECHO, *words)

    sent = "".join(f"{word}\0" for word in words).encode("utf-8", "surrogateescape")
    assert answer == (sent or b"\0")
    assert runner.commands[-1].isascii()


@pytest.mark.parametrize("shell", ["dash", "bash", "busybox", "zsh", "ksh", "mksh"])
def test_any_shell_will_do(shell):
    program = ("busybox", "sh") if shell == "busybox" else (shell,)
    try:
        answer = Sandbox(ShellRunner(*program), LONG).output(ECHO, "a'b\n", "-n", "\udcff%s")
    except SandboxError as error:
        if "cannot be started" in str(error):
            pytest.skip(f"no {shell} here")
        raise

    assert answer == b"a'b\n\0-n\0\xff%s\0"


def test_without_gzip_it_takes_the_answer_as_it_is(tmp_path):
    for tool in ("sh", "base64", "tr", "wc", "cat"):
        os.symlink(f"/usr/bin/{tool}", tmp_path / tool)
    runner = Counted()

    def bare(command, timeout):
        return runner(f"PATH={tmp_path}\n{command}", timeout)

    assert Sandbox(bare, LONG).output(ECHO, "a") == b"a\0"


def hang(command, timeout):
    time.sleep(30)
    return b""


def fail(command, timeout):
    raise ConnectionError("no route to\nthe box")


BROKEN = {
    "says nothing": lambda command, timeout: b"",
    "repeats the command": lambda command, timeout: command,
    "answers with an error": lambda command, timeout: "sh: 1: base64: not found",
    "returns no text": lambda command, timeout: None,
    "raises": fail,
    "cuts everything": lambda command, timeout: ShellRunner("sh")(command, timeout)[:60],
    "changes what it says": Counted(lambda printed: printed.replace(b"A", b"B")),
    "is no program": ShellRunner("no-such-program-here"),
    "ends at once": ShellRunner("false"),
}


@pytest.mark.parametrize("runner", BROKEN.values(), ids=BROKEN)
def test_a_broken_runner_is_one_error(runner):
    with pytest.raises(SandboxError) as caught:
        Sandbox(runner, LONG).output('printf %s "$1"', "11" * 4000)

    assert "\n" not in str(caught.value)


@settings(max_examples=200)
@given(st.data())
def test_garbage_is_an_error_or_the_answer(data):
    """A byte that is lost or changed never makes another answer."""
    printed = [b""]

    def once(command, timeout):
        printed[0] = Counted()(command, timeout)
        at = data.draw(st.integers(0, len(printed[0])))
        end = data.draw(st.integers(at, len(printed[0])))
        return printed[0][:at] + data.draw(st.binary(max_size=4)) + printed[0][end:]

    with contextlib.suppress(SandboxError):
        answer = Sandbox(once, LONG).output(ECHO, "some/name.py", "other")
        assert answer == b"some/name.py\0other\0"


def test_one_that_hangs_is_left_alone_for_a_while(monkeypatch):
    monkeypatch.setattr(module, "_GRACE", 0.1)
    begun: list[str] = []

    def counted(command, timeout):
        begun.append(command)
        return hang(command, timeout)

    asked = Sandbox(counted, 0.1)
    for _ in range(3):
        with pytest.raises(SandboxError):
            asked.output(ECHO)

    assert len(begun) == 1


def test_what_is_not_vital_may_fail():
    faults = [ConnectionError("once")]

    def runner(command, timeout):
        if faults:
            raise faults.pop()
        return ShellRunner("sh")(command, timeout)

    asked = Sandbox(runner, LONG)
    with pytest.raises(SandboxError):
        asked.output(ECHO, vital=False)

    assert asked.output(ECHO, "a") == b"a\0"


def test_a_shell_that_takes_too_long_is_ended_with_what_it_started():
    with pytest.raises(SandboxError, match="took over"):
        ShellRunner("sh")("sleep 1234.5; echo x", 0.2)

    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert "sleep 1234.5" not in left


def test_a_coroutine_function_is_a_runner():
    async def runner(command, timeout):
        return await asyncio.to_thread(ShellRunner("sh"), command, timeout)

    assert Sandbox(runner, LONG).output(ECHO, "a") == b"a\0"


def test_threads_ask_one_after_another():
    running: list[int] = []
    most: list[int] = []

    def runner(command, timeout):
        running.append(1)
        most.append(len(running))
        try:
            return ShellRunner("sh")(command, timeout)
        finally:
            running.pop()

    asked, answers = Sandbox(runner, LONG), []
    threads = [
        threading.Thread(target=lambda n=n: answers.append(asked.output(ECHO, str(n))))
        for n in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(answers) == [b"%d\0" % n for n in range(6)]
    assert max(most) == 1
