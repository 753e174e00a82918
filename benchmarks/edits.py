"""Measure what the text of an edit adds to its path, in real repositories.

    python benchmarks/edits.py REPO... [--cases N] [--verbose]

Of each clone, as many files that stand at HEAD as were deleted for good are told with one
mechanical mistake (benchmarks/frames.py), such that the path was never there; and as many again by
a name that nothing bears, which stands for a new file that is made after one that is there. The
call replaces some lines of the file. The same is asked without the lines. A file that stands is
right if the edit goes to it; for one that was deleted, and for a new one, every edit is wrong.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from statistics import median
from tempfile import TemporaryDirectory

from frames import HOME, places
from mistakes import ever_there, mistakes

from truepath.evaluation.cases import Case
from truepath.paths import fold
from truepath.project.git import git, zsplit
from truepath.project.history import History
from truepath.resolve.workspace import Workspace
from truepath.types import Contents, Resolution

TIMEOUT_S = 20.0
"""Seconds; what is measured is what is said, not how soon."""

LINES = (1, 2, 3, 5, 8, 13)
"""How many lines an edit replaces: those of recorded edits are mostly of these lengths."""

Asked = tuple[str, Case, str, str]
"""`there`, `gone` or `new`; the mistake; the file that the lines are of; the lines."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repos", nargs="+", metavar="REPO")
    parser.add_argument("--cases", type=int, default=300, help="a repository, at most")
    parser.add_argument("--verbose", action="store_true", help="list the wrong edits")
    options = parser.parse_args()
    counts: dict[str, Counter[str]] = {"by its path": Counter(), "with its text": Counter()}
    took: dict[str, list[float]] = {way: [] for way in counts}
    for repo in options.repos:
        with TemporaryDirectory(prefix="truepath-edits-") as folder:
            for asked in cases(os.path.abspath(repo), folder, options.cases):
                for way, count in counts.items():
                    found, seconds = answer(folder, asked, with_text=way == "with its text")
                    took[way].append(seconds)
                    outcome = f"{asked[0]} {judged(found, asked)}"
                    count[outcome] += 1
                    if options.verbose and outcome.endswith("wrong"):
                        print(f"{way}: {asked[1].written} of {asked[2]} -> {found.path}")
    for way, count in counts.items():
        print(f"{way}, {1000 * median(took[way]):.0f} ms")
        for outcome, number in sorted(count.items()):
            print(f"{number:7} {outcome}")


def cases(repo: str, folder: str, most: int) -> Iterator[Asked]:
    """Check a repository's HEAD out in `folder`, and yield what is asked about it."""
    place = folder + HOME
    words = ("git", "clone", "--quiet", "--shared", repo, place)
    subprocess.run(words, check=True, capture_output=True)
    files = zsplit(git(place, "ls-files", "-z"))
    there, ever = places(files), ever_there(place, "HEAD")
    pattern = Case("", "edits", repo, "", "", None, None, HOME, "edit", "file", "", ())
    left = deleted(place)
    History(place, store=f"{folder}/store").build()
    living = mistakes(pattern, sorted(files), there, ever, right=True)
    dead = mistakes(pattern, sorted(left), there, ever)
    chance = random.Random(repo)
    for kind, drawn in (("there", living), ("gone", dead)):
        texts = ((each, path, content(place, path, left.get(path))) for each, path in drawn)
        held = ((kind, each, path, excerpt(text, chance)) for each, path, text in texts)
        yield from islice((each for each in held if each[3].strip()), most // 3)
    made = beside(pattern, sorted(files), ever.paths, place, chance)
    yield from islice(made, most // 3)


def deleted(place: str) -> dict[str, str]:
    """Return the paths that are gone, and the commit before the one that took each away last."""
    ask = ("log", "--diff-filter=D", "-M", "--format=%H", "--name-only", "-m")
    found: dict[str, str] = {}
    commit = ""
    for line in git(place, *ask, "HEAD", timeout=900).decode("utf-8", "replace").split("\n"):
        if len(line) == 40 and "/" not in line and "." not in line:
            commit = line
        elif line and not os.path.lexists(f"{place}/{line}"):
            found.setdefault(line, f"{commit}^")
    return found


def content(place: str, path: str, commit: str | None) -> bytes:
    """Return what a file holds, or held in a commit."""
    try:
        if commit:
            return git(place, "cat-file", "blob", f"{commit}:{path}")
        with open(f"{place}/{path}", "rb") as file:
            return file.read(1_000_000)
    except Exception:  # noqa: BLE001  # a submodule, a link that leads nowhere
        return b""


def excerpt(data: bytes, chance: random.Random) -> str:
    """Return some lines of a text file; nothing of another."""
    if b"\0" in data:
        return ""
    lines = data.decode("utf-8", "replace").splitlines(keepends=True)
    count = chance.choice(LINES)
    at = chance.randrange(max(1, len(lines) - count + 1))
    return "".join(lines[at : at + count])


def beside(
    pattern: Case, files: list[str], ever: frozenset[str], place: str, chance: random.Random
) -> Iterator[Asked]:
    """Yield new files that are called after two others: `user_test.py` after `user.py`."""
    known = {fold(path) for path in files}
    for path in chance.sample(files, len(files)):
        above, slash, name = path.rpartition("/")
        stem, dot, ending = name.partition(".")
        other = chance.choice(files).rpartition("/")[2].partition(".")[0]
        first, mark, _ = stem.partition("_")
        new = f"{above}{slash}{first if mark else other}{mark}{other if mark else ''}{dot}{ending}"
        text = excerpt(content(place, path, None), chance)
        if stem and fold(new) not in known and new not in ever and text.strip():
            yield "new", replace(pattern, id=path, written=new), path, text


def answer(folder: str, asked: Asked, *, with_text: bool) -> tuple[Resolution, float]:
    """Ask about one edit; also return the seconds that it took."""
    _, case, _, text = asked
    space = Workspace(folder + HOME, timeout_s=TIMEOUT_S, store=f"{folder}/store")
    written = case.written
    if written.startswith(HOME):
        written = folder + written
    said = Contents((text,)) if with_text else None
    began = time.perf_counter()
    found = space.resolve(written, "edit", cwd=case.cwd, kind="file", contents=said)
    return found, time.perf_counter() - began


def judged(found: Resolution, asked: Asked) -> str:
    kind, _, path, _ = asked
    if found.status == "exists":
        return "exists"
    if found.status == "resolved":
        return "right" if kind == "there" and found.path == path else "wrong"
    first = [one.path for one in found.candidates[:1]]
    return "named first" if first == [path] else "refused"


if __name__ == "__main__":
    main()
