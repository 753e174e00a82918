"""Where a written path can point: each reading of it, from each place it may be relative to.

Pure: it knows the root and the working directory as text, and asks no disk.
"""

from __future__ import annotations

from itertools import islice

from truepath.paths import Flavour, fold, is_absolute, join, key, normalise, relative_to
from truepath.records import dataclass
from truepath.resolve.homes import home_of
from truepath.resolve.prefixes import CONTAINER_ROOTS, MOUNTS, place
from truepath.resolve.readings import spellings
from truepath.resolve.typos import edits, slipped, typo
from truepath.resolve.words import is_word

_WORK_TREES = ("worktrees", ".worktrees")

MAX_FOLDERS = 200
"""Nobody means a path of more folders, so nothing is supposed of it: that takes time."""

_MOST = 8
"""Places of one kind at most: a folder repeated without end must not cost without end."""


@dataclass(frozen=True, slots=True)
class Target:
    """One place a written path may point to."""

    path: str
    """Relative to the root."""
    evidence: tuple[str, ...]
    """What had to be assumed to get here; empty for the path as written."""
    plain: bool = False
    """Whether only decorations around the path were undone: nothing of where it begins."""
    read_as: str = ""
    """The absolute path that was read, where that lies outside the root; else empty."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What a written path is relative to."""

    root: str
    cwd: str
    """Absolute; the root itself unless the agent is elsewhere."""
    flavour: Flavour
    home: str | None = None


@dataclass(frozen=True, slots=True)
class PathQuery:
    """What a written path says, once read against a frame."""

    absolute: str
    """The path as written, made absolute."""
    inside: str | None
    """The same relative to the root, or None when it lies outside."""
    targets: tuple[Target, ...]
    """Inside the root, most literal first; the first is `inside` when there is one."""
    folder: bool
    """Whether it was written with a trailing slash."""
    bare: bool
    """Whether it was written as a name alone."""
    outside: bool = False
    """Whether it points outside the root, as written or with its decorations undone."""

    @property
    def target(self) -> str:
        """Where it points: relative to the root where inside it, else absolute."""
        return self.absolute if self.inside is None else self.inside


def interpret(written: str, frame: Frame) -> PathQuery:
    """Read `written` against `frame` in every way that makes sense."""
    flavour = frame.flavour
    found: dict[str, Target] = {}
    readings = spellings(written, flavour=flavour, home=frame.home)
    outside = {reading.text: _outside(reading.text, frame) for reading in readings}
    # Every reading where it literally points comes before any other place: quotes around a path
    # are seen, that it lost its first folder is supposed.
    for places in (_literal, _inferred):
        for reading in readings:
            undone = _evidence(reading.undone)
            plain = places is _literal and bool(undone)
            for path, assumed in places(reading.text, frame):
                target = Target(path, (*undone, *assumed), plain, outside[reading.text])
                found.setdefault(path, target)
    bare = readings[-1].text if readings[-1].text.strip() else written
    absolute = join(frame.cwd, written, flavour)
    return PathQuery(
        absolute=absolute,
        inside=relative_to(absolute, frame.root, flavour),
        targets=tuple(found.values()),
        folder=any(reading.text.endswith("/") for reading in readings),
        bare="/" not in normalise(bare, flavour) and not is_absolute(written, flavour),
        outside=any(outside.values()),
    )


def _outside(text: str, frame: Frame) -> str:
    """Return the absolute path that `text` names, where that lies outside the root; else ""."""
    absolute = join(frame.cwd, text, frame.flavour)
    inside = relative_to(absolute, frame.root, frame.flavour)
    return absolute if inside is None else ""


_GUESSES = frozenset("diff_prefix revision symbol punctuation cjk_spaces at_sign".split())
"""Readings that may change the meaning: `a/README.md` can be a diff's name, or a folder `a`."""


def _evidence(undone: tuple[str, ...]) -> tuple[str, ...]:
    """Return the evidence names of undone decorations."""
    names = [name.replace("_", "-") for name in undone]
    return (*names, "guessed-spelling") if _GUESSES.intersection(undone) else tuple(names)


def _literal(text: str, frame: Frame) -> list[tuple[str, tuple[str, ...]]]:
    """Return where `text` points unchanged, if that is inside the root."""
    path = relative_to(join(frame.cwd, text, frame.flavour), frame.root, frame.flavour)
    return [] if path is None else [(path, ())]


def _inferred(text: str, frame: Frame) -> list[tuple[str, tuple[str, ...]]]:
    """Return the other places that `text` may mean, with what each supposes."""
    flavour = frame.flavour
    literal = relative_to(join(frame.cwd, text, flavour), frame.root, flavour)
    clean = normalise(text, flavour)
    if not clean or clean.count("/") > MAX_FOLDERS:
        return []
    if is_absolute(text, flavour):
        if literal is None:
            return _foreign(clean, frame)
        return _through_root(literal, frame) + _collapsed(literal) + _from_removed_worktree(literal)
    cwd = relative_to(frame.cwd, frame.root, flavour)
    if cwd is None:
        return []  # it is relative to a folder of something else
    if clean.partition("/")[0] == "..":
        return _climbed(clean, frame) + (_collapsed(literal) if literal else [])
    doubled = (
        _collapsed(clean) if literal in (None, clean) else _collapsed(literal) + _collapsed(clean)
    )
    places: list[tuple[str, tuple[str, ...]]] = []
    if literal != clean:
        places.append((clean, ("repeats-cwd" if _overlaps(cwd, clean) else "from-root",)))
    return places + _through_root(clean, frame) + doubled + _from_removed_worktree(clean)


