"""The hook entry: silence when all is well, an answer when not, and status 0 whatever
happens.
"""

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
from hooks import FILES, answer, event, make_project, run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from truepath.errors import OutOfPatienceError
from truepath.guard import guard as guard_module
from truepath.hook import answer as answering
from truepath.hook import client as hook
from truepath.hook import deadline
from truepath.hosts import find
from truepath.journal.journal import EventReader, journal_path
from truepath.session.session import session_of
from truepath.session.stores import open_store
from truepath.types import ToolCall

SOURCES = Path(hook.__file__).parents[2]


@pytest.fixture(scope="module")
def repo(tmp_path_factory):
    return hooks.make_project(tmp_path_factory.mktemp("hook") / "repo")


@pytest.fixture(autouse=True)
def clean(monkeypatch, tmp_path):
    for name in (
        "TRUEPATH",
        "CLAUDE_RESOLVE_PATH",
        "COPILOT_CLI",
        "GEMINI_PROJECT_DIR",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TRUEPATH_STATE", str(tmp_path / "state"))


def test_a_moved_file_is_read_where_it_is_and_both_paths_are_named(repo):
    one = {"session_id": "5e55"}
    output = answer(event(repo, **one))
    assert output["updatedInput"] == {"file_path": str(repo / "docs/status.md")}
    assert {*output} == {"hookEventName", "updatedInput"}
    ran = event(repo, "docs/status.md", name="PostToolUse", **one)
    assert answer(ran)["additionalContext"].startswith(
        f"OK: `{repo}/docs/status.md` in place of `{repo}/specs/status.md`"
    )
    assert answer(ran) is None


def test_a_name_that_stands_in_two_folders_is_refused_with_both(repo):
    output = answer(event(repo, "lib/util.py"))
    assert output["permissionDecision"] == "deny"
    assert "pkg/one/util.py" in output["permissionDecisionReason"]
    assert "pkg/two/util.py" in output["permissionDecisionReason"]


def test_what_was_refused_gets_its_candidates_in_the_batch(repo):
    """As Claude Code says it, also of a notebook that is not there; the last is there,
    not read.
    """
    missing, unread = "File does not exist.", "File has not been read yet."
    (repo / "pkg/one/plot.ipynb").write_text("{}")
    rows = [
        ("Edit", "file_path", "src/settings.py", missing),
        ("NotebookEdit", "notebook_path", f"{repo}/pkg/two/plot.ipynb", unread),
        ("Edit", "file_path", f"{repo}/pkg/two/util.py", unread),
    ]
    calls = [
        {
            "tool_name": tool,
            "tool_input": {key: path, "old_string": "a", "new_string": "b"},
            "tool_use_id": f"toolu_{number}",
            "tool_response": f"<tool_use_error>{said}</tool_use_error>",
        }
        for number, (tool, key, path, said) in enumerate(rows)
    ]
    output = answer(event(repo, name="PostToolBatch", tool_calls=calls))
    assert set(output) == {"hookEventName", "additionalContext"}
    assert "src/app/settings.py" in output["additionalContext"]
    assert "pkg/one/plot.ipynb" in output["additionalContext"]
    assert "util.py" not in output["additionalContext"]


@pytest.mark.parametrize("path", sorted(FILES))
def test_a_file_that_exists_is_met_with_silence(repo, path):
    assert run(event(repo, path)) == (0, b"", b"")


def streak(repo, tmp_path):
    store = open_store(None, str(tmp_path / "state"))
    return session_of(ToolCall("", session="one"), store, str(repo)).streak_of(
        "lib/util.py"
    )


def test_misses_of_a_session_are_counted_from_one_process_to_the_next(repo, tmp_path):
    answer(event(repo, "lib/util.py", session_id="one"))
    time.sleep(answering.TURN_GAP_S)
    output = answer(event(repo, "lib/util.py", session_id="one", tool_use_id="toolu_1"))
    assert streak(repo, tmp_path).count == 2
    assert output["permissionDecisionReason"].startswith("STRATEGY_SHIFT: 2 misses")
    assert "Glob" not in output["permissionDecisionReason"]


def found(repo, **more):
    """Return a call that goes well, made in a turn of its own."""
    time.sleep(answering.TURN_GAP_S)
    return event(
        repo, "docs/status.md", session_id="one", tool_use_id="toolu_9", **more
    )


def test_a_quick_check_ends_a_streak_as_the_engine_does(repo, tmp_path):
    for number in range(3):
        time.sleep(answering.TURN_GAP_S)
        answer(
            event(repo, "lib/util.py", session_id="one", tool_use_id=f"toolu_{number}")
        )
    assert run(event(repo, "docs/status.md", session_id="one")) == (0, b"", b"")
    assert streak(repo, tmp_path).count == 1, "the calls of a turn have no order"
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
    store = open_store(url, str(tmp_path / "state"))
    assert (
        session_of(ToolCall("", session="one"), store, str(repo))
        .streak_of("lib/util.py")
        .count
        == 0
    )


def test_a_store_that_cannot_be_used_costs_no_answer_and_no_streak(
    repo, tmp_path, monkeypatch
):
    pytest.importorskip("redis")
    monkeypatch.setenv("TRUEPATH_STORE", "redis://localhost:99999")
    assert (
        answer(event(repo, "lib/util.py", session_id="one"))["permissionDecision"]
        == "deny"
    )
    time.sleep(answering.TURN_GAP_S)
    output = answer(event(repo, "lib/util.py", session_id="one", tool_use_id="toolu_1"))
    assert "STRATEGY_SHIFT" in output["permissionDecisionReason"]
    kinds = [
        each.event for each in EventReader(journal_path(str(tmp_path / "state"))).read()
    ]
    assert "store.failed" in kinds
    assert "guard.failed" not in kinds


def test_a_search_that_names_no_path_is_heard_of(repo, tmp_path):
    answer(event(repo, "lib/util.py", session_id="one"))
    search = event(
        repo, tool="Glob", session_id="one", tool_input={"pattern": "**/util.py"}
    )
    assert run(search) == (0, b"", b"")
    for call in ("toolu_1", "toolu_2"):
        time.sleep(answering.TURN_GAP_S)
        answer(event(repo, "lib/util.py", session_id="one", tool_use_id=call))
    assert streak(repo, tmp_path).count == 3
    assert streak(repo, tmp_path).level == 2, (
        "a session that has searched may make new paths"
    )


def test_what_the_user_says_ends_a_streak_in_silence(repo, tmp_path):
    answer(event(repo, "lib/util.py", session_id="one"))
    said = event(repo, name="UserPromptSubmit", session_id="one", prompt="go on")
    assert run(said) == (0, b"", b"")
    assert streak(repo, tmp_path).count == 0


def test_a_path_relative_to_the_shell_is_found(repo):
    data = event(repo, cwd=str(repo / "docs"), tool_input={"file_path": "status.md"})
    assert run(data) == (0, b"", b"")


def test_what_did_not_reach_the_agent_is_not_recorded(repo, tmp_path):
    journal = journal_path(str(tmp_path / "state"))
    host, said = find("claude-code"), event(repo)

    def gone(_):
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        answering.reply(host, said, os.environ, time.time(), gone)
    assert [*EventReader(journal).read()] == []
    delivered = []
    told = answering.reply(host, said, os.environ, time.time(), delivered.append)
    assert delivered == [told] != [b""]
    assert [each.event for each in EventReader(journal).read()] == ["path.corrected"]


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
        b" \n",
    ],
    ids=range(12),
)
def test_what_is_no_event_gets_no_answer(data):
    status, out, err = run(data)
    assert (status, out) == (0, b"")
    assert err.count(b"\n") <= 1
    assert b"Traceback" not in err


