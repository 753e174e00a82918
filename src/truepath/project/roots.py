"""The folders of a container that files of the project map to its own: Compose files,
and the settings of dev containers.

No YAML reader is needed: of a Compose file, the lists below `volumes:` are read line by
line, and what is written in another way maps nothing. A mapping leads nowhere but into
the project.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from posixpath import dirname, join, normpath

from truepath.config.files import read
from truepath.fields import settings_of, text, texts
from truepath.project.listing import entries
from truepath.records import dataclass
from truepath.types import Any

_LARGEST = 256 * 1024
"""Bytes of such a file, at most; a Compose file of 100 services has 100 KB."""

_LONGEST_LINE = 1_000
"""Characters of a line of a Compose file, at most."""

_MOST_FILES = 12
"""Files that are read for one answer, at most."""

_COMPOSE = re.compile(r"(?:docker-)?compose(?:[.-][\w.-]+)?\.ya?ml")
_FOLDERS = ("", ".devcontainer", "docker")
"""Where Compose files are that no dev container names."""

_DEV_CONTAINERS = (".devcontainer/devcontainer.json", ".devcontainer.json")

_HERE = re.compile(r"\$(?:PWD\b|\{PWD(?::?-[^}]*)?\})")
_BASENAME = re.compile(
    r"\$\{(?:localWorkspaceFolderBasename|containerWorkspaceFolderBasename)\}"
)
_LIST = re.compile(
    r"(volumes|tmpfs|configs|secrets): *(?:&\w+ *)?(?:\[(.*)\])? *(?:#.*)?"
)
_TMPFS = re.compile(r"tmpfs: +([^\s\[].*)")
_BLOCK = re.compile(r"(?:.*:|-) *[|>][-+\d]*(?: *#.*)?")
"""A key whose text is in the lines below it."""
_PAIR = re.compile(r"(type|source|src|target|dst|destination): +(.*)")
_TEXT = re.compile(
    r"""(?:"([^"\\]*)"|'([^']*)'|([^"'\s#\[\]{},&*!|>][^#]*?))\s*(?:#.*)?"""
)
"""A text of YAML in one line, in quotes or plain."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """A folder of a container, and what it is here."""

    root: str
    """Absolute, with `/`."""
    path: str | None
    """Relative to the project; None for what is not in it."""
    where: str
    """The file that says so, and its line: `compose.yaml:7`."""


def mapped(
    root: str, absolute: str, given: Mapping[str, str]
) -> Sequence[tuple[str, str]]:
    """Return what an absolute path of a container is in the project at `root`, each
    with the file that says so; none if that is not said.

    Args:
        root: The project's folder.
        absolute: A path that does not exist, with `/`.
        given: What the user has set: folders of a container, and those of the project.
    """
    plain = normpath(absolute)
    settings = (
        (folder, source if source.startswith(".") else f"./{source}")
        for folder, source in given.items()
    )
    set_ones = (
        Mapped(normpath(folder), _inside(root, "", source), "roots")
        for folder, source in settings
    )
    around = _deepest(plain, set_ones) or _deepest(plain, _written(root))
    # A folder of this machine is no other's, nor one that may be outside the project.
    if any(os.path.lexists(each.root) for each in around):
        return ()
    paths: dict[str, str] = {}
    for each in around:
        if each.path is None:
            return []
        path = normpath(join(each.path, plain[len(each.root) :].lstrip("/")))
        paths.setdefault("" if path == "." else path, each.where)
    return [*paths.items()]


def _deepest(path: str, all_mapped: Iterator[Mapped]) -> Sequence[Mapped]:
    """Return what maps the innermost folder around a path: it hides what maps those
    above.
    """
    around = [each for each in all_mapped if _is_below(path, each.root)]
    deepest = max((len(each.root) for each in around), default=0)
    return [each for each in around if len(each.root) == deepest]


def _is_below(path: str, folder: str) -> bool:
    return f"{path}/".startswith(f"{folder.rstrip('/')}/")


def _written(root: str) -> Iterator[Mapped]:
    """Yield what the files of a project map."""
    composed: dict[str, str] = {}
    for file in _DEV_CONTAINERS:
        content = _text_of(root, file)
        settings = settings_of(content)
        one = text(settings, "dockerComposeFile")
        for name in [one] if one else texts(settings, "dockerComposeFile"):
            named = normpath(join(dirname(file), name))
            if not named.startswith(("../", "/")):
                # All count from the folder of the first.
                composed.setdefault(named, dirname(next(iter(composed), named)))
        yield from _of_dev_container(root, file, content, settings)
    for folder in _FOLDERS:
        for name in sorted(entries(join(root, folder))):
            if _COMPOSE.fullmatch(name):
                composed.setdefault(join(folder, name), folder)
    for file, folder in [*composed.items()][:_MOST_FILES]:
        yield from _of_compose(root, file, folder)


def _text_of(root: str, file: str) -> str:
    """Return the text of a file of the project; "" if it has none that is read."""
    place = join(root, file)
    if not _is_in(root, place):
        return ""
    try:
        return read(place, _LARGEST).decode("utf-8-sig")
    except (OSError, ValueError):
        return ""


def _is_in(root: str, place: str) -> bool:
    """Return whether a place is in the project, wherever its links lead."""
    try:
        return _is_below(os.path.realpath(place), os.path.realpath(root))
    except ValueError:  # it has a NUL, or is no text
        return False


def _inside(root: str, folder: str, source: str) -> str | None:
    """Return a source of a mount relative to the root; None if it is not a folder or
    file of the project that is named from `folder`.
    """
    source = _HERE.sub(".", source)
    # Else it is a volume with a name, or a place of another machine.
    is_relative = source in (".", "..") or source.startswith(("./", "../"))
    path = normpath(join(folder, source))
    if not is_relative or path.startswith("..") or "$" in path or "\\" in path:
        return None
    if not _is_in(root, join(root, path)):
        return None
    return "" if path == "." else path


def _of_mount(
    root: str, folder: str, source: str, target: str, where: str
) -> Iterator[Mapped]:
    """Yield what a mount maps, if its target is one that is known."""
    if not _is_known(target):
        return
    inner = _inside(root, folder, source)
    above = normpath(join(root, folder, source))
    if inner is None and source.startswith("..") and _is_below(root, above):
        # A folder around the project is mounted, and it is further down there.
        target, inner = join(target, root[len(above) :].lstrip("/")), ""
    yield Mapped(normpath(target), inner, where)


def _is_known(target: str) -> bool:
    return target.startswith("/") and "$" not in target


def _of_compose(root: str, file: str, folder: str) -> Iterator[Mapped]:
    """Yield what the lists of volumes in a Compose file map, and what else is put into
    its folders; its sources count from `folder`. A file with a volume that is not
    understood maps nothing: it may hide any other.
    """
    mounts: list[tuple[str, str, str]] = []
    for key, number, item in _items(_text_of(root, file)):
        source, target = _mount(item)
        if key == "volumes" and not _is_known(target):
            return
        # Only a volume is a folder of the project.
        inner = source if key == "volumes" else ""
        mounts.append((inner, target, f"{file}:{number}"))
    for source, target, where in mounts:
        yield from _of_mount(root, folder, source, target, where)


def _items(content: str) -> Iterator[tuple[str, int, Sequence[str]]]:
    """Yield the items of each list of volumes and the like: its key, the number of the
    first line, and all lines of the item.
    """
    key = ""
    above = -1
    items: list[tuple[str, int, list[str]]] = []
    for number, depth, line in _lines(content):
        is_item = line.startswith("- ")
        if 0 <= above < depth + is_item:
            if is_item:
                items.append((key, number, [line[2:].strip()]))
            elif items:
                items[-1][2].append(line)
            continue
        yield from items
        # Below no key, it is the table of volumes that have names.
        match = _LIST.fullmatch(line) if depth else None
        key = match[1] if match else "tmpfs"
        above = depth if match else -1
        items = [(key, number, [item]) for item in _in_one_line(line, match)]


def _in_one_line(line: str, match: re.Match[str] | None) -> Sequence[str]:
    """Return the items of a list that are in the line of its key."""
    if match:
        return [*filter(None, map(str.strip, (match[2] or "").split(",")))]
    one = _TMPFS.fullmatch(line)
    return [one[1]] if one else ()


def _lines(content: str) -> Iterator[tuple[int, int, str]]:
    """Yield the number, the depth and the text of each line that is no comment, and not
    in a text of several lines.
    """
    block = -1
    for number, line in enumerate([*content.split("\n"), "end:"], 1):
        plain = line.strip()
        depth = len(line) - len(line.lstrip(" "))
        if not plain or plain.startswith("#") or 0 <= block < depth:
            continue
        block = depth if _BLOCK.fullmatch(plain) else -1
        if len(plain) < _LONGEST_LINE:
            yield number, depth, plain


def _mount(item: Sequence[str]) -> tuple[str, str]:
    """Return the source ("" for none) and the target of an item; "" for what is not
    understood.
    """
    fields: dict[str, str] = {}
    for line in item:
        pair = _PAIR.fullmatch(line)
        if pair:
            fields[pair[1]] = _plain(pair[2])
    if fields:
        return _ends_of(fields)
    # `SOURCE:TARGET:MODE`, or `TARGET`; in `${A:-b}` is no colon of these.
    parts = re.split(r":(?![-?+])", _plain(item[0]))
    if len(parts) == 1:
        return "", parts[0]
    return (parts[0], parts[1]) if len(parts) <= 3 else ("", "")


def _ends_of(fields: Mapping[str, str]) -> tuple[str, str]:
    """Return the source and the target in the fields of a mount."""
    sources = (fields.get(name, "") for name in ("source", "src"))
    targets = (fields.get(name, "") for name in ("target", "dst", "destination"))
    return next(filter(None, sources), ""), next(filter(None, targets), "")


def _plain(value: str) -> str:
    """Return a text of YAML in one line; "" for anything else."""
    match = _TEXT.fullmatch(value)
    return next(filter(None, match.groups()), "") if match else ""


def _of_dev_container(
    root: str, file: str, content: str, settings: Mapping[str, Any]
) -> Iterator[Mapped]:
    """Yield what the settings of a dev container map."""
    name = root.rstrip("/").rpartition("/")[2]
    opened = text(settings, "workspaceFolder") or f"/workspaces/{name}"
    own = settings.get("workspaceMount")
    if own is None and settings and "dockerComposeFile" not in settings:
        own = f"source=.,target=/workspaces/{name}"  # what its programs mount
    listed = settings.get("mounts")
    for mount in (own, *(listed if isinstance(listed, list) else ())):
        source, written = _ends_of(_fields(mount))
        target = _BASENAME.sub(lambda _: name, written)
        target = target.replace("${containerWorkspaceFolder}", opened)
        source = source.replace("${localWorkspaceFolder}", ".")
        lines = enumerate(content.split("\n"), 1)
        where = (f"{file}:{number}" for number, line in lines if written in line)
        yield from _of_mount(root, "", source, target, next(where, file))


def _fields(mount: object) -> Mapping[str, str]:
    """Return the fields of a mount, which is a text or an object."""
    if isinstance(mount, str):
        pairs = (field.partition("=") for field in mount.split(","))
        return {key.strip(): value.strip() for key, _, value in pairs}
    if not isinstance(mount, dict):
        return {}
    return {key: value for key, value in mount.items() if isinstance(value, str)}
