"""Every format of transcript: what is read from a known file, whole or cut."""

from __future__ import annotations

import hashlib
import json
import shutil
from codecs import BOM_UTF8
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import check_each

from truepath.audit.audit import audit_transcript
from truepath.audit.misses import has_failed
from truepath.audit.readers import READERS, STORES
from truepath.audit.sources import Source, parts, read, records
from truepath.audit.transcript import BAD

HERE = Path(__file__).parents[1] / "transcripts"
SUFFIXES = (".json", ".jsonl", ".traj")
FILES = sorted(path for path in HERE.rglob("*.*") if path.suffix in SUFFIXES)
ROOT = "/home/ada/orders"

# Name, format, session, model, working directory, tokens a turn. Every transcript tells
# one story: a file is missed, looked for and found, and another one is shown.
STORIES = [
    ("claude-code.jsonl", "claude-code", "5e55-claude", "claude-opus-4-8", ROOT, 145),
    ("codex.jsonl", "codex", "5e55-codex", "gpt-5.5", ROOT, 145),
    (
        "gemini-cli/chats/session-2026-03-02T09-00-5e55.jsonl",
        *("gemini-cli", "5e55-gemini", "gemini-3-pro", ROOT, 145),
    ),
    (
        "gemini-cli/chats/session-2026-03-02T09-00-01d0.json",
        *("gemini-cli", "5e55-gemini", "gemini-3-pro", ROOT, 145),
    ),
    ("qwen-code.jsonl", "qwen-code", "5e55-qwen", "qwen3-coder-plus", ROOT, 145),
    ("opencode.json", "opencode", "ses_5e55", "gpt-5.4", ROOT, 145),
    ("copilot-cli.jsonl", "copilot-cli", "5e55-copilot", "claude-opus-4.8", ROOT, 145),
    ("cline.messages.json", "cline", "", "", "", 145),
    ("cline-native.json", "cline", "", "claude-opus-4-8", ROOT, 145),
    ("vscode.json", "vscode", "5e55-vscode", "claude-sonnet-4.6", ROOT, None),
    ("pi.jsonl", "pi", "5e55-pi", "gpt-5.6", ROOT, 145),
    ("kimi-cli.jsonl", "kimi-cli", "", "", "", 145),
    ("swe-agent.traj", "swe-agent", "", "gpt-4o", ROOT, None),
    ("mini-swe-agent-2.traj.json", "mini-swe-agent", "", "gpt-5-mini", ROOT, 145),
]


def test_every_format_tells_the_same_story():
    check_each(STORIES, _tells_the_story, lambda row: row[0])


def _tells_the_story(row):
    name, form, session, model, cwd, tokens = row
    (source,) = parts(str(HERE / name))
    found = read(source)
    assert (found.format, found.session, found.model, found.cwd) == (
        form,
        session,
        model,
        cwd,
    )
    steps = [
        step for step in found.calls if step.arguments.get("command") != f"cd {ROOT}"
    ]
    assert len(steps) == 4
    missed, searched, opened, shown = steps
    assert "specs/status.md" in json.dumps(missed.arguments)
    assert "status.md" in missed.answer or "not exist" in missed.answer
    assert missed.failed in (True, None)
    assert "docs/status.md" in searched.answer
    assert "docs/status.md" in json.dumps(opened.arguments)
    assert not opened.failed
    assert "all green" in opened.answer
    assert "# Readme" in shown.answer
    assert [step.turn - missed.turn for step in steps] == [0, 1, 2, 3]
    assert found.bad_lines == 0
    if tokens is not None:
        assert set(found.tokens.values()) <= {tokens}


ABOUT = {"sessionId": "s", "uuid": "u", "cwd": ROOT}
USE = {"type": "tool_use", "id": "1", "name": "Read", "input": {"file_path": "a.md"}}


def _said(content, *, kind="user", side=False):
    message = {"role": kind, "content": content}
    return {**ABOUT, "type": kind, "isSidechain": side, "message": message}


def _answered(said, **more):
    block = {"type": "tool_result", "tool_use_id": "1", "content": said}
    return _said([{**block, "is_error": True}], **more)


READ = _said([USE], kind="assistant")
WARMUPS = [  # the lines of a session, and how many calls it has
    ("a session that warms up", [_said("Warmup"), READ, _answered("no")], 0),
    ("in blocks, behind a reminder",
     [_said([{"type": "text", "text": "<system-reminder>x</system-reminder>"},
             {"type": "text", "text": " Warmup\n"}]), READ, _answered("no")], 0),
    ("an answer that is a warm-up", [_said("look"), READ, _answered("Warmup")], 0),
    ("a sub-agent's, between the lines of its session",
     [_said("look"), _said("Warmup", side=True), READ,
      _said([USE], kind="assistant", side=True), _answered("no")], 1),
    ("what the user asks for afterwards",
     [_said("Warmup"), _said("look"), READ, _answered("no")], 1),
    ("a prompt that speaks of one",
     [_said("Warmup the cache first"), READ, _answered("no")], 1),
    ("an answer that speaks of one",
     [_said("look"), READ, _answered("Warmup took 3 s")], 1),
]  # fmt: skip