def test_an_event_that_is_cut_off_is_told_as_bad_json_in_a_new_process():
    done = subprocess.run(
        hooks.PYTHON, input=b'{"a":"', capture_output=True, check=True
    )
    assert b"the event is no JSON: Unterminated string" in done.stderr


def test_a_byte_order_mark_is_no_obstacle(repo):
    assert run(b"\xef\xbb\xbf" + json.dumps(event(repo)).encode())[1]


def in_a_list(repo, path):
    """An event of Cline, whose read tool has its paths in a list."""
    return {
        "hookName": "tool_call",
        "tool_call": {
            "id": "call_1",
            "name": "read_files",
            "input": {"files": [{"path": str(repo / path)}]},
        },
        "workspaceInfo": {"rootPath": str(repo)},
        "sessionContext": {"rootSessionId": "one"},
    }


@pytest.mark.skipif(
    sys.platform != "linux", reason="only on Linux: names that are not UTF-8"
)
@pytest.mark.parametrize(
    ("host", "made", "corrected"),
    [
        ("claude-code", event, "updatedInput"),
        ("cline", in_a_list, "overrideInput"),
    ],
    ids=["text", "list"],
)
def test_a_name_that_is_not_utf8_is_told_of_but_not_passed_on(
    repo, host, made, corrected
):
    folder = os.fsencode(repo) + b"/caf\xe9"
    os.makedirs(folder, exist_ok=True)
    with open(folder + b"/latin.md", "w") as file:
        file.write("x")
    status, out, err = run(made(repo, "specs/latin.md"), host)
    assert (status, err) == (0, b"")
    assert b"latin.md" in out
    assert corrected.encode() not in out
    told = json.dumps(json.loads(out), ensure_ascii=False)
    assert not any("\udc80" <= letter <= "\udcff" for letter in told)


