"""An index in a file answers as the names in memory do."""

from __future__ import annotations

import contextlib
import mmap
import os
import tempfile
from array import array
from collections import defaultdict
from zlib import crc32

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from truepath.paths import fold
from truepath.project.index import pack as packing
from truepath.project.index.layout import (
    HEADER_BYTES,
    OTHER_LETTERS,
    SECTIONS,
    TABLES,
    DamagedError,
    damaged,
    header_of,
)
from truepath.project.index.mapped import MappedNames
from truepath.project.index.pack import pack
from truepath.project.names import Names, stem_key

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
@example(["\U0001f600.md", "\udcff.md", "a.md"], "")  # bytes that are no text have another order
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


@pytest.mark.parametrize("place", ["first", "middle", "last"])
@pytest.mark.parametrize("section", range(len(SECTIONS) * TABLES))
def test_a_section_with_any_byte_changed_is_told(section, place):
    data = bytearray(packed(FEW, small=0))
    header = header_of(bytes(data), len(data))
    first, last = header.spans[section]
    assert first < last, "there is nothing to change"
    assert damaged(bytes(data), header) == []

    data[{"first": first, "middle": (first + last) // 2, "last": last - 1}[place]] ^= 1

    assert damaged(bytes(data), header) == [(SECTIONS * TABLES)[section]]


def sections(data: bytes, table: int = 0) -> dict[str, bytes]:
    """Return the sections of a table as they lie in the bytes of an index file."""
    spans = header_of(data[:HEADER_BYTES], len(data)).spans[table * len(SECTIONS) :]
    return {name: data[first:last] for name, (first, last) in zip(SECTIONS, spans, strict=False)}


@pytest.mark.parametrize("at_once", [1, 2, 4_096])
@given(paths=PATHS)
@example(["aaaaaa", "banana_banana.py"])  # pieces that a name has several times
@example(["a", "b/c"])  # names with one piece
@example(["\u200b", "\u200b\u200b", "x"])  # a name of which folding leaves nothing
@example([])
@example(["x.tar.gz", ".x", "x.", "x-y_z w.é"])  # stems
@settings(max_examples=60)
def test_each_piece_has_the_names_with_it_once_and_each_stem_its_names(at_once, paths):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "_AT_ONCE", at_once)
        found = sections(packed(paths, small=0))
    names = [os.fsencode(name) for name in sorted({fold(p.rpartition("/")[2]) for p in paths})]
    names.sort()
    wanted: dict[int, list[int]] = defaultdict(list)
    for number, name in enumerate(names):
        for piece in _pieces(os.fsdecode(name)):
            wanted[int.from_bytes(piece, "big")].append(number)

    keys, begins, entries = (array("I", found[one]) for one in ("grams", "gram_at", "gram_names"))
    lists = {key: list(entries[begins[at] : begins[at + 1]]) for at, key in enumerate(keys)}
    for known in (lists, wanted):  # three bytes that are no text may share that key
        known.pop(OTHER_LETTERS, None)
    assert lists == wanted
    stems = sorted(
        (crc32(os.fsencode(stem_key(os.fsdecode(name)))), at) for at, name in enumerate(names)
    )
    assert array("I", found["stems"]).tolist() == [crc for crc, _ in stems]
    assert array("I", found["stem_names"]).tolist() == [at for _, at in stems]


def test_a_piece_that_most_names_have_has_no_list(monkeypatch):
    monkeypatch.setattr(packing, "_FEW", 2)
    found = sections(packed(["one.py", "two.py", "ten.py", "tent.md"], small=0))

    keys = {key.to_bytes(3, "big") for key in array("I", found["grams"])}
    assert b"ten" in keys
    assert b".py" not in keys


def test_what_finds_a_name_is_there_before_what_finds_those_that_are_like_it(monkeypatch):
    monkeypatch.setattr(packing, "SMALL", 0)
    early: list[bytes] = []
    whole = b"".join(pack(FEW, root="/root", source="git", early=early.extend))
    soon = b"".join(early)

    for table in range(TABLES):
        first, last = sections(soon, table), sections(whole, table)
        assert {name: last[name] for name in SECTIONS[:5]} == {n: first[n] for n in SECTIONS[:5]}
        assert not any(first[name] for name in SECTIONS[5:])
        assert all(last[name] for name in SECTIONS[5:])
    assert mapped(soon).named("USERPROFILE.TS") == ["src/app/userProfile.ts"]
    assert damaged(soon, header_of(soon, len(soon))) == []
