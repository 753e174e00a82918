"""Where a path points that is written as an import: `@/db` of TypeScript, `shop.cart` of Python.

What `@/` means, `tsconfig.json` and `jsconfig.json` say in `paths` and `baseUrl`; they may extend
one another. Pure text: whoever asks brings what reads a file of the project.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truepath.paths import normalise
from truepath.records import dataclass
from truepath.resolve.anchors import Target

if TYPE_CHECKING:
    from truepath.project.layered_names import ProjectNames

LARGEST = 64_000
"""Bytes of a configuration that is read. Those of large projects have a twentieth of it."""

_MOST = 8
"""Configurations that are read, nearest to the agent's folder first."""

_DEEPEST = 4
"""How many configurations one may extend, one after the other."""

_CONFIGURATIONS = ("tsconfig.json", "jsconfig.json")

Read = Callable[[str, int], str]
"""Reads a file of the project, of at most so many bytes; "" where it cannot be read."""


@dataclass(frozen=True, slots=True)
class _Alias:
    """A pattern of what is imported, with one `*` at most, and the places that it means."""

    pattern: str
    places: Sequence[str]
    """Relative to the root, with a `*` for what the pattern's stands for."""


def imported(written: str, folder: str, names: ProjectNames, read: Read) -> list[Target]:
    """Return the places inside the project that a path means as an import.

    Args:
        written: The path as written.
        folder: The agent's, relative to the root; the nearest configuration is read first.
        names: The names of the project.
        read: Reads a file.
    """
    found = _of_module(written, names)
    # `@/x`, `@ui`, `components/x`; a plain name may be any folder's.
    if not written.startswith(("/", ".")) and ("/" in written or not written[0].isalnum()):
        found = _through_aliases(written, folder, names, read)
    return [Target(place, ("imported",)) for place in dict.fromkeys(found)]


_MODULE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")
"""A dotted name of Python. `README.md` is one too: it counts where such a module is there."""


def _of_module(written: str, names: ProjectNames) -> Iterator[str]:
    """Yield the files of a dotted module, `a/b.py` or `a/b/__init__.py`, that are there or below
    folders that were left out.
    """
    if not _MODULE.fullmatch(written):
        return
    path = written.replace(".", "/")
    for place in (f"{path}.py", f"{path}/__init__.py"):
        name = place.rpartition("/")[2]
        if any(f"/{each}".endswith(f"/{place}") for each in names.named(name)):
            yield place


def _through_aliases(written: str, folder: str, names: ProjectNames, read: Read) -> Iterator[str]:
    for configuration in _configurations(folder, names):
        for alias in _aliases(configuration, read):
            tail = _matched(alias.pattern, written)
            places = () if tail is None else (each.replace("*", tail) for each in alias.places)
            yield from filter(None, map(_inside, places))


def _configurations(folder: str, names: ProjectNames) -> Sequence[str]:
    """Return the project's configurations, those above the agent's folder first."""
    every = [path for name in _CONFIGURATIONS for path in names.named(name)]

    def distance(path: str) -> tuple[bool, int, str]:
        holder = path.rpartition("/")[0]
        above = f"{folder}/".startswith(f"{holder}/") if holder else True
        return (not above, -len(holder) if above else len(holder), path)

    return sorted(every, key=distance)[:_MOST]


def _aliases(configuration: str, read: Read) -> Iterator[_Alias]:
    """Yield the aliases of a configuration, its own or those that it inherits."""
    base: tuple[str, str] | None = None
    paths: tuple[str, Mapping[str, Any]] | None = None
    for place, options in _inherited(configuration, read):
        folder = place.rpartition("/")[0]
        if base is None and isinstance(options.get("baseUrl"), str):
            base = folder, options["baseUrl"]
        if paths is None and isinstance(options.get("paths"), dict):
            paths = folder, options["paths"]
    top = "" if base is None else "/".join(filter(None, base))
    if paths is not None:
        holder, table = paths
        for pattern, places in table.items():
            texts = [each for each in places if isinstance(each, str)] if _is_list(places) else []
            yield _Alias(pattern, [f"{top or holder or '.'}/{each}" for each in texts])
    if base is not None:
        yield _Alias("*", [f"{top}/*"])


def _inherited(configuration: str, read: Read) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the compiler's options of a configuration and of those that it extends, with paths."""
    place: str | None = configuration
    for _ in range(_DEEPEST):
        data = _parsed(read(place, LARGEST)) if place else None
        if place is None or not isinstance(data, dict):
            return
        options = data.get("compilerOptions")
        yield place, options if isinstance(options, dict) else {}
        place = _extended(place, data.get("extends"))


def _extended(place: str, other: object) -> str | None:
    """Return the configuration of the project that one extends; a package's is not read."""
    if not isinstance(other, str) or not other.startswith("."):
        return None
    name = other if other.endswith(".json") else f"{other}.json"
    return _inside(f"{place.rpartition('/')[0] or '.'}/{name}")


_PARTS = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|//[^\n]*|/\*.*?(?:\*/|\Z)|,(?=\s*[}\]])', re.DOTALL)
"""Strings, which stay; comments, and commas before a closing bracket, which go."""


def _parsed(text: str) -> object:
    """Return what a text holds as JSON with comments; None where it is none."""
    for _ in range(2):  # a comment may be between a comma and the bracket
        text = _PARTS.sub(lambda part: part[0] if part[0][0] == '"' else "", text)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _matched(pattern: str, written: str) -> str | None:
    """Return what the `*` of a pattern stands for in what was written; None where they differ."""
    head, star, tail = pattern.partition("*")
    if not star:
        return "" if written == pattern else None
    fits = written.startswith(head) and written.endswith(tail)
    long_enough = len(written) > len(head) + len(tail)
    return written[len(head) : len(written) - len(tail)] if fits and long_enough else None


def _inside(path: str) -> str | None:
    """Return a path relative to the root; None where it leads out or is absolute."""
    if path.startswith("/") or "\0" in path:
        return None
    place = normalise(path, "posix")
    return None if place in ("", ".") or place.partition("/")[0] == ".." else place
