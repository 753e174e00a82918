"""List the names of a project in a sandbox, with one command for each depth of repositories."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from truepath.errors import SandboxError
from truepath.project.history.log import is_id
from truepath.project.history.repository import Place
from truepath.project.ignore import Rules
from truepath.project.names import Names, Source
from truepath.project.remote.sandbox import Sandbox
from truepath.project.remote.scripts import LIST, WALK
from truepath.project.walk import holds_machine
from truepath.records import dataclass

_MOST_NESTED = 100
"""Repositories inside a project that are listed; each takes ten processes in the sandbox."""

_WORDS = 4
"""Words before a name that `ls-files -s -t` prints."""

_REPOSITORY, _LINK = "160000", "120000"
"""Modes of git's index."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The names below a root in a sandbox."""

    names: Names
    links: frozenset[str]
    """Those of them that are links, root-relative."""
    place: Place | None
    """The repository around the root; None without one, or without a commit."""


Sections = Sequence[tuple[str, Sequence[str]]]


def listed(sandbox: Sandbox, root: str, limit: int) -> Listing:
    """List the files below `root`, without what its ignore files leave out.

    Raises:
        SandboxError: There is no answer, or no such folder in the sandbox.
    """
    sections = read(sandbox.output(LIST, root))
    if not sections or sections[-1][0] != "whole":
        return _walked(sandbox, root, limit)
    found = _Repository(root, sections)
    if found.prefix and not found.files:
        # Nothing at all below the top may be an ignored folder: who works there means it.
        return _walked(sandbox, root, limit)
    files, links = [*found.files], set(found.links)
    nested, whole = [*found.nested], True
    while nested:
        inner = [one for one in _repositories(sandbox, root, nested) if one.common != found.common]
        whole = whole and len(nested) <= _MOST_NESTED
        nested = []
        for one in inner:
            below = one.folder[len(root.rstrip("/")) + 1 :] + "/"
            files += [below + name for name in one.files]
            links.update(below + name for name in one.links)
            nested += [below + name for name in one.nested]
    names = _names(files, "git", limit, whole=whole)
    return Listing(names, frozenset(links), found.place)


def read(printed: bytes) -> Sections:
    """Split what a script printed into its sections, each a name and records."""
    sections: list[tuple[str, list[str]]] = []
    records = iter(os.fsdecode(printed).split("\0")[:-1])
    for record in records:
        if not record:
            sections.append((next(records, ""), []))
        elif sections:
            sections[-1][1].append(record)
    return sections


class _Repository:
    """One folder as the repository around it lists it."""

    def __init__(self, folder: str, sections: Sections) -> None:
        said = dict(sections)
        facts = [fact[1:] for fact in said.get("git", ())]
        split = _tracked(said.get("tracked", ()))
        if len(facts) != 7 or split is None:
            raise SandboxError(f"what git says of {folder!r} in the sandbox cannot be read")
        self.folder, self.real, top, self.prefix, self.common, head, doubt = facts
        place = Place(top, self.prefix, self.common, head, doubt != "false")
        self.place = place if is_id(head) else None
        there, links, linked = split
        others = [name for name in said.get("others", ()) if not name.endswith("/")]
        own = [name[:-1] for name in said.get("others", ()) if name.endswith("/")]
        gone = {*said.get("gone", ())}
        self.files = [name for name in (*there, *others) if name not in gone]
        self.links = {*links, *said.get("links", ())}
        self.nested = [*linked, *own]


def _tracked(records: Sequence[str]) -> tuple[list[str], list[str], list[str]] | None:
    """Split `ls-files -s -t` into files, those of them that are links, and linked repositories.

    What a sparse checkout leaves out is not there. None where git printed something else.
    """
    files: list[str] = []
    links: list[str] = []
    linked: list[str] = []
    for record in records:
        # "H 100644 OBJECT-ID STAGE\tname"
        said, tab, name = record.partition("\t")
        if not tab or not name or said.count(" ") != _WORDS - 1:
            return None
        if said[2:8] == _REPOSITORY:
            linked.append(name)
        elif said[0] != "S":
            files.append(name)
            if said[2:8] == _LINK:
                links.append(name)
    return files, links, linked


def _repositories(sandbox: Sandbox, root: str, folders: Sequence[str]) -> Iterator[_Repository]:
    asked = [f"{root.rstrip('/')}/{folder}" for folder in folders[:_MOST_NESTED]]
    some: list[tuple[str, Sequence[str]]] = []
    for section in read(sandbox.output(LIST, *asked)):
        some = [section] if section[0] == "git" else [*some, section]
        if section[0] == "whole" and some[0][0] == "git":
            folder = some[0][1][0][1:]
            if folder in asked:
                yield _Repository(folder, some)


def _walked(sandbox: Sandbox, root: str, limit: int) -> Listing:
    if holds_machine(root):
        raise SandboxError(f"{root!r} holds a whole machine; give the project's folder")
    said = dict(read(sandbox.output(WALK, root)))
    if "walk" not in said:
        raise SandboxError(f"{root!r} is no folder in the sandbox that can be read")
    real = "".join(said["walk"])[1:]
    if holds_machine(real):
        raise SandboxError(f"{root!r} holds a whole machine; give the project's folder")
    texts = said.get("rules", ())
    rules = {_inner(path): text[1:] for path, text in zip(texts[::2], texts[1::2], strict=False)}
    ignored = _Ignored(rules)
    links = [name for name in map(_inner, said.get("links", ())) if not ignored(name)]
    files = [name for name in map(_inner, said.get("files", ())) if not ignored(name)]
    names = _names([*files, *links], "walk", limit, whole="whole" in said)
    return Listing(names, frozenset(links), None)


class _Ignored:
    """Whether the ignore files of a project leave a path out."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        """Take the texts of ignore files by their paths."""
        self._rules = {path.rpartition("/")[0]: Rules(text) for path, text in texts.items()}
        self._folders: dict[str, bool] = {"": False}

    def __call__(self, path: str) -> bool:
        folder = path.rpartition("/")[0]
        return bool(self._rules) and (self._is_out(folder) or self._says(path, folder=False))

    def _is_out(self, folder: str) -> bool:
        above = [folder]
        while above[-1] not in self._folders:
            above.append(above[-1].rpartition("/")[0])
        for one in reversed(above):
            if one not in self._folders:
                out = self._folders[one.rpartition("/")[0]]
                self._folders[one] = out or self._says(one, folder=True)
        return self._folders[folder]

    def _says(self, path: str, *, folder: bool) -> bool:
        holder = path
        while holder:
            holder = holder.rpartition("/")[0]
            if holder in self._rules:
                inner = path[len(holder) + 1 :] if holder else path
                verdict = self._rules[holder].verdict(inner, folder=folder)
                if verdict is not None:
                    return verdict
        return False


def _inner(found: str) -> str:
    return found.removeprefix("./")


def _names(paths: Sequence[str], source: Source, limit: int, *, whole: bool) -> Names:
    kept = sorted(set(filter(None, paths)))
    return Names(
        kept[:limit], source=source, cut_short=not whole or len(kept) > limit, in_order=True
    )
