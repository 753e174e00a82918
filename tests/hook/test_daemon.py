"""The warm process: the same answers as without it, and nobody misses it when it is gone."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import hooks
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truepath
from truepath.hook import daemon, daemon_client
from truepath.hook.answer import reply
from truepath.hook.daemon_protocol import question, socket_path
from truepath.hosts.claude_code import host as claude_code
from truepath.install import health

SOURCES = Path(truepath.__file__).parents[1]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="not on Windows: it has no fork")


@pytest.fixture(scope="module")
def repo(tmp_path_factory):
    return hooks.make_project(tmp_path_factory.mktemp("daemon") / "repo")


@pytest.fixture
def state(monkeypatch):
    """A state folder whose socket has a short path, wherever tests keep their files."""
    folder = Path(tempfile.mkdtemp(prefix="tp-"))
    monkeypatch.setenv("TRUEPATH_STATE", str(folder))
    monkeypatch.delenv("TRUEPATH_SERVE", raising=False)
    yield folder
    eventually(lambda: not daemon.stop(os.environ), 2)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def serving(state):
    """Start the warm process; end it with the test."""
    started = []

    def start(sources=SOURCES, idle=""):
        code = "import os, sys; from truepath.hook import daemon; "
        code += f"sys.exit(not daemon.serve(os.environ{idle and f', idle={idle}'}))"
        env = {**os.environ, "PYTHONPATH": str(sources)}
        started.append(subprocess.Popen([sys.executable, "-c", code], env=env))
        assert eventually(lambda: daemon_client.is_running(os.environ))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


def eventually(holds, seconds=20.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.02)
    return False


def ask(event, **environ):
    data = event if isinstance(event, bytes) else json.dumps(event).encode()
    return daemon_client.ask("claude-code", data, {**os.environ, **environ}, time.time())


def test_it_answers_as_the_hook_itself_would(repo, serving):
    serving()
    event = hooks.event(repo)
    said = ask(event)
    assert said == reply("claude-code", json.dumps(event).encode(), os.environ, time.time())
    assert b"docs/status.md" in said


def test_silence_is_an_answer_too(repo, serving):
    serving()
    assert ask(hooks.event(repo, "docs/status.md")) == b""


def test_without_one_the_hook_is_told_to_do_it_itself(repo, state):
    assert ask(hooks.event(repo)) is None


def test_a_switch_turns_it_off(repo, serving):
    serving()
    assert ask(hooks.event(repo), TRUEPATH_SERVE="0") is None


def test_many_projects_and_sessions_are_answered_at_once(serving, tmp_path):
    serving()
    repos = [hooks.make_project(tmp_path / str(number) / "repo") for number in range(3)]
    said = {}

    def one(number):
        said[number] = ask(hooks.event(repos[number % 3]))

    threads = [threading.Thread(target=one, args=(number,)) for number in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, words in said.items():
        assert str(repos[number % 3] / "docs/status.md").encode() in words


def test_the_environment_of_one_call_is_not_that_of_the_next(repo, serving):
    serving()
    assert ask(hooks.event(repo), TRUEPATH="0") == b""
    assert b"docs/status.md" in ask(hooks.event(repo))
    assert b"PATH_NOT_FOUND" in ask(hooks.event(repo), TRUEPATH_POLICY="suggest")
    assert b"PATH_CORRECTED" in ask(hooks.event(repo))


def test_nobody_but_the_user_can_ask(serving, state):
    serving()
    assert stat.S_IMODE(os.stat(state / "serve.sock").st_mode) == 0o600


def test_what_is_no_socket_is_not_asked(repo, state):
    (state / "serve.sock").write_text("ok\n")
    assert ask(hooks.event(repo)) is None


def test_a_stale_socket_is_not_waited_for_and_is_taken_over(repo, serving, state):
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind(str(state / "serve.sock"))
    assert ask(hooks.event(repo)) is None
    serving()
    assert b"docs/status.md" in ask(hooks.event(repo))


def test_killed_at_any_moment_it_is_not_missed(repo, serving):
    process = serving()
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert ask(hooks.event(repo)) is None
    serving()
    assert b"docs/status.md" in ask(hooks.event(repo))


def test_one_that_hangs_is_given_up_while_the_host_still_waits(repo, serving, monkeypatch):
    hook = claude_code.setup("x").pieces[0].content["hooks"]["PreToolUse"][0]["hooks"][0]
    assert hook["timeout"] > daemon_client.TIMEOUT_S + 2 * daemon_client.PRESENT
    process = serving()
    process.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    try:
        with monkeypatch.context() as patch:
            patch.setattr(daemon_client, "TIMEOUT_S", 0.3)
            assert ask(hooks.event(repo)) is None
            daemon_client.start(os.environ)
            assert time.monotonic() - began < hook["timeout"]
            assert daemon_client.hangs(os.environ)
            told = {each.check: each for each in health.of_system(os.environ, str(repo))}
        assert told["warm process"].level == "fault"
    finally:
        process.send_signal(signal.SIGCONT)
    assert eventually(lambda: b"docs/status.md" in (ask(hooks.event(repo)) or b""))
    assert not daemon_client.hangs(os.environ)


@pytest.mark.parametrize(
    "said",
    [b"", b"no\n", b"o", b"\0" * 99, b"OK\n{}", b'ok\n{"hookSpecificOutput": {}'],
    ids=["nothing", "no", "a part", "noise", "almost", "cut"],
)
def test_a_process_that_says_anything_else_is_not_believed(repo, state, said):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(state / "serve.sock"))
        listener.listen()

        def stranger():
            there, _ = listener.accept()
            with there:
                there.recv(99999)
                there.sendall(said)

        thread = threading.Thread(target=stranger)
        thread.start()
        assert ask(hooks.event(repo)) is None
        thread.join()


def test_an_event_that_breaks_the_engine_is_given_back_and_the_next_is_answered(repo, serving):
    serving()
    assert ask(b"{") is None
    assert daemon_client.ask("no-such-host", b"{}", os.environ, time.time()) is None
    assert b"docs/status.md" in ask(hooks.event(repo))


def test_a_second_one_leaves_the_first_alone(serving):
    first = serving()
    assert subprocess.run(
        [sys.executable, "-m", "truepath.hook.daemon"],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        check=False,
    ).returncode
    assert first.poll() is None


def test_idle_it_ends_and_takes_its_socket_along(serving, state, monkeypatch):
    monkeypatch.setattr(daemon, "_CHECK", 0.05)
    assert daemon.serve(os.environ, idle=0.2)
    assert not (state / "serve.sock").exists()


def test_an_upgrade_replaces_it(repo, serving, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(SOURCES / "truepath", copy / "truepath")
    old = serving(copy)
    assert b"docs/status.md" in ask(hooks.event(repo))
    os.utime(copy / "truepath" / "__init__.py", (1, 1))
    assert ask(hooks.event(repo)) is None
    assert eventually(lambda: old.poll() is not None)


def test_an_older_version_is_not_answered_and_ends_nothing(repo, serving, monkeypatch):
    process = serving()
    with monkeypatch.context() as patch:
        patch.setattr(truepath, "__version__", "0.0.1")
        assert ask(hooks.event(repo)) is None
    assert daemon_client.is_running(os.environ)
    assert process.poll() is None


def test_a_newer_version_is_not_answered_and_takes_its_place(repo, serving, monkeypatch):
    old = serving()
    monkeypatch.setattr(truepath, "__version__", "99.0")
    assert ask(hooks.event(repo)) is None
    assert eventually(lambda: not daemon_client.is_running(os.environ))
    assert eventually(lambda: old.poll() is not None)


def test_the_first_miss_starts_one_that_holds_nothing_of_the_hook(repo, state):
    daemon_client.start(os.environ)
    assert eventually(lambda: daemon_client.is_running(os.environ))
    assert b"docs/status.md" in ask(hooks.event(repo))
    number = int((state / "serve.sock.lock").read_text())
    if Path(f"/proc/{number}/fd").exists():
        streams = {os.readlink(f"/proc/{number}/fd/{each}") for each in range(3)}
        assert streams == {os.devnull}
    assert os.getsid(number) != os.getsid(0)
    assert daemon.stop(os.environ)
    assert eventually(lambda: not daemon_client.is_running(os.environ))


def test_a_state_folder_with_a_long_path_has_none(state):
    environ = {**os.environ, "TRUEPATH_STATE": f"/tmp/{'x' * 120}"}
    assert socket_path(environ["TRUEPATH_STATE"]) is None
    assert daemon_client.ask("claude-code", b"{}", environ, time.time()) is None
    daemon_client.start(environ)
    assert not daemon.serve(environ)
    assert not daemon.stop(environ)


@given(
    host=st.text(max_size=9),
    began=st.floats(0, 1e10),
    names=st.dictionaries(
        st.text("ABC_", min_size=1, max_size=9),
        st.binary(max_size=9).map(lambda text: os.fsdecode(text.replace(b"\0", b""))),
        max_size=4,
    ),
    data=st.binary(max_size=300),
)
def test_a_question_is_read_as_it_was_asked(host, began, names, data):
    import io

    asked = question(truepath.__version__, host, began, names, data)
    found = daemon.read_question(io.BytesIO(asked))
    assert (found.host, found.began, found.environ, found.data) == (host, began, names, data)


@settings(max_examples=200)
@given(st.binary(max_size=99) | st.binary(max_size=99).map(lambda data: b"truepath-1\n" + data))
def test_no_bytes_are_taken_for_a_question_that_are_none(data):
    import io

    if data == b"truepath-1?\n":
        return
    with pytest.raises(ValueError):  # noqa: PT011  any of ours
        daemon.read_question(io.BytesIO(data))


def test_the_socket_of_another_user_is_not_asked(tmp_path, monkeypatch):
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        assert daemon_client._is_ours(str(path))
        own = os.geteuid()
        monkeypatch.setattr(os, "geteuid", lambda: own + 1)
        assert not daemon_client._is_ours(str(path))
