"""An index over the names of a project: which files and folders there are, by path and by name.

Built from a list of paths alone, in steps, each only when first asked for. It knows no disk.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import repeat
from operator import itemgetter
from typing import Literal, TypeVar

from truepath.likeness import Scored, alike, ratio
from truepath.paths import fold

Source = Literal["git", "walk", "given"]
Answer = TypeVar("Answer")

SIMILAR_POOL = 60
"""How many look-alike names are ranked a second time, by their words.

Ratio alone misses swapped words and token sort alone misses typos; re-ranking the best by both
finds the right one among the first three for 98 % of mistaken names, against 89 % by ratio.
"""

_REMEMBERED = 200
"""Answers of a kind that are kept: one question about a path asks for some names several times."""

_SIMILAR_FLOOR = 60.0
"""The lowest ratio (0 to 100) at which two names look alike at all."""


class Names:
    """The names of a project's files, root-relative with `/`, and of the folders that hold them."""

    def __init__(
        self,
        paths: Iterable[str],
        *,
        source: Source = "given",
        cut_short: bool = False,
        untracked: bool = True,
        in_order: bool = False,
    ) -> None:
        """Index `paths`; an entry ending in `/` is a folder that may be empty.

        Args:
            paths: Root-relative names. Order and repeats do not matter.
            source: Where they come from.
            cut_short: Whether a limit stopped the listing, so that absence proves nothing.
            untracked: Whether files that git does not track yet are among them.
            in_order: Whether `paths` are files only, sorted, each once: then nothing is checked.
        """
        if in_order:
            self.files: Sequence[str] = list(paths)
            self._bare_folders: set[str] = set()
        else:
            # No file system has a name with NUL in it; here it parts one name from the next.
            given = {path for path in paths if "\0" not in path}
            self._bare_folders = {path.rstrip("/") for path in given if path.endswith("/")}
            self.files = sorted(path for path in given if path and path[-1] != "/")
        self.source = source
        self.cut_short = cut_short
        self.untracked = untracked
        self._similar: dict[str, list[tuple[str, float]]] = {}
        self._words: dict[str, bool] = {}

    def __len__(self) -> int:
        """Return how many files there are."""
        return len(self.files)

    @cached_property
    def folders(self) -> frozenset[str]:
        """Every folder that holds a file, at any depth; never the root itself."""
        return frozenset(_with_parents(self._split[1] | self._bare_folders))

    def kind(self, path: str) -> Literal["file", "folder"] | None:
        """Return the kind of entry at `path`, or None."""
        if not path or self.has_folder(path):
            return "folder"
        return "file" if self._has_file(path) else None

    def has_folder(self, path: str) -> bool:
        """Return whether `path` is a folder in the project; the root is none."""
        prefix = f"{path}/"
        at = bisect_left(self.files, prefix)
        holds = at < len(self.files) and self.files[at].startswith(prefix)
        return bool(path) and (holds or path in self._empty_folders)

    @cached_property
    def _empty_folders(self) -> set[str]:
        """Folders that were given by name, and those above them."""
        return _with_parents(set(self._bare_folders))

    def _has_file(self, path: str) -> bool:
        at = bisect_left(self.files, path)
        return at < len(self.files) and self.files[at] == path

    def named(self, name: str) -> list[str]:
        """Return the files whose name looks like `name`: case and Unicode form aside."""
        return self._files.named(fold(name))

    def folders_named(self, name: str) -> list[str]:
        """Return the folders whose name looks like `name`: case and Unicode form aside."""
        return self._folders.named(fold(name))

    def stemmed(self, name: str) -> list[str]:
        """Return the files and folders whose name differs in extension or separators alone."""
        key = stem_key(fold(name))
        return self._files.stemmed(key) + self._folders.stemmed(key)

    def similar(self, name: str, *, limit: int = 12) -> list[tuple[str, float]]:
        """Return (folded name, likeness 0 to 1) of the names that look like `name`, best first."""
        wanted = fold(name)
        return remembered(self._similar, wanted, lambda: self._ranked(wanted))[:limit]

    def paths_named(self, folded: str) -> list[str]:
        """Return files and folders whose folded name is `folded`."""
        return self._files.named(folded) + self._folders.named(folded)

    def children(self, folder: str) -> list[str]:
        """Return the names directly below `folder`, folders with a trailing `/`, sorted."""
        prefix = f"{folder}/" if folder else ""
        found = set()
        at = bisect_left(self.files, prefix)
        while at < len(self.files) and self.files[at].startswith(prefix):
            head, slash, _ = self.files[at][len(prefix) :].partition("/")
            found.add(head + slash)
            # "0" follows "/": one jump passes over all that lies below a folder.
            at = bisect_left(self.files, f"{prefix}{head}0", at) if slash else at + 1
        for bare in self._bare_folders:
            if bare.startswith(prefix) and len(bare) > len(prefix):
                found.add(bare[len(prefix) :].partition("/")[0] + "/")
        return sorted(found)

    def ending_in(self, ending: str, most: int) -> list[str] | None:
        """Return the files whose name ends like this, in lower case; None where more than `most`
        do.
        """
        found = [path for path in self.files if path.lower().endswith(ending)]
        return found if len(found) <= most else None

    def has_word(self, word: str) -> bool:
        """Return whether a word in lower case is one of some file's or folder's name."""

        def found() -> bool:
            return has_word("\0".join((*self.files, *self._bare_folders)), word)

        return remembered(self._words, word, found)

    # The first question of a process pays for all that is built here: one pass over the paths,
    # and no table of 50,000 names, which takes longer than searching them for one.

    @cached_property
    def _split(self) -> tuple[list[str], set[str]]:
        """The name of each file in lower case, in their order, and the folders they lie in."""
        names, holders, last = [], set(), None
        for holder, _, name in map(str.rpartition, self.files, repeat("/")):
            names.append(name.lower())
            if holder != last:  # files of one folder mostly follow one another
                holders.add(holder)
                last = holder
        holders.discard("")
        return names, holders

    @cached_property
    def _files(self) -> Row:
        return Row(self.files, self._split[0])

    @cached_property
    def _folders(self) -> Row:
        paths = sorted(self.folders)
        return Row(paths, [path.rpartition("/")[2].lower() for path in paths])

    def _ranked(self, wanted: str) -> list[tuple[str, float]]:
        return rank(wanted, self._files.alike(wanted) | self._folders.alike(wanted))


