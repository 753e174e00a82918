"""Rules that compare whole names."""

from __future__ import annotations

from rivals.question import Question


def unique_name(question: Question) -> str | None:
    """The usual rule: exactly one file in the project has that name."""
    found = question.project.by_name.get(question.name, [])
    return found[0] if len(found) == 1 else None


def substring_in_folder(question: Question) -> str | None:
    """OpenCode and Crush: of the same folder's names, in order, those that contain the wanted
    one or are contained in it, case aside."""
    wanted = question.name.lower()
    if not question.inside or not wanted:
        return None
    for path in question.project.by_folder.get(question.folder, []):
        name = path.rpartition("/")[2].lower()
        if name in wanted or wanted in name:
            return path
    return None


def suffix_match(question: Question) -> str | None:
    """oh-my-pi: `**/<path as written>` matches exactly once."""
    suffix = question.written.replace("\\", "/").removeprefix("./").strip("/")
    name = suffix.rpartition("/")[2]
    found = [
        path
        for path in question.project.by_name.get(name, [])
        if path == suffix or path.endswith(f"/{suffix}")
    ]
    return found[0] if len(found) == 1 else None