def test_what_claude_code_warms_up_with_is_no_call(tmp_path):
    def check(row):
        _, lines, calls = row
        place = tmp_path / "s.jsonl"
        place.write_text("\n".join(map(json.dumps, lines)), "utf-8")
        assert len(read(Source(str(place))).calls) == calls

    check_each(WARMUPS, check, lambda row: row[0])


def test_each_format_has_a_transcript():
    databases = {store.NAME for store in STORES}  # which are made by their tests
    assert {row[1] for row in STORIES} | databases == {each.NAME for each in READERS}


def test_the_folder_of_a_session_of_kimi_is_found_by_its_digest(tmp_path):
    digest = hashlib.md5(ROOT.encode()).hexdigest()
    place = tmp_path / "sessions" / digest / "5e55" / "wire.jsonl"
    place.parent.mkdir(parents=True)
    shutil.copy(HERE / "kimi-cli.jsonl", place)
    assert read(Source(str(place))).cwd == ""
    for known, cwd in (
        ({"work_dirs": [{"path": "/other"}, {"path": ROOT}]}, ROOT),
        ({"work_dirs": [{"path": "/other"}, 7]}, ""),
        ([], ""),
    ):
        (tmp_path / "kimi.json").write_text(json.dumps(known), "utf-8")
        assert read(Source(str(place))).cwd == cwd


def _event(kind, **payload):
    return {"timestamp": 1.0, "message": {"type": kind, "payload": payload}}


def _inner(agent, kind, **payload):
    inner = _event(kind, **payload)["message"]
    return _event("SubagentEvent", agent_id=agent, event=inner)


def _asked(path, cut):
    made = {"name": "ReadFile", "arguments": f'{{"path": "{path}"}}'[:cut]}
    return {"id": path, "function": made}


def test_agents_of_kimi_that_write_at_once_have_their_own_arguments(tmp_path):
    lines = [
        _event("TurnBegin", user_input="look"),
        _event("StepBegin", n=1),
        _inner("x", "TurnBegin", user_input="look"),
        _inner("x", "StepBegin", n=1),
        _event("ToolCall", **_asked("a.md", 6)),
        _inner("x", "ToolCall", **_asked("b.md", 6)),
        _event("ToolCallPart", arguments_part='": "a.md"}'),
        _inner("x", "ToolCallPart", arguments_part='": "b.md"}'),
        _event("ToolCall", **_asked("c.md", 99)),
        _event("ToolCallPart", arguments_part=None),
        _event("ToolCallPart"),
    ]
    place = tmp_path / "wire.jsonl"
    place.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    found = read(Source(str(place)))
    assert [call.arguments for call in found.calls] == [
        {"path": "a.md"},
        {"path": "b.md"},
        {"path": "c.md"},
    ]
    assert [call.prompted for call in found.calls] == [True, False, False]


def test_a_file_that_was_saved_on_windows_is_read_the_same(tmp_path):
    # In which the folder of a session of Gemini CLI is.
    (tmp_path / ".project_root").write_text(ROOT, "utf-8")
    (tmp_path / "chats").mkdir()

    def check(path):
        place = tmp_path / "chats" / path.name
        place.write_bytes(BOM_UTF8 + path.read_bytes().replace(b"\n", b"\r\n"))
        saved, own = read(Source(str(place))), read(Source(str(path)))
        assert (saved.calls, saved.bad_lines) == (own.calls, own.bad_lines)

    check_each(FILES, check, lambda path: path.name)


@given(st.sampled_from(FILES), st.floats(0, 1))
def test_a_transcript_cut_at_any_byte_is_read_as_far_as_it_goes(
    tmp_path_factory, path, where
):
    whole = path.read_bytes()
    at, place = int(where * len(whole)), tmp_path_factory.mktemp("cut") / path.name

    place.write_bytes(whole[:at])
    for source in parts(str(place)):
        found = read(source)
        assert found.bad_lines <= max(1, whole[:at].count(b"\n"))
        assert place.suffix != ".jsonl" or found.bad_lines <= 1


