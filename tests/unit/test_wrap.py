from __future__ import annotations

import asyncio
import inspect
import os
from pathlib import Path

import pytest

from truepath import ConfigError, Guard, PathNotFound

FILES = {
    "docs/status.md": "all is well",
    "docs/plan.md": "",
    "src/app/session_store.py": "store = {}",
    "src/app/__init__.py": "",
    "src/lib/format_currency.py": "",
    "a/totals.py": "",
    "b/totals.py": "",
    "README.md": "# Shop",
}


@pytest.fixture
def repo(make_repo, monkeypatch) -> Path:
    repo = make_repo(FILES)
    monkeypatch.chdir(repo)
    return repo


@pytest.fixture
def guard(repo) -> Guard:
    return Guard(repo)


def read_file(path: str) -> str:
    """Read a file."""
    return Path(path).read_text("utf-8")


def test_an_existing_path_is_read_as_before(guard):
    assert guard.wrap(read_file)("docs/status.md") == "all is well"


def test_a_wrong_path_returns_the_content_of_the_right_file_and_says_so(guard):
    answer = guard.wrap(read_file)("app/session_store.py")

    first, _, content = answer.partition("\n")
    assert first.startswith("PATH_CORRECTED: `app/session_store.py` does not exist")
    assert "src/app/session_store.py" in first
    assert content == "store = {}"


def test_a_path_without_an_answer_raises_what_callers_of_open_expect(guard):
    with pytest.raises(PathNotFound, match="PATH_NOT_FOUND") as raised:
        guard.wrap(read_file)("docs/telemetry/spans.md")
    assert isinstance(raised.value, FileNotFoundError)


def test_the_refusal_can_be_the_result_instead(guard):
    answer = guard.wrap(read_file, refusal="return")("totals/totals.py")

    assert answer.startswith("PATH_NOT_FOUND")
    assert "`a/totals.py`" in answer
    assert "`b/totals.py`" in answer


def test_an_unknown_way_to_refuse_is_named(guard):
    with pytest.raises(ConfigError, match="'explode'"):
        guard.wrap(read_file, refusal="explode")


def test_the_signature_the_name_and_the_words_are_kept(guard):
    def read(path: str, *, encoding: str = "utf-8") -> str:
        """Read a file as text."""
        return Path(path).read_text(encoding)

    wrapped = guard.wrap(read)

    assert inspect.signature(wrapped) == inspect.signature(read)
    assert wrapped.__name__ == "read"
    assert wrapped.__doc__ == "Read a file as text."
    assert wrapped(path="docs/status.md", encoding="ascii") == "all is well"


def test_an_async_tool_stays_async(guard):
    async def read_file(path: str) -> str:
        return await asyncio.to_thread(Path(path).read_text, "utf-8")

    wrapped = guard.wrap(read_file)

    assert inspect.iscoroutinefunction(wrapped)
    assert asyncio.run(wrapped("app/session_store.py")).endswith("store = {}")
    with pytest.raises(PathNotFound):
        asyncio.run(wrapped("nowhere/at_all.py"))


def test_a_path_object_is_given_back_as_one(guard):
    seen = []

    def read_file(path: Path) -> str:
        seen.append(path)
        return path.read_text("utf-8")

    guard.wrap(read_file)(Path("app/session_store.py"))

    assert isinstance(seen[0], Path)
    assert seen[0].samefile("src/app/session_store.py")


def test_a_parameter_is_known_by_its_annotation(guard):
    def summarise(notes: Path) -> str:
        return notes.read_text("utf-8")

    assert guard.wrap(summarise, operation="read")(Path("app/session_store.py")).endswith(
        "store = {}"
    )


def test_a_path_by_annotation_does_not_hide_one_by_name(guard):
    def read_file(path: str, log: Path) -> str:
        return f"{path} {os.fspath(log)}"

    answer = guard.wrap(read_file)("app/session_store.py", Path("docs/plan.md"))

    assert answer.splitlines()[-1] == "src/app/session_store.py docs/plan.md"


def test_other_results_are_returned_untouched(guard):
    def read_file(path: str) -> bytes:
        return Path(path).read_bytes()

    assert guard.wrap(read_file)("app/session_store.py") == b"store = {}"


def test_arguments_that_are_no_paths_are_left_alone(guard):
    def replace(path: str, old: str, new: str) -> str:
        return f"{path} {old} {new}"

    wrapped = guard.wrap(replace, operation="edit")

    assert (
        wrapped("docs/status.md", "gone/a.py", "gone/b.py") == "docs/status.md gone/a.py gone/b.py"
    )


def test_an_operation_can_be_said_where_the_name_tells_nothing(guard, repo):
    def fetch(path: str) -> str:
        return Path(path).read_text("utf-8")

    def drop(path: str) -> None:
        Path(path).unlink()

    assert guard.wrap(fetch, operation="read")("app/session_store.py").endswith("store = {}")
    with pytest.raises(PathNotFound):
        guard.wrap(drop, operation="delete")("app/session_store.py")
    assert (repo / "src/app/session_store.py").exists()


def test_a_new_file_is_written_where_it_was_asked_for(guard, repo):
    def write_file(path: str, content: str) -> str:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(content, "utf-8")
        return "written"

    wrapped = guard.wrap(write_file)

    assert wrapped("docs/new.md", "x") == "written"
    assert (repo / "docs/new.md").read_text("utf-8") == "x"
    with pytest.raises(PathNotFound, match="PATH_LOOKS_WRONG"):
        wrapped("dosc/new.md", "x")
    assert not (repo / "dosc").exists()


def test_a_missing_argument_is_the_tools_own_error(guard):
    with pytest.raises(TypeError, match="path"):
        guard.wrap(read_file)()


def test_a_tools_own_error_passes_through(guard):
    def read_file(path: str) -> str:
        raise RuntimeError("disk on fire")

    with pytest.raises(RuntimeError, match="disk on fire"):
        guard.wrap(read_file)("docs/status.md")
