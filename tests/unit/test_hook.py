"""The hook entry: silence when all is well, an answer when not, and status 0 whatever happens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from truepath import guard as guard_module
from truepath.call import ToolCall
from truepath.cli import hook
from truepath.journal import journal_path, read_events
from truepath.stores import open_store
from truepath.tracking import Tracker

SOURCES = Path(hook.__file__).parents[2]
FILES = {
    "docs/status.md": "STATUS all green\n",
    "pkg/one/util.py": "",
    "pkg/two/util.py": "",
    "src/app/settings.py": "",
}


@pytest.fixture(scope="module")
def repo(tmp_path_factory):
    root = tmp_path_factory.mktemp("hook") / "repo"
    for name, content in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    (root / "docs").rename(root / "specs")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "start")
    git(root, "mv", "specs", "docs")
    git(root, "commit", "-qm", "move")
    return root


def git(root, *words):
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", *identity, "-C", str(root), *words], check=True)


@pytest.fixture(autouse=True)
def clean(monkeypatch, tmp_path):
    for name in ("TRUEPATH", "CLAUDE_RESOLVE_PATH", "COPILOT_CLI", "GEMINI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TRUEPATH_STATE", str(tmp_path / "state"))


def event(repo, path="specs/status.md", tool="Read", name="PreToolUse", **more):
    return {
        "session_id": f"session-{time.monotonic_ns()}",
        "cwd": str(repo),
        "hook_event_name": name,
        "tool_name": tool,
        "tool_input": {"file_path": os.path.join(repo, path)},
        "tool_use_id": "toolu_0",
        **more,
    }


@contextmanager
def standing_in_for(data):
    """Put `data` on file descriptor 0, and collect what is written to 1 and 2."""
    with ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        files[0].write(data)
        files[0].seek(0)
        kept = [os.dup(number) for number in range(3)]
        try:
            for number, file in enumerate(files):
                os.dup2(file.fileno(), number)
            yield files[1:]
        finally:
            for number, old in enumerate(kept):
                os.dup2(old, number)
                os.close(old)


def run(data, *args):
    """Run the hook in this process; return its status, its output and its errors."""
    if not isinstance(data, bytes):
        data = json.dumps(data).encode()
    with standing_in_for(data) as (out, err):
        status = hook.main(args or ("claude-code",))
        told = []
        for file in (out, err):
            file.seek(0)
            told.append(file.read())
    return status, *told


def answer(data):
    status, out, err = run(data)
    assert (status, err) == (0, b"")
    return json.loads(out)["hookSpecificOutput"] if out else None


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
from truepath.cli.hook import main
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
    time.sleep(hook.SLACK)
    output = answer(event(repo, "lib/util.py", session_id="one", tool_use_id="toolu_1"))
    assert streak(repo, tmp_path).count == 2
    assert "Glob" in output["permissionDecisionReason"]


def test_what_the_user_says_ends_a_streak_in_silence(repo, tmp_path):
    answer(event(repo, "lib/util.py", session_id="one"))
    assert streak(repo, tmp_path).count == 1
    said = event(repo, name="UserPromptSubmit", session_id="one", prompt="go on")
    assert run(said) == (0, b"", b"")
    assert streak(repo, tmp_path).count == 0


def test_a_path_relative_to_the_shell_is_found(repo):
    data = event(repo, cwd=str(repo / "docs"), tool_input={"file_path": "status.md"})
    assert run(data) == (0, b"", b"")


def test_a_file_that_exists_costs_no_import_of_the_engine(repo):
    new = imported(event(repo, "docs/status.md"))
    ours = {name for name in new if name.startswith("truepath")}
    assert ours == {
        "truepath",
        "truepath.cli",
        "truepath.cli.hook",
        "truepath.hosts",
        "truepath.hosts.claude_code",
    }
    costly = {"json", "re", "dataclasses", "inspect", "subprocess", "tempfile", "pathlib", "enum"}
    assert not new & costly
    assert len(new) <= 16


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


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
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
    ids=range(13),
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


@pytest.mark.skipif(sys.platform != "linux", reason="other systems want names to be Unicode")
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
    assert b"no-such-host" in err
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


@pytest.mark.skipif(sys.platform == "win32", reason="no alarm there; the host's own limit serves")
def test_an_answer_that_takes_too_long_is_given_up(repo, monkeypatch):
    def slow(*_):
        for _ in range(60):
            with suppress(OSError):  # what the engine itself would swallow
                time.sleep(1)

    monkeypatch.setattr(guard_module.Guard, "before", slow)
    monkeypatch.setattr(hook, "PATIENCE", 0.05)
    begin = time.monotonic()
    status, out, err = run(event(repo))
    assert (status, out) == (0, b"")
    assert b"0.05 s" in err
    assert time.monotonic() - begin < 5


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX closes the files")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "| true"])
def test_closed_files_do_not_change_the_status(repo, closed):
    code = f"import sys; sys.path.insert(0, {str(SOURCES)!r})\n"
    code += "from truepath.cli.hook import main; sys.exit(main(['claude-code']))"
    script = f'{{ "$1" -c "$2"; echo $? >"$3"; }} {closed}'
    with tempfile.NamedTemporaryFile() as status:
        subprocess.run(
            ["sh", "-c", script, "sh", sys.executable, code, status.name],
            input=json.dumps(event(repo)).encode(),
            capture_output=True,
            check=False,
        )
        assert status.read() == b"0\n"


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


LIKE_JSON = st.text('[]{},:"\\ue1.-+0 \n\t', max_size=12).map(str.encode)


@given(data=st.binary(max_size=30) | LIKE_JSON)
def test_what_the_json_module_rejects_is_rejected(data):
    try:
        expected = json.loads(data.decode("utf-8-sig"))
    except ValueError:
        with pytest.raises(ValueError):  # noqa: PT011  any of its kinds
            hook._parse(data)
    else:
        assert json.dumps(hook._parse(data)) == json.dumps(expected)
