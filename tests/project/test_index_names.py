"""An index in a file answers as the names in memory do."""

from __future__ import annotations

import contextlib
import mmap
import os
import tempfile

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from truepath.paths import fold
from truepath.project.index import pack as packing
from truepath.project.index.layout import HEADER_BYTES, DamagedError, header_of
from truepath.project.index.mapped import MappedNames
from truepath.project.index.pack import pack
from truepath.project.names import Names

_LETTER = st.sampled_from(
    ["a", "b", "A", "x", ".", "-", "_", "é", "E\u0301", "月", " ", "\n", "\udcff"]
)
_PART = st.one_of(
    st.lists(_LETTER, min_size=1, max_size=6).map("".join).filter(lambda part: part.strip(".")),
    st.sampled_from(
        ["userProfile.py", "user_profile.ts", "user-profile.py", "README.md", "usr.py"]
    ),
)
PATHS = st.lists(st.lists(_PART, min_size=1, max_size=4).map("/".join), max_size=14)
ASKED = st.one_of(_PART, st.text(max_size=5))


def mapped(data: bytes) -> MappedNames:
    """Return the names in the bytes of an index file."""
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        header = header_of(data[:HEADER_BYTES], len(data))
        return MappedNames(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), header)


def packed(paths, *, small=4_000) -> bytes:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "SMALL", small)
        return b"".join(pack(Names(paths).files, root="/root", source="git"))


def _pieces(name: str) -> set[bytes]:
    framed = b"\0" + os.fsencode(name) + b"\0"
    return {framed[at : at + 3] for at in range(len(framed) - 2)}


@pytest.mark.parametrize("small", [0, 4_000])
@given(paths=PATHS, asked=ASKED)
@example(["src/Kelvin\u212a.py", "src/Cafe\u0301.md"], "cafe")
@example([], "")
@settings(max_examples=100)
def test_an_index_and_names_in_memory_answer_alike(small, paths, asked):
    names, index = Names(paths), mapped(packed(paths, small=small))

    assert (len(index), list(index.files)) == (len(names), list(names.files))
    assert index.folders == names.folders
    assert index.holds_exactly(sorted(names.files, key=os.fsencode))
    places = {asked, *paths, *(path.rpartition("/")[0] for path in paths), f"{asked}/"}
    for path in places:
        assert index.kind(path) == names.kind(path)
        assert index.has_folder(path) == names.has_folder(path)
        assert index.children(path) == names.children(path)
    for name in {asked, *(part for path in paths for part in path.split("/"))}:
        assert index.named(name) == names.named(name)
        assert index.folders_named(name) == names.folders_named(name)
        assert index.paths_named(fold(name)) == names.paths_named(fold(name))
        assert index.stemmed(name) == names.stemmed(name)
        found, wanted = index.similar(name), names.similar(name)
        assert set(found) <= set(wanted)
        missed = {one for one, _ in set(wanted) - set(found)}
        assert not (small and missed)
        assert all(_pieces(one).isdisjoint(_pieces(fold(name))) for one in missed)
    for word in ("a", "ab", "user", "profile", "cafe", "kelvin", "xyz", "aab", "é", "月", "a1"):
        assert index.has_word(word) == names.has_word(word)


FEW = ["README.md", "src/app/user_profile.py", "src/app/userProfile.ts", "src/b.py", "d/é.md"]


def ask_everything(index: MappedNames) -> None:
    for name in ("README.md", "src/app/user-profile.py", "usr_profile.py", "src", "é.md", "x"):
        index.kind(name), index.has_folder(name), index.children(name), index.has_word(name)
        base = name.rpartition("/")[2]
        index.named(base), index.folders_named(base), index.stemmed(base), index.similar(base)
    len(index), index.files, index.folders, index.has_word("profile"), index.holds_exactly(FEW)


@pytest.mark.parametrize("small", [0, 4_000])
def test_an_index_that_ends_too_soon_is_none(small):
    data = packed(FEW, small=small)
    for end in range(len(data)):
        with pytest.raises(DamagedError):
            header_of(data[:end][:HEADER_BYTES], end)
    with pytest.raises(DamagedError):
        header_of(data[:HEADER_BYTES], len(data) + 1)


def test_a_header_with_any_byte_changed_is_none():
    data = packed(FEW)
    begin = min(first for first, _ in header_of(data, len(data)).spans)
    for at in range(len(data[:begin].rstrip(b"\0"))):
        with pytest.raises(DamagedError):
            header_of(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :], len(data))


@pytest.mark.parametrize("small", [0, 4_000])
@given(changes=st.lists(st.tuples(st.integers(0), st.integers(0, 255)), min_size=1, max_size=6))
@settings(max_examples=100)
def test_an_index_with_any_bytes_changed_answers_or_says_that_it_is_damaged(small, changes):
    data = bytearray(packed(FEW, small=small))
    begin = min(first for first, _ in header_of(bytes(data), len(data)).spans)
    for at, byte in changes:
        data[begin + at % (len(data) - begin)] = byte
    with contextlib.suppress(DamagedError):
        ask_everything(mapped(bytes(data)))
