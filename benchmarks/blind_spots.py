"""Count how many mistakes about a name are read right: one kind after the other.

    python benchmarks/blind_spots.py --trees DIR... [--each 15] [--unseen WEIGHTS] [--verbose]

DIR holds lists of names, one file a project and commit; of each project one is taken. Of each kind
at most `--each` real paths a project are told with the mistake, such that nothing is there, and
asked about by names alone, for a read: corrected rightly, shown rightly, wrong (either way), and
among the first three. With `--unseen`, by weights that have not seen the project.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from unseen_weights import read, use

from truepath.cli.terminal import table
from truepath.evaluation.cases import tree_names
from truepath.resolve.workspace import Workspace
from truepath.types import Resolution

Mistake = Callable[[str, random.Random], str]
"""Tells a path with a mistake; the same path where the mistake does not fit it."""

_WORDS = (
    *("src/source", "test/tests", "doc/docs", "lib/libs", "util/utils", "component/components"),
    *("spec/specs", "script/scripts", "config/conf"),
)
_OTHER = {
    word: other for pair in _WORDS for word, other in (pair.split("/"), pair.split("/")[::-1])
}
_RELATED = {"js": "ts", "ts": "js", "jsx": "tsx", "tsx": "jsx", "md": "mdx", "mjs": "js"}


def number(path: str, _: random.Random) -> str:
    folder, stem, end = _parts(path)
    if len(stem) < 4 or not stem.isascii():
        return path
    return folder + (stem[:-1] if stem[-1] == "s" else f"{stem}s") + end


def separators(path: str, _: random.Random) -> str:
    folder, stem, end = _parts(path)
    if "-" in stem or "_" in stem:
        return folder + stem.translate(str.maketrans("-_", "_-")) + end
    return folder + re.sub(r"(?<=[a-z])(?=[A-Z])", "-", stem).lower() + end


def extension(path: str, _: random.Random) -> str:
    head, dot, end = path.rpartition(".")
    return f"{head}.{_RELATED[end]}" if dot and end in _RELATED else path


def same_format(path: str, _: random.Random) -> str:
    if path.endswith((".yml", ".yaml")):
        return path[:-4] + ".yaml" if path.endswith(".yml") else path[:-5] + ".yml"
    return path


def no_extension(path: str, _: random.Random) -> str:
    folder, stem, end = _parts(path)
    return folder + stem if end and stem not in ("__init__", "index") else path


def leading(path: str, chance: random.Random) -> str:
    parts = path.split("/")
    return "/".join(parts[chance.randrange(1, len(parts) - 1) :]) if len(parts) > 2 else path


def folder_added(path: str, chance: random.Random) -> str:
    parts = path.split("/")
    at = chance.randrange(1, len(parts)) if len(parts) > 1 else 0
    return "/".join([*parts[:at], chance.choice(("src", "source")), *parts[at:]]) if at else path


def folder_word(path: str, _: random.Random) -> str:
    parts = path.split("/")
    at = next((at for at, part in enumerate(parts[:-1]) if part in _OTHER), None)
    if at is None:
        return path
    return "/".join([*parts[:at], _OTHER[parts[at]], *parts[at + 1 :]])


def folder_separators(path: str, _: random.Random) -> str:
    folder, slash, name = path.rpartition("/")
    return folder.translate(str.maketrans("-_", "_-")) + slash + name


def package(path: str, _: random.Random) -> str:
    match = re.fullmatch(r"(.+)/(?:index|__init__|mod)(\.\w+)", path)
    return match[1] + match[2] if match else path


def bracketed(path: str, _: random.Random) -> str:
    return re.sub(r"\[(\w+)\]", r"\1", path)


MISTAKES: Mapping[str, Mistake] = {
    "file name in another number": number,
    "other separators": separators,
    "other extension": extension,
    "yml for yaml": same_format,
    "no extension": no_extension,
    "leading folders left out": leading,
    "src or source put in": folder_added,
    "folder in another word": folder_word,
    "folder with other separators": folder_separators,
    "x.ts for x/index.ts": package,
    "[id] without brackets": bracketed,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trees", required=True, nargs="+", type=Path)
    parser.add_argument("--each", type=int, default=15, help="paths of a kind and project")
    parser.add_argument("--unseen", type=Path, help="weights that fit.py --unseen wrote")
    parser.add_argument("--verbose", action="store_true", help="list what is read wrongly")
    options = parser.parse_args()
    unseen = read(options.unseen) if options.unseen else ()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    chosen = _projects(options.trees)
    for repo, file in chosen.items():
        if unseen:
            use(unseen, repo)
        names = tree_names(str(file.parent), file.name)
        for kind, answer, line in _answers(names, options.each):
            counts[kind].update(answer)
            if options.verbose and "wrong" in answer:
                print(f"{kind}: {repo}: {line}")
    print(f"{len(chosen)} projects\n")
    head = ("mistake", "paths", "corrected", "shown", "right", "wrong", "first 3")
    print(table(head, [_row(kind, counts[kind]) for kind in MISTAKES]))


def _projects(folders: Sequence[Path]) -> Mapping[str, Path]:
    """Return one list of names of each project."""
    files = sorted(file for folder in folders for file in folder.iterdir())
    return {file.name.partition("@")[0].replace("+", "/", 1): file for file in files}


def _answers(names: Sequence[str], each: int) -> list[tuple[str, list[str], str]]:
    space, there, found = Workspace.from_names(names), {*names}, []
    folders = {folder for name in names for folder in _above(name)}
    for kind, mistake in MISTAKES.items():
        chance, left = random.Random(kind), each
        for path in chance.sample(list(names), len(names)):
            written = mistake(path, chance)
            if written != path and written not in there and written not in folders:
                told = space.resolve(written)
                found.append((kind, _judged(path, told), f"{written} -> {told.path}"))
                left -= 1
            if not left:
                break
    return found


def _judged(meant: str, told: Resolution) -> list[str]:
    said = {"resolved": "corrected", "likely": "shown"}.get(told.status)
    first = [one.path for one in told.candidates[:3]]
    result = ["paths", *(["first 3"] if meant in first else [])]
    if said is None:
        return result
    return [*result, said, "right"] if told.path == meant else [*result, "wrong"]


def _row(kind: str, count: Counter[str]) -> Sequence[str]:
    columns = ("paths", "corrected", "shown", "right", "wrong", "first 3")
    return (kind, *(f"{count[each]:,}" for each in columns))


def _parts(path: str) -> tuple[str, str, str]:
    """Return the folder with its slash, the stem and the extension with its dot."""
    folder, slash, name = path.rpartition("/")
    stem, dot, end = name.rpartition(".")
    return folder + slash, *((stem, dot + end) if stem else (name, ""))


def _above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:at]) for at in range(1, len(parts))]


if __name__ == "__main__":
    main()
