"""What was specified, each point as a test on a real git repository through the public doors."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
import repos
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from rows import check_each

import truepath
from truepath import Guard, Outcome, PathNotFound, ToolCall, Workspace
from truepath.config.settings import Settings
from truepath.config.user_dirs import state_folder
from truepath.journal.journal import journal_path, read_events

SOURCES = pathlib.Path(truepath.__file__).parents[1]

FIRST = {
    ".gitignore": "build/\n*.log\n",
    ".env": "TOKEN=1\n",
    "README.md": "# Orders\n",
    "specs/status.md": "All 214 tests pass.\n",
    "backend/app/config.py": "DEBUG = False\n",
    "backend/app/invoices.py": "class Invoices: ...\n",
    "backend/app/legacy_export.py": "def export(): ...\n",
    "backend/tests/api/test_file.py": "def test_upload(): ...\n",
    "backend/tests/services/test_cache_simple.py": "def test_get(): ...\n",
    "frontend/checks/test_file.py": "def test_bundle(): ...\n",
    "frontend/src/components/OrderTable.tsx": "export {}\n",
    "worker/app/config.py": "QUEUE = 'orders'\n",
    "worker/app/retry_queue.py": "def retry(): ...\n",
}
IGNORED = {"build/status.md": "", "build/generated_report.md": "", "trace_output.log": ""}


def orders(root):
    """Make a repository in which `specs` was renamed to `docs`, and a file deleted."""
    repos.start(root, {name: text for name, text in FIRST.items() if name != ".env"})
    repos.move_file(root, "specs/status.md", "docs/status.md")
    repos.run_git(root, "rm", "--quiet", "backend/app/legacy_export.py")
    repos.run_git(root, "commit", "--quiet", "--message=delete")
    repos.write_files(root, {".env": FIRST[".env"], **IGNORED})


@pytest.fixture
def repo(copy_of):
    return copy_of(orders)


def guarded(root, **more):
    """Return a guard that waits for the history however busy this machine is."""
    return Guard(root, timeout_s=10.0, **more)


@pytest.fixture
def guard(repo):
    return guarded(repo)


def shown(decision):
    """Return the paths that the text names as candidates."""
    _, _, asked = decision.text.partition("Did you mean ")
    return re.findall("`([^`]+)`", asked.partition("?")[0])


def listed(decision):
    """Return the paths that the payload names as candidates."""
    return [one["path"] for path in decision.payload["paths"] for one in path["candidates"]]


MOVED, MEANT = "specs/status.md", "docs/status.md"
FOLDER, FOLDER_MEANT = "src/components", "frontend/src/components"
TEXTS = {"old_string": "All", "new_string": "Some"}
CONTENT = {"content": "x"}

READERS_AND_EDITORS = [
    ("Gemini CLI", "read_file", "absolute_path", {}),
    ("Gemini CLI", "read_file", "file_path", {}),
    ("Gemini CLI", "replace", "file_path", TEXTS),
    ("Claude Code", "Read", "file_path", {"offset": 1}),
    ("Claude Code", "Edit", "file_path", TEXTS),
    ("Claude Code", "MultiEdit", "file_path", {"edits": [TEXTS]}),
    ("Codex", "view_image", "path", {}),
    ("Codex", "read_file", "file_path", {"limit": 10}),
    ("Copilot", "view", "path", {}),
    ("Copilot", "edit", "path", {"old_str": "All", "new_str": "Some"}),
    ("Copilot in VS Code", "read_file", "filePath", {"startLine": 1, "endLine": 9}),
    ("Copilot in VS Code", "replace_string_in_file", "filePath", {"oldString": "a"}),
    ("OpenCode", "read", "filePath", {}),
    ("OpenCode", "edit", "filePath", {"oldString": "All", "newString": "Some"}),
    ("LangChain", "read_file", "file_path", {}),
    ("deepagents", "edit_file", "file_path", TEXTS),
    ("OpenAI", "str_replace_based_edit_tool", "path", {"command": "view"}),
    ("OpenAI", "str_replace_editor", "path", {"command": "str_replace", "old_str": "a"}),
    ("MCP filesystem", "read_text_file", "path", {"head": 3}),
    ("MCP filesystem", "mcp__filesystem__edit_file", "path", {"edits": [], "dryRun": False}),
    ("MCP filesystem", "get_file_info", "path", {}),
]
LISTERS_AND_SEARCHERS = [
    ("Gemini CLI", "list_directory", "path", {}),
    ("Gemini CLI", "list_directory", "dir_path", {}),
    ("Gemini CLI", "glob", "path", {"pattern": "*.tsx"}),
    ("Gemini CLI", "search_file_content", "path", {"pattern": "x"}),
    ("Claude Code", "Glob", "path", {"pattern": "*.tsx"}),
    ("Claude Code", "Grep", "path", {"pattern": "x"}),
    ("Claude Code", "LS", "path", {}),
    ("Codex", "list_dir", "dir_path", {}),
    ("Codex", "grep_files", "path", {"pattern": "x"}),
    ("Copilot", "grep", "path", {"pattern": "x"}),
    ("Copilot in VS Code", "list_dir", "path", {}),
    ("OpenCode", "list", "path", {}),
    ("OpenCode", "grep", "path", {"pattern": "x"}),
    ("LangChain", "list_directory", "dir_path", {}),
    ("LangChain", "file_search", "dir_path", {"pattern": "*.tsx"}),
    ("deepagents", "ls", "path", {}),
    ("deepagents", "grep", "path", {"pattern": "x"}),
    ("MCP filesystem", "list_directory", "path", {}),
    ("MCP filesystem", "directory_tree", "path", {}),
    ("MCP filesystem", "search_files", "path", {"pattern": "*.tsx"}),
]
WRITERS = [
    ("Gemini CLI", "write_file", "file_path", CONTENT),
    ("Claude Code", "Write", "file_path", CONTENT),
    ("Copilot", "create", "path", {"file_text": "x"}),
    ("Copilot in VS Code", "create_file", "filePath", CONTENT),
    ("OpenCode", "write", "filePath", CONTENT),
    ("LangChain", "write_file", "file_path", {"text": "x"}),
    ("deepagents", "write_file", "file_path", CONTENT),
    ("OpenAI", "str_replace_editor", "path", {"command": "create", "file_text": "x"}),
    ("MCP filesystem", "write_file", "path", CONTENT),
    ("MCP filesystem", "filesystem__write_file", "path", CONTENT),
]


def name(case):
    family, tool, argument, _ = case
    return f"{family}: {tool}({argument})"


def test_before_a_read_or_an_edit_the_file_is_verified(guard):
    def check(case):
        _, tool, argument, more = case
        wrong = ToolCall(tool, {argument: MOVED, **more}, session=name(case))
        decision = guard.before(wrong)
        assert (decision.action, decision.arguments) == ("rewrite", {argument: MEANT, **more})
        right = guard.before(ToolCall(tool, {argument: MEANT, **more}, session=name(case)))
        assert (right.action, right.text) == ("allow", "")

    check_each(READERS_AND_EDITORS, check, name)


def test_before_a_list_or_a_search_the_folder_is_verified(guard):
    def check(case):
        _, tool, argument, more = case
        wrong = ToolCall(tool, {argument: FOLDER, **more}, session=name(case))
        decision = guard.before(wrong)
        meant = {argument: FOLDER_MEANT, **more}
        assert (decision.action, decision.arguments) == ("rewrite", meant)
        right = guard.before(ToolCall(tool, meant, session=name(case)))
        assert (right.action, right.text) == ("allow", "")

    check_each(LISTERS_AND_SEARCHERS, check, name)


def test_before_a_write_the_file_or_its_folder_is_verified(guard):
    def check(case):
        _, tool, argument, more = case

        def decide(path):
            return guard.before(ToolCall(tool, {argument: path, **more}, session=name(case)))

        for fine in (MEANT, "docs/new.md", "brand_new_place/main.tf"):
            decision = decide(fine)
            assert (decision.action, decision.text) == ("allow", ""), fine
        slip = decide("bakend/app/metrics.py")
        assert slip.action == "refuse"
        assert "backend/app" in slip.text

    check_each(WRITERS, check, name)


def test_a_write_is_never_sent_to_another_file(guard):
    for policy in ("careful", "recover", "suggest", "guide", "observe"):
        strict = guarded(guard.workspace.root, policy=policy)
        for path in ("specs/status.md", "docs/Status2.md", "backend/apps/config.py"):
            decision = strict.before(ToolCall("write_file", {"file_path": path, **CONTENT}))
            if decision.action == "rewrite":
                new = decision.arguments["file_path"]
                assert os.path.basename(new) == os.path.basename(path)
                assert not os.path.exists(os.path.join(guard.workspace.root, new))


def test_an_absolute_path_is_answered_by_an_absolute_one(guard, repo):
    decision = guard.before(ToolCall("Read", {"file_path": str(repo / MOVED)}))
    assert decision.arguments == {"file_path": str(repo / MEANT)}


def test_wrap_gives_a_plain_function_the_right_file(guard, repo, monkeypatch):
    monkeypatch.chdir(repo)

    def read_file(path: str, limit: int = 0) -> str:
        """Read."""
        return pathlib.Path(path).read_text()

    wrapped = guard.wrap(read_file)
    text = wrapped(MOVED)
    assert text.endswith("All 214 tests pass.\n")
    assert MEANT in text
    assert wrapped(path=MEANT) == "All 214 tests pass.\n"
    assert inspect.signature(wrapped) == inspect.signature(read_file)
    assert (wrapped.__name__, wrapped.__doc__) == ("read_file", "Read.")


def test_wrap_gives_an_async_function_the_right_file(guard, repo, monkeypatch):
    monkeypatch.chdir(repo)

    async def read_file(path: str) -> str:
        return await asyncio.to_thread(pathlib.Path(path).read_text)

    wrapped = guard.wrap(read_file)
    assert inspect.iscoroutinefunction(wrapped)
    assert asyncio.run(wrapped(MOVED)).endswith("All 214 tests pass.\n")


def test_wrap_refuses_by_raising_what_open_would_raise(guard):
    def read_file(path: str) -> str:
        raise AssertionError("must not run")

    with pytest.raises(PathNotFound, match="PATH_NOT_FOUND") as caught:
        guard.wrap(read_file)("app/config.py")
    assert isinstance(caught.value, FileNotFoundError)


def test_wrap_refuses_an_async_function_too(guard):
    async def read_file(path: str) -> str:
        raise AssertionError("must not run")

    with pytest.raises(PathNotFound):
        asyncio.run(guard.wrap(read_file)("app/config.py"))


def test_wrap_can_return_the_answer_instead(guard):
    def edit_file(path: str) -> str:
        raise AssertionError("must not run")

    answer = guard.wrap(edit_file, refusal="return")("app/config.py")
    assert "backend/app/config.py" in answer


@pytest.mark.parametrize("operation", ["read", "edit", "search", "execute", "move", "delete"])
def test_wrap_is_told_what_a_function_does_when_its_name_does_not_say(guard, operation):
    def frobnicate(path: str) -> str:
        return path

    wrapped = guard.wrap(frobnicate, operation=operation)
    with pytest.raises(PathNotFound):
        wrapped("app/config.py")


def test_wrap_keeps_the_type_of_a_path(guard):
    def read_file(path: pathlib.Path) -> pathlib.Path:
        return path

    assert guard.wrap(read_file)(pathlib.Path(MOVED)) == pathlib.Path(MEANT)


def test_exactly_one_confident_match_is_rewritten_and_the_call_goes_on(guard):
    decision = guard.before(ToolCall("read_file", {"file_path": MOVED}))
    assert decision.action == "rewrite"
    assert decision.text.startswith("PATH_CORRECTED")
    assert MOVED in decision.text
    assert MEANT in decision.text
    assert decision.payload["code"] == "PATH_CORRECTED"
    assert json.dumps(decision.payload)


def test_a_correction_is_logged(guard):
    guard.before(ToolCall("read_file", {"file_path": MOVED}, session="s", host="gemini"))
    (event,) = read_events(journal_path(state_folder(os.environ)))
    assert (event.event, event.requested, event.resolved) == ("path.corrected", MOVED, MEANT)
    assert (event.session, event.host, event.tool) == ("s", "gemini", "read_file")


def test_several_matches_are_refused_and_all_listed(guard):
    decision = guard.before(ToolCall("read_file", {"file_path": "app/config.py"}))
    assert decision.action == "refuse"
    assert decision.text.startswith("PATH_NOT_FOUND")
    assert shown(decision) == ["backend/app/config.py", "worker/app/config.py"]
    assert listed(decision) == ["backend/app/config.py", "worker/app/config.py"]


def test_the_text_lists_the_best_three_and_the_payload_more_but_not_all_of_sixty(repo, write):
    write(repo, {f"services/s{number:02}/handler.py": "" for number in range(60)})
    decision = guarded(repo).before(ToolCall("replace", {"file_path": "handler.py"}))
    assert decision.action == "refuse"
    assert len(shown(decision)) == 3
    assert 3 < len(listed(decision)) <= 25
    assert listed(decision)[:3] == shown(decision)


@pytest.mark.parametrize(("host", "tool"), [("gemini", "glob"), ("claude-code", "find")])
def test_no_match_is_refused_as_file_not_found_suggesting_glob_or_find(guard, host, tool):
    call = ToolCall("read_file", {"file_path": "payments/gateway_client.rb"}, host=host)
    decision = guard.before(call)
    assert decision.action == "refuse"
    assert "file not found" in decision.text.lower()
    assert tool in decision.text.rpartition("Next: ")[2]
    assert shown(decision) == []


def test_read_file_of_a_wrong_path_returns_the_right_files_content(guard, repo):
    decision = guard.before(ToolCall("read_file", {"file_path": MOVED}))
    content = (repo / decision.arguments["file_path"]).read_text()
    assert content == "All 214 tests pass.\n"


def test_replace_in_a_file_whose_name_stands_in_two_folders_fails_and_lists_both(guard):
    call = ToolCall("replace", {"file_path": "app/config.py", **TEXTS})
    decision = guard.before(call)
    assert decision.action == "refuse"
    assert decision.arguments == call.arguments
    assert {"backend/app/config.py", "worker/app/config.py"} <= set(shown(decision))


def test_a_match_that_shares_folder_segments_comes_first_or_alone(guard):
    alone = guard.workspace.resolve("backend/tests/test_file.py").candidates
    assert [one.path for one in alone] == ["backend/tests/api/test_file.py"]

    first, second = guard.workspace.resolve("backend/test_file.py").candidates
    assert (first.path, second.path) == (alone[0].path, "frontend/checks/test_file.py")
    assert first.confidence > second.confidence


@pytest.mark.parametrize(
    "place",
    [
        "test_cache_simple.py",
        "tests/test_cache_simple.py",
        "backend/tests/services/test_cache_simple.py",
        "backend/tests/unit/test_cache_simple.py",
        "backend/tests/coverage_improvement/test_cache_simple.py",
    ],
)
def test_a_deep_wrong_path_finds_the_file_by_its_name(make_repo, place):
    guard = guarded(make_repo({place: "", "backend/tests/test_cache.py": "", "README.md": ""}))
    wrong = "backend/tests/coverage_improvement/manual/services/test_cache_simple.py"
    decision = guard.before(ToolCall("read_file", {"file_path": wrong}))
    (resolution,) = decision.resolutions
    assert resolution.candidates[0].path == place
    assert place in decision.text


ONE_MATCH = {
    "docs/status.md": "green\n",
    "docs/guides/start.md": "",
    "backend/tests/unit/test_cache_simple.py": "def test_get(): ...\n",
    "backend/tests/unit/test_cache.py": "def test_cache(): ...\n",
    "backend/app/cache.py": "",
    "web/src/components/OrderTable.tsx": "export {}\n",
    "pkg/one/totals.py": "TOTAL = 1\n",
    "pkg/two/totals.py": "TOTAL = 2\n",
}
SHOWN = [
    ("specs/status.md", "docs/status.md", "the only file of that name, in another folder"),
    (
        "backend/tests/coverage_improvement/manual/services/test_cache_simple.py",
        "backend/tests/unit/test_cache_simple.py",
        "an invented way to the only file of that name",
    ),
]
MOVES = [
    ("backend/test/unit/test_cache.py", "backend/tests/unit/test_cache.py", "the wrong number"),
    ("tests/unit/test_cache.py", "backend/tests/unit/test_cache.py", "a folder left out in front"),
]


@pytest.mark.parametrize("policy", ["careful", "recover"])
@pytest.mark.parametrize(("written", "meant", "why"), SHOWN, ids=[row[2] for row in SHOWN])
def test_a_read_of_the_only_match_has_its_content(make_repo, policy, written, meant, why):
    root = make_repo(ONE_MATCH, git=False)
    decision = guarded(root, policy=policy).before(ToolCall("Read", {"file_path": written}))

    assert decision.action == "rewrite", why
    assert decision.arguments == {"file_path": meant}
    assert decision.text.startswith(("PATH_CORRECTED: ", "PATH_ASSUMED: "))


@pytest.mark.parametrize("policy", ["careful", "recover"])
@pytest.mark.parametrize(("written", "meant", "why"), MOVES, ids=[row[2] for row in MOVES])
def test_a_move_of_a_path_that_is_wrong_in_a_folder_is_made(make_repo, policy, written, meant, why):
    root = make_repo(ONE_MATCH)
    command = f"mv {written} backend/tests/unit/test_other.py"
    decision = guarded(root, policy=policy).before(ToolCall("Bash", {"command": command}))

    assert decision.action == "rewrite", why
    assert decision.arguments == {"command": f"mv {meant} backend/tests/unit/test_other.py"}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("backend/tests/unti/test_cache.py", "backend/tests/unit/test_cache.py"),
        ("lib/test_cache_simple.py", "backend/tests/unit/test_cache_simple.py"),
    ],
)
def test_a_move_of_the_only_match_is_made_under_recover_and_named_under_careful(
    make_repo, written, meant
):
    root = make_repo(ONE_MATCH)
    command = "mv {} /tmp/elsewhere.py"
    call = ToolCall("Bash", {"command": command.format(written)})
    made = guarded(root, policy="recover").before(call)
    assert made.arguments == {"command": command.format(meant)}
    named = guarded(root).before(call)
    assert (named.action, shown(named)) == ("refuse", [meant])


@pytest.mark.parametrize("policy", ["careful", "recover"])
def test_a_replace_with_two_files_of_the_name_is_refused_and_names_both(make_repo, policy):
    root = make_repo(ONE_MATCH)
    arguments = {"file_path": "lib/totals.py", "old_string": "TOTAL", "new_string": "SUM"}
    decision = guarded(root, policy=policy).before(ToolCall("replace", arguments))

    assert decision.action == "refuse"
    assert set(shown(decision)) == {"pkg/one/totals.py", "pkg/two/totals.py"}


@pytest.mark.parametrize("tool", ["read_file", "replace", "list_directory", "delete_file"])
def test_suggest_never_rewrites(repo, tool):
    guard = guarded(repo, policy="suggest")
    decision = guard.before(ToolCall(tool, {"path": MOVED}))
    assert decision.action == "refuse"
    assert decision.arguments == {"path": MOVED}


def test_suggest_answers_with_code_listing_and_the_most_likely_file(repo):
    guard = guarded(repo, policy="suggest")
    decision = guard.before(ToolCall("read_file", {"path": "backend/app/Invoice.py"}))
    assert decision.text.startswith("PATH_NOT_FOUND")
    assert decision.payload["code"] == "PATH_NOT_FOUND"
    assert shown(decision)[0] == "backend/app/invoices.py"
    assert "In `backend/app/`:" in decision.text
    assert "`config.py`" in decision.text


def test_truepath_log_shows_what_was_intercepted_and_corrected(guard):
    guard.before(ToolCall("read_file", {"file_path": MOVED}))
    guard.before(ToolCall("replace", {"file_path": "app/config.py"}))
    guard.before(ToolCall("read_file", {"file_path": MEANT}, session="other"))
    done = subprocess.run(
        [sys.executable, "-m", "truepath", "log", "--json"],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        check=True,
    )
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(one["event"], one["requested"]) for one in events] == [
        ("path.corrected", MOVED),
        ("path.refused", "app/config.py"),
    ]


def test_after_a_failure_the_agent_is_told_what_is_there(repo):
    guard = guarded(repo, policy="guide")
    call = ToolCall("read_file", {"file_path": MOVED})
    assert guard.before(call).action == "allow"
    told = guard.after(call, Outcome(error="File does not exist."))
    assert told.action == "advise"
    assert MEANT in told.text


def test_after_a_success_nothing_is_said(guard):
    call = ToolCall("read_file", {"file_path": MEANT})
    assert guard.after(call, Outcome(output="ok")).text == ""


def test_what_the_user_asked_for_by_name_is_neither_refused_nor_rewritten(guard):
    prompt = "Please read specs/status.md and app/config.py"
    for path in (MOVED, "app/config.py"):
        decision = guard.before(ToolCall("read_file", {"file_path": path}, prompt=prompt))
        assert decision.action in ("allow", "advise")
        assert decision.arguments == {"file_path": path}


NEVER = (".env", *IGNORED)


@pytest.mark.parametrize("path", [".env", ".enb", "env", "build/statuss.md", "generated_report.md"])
def test_neither_what_is_ignored_nor_what_is_secret_is_ever_named(guard, path):
    decision = guard.before(ToolCall("read_file", {"path": path}))
    if decision.action != "allow":
        assert not {*shown(decision), *listed(decision)} & {*NEVER}


@pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: links need a privilege")
def test_nothing_that_a_link_leads_out_to_is_ever_named(repo, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "quarterly_ledger.md").write_text("")
    (repo / "linked").symlink_to(outside)
    decision = guarded(repo).before(ToolCall("read_file", {"path": "docs/quarterly_ledger.md"}))
    assert decision.action == "refuse"
    assert listed(decision) == []


@pytest.fixture(scope="module")
def standing(tmp_path_factory):
    """A repository that no test changes, for properties."""
    root = tmp_path_factory.mktemp("standing")
    files = {
        **FIRST,
        **IGNORED,
        "docs/Screen 9.41\u202fAM.png": "",
        "docs/設計.md": "",
        "docs/status.md": "",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        subprocess.run(["git", *who, "-C", str(root), *words], check=True)
    return guarded(root, settings=Settings(journal=False))


SEGMENTS = sorted({part for name in FIRST for part in name.split("/")} | {"docs", "..", "", "x"})
paths = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(SEGMENTS), min_size=1, max_size=5).map("/".join),
    st.sampled_from([*FIRST]).flatmap(
        lambda name: st.integers(0, len(name) - 1).map(lambda at: name[:at] + name[at + 1 :])
    ),
)


@examples(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(paths, st.sampled_from(["read", "edit", "list", "search", "delete", "write", "mkdir"]))
def test_what_is_returned_exists_inside_the_root_and_may_be_named(standing, path, operation):
    resolution = standing.workspace.resolve(path, operation)
    if resolution.status != "resolved":
        return
    root = os.path.realpath(standing.workspace.root)
    real = os.path.realpath(os.path.join(root, resolution.path))
    assert os.path.exists(real)
    assert f"{real}{os.sep}".startswith(root + os.sep)  # `0/..` is the root itself
    assert resolution.path not in NEVER
    assert not resolution.path.startswith("build/")


@examples(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(paths)
def test_resolving_a_result_gives_itself(standing, path):
    first = standing.workspace.resolve(path, "search")
    if first.path:
        again = standing.workspace.resolve(first.path, "search")
        assert (again.status, again.path) == ("exists", first.path)


@examples(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(paths)
def test_a_decision_on_what_was_decided_lets_it_through(standing, path):
    decision = standing.before(ToolCall("read_file", {"path": path}, session=path))
    if decision.action == "rewrite":
        again = standing.before(ToolCall("read_file", decision.arguments, session=path))
        assert (again.action, again.text) == ("allow", "")


def test_a_root_that_does_not_exist_is_one_clear_line(tmp_path):
    with pytest.raises(truepath.WorkspaceError, match=r"does not exist[^\n]*$"):
        Guard(tmp_path / "nowhere")


def test_a_file_as_root_is_one_clear_line(repo):
    with pytest.raises(truepath.WorkspaceError, match=r"is a file[^\n]*$"):
        Workspace(repo / "README.md")


def test_a_broken_settings_file_does_not_stop_the_guard(repo):
    (repo / ".truepath.toml").write_text("policy = ")
    assert guarded(repo).before(ToolCall("read_file", {"path": MOVED})).action == "rewrite"


def test_no_path_raises(guard):
    def check(path):
        for tool in ("read_file", "replace", "list_directory", "write_file", "delete_file"):
            decision = guard.before(ToolCall(tool, {"path": path}, session=path))
            assert decision.action in ("allow", "refuse", "rewrite")
            assert decision.text.count("\n") < 30

    check_each(["a\0b", "x" * 4096, "x/" * 3000, "\udcff.md", "\n", " ", "~", ".."], check)


@pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: links need a privilege")
def test_a_loop_of_links_is_no_file(repo):
    (repo / "loop_a").symlink_to("loop_b")
    (repo / "loop_b").symlink_to("loop_a")
    decision = guarded(repo).before(ToolCall("read_file", {"path": "loop_a/status.md"}))
    assert decision.action in ("refuse", "rewrite")


def test_an_unreadable_folder_is_passed_over(repo, shut):
    (repo / "closed").mkdir()
    shut(repo / "closed")
    assert guarded(repo).before(ToolCall("read_file", {"path": MOVED})).action == "rewrite"


@pytest.mark.skipif(sys.platform != "linux", reason="only on Linux: names that are not UTF-8")
def test_names_that_are_not_utf8_are_told_of_and_corrected_to(repo):
    with open(os.path.join(os.fsencode(repo), b"docs/r\xe9sum\xe9_2024.md"), "w"):
        pass
    guard = guarded(repo)
    right = guard.before(ToolCall("read_file", {"path": "docs/r\udce9sum\udce9_2024.md"}))
    assert right.action == "allow"
    wrong = guard.before(ToolCall("read_file", {"path": "./docs/`r\udce9sum\udce9_2024.md`"}))
    assert wrong.text.encode("utf-8", "backslashreplace")
    assert json.dumps(wrong.payload)
