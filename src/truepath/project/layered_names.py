"""The names of a project out of several lists, each of which knows some of them.

What a project's index holds, and what was made since; a list that turns out to be damaged is left
for one that is made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from truepath.project.index.layout import DamagedError
from truepath.project.names import Source

if TYPE_CHECKING:
    from typing import Literal, Protocol, TypeVar

    Answer = TypeVar("Answer")

    class ProjectNames(Protocol):
        """The names of a project; `names.Names` has what each question means."""

        @property
        def files(self) -> Sequence[str]:
            """All files, sorted."""

        @property
        def folders(self) -> frozenset[str]:
            """Every folder but the root."""

        @property
        def source(self) -> Source:
            """Where the names come from."""

        @property
        def cut_short(self) -> bool:
            """Whether names may be missing."""

        @property
        def untracked(self) -> bool:
            """Whether files that git does not track yet are among them."""

        def __len__(self) -> int:
            """Return how many files there are."""

        def kind(self, path: str) -> Literal["file", "folder"] | None:
            """Return the kind of entry at a path."""

        def has_folder(self, path: str) -> bool:
            """Return whether a path is a folder."""

        def named(self, name: str) -> list[str]:
            """Return the files of a name."""

        def folders_named(self, name: str) -> list[str]:
            """Return the folders of a name."""

        def stemmed(self, name: str) -> list[str]:
            """Return what has the same stem."""

        def similar(self, name: str, *, limit: int = 12) -> list[tuple[str, float]]:
            """Return the names that look alike."""

        def paths_named(self, folded: str) -> list[str]:
            """Return files and folders of a folded name."""

        def children(self, folder: str) -> list[str]:
            """Return the names directly below a folder."""

        def ending_in(self, ending: str, most: int) -> list[str] | None:
            """Return the files whose name ends like this."""

        def has_word(self, word: str) -> bool:
            """Return whether a word is one of some name's."""


_ALL = 1_000
"""As many look-alikes as any list has."""


class LayeredNames:
    """Several lists of names as one."""

    def __init__(
        self,
        layers: Sequence[ProjectNames],
        *,
        cut_short: bool,
        untracked: bool,
        anew: Callable[[], ProjectNames],
    ) -> None:
        """Take the lists; a path may be in more than one.

        Args:
            layers: The lists.
            cut_short: Whether names may be missing.
            untracked: Whether files that git does not track yet are among them.
            anew: Lists all names, where one of the lists is damaged.
        """
        self._layers, self._anew = layers, anew
        self.cut_short, self.untracked = cut_short, untracked
        self.source: Source = layers[0].source

    def __len__(self) -> int:
        """Return how many files there are; one that is in two lists counts twice."""
        return sum(map(len, self._layers))

    @cached_property
    def files(self) -> Sequence[str]:
        """All files, sorted."""
        return sorted(set(chain.from_iterable(self._all(lambda layer: layer.files))))

    @cached_property
    def folders(self) -> frozenset[str]:
        """Every folder that holds a file, at any depth; never the root itself."""
        return frozenset().union(*self._all(lambda layer: layer.folders))

    def kind(self, path: str) -> Literal["file", "folder"] | None:
        """Return the kind of entry at `path`, or None."""
        return next(filter(None, self._all(lambda layer: layer.kind(path))), None)

    def has_folder(self, path: str) -> bool:
        """Return whether `path` is a folder in the project; the root is none."""
        return any(self._all(lambda layer: layer.has_folder(path)))

    def named(self, name: str) -> list[str]:
        """Return the files whose name looks like `name`: case and Unicode form aside."""
        return self._sorted(lambda layer: layer.named(name))

    def folders_named(self, name: str) -> list[str]:
        """Return the folders whose name looks like `name`: case and Unicode form aside."""
        return self._sorted(lambda layer: layer.folders_named(name))

    def stemmed(self, name: str) -> list[str]:
        """Return the files and folders whose name differs in extension or separators alone."""
        return _once(self._all(lambda layer: layer.stemmed(name)))

    def similar(self, name: str, *, limit: int = 12) -> list[tuple[str, float]]:
        """Return (folded name, likeness 0 to 1) of the names that look like `name`, best first."""
        found = set(_once(self._all(lambda layer: layer.similar(name, limit=_ALL))))
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:limit]

    def paths_named(self, folded: str) -> list[str]:
        """Return files and folders whose folded name is `folded`."""
        return _once(self._all(lambda layer: layer.paths_named(folded)))

    def children(self, folder: str) -> list[str]:
        """Return the names directly below `folder`, folders with a trailing `/`, sorted."""
        return self._sorted(lambda layer: layer.children(folder))

    def ending_in(self, ending: str, most: int) -> list[str] | None:
        """Return the files whose name ends like this, in lower case; None where more than `most`
        do.
        """
        found = self._all(lambda layer: layer.ending_in(ending, most))
        whole = [each for each in found if each is not None]
        files = _once(whole)
        return files if len(whole) == len(found) and len(files) <= most else None

    def has_word(self, word: str) -> bool:
        """Return whether a word in lower case is one of some file's or folder's name."""
        return any(self._all(lambda layer: layer.has_word(word)))

    def _sorted(self, asked: Callable[[ProjectNames], list[str]]) -> list[str]:
        found = [names for names in self._all(asked) if names]
        # Each list is sorted; one name of a million files may have tens of thousands of them.
        return found[0] if len(found) == 1 else sorted(_once(found))

    def _all(self, asked: Callable[[ProjectNames], Answer]) -> list[Answer]:
        """Return what each list answers."""
        try:
            return [asked(layer) for layer in self._layers]
        except DamagedError:
            fresh = self._anew()
            self._layers, self.source = (fresh,), fresh.source
            self.cut_short, self.untracked = fresh.cut_short, fresh.untracked
            return [asked(fresh)]


def _once(lists: Iterable[list[Answer]]) -> list[Answer]:
    found = [each for each in lists if each]
    return found[0] if len(found) == 1 else list(dict.fromkeys(chain.from_iterable(found)))
