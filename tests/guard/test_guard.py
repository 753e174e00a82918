from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path, PurePath

import pytest

from truepath import ConfigError, Guard, Outcome, ToolCall, Workspace, WorkspaceError
from truepath.config.presets import PRESETS
from truepath.config.settings import Settings
from truepath.guard.caller import Caller

FILES = {
    "README.md": "# Shop",
    "docs/status.md": "",
    "docs/plans/q3.md": "",
    "backend/app/main.py": "",
    "backend/app/services/billing.py": "",
    "backend/app/services/invoice_export.py": "",
    "backend/app/services/notifications.py": "",
    "backend/app/models/invoice.py": "",
    "backend/tests/unit/services/test_billing.py": "",
    "backend/tests/unit/services/test_cache_simple.py": "",
    "reports/totals.py": "",
    "billing/totals.py": "",
    "frontend/src/App.tsx": "",
    "frontend/src/components/InvoiceTable.tsx": "",
}
RARE = "services/invoice_export.py"
"""Wrong, with one sure answer."""
RIGHT = "backend/app/services/invoice_export.py"
TWO = "app/totals.py"
"""Wrong, with two answers."""
NONE = "backend/app/telemetry/spans.py"
"""Wrong, with none."""
FOLDER = "backend/app/services"

TOOLS = {
    "read": ("read_file", "path"),
    "list": ("list_directory", "path"),
    "search": ("grep_search", "path"),
    "edit": ("replace", "file_path"),
    "delete": ("delete_file", "path"),
    "write": ("write_file", "file_path"),
    "mkdir": ("create_directory", "path"),
}


@pytest.fixture
def repo(make_repo):
    return make_repo(FILES, git=False)


def before(guard: Guard, operation: str, path: str, **more):
    tool, argument = TOOLS[operation]
    return guard.before(ToolCall(tool, {argument: path}, **more)), argument


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("operation", TOOLS)
def test_what_exists_goes_through_in_silence(repo, preset, operation):
    path = FOLDER if operation in ("list", "mkdir") else RIGHT

    decision, argument = before(Guard(repo, policy=preset), operation, path)

    assert (decision.action, decision.text, decision.payload) == ("allow", "", None)
    assert decision.arguments == {argument: path}


@pytest.mark.parametrize(
    ("preset", "operation", "actions"),
    [
        ("careful", "read", "rewrite refuse refuse"),
        ("careful", "search", "rewrite refuse refuse"),
        ("careful", "edit", "rewrite refuse refuse"),
        ("careful", "delete", "refuse refuse refuse"),
        ("careful", "write", "allow allow allow"),
        ("recover", "read", "rewrite refuse refuse"),
        ("recover", "edit", "rewrite refuse refuse"),
        ("recover", "write", "allow allow allow"),
        ("suggest", "read", "refuse refuse refuse"),
        ("suggest", "edit", "refuse refuse refuse"),
        ("suggest", "delete", "refuse refuse refuse"),
        ("suggest", "write", "allow allow allow"),
        ("guide", "read", "allow allow allow"),
        ("guide", "edit", "allow allow allow"),
        ("guide", "delete", "allow allow allow"),
        ("guide", "write", "allow allow allow"),
        ("observe", "read", "allow allow allow"),
        ("observe", "edit", "allow allow allow"),
        ("observe", "delete", "allow allow allow"),
        ("observe", "write", "allow allow allow"),
    ],
)
@pytest.mark.parametrize(("at", "path"), [(0, RARE), (1, TWO), (2, NONE)])
def test_a_preset_decides_by_operation_and_resolution(repo, preset, operation, actions, at, path):
    expected = actions.split()[at]

    decision, argument = before(Guard(repo, policy=preset), operation, path)

    assert decision.action == expected, decision.text
    assert decision.arguments == {argument: RIGHT if expected == "rewrite" else path}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_caller_that_cannot_change_a_call_gets_it_refused_with_the_right_path(repo, preset):
    full, bound = (
        Guard(repo, policy=preset),
        Guard(repo, policy=preset, caller=Caller(rewrites=False)),
    )
    usual, _ = before(full, "read", RARE)
    decision, _ = before(bound, "read", RARE)

    assert decision.action == ("refuse" if usual.action == "rewrite" else usual.action)
    assert (RIGHT in decision.text) == (decision.action == "refuse")


def test_a_caller_that_cannot_refuse_a_call_gets_it_advised_upon(repo):
    decision, _ = before(Guard(repo, caller=Caller(refuses=False)), "read", TWO)
    assert decision.action == "advise"
    assert "billing/totals.py" in decision.text


