"""Whose home folder a path lies in, and whose is meant. Pure."""

from __future__ import annotations

from collections.abc import Callable

from truepath.paths import fold


def home_of(path: str) -> str:
    """Return the home folder that an absolute path lies in, by its shape; "" for none.

    Args:
        path: With `/`; `/home/ann/x`, `/Users/ann/x`, `C:/Users/ann/x` and `/root/x` lie in one.
    """
    parts = path.split("/")
    if parts[1:2] == ["root"]:
        return "/root"
    named = len(parts) > 2 and fold(parts[1]) in ("home", "users") and parts[2]
    return "/".join(parts[:3]) if named and parts[0][1:] in ("", ":") else ""


def stray(
    path: str, root: str, home: str | None, is_folder: Callable[[str], bool]
) -> tuple[str, str] | None:
    """Return the home that `path` names and the one it means; None where that home is right.

    Models write a user's name a letter wrong, do so again when told one path, and stop when told
    the name.

    Args:
        path: As written, and not there.
        root: The project's folder: whose home it lies in is the agent's.
        home: The home folder of this process, for a project that lies in nobody's.
        is_folder: Whether a folder is at an absolute path.
    """
    named, own = home_of(path.replace("\\", "/")), home_of(root) or home or ""
    drive = named[1:2] == ":"  # whose names have no case
    same = fold(named) == fold(own) if drive else named == own
    if not named or not own or same or is_folder(named):
        return None
    return named, own
