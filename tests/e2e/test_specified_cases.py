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
from dataclasses import fields

import pytest
import repos
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from rows import check_each, read

import truepath
from truepath import Guard, Outcome, PathNotFound, ToolCall, Workspace
from truepath.config.settings import Settings

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
    "backend/tests/unit/test_cache.py": "def test_cache(): ...\n",
    "frontend/checks/test_file.py": "def test_bundle(): ...\n",
    "frontend/src/components/OrderTable.tsx": "export {}\n",
    "pkg/one/totals.py": "TOTAL = 1\n",
    "pkg/two/totals.py": "TOTAL = 2\n",
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
    return Guard(root, timeout_s=10.0, journal=True, **more)


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


def test_before_a_call_of_any_tool_the_path_is_verified(guard):
    def check(row):
        def decide(path):
            arguments = {row["argument"]: path, **row["more"]}
            return guard.before(ToolCall(row["tool"], arguments, session=str(row)))

        if row["names"] == "write":
            fine, wrong = (MEANT, "docs/new.md", "brand_new_place/main.tf"), "bakend/app/new.py"
            assert "backend/app" in decide(wrong).text
            assert decide("bakend/app/metrics.py").action == "refuse"
        else:
            is_folder = row["names"] == "folder"
            wrong, meant = (FOLDER, FOLDER_MEANT) if is_folder else (MOVED, MEANT)
            fine, decision = (meant,), decide(wrong)
            assert decision.arguments == {row["argument"]: meant, **row["more"]}
            assert decision.action == "rewrite"
        for path in fine:
            decision = decide(path)
            assert (decision.action, decision.text) == ("allow", ""), path

    check_each(read("e2e/tools"), check)


MORE = {field.name for field in fields(ToolCall)} - {"tool", "arguments"}
"""What a row may say of a call beside its tool and its arguments."""


def test_what_was_specified_is_decided(repo):
    def check(row, policy):
        def placed(value):
            return json.loads(json.dumps(value).replace("ROOT", str(repo)))

        arguments = placed(row["arguments"])
        more = {key: row[key] for key in MORE if key in row}
        call = ToolCall(row["tool"], arguments, session=f"{row} {policy}", **more)
        decision = guarded(repo, policy=policy).before(call)
        assert decision.action == row["action"]
        assert decision.arguments == placed(row.get("meant", row["arguments"]))
        assert shown(decision) == row.get("shown", shown(decision))
        assert not decision.payload or listed(decision)[: len(shown(decision))] == shown(decision)
        assert [word for word in row.get("says", ()) if word not in decision.text] == []
        assert json.dumps(decision.payload)

    rows = [(row, policy) for row in read("e2e/specified") for policy in row["policies"]]
    check_each(rows, lambda pair: check(*pair))


def test_a_write_is_never_sent_to_another_file(guard):
    for policy in ("careful", "recover", "suggest", "guide", "observe"):
        strict = guarded(guard.workspace.root, policy=policy)
        for path in ("specs/status.md", "docs/Status2.md", "backend/apps/config.py"):
            decision = strict.before(ToolCall("write_file", {"file_path": path, "content": "x"}))
            if decision.action == "rewrite":
                new = decision.arguments["file_path"]
                assert os.path.basename(new) == os.path.basename(path)
                assert not os.path.exists(os.path.join(guard.workspace.root, new))


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


def test_the_text_lists_the_best_three_and_the_payload_more_but_not_all_of_sixty(repo, write):
    write(repo, {f"services/s{number:02}/handler.py": "" for number in range(60)})
    decision = guarded(repo).before(ToolCall("replace", {"file_path": "handler.py"}))
    assert decision.action == "refuse"
    assert len(shown(decision)) == 3
    assert 3 < len(listed(decision)) <= 25
    assert listed(decision)[:3] == shown(decision)


def test_a_match_that_shares_folder_segments_comes_first_or_alone(guard):
    alone = guard.workspace.resolve("backend/tests/test_file.py").candidates
    assert [one.path for one in alone] == ["backend/tests/api/test_file.py"]

    first, second = guard.workspace.resolve("backend/test_file.py").candidates
    assert (first.path, second.path) == (alone[0].path, "frontend/checks/test_file.py")
    assert first.confidence > second.confidence


def test_truepath_log_shows_what_was_intercepted_and_corrected(guard):
    guard.before(ToolCall("read_file", {"file_path": MOVED}))
    guard.before(ToolCall("replace", {"file_path": "app/config.py"}))
    guard.before(ToolCall("read_file", {"file_path": MEANT}, session="other"))
    done = subprocess.run(
        [sys.executable, "-m", "truepath", "log", "--all", "--json"],
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
    repos.start(root, files)
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
