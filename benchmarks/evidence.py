"""All that the rows of the tables are weighed by: calls with what must come of them.

A group is a project and the calls that are asked in it, an ask one call and its grade:
what came of it, from the worst (another file was changed) to the best. The sets:

- `recorded`: paths that agents got wrong, as they were, and as what changes;
- `worked`: calls that worked;
- `links`, `renames`, `deletions`: git's, by names alone;
- `histories`: paths that a commit took away, in a repository with these commits;
  `held-histories`: the same of repositories that no row is chosen by;
- `slips`: files as hands misspell them; `held-out`: files taken away from a project;
- `reports`, `sessions`, `attacks`, `documented`, `commits`: scenes of `scenes.py`;
- `outputs`: what programs print, as it stands below the rows that read it, and calls
  that end well on what is nowhere."""

from __future__ import annotations

import os
import random
import shlex
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, product
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

import histories
import scenes
from cases import TOOLS, Case, call, each_path, folder, load, tree_names, workspace

from truepath import Guard, Settings, Workspace
from truepath.calls import error_texts
from truepath.guard.reading import Caller
from truepath.project import git
from truepath.resolve.likelihood import split_extension
from truepath.types import Decision, Outcome, ToolCall

SOURCES = {
    "recorded": "recorded session",
    "worked": "recorded session",
    "links": "real history",
    "renames": "real history",
    "deletions": "real history",
    "histories": "real history",
    "held-histories": "real history",
    "slips": "attack",
    "held-out": "attack",
    "attacks": "attack",
    "reports": "public report",
    "sessions": "recorded session",
    "documented": "specification",
    "commits": "real history",
    "outputs": "program's output",
}
"""Set -> where its cases come from."""

Space: TypeAlias = "Workspace | None"

CHANGED_WRONG = 0
LOOKED_WRONG = 1
SHOWN_WRONG = 2
NAMED_OTHERS = 3
NAMED_LATER = 4
NAMED_FIRST = 5
SHOWN_RIGHT = 6
CORRECTED_RIGHT = 7
HOLDS = 7
"""Grades, the worst first: a false "no such file" counts as other files' names."""

CHANGES: Mapping[str, str] = {
    "edit": "",
    "move": "mv {} /tmp/kept",
    "execute": "sh {}",
    "delete": "rm {}",
}
"""What changes or runs a file: a command, or nothing for a tool."""

_POLICIES = ("careful", "recover")


@dataclass(frozen=True, slots=True)
class Ask:
    """A call and its grade."""

    case: str
    """What it is asked about: several calls may be one case."""
    set: str
    call: ToolCall
    grade: Callable[[Decision], int]
    policy: Any = "careful"
    before: Sequence[ToolCall] = ()
    """Calls of the same session that come first."""
    error: str = ""
    """What the call failed with, if it is asked about after it ran."""
    looks: bool = False
    """Whether it only reads, lists or searches."""
    caller: Caller | None = None
    """As `scenes.Asked.caller`."""
    space: Workspace | None = None
    """Its own project, where it is not that of the group."""


@dataclass(frozen=True, slots=True)
class Group:
    """A project, and what is asked in it."""

    id: str
    set: str
    open: Callable[[], AbstractContextManager[Workspace | None]]
    asks: Callable[[Any], Iterator[Ask]]


def decide(space: Workspace | None, ask: Ask) -> Decision:
    """Return what is decided about a call, in a session of its own."""
    settings = Settings(store="memory", journal=False)
    space = ask.space or space
    guard = Guard(
        workspace=space, settings=settings, policy=ask.policy, caller=ask.caller
    )
    for earlier in ask.before:
        guard.before(earlier)
    decision = guard.before(ask.call)
    if ask.error:
        decision = guard.after(ask.call, Outcome(error=ask.error))
    return decision


def graded(decision: Decision, *, truth: str | None, changes: bool) -> int:
    """Return the grade of what was decided about a path that means `truth`, relative to
    the root; None or empty if its file is nowhere.
    """
    amiss = [each for each in decision.resolutions if each.status != "exists"]
    told = next(iter(amiss or decision.resolutions), None)
    paths = [each.path.rstrip("/") for each in told.candidates] if told else []
    right = (truth or "").rstrip("/")
    if decision.action == "rewrite" and told:
        led = (told.path or (paths or [""])[0]).rstrip("/")
        is_right = bool(right) and led == right
        return _led(is_right, is_shown=told.permits == "assumed", changes=changes)
    if not right:
        return HOLDS  # what is named beside "no such file" does no harm
    if right not in paths[:3]:
        return NAMED_OTHERS
    return NAMED_FIRST if paths[0] == right else NAMED_LATER


