"""What a tool's name says: its own name without a namespace, and what such a tool does.

Knows the tables of `tool_tables`; must not know arguments' values or hosts.
"""

from __future__ import annotations

import re
from functools import lru_cache

from truepath.calls import tool_tables as data
from truepath.types import Kind, Operation

Use = tuple[Operation, Kind]
"""What is done to a path, and what the path must be for it."""

# Texts, not compiled: a described name is read without them, and compiling takes longer than
# all the rest of this module.
_WORDS = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+"
_RUNS = r"[a-z0-9]+"
_NAMESPACE = r"__|[/:.]"


@lru_cache(maxsize=1024)
def fold(name: str) -> str:
    """Return the one form of a name: `filePath`, `FilePath`, `file_path` -> `filepath`."""
    return name.replace("_", "").replace("-", "").lower()


def folded(words: str) -> frozenset[str]:
    """Return the folded names of a table's line."""
    return frozenset(fold(word) for word in words.split())


TOOLS = {name: use for use, words in data.TOOLS.items() for name in folded(words)}
EDITORS = folded(data.EDITOR_TOOLS)
SHELLS = folded(data.SHELL_TOOLS)
PATCHES = folded(data.PATCH_TOOLS)

_DESCRIBED = TOOLS.keys() | EDITORS | SHELLS | PATCHES
_SERVERS = frozenset(data.SERVER_WORDS.split())
_REMOTE = frozenset(data.REMOTE_WORDS.split())
_FILES = frozenset(data.FILE_WORDS.split())
_FOLDERS = frozenset(data.FOLDER_WORDS.split())
_OTHERS = frozenset(data.OTHER_WORDS.split())


def is_described(name: str) -> bool:
    """Tell whether a folded name is in the tables."""
    return name in _DESCRIBED


@lru_cache(maxsize=1024)
def base_name(tool: str) -> str:
    """Return a tool's own name, folded, without the namespace a host put before it."""
    if (name := fold(tool)) in _DESCRIBED:
        return name
    own = _own_part(tool)
    if (name := fold(own)) in _DESCRIBED:
        return name
    return _without_server(_tokens(own)) or name


@lru_cache(maxsize=1024)
def is_remote(tool: str) -> bool:
    """Tell whether a name says that its paths are not of this machine's disk."""
    if fold(tool) in _DESCRIBED:
        return False
    # Both ways to cut: `webSearch` has two words, `e2b` is one.
    return not _REMOTE.isdisjoint((*_tokens(tool), *re.findall(_RUNS, tool.lower())))


def guess(tool: str) -> Use | None:
    """Read a tool nobody described by its verb; None unless exactly one meaning is clear."""
    words = _tokens(_own_part(tool))
    if words and words[0] in _SERVERS:
        words = words[1:]
    if len(words) > 1 and words[0] in _FILES | _FOLDERS:
        words = [words[1], words[0], *words[2:]]
    if not words or not _OTHERS.isdisjoint(words):
        return None
    use = _verb_use(words[0], folder=not _FOLDERS.isdisjoint(words[1:]))
    # `tree` after a verb is what is listed, not a second thing to do.
    others = {data.VERBS[word][0] for word in words[1:] if word in data.VERBS and word != "tree"}
    return use if use and others <= {use[0]} else None


def _own_part(tool: str) -> str:
    parts = [part for part in re.split(_NAMESPACE, tool) if part]
    return parts[-1] if parts else tool


def _tokens(name: str) -> list[str]:
    return [word.lower() for word in re.findall(_WORDS, name)]


def _without_server(words: list[str]) -> str | None:
    """Reduce `filesystem-read_file` and `mcp_server_read_file` to a described tool's name."""
    if not words or words[0] not in _SERVERS | {"mcp"}:
        return None
    # After `mcp` comes a server name of unknown length; one bare word is too little to go by.
    first = 2 if words[0] == "mcp" else 1
    for start in range(first, len(words) - first + 1):
        name = "".join(words[start:])
        if name in _DESCRIBED:
            return name
    return None


def _verb_use(verb: str, *, folder: bool) -> Use | None:
    if folder and verb in ("create", "make"):
        return ("mkdir", "folder")
    use = data.VERBS.get(verb)
    if use is None or not folder:
        return use
    if use[0] == "read":
        return ("list", "folder")
    if use[0] == "delete":
        return ("delete", "folder")
    return None if use[0] in ("edit", "write") else use
