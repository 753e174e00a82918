"""Make an index out of the sorted names of a project. Pure: paths in, bytes out.

Each step goes over all names at once, in functions that are no Python code: a loop with a few lines
for each name or piece takes several times as long.
"""

from __future__ import annotations

import os
import sys
from array import array
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence, Sized
from itertools import accumulate, chain, compress, count, islice, repeat
from operator import add, itemgetter, ne
from zlib import crc32

from truepath.paths import fold
from truepath.project.index.layout import OTHER_LETTERS, SMALL, joined
from truepath.project.names import SEPARATORS

_TELLS_NOTHING = 0.02
"""The share of the names that has three bytes in a row which tell nothing: their lists are most of
all, and with them a look-alike of a million names takes twice as long."""

_FEW = 1_000
"""Names that a list may have whatever its share."""

_AT_ONCE = 1 << 12
"""Names whose pieces are sorted into their lists together: what that needs beside the lists stays
in the processor's cache."""

Progress = Callable[[int, int], object]
"""Is told how many of how many names are done."""


def pack(
    paths: Sequence[str],
    *,
    root: str,
    source: str,
    early: Callable[[list[bytes]], object] | None = None,
    progress: Progress = lambda done, of: None,  # noqa: ARG005
) -> list[bytes]:
    """Return the parts of an index file.

    Args:
        paths: Files, relative to the root with `/`, each once and none with NUL.
        root: The project's folder, links followed.
        source: Who found them.
        early: Is given the parts of one without what finds names that are like another, which
            takes most of the time, before that is begun.
        progress: Is told from time to time how far it is.

    Raises:
        ValueError: There is too much of it.
    """
    files, folders = _table(paths)
    tables = [files, _table(folders)[0]]
    if early is not None:
        early(joined(root, source, len(paths), [[*table, *_NOTHING] for table in tables]))
    for table in tables:
        names = _split(table[1])
        table.extend(_near(table, names, progress) if len(names) > SMALL else _NOTHING)
    return joined(root, source, len(paths), tables)


_NOTHING = [b""] * 5
"""The second half of a table that has none."""


def _table(paths: Iterable[str]) -> tuple[list[bytes], set[str]]:
    """Return the first half of the sections for some paths, and the folders above these."""
    ordered, blob = _by_bytes(paths)
    is_ascii = blob.isascii()
    begins = _places(ordered if is_ascii else _split(blob))
    names, folders = _parted(ordered, str.lower if is_ascii else fold)
    keys = names if is_ascii else list(map(_encoded, names))
    order = sorted(range(len(keys)), key=keys.__getitem__)
    sorted_names = list(map(names.__getitem__, order))
    first = [True, *map(ne, sorted_names, islice(sorted_names, 1, None))] if order else []
    unique = _encoded(_framed(compress(sorted_names, first)))
    sections = [
        blob,
        unique,
        _places(_split(unique)).tobytes(),
        array("I", map(begins.__getitem__, order)).tobytes(),
        array("I", [*compress(count(), first), len(order)]).tobytes(),
    ]
    return sections, folders


def _by_bytes(paths: Iterable[str]) -> tuple[list[str], bytes]:
    """Return paths in the order of their bytes, and these."""
    ordered = sorted(paths)
    framed = _framed(ordered)
    try:
        return ordered, framed.encode()
    except UnicodeEncodeError:  # the order of bytes that are no text is another
        ordered.sort(key=os.fsencode)
        return ordered, _encoded(_framed(ordered))


def _parted(paths: Iterable[str], folded: Callable[[str], str]) -> tuple[list[str], set[str]]:
    """Return the last part of each path, folded, and each folder above one, but for the root."""
    names: list[str] = []
    folders: set[str] = set()
    last = ""
    for path in paths:
        folder, _, name = path.rpartition("/")
        names.append(folded(name))
        if folder != last:  # files of one folder mostly follow one another
            last = folder
            while folder and folder not in folders:
                folders.add(folder)
                folder = folder.rpartition("/")[0]
    return names, folders


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _framed(texts: Iterable[str]) -> str:
    """Return texts with a NUL before the first and after each."""
    return "\0".join(chain(("",), texts, ("",)))


def _split(blob: bytes) -> list[bytes]:
    return blob[1:-1].split(b"\0") if len(blob) > 1 else []