def _led(is_right: bool, *, is_shown: bool, changes: bool) -> int:
    """Return the grade of a call that runs with another path."""
    if is_right:
        return SHOWN_RIGHT if is_shown else CORRECTED_RIGHT
    if changes:
        return CHANGED_WRONG
    return SHOWN_WRONG if is_shown else LOOKED_WRONG


def doubted(decision: Decision, *, changes: bool) -> int:
    """Return the grade where no one knows what is meant: nothing may be changed."""
    return CHANGED_WRONG if changes and decision.action == "rewrite" else HOLDS


def untouched(decision: Decision) -> int:
    """Return the grade of a call that works: nothing may be said or done."""
    if decision.action == "allow" and not decision.text:
        return HOLDS
    return CHANGED_WRONG if decision.action == "rewrite" else LOOKED_WRONG


def held(decision: Decision, *, asked: scenes.Asked) -> int:
    """Return the grade of a call of a scene."""
    if asked.holds(decision):
        return HOLDS
    return CHANGED_WRONG if decision.action == "rewrite" else NAMED_OTHERS


def groups(names: Sequence[str]) -> Iterator[Group]:
    """Yield the groups of some sets."""
    for name in names:
        yield from _GROUPS[name](name)


def _of_cases(name: str) -> Iterator[Group]:
    files = {"recorded": ("first", "second"), "worked": ("successes",)}
    for file in files.get(name, (name,)):
        some = [case for case in load(file) if case.tree]
        for tree, alike in groupby(some, key=lambda case: case.tree):
            cases = [*alike]
            yield Group(
                tree, name, partial(nullcontext, None), partial(_asks_of, name, cases)
            )


def _asks_of(name: str, cases: Sequence[Case], _: Any) -> Iterator[Ask]:
    for case in cases:
        space = workspace(case)
        if name == "worked":
            for one in each_path(case):
                yield Ask(case.id, name, call(one), untouched, space=space)
            continue
        grade = partial(graded, truth=case.truth, changes=False)
        yield Ask(case.id, name, call(case), grade, space=space)
        # A folder is not edited or run.
        if not case.is_dir and (case.truth or "x")[-1] != "/":
            grade = partial(graded, truth=case.truth, changes=True)
            for ask in _changing(case, name, grade):
                yield replace(ask, space=space)


def _changing(
    case: Case, name: str, grade: Callable[[Decision], int], text: str = ""
) -> Iterator[Ask]:
    """Yield the calls that change or run what a case's path names."""
    for policy, (operation, line) in product(_POLICIES, CHANGES.items()):
        # A policy that does more is asked about what it does more of.
        if policy == "recover" and operation == "execute":
            continue
        tool = "Bash"
        arguments = {"command": line.format(shlex.quote(case.written))}
        if not line:
            tool = "Edit"
            arguments = {"file_path": case.written}
        if text and not line:
            arguments |= {"old_string": text, "new_string": "other lines\n"}
        session = f"{case.id} {operation} {policy}"
        one = ToolCall(
            tool, arguments, session=session, cwd=folder(case.cwd or "") or None
        )
        yield Ask(case.id, name, one, grade, policy)


def slipped(case: Case) -> Iterator[Case]:
    """Yield a file of a case's project as hands misspell it, which is rare in every
    record.
    """
    chance = random.Random(case.id)
    path = chance.choice(tree_names(case.tree))
    folders, _, name = path.rpartition("/")
    stem, ending = split_extension(name)
    at = chance.randrange(max(len(stem) - 1, 1))
    wrong = {
        f"{folders}/{stem[:at]}{stem[at + 1 :]}.{ending}",
        f"{folders}/{stem[:at]}{stem[at : at + 2][::-1]}{stem[at + 2 :]}.{ending}",
        f"{folders}/{name.swapcase()}",
        f"{path}:12",
        f"{folders.title()}/{name}",
        f"{folders[:at]}{folders[at + 1 :]}/{name}",
    }
    there = frozenset(tree_names(case.tree))
    for written in sorted(wrong):
        if folders and ending and written not in there:
            yield replace(case, set="slips", written=written, truth=path, cwd="")


def _slips(name: str) -> Iterator[Group]:
    some = [case for case in load("deletions")[::5] if case.tree]
    for tree, alike in groupby(some, key=lambda case: case.tree):
        cases = [slip for case in alike for slip in slipped(case)]
        yield Group(
            tree, name, partial(nullcontext, None), partial(_asks_of, name, cases)
        )