def test_a_rewrite_names_both_paths_and_keeps_the_other_arguments(repo):
    call = ToolCall("replace", {"file_path": RARE, "old_string": "\n", "new_string": "c"})

    decision = Guard(repo).before(call)

    assert decision.arguments == {**call.arguments, "file_path": RIGHT}
    assert call.arguments["file_path"] == RARE, "the call itself is not changed"
    assert f"`{RARE}`" in decision.text
    assert f"`{RIGHT}`" in decision.text
    assert decision.payload["code"] == "PATH_CORRECTED"


def test_an_absolute_path_is_rewritten_as_an_absolute_one(repo):
    decision, _ = before(Guard(repo), "read", f"{repo}/{RARE}")

    assert decision.arguments == {"path": f"{repo}/{RIGHT}"}


def test_a_relative_path_is_rewritten_for_where_the_agent_stands(repo):
    guard = Guard(repo)

    inside, _ = before(guard, "read", "backend/app/main.py", cwd="backend")
    above, _ = before(guard, "read", "backend/app/main.py", cwd="frontend/src")

    assert inside.arguments == {"path": "app/main.py"}
    assert above.arguments == {"path": f"{repo}/backend/app/main.py"}


def test_two_equal_files_are_both_named(repo):
    decision, _ = before(Guard(repo), "edit", TWO)

    assert decision.action == "refuse"
    assert decision.text.startswith("PATH_NOT_FOUND")
    for path in ("reports/totals.py", "billing/totals.py"):
        assert f"`{path}`" in decision.text
    named = {each["path"] for each in decision.payload["paths"][0]["candidates"]}
    assert {"reports/totals.py", "billing/totals.py"} <= named


def test_nothing_like_it_is_said_with_what_was_searched(repo):
    decision, _ = before(Guard(repo), "read", NONE)

    assert decision.text.startswith("PATH_NOT_FOUND: file not found")
    assert f"{len(FILES)} files" in decision.text
    assert "glob or find" in decision.text


def test_suggest_names_the_likely_file_and_lists_the_nearest_folder(repo):
    decision, _ = before(Guard(repo, policy="suggest"), "read", "backend/app/invoice_export.py")

    assert decision.action == "refuse"
    assert decision.payload["code"] == "PATH_NOT_FOUND"
    assert f"`{RIGHT}`" in decision.text
    assert "In `backend/app/`:" in decision.text


def test_a_folder_is_never_given_for_a_file(repo):
    decision, _ = before(Guard(repo), "read", FOLDER)

    assert decision.action == "refuse"
    assert decision.text.startswith("PATH_IS_NOT_A_FILE")


@pytest.mark.parametrize("preset", ["careful", "recover", "suggest"])
def test_a_new_folder_that_is_a_slip_is_not_made_in_silence(repo, preset):
    decision, argument = before(Guard(repo, policy=preset), "write", "bakcend/app/models/refund.py")

    assert "backend/app/models/refund.py" in decision.text
    if preset == "recover":
        assert decision.action == "rewrite"
        assert decision.arguments[argument] == "backend/app/models/refund.py"
    else:
        assert decision.action == "refuse"
        assert decision.text.startswith("PATH_LOOKS_WRONG")


def test_a_slip_that_is_meant_is_made_when_asked_again(repo):
    guard = Guard(repo)
    first, _ = before(guard, "write", "bakcend/x.py", session="s", turn="1")
    second, _ = before(guard, "write", "bakcend/x.py", session="s", turn="2")

    assert (first.action, second.action) == ("refuse", "allow")


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("path", [RARE, TWO, NONE, "README.md", "docs/new.md", "/tmp/x/new.md"])
def test_a_write_never_goes_to_another_file_that_exists(repo, preset, path):
    decision, argument = before(Guard(repo, policy=preset), "write", path)

    assert decision.arguments[argument] in (path, f"{repo}/{path}")


def test_what_the_user_named_is_advised_upon_only(repo):
    guard = Guard(repo)
    for operation, path in (("read", RARE), ("read", NONE), ("edit", TWO)):
        decision, argument = before(guard, operation, path, prompt=f"Please look at {path}.")
        assert decision.action == "advise"
        assert decision.arguments == {argument: path}
        assert decision.text


def test_a_path_outside_the_project_is_none_of_ours(repo, tmp_path):
    outside = tmp_path / "elsewhere.txt"
    outside.write_text("x")

    for path in (str(outside), "/etc/no-such-file"):
        decision, argument = before(Guard(repo), "read", path)
        assert (decision.action, decision.arguments) == ("allow", {argument: path})


