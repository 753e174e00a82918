"""What every rule is told: where the path points, and the names of the project."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from truepath.paths import join, normalise, relative_to


class Project:
    """The names of a project, files alone or with their folders."""

    def __init__(self, files: Iterable[str], *, folders: bool) -> None:
        paths = {path for path in files if not path.endswith("/")}
        if folders:
            paths |= {parent for path in paths for parent in _parents(path)}
        self.paths: Sequence[str] = sorted(paths)
        self.by_name: Mapping[str, list[str]] = defaultdict(list)
        self.by_folder: Mapping[str, list[str]] = defaultdict(list)
        for path in self.paths:
            folder, _, name = path.rpartition("/")
            self.by_name[name].append(path)
            self.by_folder[folder].append(path)


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


@dataclass(frozen=True)
class Question:
    """One wrong path."""

    written: str
    path: str
    """Where it points, relative to the project's root; as written when that is outside."""
    inside: bool
    project: Project

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]


def question(written: str, root: str, cwd: str | None, project: Project) -> Question:
    """Read a path as any tool does: relative to the working directory, without `.` and `..`."""
    place = normalise(root, "posix")
    absolute = join(join(place, cwd or "", "posix"), written, "posix")
    inside = relative_to(absolute, place, "posix")
    path = normalise(written, "posix") if inside is None else inside
    return Question(written, path, inside is not None, project)