def _held_out(name: str) -> Iterator[Group]:
    """Yield projects from which one file is taken away: it is not made yet, and no
    other one is meant.
    """
    trees = sorted({case.tree for case in load("renames") if case.tree})
    for tree in trees:
        chance = random.Random(tree)
        for path in chance.sample(tree_names(tree), k=min(6, len(tree_names(tree)))):
            yield Group(
                f"{tree} {path}",
                name,
                partial(_without, tree, path),
                partial(_asks_for, name, path),
            )


@contextmanager
def _without(tree: str, path: str) -> Iterator[Workspace]:
    names = [name for name in tree_names(tree) if name != path]
    yield Workspace.from_names(names, root="/home/ada/work")


def _asks_for(name: str, path: str, _: Any) -> Iterator[Ask]:
    case = Case(path, name, "", TOOLS["read"], "", written=path)
    yield Ask(path, name, call(case), partial(graded, truth=None, changes=False))
    yield from _changing(case, name, partial(graded, truth=None, changes=True))
    for policy in _POLICIES:
        made = call(replace(case, tool=TOOLS["write"]))
        yield Ask(path, name, made, untouched, policy)


def _histories(name: str) -> Iterator[Group]:
    for repo in histories.repositories():
        history = histories.load(repo)
        if history.is_held != (name == "held-histories"):
            continue
        for part in range(_PARTS):
            yield Group(
                f"{repo} {part}",
                name,
                partial(_laid_out, history),
                partial(_asks_of_history, name, history, part),
            )


@contextmanager
def git_once() -> Iterator[None]:
    """Ask git each question once, while the disk stays as it is."""
    run = vars(git)["_run"]
    printed: dict[tuple[str, ...], Any] = {}

    def run_once(words: list[str], *others: Any) -> Any:
        key = tuple(words)
        if key not in printed:
            printed[key] = run(words, *others)
        return printed[key]

    _forgets.append(printed.clear)
    with patch.object(git, "_run", run_once):
        yield
    _forgets.pop()


_forgets: list[Callable[[], None]] = []

_PARTS = 4
"""Groups of one repository, so that several processes share it."""

EVERY_COMMIT = 12
"""Of how many commits one is checked out."""


@contextmanager
def _laid_out(history: histories.History) -> Iterator[Workspace]:
    with tempfile.TemporaryDirectory(prefix="history-") as place:
        root = Path(place, history.repo.rpartition("+")[2])
        histories.lay_out(history, root)
        with git_once():
            yield Workspace(root, store=os.path.join(place, "store"), timeout_s=60)


def _asks_of_history(
    name: str, history: histories.History, part: int, space: Workspace
) -> Iterator[Ask]:
    texts = histories.contents(history)
    for at, gone in enumerate(histories.asked(history)):
        if at % _PARTS == part:
            yield from _asks_of_gone(name, gone, texts[gone.content])
    root = Path(space.root)
    for mark in range(1, len(history.commits)):
        if mark % (EVERY_COMMIT * _PARTS) != EVERY_COMMIT * part:
            continue
        departed = [*histories.asked(history, at=mark)]
        if departed:
            histories.check_out(root, str(mark))
            space.changed()
            for forget in _forgets:
                forget()
        for gone in departed:
            yield from _asks_of_gone(name, gone, texts[gone.content])


def _asks_of_gone(name: str, gone: histories.Gone, text: bytes) -> Iterator[Ask]:
    at = "last" if gone.is_last else "after"
    case = Case(
        f"{gone.repo} {gone.commit} {at} {gone.path}",
        name,
        gone.repo,
        TOOLS["read"],
        "",
        written=gone.path,
    )
    grade = _grade_of(gone, changes=False)
    yield Ask(case.id, name, call(case), grade, looks=True)
    lines = text.decode().splitlines(keepends=True)
    grade = _grade_of(gone, changes=True)
    yield from _changing(case, name, grade, "".join(lines[:2]))


def _grade_of(gone: histories.Gone, *, changes: bool) -> Callable[[Decision], int]:
    if gone.kind == "in-doubt":
        return partial(doubted, changes=changes)
    return partial(graded, truth=gone.truth, changes=changes)


def _scenes(name: str) -> Iterator[Group]:
    for scene in scenes.load(name):
        yield Group(
            scene["id"],
            name,
            partial(_laid_out_once, scene),
            partial(_asks_of_scene, name, scene),
        )


@contextmanager
def _laid_out_once(scene: scenes.Scene) -> Iterator[Workspace]:
    with scenes.laid_out(scene) as space, git_once():
        yield space


