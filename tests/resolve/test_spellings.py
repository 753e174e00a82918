from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import check_each
from work import lines_run

from truepath.resolve.places import _DRIVE, read
from truepath.resolve.spellings import (
    _JOINING,
    _JOINTS,
    MOST_SPELLINGS,
    Frame,
    spellings,
)

POSIX = Frame("/home/me/app", "/home/me/app", home="/home/me")
WINDOWS = Frame("C:/work/app", "C:/work/app", "windows", "C:/Users/me")


def rows():
    lines = Path(__file__).with_name("spellings.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_each_decoration_is_undone():
    def check(row):
        frame = WINDOWS if row.get("windows") else POSIX
        found = spellings(row["written"], frame)
        assert found[0] == row["written"]
        assert (row["read"] in found) is not row.get("never", False), found

    check_each(rows(), check)


@pytest.mark.parametrize(
    "written", ["src/a.py", "/home/me/app/x", "a-b_c.d", ".env", "src/"]
)
def test_a_clean_path_has_one_reading(written):
    assert spellings(written, POSIX) == (written,)


TEXTS = st.text(
    st.sampled_from("ab/.:`'\"\\#@()[]<>~$% \n1L*") | st.characters(), max_size=40
)


@given(TEXTS)
def test_readings_are_few_and_whole(written):
    for frame in (POSIX, WINDOWS):
        found = spellings(written, frame)
        assert found[0] == written
        assert len(set(found)) == len(found) <= MOST_SPELLINGS
        assert all(text.strip() for text in found[1:])
        assert all(text.endswith("/") for text in found if written.endswith("/"))


@given(TEXTS, st.sampled_from(["/home/me/app", "/home/me/app/src", "/tmp"]))
def test_places_lie_inside(written, cwd):
    reading = read(written, Frame("/home/me/app", cwd, home="/home/me"))
    for place in reading.places:
        assert not place.path.startswith(("/", "../"))
        assert place.path != ".."
    assert len({place.path for place in reading.places}) == len(reading.places)


@pytest.mark.parametrize(
    "written",
    [
        *(
            "'" * 4000,
            "a:" * 2000,
            "(" * 4000,
            "a.b::" * 800,
            "`a" * 2000,
            " " * 4000 + "x",
        ),
        *(
            "a#L1" * 900,
            "%41" * 1300,
            "\\ " * 2000,
            "a/" * 2000,
            "a/b/" * 24,
            "../" * 1300,
        ),
    ],
)
def test_no_text_takes_much_work(written):
    assert lines_run(lambda: read(written, POSIX)) < 500_000


@given(st.text(alphabet="aZ1/._-é\x1c\x85\xa0 ,;|:@=\\n、，&>", max_size=12))
def test_a_text_without_a_sign_of_a_joint_is_one_path(text):
    stripped = text.strip()
    if _JOINING.isdisjoint(stripped) and len(stripped.split()) < 2:
        assert all(len(re.split(joint, stripped)) == 1 for joint in _JOINTS)


@given(st.text(alphabet="aC:/\\mnt1é.", max_size=10))
def test_a_path_on_a_drive_begins_with_a_slash_or_has_its_colon(path):
    if re.match(_DRIVE, path):
        assert path.startswith("/") or path[1:2] == ":"
