"""What was specified, each point as a test on a real git repository through the public
doors.
"""

from __future__ import annotations

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
from truepath import Guard, ToolCall
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
IGNORED = {
    "build/status.md": "",
    "build/generated_report.md": "",
    "trace_output.log": "",
}


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
    _, _, last = decision.text.partition("\n")
    lines = last.partition("\nIn ")[0]
    return re.findall(r"^(?:Next: \w+ |Did you mean )?`([^`]+)`", lines, re.MULTILINE)


def listed(decision):
    """Return the paths that the payload names as candidates."""
    return [
        one["path"] for path in decision.payload["paths"] for one in path["candidates"]
    ]


MOVED, MEANT = "specs/status.md", "docs/status.md"
FOLDER, FOLDER_MEANT = "src/components", "frontend/src/components"


def test_before_a_call_of_any_tool_the_path_is_verified(guard):
    def check(row):
        def decide(path):
            arguments = {row["argument"]: path, **row["more"]}
            return guard.before(ToolCall(row["tool"], arguments, session=str(row)))

        if row["names"] == "write":
            fine, wrong = (
                (MEANT, "docs/new.md", "brand_new_place/main.tf"),
                "bakend/app/new.py",
            )
            assert "backend/app" in decide(wrong).text
            assert decide("bakcend/app/metrics.py").action == "refuse"
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
        assert not decision.payload or listed(decision)[
            : len(shown(decision))
        ] == shown(decision)
        assert [word for word in row.get("says", ()) if word not in decision.text] == []
        assert json.dumps(decision.payload)

    rows = [
        (row, policy) for row in read("e2e/specified") for policy in row["policies"]
    ]
    check_each(rows, lambda pair: check(*pair))


def test_the_text_lists_ten_and_the_payload_more_but_not_all_of_sixty(repo, write):
    write(repo, {f"services/s{number:02}/handler.py": "" for number in range(60)})
    decision = guarded(repo).before(ToolCall("replace", {"file_path": "handler.py"}))
    assert decision.action == "refuse"
    assert "Check which:" in decision.text
    assert len(shown(decision)) == 10
    assert 10 < len(listed(decision)) <= 25
    assert listed(decision)[:10] == shown(decision)


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


NEVER = (".env", *IGNORED)


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


SEGMENTS = sorted(
    {part for name in FIRST for part in name.split("/")} | {"docs", "..", "", "x"}
)
paths = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(SEGMENTS), min_size=1, max_size=5).map("/".join),
    st.sampled_from([*FIRST]).flatmap(
        lambda name: st.integers(0, len(name) - 1).map(
            lambda at: name[:at] + name[at + 1 :]
        )
    ),
)


@examples(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    paths,
    st.sampled_from(["read", "edit", "list", "search", "delete", "write", "mkdir"]),
)
def test_what_is_returned_exists_inside_the_root_and_may_be_named(
    standing, path, operation
):
    resolution = standing.workspace.resolve(path, operation)
    if resolution.status != "resolved":
        return
    root = os.path.realpath(standing.workspace.root)
    real = os.path.realpath(os.path.join(root, resolution.path))
    assert os.path.exists(real)
    assert f"{real}{os.sep}".startswith(root + os.sep)  # `0/..` is the root itself
    assert resolution.path not in NEVER
    assert not resolution.path.startswith("build/")


def test_an_unreadable_folder_is_passed_over(repo, shut):
    (repo / "closed").mkdir()
    shut(repo / "closed")
    assert (
        guarded(repo).before(ToolCall("read_file", {"path": MOVED})).action == "rewrite"
    )
