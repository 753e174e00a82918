"""The names of a project as bytes, and searches in them.

A blob is what `git ls-files -z` prints: root-relative names with `/`, each ended by a
NUL. At 50,000 files, searching it is faster than building any table. It is searched
once for each stem that is asked about, and then only the names with that stem. The disk
is not consulted: a listed file may have been deleted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from truepath.paths import Flavour, fold, key
from truepath.patience import check
from truepath.types import EntryKind

_SHORT = 4
"""Letters of a stem below which too many names have it for them to be collected."""

_STEP = 256
"""Bytes of names, about five, that are jumped over first where a folder has many."""


class Names:
    """The names of a project's files, and of the folders that hold them."""

    def __init__(self, blob: bytes, *, cut_short: bool = False) -> None:
        """Take names in any order, possibly repeated; one that ends in `/` is a folder
        that may be empty. `cut_short` says whether names may be missing.
        """
        if blob and not blob.endswith(b"\0"):
            blob += b"\0"
        if not blob.startswith(b"\0"):
            blob = b"\0%s" % blob
        self.blob = blob
        self.cut_short = cut_short
        self._parts: dict[bytes, Names] = {}

    @classmethod
    def of(cls, names: Iterable[str], *, cut_short: bool = False) -> Names:
        """Return the names in a list, without those that no disk can hold."""
        codes = {_code(name) for name in names}
        kept = sorted(code for code in codes if code and b"\0" not in code)
        return cls(b"".join(code + b"\0" for code in kept), cut_short=cut_short)

    def __len__(self) -> int:
        """Return how many names there are."""
        return self._count

    def __iter__(self) -> Iterator[str]:
        """Yield the names, in the order of the blob."""
        return iter(os.fsdecode(self.blob[1:]).split("\0")[:-1])

    def kind(self, path: str, flavour: Flavour = "posix") -> EntryKind:
        """Return the kind of entry at a path, compared as on the flavour; "" is the
        root. What is listed as both is a folder.
        """
        code = _code(path)
        # To collect the names of a common stem takes longer than two searches.
        blob = self._parts.get(_stem(code), self).blob
        if not path or blob.find(b"\0%s/" % code) >= 0:
            return "folder"
        if blob.find(b"\0%s\0" % code) >= 0:
            return "file"
        if flavour == "posix":
            return None
        wanted = key(path, flavour)
        if any(key(folder, flavour) == wanted for folder in self.folders_named(path)):
            return "folder"
        is_file = any(key(file, flavour) == wanted for file in self.ends_with(path))
        return "file" if is_file else None

    def has(self, path: str, flavour: Flavour = "posix") -> bool:
        """Return whether there is a file or a folder at a path. Half a search finds a
        file, as most are.
        """
        code = _code(path)
        blob = self._parts.get(_stem(code), self).blob
        is_file = blob.find(b"\0%s\0" % code) >= 0
        return is_file or self.kind(path, flavour) is not None

    def ends_with(self, path: str) -> list[str]:
        """Return the files whose last names fold to those of `path`."""
        return self._found(path, b"\0")

    def has_extension_of(self, path: str) -> bool:
        """Return whether a file has what follows the last dot of `path`."""
        return _code(f".{path.rpartition('.')[2]}") + b"\0" in self.blob

    def stems(self, stem: str) -> list[str]:
        """Return the files whose name folds to `stem`, with or without an extension."""
        start = f"{fold(stem)}."
        paths = {*self._found(stem, b"\0")}
        for path in self._found(stem, b"."):
            if fold(path.rpartition("/")[2]).startswith(start):
                paths.add(path)
        return sorted(paths)

    def folders_named(self, name: str) -> list[str]:
        """Return the folders whose last names fold to those of `name`."""
        return self._found(name, b"/")

    def children(self, folder: str) -> list[str]:
        """Return the names directly below a folder, folders with a trailing `/`,
        sorted.
        """
        start = b"\0%s/" % _code(folder) if folder else b"\0"
        child = re.compile(re.escape(start) + rb"([^/\0]+/?)")
        found = {*(() if folder else child.findall(self.blob))}
        # The names below a folder mostly follow one another.
        at = self.blob.find(start) if folder else -1
        while at >= 0:
            end = self._end_of_run(at, at + len(start))
            found.update(child.findall(self.blob, at, end))
            at = self.blob.find(start, end)
        return sorted(map(os.fsdecode, found))

    def count(self, word: bytes) -> int:
        """Return how often a word is in the names, given in lower case."""
        return self._low.count(word)

    def _found(self, path: str, then: bytes) -> list[str]:
        """Return the names that contain those of `path`, folded, followed by the byte
        `then`.

        If that is a slash, return the folders that end there.
        """
        check()
        wanted = _folded(path)
        text = "/".join(wanted)
        paths = {*self._odd_ones(wanted, then.decode())}
        stem = _stem(text.encode("utf-8", "surrogatepass"))
        part = self
        # All names that are asked about have the stem, ignoring ASCII case.
        if len(stem) >= _SHORT and b"\0" not in stem:
            if stem not in self._parts:
                self._parts[stem] = Names(self.containing(stem))
            part = self._parts[stem]
        if text.isascii() and text and "\0" not in text:
            paths.update(part._plain(text.encode(), then))  # noqa: SLF001
        return sorted(paths)

    def _plain(self, text: bytes, then: bytes) -> Iterator[str]:
        """Yield the same for a text in ASCII."""
        for sought in (b"/" + text + then, b"\0" + text + then):
            at = self._low.find(sought)
            while at >= 0:
                start = self.blob.rfind(b"\0", 0, at + 1)
                if then == b"/":
                    end = at + len(sought) - 1
                    after = self._end_of_run(start, end + 1)
                    shared = at + 1 + len(text.partition(b"/")[0]) + 1
                    yield from self._deeper(start, shared, after, text)
                else:
                    end = after = self.blob.find(b"\0", at + 1)
                yield os.fsdecode(self.blob[start + 1 : end])
                at = self._low.find(sought, after)

    def _deeper(self, start: int, end: int, after: int, text: bytes) -> Iterator[str]:
        """Yield the folders of that name further down in a run of names, which begin
        alike as far as `end`.
        """
        prefix = self.blob[start:end]
        rest = self.blob[start:after].replace(prefix, b"\0")
        if text + b"/" in rest.lower():
            for folder in Names(rest)._plain(text, b"/"):  # noqa: SLF001
                yield os.fsdecode(prefix[1:]) + folder

    def containing(self, word: bytes) -> bytes:
        """Return the names that contain a word, given in lower case, as a blob."""
        lines: list[bytes] = []
        at = self._low.find(word)
        while at >= 0:
            start = self.blob.rfind(b"\0", 0, at + 1)
            end = self.blob.find(b"\0", at + 1)
            slash = self.blob.find(b"/", at + len(word), end)
            if slash >= 0:  # it is in the name of a folder, so in all names below that
                end = self._end_of_run(start, slash + 1)
            lines.append(self.blob[start:end])
            at = self._low.find(word, end)
        return b"%s\0" % b"".join(lines)

    def _end_of_run(self, start: int, end: int) -> int:
        """Return where the names end that follow one another from `start` and all begin
        like the first one, as far as `end`.

        Where a folder has 10,000 files, to look at each would cost as many steps.
        """
        prefix = self.blob[start:end]
        last = start
        step = _STEP
        while step >= _STEP:
            name = self.blob.rfind(b"\0", 0, last + step)
            count = self.blob.count(b"\0", last, name)
            is_run = name > last and self.blob.startswith(prefix, name)
            if is_run and self.blob.count(prefix, last, name) == count:
                last = name
                step *= 4
            else:
                step //= 4
        return self.blob.find(b"\0", last + 1)

    def _odd_ones(self, wanted: list[str], then: str) -> Iterator[str]:
        """Yield the same for the names that are not ASCII."""
        size = len(wanted)
        for path, parts in self._odd:
            if then == "/":
                for end in range(size, len(parts)):
                    if parts[end - size : end] == wanted:
                        yield "/".join(path.split("/")[:end])
            elif len(parts) >= size and parts[-size:-1] == wanted[:-1]:
                name = f"{parts[-1]}\0"
                yield from (path,) if name.startswith(wanted[-1] + then) else ()

    @cached_property
    def _count(self) -> int:
        return self.blob.count(b"\0") - 1

    @cached_property
    def _low(self) -> bytes:
        """The blob with ASCII letters in lower case: offsets are the same in both."""
        return self.blob.lower()

    @cached_property
    def _odd(self) -> list[tuple[str, list[str]]]:
        """The names that are not ASCII, each with its folded parts."""
        if self.blob.isascii():
            return []
        odd = os.fsdecode(self.odd()).split("\0")[:-1]
        return [(path, _folded(path)) for path in odd]

    def odd(self) -> bytes:
        """Return the names that are not ASCII, as a blob."""
        codes = (name for name in self.blob.split(b"\0") if not name.isascii())
        return b"".join(code + b"\0" for code in codes)


def _stem(path: bytes) -> bytes:
    return path.rpartition(b"/")[2].partition(b".")[0].lower()


def _folded(path: str) -> list[str]:
    return [fold(part) for part in path.split("/")]


def _code(name: str) -> bytes:
    """Return a name as in the blob; a NUL, which no name has, if it cannot be
    encoded.
    """
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return b"\0"
