"""The record of a session: waited for where it is behind, and only where a path is missing."""

from __future__ import annotations

import json
import os
import threading
import time
from types import SimpleNamespace

import pytest

from truepath.hook import record
from truepath.hook.record import end_of, recalled
from truepath.hosts.claude_code import host as claude_code
from truepath.types import ToolCall

CALL = ToolCall("Read", {"file_path": "gone.md"}, cwd="/nowhere", call_id="toolu_1")


def line(call_id="toolu_1"):
    use = {"type": "tool_use", "id": call_id}
    return json.dumps({"message": {"id": "msg_1", "content": [use]}}) + "\n"


@pytest.fixture
def file(tmp_path):
    place = tmp_path / "session.jsonl"
    place.write_text(line("toolu_0"))
    return place


def written_later(file, seconds):
    def write():
        time.sleep(seconds)
        with file.open("a") as stream:
            stream.write(line())

    thread = threading.Thread(target=write)
    thread.start()
    return thread


def test_a_call_that_is_written_down_has_its_turn(file):
    file.write_text(line())
    assert recalled(claude_code, CALL, str(file)).turn == "msg_1"


def test_a_record_that_is_behind_is_waited_for(file, monkeypatch):
    monkeypatch.setattr(record, "LAG", 20.0)
    thread = written_later(file, 0.1)
    assert recalled(claude_code, CALL, str(file)).turn == "msg_1"
    thread.join()


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (ToolCall("Read", {"file_path": "/"}, cwd="/", call_id="toolu_1"), "its path is there"),
        (ToolCall("Bash", {"command": "date"}, cwd="/", call_id="toolu_1"), "it names no path"),
        (ToolCall("Read", {"file_path": "x"}, cwd="/nowhere"), "it has no id to look for"),
        (
            ToolCall("Read", {"file_path": "x"}, cwd="/nowhere", call_id="toolu_1", agent="a"),
            "a sub-agent's calls are written down elsewhere",
        ),
    ],
)
def test_it_is_not_waited_for_in_vain(file, monkeypatch, call, why):
    def sleep(_):
        raise AssertionError(why)

    clock = SimpleNamespace(monotonic=time.monotonic, sleep=sleep)
    monkeypatch.setattr(record, "time", clock)
    assert recalled(claude_code, call, str(file)).turn == ""


def test_a_record_that_never_comes_is_waited_for_a_moment_only(file, monkeypatch):
    monkeypatch.setattr(record, "LAG", 0.05)
    assert recalled(claude_code, CALL, str(file)).turn == ""


def test_without_a_record_that_can_be_read_the_call_is_what_it_was(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert recalled(claude_code, CALL, str(tmp_path / "pipe")) is CALL
    assert recalled(claude_code, CALL, "\0") is CALL
    assert recalled(claude_code, CALL, None) is CALL
    assert recalled(claude_code, CALL, str(tmp_path / "gone")) is CALL
    assert recalled(claude_code, CALL, str(tmp_path)) is CALL


def test_of_a_long_record_the_end_is_read(tmp_path):
    file = tmp_path / "long"
    file.write_bytes(b"a" * 10 + b"b" * record.LARGEST)
    assert end_of(str(file)) == b"b" * record.LARGEST