def test_an_unknown_host_is_named_in_one_line_and_blocks_nothing():
    status, out, err = run(b"{}", "no-such-host")
    assert (status, out) == (0, b"")
    assert b"no host is called 'no-such-host'; name one of claude-code" in err
    assert err.count(b"\n") == 1


FAULTS = [
    RuntimeError("broken"),
    KeyError(),
    SystemExit(2),
    MemoryError(),
    KeyboardInterrupt(),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
def test_a_fault_of_ours_lets_the_call_go_on_with_one_line_of_word(
    repo, monkeypatch, fault
):
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
    [failed] = EventReader(journal_path(str(tmp_path / "state"))).read()
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
    host, long_ago = find("claude-code"), time.time() - 60
    with pytest.raises(OutOfPatienceError, match=r"within 9 s"):
        answering.reply(host, event(repo), os.environ, long_ago)


@pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: it has no alarm")
@pytest.mark.usefixtures("slow")
def test_an_answer_that_takes_too_long_is_given_up(repo, monkeypatch):
    monkeypatch.setenv(deadline.VARIABLE, "0.1")
    status, out, err = run(event(repo))
    assert (status, out) == (0, b"")
    told = b"no answer within 0.5 s; the call runs as it was\n"
    assert err == b"truepath hook claude-code: " + told


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


def as_script(repo, script, home):
    """Run the client as a host does: by a bare interpreter that knows no packages."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(script), "claude-code"],
        input=json.dumps(event(repo)).encode(),
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    return done.stdout


def test_as_a_script_it_finds_its_packages_once_it_needs_them(repo, tmp_path):
    script = Path(hook.__file__).with_name("script.py")
    corrected = json.loads(as_script(repo, script, tmp_path))["hookSpecificOutput"]
    assert corrected["updatedInput"] == {"file_path": str(repo / "docs/status.md")}
    denying = make_project(tmp_path / "denying")
    (denying / ".truepath.toml").write_text(
        'deny = ["docs/"]'
    )  # for which one is needed
    assert b"PATH_NOT_FOUND" in (told := as_script(denying, script, tmp_path))
    assert b"docs/status.md" not in told


# (what is done to a copy, whether it answers all the same)
COPIES = {
    "modules of these names lie beside it": ("beside", True),
    "a module is gone": ("gone hook/client.py", False),
    "one of another room": ("gone session/keys.py", False),
    "one of its own": ("gone hook/presence.py", False),
    "a room": ("gone hosts", False),
    "a module is being written": ("half", False),
}


@pytest.mark.parametrize(("what", "answers"), COPIES.values(), ids=COPIES)
def test_as_a_script_beside_anything_it_answers_or_blocks_nothing(
    repo, tmp_path, what, answers
):
    copy = tmp_path / "packages/truepath"
    shutil.copytree(SOURCES / "truepath", copy)
    lost = copy / what.removeprefix("gone ")
    if what == "beside":
        for name in ("json", "os", "re", "signal", "_json", "dataclasses"):
            (copy.parent / f"{name}.py").write_text("raise RuntimeError('not me')")
    elif what == "half":
        (copy / "hook/client.py").write_text("def half(")
    else:
        shutil.rmtree(lost) if lost.is_dir() else lost.unlink()
    assert (
        b"docs/status.md" in as_script(repo, copy / "hook/script.py", tmp_path)
    ) == answers


PATHS = st.sampled_from(
    [
        "docs/status.md",
        "specs/status.md",
        "lib/util.py",
        "",
        "..",
        "/",
        "~",
        "a\0b",
        "x" * 4096,
    ]
) | st.text(max_size=20)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | PATHS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner)
    ),
    max_leaves=8,
)
INPUTS = st.dictionaries(
    st.sampled_from(["file_path", "path", "command", "limit"]), PATHS | VALUES
)
NAMES = st.sampled_from(
    ["PreToolUse", "PostToolUseFailure", "PostToolBatch", "UserPromptSubmit"]
)
TOOLS = st.sampled_from(
    ["Read", "Edit", "Write", "Glob", "Grep", "Bash", "NotebookEdit", "Other"]
)


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
    assert json.dumps(hook.parsed(data.encode())) == json.dumps(json.loads(data))


LIKE_JSON = st.text('[]{},:"\\ue1.-+0 \n\t\v\x1c\xa0', max_size=12).map(str.encode)


@given(data=st.binary(max_size=30) | LIKE_JSON)
def test_what_the_json_module_rejects_is_rejected(data):
    try:
        expected = json.loads(data.decode("utf-8-sig"))
    except ValueError:
        with pytest.raises(ValueError):  # noqa: PT011  any of its kinds
            hook.parsed(data)
    else:
        assert json.dumps(hook.parsed(data)) == json.dumps(expected)


@pytest.mark.parametrize(
    ("old", "why"),
    [("STATUS  all green", "a text that is like one of the file"), ("x, y", "nowhere")],
)
def test_an_edit_that_has_failed_is_refused_once_before_it_runs_again(repo, old, why):
    written = {"file_path": str(repo / "docs/status.md"), "old_string": old}
    session = {"session_id": "0a", "tool": "edit", "tool_input": written}
    failed = {"error": "Failed to edit, 0 occurrences found for old_string."}

    def sent():
        return run(event(repo, **session), "qwen")[1]

    assert sent() == b"", why
    run(event(repo, **session, name="PostToolUseFailure", **failed), "qwen")
    refused = json.loads(sent())["hookSpecificOutput"]
    assert refused["permissionDecision"] == "deny"
    assert "The same call failed a moment ago" in refused["permissionDecisionReason"]
    assert sent() == b""
    other = {**session, "tool_input": {**written, "old_string": "STATUS all green"}}
    assert run(event(repo, **other), "qwen")[1] == b""


def test_a_line_that_fails_three_times_is_told_with_the_third_failure(repo):
    line = {"tool": "Bash", "tool_input": {"command": "make -k"}, "session_id": "0b"}
    failed = {"name": "PostToolUseFailure", "error": "Exit code 2"}
    told = [run(event(repo, **line, **failed))[1] for _ in range(3)]
    assert told[:2] == [b"", b""]
    assert b"STRATEGY_SHIFT: this line failed 3 times" in told[2]


def test_a_document_that_a_quiet_read_has_shown_tells_where_its_paths_begin(repo):
    for folder in ("tools/pdf", "tools/doc"):
        (repo / folder / "scripts").mkdir(parents=True)
        (repo / folder / "scripts/fill.py").write_text(folder)
        (repo / folder / "SKILL.md").write_text(folder)
    asked = event(repo, session_id="0c", tool="Bash")
    asked["tool_input"] = {"command": "cat scripts/fill.py"}
    assert b"tools/doc/scripts/fill.py" in (first := run(asked)[1])
    assert b"deny" in first, "one of two"
    other = {**asked, "session_id": "0d"}
    assert run(event(repo, "tools/pdf/SKILL.md", session_id="0d"))[1] == b""
    shown = json.loads(run(other)[1])["hookSpecificOutput"]
    assert shown["updatedInput"]["command"] == "cat tools/pdf/scripts/fill.py"