@given(st.sampled_from(FILES), st.data())
def test_no_value_in_a_record_fails_a_reader(tmp_path_factory, path, data):
    text = path.read_text("utf-8")
    lines = (
        text.splitlines() if path.suffix == ".jsonl" else [json.dumps(json.loads(text))]
    )
    record = json.loads(lines[data.draw(st.integers(0, len(lines) - 1))])
    json_values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner)
        ),
        max_leaves=5,
    )
    _put(record, data, data.draw(json_values))
    place = tmp_path_factory.mktemp("odd") / path.name
    place.write_text("\n".join([json.dumps(record), *lines]), "utf-8")
    for source in parts(str(place)):
        assert audit_transcript(source)[0]["problem"] == ""


def _put(record, data, value):
    """Put a value in place of any other one in a record."""
    at = record
    while isinstance(at, (dict, list)) and at:
        keys = list(at) if isinstance(at, dict) else range(len(at))
        key = data.draw(st.sampled_from(keys))
        if (
            not isinstance(at[key], (dict, list))
            or not at[key]
            or data.draw(st.booleans())
        ):
            at[key] = value
            return
        at = at[key]


SHELL = {"name": "run_shell_command", "args": {"command": "make"}}
MADE = "Command: make\nOutput: no\nExit Code: 2"
# format -> the records of one command that failed, though the call itself did not
FAILURES = {
    "codex": [
        {"type": "session_meta", "payload": {"id": "1"}},
        {"type": "response_item", "payload": {"type": "function_call", "call_id": "1",
         "name": "shell", "arguments": '{"command": ["make"]}'}},
        {"type": "response_item", "payload": {
         "type": "function_call_output", "call_id": "1",
         "output": '{"output": "no", "metadata": {"exit_code": 2}}'}},
    ],
    "copilot-cli": [
        {"type": "tool.execution_start",
         "data": {"toolCallId": "1", "toolName": "bash"}},
        {"type": "tool.execution_complete", "data": {"toolCallId": "1", "success": True,
         "result": {"content": "no\n<exited with exit code 2>"}}},
    ],
    "gemini-cli": [{"messages": [{"type": "gemini", "id": "1", "toolCalls": [
        {"id": "1", "status": "success", **SHELL,
         "result": [{"functionResponse": {"response": {"output": MADE}}}]}]}]}],
    "qwen-code": [
        {"sessionId": "1",
         "message": {"parts": [{"functionCall": {"id": "1", **SHELL}}]}},
        {"sessionId": "1", "message": {"parts": [{"functionResponse": {
            "id": "1", "name": "run_shell_command", "response": {"output": MADE}}}]}},
    ],
    "opencode": [{"info": {}, "messages": [{"info": {}, "parts": [
        {"type": "tool", "tool": "bash", "callID": "1", "state": {
            "status": "completed", "output": "no", "metadata": {"exit": 2}}}]}]}],
}  # fmt: skip


def test_a_command_failed_if_its_exit_code_says_so(tmp_path):
    def check(name):
        place = tmp_path / f"{name}.jsonl"
        place.write_text("\n".join(map(json.dumps, FAILURES[name])), "utf-8")
        found = read(Source(str(place)))
        assert found.format == name
        (call,) = found.calls
        assert has_failed(call)

    check_each(FAILURES, check)


def test_an_answer_to_no_call_is_passed_over(tmp_path):
    document = json.loads((HERE / "mini-swe-agent-2.traj.json").read_text("utf-8"))
    for message in document["messages"]:
        message.pop("tool_call_id", None)
    document["messages"].insert(2, {"role": "tool", "content": "of nothing"})
    (tmp_path / "a.json").write_text(json.dumps(document), "utf-8")
    assert len(read(Source(str(tmp_path / "a.json"))).calls) == 4


def test_bad_lines_are_counted(tmp_path):
    place = tmp_path / "s.jsonl"
    good = (HERE / "claude-code.jsonl").read_text("utf-8").splitlines()
    place.write_text("\n".join([*good[:3], "{not json", "\ufffd", *good[3:]]), "utf-8")
    found = read(Source(str(place)))
    assert found.bad_lines == 2
    assert len(found.calls) == 4


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"{",
        b"[[[[[",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"a": 1}\n',
        b"null\n1\n",
    ],
)
def test_what_is_no_transcript_has_no_format(tmp_path, content):
    place = tmp_path / "x.json"
    place.write_bytes(content)
    (source,) = parts(str(place))
    assert read(source).format == ""


def test_what_is_not_there_is_an_error_of_the_system(tmp_path):
    (tmp_path / "x.db").write_bytes(
        b"no database, and long enough to be looked at as one"
    )
    for name in ("gone.jsonl", "x.db"):
        with pytest.raises(OSError, match=name):
            list(records(Source(str(tmp_path / name))))


def test_a_whole_file_that_was_cut_is_one_bad_line(tmp_path):
    place = tmp_path / "a.json"
    place.write_text('{\n "messages": [\n', "utf-8")
    assert list(records(Source(str(place)))) == [BAD]
