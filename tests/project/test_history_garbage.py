"""What git prints, and what a map holds, is read as hostile text."""

from __future__ import annotations

import os
import time
from zlib import crc32

import hypothesis
import pytest
from hypothesis import strategies as st
from past import LONG, text

from truepath import Workspace
from truepath.project import git_listing
from truepath.project.git import GitError, zsplit
from truepath.project.history import History, log, store
from truepath.project.history.branches import elsewhere
from truepath.project.history.content import successors
from truepath.project.history.log import Event
from truepath.project.history.query import HistoryQuery
from truepath.project.history.repository import GitQuery, Place, entries
from truepath.project.history.sources import GitSource, IndexSource
from truepath.project.history.uncommitted import moved

ID = b"0123456789abcdef0123456789abcdef01234567"

PIECES = st.sampled_from(
    [
        *(b"\0", b"\n", b"\t", b" ", b"\x01", b"/", b"..", b"^", b":"),
        *(b"\x01" + ID + b" 2024-01-02", b"\x01" + ID, b"\x01 ", ID, b"R100", b"R", b"R9x", b"D"),
        *(b"RD", b"C", b"A", b"a.py", b"b.py", b"100644 blob " + ID, b"040000 tree ", b"S a.py"),
        *(b"blob 12", b"blob -1", b"blob 99999999999999999999999", b"tree", b"missing"),
        *(b"refs/heads/x", b"refs/stash", b"2024-01-02", b"\xff\xfe", b"\xd9\xa1", b"12 " + ID),
    ]
)
PRINTED = st.lists(PIECES | st.binary(max_size=6), max_size=24).map(b"".join)


class Garbled(GitQuery):
    """A repository of which git prints anything."""

    def __init__(self, top, draw):
        place = Place(str(top), "", f"{top}/.git", ID.decode(), doubtful=False)
        super().__init__(place, time.monotonic() + LONG)
        self.draw = draw

    def ask(self, *args, **how):
        return self.draw(PRINTED)


def asked(question):
    """Ask; what is not known is told by an error of git, and no other."""
    try:
        return question()
    except GitError:
        return None


QUESTIONS = {
    "kind": lambda look: look.head_kind("a.py", "b.py"),
    "lives": lambda look: look.exists_now("a.py"),
    "had": lambda look: look.had("HEAD", ["a.py", ""]),
    "uncommitted": lambda look: moved(look, "a.py"),
    "content": lambda look: successors(look, Event("a.py", "", 0, ID.decode(), "2024-01-02")),
    "elsewhere": lambda look: elsewhere(look, "a.py"),
    "left": lambda look: GitSource(look).doubts("a", ["a/b.py"]),
    "inquiry": lambda look: HistoryQuery(look, IndexSource(MAP, (), frozenset(), look.end)).fate(
        "a.py"
    ),
}
MAP = store.Map("", "", [Event("a.py", "b.py", 90, ID.decode(), "2024-01-02", 1)])


@pytest.mark.parametrize("question", QUESTIONS)
@hypothesis.given(data=st.data())
def test_whatever_git_prints_ends_no_question_in_another_error(question, tmp_path_factory, data):
    look = Garbled(tmp_path_factory.getbasetemp(), data.draw)

    asked(lambda: QUESTIONS[question](look))


@hypothesis.given(PRINTED)
def test_whatever_a_log_prints_is_read(printed):
    words = zsplit(printed)

    for commit in log.parse(words):
        assert log.is_id(commit.id)
        assert all(each.old and each.commit == commit.id for each in commit.events)
    list(entries(words))
    git_listing._staged(words, "/")
    git_listing._untracked(words)
    asked(lambda: log.ids(printed))


@hypothesis.given(PRINTED | st.binary(max_size=60))
def test_whatever_a_map_holds_is_read(body):
    told = b"me\0tip\n" + body
    packed = f"{store._FORMAT}\0{crc32(told):08x}\0".encode() + told
    found = store.unpack(packed, "me")

    assert found is not None
    list(found.events())
    found.paths()
    found.departures("a.py")
    found.under("a")
    assert store.unpack(body, "me") is None


def test_a_map_with_any_byte_changed_or_missing_is_none():
    event = log.Event("a.py", "b.py", 90, "1" * 40, "2020-01-01", 1)
    packed = store.Map("/repo/.git", "2" * 40, [event]).pack()

    assert store.unpack(packed, "/repo/.git").departures("a.py") == [event]
    for at in range(len(packed)):
        assert store.unpack(packed[:at], "/repo/.git") is None
        for bit in (1, 0x20, 0x80):
            changed = packed[:at] + bytes([packed[at] ^ bit]) + packed[at + 1 :]
            assert store.unpack(changed, "/repo/.git") is None, at


def test_a_map_file_of_no_sane_size_is_not_read(tmp_path):
    with open(tmp_path / "map", "wb") as file:
        file.truncate(store._LARGEST + 1)

    assert store.load(str(tmp_path / "map"), "me") is None


GARBAGE = ["", r"\0\0\0", r"\001\n", r"\001abc\0D\0", r"a\0b\0c\0", r"\n\n\n\n\n\n\n", r"\377 \t"]


@pytest.mark.skipif(os.name == "nt", reason="a shell script takes the place of git")
@pytest.mark.parametrize("printed", GARBAGE)
@pytest.mark.parametrize("when", ["*", "*log*", "*ls-tree*", "*cat-file*", "*ls-files*"])
def test_git_that_prints_garbage_stops_no_call(make_repo, drop, git_that, printed, when):
    repo = make_repo({"docs/a.md": text("a"), "docs/b.md": text("b")})
    drop(repo, "docs/a.md")
    git_that(when, f"printf '{printed}'")

    assert History(str(repo)).fate("docs/a.md", deadline=LONG).kind
    assert Workspace(repo, timeout_s=LONG).resolve("docs/a.md").status in ("absent", "ambiguous")