def test_a_tool_that_takes_no_paths_goes_through(repo):
    assert Guard(repo).before(ToolCall("think", {"thought": NONE})).action == "allow"
    assert Guard(repo).before(ToolCall("web_fetch", {"url": "https://x/y.md"})).action == "allow"


ODD = [
    {},
    {"path": None},
    {"path": 7},
    {"path": []},
    {"path": {"a": [1]}},
    {"path": ["a", None]},
    {"path": ""},
]


@pytest.mark.parametrize("arguments", ODD)
@pytest.mark.parametrize("tool", ["read_file", "replace", "write_file", "Bash", "apply_patch"])
def test_arguments_of_the_wrong_kind_raise_nothing(repo, tool, arguments):
    decision = Guard(repo).before(ToolCall(tool, arguments))

    assert decision.arguments == arguments


def test_a_failed_call_is_told_what_is_known(repo):
    guard = Guard(repo, policy="guide")
    call = ToolCall("read_file", {"path": RARE})

    assert guard.before(call).action == "allow"
    decision = guard.after(call, Outcome(error="ENOENT: no such file or directory, open 'x'"))

    assert decision.action == "advise"
    assert f"`{RIGHT}`" in decision.text
    assert decision.arguments == call.arguments


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (None, "nothing failed"),
        ("", "nothing is said"),
        ("Permission denied", "another failure"),
        ("old_string not found in file", "the file was there"),
        ("File does not exist. Did you mean backend/x.py?", "the host has suggested already"),
        ("PATH_NOT_FOUND: `x` does not exist.", "that was an answer of ours"),
    ],
)
def test_after_a_call_nothing_is_said_without_need(repo, error, reason):
    call = ToolCall("read_file", {"path": RARE})

    assert Guard(repo).after(call, Outcome(error=error)).text == "", reason


def test_after_a_miss_of_a_path_that_is_there_nothing_is_said(repo):
    call = ToolCall("read_file", {"path": RIGHT})

    assert Guard(repo).after(call, Outcome(error="File does not exist.")).text == ""


def test_after_a_call_a_path_that_is_only_observed_does_not_silence_another(repo):
    guard = Guard(repo, settings=Settings(rules={"read": "observe", "edit": "guide"}))
    call = ToolCall("bash", {"command": f"cat {NONE}; sed -i s/a/b/ docs/nowhere.md"})
    error = "sed: can't read docs/nowhere.md: No such file or directory"

    assert guard.before(call).action == "allow"
    decision = guard.after(call, Outcome(error=error))
    assert decision.action == "advise"
    assert [each.written for each in decision.resolutions] == ["docs/nowhere.md"]


def test_observe_records_and_says_nothing(repo):
    events = []
    guard = Guard(repo, policy="observe", on_event=events.append)
    call = ToolCall("read_file", {"path": RARE}, session="s")

    assert guard.before(call).text == ""
    assert guard.after(call, Outcome(error="File does not exist.")).text == ""
    assert events


def test_every_correction_and_refusal_is_told_to_whoever_listens(repo):
    events = []
    guard = Guard(repo, on_event=events.append)
    for path in (RARE, TWO, NONE):
        before(guard, "read", path, session="s")

    assert [event.event for event in events][:1] == ["path.corrected"]
    assert len([event for event in events if event.event.startswith("path.")]) == 3
    assert events[0].requested == RARE
    assert events[0].resolved == RIGHT


def test_disabled_it_does_nothing(repo):
    guard = Guard(repo, settings=Settings(enabled=False))
    call = ToolCall("read_file", {"path": RARE})

    assert guard.before(call).action == "allow"
    assert guard.after(call, Outcome(error="File does not exist.")).text == ""


def test_a_rule_of_one_operation_outranks_the_preset(repo):
    guard = Guard(repo, settings=Settings(rules={"read": "refuse"}))

    assert before(guard, "read", RARE)[0].action == "refuse"
    assert before(guard, "edit", RARE)[0].action == "rewrite"


def test_a_threshold_that_nothing_reaches_corrects_nothing(repo):
    guard = Guard(repo, settings=Settings(thresholds={"read": 1.0}))

    decision, _ = before(guard, "read", RARE)

    assert decision.action == "refuse"
    assert f"`{RIGHT}`" in decision.text


def test_what_is_denied_is_never_named(repo):
    guard = Guard(repo, settings=Settings(deny=("backend/app/services/",)))

    decision, _ = before(guard, "read", RARE)

    assert decision.action == "refuse"
    assert "invoice_export.py`" not in decision.text.replace(f"`{RARE}`", "")
    assert RIGHT not in json.dumps(decision.payload)


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"policy": "reckless"}, "reckless"), ({"settings": Settings(policy="x")}, "'x'")],
)
def test_an_unknown_policy_is_named_with_those_that_are_known(repo, settings, message):
    with pytest.raises(ConfigError, match=message) as raised:
        Guard(repo, **settings)
    assert "careful" in str(raised.value)


