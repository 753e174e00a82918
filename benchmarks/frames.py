"""Real cases, told again from another place: the mechanical mistakes, in the amount fitting needs.

A wrong working directory, a wrong prefix or a left-out folder does not depend on which file is
meant, so a real file (or a really deleted one) serves. Used for fitting only, never for measuring.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from truepath.evaluation.cases import Case

HOME = "/home/marian/projects/webapp"


def retold(case: Case, chance: random.Random) -> Iterator[Case]:
    """Yield a rename or a deletion as the agent would write it from inside a folder."""
    parts = case.written.split("/")
    if len(parts) > 1:
        depth = chance.randrange(1, len(parts))
        yield replace(
            case,
            id=f"{case.id}~cwd",
            set="retold",
            cwd="/".join(parts[:depth]),
            written="/".join(parts[depth:]),
        )


KINDS = (
    *("repeats-cwd", "repeats-cwd", "from-root", "left-out"),
    *("root", "home", "container", "case", "case", "typo", "typo"),
)
"""The mistakes, a repeated one as often as it is named."""


def mistaken(
    case: Case, path: str, names: Sequence[str], chance: random.Random, *, there: bool
) -> Iterator[Case]:
    """Yield one mechanical mistake about `path`.

    Args:
        case: The case whose project it is about.
        path: A path of the project: one that exists, or one that was deleted.
        names: The project's files.
        chance: Where the mistake is drawn from.
        there: Whether `path` exists and so is the right answer.
    """
    parts = path.split("/")
    if len(parts) < 2:
        return
    depth = chance.randrange(1, len(parts))
    kind = chance.choice(KINDS)
    written, cwd = path, None
    if kind == "repeats-cwd":
        cwd = "/".join(parts[:depth])
    elif kind == "from-root":
        cwd = chance.choice(names).rpartition("/")[0]
    elif kind == "left-out":
        written = "/".join(parts[depth:])
    elif kind == "root":
        written = chance.choice((f"webapp/{path}", f"{HOME[1:]}/{path}", f"{HOME[:-1]}/{path}"))
    elif kind == "home":
        written = f"/home/{chance.choice(('mariam', 'marain', 'user'))}/projects/webapp/{path}"
    elif kind == "container":
        written = chance.choice(("/workspace/", "/app/", "/repo/", "/testbed/")) + path
    else:
        at = chance.randrange(len(parts))
        parts[at] = (_other_case if kind == "case" else _typo)(parts[at], chance)
        written = "/".join(parts)
    if (written != path or cwd) and written not in set(names):
        yield replace(
            case,
            id=f"{case.id}~{kind}",
            set="mistaken",
            cause=kind,
            written=written,
            truth=path if there else None,
            cwd=cwd,
            root=HOME,
        )


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
