"""Whether two contents are one file's, and whether a renamed file is still there."""

from __future__ import annotations

import os
import time

import pytest
import repos
from hypothesis import given
from hypothesis import strategies as st

from truepath.project.likeness import LARGEST_COMPARED, alike, is_replaced

LONG = 200.0
TEXT = repos.text("sums", 30).encode()
OTHER = repos.text("other", 30).encode()


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (TEXT, TEXT, True),
        (b"", b"", True),
        (TEXT, TEXT.replace(b"\n", b"\r\n"), True),  # other line ends
        (TEXT, TEXT.replace(b"sums", b"  sums"), True),  # indented
        (TEXT, repos.edited(TEXT.decode()).encode(), True),
        (TEXT, TEXT + OTHER, True),  # half of it
        (TEXT, TEXT + OTHER + OTHER, False),
        (TEXT, OTHER, False),
        (TEXT, b"from other import *\n", False),
        (b"\n\n", b"\n", False),  # blank lines tell nothing
        (b"\0\1\2", b"\0\1\2", True),
        (b"\0\1\2", b"\0\1\3", False),
    ],
)
def test_contents_are_alike_if_half_of_their_lines_are(one, other, expected):
    assert alike(one, other) is expected
    assert alike(other, one) is expected


@given(one=st.binary(), other=st.binary())
def test_any_contents_can_be_compared(one, other):
    assert alike(one, one)
    assert alike(one, other) is alike(other, one)


def test_a_link_has_the_path_that_it_holds(tmp_path):
    (tmp_path / "way").symlink_to("a")
    repos.start(tmp_path, {"a": TEXT})
    blob = repos.run_git(tmp_path, "rev-parse", "HEAD:way").strip()
    ends = time.monotonic() + LONG
    assert not is_replaced(str(tmp_path), "way", blob, ends)
    (tmp_path / "way").unlink()
    (tmp_path / "way").symlink_to("b")
    assert is_replaced(str(tmp_path), "way", blob, ends)


def test_what_is_no_file_or_too_large_counts_as_replaced(tmp_path):
    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", LARGEST_COMPARED + 1)
    for path in ("", "none", "large"):
        assert is_replaced(str(tmp_path), path, "", time.monotonic() + LONG), path


def test_what_git_does_not_tell_in_time_counts_as_replaced(tmp_path):
    repos.start(tmp_path, {"a.py": TEXT})
    blob = repos.run_git(tmp_path, "rev-parse", "HEAD:a.py").strip()

    def asked(blob, seconds):
        ends = time.monotonic() + seconds
        return is_replaced(str(tmp_path), "a.py", blob, ends)

    assert not asked(blob, 0)  # the same content: git is not asked
    (tmp_path / "a.py").write_bytes(TEXT + b"more\n")
    assert not asked(blob, LONG)
    assert asked(blob, 0)
    assert asked("0" * 40, LONG)  # it is not there, as in a partial clone
    (tmp_path / "a.py").unlink()
    assert asked(blob, LONG)


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_contents_are_compared_in_both_formats_of_git(tmp_path, kind):
    repos.run_git(tmp_path, "init", "--quiet", f"--object-format={kind}")
    (tmp_path / "a.py").write_bytes(TEXT)
    repos.commit_all(tmp_path)
    blob = repos.run_git(tmp_path, "rev-parse", "HEAD:a.py").strip()
    ends = time.monotonic() + LONG
    assert not is_replaced(str(tmp_path), "a.py", blob, ends)
    (tmp_path / "a.py").write_bytes(OTHER)
    assert is_replaced(str(tmp_path), "a.py", blob, ends)
