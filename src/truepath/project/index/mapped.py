"""The names of a project out of an index file: each question reads the few places that answer it.

It answers as `names.Names` does. What may differ, of more than `layout.SMALL` names: `similar`
compares the 300 that share most pieces with what is sought, so that of names that are barely alike
others may be found, and none that shares no three letters in a row; `has_word` takes letters that
thousands of names have in a row for a word. Of names that are equally alike, beyond the first
`SIMILAR_POOL`, either may be found.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from mmap import mmap
from typing import TYPE_CHECKING
from zlib import crc32

from truepath.paths import fold
from truepath.project.index.layout import (
    OTHER_LETTERS,
    SECTIONS,
    SMALL,
    DamagedError,
    Header,
    key_of,
)
from truepath.project.names import (
    SIMILAR_POOL,
    Row,
    Source,
    has_word,
    rank,
    ratios,
    remembered,
    scanned,
    stem_key,
)

if TYPE_CHECKING:
    from typing import Literal

_GRAMS = 12
"""The rarest pieces of a name by which others are found."""

_CLOSEST = 300
"""Names that share most of them, which are compared by their letters."""

_MOST_READ = 60_000
"""Entries of lists that are read for one name at most, the rarest lists first: long lists tell
little, and take as long as all others."""

_MOST_WITH = 2_000
"""Names with the letters of a word that are looked at. What more have is taken for a word; that
keeps a name from being taken for a misspelling, no more."""


class MappedNames:
    """The names of a project's files, root-relative with `/`, and of the folders that hold them."""

    cut_short = False
    untracked = False

    def __init__(self, mapped: mmap, header: Header) -> None:
        """Take a mapped file and its header; nothing else is read yet."""
        self.source: Source = "git" if header.source == "git" else "walk"
        self._count = header.files
        width = len(SECTIONS)
        self._tables = (
            _Table(mapped, header.spans[:width]),
            _Table(mapped, header.spans[width:]),
        )
        self._similar: dict[str, list[tuple[str, float]]] = {}
        self._words: dict[str, bool] = {}

    def __len__(self) -> int:
        """Return how many files there are."""
        return self._count

    @property
    def is_whole(self) -> bool:
        """Whether look-alikes are found by lists where there are many names."""
        return all(table.is_whole for table in self._tables)

    @cached_property
    def files(self) -> Sequence[str]:
        """All files, sorted; this reads a large part of the index."""
        return sorted(self._tables[0].paths())

    @cached_property
    def folders(self) -> frozenset[str]:
        """Every folder that holds a file, at any depth; never the root itself."""
        return frozenset(self._tables[1].paths())

    def holds_exactly(self, paths: Sequence[str]) -> bool:
        """Return whether these sorted paths are all its files."""
        same = len(paths) == self._count
        return same and (not paths or self._tables[0].is_text("\0".join(paths)))

    def kind(self, path: str) -> Literal["file", "folder"] | None:
        """Return the kind of entry at `path`, or None."""
        if not path or self.has_folder(path):
            return "folder"
        return "file" if self._tables[0].has(path) else None

    def has_folder(self, path: str) -> bool:
        """Return whether `path` is a folder in the project; the root is none."""
        return bool(path) and self._tables[1].has(path)

    def named(self, name: str) -> list[str]:
        """Return the files whose name looks like `name`: case and Unicode form aside."""
        return self._tables[0].named(fold(name))

    def folders_named(self, name: str) -> list[str]:
        """Return the folders whose name looks like `name`: case and Unicode form aside."""
        return self._tables[1].named(fold(name))

    def stemmed(self, name: str) -> list[str]:
        """Return the files and folders whose name differs in extension or separators alone."""
        key = stem_key(fold(name))
        return [path for table in self._tables for path in table.stemmed(key)]

    def similar(self, name: str, *, limit: int = 12) -> list[tuple[str, float]]:
        """Return (folded name, likeness 0 to 1) of the names that look like `name`, best first."""
        wanted = fold(name)

        def found() -> list[tuple[str, float]]:
            return rank(wanted, self._tables[0].alike(wanted) | self._tables[1].alike(wanted))

        return remembered(self._similar, wanted, found)[:limit]

    def paths_named(self, folded: str) -> list[str]:
        """Return files and folders whose folded name is `folded`."""
        return self._tables[0].named(folded) + self._tables[1].named(folded)

    def children(self, folder: str) -> list[str]:
        """Return the names directly below `folder`, folders with a trailing `/`, sorted."""
        return sorted(self._tables[0].children(f"{folder}/" if folder else ""))

    def ending_in(self, ending: str, most: int) -> list[str] | None:
        """Return the files whose name ends like this, in lower case; None where more than `most`
        do.
        """
        return self._tables[0].ending_in(ending, most)

    def has_word(self, word: str) -> bool:
        """Return whether a word in lower case is one of some file's or folder's name."""
        tables = self._tables
        return remembered(self._words, word, lambda: any(each.has_word(word) for each in tables))


