"""Where truepath keeps a user's files: settings, sessions, journal, history.

Every hook uses this module, so it imports next to nothing.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing` itself would cost a hook 5 ms
if TYPE_CHECKING:
    from collections.abc import Mapping

USER_FILE = "config.toml"


def state_folder(environ: Mapping[str, str]) -> str:
    """Return the folder for sessions, journal and history; it need not exist.

    `$TRUEPATH_STATE`, else `$XDG_STATE_HOME/truepath`, else `truepath` in the
    platform's folder: `~/.local/state`, `~/Library/Application Support` or
    `%LOCALAPPDATA%`.
    """
    if own := environ.get("TRUEPATH_STATE"):
        return os.path.abspath(_expand(own, environ))
    default = {
        "darwin": os.path.join("~", "Library", "Application Support"),
        "win32": environ.get("LOCALAPPDATA") or os.path.join("~", "AppData", "Local"),
    }.get(sys.platform, os.path.join("~", ".local", "state"))
    return _below(environ, "XDG_STATE_HOME", default)


def projects_folder(environ: Mapping[str, str]) -> str:
    """Return the folder for data about projects, its history and marks; it need not
    exist.
    """
    return os.path.join(state_folder(environ), "projects")


def user_file(environ: Mapping[str, str]) -> str:
    """Return the path of the user's settings; it need not exist.

    `$XDG_CONFIG_HOME/truepath/config.toml`, else in `~/.config` or `%APPDATA%`.
    """
    roaming = environ.get("APPDATA") if sys.platform == "win32" else None
    folder = _below(environ, "XDG_CONFIG_HOME", roaming or os.path.join("~", ".config"))
    return os.path.join(folder, USER_FILE)


def make_private(folder: str) -> None:
    """Create a folder with mode 0700, and each missing one above it.

    Raises:
        OSError: It cannot be created.
    """
    above = os.path.dirname(folder)
    if above != folder and not os.path.isdir(above):
        make_private(above)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise


def _below(environ: Mapping[str, str], variable: str, default: str) -> str:
    # The XDG specification says to ignore a relative path in these variables.
    parent = environ.get(variable, "")
    parent = parent if os.path.isabs(parent) else _expand(default, environ)
    return os.path.join(parent, "truepath")


def _expand(path: str, environ: Mapping[str, str]) -> str:
    if path[:2] not in ("~", "~/", "~\\"):
        return path
    return (environ.get("HOME") or os.path.expanduser("~")) + path[1:]
