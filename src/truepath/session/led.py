"""What was learnt about folders: what a session has moved; which one was put right as
which other, as pairs of a session and its project; and from which folder a document was
read that names paths, as notes of the session.

Pure functions on texts: whether a path exists is the reader's question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import join, normpath

from truepath.config import DOCUMENTS
from truepath.records import dataclass

_READ = "read:"
_MOST_DOCUMENTS = 10
"""Documents that are asked, the last ones."""


@dataclass(frozen=True, slots=True)
class Move:
    """What an allowed call moved or copied, relative to the root."""

    old: str
    new: str


def place_of(moves: Sequence[Move], path: str) -> str:
    """Return where some moves have brought a path, or a folder that it was in; "" if
    none has.
    """

    def is_below(place: str, folder: str) -> bool:
        return f"{place}/".startswith(f"{folder}/")

    last = [at for at, move in enumerate(moves) if is_below(path, move.old)][-1:]
    place = path
    for move in moves[last[0] :] if last else ():
        if is_below(place, move.old):
            place = move.new + place[len(move.old) :]
    return place if last else ""


def change_of(written: str, used: str) -> str:
    """Return the pair of a path's folder and the one that it was put right as, without
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
    return f"{'/'.join(old)}>{'/'.join(new)}"


def new_folder(change: str) -> str:
    """Return the folder that another was put right as."""
    return change.partition(">")[2]


def note_of_document(path: str) -> str:
    """Return the note that a document was read; "" for another file, or one at the
    project's root.
    """
    folder, _, name = path.rpartition("/")
    return f"{_READ}{folder}" if folder and name in DOCUMENTS else ""


def changed_places(changes: Sequence[str], path: str) -> Iterator[tuple[str, str]]:
    """Yield where a path is by the changes of folders before it, the last one first,
    each with the new folder.
    """
    for change in reversed(changes):
        old, _, new = change.partition(">")
        if path.startswith(f"{old}/"):
            yield f"{new}{path[len(old) :]}".lstrip("/"), new


def document_places(notes: Sequence[str], path: str) -> Iterator[tuple[str, str]]:
    """Yield where a relative path is from the documents that were read, the last one
    first, each with the document's folder.
    """
    folders = [note[len(_READ) :] for note in notes if note.startswith(_READ)]
    for folder in folders[: -_MOST_DOCUMENTS - 1 : -1]:
        yield normpath(join(folder, path)), folder