def rank(wanted: str, pool: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return names that look like a folded one, by their letters or words, with their likeness.

    Args:
        wanted: The folded name; it is not among what is returned.
        pool: Names, with their ratio (0 to 100) by letters.
    """
    likest = sorted(pool.items(), key=itemgetter(1), reverse=True)[:SIMILAR_POOL]
    words = _sorted_words(wanted)
    ranked = [
        (each, max(score, 0.98 * ratio(words, _sorted_words(each))))
        for each, score in likest
        if each != wanted
    ]
    ranked.sort(key=lambda pair: (-pair[1], pair[0]))
    return [(each, score / 100) for each, score in ranked]


def remembered(known: dict[str, Answer], key: str, find: Callable[[], Answer]) -> Answer:
    """Return an answer out of those that are known, or find it and add it to them.

    They are forgotten when there are many: a process that runs for months asks for ever more.
    """
    answer = known.get(key)
    if answer is None:
        answer = find()
        if len(known) >= _REMEMBERED:
            known.clear()
        known[key] = answer
    return answer


class Row:
    """Paths, and beside them their last names, folded; found by looking through the row."""

    def __init__(self, paths: Sequence[str], lowered: list[str]) -> None:
        """Take paths, and in the same order their names in lower case."""
        self._paths, self._names = paths, lowered
        self._text = "\0".join(lowered)
        if not self._text.isascii():
            self._names = [
                name if name.isascii() else fold(path.rpartition("/")[2])
                for name, path in zip(lowered, paths, strict=True)
            ]
            self._text = "\0".join(self._names)
        # One path is often sought in several places by one name.
        self._found: dict[str, list[str]] = {}
        self._stemmed: dict[str, list[str]] = {}
        self._scans = 0

    def named(self, folded: str) -> list[str]:
        """Return the paths whose folded name is this one."""

        def found() -> list[str]:
            return [self._paths[place] for place in _places(self._names, folded)]

        return remembered(self._found, folded, found)

    def stemmed(self, key: str) -> list[str]:
        """Return the paths whose name has this stem."""
        return remembered(self._stemmed, key, lambda: self._with_stem(key))

    def _with_stem(self, key: str) -> list[str]:
        if "\0" in key:
            return []
        names = {self._names[place] for after in ".\0" for place in self._stems_at(key + after)}
        alike = sorted(name for name in names if stem_key(name) == key)
        return [path for name in alike for path in self.named(name)]

    def _stems_at(self, beginning: str) -> Iterator[int]:
        """Yield the places of the names that, without separators, begin like this."""
        wanted, place, counted = f"\0{beginning}", 0, 0
        at = self._stems.find(wanted)
        while at >= 0:
            place += self._stems.count("\0", counted, at)
            yield place
            counted = at
            at = self._stems.find(wanted, at + 1)

    @cached_property
    def _stems(self) -> str:
        """All names without their separators, in their order."""
        return f"\0{self._text.translate(_WITHOUT_SEPARATORS)}\0" if self._names else ""

    def alike(self, wanted: str) -> dict[str, float]:
        """Return the names likest to a folded one by their letters, with their ratio, best first.

        At least so many as are ranked a second time, if there are; each once.
        """
        self._scans += 1
        if self._scans > 1:
            return ratios(scanned(wanted, self._distinct, SIMILAR_POOL))
        # To tell names apart takes longer than to look at some twice, once.
        room = SIMILAR_POOL * 10 + len(self.named(wanted))
        found = scanned(wanted, self._names, room)
        if len(found) == room and len(ratios(found)) < SIMILAR_POOL:
            return ratios(scanned(wanted, self._distinct, SIMILAR_POOL))
        self._keep(found, complete=len(found) < room)
        return ratios(found)

    @cached_property
    def _distinct(self) -> list[str]:
        return list(dict.fromkeys(self._names))

    def _keep(self, alike: Sequence[Scored], *, complete: bool) -> None:
        """Remember the positions of the names that were found: they are asked for next."""
        # The last name may be in more folders than there was room for.
        last = None if complete or not alike else alike[-1][1]
        found: dict[str, list[int]] = {}
        for name, score, place in alike:
            if score != last:
                found.setdefault(name, []).append(place)
        for name, places in found.items():
            self._found[name] = [self._paths[place] for place in sorted(places)]


def scanned(wanted: str, names: list[str], limit: int) -> list[Scored]:
    """Return the names that look like a folded one, likest first."""
    return alike(wanted, names, floor=_SIMILAR_FLOOR, limit=limit)


def ratios(alike: Iterable[Scored]) -> dict[str, float]:
    """Return the names that were found, with their ratio."""
    return {name: ratio for name, ratio, _ in alike}


def _with_parents(folders: set[str]) -> set[str]:
    """Add to `folders` those above them, but for the root."""
    pending = list(folders)
    while pending:
        folder = pending.pop()
        cut = folder.rfind("/")
        if cut > 0 and folder[:cut] not in folders:
            folders.add(folder[:cut])
            pending.append(folder[:cut])
    folders.discard("")
    return folders


def has_word(text: str, word: str) -> bool:
    """Return whether a text has a word in lower case, however it is written."""
    return any(_holds(text, form) for form in (word, word.capitalize(), word.upper()))


def _holds(text: str, word: str) -> bool:
    """Return whether `text` has `word` by itself, or as one of a name like `aName`."""
    capital, small = word[0].isupper(), word[-1].islower()
    at = text.find(word)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(word) : at + len(word) + 1]
        begins = not before.isalpha() or (capital and (small or before.islower()))
        ends = not after.isalpha() or (small and after.isupper())
        if begins and ends:
            return True
        at = text.find(word, at + 1)
    return False


def _places(names: list[str], wanted: str) -> list[int]:
    """Return the position of a name in a list."""
    found: list[int] = []
    with suppress(ValueError):
        while True:
            found.append(names.index(wanted, found[-1] + 1 if found else 0))
    return found


SEPARATORS = "-_ "
"""What may part the words of a name, and tells nothing."""

_WITHOUT_SEPARATORS = str.maketrans("", "", SEPARATORS)


def split_extension(name: str) -> tuple[str, str]:
    """Split `name` at its last dot; a leading dot belongs to the stem."""
    stem, dot, extension = name.rpartition(".")
    return (stem, extension) if dot and stem else (name, "")


def stem_key(name: str) -> str:
    """Return what is left of a folded name without its extension and separators."""
    return split_extension(name)[0].translate(_WITHOUT_SEPARATORS)


def name_words(name: str) -> list[str]:
    """Split a folded name into its words at separators and dots."""
    return name.replace("-", " ").replace("_", " ").replace(".", " ").split()


def _sorted_words(name: str) -> str:
    return " ".join(sorted(name_words(name)))
