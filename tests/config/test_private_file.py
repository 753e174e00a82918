"""A private file is replaced whole or not at all."""

from __future__ import annotations

import os
import stat
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from truepath.config import is_off
from truepath.config.files import matching, read, write


def _new(path):
    return f"{path}.{os.getpid()}.{threading.get_ident()}.tmp"


def test_a_file_holds_what_was_written_and_only_its_owner_reads_it(tmp_path):
    path = tmp_path / "kept"
    path.write_text("before, and longer")
    path.chmod(0o644)
    write(str(path), b"after")
    assert path.read_bytes() == b"after"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["kept"]


@pytest.mark.parametrize(
    ("put", "why"),
    [
        (os.mkfifo, "a pipe that nobody reads would be waited for"),
        (os.mkdir, "a folder"),
        (lambda new: os.symlink("/dev/full", new), "a link would be followed"),
    ],
)
def test_what_cannot_be_written_leaves_the_file_as_it_was(tmp_path, put, why):
    path = tmp_path / "kept"
    path.write_text("before")
    put(_new(path))
    with pytest.raises(OSError, match=r"."):
        write(str(path), b"after")
    assert path.read_text() == "before", why


def test_threads_that_write_one_file_at_once_do_not_fail_each_other(tmp_path):
    path = str(tmp_path / "kept")

    def write_often(letter):
        for _ in range(75):
            write(path, letter * 1000)
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all([*pool.map(write_often, b"a b c d e f g h".split())])
    assert len({*read(path)}) == 1, "one whole text"
    assert os.listdir(tmp_path) == ["kept"]


def test_a_folder_that_is_gone_is_an_error_and_is_not_made(tmp_path):
    with pytest.raises(FileNotFoundError):
        write(str(tmp_path / "gone" / "kept"), b"")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("value", "off"),
    [
        ("0", True),
        (" Off ", True),
        ("NO", True),
        ("false", True),
        ("", False),
        ("1", False),
    ],
)
def test_a_variable_is_switched_off_by_words_that_say_no(value, off):
    assert is_off({"A": value}, "A") is off
    assert not is_off({}, "A")


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("a/b.md", ["a/b.md"]),
        ("a/c.md", []),
        ("a/*.md", ["a/b.md", "a/z.md"]),
        ("a/b*.md", ["a/b.md"]),
        ("*/b.md", ["a/b.md"]),
        ("a/.*", ["a/.hidden.md"]),
        ("no/*.md", []),
        ("no/*/b.md", []),
        ("a/b.md/*", []),
    ],
)
def test_files_match_a_pattern_below_a_folder(tmp_path, pattern, names):
    (tmp_path / "a").mkdir()
    for name in ("b.md", "z.md", "b.txt", ".hidden.md"):
        (tmp_path / "a" / name).touch()
    folder = str(tmp_path)
    assert matching(folder, pattern) == [os.path.join(folder, name) for name in names]
