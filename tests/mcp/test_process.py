"""`truepath relay` as a process, between a real client and a real server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SERVER = [sys.executable, str(Path(__file__).with_name("file_server.py"))]
RELAY = [sys.executable, "-m", "truepath", "relay"]
LARGE = 3_000_000
"""Characters: far more than a pipe holds."""


@pytest.fixture
def root(make_repo):
    return make_repo({"docs/status.md": "all green\n", "docs/large.md": "x" * LARGE})


@pytest.fixture
def environ(tmp_path):
    home = {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": str(tmp_path / "state")}
    return {**os.environ, **home, "KEPT": str(tmp_path / "kept")}


@pytest.fixture
def relayed(root, environ):
    """Return `relayed(command, data)`: what the client receives for what it sends."""

    def run(data, *options, command=SERVER, **variables):
        return subprocess.run(
            [*RELAY, *options, "--", *command],
            input=data,
            capture_output=True,
            cwd=root,
            env={**environ, **variables},
            timeout=300,
            check=False,
        )

    return run


def call(number, tool, **arguments):
    params = {"name": tool, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    return json.dumps(message).encode() + b"\n"


def received(done):
    return {
        each["id"]: each["result"] for each in map(json.loads, done.stdout.splitlines())
    }


def test_a_conversation_is_checked_from_end_to_end(relayed, root, environ):
    here = str(root)
    told = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
    begins = b'{"jsonrpc":"2.0","id":0,"method":"tools/list"}\n'
    right = call(1, "read_text_file", path=f"{here}/docs/status.md")
    wrong = call(2, "read_text_file", path=f"{here}/doc/status.md")
    absent = call(3, "read_text_file", path=f"{here}/docs/no-such-thing.md")

    done = relayed(told + begins + right + wrong + absent, "--project", here)
    results = received(done)

    assert done.returncode == 0
    assert results[1]["structuredContent"] == {"content": "all green\n"}
    assert [each["text"] for each in results[1]["content"]] == ["all green\n"]
    assert results[2]["content"][0]["text"].startswith("OK: ")
    assert results[2]["content"][1]["text"] == "all green\n"
    assert results[2]["structuredContent"]["content"].startswith("OK: ")
    assert results[3]["isError"] is True
    kept = Path(environ["KEPT"]).read_bytes()
    assert kept.startswith(told + begins + right), "what needs no change is not changed"
    assert b"no-such-thing" not in kept


def test_a_folder_of_the_command_line_is_the_root(relayed, root):
    done = relayed(call(1, "read_file", path="doc/no.md"), command=[*SERVER, str(root)])
    assert "PATH_NOT_FOUND" in received(done)[1]["content"][0]["text"]


def test_a_large_answer_passes(relayed, root):
    done = relayed(call(1, "read_file", path="docs/large.md"), "--project", str(root))
    assert len(received(done)[1]["content"][0]["text"]) == LARGE


def test_bytes_that_are_no_messages_pass_both_ways(relayed):
    data = bytes(range(256)) * 5000 + b"\n\nlast line without an end"
    assert relayed(data, command=["cat"]).stdout == data


def test_it_ends_as_the_server_ends(relayed):
    assert relayed(b"", ENDS_WITH="7").returncode == 7
    ended = [
        sys.executable,
        "-c",
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    ]
    assert relayed(b"", command=ended).returncode == 128 + signal.SIGKILL


def test_a_server_that_ends_while_the_client_is_there_ends_it(root, environ):
    command = [*RELAY, "--", sys.executable, "-c", "print('{}'); raise SystemExit(3)"]
    with subprocess.Popen(command, stdin=-1, stdout=-1, cwd=root, env=environ) as relay:
        assert relay.stdout.read().strip() == b"{}"
        assert relay.wait(30) == 3


def test_who_ends_the_relay_ends_the_server(root, environ):
    with subprocess.Popen(
        [*RELAY, "--", *SERVER], stdin=-1, stdout=-1, cwd=root, env=environ
    ) as it:
        it.stdin.write(b'{"jsonrpc":"2.0","id":0,"method":"ping"}\n')
        it.stdin.flush()
        assert b'"id": 0' in it.stdout.readline()
        it.send_signal(signal.SIGTERM)
        assert it.wait(30) == 128 + signal.SIGTERM


def test_a_program_that_is_not_there_is_one_line(relayed):
    done = relayed(b"", command=["no-such-server"])
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == (
        b"error: cannot start the MCP server: there is no program 'no-such-server'\n"
    )


def test_a_fault_of_truepath_passes_the_call(relayed, root):
    (root / ".truepath.toml").write_text("policy = 7\n[[[")
    done = relayed(call(1, "read_file", path="docs/status.md"), "--project", str(root))
    assert received(done)[1]["content"] == [{"type": "text", "text": "all green\n"}]
