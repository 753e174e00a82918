"""The hook entry: silence when all is well, an answer when not, and status 0 whatever happens."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import hooks
import pytest
from hooks import FILES, answer, event, make_project, run, standing_in_for
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from truepath.guard import guard as guard_module
from truepath.hook import answer as answering
from truepath.hook import client as hook
from truepath.hook import deadline
from truepath.journal.journal import journal_path, read_events
from truepath.session.loops import FOLLOWED
from truepath.session.stores import open_store
from truepath.session.tracker import Tracker
from truepath.types import Decision, ToolCall

SOURCES = Path(hook.__file__).parents[2]


@pytest.fixture(scope="module")
def repo(tmp_path_factory):
    return hooks.make_project(tmp_path_factory.mktemp("hook") / "repo")


@pytest.fixture(autouse=True)
def clean(monkeypatch, tmp_path):
    for name in ("TRUEPATH", "CLAUDE_RESOLVE_PATH", "COPILOT_CLI", "GEMINI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TRUEPATH_STATE", str(tmp_path / "state"))


def python(code, data=b"", env=None, **more):
    """Run `code` in a bare interpreter that sees nothing but the standard library and us."""
    code = f"import sys; sys.path.insert(0, {str(SOURCES)!r})\n{code}"
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        input=data,
        env=env or {},
        capture_output=True,
        check=False,
        **more,
    )


MODULES = """
before = set(sys.modules)
from truepath.hook.client import main
status = main(["claude-code"])
print(*sorted(set(sys.modules) - before), file=sys.stderr)
sys.exit(status)
"""


def imported(data, **env):
    done = python(MODULES, json.dumps(data).encode(), env)
    assert (done.returncode, done.stdout) == (0, b"")
    return set(done.stderr.decode().split())


def test_a_moved_file_is_read_where_it_is_and_both_paths_are_named(repo):
    output = answer(event(repo))
    assert output["updatedInput"] == {"file_path": str(repo / "docs/status.md")}
    assert "specs/status.md" in output["additionalContext"]
    assert "docs/status.md" in output["additionalContext"]
    assert "permissionDecision" not in output


def test_a_name_that_stands_in_two_folders_is_refused_with_both(repo):
    output = answer(event(repo, "lib/util.py"))
    assert output["permissionDecision"] == "deny"
    assert "pkg/one/util.py" in output["permissionDecisionReason"]
    assert "pkg/two/util.py" in output["permissionDecisionReason"]


def test_a_refused_notebook_edit_gets_its_candidates_in_the_batch(repo):
    (repo / "pkg/one/plot.ipynb").write_text("{}")
    for path in ("pkg/two/plot.ipynb", "pkg/one/plot.ipynb"):
        # As 2.1.197 and 2.1.330 say it, of a notebook that is not there and of one not yet read.
        said = "File has not been read yet. Read it first before writing to it."
        call = {
            "tool_name": "NotebookEdit",
            "tool_input": {"notebook_path": str(repo / path), "new_source": ""},
            "tool_use_id": "toolu_0",
            "tool_response": f"<tool_use_error>{said}</tool_use_error>",
        }
        output = answer(event(repo, name="PostToolBatch", tool_calls=[call]))
        if path == "pkg/two/plot.ipynb":
            assert "pkg/one/plot.ipynb" in output["additionalContext"]
        else:
            assert output is None


def test_a_refused_edit_gets_its_candidates_in_the_batch(repo):
    call = {
        "tool_name": "Edit",
        "tool_input": {"file_path": "src/settings.py", "old_string": "a", "new_string": "b"},
        "tool_use_id": "toolu_1",
        "tool_response": "<tool_use_error>File does not exist.</tool_use_error>",
    }
    output = answer(event(repo, name="PostToolBatch", tool_calls=[call]))
    assert set(output) == {"hookEventName", "additionalContext"}
    assert "src/app/settings.py" in output["additionalContext"]


def test_an_edit_refused_for_another_reason_is_left_alone_beside_one_that_missed(repo):
    calls = [
        {
            "tool_name": "Edit",
            "tool_input": {"file_path": str(repo / path)},
            "tool_response": f"<tool_use_error>{text}</tool_use_error>",
        }
        for path, text in [
            ("pkg/one/util.py", "File has not been read yet."),
            ("src/settings.py", "File does not exist."),
        ]
    ]
    output = answer(event(repo, name="PostToolBatch", tool_calls=calls))
    assert "pkg/one" not in output["additionalContext"]


@pytest.mark.parametrize("path", sorted(FILES))
def test_a_file_that_exists_is_met_with_silence(repo, path):
    assert run(event(repo, path)) == (0, b"", b"")


def streak(repo, tmp_path):
    state = Tracker(open_store(None, str(tmp_path / "state")), str(repo))
    return state.standing(ToolCall("", session="one"))


def test_misses_of_a_session_are_counted_from_one_process_to_the_next(repo, tmp_path):
    answer(event(repo, "lib/util.py", session_id="one"))
    time.sleep(answering.TURN_GAP_S)
    output = answer(event(repo, "lib/util.py", session_id="one", tool_use_id="toolu_1"))
    assert streak(repo, tmp_path).count == 2
    assert "with Bash (find, grep, ls)" in output["permissionDecisionReason"]
    assert "Glob" not in output["permissionDecisionReason"]


def found(repo, **more):
    """Return a call that goes well, made in a turn of its own."""
    time.sleep(answering.TURN_GAP_S)
    return event(repo, "docs/status.md", session_id="one", tool_use_id="toolu_9", **more)


def test_a_path_that_exists_ends_a_streak_in_silence(repo, tmp_path):
    answer(event(repo, "lib/util.py", session_id="one"))
    assert run(found(repo)) == (0, b"", b"")
    assert streak(repo, tmp_path).count == 0


@pytest.mark.parametrize("where", ["environment", "settings"])
def test_a_streak_in_another_store_is_ended_too(repo, tmp_path, monkeypatch, where):
    url = f"file://{tmp_path}/elsewhere"
    if where == "environment":
        monkeypatch.setenv("TRUEPATH_STORE", url)
    else:
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
        (tmp_path / "truepath").mkdir()
        (tmp_path / "truepath/config.toml").write_text(f'store = "{url}"\n')
    answer(event(repo, "lib/util.py", session_id="one"))
    run(found(repo))
    state = Tracker(open_store(url, str(tmp_path / "state")), str(repo))
    assert state.standing(ToolCall("", session="one")).count == 0


def test_a_store_that_cannot_be_used_costs_no_answer_and_no_streak(repo, tmp_path, monkeypatch):
    pytest.importorskip("redis")
    monkeypatch.setenv("TRUEPATH_STORE", "redis://localhost:99999")
    assert answer(event(repo, "lib/util.py", session_id="one"))["permissionDecision"] == "deny"
    time.sleep(answering.TURN_GAP_S)
    output = answer(event(repo, "lib/util.py", session_id="one", tool_use_id="toolu_1"))
    assert "STRATEGY_SHIFT" in output["permissionDecisionReason"]
    kinds = [each.event for each in read_events(journal_path(str(tmp_path / "state")))]
    assert "store.failed" in kinds
    assert "guard.failed" not in kinds


def test_a_success_of_a_sub_agent_leaves_the_streak_of_its_caller(repo, tmp_path):
    answer(event(repo, "lib/util.py", session_id="one"))
    run(found(repo, agent_id="helper"))
    assert streak(repo, tmp_path).count == 1


def test_a_search_that_names_no_path_is_heard_of(repo, tmp_path):
    answer(event(repo, "lib/util.py", session_id="one"))
    search = event(repo, tool="Glob", session_id="one", tool_input={"pattern": "**/util.py"})
    assert run(search) == (0, b"", b"")
    for call in ("toolu_1", "toolu_2"):
        time.sleep(answering.TURN_GAP_S)
        answer(event(repo, "lib/util.py", session_id="one", tool_use_id=call))
    assert streak(repo, tmp_path).count == 3
    assert streak(repo, tmp_path).level == 2, "a session that has searched may make new paths"


def recorded(tmp_path, *lines):
    file = tmp_path / "record.jsonl"
    file.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    return str(file)


def made(turn, *calls):
    blocks = [{"type": "tool_use", "id": name, "name": "Read", "input": {}} for name in calls]
    return {"type": "assistant", "message": {"id": turn, "role": "assistant", "content": blocks}}


def test_calls_that_the_record_puts_in_one_turn_are_one_miss(repo, tmp_path):
    record = recorded(tmp_path, made("msg_1", "toolu_0", "toolu_1"), made("msg_2", "toolu_2"))
    counts = []
    for number in range(3):
        missed = event(repo, "lib/util.py", session_id="one", transcript_path=record)
        answer({**missed, "tool_use_id": f"toolu_{number}"})
        counts.append(streak(repo, tmp_path).count)
        time.sleep(answering.TURN_GAP_S)
    assert counts == [1, 1, 2]


def typed(text, **more):
    return {"type": "user", "message": {"role": "user", "content": text}, **more}


def test_a_path_that_the_user_typed_is_advised_upon_only(repo, tmp_path):
    record = recorded(tmp_path, typed("what does specs/status.md say?"))
    output = answer(event(repo, transcript_path=record))
    assert set(output) == {"hookEventName", "additionalContext"}
    assert "docs/status.md" in output["additionalContext"]


def test_what_the_user_typed_before_is_over(repo, tmp_path):
    record = recorded(tmp_path, typed("what does specs/status.md say?"), typed("go on"))
    assert "updatedInput" in answer(event(repo, transcript_path=record))


@pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: makes a pipe")
@pytest.mark.parametrize("kind", ["missing", "a folder", "a pipe", "no JSON", "not a path"])
def test_a_record_that_cannot_be_read_changes_nothing(repo, tmp_path, kind):
    record = tmp_path / "record"
    if kind == "a folder":
        record.mkdir()
    elif kind == "a pipe":
        os.mkfifo(record)
    elif kind == "no JSON":
        record.write_bytes(b'"type":"user"\xff{"role":"user"\n' * 99)
    path = "\0" if kind == "not a path" else str(record)
    assert "updatedInput" in answer(event(repo, transcript_path=path))


def test_what_the_user_says_ends_a_streak_in_silence(repo, tmp_path):
    answer(event(repo, "lib/util.py", session_id="one"))
    said = event(repo, name="UserPromptSubmit", session_id="one", prompt="go on")
    assert run(said) == (0, b"", b"")
    assert streak(repo, tmp_path).count == 0


def test_a_path_relative_to_the_shell_is_found(repo):
    data = event(repo, cwd=str(repo / "docs"), tool_input={"file_path": "status.md"})
    assert run(data) == (0, b"", b"")


READ_IN_PLACE = {
    "truepath",
    "truepath.config",
    "truepath.config.user_dirs",
    "truepath.hook",
    "truepath.hook.client",
    "truepath.hook.presence",
    "truepath.hosts",
    "truepath.hosts.claude_code",
    "truepath.hosts.fields",
    "truepath.hosts.host",
    "truepath.hosts.event_schema",
    "truepath.hosts.table",
    "truepath.session",
    "truepath.session.keys",
}
COMMAND = {
    "truepath.calls",
    "truepath.calls.shell",
    "truepath.calls.shell.programs",
    "truepath.calls.shell.reader",
    "truepath.calls.shell.scripts",
    "truepath.calls.shell.uses",
    "truepath.paths",
    "truepath.records",
    "truepath.types",
}
COSTLY = {"json", "re", "dataclasses", "inspect", "subprocess", "tempfile", "pathlib", "enum"}


def test_a_file_that_exists_costs_no_import_of_the_engine(repo):
    new = imported(event(repo, "docs/status.md"))
    assert {name for name in new if name.startswith("truepath")} == READ_IN_PLACE
    assert not new & COSTLY
    assert len(new) <= 24


def test_a_command_whose_files_exist_costs_its_tables_and_no_other_import(repo):
    new = imported(event(repo, tool="Bash", tool_input={"command": "cat docs/status.md | wc -l"}))
    assert {name for name in new if name.startswith("truepath")} == READ_IN_PLACE | COMMAND
    assert not new & {"json", "typing", "dataclasses", "subprocess", "tempfile"}


def test_what_the_user_says_costs_no_import_of_the_engine_while_nothing_was_missed(repo):
    said = event(repo, name="UserPromptSubmit", prompt="go on")
    assert "truepath.guard.guard" not in imported(said)


def test_some_successes_after_a_miss_the_next_cost_no_import_of_the_engine(repo, tmp_path):
    answer(event(repo, "lib/util.py", session_id="one"))
    for _ in range(FOLLOWED):
        run(found(repo))
    assert "truepath.guard.guard" not in imported(
        found(repo), TRUEPATH_STATE=str(tmp_path / "state")
    )


@pytest.mark.parametrize("name", ["TRUEPATH", "CLAUDE_RESOLVE_PATH"])
def test_switched_off_it_does_nothing_and_imports_nothing(repo, name):
    new = imported(event(repo), **{name: "0"})
    assert not {part for part in new if part.startswith("truepath.hosts")}


@pytest.mark.parametrize("value", ["0", "off", "False", " no "])
def test_the_switch_has_the_usual_words_for_off(repo, monkeypatch, value):
    monkeypatch.setenv("TRUEPATH", value)
    assert run(event(repo)) == (0, b"", b"")


@pytest.mark.parametrize("value", ["1", "on", ""])
def test_any_other_word_leaves_it_on(repo, monkeypatch, value):
    monkeypatch.setenv("TRUEPATH", value)
    assert answer(event(repo))


@pytest.mark.parametrize("data", [b"", b"\n", b" \n"])
def test_an_empty_event_is_answered_with_nothing_and_is_no_fault(data, tmp_path):
    assert run(data) == (0, b"", b"")
    assert [*read_events(journal_path(str(tmp_path / "state")))] == []


def test_what_did_not_reach_the_agent_is_not_recorded(repo, tmp_path):
    journal = journal_path(str(tmp_path / "state"))
    data = json.dumps(event(repo)).encode()

    def gone(_):
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        answering.reply("claude-code", data, os.environ, time.time(), gone)
    assert [*read_events(journal)] == []
    delivered = []
    said = answering.reply("claude-code", data, os.environ, time.time(), delivered.append)
    assert delivered == [said] != [b""]
    assert [each.event for each in read_events(journal)] == ["path.corrected"]


@pytest.mark.parametrize(
    "data",
    [
        b"null",
        b"[]",
        b'"PreToolUse"',
        b"{}",
        b"\xff\xfe{\x00}\x00",
        b"\x00",
        b"{" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": "x"}',
        b'{"hook_event_name": "PreToolUse"} trailing',
        b"1" * 5000,
    ],
    ids=range(11),
)
def test_what_is_no_event_gets_no_answer(data):
    status, out, err = run(data)
    assert (status, out) == (0, b"")
    assert err.count(b"\n") <= 1
    assert b"Traceback" not in err


def test_a_number_that_json_cannot_hold_is_never_given_back(repo):
    data = event(repo)
    data["tool_input"]["offset"] = float("nan")
    status, out, _ = run(data)
    assert status == 0
    assert b"NaN" not in out


def test_a_byte_order_mark_is_no_obstacle(repo):
    assert run(b"\xef\xbb\xbf" + json.dumps(event(repo)).encode())[1]


@pytest.mark.skipif(sys.platform != "linux", reason="only on Linux: names that are not UTF-8")
def test_a_name_that_is_not_utf8_is_told_of_but_not_passed_on(repo):
    folder = os.fsencode(repo) + b"/caf\xe9"
    os.makedirs(folder, exist_ok=True)
    with open(folder + b"/latin.md", "w") as file:
        file.write("x")
    output = answer(event(repo, "specs/latin.md")) or {}
    assert "updatedInput" not in output
    assert not any("\udc80" <= letter <= "\udcff" for letter in json.dumps(output))


def test_an_unknown_host_is_named_in_one_line_and_blocks_nothing():
    status, out, err = run(b"{}", "no-such-host")
    assert (status, out) == (0, b"")
    assert b"no host is called 'no-such-host'; name one of claude-code" in err
    assert err.count(b"\n") == 1


def test_without_a_host_nothing_is_blocked():
    with standing_in_for(b"{}"):
        assert hook.main([]) == 0


FAULTS = [RuntimeError("broken"), KeyError(), SystemExit(2), MemoryError(), KeyboardInterrupt()]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
def test_a_fault_of_ours_lets_the_call_go_on_with_one_line_of_word(repo, monkeypatch, fault):
    def broken(*_):
        raise fault

    monkeypatch.setattr(guard_module.Guard, "before", broken)
    status, out, err = run(event(repo))
    assert (status, out) == (0, b"")
    assert type(fault).__name__.encode() in err
    assert err.count(b"\n") == 1


def test_a_fault_of_ours_is_an_event_without_its_message(repo, monkeypatch, tmp_path):
    def broken(*_):
        raise RuntimeError("the secret is 12345")

    monkeypatch.setattr(guard_module.Guard, "before", broken)
    run(event(repo))
    [failed] = read_events(journal_path(str(tmp_path / "state")))
    assert (failed.event, failed.host) == ("guard.failed", "claude-code")
    assert failed.error.startswith("RuntimeError at test_hook.py:")


def test_a_fault_is_no_event_where_the_journal_is_off(repo, monkeypatch, tmp_path):
    monkeypatch.setenv("TRUEPATH_JOURNAL", "0")
    run(b"}")
    assert not (tmp_path / "state").exists()


@pytest.fixture
def slow(monkeypatch):
    def before(*_):
        for _ in range(60):
            with suppress(OSError):  # what the engine itself would swallow
                time.sleep(1)

    monkeypatch.setattr(guard_module.Guard, "before", before)


@pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: it has no alarm")
@pytest.mark.usefixtures("slow")
def test_what_a_hook_waited_for_before_counts_as_well(repo):
    data, long_ago = json.dumps(event(repo)).encode(), time.time() - 60
    with pytest.raises(deadline.OutOfPatienceError, match=r"within 0\.1 s"):
        answering.reply("claude-code", data, os.environ, long_ago)


@pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: it has no alarm")
@pytest.mark.usefixtures("slow")
def test_an_answer_that_takes_too_long_is_given_up(repo, monkeypatch):
    monkeypatch.setenv(deadline.VARIABLE, "0.3")
    begin = time.monotonic()
    status, out, err = run(event(repo))
    assert (status, out) == (0, b"")
    assert b"0.1 s" in err
    assert time.monotonic() - begin < 30


@pytest.mark.skipif(
    sys.platform == "win32", reason="not on Windows: a shell of POSIX closes the files"
)
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "| true"])
def test_closed_files_do_not_change_the_status(repo, closed):
    code = f"import sys; sys.path.insert(0, {str(SOURCES)!r})\n"
    code += "from truepath.hook.client import main; sys.exit(main(['claude-code']))"
    script = f'{{ "$1" -c "$2"; echo $? >"$3"; }} {closed}'
    with tempfile.NamedTemporaryFile() as status:
        subprocess.run(
            ["sh", "-c", script, "sh", sys.executable, code, status.name],
            input=json.dumps(event(repo)).encode(),
            capture_output=True,
            check=False,
        )
        assert status.read() == b"0\n"


SCRIPT = str(Path(hook.__file__).with_name("script.py"))


def bare(data, *words, **env):
    """Run the client as a host does: by a bare interpreter that knows no packages."""
    command = [sys.executable, "-I", "-S", SCRIPT, *(words or ("claude-code",))]
    done = subprocess.run(
        command, input=json.dumps(data).encode(), env=env, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def test_as_a_script_it_finds_its_packages_once_it_needs_them(repo, tmp_path):
    home = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    assert bare(event(repo, "docs/status.md"), **home) == b""
    corrected = json.loads(bare(event(repo), **home))["hookSpecificOutput"]
    assert corrected["updatedInput"] == {"file_path": str(repo / "docs/status.md")}
    denying = make_project(tmp_path / "denying")
    (denying / ".truepath.toml").write_text('deny = ["docs/"]')  # for which one is needed
    assert b"PATH_NOT_FOUND" in (told := bare(event(denying), **home))
    assert b"docs/status.md" not in told


def test_as_a_script_what_lies_beside_the_package_stands_in_for_nothing(repo, tmp_path):
    copy = tmp_path / "packages"
    shutil.copytree(SOURCES / "truepath", copy / "truepath")
    for name in ("json", "os", "re", "signal", "_json", "dataclasses"):
        (copy / f"{name}.py").write_text("raise RuntimeError('not me')")
    script = copy / "truepath/hook/script.py"
    command = [sys.executable, "-I", "-S", str(script), "claude-code"]
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    done = subprocess.run(
        command, input=json.dumps(event(repo)).encode(), env=env, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"docs/status.md" in done.stdout


@pytest.mark.parametrize("gone", ["client.py", "../session/keys.py", "presence.py", "../hosts"])
def test_as_a_script_half_of_which_is_gone_it_blocks_nothing(repo, tmp_path, gone):
    shutil.copytree(SOURCES / "truepath", tmp_path / "truepath")
    lost = tmp_path / "truepath/hook" / gone
    shutil.rmtree(lost) if lost.is_dir() else lost.unlink()
    script = tmp_path / "truepath/hook/script.py"
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(script), "claude-code"],
        input=json.dumps(event(repo)).encode(),
        env={"HOME": str(tmp_path)},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"")


def test_as_a_script_of_which_half_is_written_it_blocks_nothing(repo, tmp_path):
    shutil.copytree(SOURCES / "truepath", tmp_path / "truepath")
    client = tmp_path / "truepath/hook/client.py"
    client.write_text(client.read_text() + "def half(")
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(tmp_path / "truepath/hook/script.py"), "claude-code"],
        input=json.dumps(event(repo)).encode(),
        env={"HOME": str(tmp_path)},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"")


def test_the_command_of_the_console_is_the_same_client(repo):
    # In a process of its own: when the time of a hook is over, its process ends.
    code = (
        "import sys; sys.argv = ['truepath-hook', 'claude-code']\n"
        "from truepath.hook.client import run; run()"
    )
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCES)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(event(repo)).encode(),
        env={**os.environ, **environ},
        capture_output=True,
        check=False,
    )
    assert b"docs/status.md" in done.stdout
    assert done.returncode == 0


PATHS = st.sampled_from(
    ["docs/status.md", "specs/status.md", "lib/util.py", "", "..", "/", "~", "a\0b", "x" * 4096]
) | st.text(max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | PATHS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)
INPUTS = st.dictionaries(st.sampled_from(["file_path", "path", "command", "limit"]), PATHS | VALUES)
NAMES = st.sampled_from(["PreToolUse", "PostToolUseFailure", "PostToolBatch", "UserPromptSubmit"])
TOOLS = st.sampled_from(["Read", "Edit", "Write", "Glob", "Grep", "Bash", "NotebookEdit", "Other"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.binary(max_size=200))
def test_any_bytes_give_status_0_and_nothing(data):
    status, out, _ = run(data)
    assert (status, out) == (0, b"")


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(name=NAMES, tool=TOOLS, arguments=INPUTS | VALUES, cut=st.integers(0, 2000))
def test_any_event_gives_status_0_and_json_or_nothing(repo, name, tool, arguments, cut):
    data = event(repo, tool=tool, name=name, tool_input=arguments, error="no such file")
    call = {"tool_name": tool, "tool_input": arguments}
    call["tool_response"] = "<tool_use_error>File does not exist.</tool_use_error>"
    data["tool_calls"] = [call]
    for given_ in (json.dumps(data).encode(), json.dumps(data).encode()[:cut]):
        status, out, err = run(given_)
        assert status == 0
        assert b"Traceback" not in err
        if out:
            inner = json.loads(out, parse_constant=pytest.fail)["hookSpecificOutput"]
            assert inner.get("permissionDecision", "deny") == "deny"


@given(value=VALUES, indent=st.sampled_from([None, 1]))
def test_json_is_read_as_the_json_module_reads_it(value, indent):
    data = json.dumps(value, indent=indent)
    assert json.dumps(hook._parse(data.encode())) == json.dumps(json.loads(data))


LIKE_JSON = st.text('[]{},:"\\ue1.-+0 \n\t\v\x1c\xa0', max_size=12).map(str.encode)


@given(data=st.binary(max_size=30) | LIKE_JSON)
def test_what_the_json_module_rejects_is_rejected(data):
    try:
        expected = json.loads(data.decode("utf-8-sig"))
    except ValueError:
        with pytest.raises(ValueError):  # noqa: PT011  any of its kinds
            hook._parse(data)
    else:
        assert json.dumps(hook._parse(data)) == json.dumps(expected)


def test_what_an_answer_says_of_a_name_that_is_not_utf8_can_be_written():
    said = answering._sayable({}, Decision("refuse", {}, text="`caf\udce9.md` is not there"))

    assert said.text.encode("utf-8")