class _Table:
    """Paths that can be asked by name. `layout` has the sections."""

    def __init__(self, mapped: mmap, spans: Sequence[tuple[int, int]]) -> None:
        self._map, self._spans = mapped, dict(zip(SECTIONS, spans, strict=True))
        self._first, self._end = self._spans["paths"]
        self._first += 1
        self._read: dict[str, memoryview[int]] = {}
        self._found: dict[str, list[str]] = {}
        sizes = {section: len(self._numbers(section)) for section in SECTIONS[2:]}
        grams = sizes["grams"] + bool(sizes["gram_at"])
        pairs = (("first_at", "name_at"), ("stems", "stem_names"))
        if any(sizes[one] != sizes[other] for one, other in pairs) or sizes["gram_at"] != grams:
            raise DamagedError("two lists of one length differ")

    def __len__(self) -> int:
        """Return how many names there are, each counted once."""
        return max(0, len(self._numbers("first_at")) - 1)

    @property
    def is_whole(self) -> bool:
        """Whether look-alikes are found by lists, or there are few names."""
        return len(self) <= SMALL or len(self._numbers("stems")) > 0

    def _numbers(self, section: str) -> memoryview[int]:
        """Return a section as numbers."""
        known = self._read.get(section)
        if known is None:
            first, last = self._spans[section]
            part = memoryview(self._map)[first : last - (last - first) % 4]
            known = self._read[section] = part.cast("I")
        return known

    def _blob(self, section: str) -> bytes:
        first, last = self._spans[section]
        return self._map[first:last]

    # Paths: found in their blob by halves.

    def paths(self) -> list[str]:
        """Return all paths, in their order."""
        blob = self._blob("paths")
        return _decoded(blob[1:-1]).split("\0") if len(blob) > 1 else []

    def is_text(self, text: str) -> bool:
        """Return whether a text is all paths, with NUL between them."""
        blob = text.encode("utf-8", "surrogateescape")
        size = self._end - self._first
        return len(blob) + 1 == size and self._map[self._first : self._end - 1] == blob

    def has(self, path: str) -> bool:
        """Return whether this is one of the paths."""
        wanted = _encoded(path)
        at = self._place(wanted, self._first)
        return at < self._end and self._path_at(at) == wanted

    def children(self, prefix: str) -> Iterator[str]:
        """Yield what follows a prefix in the paths, up to and with the next slash, each once."""
        begin = _encoded(prefix)
        at = self._place(begin, self._first)
        while at < self._end and (path := self._path_at(at)).startswith(begin):
            head, slash, _ = path[len(begin) :].partition(b"/")
            yield _decoded(head + slash)
            # "0" follows "/": one jump passes over all that lies below a folder.
            at = self._place(begin + head + b"0", at) if slash else at + len(path) + 1

    def _place(self, wanted: bytes, low: int) -> int:
        """Return where the first path that is not before `wanted` begins, at `low` or later."""
        high = self._end
        while low < high:
            middle = (low + high) // 2
            start = self._map.rfind(b"\0", low - 1, middle) + 1
            if not low <= start <= middle:
                raise DamagedError("a path that does not begin")
            path = self._path_at(start)
            low, high = (start + len(path) + 1, high) if path < wanted else (low, start)
        return low

    def _path_at(self, start: int) -> bytes:
        end = self._map.find(b"\0", start, self._end)
        if end < 0:
            raise DamagedError("a path that does not end")
        return self._map[start:end]

    # Names: found in their list by halves.

    def named(self, folded: str) -> list[str]:
        """Return the paths whose folded name is this one."""
        return remembered(self._found, folded, lambda: self._with_name(folded))

    def _with_name(self, folded: str) -> list[str]:
        wanted = _encoded(folded)
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self._name(middle) < wanted else (low, middle)
        return self._paths_of(low) if low < len(self) and self._name(low) == wanted else []

    def _name(self, number: int) -> bytes:
        begins, (first, last) = self._numbers("name_at"), self._spans["names"]
        start, end = first + begins[number], first + begins[number + 1] - 1
        if not first < start <= end < last:
            raise DamagedError("a name outside the names")
        return self._map[start:end]

    def _names(self, numbers: Iterable[int]) -> list[str]:
        return [_decoded(self._name(number)) for number in numbers]

    def _paths_of(self, number: int) -> list[str]:
        """Return the paths that have a name."""
        begins, places = self._numbers("first_at"), self._numbers("path_at")
        start, end = begins[number], begins[number + 1]
        if not start <= end <= len(places):
            raise DamagedError("a list that is not there")
        return sorted(_decoded(self._checked_path(at)) for at in places[start:end])

    def _checked_path(self, place: int) -> bytes:
        start = self._first + place - 1
        if not self._first <= start < self._end or self._map[start - 1 : start] != b"\0":
            raise DamagedError("a path outside the paths")
        return self._path_at(start)

    def ending_in(self, ending: str, most: int) -> list[str] | None:
        """Return the paths whose name ends like this, in lower case; None where too many do."""
        found: list[str] = []
        for number in self._with_letters(_encoded(ending) + b"\0"):
            found += self._paths_of(number)
            if len(found) > most:
                return None
        return [path for path in found if path.lower().endswith(ending)]

    @cached_property
    def _row(self) -> Row | None:
        """The names to be looked through; None where there are lists that find them sooner."""
        if self._numbers("stems"):
            return None
        blob = self._blob("names")
        names = _decoded(blob[1:-1]).split("\0") if len(blob) > 1 else []
        return Row(names, names)

    def stemmed(self, key: str) -> list[str]:
        """Return the paths whose name has this stem."""
        if self._row is not None:
            names = self._row.stemmed(key)
        else:
            numbers = self._with_stem(crc32(_encoded(key)))
            names = sorted(name for name in self._names(numbers) if stem_key(name) == key)
        return [path for name in names for path in self.named(name)]

    def _with_stem(self, crc: int) -> Iterator[int]:
        stems, names = self._numbers("stems"), self._numbers("stem_names")
        at = bisect_left(stems, crc)
        while at < len(stems) and stems[at] == crc:
            yield self._number(names[at])
            at += 1

    def _number(self, number: int) -> int:
        if number >= len(self):
            raise DamagedError("a name that is not there")
        return number

    def alike(self, wanted: str) -> dict[str, float]:
        """Return the names likest to a folded one by their letters, with their ratio."""
        if self._row is not None:
            return self._row.alike(wanted)
        return ratios(scanned(wanted, self._names(self._closest(wanted)), SIMILAR_POOL))

    def _closest(self, wanted: str) -> list[int]:
        """Return the names that share most pieces with a folded one."""
        from collections import Counter

        lists = sorted(self._lists(f"\0{_encoded(wanted).decode('latin-1')}\0"), key=len)
        shared: Counter[int] = Counter()
        read = 0
        for each in lists[:_GRAMS]:
            read += len(each)
            if shared and read > _MOST_READ:
                break
            shared.update(each)
        return [self._number(number) for number, _ in shared.most_common(_CLOSEST)]

    def _lists(self, text: str) -> list[memoryview[int]]:
        """Return the lists of the pieces of a text, as far as they are kept, each once."""
        pieces = {text[start : start + 3] for start in range(len(text) - 2)}
        return [found for piece in pieces if (found := self._list(key_of(piece))) is not None]

    def _list(self, key: int) -> memoryview[int] | None:
        """Return the names that have a piece; None where there is no list of it."""
        keys, begins, names = map(self._numbers, ("grams", "gram_at", "gram_names"))
        at = bisect_left(keys, key)
        if at == len(keys) or keys[at] != key:
            return None
        start, end = begins[at], begins[at + 1]
        if not start <= end <= len(names):
            raise DamagedError("a list that is not there")
        return names[start:end]

    def has_word(self, word: str) -> bool:
        """Return whether a word in lower case is one of some path's name."""
        if self._row is not None and not (word.isascii() and self._is_ascii):
            return has_word(_decoded(self._blob("paths")), word)
        if not word.isascii():
            return any(self._has_word(each, word) for each in self._list(OTHER_LETTERS) or ())
        lists = sorted(self._lists(word), key=len)
        names = lists[0] if lists else islice(self._with_letters(_encoded(word)), _MOST_WITH)
        having = set(names).intersection(*lists[1:])
        if len(having) >= _MOST_WITH:
            return True
        having.update(self._list(OTHER_LETTERS) or ())
        return any(self._has_word(self._number(name), word) for name in having)

    @cached_property
    def _is_ascii(self) -> bool:
        return self._blob("paths").isascii()

    def _has_word(self, number: int, word: str) -> bool:
        name = _decoded(self._name(number))
        if name.isascii() and word not in name:
            return False
        last = {path.rpartition("/")[2] for path in self._paths_of(number)}
        return any(has_word(each, word) for each in last)

    def _with_letters(self, letters: bytes) -> Iterator[int]:
        """Yield the names with these letters in a row, of which there is no list."""
        begins, (first, last) = self._numbers("name_at"), self._spans["names"]
        at = self._map.find(letters, first, last)
        while at >= 0:
            number = self._number(bisect_left(begins, at - first + 1) - 1)
            yield number
            at = self._map.find(letters, first + begins[number + 1], last)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass" if _is_odd(text) else "surrogateescape")


def _is_odd(text: str) -> bool:
    """Return whether a text has half a letter, which no path on disk has."""
    return not text.isascii() and any("\ud800" <= letter < "\udc80" for letter in text)


def _decoded(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
