"""How to look for a file before giving it up: texts for an agent, in answers and instructions."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from truepath.calls.tools import discovery_tools
from truepath.guard.messages import (
    ASSUMED,
    CORRECTED,
    HOME,
    LOOKS_WRONG,
    NOT_A_FILE,
    NOT_A_FOLDER,
    NOT_FOUND,
    OTHER_CHECKOUT,
    SHIFT,
    UNSEEN,
)
from truepath.types import Resolution

_GLOBS = ("glob", "globsearch", "filesearch", "searchfiles", "findbyname", "findfile")
"""Tools that take a pattern with `**`, by their names in small letters."""

_PLAIN = " ._-+@=,~%#"
"""Marks that mean themselves in a pattern and in quotes."""

_LONGEST = 120
"""Characters of a name in a pattern; what is cut off is a `*`."""


def search_steps(parent: str, name: str, tools: Sequence[str] = ()) -> str:
    """Return what to do about a file that was not there, before giving it up.

    Args:
        parent: The name of the folder it should be in, "" for none.
        name: Its name.
        tools: What the host has to search with, by the names its model knows.
    """
    searches = [f"**/{pattern(parent)}/{pattern(name)}"] if parent else []
    searches.append(f"**/{pattern(name)}")
    first, *others = [_search(each, tools) for each in searches]
    then = f", then {others[0]}" if others else ""
    return (
        f"Search before giving up: {first}{then}.\n"
        "One match: read it. Several: list them and ask the user which is meant. None: ask the "
        "user. Never skip a file that was referred to without saying so."
    )


def search_for(resolution: Resolution, host: str) -> str:
    """Return what to do about the path of a resolution, with the tools of `ToolCall.host`; nothing
    where it is there, but of another kind.
    """
    if resolution.status == "directory":
        return ""
    tools = discovery_tools(host)
    folder, _, name = resolution.target.rstrip("/").rpartition("/")
    return search_steps(folder.rpartition("/")[2], name, tools)


def rules(tools: Sequence[str] = ()) -> str:
    """Return the rules for a file of instructions, `AGENTS.md` or `CLAUDE.md`: Markdown.

    Args:
        tools: As in `search_steps`.
    """
    near, far = (_search(each, tools) for each in ("**/<parent folder>/<name>", "**/<name>"))
    return f"""\
## File paths

truepath checks the paths in your tool calls before they run. What it says is about the disk as it
is, so believe it over your memory.

- `{CORRECTED}`: the path you wrote does not exist, and the call was made with the real one,
  which it names. Use the real path from now on, in every call and in what you write.
- `{ASSUMED}`: the path you wrote does not exist, and you are shown the likeliest file, which is
  named. Judge by its contents whether it is the one; if not, take another candidate or search.
- `{NOT_FOUND}`: the path does not exist, and none was certain enough to take its place. If
  candidates are named, take the one that is meant; else search. Do not send the same path again.
- `{NOT_A_FILE}`, `{NOT_A_FOLDER}`: the path is of the other kind.
- `{LOOKS_WRONG}`: the path you would make looks like one that exists. Use that one, or send the
  same call again if the new one is meant.
- `{OTHER_CHECKOUT}`: the path is in another checkout of the same repository.
- `{SHIFT}`: you keep missing. Do not guess: use a path that is named, or list or search.
- `{UNSEEN}`: nothing was made, because similar paths did not exist. List or search first.
- `{HOME}`: the home folder is another one, which is named.

When a file is not there, search before giving up:

1. {near}
2. {far}

- One match: read it.
- Several matches: list them and ask which is meant.
- No match: ask the user.

Never skip a file that was referred to without saying so, and never make up what it holds.
"""


def pattern(name: str) -> str:
    """Return a glob that matches a name, without any sign that would mean more than itself."""
    safe = "".join(
        char if char.isalnum() or char in _PLAIN or unicodedata.category(char)[0] == "M" else "?"
        for char in name
    )
    return f"{safe[:_LONGEST]}*" if len(safe) > _LONGEST else safe


def _search(what: str, tools: Sequence[str]) -> str:
    """Return a search as a call of the host's own tool, or as a command for a shell."""
    names = [tool.partition(" ")[0] for tool in tools]
    globs = [name for name in names if name.lower().replace("_", "") in _GLOBS]
    if globs or not tools:
        return f'`{globs[0] if globs else "Glob"}("{what}")`'
    inside = what.removeprefix("**/")
    how = f"-path '*/{inside}'" if "/" in inside else f"-name '{inside}'"
    return f"`find . {how}`"