def test_an_unknown_rule_is_named(repo):
    with pytest.raises(ConfigError, match="sometimes"):
        Guard(repo, settings=Settings(rules={"read": "sometimes"}))


def test_without_a_project_there_is_no_guard():
    with pytest.raises(ConfigError, match="root or workspace"):
        Guard()


def test_a_root_that_is_no_folder_is_named(repo):
    with pytest.raises(WorkspaceError, match="does not exist"):
        Guard(repo / "nowhere")
    with pytest.raises(WorkspaceError, match="is a file"):
        Guard(repo / "README.md")


def test_names_alone_can_be_guarded():
    guard = Guard(workspace=Workspace.from_names(FILES, root="/work/shop"))

    assert before(guard, "read", f"/work/shop/{RARE}")[0].arguments == {
        "path": f"/work/shop/{RIGHT}"
    }


@pytest.mark.parametrize(
    "path", [RARE, TWO, NONE, "readme.md", f"{RARE}:12", "backend/backend/app"]
)
@pytest.mark.parametrize("operation", ["read", "edit", "list"])
def test_a_rewritten_call_goes_through_as_it_is(repo, operation, path):
    guard = Guard(repo)
    tool, _ = TOOLS[operation]
    decision, _argument = before(guard, operation, path)

    if decision.action == "rewrite":
        again = guard.before(ToolCall(tool, decision.arguments))
        assert (again.action, again.arguments) == ("allow", decision.arguments)
        assert again.text == ""


def test_a_file_made_since_is_found(repo, write):
    guard = Guard(repo)
    before(guard, "read", NONE)
    write(repo, {NONE: "", "backend/app/telemetry/span_exporter.py": ""})

    assert before(guard, "read", NONE)[0].action == "allow"


def test_a_file_that_is_gone_since_is_not_given(repo):
    guard = Guard(repo)
    assert before(guard, "read", RARE)[0].action == "rewrite"
    (repo / RIGHT).unlink()

    decision, _ = before(guard, "read", RARE)

    assert decision.action == "refuse"
    assert decision.arguments == {"path": RARE}


@pytest.mark.parametrize(
    "place", ["file:///{}/s", "sqlite:///{}/s.sqlite"], ids=["files", "sqlite"]
)
def test_guards_that_share_a_store_by_setting_share_what_they_remember(
    repo, tmp_path, monkeypatch, place
):
    monkeypatch.setenv("TRUEPATH_STORE", place.format(tmp_path.as_posix()))

    def ask(path, operation="read"):
        return before(Guard(repo), operation, path, session="s")[0]

    assert not ask(NONE).shift
    ask(RIGHT)  # ends the streak
    shifts = [ask(NONE.replace("spans", f"spans{number}")).shift for number in range(3)]
    assert shifts == [False, True, True]
    assert ask(NONE, "write").payload["code"] == "LOOK_FIRST"


@pytest.mark.parametrize(
    "address", ["redis://localhost:99999", "redis://:pass/word@localhost", "redis:"]
)
def test_a_store_that_cannot_be_used_is_told_of_and_memory_takes_its_place(
    repo, monkeypatch, address
):
    pytest.importorskip("redis")
    monkeypatch.setenv("TRUEPATH_STORE", address)
    events = []
    guard = Guard(repo, on_event=events.append)

    assert before(guard, "read", RARE)[0].action == "rewrite"
    assert [before(guard, "read", NONE)[0].shift for _ in range(2)] == [False, True]
    (failed,) = [event for event in events if event.event == "store.failed"]
    assert failed.error.startswith("not a Redis address")
    assert "pass" not in failed.error


def test_switched_off_it_does_not_even_hear_the_user(repo, monkeypatch):
    monkeypatch.setenv("TRUEPATH", "0")
    monkeypatch.setenv("TRUEPATH_STORE", f"file://{repo}/sessions")

    Guard(repo).prompted(ToolCall("", {}))

    assert not (repo / "sessions").exists()