def _asks_of_scene(name: str, scene: scenes.Scene, space: Workspace) -> Iterator[Ask]:
    for asked in scenes.asked(scene, space.root):
        # Of the outputs, each text is a case.
        case = asked.error if name == "outputs" and asked.error else scene["id"]
        yield Ask(
            case,
            name,
            asked.call,
            partial(held, asked=asked),
            asked.policy,
            asked.before,
            asked.error,
            caller=asked.caller,
        )


_LIKE = "lib/gone.x"
"""What is like the path that is missing in every line below a row of the shapes."""

_SOME = {
    "src/a.py": "import os\n\n\ndef first(values):\n    return values[0]\n",
    "src/web/page.ts": "export const page = 1\n",
    "web/package.json": '{"scripts": {"build": "true"}}\n',
}
"""A project, with what each kind of unmet condition is about."""

_LONG = {"src/long.txt": 6_000}

_UNMET: Mapping[str, tuple[str, Mapping[str, str], str]] = {
    "text": (
        "Edit",
        {
            "file_path": "src/a.py",
            "old_string": "def frist( values ):",
            "new_string": "x",
        },
        "def first",
    ),
    "size": ("Read", {"file_path": "src/long.txt"}, "lines"),
    "folder": ("Read", {"file_path": "src/web"}, "page.ts"),
    "absolute": ("read_file", {"path": "src/a.py"}, "{root}/src/a.py"),
    "need": ("Bash", {"command": "npm run build"}, "web"),
}
"""Condition -> the tool and the arguments of a call that fails for it, and what the
answer has."""


def _outputs(name: str) -> Iterator[Group]:
    for at, (_, texts) in enumerate(_listed("error_shapes"), 1):
        make = partial(_names_of, f"{_LIKE}/a.md" if "*.md" in texts[0] else _LIKE)
        yield Group(f"shape {at}", name, make, partial(_asks_of_shape, name, texts))
    asks = []
    for row, texts in _listed("unmet_texts"):
        tool, arguments, to = _UNMET[row.partition(" ")[0]]
        call = {"tool": tool, "arguments": arguments}
        asks += [
            {"calls": [call], "expects": "named", "to": [to], "error": text}
            for text in texts
        ]
    unmet = {"id": "unmet texts", "contents": _SOME, "long": _LONG, "asks": asks}
    for scene in (unmet, *scenes.load(name)):
        make = partial(_laid_out_once, scene)
        yield Group(scene["id"], name, make, partial(_asks_of_scene, name, scene))


def _listed(table: str) -> list[tuple[str, list[str]]]:
    """Return the rows of a table of error texts, each with the texts that stand below
    it.
    """
    path = Path(error_texts.__file__).with_name(f"{table}.txt")
    found: list[tuple[str, list[str]]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("+ "):
            found[-1][1].append(line[2:].replace("\\n", "\n"))
        elif line and not line.startswith(("#", "- ")):
            found.append((line, []))
    return found


@contextmanager
def _names_of(name: str) -> Iterator[Workspace]:
    yield Workspace.from_names([name], root="/p")


def _asks_of_shape(name: str, texts: Sequence[str], _: Any) -> Iterator[Ask]:
    for text in texts:
        word = "src/gone.x/*.md" if "*.md" in text else "src/gone.x"
        command = {"command": f"frob {word}"}
        made = ToolCall("Bash", command, session=text, cwd="/p")
        grade = partial(graded, truth=_LIKE, changes=False)
        yield Ask(text, name, made, grade, error=text)


_GROUPS: dict[str, Callable[[str], Iterator[Group]]] = {
    "recorded": _of_cases,
    "worked": _of_cases,
    "links": _of_cases,
    "renames": _of_cases,
    "deletions": _of_cases,
    "slips": _slips,
    "held-out": _held_out,
    "histories": _histories,
    "held-histories": _histories,
    "reports": _scenes,
    "sessions": _scenes,
    "attacks": _scenes,
    "documented": _scenes,
    "commits": _scenes,
    "outputs": _outputs,
}


WORDS = (
    "another file changed",
    "another one used to look",
    "another one shown",
    "only others named",
    "named later",
    "named first",
    "shown",
    "right, or nothing where nothing is meant",
)
"""Each grade in words."""


def rows_of(
    grades: Counter[tuple[str, int]], columns: Sequence[str]
) -> Iterator[Sequence[str]]:
    """Yield a row for each grade: how often it was given, by column."""
    for grade, words in enumerate(WORDS):
        yield (words, *(f"{grades[column, grade]:,}" for column in columns))
    sums = [sum(grades[column, at] for at in range(len(WORDS))) for column in columns]
    yield ("all", *(f"{total:,}" for total in sums))


def share(text: str, of: int) -> bool:
    """Return whether a text is in a sample of one in `of`, always the same."""
    return zlib.crc32(text.encode()) % of == 0
