"""What a session has learnt about folders, as notes: which one was put right as which
other, and from which folder a document was read that names paths.

Pure functions on notes: whether a path exists is the reader's question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import join, normpath

_LED = "led:"
_READ = "read:"
_MOST_DOCUMENTS = 10
"""Documents that are asked, the last ones."""

_DOCUMENTS = frozenset(
    ("SKILL.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md", "README.md", "CONTRIBUTING.md")
)
"""Files that name paths from their own folder, and are read to act upon them."""


def note_of_change(written: str, used: str) -> str:
    """Return the note that the folder of a path was put right as another one, without
    what both end in; "" if only the name differs.
    """
    *old, name = written.split("/")
    *new, new_name = used.split("/")
    if not old or name != new_name:
        return ""
    # `backend/` became `apps/backend/`: one folder is left of what was written.
    while len(old) > 1 and new and old[-1] == new[-1]:
        old.pop()
        new.pop()
    return f"{_LED}{'/'.join(old)}>{'/'.join(new)}"


def note_of_document(path: str) -> str:
    """Return the note that a document was read; "" for another file, or one at the
    project's root.
    """
    folder, _, name = path.rpartition("/")
    return f"{_READ}{folder}" if folder and name in _DOCUMENTS else ""


def changed_places(notes: Sequence[str], path: str) -> Iterator[tuple[str, str]]:
    """Yield where a path is by the changes of folders before it, the last one first,
    each with the new folder.
    """
    for note in reversed(notes):
        old, changed, new = note.removeprefix(_LED).partition(">")
        if note.startswith(_LED) and changed and path.startswith(f"{old}/"):
            yield f"{new}{path[len(old) :]}".lstrip("/"), new


def document_places(notes: Sequence[str], path: str) -> Iterator[tuple[str, str]]:
    """Yield where a relative path is from the documents that were read, the last one
    first, each with the document's folder.
    """
    folders = [note[len(_READ) :] for note in notes if note.startswith(_READ)]
    for folder in folders[: -_MOST_DOCUMENTS - 1 : -1]:
        yield normpath(join(folder, path)), folder
