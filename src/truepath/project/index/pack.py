"""Make an index out of the sorted names of a project. Pure: paths in, bytes out."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, compress
from operator import ne
from zlib import crc32

from truepath.paths import fold
from truepath.project.index.layout import OTHER_LETTERS, SMALL, joined, key_of
from truepath.project.names import stem_key

_TELLS_NOTHING = 0.02
"""The share of the names that has three bytes in a row which tell nothing: their lists are most of
all, and with them a look-alike of a million names takes twice as long."""

_FEW = 1_000
"""Names that a list may have whatever its share."""

Progress = Callable[[int, int], object]
"""Is told how many of how many names are done."""


def pack(
    paths: Sequence[str],
    *,
    root: str,
    source: str,
    near: bool = True,
    progress: Progress = lambda done, of: None,  # noqa: ARG005
) -> list[bytes]:
    """Return the parts of an index file.

    Args:
        paths: Files, relative to the root with `/`, each once and none with NUL.
        root: The project's folder, links followed.
        source: Who found them.
        near: Whether with what finds names that are like another; it takes ten times as long.
        progress: Is told from time to time how far it is.

    Raises:
        ValueError: There is too much of it.
    """
    files = _by_bytes(paths)
    tables: list[list[bytes]] = []
    for paths_of in (files, _by_bytes(_folders(files))):
        table = _table(paths_of)
        names = _split(table[1])
        asked = near and len(names) > SMALL
        tables.append([*table, *(_near(table, names, progress) if asked else [b""] * 5)])
    return joined(root, source, len(files), tables)


def _by_bytes(paths: Iterable[str]) -> list[str]:
    """Return paths in the order of their bytes, which is theirs but for bytes that are no text."""
    ordered = sorted(paths)
    return ordered if _is_text("".join(ordered)) else sorted(ordered, key=os.fsencode)


def _is_text(text: str) -> bool:
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def _folders(files: Sequence[str]) -> set[str]:
    """Return every folder that holds a file, at any depth, but for the root."""
    found: set[str] = set()
    last = ""
    for path in files:
        folder = path[: path.rfind("/")] if "/" in path else ""
        if folder != last:  # files of one folder mostly follow one another
            last = folder
            while folder and folder not in found:
                found.add(folder)
                folder = folder[: folder.rfind("/")] if "/" in folder else ""
    return found


def _table(paths: Sequence[str]) -> list[bytes]:
    """Return the first half of a table's sections."""
    text = "\0".join(paths)
    blob = _encoded(text)
    plain = len(blob) == len(text)
    lengths = map(len, paths if plain else blob.split(b"\0"))
    begins = array("I", accumulate(lengths, lambda at, length: at + length + 1, initial=1))
    names = _folded(paths, text)
    order = sorted(range(len(names)), key=names.__getitem__)
    ordered = [names[place] for place in order]
    first = [True, *map(ne, ordered, ordered[1:])] if ordered else []
    unique = list(compress(ordered, first))
    return [
        _framed(blob, len(paths)),
        _framed(_encoded("\0".join(unique)), len(unique)),
        _places(unique),
        array("I", [begins[place] for place in order]).tobytes(),
        array("I", [*compress(range(len(order)), first), len(order)]).tobytes(),
    ]


def _folded(paths: Sequence[str], text: str) -> list[str]:
    """Return the last part of each path, folded."""
    if text.isascii():
        lowered = text.lower().split("\0") if paths else []
        return [path.rpartition("/")[2] for path in lowered]
    return [fold(path.rpartition("/")[2]) for path in paths]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _framed(blob: bytes, count: int) -> bytes:
    return b"\0" + blob + b"\0" if count else b"\0"


def _split(blob: bytes) -> list[bytes]:
    return blob[1:-1].split(b"\0") if len(blob) > 1 else []


def _places(names: Sequence[str]) -> bytes:
    """Return where each name begins in their blob, and where the next would."""
    lengths = (len(name) if name.isascii() else len(_encoded(name)) for name in names)
    return array("I", accumulate(lengths, lambda at, size: at + size + 1, initial=1)).tobytes()


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


def _near(table: Sequence[bytes], names: Sequence[bytes], progress: Progress) -> list[bytes]:
    """Return the second half of a table's sections."""
    texts = [name.decode("utf-8", "surrogateescape") for name in names]
    stems = sorted((crc32(_encoded(stem_key(text))), at) for at, text in enumerate(texts))
    lists: dict[str, array[int]] = {}
    for at, name in enumerate(names):
        framed = f"\0{name.decode('latin-1')}\0"
        for gram in {framed[start : start + 3] for start in range(len(framed) - 2)}:
            found = lists.get(gram)
            if found is None:
                found = lists[gram] = array("I")
            found.append(at)
        if not at & 0x3FFF:
            progress(at, len(names))
    most = max(_FEW, int(len(names) * _TELLS_NOTHING))
    kept = {key_of(gram): found for gram, found in lists.items() if len(found) <= most}
    if others := _other_letters(table, names):
        kept[OTHER_LETTERS] = array("I", others)
    keys = sorted(kept)
    begins = array("I", accumulate((len(kept[key]) for key in keys), initial=0))
    return [
        array("I", [crc for crc, _ in stems]).tobytes(),
        array("I", [name for _, name in stems]).tobytes(),
        array("I", keys).tobytes(),
        begins.tobytes(),
        b"".join(kept[key].tobytes() for key in keys),
    ]
