"""A text that a tool returns is an error only where the disk proves it."""

from __future__ import annotations

import os

import pytest
import repos

from truepath import Guard

TEXT = "def main():\n    return 'the main thing'\n"
WRONG = "def main():\n  return 'the main thing'"


def _made(root):
    repos.start(root, {"src/main.py": TEXT, "notes/errors.log": "x\n"})


@pytest.fixture
def root(tmp_path, monkeypatch):
    repos.copied(_made, _made, tmp_path / "repo")
    monkeypatch.chdir(tmp_path / "repo")
    os.utime("src/main.py", (1, 1))
    return tmp_path / "repo"


def edits(guard, said, old=WRONG, new="x", *, write="", **how):
    """Return what is told of an edit whose tool says so, after it wrote so."""

    def edit_file(path: str, old_string: str, new_string: str) -> str:
        if write:
            with open(path, "w", encoding="utf-8") as file:
                file.write(write.format(old=old_string, new=new_string))
        return said

    return guard.wrap(edit_file, **how)("src/main.py", old, new)


@pytest.mark.parametrize(
    "said",
    [
        "Error: old_string not found",
        "No match for the text in src/main.py.",
        "Could not find the exact text in src/main.py",
    ],
)
def test_an_error_is_answered_with_the_lines_that_were_meant(root, said):
    told = edits(Guard(root), said)
    assert told.startswith("TEXT_NOT_FOUND: ")
    assert told.endswith(f"\n    return 'the main thing'\n{said}")
    notes = []
    assert edits(Guard(root), said, note=notes.append) == said
    assert [note.partition(":")[0] for note in notes] == ["TEXT_NOT_FOUND"]


@pytest.mark.parametrize(
    ("why", "said", "how"),
    [
        ("the file was written", "1 replacement made", {"write": "{new}"}),
        ("written, with words of a failure", "not found, appended", {"write": "{new}"}),
        ("no shape of an error", "done", {}),
        ("the file has the text", "no change", {"old": TEXT}),
        ("nothing like it is there", "not found", {"old": "import os, re, json"}),
        ("the shape comes late", "x" * 1_000 + " not found", {}),
    ],
)
def test_any_other_result_is_as_the_tool_returned_it(root, why, said, how):
    assert edits(Guard(root), said, **how) == said, why


def test_a_file_that_was_written_a_moment_before_proves_nothing(root):
    os.utime("src/main.py")
    assert edits(Guard(root), "not found") == "not found"


@pytest.mark.parametrize(
    "said",
    [
        "cat: src/gone.py: No such file or directory",
        "FileNotFoundError: src/gone.py",
        "Error: File not found: src/gone.py",
    ],
)
def test_the_text_of_a_file_that_is_read_is_no_error(root, said):
    def read_file(path: str) -> str:
        return said

    def run_command(command: str) -> str:
        return said

    guard = Guard(root)
    assert guard.wrap(read_file)("notes/errors.log") == said
    assert guard.wrap(run_command)("cat notes/errors.log src/gone.py || true") == said


def test_a_read_that_was_let_through_and_says_that_its_file_is_missing(root):
    def read_file(path: str) -> str:
        return f"Error: file not found: {path}"

    guard = Guard(root, policy="guide")
    told = guard.wrap(read_file)("source/main.py")
    assert "`src/main.py`" in told
    assert told.endswith("Error: file not found: source/main.py")


def test_what_is_deleted_is_missing_and_no_error(root):
    def delete_file(path: str) -> str:
        os.unlink(path)
        return f"deleted; {path}: No such file or directory"

    guard = Guard(root, policy="guide")
    assert guard.wrap(delete_file)("src/main.py").startswith("deleted")