def _through_root(path: str, frame: Frame) -> list[tuple[str, tuple[str, ...]]]:
    """Return where a path leads that names the root, or its last folder, once more."""
    places: list[tuple[str, tuple[str, ...]]] = []
    if frame.flavour != "windows":
        slashed = relative_to("/" + path, frame.root, frame.flavour)
        if slashed is not None:
            places.append((slashed, ("lost-slash",)))
        elif slipped := _prefix_slip(path.split("/"), frame.root.strip("/").split("/")):
            rest = "/".join(path.split("/")[frame.root.count("/") :])
            places.append((rest, ("lost-slash", slipped)))
    head, _, rest = path.partition("/")
    if rest and fold(head) == fold(_name(frame.root)):
        places.append((rest, ("root-name",)))
    return places


def _from_removed_worktree(path: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return where a path leads that goes through a work tree below the project.

    Agent programs make them in a folder `worktrees`, and remove them; whether this one is gone,
    the disk knows.
    """
    parts = path.split("/")
    at = next((at for at, part in enumerate(parts) if part in _WORK_TREES), len(parts))
    rest = parts[at + 2 :]
    return [("/".join(rest), ("from-checkout",))] if rest else []


def _climbed(path: str, frame: Frame) -> list[tuple[str, tuple[str, ...]]]:
    """Return where a path that begins with `..` points when it climbs as high as it names.

    One `..` too few or too many is soon written: `../crates/index` from `crates/search/src`
    begins with a folder that the agent is in, and means that one.
    """
    flavour = frame.flavour
    cwd = relative_to(frame.cwd, frame.root, flavour) or ""
    above = cwd.split("/")
    down = [part for part in path.split("/") if part != ".."]
    return [
        ("/".join([*above[:at], *down]), ("repeats-cwd",))
        for at, name in enumerate(above)
        if down and key(name, flavour) == key(down[0], flavour)
    ]


def _collapsed(path: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return `path` with folders that it repeats in a row named once.

    With `doubled-last` that is the folder that the written path lies in: `src` for `src/src`.
    """
    parts = path.split("/")
    found = (
        (
            "/".join(parts[:at] + parts[at + length :]),
            ("doubled",) if at + 2 * length < len(parts) else ("doubled", "doubled-last"),
        )
        for length in range(1, len(parts) // 2 + 1)
        for at in range(len(parts) - 2 * length + 1)
        if parts[at : at + length] == parts[at + length : at + 2 * length]
    )
    return list(islice(found, _MOST))


def _overlaps(cwd: str | None, path: str) -> bool:
    """Return whether `path` begins with the last folders of `cwd`."""
    if not cwd:
        return False
    parts, wanted = cwd.split("/"), path.split("/")
    return any(parts[at:] == wanted[: len(parts) - at] for at in range(len(parts)))


def _foreign(path: str, frame: Frame) -> list[tuple[str, tuple[str, ...]]]:
    """Map an absolute path that lies outside the root to the places inside that it may mean."""
    parts = path.strip("/").split("/")
    root = frame.root.strip("/").split("/")
    places: list[tuple[str, tuple[str, ...]]] = []
    slip = _prefix_slip(parts, root)
    if slip:
        places.append(("/".join(parts[len(root) :]), (slip,)))
    top = place(path)
    if not top:
        return places
    own, start = fold(root[-1]), _depth(home_of(path))
    named = (at for at in range(start, len(parts) - 1) if fold(parts[at]) == own)
    places += [("/".join(parts[at + 1 :]), ("root-name-elsewhere",)) for at in islice(named, _MOST)]
    places += [
        (path[len(prefix) + 1 :], ("container-root",))
        for prefix in CONTAINER_ROOTS
        if path.startswith(prefix + "/")
    ]
    places += _elsewhere(parts, root, _depth(top))
    rooted = path.startswith("/") and not home_of(path) and not path.startswith(MOUNTS)
    if rooted and (len(parts) > 1 or "." in parts[0][1:]):
        places.append(("/".join(parts), ("rooted-at-project",)))
    return places


def _elsewhere(parts: list[str], root: list[str], start: int) -> list[tuple[str, tuple[str, ...]]]:
    """Return the ends of a path below a folder of another machine, or of another home.

    Three segments in common are hardly chance; of two, such as `src/index.ts`, half of all
    projects have some.
    """
    if parts[:start] == root[:start]:
        return []
    ends = ["/".join(parts[at:]) for at in range(start, len(parts) - 2)]
    return [(end, ("other-home",)) for end in ends[:_MOST]]


def _depth(folder: str) -> int:
    """Return how many folders an absolute path names."""
    return len([part for part in folder.split("/") if part])


def _prefix_slip(parts: list[str], root: list[str]) -> str | None:
    """Name the slip when `parts` begins with the root but for one folder that is nearly right."""
    if len(parts) <= len(root) or len(root) < 2:
        return None
    wrong = [at for at, part in enumerate(root) if parts[at] != part]
    if len(wrong) != 1:
        return None
    at = wrong[0]
    if at > 0 and fold(root[at - 1]) in ("home", "users"):
        return "home-slip"
    # The folders around it match, so one letter is enough: a short word may be misspelt as well.
    near = edits(fold(parts[at]), fold(root[at])) == 1 or slipped(parts[at], root[at])
    return "root-slip" if near and typo(parts[at], root[at], is_word) == "misspelt" else None


def _name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]
