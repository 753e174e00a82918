"""Evaluation cases: wrong paths, each with the names of its project and the right answer.

Reads them and makes their workspaces. It must not know how an answer is judged.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import IO, Any

from truepath.errors import Error
from truepath.resolve.workspace import Workspace
from truepath.types import Kind, Operation

FAMILIES: Mapping[str, str] = {
    "moved_unique_basename": "directory",
    "moved_shared_basename": "directory",
    "copied_then_deleted": "directory",
    "wrong_directory": "directory",
    "link_same_basename": "directory",
    "extra_leading_dirs": "prefix",
    "missing_leading_dirs": "prefix",
    "wrong_root": "prefix",
    "link_same_text": "name",
    "near_name": "slip",
    "other_name_same_dir": "name",
    "other_name_other_dir": "name",
    "renamed_in_place": "name",
    "moved_and_renamed": "name",
    "wrong_extension": "extension",
    "extension_changed": "extension",
    "moved_and_extension_changed": "extension",
    "case": "case",
    "case_only": "case",
    "module_vs_package": "package",
    "module_to_package": "package",
}
"""The kinds that case files name, by what is wrong with the path."""

SHARES: Mapping[str, float] = {
    "none": 0.51,
    "directory": 0.15,
    "prefix": 0.17,
    "slip": 0.05,
    "name": 0.05,
    "extension": 0.035,
    "case": 0.025,
    "package": 0.01,
}
"""How often each family occurs among real misses: 350 judged ones from public transcripts of
coding agents. `none`: nothing in the project is what was asked for."""

_TOOL_OPERATIONS: Mapping[str, Operation] = {
    "rg": "search",
    "grep": "search",
    "glob": "search",
    "find": "list",
    "ls": "list",
    "cd": "list",
    "du": "list",
    "cp": "copy",
    "edit": "edit",
    "exec": "execute",
}


class CaseError(Error, ValueError):
    """A case cannot be used; the message says which, where and why."""


@dataclass(frozen=True, slots=True)
class Case:
    """One wrong path."""

    id: str
    set: str
    """Where it comes from: the name of its file without extensions."""
    repo: str
    cause: str
    """Why the path was wrong, as the file says: its field `kind`."""
    written: str
    truth: str | None
    """The right path, root-relative; None when nothing in the project is what was meant."""
    cwd: str | None
    root: str
    operation: Operation
    kind: Kind
    tree: str
    """The file with the project's names; empty when `add` holds them all."""
    add: tuple[str, ...]
    """Names beside those of the tree."""
    never_was: bool = False
    """Whether the project's history never had the path, as far as the case says."""

    @property
    def family(self) -> str:
        """What is wrong with the path, in one of few words: see `SHARES`."""
        return "none" if self.truth is None else FAMILIES.get(self.cause, "directory")


def load(path: str | os.PathLike[str]) -> Iterator[Case]:
    """Yield the cases of one JSONL file, plain or gzipped; those labelled `unknown` are left out.

    A line needs `written` and `truth` (root-relative, or null), and the project's names: `tree`
    (a text file, one name a line) or `names` (a list). Further fields: `id`, `repo`, `kind` (why
    it was wrong), `cwd`, `root`, `tool` or `operation`, `is_dir`, `add` (further names).

    Raises:
        CaseError: the file cannot be read, or a line is no case.
    """
    name = os.path.basename(path).split(".")[0]
    try:
        with _opened(path) as lines:
            for number, line in enumerate(lines, 1):
                case = _read(line, name, f"{os.fspath(path)}:{number}")
                if case is not None:
                    yield case
    except (OSError, EOFError, zlib.error) as error:
        raise CaseError(f"cannot read {os.fspath(path)}: {_why(error)}") from error


def _why(error: Exception) -> str:
    """Return what went wrong without the path, which is told already."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _opened(path: str | os.PathLike[str]) -> IO[str]:
    if os.fspath(path).endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8", errors="surrogateescape", newline="\n")
    return open(path, encoding="utf-8", errors="surrogateescape", newline="\n")


def _read(line: str, name: str, place: str) -> Case | None:
    if not line.strip():
        return None
    try:
        raw = json.loads(line)
        return None if raw.get("label") == "unknown" else _case(raw, name, place)
    except (json.JSONDecodeError, AttributeError):
        raise CaseError(f"{place} is no JSON object") from None
    except KeyError as error:
        raise CaseError(f"{place} has no field {error}") from None


def _case(raw: Mapping[str, Any], name: str, place: str) -> Case:
    operation, kind = _asked(raw)
    return Case(
        id=raw.get("id") or place,
        set=name,
        repo=raw.get("repo") or "",
        cause=raw.get("kind") or ("unnamed" if raw["truth"] else "nothing_there"),
        written=raw["written"],
        truth=raw["truth"],
        cwd=raw.get("cwd"),
        root=raw.get("root") or "/repo",
        operation=operation,
        kind=kind,
        tree=raw.get("tree") or "",
        add=(*raw.get("names", ()), *raw.get("add", ())),
        never_was=raw.get("ever_existed") == "never",
    )


def _asked(raw: Mapping[str, Any]) -> tuple[Operation, Kind]:
    """Say what the agent's tool does to the path, and what the path must be for that."""
    tool = (raw.get("tool") or "read").removeprefix("bash:").lower()
    operation = raw.get("operation") or _TOOL_OPERATIONS.get(tool, "read")
    if tool == "cd":
        return operation, "folder"
    if operation in ("search", "list", "copy", "execute") or tool in ("view", "git"):
        return operation, "any"
    return operation, "file"


@lru_cache(maxsize=4)
def tree_names(trees: str, tree: str) -> tuple[str, ...]:
    """Return the names in one tree file of the folder `trees`; none without a file.

    Raises:
        CaseError: the file is not there or cannot be read.
    """
    if not tree:
        return ()
    path = os.path.join(trees, os.path.basename(tree))
    try:
        with _opened(path) as file:
            return tuple(name for name in file.read().split("\n") if name)
    except (OSError, EOFError, zlib.error) as error:
        raise CaseError(f"cannot read the names in {path}: {_why(error)}; give --trees") from error


@lru_cache(maxsize=8)
def workspace(trees: str, tree: str, add: tuple[str, ...], root: str) -> Workspace:
    """Return the workspace of a case; the last few are kept, for cases come by project."""
    return Workspace.from_names((*tree_names(trees, tree), *add), root=root)