def test_several_threads_may_ask_at_once(repo):
    guard = Guard(repo)
    paths = [RARE, TWO, NONE, RIGHT] * 5
    actions: dict[int, str] = {}

    def ask(at: int) -> None:
        actions[at] = before(guard, "read", paths[at], session=str(at))[0].action

    threads = [threading.Thread(target=ask, args=(at,)) for at in range(len(paths))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [actions[at] for at in range(4)] == ["rewrite", "refuse", "refuse", "allow"]
    assert [actions[at] for at in range(len(paths))] == [actions[at] for at in range(4)] * 5


@pytest.mark.parametrize(
    ("operation", "path", "right"),
    [
        (
            "read",
            "backend/tests/coverage_improvement/manual/services/test_cache_simple.py",
            "backend/tests/unit/services/test_cache_simple.py",
        ),
        ("list", "src/components", "frontend/src/components"),
        ("read", "backend/backend/app/main.py", "backend/app/main.py"),
        ("read", "readme.md", "README.md"),
    ],
)
def test_the_cases_everybody_would_expect_are_corrected(make_repo, operation, path, right):
    decision, argument = before(Guard(make_repo(FILES, git=False), timeout_s=5.0), operation, path)

    assert decision.action == "rewrite", decision.text
    assert decision.arguments == {argument: right}


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (Path("app/session_store.py"), Path("src/app/session_store.py")),
        (b"app/session_store.py", b"src/app/session_store.py"),
        (
            [PurePath("app/session_store.py")],
            [PurePath("src/app/session_store.py")],
        ),
        (("app/session_store.py",), ("src/app/session_store.py",)),
    ],
)
def test_a_path_of_any_type_is_checked_and_keeps_its_type(make_repo, given, meant):
    guard = Guard(make_repo({"src/app/session_store.py": "", "README.md": ""}, git=False))

    decision = guard.before(ToolCall("read_file", {"path": given, "limit": 3}))

    assert (decision.action, decision.arguments) == ("rewrite", {"path": meant, "limit": 3})
    assert type(decision.arguments["path"]) is type(given)


def test_an_object_that_cannot_be_made_of_a_path_goes_on_as_it_came(make_repo):
    class Fixed(os.PathLike):
        def __fspath__(self):
            return "app/session_store.py"

    repo, arguments = make_repo({"src/app/session_store.py": ""}, git=False), {"path": Fixed()}

    assert Guard(repo).before(ToolCall("read_file", arguments)).arguments is arguments


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"operation": "reed"}, "did you mean 'read'"),
        ({"kind": "dir"}, "file, folder, any"),
        ({"threshold": 2}, "from 0 to 1"),
        ({"threshold": float("nan")}, "from 0 to 1"),
    ],
)
def test_a_question_that_cannot_be_asked_is_named(make_repo, how, message):
    workspace = Workspace(make_repo({"a.py": ""}, git=False))

    with pytest.raises(ConfigError, match=message):
        workspace.resolve("b.py", **how)
    assert workspace.resolve(Path("a.py")).status == "exists"
    assert workspace.resolve(b"a.py").written == "a.py"


@pytest.mark.parametrize(
    ("path", "action"),
    [
        ('{"path": "src/app.py"}', "rewrite"),
        ('["src/app.py"]', "rewrite"),
        ({"path": "src/app.py"}, "allow"),  # no tool that wants a path takes an object
    ],
)
def test_arguments_in_place_of_a_path_are_no_path_that_exists(make_repo, path, action):
    guard = Guard(make_repo({"src/app.py": ""}, git=False))

    decision = guard.before(ToolCall("Read", {"file_path": path}))

    assert decision.action == action
    assert "exists" not in [each.status for each in decision.resolutions]
    assert decision.arguments["file_path"] == ("src/app.py" if action == "rewrite" else path)


def test_what_a_hook_s_call_waits_counts_from_the_hook_s_start(repo):
    events = []
    began = time.time() - 5.0
    guard = Guard(repo, caller=Caller(began=began), on_event=events.append)
    guard.before(ToolCall("Read", {"file_path": "no/such/file_at_all.py"}))

    assert [event.elapsed_us >= 5_000_000 for event in events] == [True]


def test_a_corrected_write_overwrites_no_file(repo):
    """`recover` mends the folder of a new file, not the way to one that exists."""
    guard = Guard(repo, policy="recover")
    new = {"file_path": "bakcend/app/new_module.py", "content": ""}
    old = {"file_path": "bakcend/app/main.py", "content": ""}

    assert guard.before(ToolCall("Write", new, session="1")).action == "rewrite"
    assert guard.before(ToolCall("Write", old, session="2")).action == "refuse"


def test_a_warning_of_one_path_lets_no_other_through(repo):
    guard = Guard(repo)
    first = ToolCall("Bash", {"command": "touch bakcend/app/a.py"}, session="1", turn="1")
    copy = {"command": "cp backend/app/main_copy_of_nothing.py bakcend/app/a.py"}

    assert guard.before(first).action == "refuse"
    assert guard.before(ToolCall("Bash", copy, session="1", turn="2")).action == "refuse"
