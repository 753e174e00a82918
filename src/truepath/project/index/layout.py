"""How an index of names lies in a file: a checked header, then sections that are read by mapping.

The header has a CRC of its own, which each reading checks, and one of every section, which
`damaged` checks: to read all of a section for each question would take longer than the answer.

Pure: knows no disk, no git and no project. A table is a list of paths that can be asked by name:

- `paths`: the paths, sorted as bytes, with a NUL before the first and after each;
- `names`: their last parts, folded, sorted, each once, in the same form;
- `name_at`: where each name begins in `names`, and the end;
- `path_at`: where each path of each name begins in `paths`, the names in their order;
- `first_at`: where the paths of each name begin in `path_at`, and the end.

The second half finds names that are like another, and may be missing:

- `stems`, `stem_names`: the CRC of each name's stem, sorted, and beside it the name;
- `grams`, `gram_at`, `gram_names`: three bytes in a row, sorted, where their list begins, and the
  lists: the names that have them. What more than 2 % of the names have is left out, for it tells
  nothing.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mmap import mmap

SECTIONS = (
    *("paths", "names", "name_at", "path_at", "first_at"),
    *("stems", "stem_names", "grams", "gram_at", "gram_names"),
)
"""The sections of a table, in their order."""

TABLES = 2
"""Files, then the folders that hold them."""

SMALL = 4_000
"""Names. So many are looked through as fast as a part of more is found, and no list of three-byte
pieces is kept of them."""

OTHER_LETTERS = 0xFFFFFF
"""The key of the list of names that are not ASCII: no three bytes of UTF-8."""

LARGEST = 0xFFFFFFFF
"""Bytes of a section: places are kept in 32 bits."""

_MAGIC = b"truepath"
_VERSION = 2
_ORDER = 0x01020304
"""Numbers are kept in the machine's own byte order; this one tells it."""

_COUNT = len(SECTIONS) * TABLES
_HEADER = struct.Struct(f"=8sIIQII{2 * _COUNT}Q{_COUNT}I")


class DamagedError(Exception):
    """A file is no index of names, or holds what no index holds."""


class Header:
    """What a file says of itself."""

    __slots__ = ("checks", "files", "root", "size", "source", "spans")

    def __init__(
        self,
        root: str,
        source: str,
        files: int,
        spans: list[tuple[int, int]],
        checks: list[int],
        size: int,
    ) -> None:
        """Take what is said.

        Args:
            root: The project's folder, links followed.
            source: Who found the names.
            files: How many files there are.
            spans: Of each section where it begins and ends in the file, table by table.
            checks: Of each section its CRC-32.
            size: Bytes of the whole file.
        """
        self.root, self.source, self.files = root, source, files
        self.spans, self.checks, self.size = spans, checks, size


def joined(root: str, source: str, files: int, tables: list[list[bytes]]) -> list[bytes]:
    """Return the parts of a file: its header, and the sections of its tables.

    Raises:
        ValueError: A section is too large.
    """
    words = f"{root}\0{source}".encode("utf-8", "surrogateescape")
    begin = at = _padded(_HEADER.size + len(words) + _CHECK.size)
    parts, places, checks = [b""], [], []
    for section in (section for table in tables for section in table):
        if len(section) > LARGEST:
            raise ValueError("a section of more than 4 GB")
        places += [at, at + len(section)]
        checks.append(zlib.crc32(section))
        parts += [section, bytes(-len(section) % _ALIGNED)]
        at = _padded(at + len(section))
    head = _HEADER.pack(_MAGIC, _VERSION, _ORDER, at, files, len(words), *places, *checks) + words
    head += _CHECK.pack(zlib.crc32(head))
    parts[0] = head + bytes(begin - len(head))
    return parts


def header_of(data: bytes, size: int) -> Header:
    """Return the header that a file of so many bytes begins with.

    Raises:
        DamagedError: It is of another version or machine, cut short, or damaged.
    """
    if len(data) < _HEADER.size:
        raise DamagedError("shorter than a header")
    magic, version, order, whole, files, length, *numbers = _HEADER.unpack_from(data)
    if (magic, version, order) != (_MAGIC, _VERSION, _ORDER):
        raise DamagedError("of another version or machine")
    end = _HEADER.size + length
    if len(data) < end + _CHECK.size or _CHECK.unpack_from(data, end)[0] != zlib.crc32(data[:end]):
        raise DamagedError("a damaged header")
    places, checks = numbers[: 2 * _COUNT], numbers[2 * _COUNT :]
    spans = list(zip(places[::2], places[1::2], strict=True))
    if whole != size or any(not end <= first <= last <= size for first, last in spans):
        raise DamagedError("cut short")
    root, _, source = data[_HEADER.size : end].decode("utf-8", "surrogateescape").partition("\0")
    return Header(root, source, files, spans, checks, size)


def damaged(data: mmap | bytes, header: Header) -> list[str]:
    """Return the sections of a file that are not as they were written; reads all of it."""
    names = SECTIONS * TABLES
    with memoryview(data) as whole:
        return [
            name
            for name, (first, last), check in zip(names, header.spans, header.checks, strict=True)
            if zlib.crc32(whole[first:last]) != check
        ]


HEADER_BYTES = 1 << 13
"""What is read to know a header; a root has 4,096 bytes at most on Linux."""

_CHECK = struct.Struct("=I")
_ALIGNED = 8


def _padded(size: int) -> int:
    return size + -size % _ALIGNED


def key_of(gram: str) -> int:
    """Return three bytes, given as three letters of Latin-1, as a number."""
    return ord(gram[0]) << 16 | ord(gram[1]) << 8 | ord(gram[2])
