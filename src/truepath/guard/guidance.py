"""How to look for a file before giving it up: texts for an agent, in answers and instructions.

The plugins' fallback for machines without Python (`plugins/claude-code/bin/guide.sh`) says the
same.
"""

from __future__ import annotations

import unicodedata

from truepath.guard import messages

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Sequence

    from truepath.types import Resolution

_PLAIN = " ._-+@=,~%#"
"""Marks that mean themselves in a pattern and in quotes."""

_LONGEST = 120
"""Characters of a name in a pattern; what is cut off is a `*`."""


def search_for(resolution: Resolution, tools: Sequence[str]) -> str:
    """Return what to do about a path that is not there, before giving it up; nothing where it is
    there, but of another kind.

    `tools` are what the agent is known to have to search with, by the names its model knows.
    """
    if resolution.status == "directory":
        return ""
    folder, _, name = resolution.target.rstrip("/").rpartition("/")
    parent = folder.rpartition("/")[2]
    near = f"`**/{pattern(parent)}/{pattern(name)}`, then " if parent else ""
    return (
        f"Search before giving up{_with(tools)}: {near}`**/{pattern(name)}`.\n"
        "One match: read it. Several: list them and ask the user which is meant. None: ask the "
        "user. Never skip a file that was referred to without saying so."
    )


def rules(tools: Sequence[str] = ()) -> str:
    """Return the rules for a file of instructions, `AGENTS.md` or `CLAUDE.md`: Markdown."""
    return f"""\
## File paths

truepath checks the paths in your tool calls before they run. What it says is about the disk as it
is, so believe it over your memory.

- `{messages.CORRECTED}`: the path you wrote does not exist, and the call was made with the real
  one, which it names. Use the real path from now on, in every call and in what you write.
- `{messages.ASSUMED}`: the path you wrote does not exist, and you are shown the likeliest file,
  which is named. Judge by its contents whether it is the one; else take another, or search.
- `{messages.NOT_FOUND}`: the path does not exist, and none was certain enough to take its place. If
  candidates are named, take the one that is meant; else search. Do not send the same path again.
- `{messages.NOT_A_FILE}`, `{messages.NOT_A_FOLDER}`: the path is of the other kind.
- `{messages.LOOKS_WRONG}`: the path you would make looks like one that exists. Use that one, or
  send the same call again if the new one is meant.
- `{messages.OTHER_CHECKOUT}`: the path is in another checkout of the same repository.
- `{messages.SHIFT}`: you keep missing. Do not guess: use a path that is named, or list or search.
- `{messages.UNSEEN}`: nothing was made, because similar paths did not exist. List or search first.
- `{messages.HOME}`: the home folder is another one, which is named.

When a file is not there, search before giving up{_with(tools)}:

1. `**/<parent folder>/<name>`
2. `**/<name>`

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


def _with(tools: Sequence[str]) -> str:
    return f", with {', '.join(tools)}" if tools else ""