def _places(texts: Iterable[Sized]) -> array[int]:
    """Return where each text begins in their blob, and where the next would."""
    return array("I", accumulate(map(add, map(len, texts), repeat(1)), initial=1))


def _near(table: Sequence[bytes], names: Sequence[bytes], progress: Progress) -> list[bytes]:
    """Return the second half of a table's sections."""
    lists = _lists(table[1], names, progress)
    most = max(_FEW, int(len(names) * _TELLS_NOTHING))
    kept = {
        key: _once(found)
        for key, found in lists.items()
        if len(found) <= most and _is_of_one_name(key)
    }
    if others := _other_letters(table, names):
        kept[OTHER_LETTERS] = array("I", others)
    keys = sorted(kept)
    return [
        *_stems(names),
        array("I", keys).tobytes(),
        array("I", accumulate((len(kept[key]) for key in keys), initial=0)).tobytes(),
        b"".join(kept[key] for key in keys),
    ]


def _lists(blob: bytes, names: Sequence[bytes], progress: Progress) -> dict[int, array[int]]:
    """Return for each three bytes in a row of some names the numbers of those that have them.

    A name is in a list as often as it has the bytes. Lists of what lies across two names are there
    as well.
    """
    lists: defaultdict[int, array[int]] = defaultdict(lambda: array("I"))
    end = 0
    for first in range(0, len(names), _AT_ONCE):
        sizes = [len(name) + 1 for name in names[first : first + _AT_ONCE]]
        begin, end = end, end + sum(sizes)
        # As many pieces as bytes, and one more that is not used: `itemgetter` wants two at least.
        found = itemgetter(*_keys(blob[begin : end + 1] + b"\0\0"))(lists)
        owners = chain.from_iterable(map(repeat, count(first), sizes))
        deque(map(array.append, found, owners), maxlen=0)
        progress(first, len(names))
    return lists


def _keys(text: bytes) -> array[int]:
    """Return each three bytes in a row as a number, as `layout.key_of` does."""
    wide = bytearray(4 * (len(text) - 2))
    wide[0::4], wide[1::4], wide[2::4] = text[2:], text[1:-1], text[:-2]
    keys = array("I", wide)
    if sys.byteorder == "big":
        keys.byteswap()
    return keys


def _is_of_one_name(key: int) -> bool:
    """Return whether the second of three bytes is no NUL: what parts two names."""
    return key & 0xFF00 != 0


def _once(found: array[int]) -> array[int]:
    """Return numbers that do not fall, each once."""
    # All as one integer, compared with itself one number further: four zero bytes where they are
    # the same. To compare number by number takes five times as long.
    whole = int.from_bytes(found.tobytes(), "little")
    compared = (whole ^ whole >> 32).to_bytes(4 * len(found), "little")
    kept, begin, last = array("I"), 0, len(compared) - 4
    at = compared.find(bytes(4), 0, last)
    while at >= 0:
        if at % 4 == 0:
            kept += found[begin : at // 4]
            begin = at // 4 + 1
        at = compared.find(bytes(4), at + 1, last)
    return kept + found[begin:]


def _other_letters(table: Sequence[bytes], names: Sequence[bytes]) -> list[int]:
    """Return the names of which a path is not ASCII: folding may have changed their words."""
    if table[0].isascii():
        return []
    paths, first = table[0], array("I", table[4])
    begins = array("I", table[3])
    return [
        name
        for name in range(len(names))
        if not all(
            paths[at : paths.index(b"\0", at)].rpartition(b"/")[2].isascii()
            for at in begins[first[name] : first[name + 1]]
        )
    ]


def _stems(names: Sequence[bytes]) -> tuple[bytes, bytes]:
    """Return the CRC of each name's stem, sorted, and the names in that order."""
    # As `names.stem_key` makes them, of bytes: what it looks for is ASCII.
    cut = [name.rpartition(b".")[0] or name for name in names]
    stems = b"\0".join(cut).translate(None, _SEPARATORS)
    # Numbers with a point, because whole ones of 32 bits are compared more slowly.
    crcs = list(map(float, map(crc32, stems.split(b"\0"))))
    order = sorted(range(len(names)), key=crcs.__getitem__)
    sorted_crcs = map(int, map(crcs.__getitem__, order))
    return array("I", sorted_crcs).tobytes(), array("I", order).tobytes()


_SEPARATORS = SEPARATORS.encode()
