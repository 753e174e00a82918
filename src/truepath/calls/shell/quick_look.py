"""The quick check of a hook: what must exist for a command to pass unchecked.

The native client mirrors `must_exist`: it passes a line if it is not understood or if
each path is of the required kind. It has the reader, the table, and of this walk the
folders that are entered, questions such as `test -f`, and what was created before. It
may ask about more paths, never fewer.
"""

from __future__ import annotations

import os

from truepath import TYPE_CHECKING, Late
from truepath.calls.shell.path_uses import Survey, survey
from truepath.calls.shell.programs import has_cmdlet
from truepath.types import MAKES

if TYPE_CHECKING:
    from truepath.calls.shell import needs
    from truepath.calls.shell.needs import LookedFor
else:
    needs = Late("truepath.calls.shell.needs")

NEEDY = (
    *("bun", "cargo", "compose", "git", "go", "just", "make", "npm", "poetry", "uv"),
    "yarn",
)
"""Texts of which a line contains one if one of its programs is in the table of needs,
which is loaded for few lines."""


def must_exist(
    text: str, cwd: str
) -> tuple[list[tuple[str, str]], list[LookedFor]] | None:
    """Return the paths that must exist for a command to pass unchecked, each with its
    kind, and what must be in folders that it runs in.

    The kinds are `file`, `folder`, `any`, `new` (a file, or nothing in an existing
    folder) and `target` (anything, or nothing in an existing folder). A line that is
    not understood has none. None if only a full check can tell, as for a patch. `cwd`
    is absolute.
    """
    if "*** Begin Patch" in text:
        return None
    surveys = [survey(text)]
    # On a drive, only the host knows whether its shell is PowerShell.
    if cwd[1:2] == ":" or has_cmdlet(text):
        surveys.append(survey(text, powershell=True))
    paths: list[tuple[str, str]] = []
    contents: list[LookedFor] = []
    for line in filter(None, surveys):
        paths += _required(line, cwd)
        if any(name in text for name in NEEDY):
            lookup = needs.looked_for(line.line, cwd)
            if lookup is not None:
                contents.append(lookup)
    return paths, contents


def _required(line: Survey, cwd: str) -> list[tuple[str, str]]:
    """Return the paths of a line that must exist, absolute, each with its kind."""
    paths: list[str] = []  # all of them: others may be below an optional folder
    required: list[tuple[str, str]] = []
    for use in line.uses:
        path = use.received or use.word.path
        entered = (paths[place] for place in use.entered)
        paths.append(os.path.join(cwd, *entered, path))
        kind: str = use.kind
        if use.operation in MAKES:
            kind = "new" if kind == "file" else "target"
        if not use.optional or use.unreported_by:
            required.append((paths[-1], kind))
    return required
