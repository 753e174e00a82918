"""The cases in `cases/`: paths that agents got wrong, and calls that worked, each with
its project.

`load("second")` returns the cases of one set, `workspace(case)` the project of one by
names alone. What the fields mean, and where the cases come from, is told in
`cases/README.md`."""

from __future__ import annotations

import gzip
import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, cast

from truepath import ToolCall, Workspace
from truepath.paths import Flavour
from truepath.types import Kind, Operation

FOLDER = Path(__file__).with_name("cases")

_PROGRAMS = {
    "exec": "{}",
    "sed": "sed -n 1p {}",
    "rg": "rg word {}",
    "grep": "grep -r word {}",
    "git": "git add {}",
    "cp": "cp {} {}.copy",
    "mv": "mv {} {}.moved",
}
"""How a program is called on a path; others, with the path alone."""

_PATH = frozenset({"grep", "glob", "ls"})
"""Tools that call their path `path`; others, `file_path`."""

TOOLS = {
    "read": "Read",
    "list": "bash:ls",
    "search": "Grep",
    "edit": "Edit",
    "write": "Write",
    "copy": "bash:cp",
    "move": "bash:mv",
    "delete": "bash:rm",
    "mkdir": "bash:mkdir",
    "execute": "bash:sh",
}
"""Operation -> a tool that does it to a path."""

_TOOLS_FOR_ANY = {
    "read": "bash:git",
    "edit": "bash:git add",
    "write": "bash:touch",
    "execute": "bash:pytest",
}
"""The same where the path may be a folder, as far as another tool does it then."""

_DRIVE = re.compile(r"^/([a-z])(?:/|$)")


@dataclass(frozen=True, slots=True)
class Named:
    """One path of a call that worked."""

    written: str
    operation: Operation | None
    """What the call does to it; None where that cannot be told from the call."""
    kind: Kind | None
    rel: str | None
    """Where it is, relative to the root; None outside the project."""
    exists: str
    """`tree`, `session` (named by an earlier call), `folder`, `new` (or untracked),
    `outside`."""
    cwd: str | None = None
    """The folder that the call entered before, where it is not that of the case."""

    @property
    def there(self) -> str:
        """The name that must have been there for the call to work; empty where it made
        it.
        """
        if (
            not self.rel
            or self.exists == "outside"
            or self.operation in ("write", "mkdir")
        ):
            return ""
        is_folder = (
            self.exists == "folder"
            or self.kind == "folder"
            or self.written.endswith("/")
        )
        return self.rel + ("/" if is_folder else "")


@dataclass(frozen=True, slots=True)
class Case:
    """One wrong path, or one call that worked."""

    id: str
    set: str
    repo: str
    tool: str
    """The agent's tool; a shell with the program that it ran, as in `bash:sed`."""
    root: str
    cwd: str | None = ""
    """The working directory, relative to the root or absolute; None outside the
    project."""
    tree: str = ""
    tree_kind: str = "yes"
    written: str = ""
    truth: str | None = None
    """The right path, relative to the root; None when nothing in the project is what
    was meant."""
    kind: str = ""
    is_dir: bool = False
    add: tuple[str, ...] = ()
    paths: tuple[Named, ...] = ()
    """The paths of a call that worked."""

    @property
    def names(self) -> Iterator[str]:
        """The project's names: those of the tree, and what is known to have been there
        beside.
        """
        there = {path.there for path in self.paths} - {""}
        # A tree has a submodule, or a link to a folder, as a name like that of a file.
        yield from (name for name in tree_names(self.tree) if name + "/" not in there)
        yield from self.add
        yield from sorted(there)


def load(name: str) -> list[Case]:
    """Return the cases of one set."""
    return [_case(record) for record in _records(name)]


def each_path(case: Case) -> Iterator[Case]:
    """Yield the case; of a call that worked, one for each of its paths, numbered."""
    if case.set != "successes":
        yield case
        return
    for at, path in enumerate(case.paths):
        if path.operation:
            tools = TOOLS if path.kind == "file" else {**TOOLS, **_TOOLS_FOR_ANY}
            one = replace(case, id=f"{case.id}.{at}", tool=tools[path.operation])
            cwd = case.cwd if path.cwd is None else path.cwd
            yield replace(one, written=path.written, truth=path.rel, cwd=cwd)


def call(case: Case) -> ToolCall:
    """Return a plain call of the case's tool on its path."""
    tool = case.tool
    arguments = {"path" if tool.lower() in _PATH else "file_path": case.written}
    if tool.startswith("bash:"):
        program = tool.removeprefix("bash:")
        line = _PROGRAMS.get(program, program + " {}")
        tool, arguments = (
            "Bash",
            {"command": line.replace("{}", shlex.quote(case.written))},
        )
    return ToolCall(
        tool, arguments, session=case.id, cwd=folder(case.cwd or "") or None
    )


def workspace(case: Case) -> Workspace:
    """Return the project of a case by its names alone; the last few are kept."""
    there = tuple(path for path in case.paths if path.there)
    return _workspace(
        Case("", "", "", "", case.root, tree=case.tree, add=case.add, paths=there)
    )


def folder(written: str) -> str:
    """Return a folder as its machine has it: cases write `C:\\x` as `/c/x`."""
    return _DRIVE.sub(r"\1:/", written)


def tree_names(tree: str) -> tuple[str, ...]:
    """Return the names of one tree, sorted; none without a tree."""
    return tuple(sorted(_tree(tree))) if tree else ()


def names_of_repositories() -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each repository with the names of the first of its trees."""
    seen = set[str]()
    for tree in _trees():
        repository = tree.partition("@")[0]
        if repository not in seen:
            seen.add(repository)
            yield repository, tree_names(tree)


@lru_cache(maxsize=8)
def _workspace(project: Case) -> Workspace:
    root = folder(project.root)
    flavour: Flavour = "windows" if root[1:2] == ":" else "posix"
    return Workspace.from_names(project.names, root=root, flavour=flavour)


def _case(record: Mapping[str, Any]) -> Case:
    known = {
        each.name for each in fields(Case)
    }  # the files tell more than is asked here
    told = {name: value for name, value in record.items() if name in known}
    paths = tuple(Named(**path) for path in record.get("paths", ()))
    return Case(**{**told, "add": tuple(record.get("add", ())), "paths": paths})


@cache
def _tree(tree: str) -> frozenset[str]:
    """Return the names of a tree, which may be told by how it differs from another."""
    record = _trees()[tree]
    like = _tree(record["like"]) if "like" in record else frozenset[str]()
    return like.difference(record.get("less", ())).union(record["more"])


@cache
def _trees() -> Mapping[str, Mapping[str, Any]]:
    return {record["tree"]: record for record in _records("trees")}


def _records(name: str) -> Iterator[Mapping[str, Any]]:
    with gzip.open(
        FOLDER / f"{name}.jsonl.gz", "rt", encoding="utf-8", newline="\n"
    ) as lines:
        for line in lines:
            yield cast("Mapping[str, Any]", json.loads(line))
