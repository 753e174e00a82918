"""Real cases, told again from another place: the mechanical mistakes, in the amount fitting needs.

A wrong working directory, a wrong prefix or a left-out folder does not depend on which file is
meant, so a real file (or a really deleted one) serves. Used for fitting only, never for measuring.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from truepath.evaluation.cases import Case
from truepath.paths import fold

HOME = "/home/marian/projects/webapp"


def retold(case: Case, there: Places, chance: random.Random) -> Iterator[Case]:
    """Yield a rename or a deletion as the agent would write it from inside a folder.

    From one that is still there: nobody stands in a folder that is gone.
    """
    parts = case.written.split("/")
    depth = chance.randrange(1, len(parts)) if len(parts) > 1 else 0
    if depth and "/".join(parts[:depth]) in there.paths:
        yield replace(
            case,
            id=f"{case.id}~cwd",
            set="retold",
            cwd="/".join(parts[:depth]),
            written="/".join(parts[depth:]),
        )


KINDS = (
    *("repeats-cwd", "repeats-cwd", "repeats-cwd", "repeats-cwd", "from-root"),
    *("left-out", "left-out", "left-out", "root", "home", "container"),
    *("case", "case", "typo", "typo"),
)
"""The mistakes, a repeated one as often as it is named: of 60 misses of agents with a wrong
beginning, 35 repeat or add folders, 21 leave some out and 4 name another root."""

FOLDERS = 0.2
"""How many of the paths told from elsewhere are folders: of 350 misses of agents, 79."""

ELSEWHERE = frozenset({"repeats-cwd", "from-root", "root", "home", "container"})
"""The mistakes that leave the path itself whole."""


@dataclass(frozen=True)
class Places:
    """What stands in a project."""

    files: Sequence[str]
    paths: frozenset[str]
    """Files and folders."""
    alike: frozenset[str]
    """The same, but for case and Unicode form."""


def places(files: Sequence[str]) -> Places:
    paths = set(files)
    for name in files:
        folder = name.rpartition("/")[0]
        while folder and folder not in paths:
            paths.add(folder)
            folder = folder.rpartition("/")[0]
    return Places(files, frozenset(paths), frozenset(map(fold, paths)))


def mistaken(
    case: Case, path: str, there: Places, chance: random.Random, *, right: bool
) -> Iterator[Case]:
    """Yield one mechanical mistake about `path`, or about its folder.

    Args:
        case: The case whose project it is about.
        path: A path of the project: one that exists, or one that was deleted.
        there: What stands in the project.
        chance: Where the mistake is drawn from.
        right: Whether `path` exists and so is the right answer. A deleted one that still stands
            in other letters was not deleted but renamed.
    """
    above = path.rpartition("/")[0]
    kind = chance.choice(KINDS) if above else "from-root"
    folder = bool(above) and right and kind in ELSEWHERE and chance.random() < FOLDERS
    meant = above if folder else path
    written, cwd = _told(kind, meant, there, chance, folder=folder)
    literal = f"{cwd}/{written}" if cwd else written
    known = not right and fold(meant) in there.alike
    stands = not cwd or cwd in there.paths
    if (written != meant or cwd) and stands and literal not in there.paths and not known:
        yield replace(
            case,
            id=f"{case.id}~{kind}",
            set="mistaken",
            cause=kind,
            kind="any" if folder else case.kind,
            written=written,
            truth=meant if right else None,
            cwd=cwd,
            root=HOME,
        )


def _told(
    kind: str, path: str, there: Places, chance: random.Random, *, folder: bool
) -> tuple[str, str | None]:
    """Return how `path` is written by mistake, and where the agent stands if that matters."""
    parts = path.split("/")
    depth = chance.randrange(1, len(parts) + folder) if len(parts) + folder > 1 else 0
    if kind == "repeats-cwd":
        return path, "/".join(parts[:depth])
    if kind == "from-root":
        return path, chance.choice(there.files).rpartition("/")[0]
    if kind == "left-out":
        return "/".join(parts[min(depth, len(parts) - 1) :]), None
    if kind == "root":
        return chance.choice((f"webapp/{path}", f"{HOME[1:]}/{path}", f"{HOME[:-1]}/{path}")), None
    if kind == "home":
        user = chance.choice(("mariam", "marain", "user"))
        return f"/home/{user}/projects/webapp/{path}", None
    if kind == "container":
        return chance.choice(("/workspace/", "/app/", "/repo/", "/testbed/")) + path, None
    at = chance.randrange(len(parts))
    parts[at] = (_other_case if kind == "case" else _typo)(parts[at], chance)
    return "/".join(parts), None


def _other_case(name: str, chance: random.Random) -> str:
    return chance.choice((name.lower(), name.title(), name.swapcase(), name.capitalize()))


def _typo(name: str, chance: random.Random) -> str:
    """Drop, double, swap or replace a letter of the stem."""
    stem, dot, extension = name.rpartition(".")
    stem, tail = (stem, dot + extension) if stem else (name, "")
    if len(stem) < 4:
        return name
    at = chance.randrange(1, len(stem) - 1)
    slip = chance.choice(("drop", "double", "swap", "replace"))
    letters = {"drop": "", "double": stem[at] * 2, "swap": stem[at + 1] + stem[at]}
    new = letters.get(slip, chance.choice("aeinorst"))
    return stem[:at] + new + stem[at + (2 if slip == "swap" else 1) :] + tail
